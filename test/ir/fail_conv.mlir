// What plan.conv refuses, and the values that it names.
// RUN: plan-opt %s -split-input-file -verify-diagnostics

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'backward' is none of forward, input_gradient, weight_gradient}}
  %0 = plan.conv "backward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{subscripts 'batch height in -> batch height out' are not of two operands and a result}}
  %0 = plan.conv "forward" "batch height in -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{1 windows take as many kernels, strides and dilations and 2 paddings, not 1, 2, 1 and 2}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2, 2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{strides and dilations are at least 1, paddings at least 0}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [0] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{subscripts name 2 loops for '!plan.tensor<batch: 2, height: 8, in: 3, f32>'}}
  %0 = plan.conv "forward" "batch height, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{loop 'in' appears twice for '!plan.tensor<kernel: 3, in: 3, out: 4, f32>'}}
  %0 = plan.conv "forward" "batch height in, kernel in in -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{loop 'batch' runs over 2 and over 3}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 3, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{loop 'new' of the result is in no operand}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height new"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'height' with 'kernel' is a second window of one loop}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height", "height"] kernels ["kernel", "kernel"] strides [2, 2] dilations [1, 1] paddings [1, 0, 1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'width' is not a loop of the first operand and of another tensor}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["width"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 8, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'in' is not a loop of the second operand or the result alone}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["in"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'height' of 8 with padding 1 + 1 has 4 places for a window of 3 at stride 2 and dilation 1, not 5}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 1] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 5, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'height' of 8 with padding 0 + 0 has 0 places for a window of 3 at stride 2 and dilation 4, not 4}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [4] paddings [0, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 3, out: 4, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  // expected-error@+1 {{'height' of 9 with padding 1 + 0 has 4 places for a window of 3 at stride 2 and dilation 1, not 3}}
  %0 = plan.conv "input_gradient" "batch height out, kernel in out -> batch height in"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 3, out: 4, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 9, in: 3, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>, %y: !plan.tensor<batch: 2, height: 4, out: 4, f32>) {
  // expected-error@+1 {{is added to something else than the same convolution of other rows}}
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w, %y) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>, !plan.tensor<batch: 2, height: 4, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}

// -----

func.func @conv(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>, %v: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
  %0 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [1] dilations [1] paddings [1, 1] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 8, out: 4, f32>
  // expected-error@+1 {{the accumulator is '!plan.tensor<batch: 2, height: 8, out: 4, f32>', the result '!plan.tensor<batch: 2, height: 4, out: 4, f32>'}}
  %1 = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %v, %0) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>, !plan.tensor<batch: 2, height: 8, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
  return
}
