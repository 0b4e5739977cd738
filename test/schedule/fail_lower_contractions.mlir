// RUN: plan-opt %s --lower-contractions --split-input-file --verify-diagnostics

func.func @train(%a: !plan.tensor<i: 2, j: 2, i32>, %b: !plan.tensor<j: 2, i32>) -> !plan.tensor<i: 2, i32> {
  // expected-error @+1 {{there is no matrix product of 'i32'}}
  %y = plan.einsum "i j, j -> i" (%a, %b) : (!plan.tensor<i: 2, j: 2, i32>, !plan.tensor<j: 2, i32>) -> !plan.tensor<i: 2, i32>
  return %y : !plan.tensor<i: 2, i32>
}

// -----

func.func @train(%a: !plan.tensor<i: 2, f32>) -> !plan.tensor<i: 2, f32> {
  // expected-error @+1 {{has 3 operands: run pair-contractions first}}
  %y = plan.einsum "i, i, i -> i" (%a, %a, %a) : (!plan.tensor<i: 2, f32>, !plan.tensor<i: 2, f32>, !plan.tensor<i: 2, f32>) -> !plan.tensor<i: 2, f32>
  return %y : !plan.tensor<i: 2, f32>
}
