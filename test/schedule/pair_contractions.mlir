// RUN: plan-opt %s --pair-contractions --split-input-file | FileCheck %s

// The pair with the smallest product goes first: b and c (64 x 1), not a and b (64 x 2).
// CHECK-LABEL: func.func @train
// CHECK-SAME: (%[[A:[a-z0-9]*]]: {{.*}}, %[[B:[a-z0-9]*]]: {{.*}}, %[[C:[a-z0-9]*]]: !plan.tensor<k: 2, n: 1, f32>)
// CHECK: %[[BC:.*]] = plan.einsum "j k, k n -> j n"(%[[B]], %[[C]]) {layer = "y", phase = "forward"}
// CHECK-SAME: -> !plan.tensor<j: 64, n: 1, f32
// CHECK: plan.einsum "i j, j n -> i n"(%[[A]], %[[BC]])
func.func @train(%a: !plan.tensor<i: 64, j: 64, f32>, %b: !plan.tensor<j: 64, k: 2, f32>,
                 %c: !plan.tensor<k: 2, n: 1, f32>) -> !plan.tensor<i: 64, n: 1, f32> {
  %y = plan.einsum "i j, j k, k n -> i n" (%a, %b, %c) {layer = "y", phase = "forward"}
    : (!plan.tensor<i: 64, j: 64, f32>, !plan.tensor<j: 64, k: 2, f32>, !plan.tensor<k: 2, n: 1, f32>) -> !plan.tensor<i: 64, n: 1, f32>
  return %y : !plan.tensor<i: 64, n: 1, f32>
}

// -----

// Loops stay cut as they are; summing a cut loop leaves a partial sum.
// CHECK: plan.einsum "i j, j k -> i k"
// CHECK-SAME: -> !plan.tensor<i: 4, k: 4, f32, #plan.layout<i = [rows], partial sum = [cols]>>
module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 2>} {
  func.func @train(%a: !plan.tensor<i: 4, j: 6, f32, #plan.layout<i = [rows], j = [cols]>>,
                   %b: !plan.tensor<j: 6, k: 4, f32, #plan.layout<j = [cols]>>,
                   %c: !plan.tensor<k: 4, n: 8, f32, #plan.layout<>>)
      -> !plan.tensor<i: 4, n: 8, f32, #plan.layout<i = [rows], partial sum = [cols]>> {
    %y = plan.einsum "i j, j k, k n -> i n" (%a, %b, %c) {layer = "y", phase = "forward"}
      : (!plan.tensor<i: 4, j: 6, f32, #plan.layout<i = [rows], j = [cols]>>,
         !plan.tensor<j: 6, k: 4, f32, #plan.layout<j = [cols]>>,
         !plan.tensor<k: 4, n: 8, f32, #plan.layout<>>)
        -> !plan.tensor<i: 4, n: 8, f32, #plan.layout<i = [rows], partial sum = [cols]>>
    return %y : !plan.tensor<i: 4, n: 8, f32, #plan.layout<i = [rows], partial sum = [cols]>>
  }
}
