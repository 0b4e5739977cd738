// RUN: plan-opt %s --lower-convolutions --split-input-file --verify-diagnostics

func.func @train(%x: !plan.tensor<h: 8, i: 3, i32>, %w: !plan.tensor<k: 3, i: 3, o: 5, i32>) -> !plan.tensor<h: 6, o: 5, i32> {
  // expected-error @+1 {{there is no convolution of 'i32'}}
  %y = plan.conv "forward" "h i, k i o -> h o" (%x, %w) windows ["h"] kernels ["k"] strides [1] dilations [1] paddings [0, 0]
    : (!plan.tensor<h: 8, i: 3, i32>, !plan.tensor<k: 3, i: 3, o: 5, i32>) -> !plan.tensor<h: 6, o: 5, i32>
  return %y : !plan.tensor<h: 6, o: 5, i32>
}

// -----

func.func @train(%x: !plan.tensor<a: 2, b: 2, c: 2, d: 2, f32>, %w: !plan.tensor<i: 2, j: 2, k: 2, l: 2, f32>) -> !plan.tensor<a: 1, b: 1, c: 1, d: 1, f32> {
  // expected-error @+1 {{has 4 windows, the kernel has 3 at most}}
  %y = plan.conv "forward" "a b c d, i j k l -> a b c d" (%x, %w) windows ["a", "b", "c", "d"] kernels ["i", "j", "k", "l"]
    strides [1, 1, 1, 1] dilations [1, 1, 1, 1] paddings [0, 0, 0, 0, 0, 0, 0, 0]
    : (!plan.tensor<a: 2, b: 2, c: 2, d: 2, f32>, !plan.tensor<i: 2, j: 2, k: 2, l: 2, f32>) -> !plan.tensor<a: 1, b: 1, c: 1, d: 1, f32>
  return %y : !plan.tensor<a: 1, b: 1, c: 1, d: 1, f32>
}

// -----

func.func @train(%x: !plan.tensor<a: 2, b: 2, c: 2, d: 2, f32>) -> !plan.tensor<a: 1, b: 1, c: 1, d: 1, f32> {
  // expected-error @+1 {{has 4 windows, the kernel has 3 at most}}
  %y = plan.pool "max" (%x) windows ["a", "b", "c", "d"] kernels [2, 2, 2, 2] strides [1, 1, 1, 1] dilations [1, 1, 1, 1]
    paddings [0, 0, 0, 0, 0, 0, 0, 0] : (!plan.tensor<a: 2, b: 2, c: 2, d: 2, f32>) -> !plan.tensor<a: 1, b: 1, c: 1, d: 1, f32>
  return %y : !plan.tensor<a: 1, b: 1, c: 1, d: 1, f32>
}
