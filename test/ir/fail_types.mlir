// What the verifiers and parsers of types and attributes refuse.
// RUN: plan-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{dimension "a" appears twice}}
func.func private @f(!plan.tensor<a: 2, a: 3, f32>)

// -----

// expected-error@+1 {{dimension "a" has extent 0}}
func.func private @f(!plan.tensor<a: 0, f32>)

// -----

// expected-error@+1 {{element type 'i8' is none of f32, f64, i32}}
func.func private @f(!plan.tensor<a: 2, i8>)

// -----

// expected-error@+1 {{layout cuts "b", which is not a dimension of the tensor}}
func.func private @f(!plan.tensor<a: 2, f32, #plan.layout<b = [p]>>)

// -----

// expected-error@+1 {{mesh axis "p" is used twice in one layout}}
func.func private @f(!plan.tensor<a: 2, b: 3, f32, #plan.layout<a = [p], b = [p]>>)

// -----

// expected-error@+1 {{mesh axis "p" is used twice in one layout}}
func.func private @f(!plan.tensor<a: 2, f32, #plan.layout<a = [p], partial sum = [p]>>)

// -----

// expected-error@+1 {{mesh axis "p" is used twice in one layout}}
func.func private @f(!plan.tensor<a: 2, f32, #plan.layout<a = [p], stored by [p]>>)

// -----

// expected-error@+1 {{expected sum, max or min}}
func.func private @f(!plan.tensor<a: 2, f32, #plan.layout<partial product = [p]>>)

// -----

// expected-error@+1 {{windows, their extent, stride and dilation are at least 1, padding 0}}
func.func private @f(!plan.tensor<a: 2, f32, #plan.layout<a = [p] in 2 windows of 3 stride 0 dilation 1 padding 1>>)

// -----

// expected-error@+1 {{a tensor with windows can be neither partial nor stored in shares}}
func.func private @f(!plan.tensor<a: 2, f32, #plan.layout<a = [p] in 2 windows of 3 stride 1 dilation 1 padding 1, partial sum = [q]>>)

// -----

// expected-error@+1 {{a mesh axis has at least one rank}}
module attributes {plan.mesh = #plan.mesh<rows: 0>} {}

// -----

// expected-error@+1 {{a mesh axis has one size, or one for each position along an axis with one size}}
module attributes {plan.mesh = #plan.mesh<stage: 2, rows: [1, 3, 2] along stage>} {}

// -----

// expected-error@+1 {{a mesh axis has one size, or one for each position along an axis with one size}}
module attributes {plan.mesh = #plan.mesh<stage: 2, rows: [1, 3] along cols>} {}

// -----

// expected-error@+1 {{expected constant, uniform or normal}}
plan.variable @w : !plan.tensor<a: 2, f32> = <glorot, 0.0, 0.0>
