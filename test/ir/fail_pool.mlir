// What plan.pool refuses, and the values that it names.
// RUN: plan-opt %s -split-input-file -verify-diagnostics

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'mean' is none of max, argmax, sum, max_gradient, sum_gradient}}
  %0 = plan.pool "mean"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{max_gradient takes 2 operands, not 1}}
  %0 = plan.pool "max_gradient"(%y) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, in: 3, f32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{1 windows take as many kernels, strides and dilations and 2 paddings, not 2, 1, 1 and 2}}
  %0 = plan.pool "max"(%x) windows ["height"] kernels [3, 3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{strides and dilations are at least 1, paddings at least 0}}
  %0 = plan.pool "max"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [-1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{kernels are at least 1}}
  %0 = plan.pool "max"(%x) windows ["height"] kernels [0] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{argmax of 'f32' does not give 'f32'}}
  %0 = plan.pool "argmax"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{numbers within windows are i32, not 'f32'}}
  %0 = plan.pool "max_gradient"(%y, %y) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, in: 3, f32>, !plan.tensor<batch: 2, height: 4, in: 3, f32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'height' has two windows}}
  %0 = plan.pool "max"(%x) windows ["height", "height"] kernels [3, 3] strides [2, 2] dilations [1, 1] paddings [1, 0, 1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'!plan.tensor<batch: 2, height: 4, in: 3, f32>' has no dimension 'width'}}
  %0 = plan.pool "max"(%x) windows ["width"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'!plan.tensor<batch: 2, height: 8, in: 3, f32>' and '!plan.tensor<height: 4, batch: 2, in: 3, f32>' do not have the same dimensions in one order}}
  %0 = plan.pool "max"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<height: 4, batch: 2, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'batch' has no window, but becomes 1 of 2}}
  %0 = plan.pool "max"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 1, height: 4, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'height' of 8 with padding 1 + 0 has 4 places for a window of 3 at stride 2 and dilation 1, not 5}}
  %0 = plan.pool "sum"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 5, in: 3, f32>
  return
}

// -----

func.func @pool(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %y: !plan.tensor<batch: 2, height: 4, in: 3, f32>, %z: !plan.tensor<batch: 2, height: 3, in: 3, f32>) {
  // expected-error@+1 {{'height' of 9 with padding 1 + 0 has 4 places for a window of 3 at stride 2 and dilation 1, not 3}}
  %0 = plan.pool "sum_gradient"(%z) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 3, in: 3, f32>) -> !plan.tensor<batch: 2, height: 9, in: 3, f32>
  return
}
