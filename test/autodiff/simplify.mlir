// RUN: plan-opt --simplify %s | FileCheck %s

!vector = !plan.tensor<a: 4, f32>
!number = !plan.tensor<f32>

// CHECK-LABEL: func.func @factors_gather
// CHECK-SAME:    %[[X:.*]]: !plan
func.func @factors_gather(%x: !vector) -> !vector {
  // CHECK-NEXT: %[[C:.*]] = plan.constant -1.500000e+00
  // CHECK-NEXT: %[[Y:.*]] = plan.pointwise "mul"(%[[X]], %[[C]]) {layer = "l"}
  // CHECK-NEXT: return %[[Y]]
  %two = plan.constant 2.0 : !number
  %three_quarters = plan.constant 0.75 : !number
  %0 = plan.pointwise "mul"(%two, %x) : (!number, !vector) -> !vector
  %1 = plan.pointwise "neg"(%0) : (!vector) -> !vector
  %2 = plan.pointwise "mul"(%1, %three_quarters) {layer = "l"} : (!vector, !number) -> !vector
  return %2 : !vector
}

// CHECK-LABEL: func.func @neutral_elements
// CHECK-SAME:    %[[X:.*]]: !plan
func.func @neutral_elements(%x: !vector) -> !vector {
  // CHECK-NEXT: return %[[X]]
  %zero = plan.constant 0.0 : !number
  %one = plan.constant 1.0 : !number
  %0 = plan.pointwise "add"(%x, %zero) : (!vector, !number) -> !vector
  %1 = plan.pointwise "sub"(%0, %zero) : (!vector, !number) -> !vector
  %2 = plan.pointwise "mul"(%1, %one) : (!vector, !number) -> !vector
  %3 = plan.pointwise "div"(%2, %one) : (!vector, !number) -> !vector
  %4 = plan.pointwise "neg"(%3) : (!vector) -> !vector
  %5 = plan.pointwise "neg"(%4) : (!vector) -> !vector
  %6 = plan.pointwise "stop_gradient"(%5) : (!vector) -> !vector
  %7 = plan.einsum "i -> i"(%6) : (!vector) -> !vector
  return %7 : !vector
}

// CHECK-LABEL: func.func @signs
// CHECK-SAME:    %[[X:.*]]: !plan.tensor<a: 4, f32>, %[[Y:.*]]: !plan
func.func @signs(%x: !vector, %y: !vector) -> (!vector, !vector, !vector) {
  // CHECK-NEXT: %[[A:.*]] = plan.pointwise "sub"(%[[X]], %[[Y]])
  // CHECK-NEXT: %[[B:.*]] = plan.pointwise "add"(%[[X]], %[[Y]])
  // CHECK-NEXT: %[[C:.*]] = plan.pointwise "sub"(%[[X]], %[[Y]]) {layer = "l"}
  // CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
  %0 = plan.pointwise "neg"(%y) : (!vector) -> !vector
  %1 = plan.pointwise "add"(%x, %0) : (!vector, !vector) -> !vector
  %2 = plan.pointwise "sub"(%x, %0) : (!vector, !vector) -> !vector
  %3 = plan.pointwise "add"(%0, %x) {layer = "l"} : (!vector, !vector) -> !vector
  return %1, %2, %3 : !vector, !vector, !vector
}

// CHECK-LABEL: func.func @numbers
func.func @numbers() -> !number {
  // CHECK-NEXT: %[[C:.*]] = plan.constant 7.000000e+00
  // CHECK-NEXT: return %[[C]]
  %two = plan.constant 2.0 : !number
  %three = plan.constant 3.0 : !number
  %0 = plan.pointwise "square"(%two) : (!number) -> !number
  %1 = plan.pointwise "add"(%0, %three) : (!number, !number) -> !number
  return %1 : !number
}

// A product that is used twice stays; what repeats itself goes; what broadcasts or permutes is no identity.
// CHECK-LABEL: func.func @kept
// CHECK-SAME:    %[[X:.*]]: !plan
func.func @kept(%x: !vector) -> (!vector, !vector, !plan.tensor<a: 4, b: 2, f32>) {
  // CHECK:      %[[P:.*]] = plan.pointwise "mul"(%[[X]], %{{.*}})
  // CHECK:      %[[Q:.*]] = plan.pointwise "mul"(%[[P]], %{{.*}})
  // CHECK-NEXT: %[[W:.*]] = plan.pointwise "identity"(%[[P]]) : (!plan.tensor<a: 4, f32>) -> !plan.tensor<a: 4, b: 2, f32>
  // CHECK-NEXT: return %[[Q]], %[[P]], %[[W]]
  %two = plan.constant 2.0 : !number
  %three = plan.constant 3.0 : !number
  %0 = plan.pointwise "mul"(%x, %two) : (!vector, !number) -> !vector
  %again = plan.pointwise "mul"(%x, %two) : (!vector, !number) -> !vector
  %1 = plan.pointwise "mul"(%0, %three) : (!vector, !number) -> !vector
  %2 = plan.pointwise "stop_gradient"(%again) : (!vector) -> !plan.tensor<a: 4, b: 2, f32>
  return %1, %0, %2 : !vector, !vector, !plan.tensor<a: 4, b: 2, f32>
}

// CHECK-LABEL: func.func @unused
func.func @unused(%x: !vector) {
  // CHECK-NEXT: return
  %0 = plan.pointwise "relu"(%x) : (!vector) -> !vector
  return
}

!matrix = !plan.tensor<n: 8, a: 4, f32>

// A factor without the summed dimension and a sign leave the sum; then a bias's gradient and a mean's are one, which the
// input's gradient waits for.
// CHECK-LABEL: func.func @sums_of_scaled_values
// CHECK-SAME:    %[[G:.*]]: !plan{{.*}}, %[[F:.*]]: !plan
func.func @sums_of_scaled_values(%g: !matrix, %f: !vector) -> (!vector, !vector) {
  // CHECK-NEXT: %[[S:.*]] = plan.reduce "sum"(%[[G]]) {layer = "l", phase = "input gradient"}
  // CHECK-NEXT: %[[P:.*]] = plan.pointwise "mul"(%[[S]], %[[F]]) {layer = "l", phase = "input gradient"}
  // CHECK-NEXT: %[[N:.*]] = plan.pointwise "neg"(%[[P]]) {layer = "l", phase = "input gradient"}
  // CHECK-NEXT: return %[[S]], %[[N]]
  %0 = plan.reduce "sum"(%g) {layer = "l", phase = "weight gradient"} : (!matrix) -> !vector
  %1 = plan.pointwise "mul"(%g, %f) {layer = "l", phase = "input gradient"} : (!matrix, !vector) -> !matrix
  %2 = plan.pointwise "neg"(%1) {layer = "l", phase = "input gradient"} : (!matrix) -> !matrix
  %3 = plan.reduce "sum"(%2) {layer = "l", phase = "input gradient"} : (!matrix) -> !vector
  return %0, %3 : !vector, !vector
}

// What has the summed dimension stays within; a maximum is no sum.
// CHECK-LABEL: func.func @factors_that_stay
func.func @factors_that_stay(%g: !matrix, %f: !matrix, %v: !vector) -> (!vector, !vector) {
  // CHECK: plan.reduce "sum"
  // CHECK: plan.reduce "max"
  // CHECK-NEXT: return
  %0 = plan.pointwise "mul"(%g, %f) : (!matrix, !matrix) -> !matrix
  %1 = plan.reduce "sum"(%0) : (!matrix) -> !vector
  %2 = plan.pointwise "mul"(%g, %v) : (!matrix, !vector) -> !matrix
  %3 = plan.reduce "max"(%2) : (!matrix) -> !vector
  return %1, %3 : !vector, !vector
}

!row = !plan.tensor<n: 8, f32>

// The gradient of a softmax needs its result and nothing else. A sum over another dimension is no softmax's.
// CHECK-LABEL: func.func @softmax_gradient
// CHECK-SAME:    %[[E:.*]]: !plan{{.*}}, %[[S:.*]]: !plan{{.*}}, %[[G:.*]]: !plan
func.func @softmax_gradient(%e: !matrix, %s: !row, %g: !matrix) -> (!matrix, !matrix) {
  // CHECK-NEXT: %[[P:.*]] = plan.pointwise "div"(%[[E]], %[[S]])
  // CHECK-NEXT: %[[M:.*]] = plan.pointwise "mul"(%[[G]], %[[P]])
  // CHECK-NEXT: %[[T:.*]] = plan.reduce "sum"(%[[M]])
  // CHECK-NEXT: %[[D:.*]] = plan.pointwise "sub"(%[[G]], %[[T]])
  // CHECK-NEXT: %[[R:.*]] = plan.pointwise "mul"(%[[D]], %[[P]])
  // CHECK-NEXT: return %[[P]], %[[R]]
  %p = plan.pointwise "div"(%e, %s) : (!matrix, !row) -> !matrix
  %0 = plan.pointwise "div"(%g, %s) : (!matrix, !row) -> !matrix
  %1 = plan.pointwise "mul"(%0, %p) : (!matrix, !matrix) -> !matrix
  %2 = plan.reduce "sum"(%1) : (!matrix) -> !row
  %3 = plan.pointwise "sub"(%0, %2) : (!matrix, !row) -> !matrix
  %4 = plan.pointwise "mul"(%e, %3) : (!matrix, !matrix) -> !matrix
  return %p, %4 : !matrix, !matrix
}

// CHECK-LABEL: func.func @divided_within_the_sum
// CHECK: plan.reduce "sum"
// CHECK-NEXT: plan.pointwise "sub"
// CHECK-NEXT: %[[R:.*]] = plan.pointwise "mul"(%{{.*}}, %{{.*}})
// CHECK-NEXT: return %{{.*}}, %[[R]]
func.func @divided_within_the_sum(%e: !matrix, %s: !vector, %g: !matrix) -> (!matrix, !matrix) {
  %p = plan.pointwise "div"(%e, %s) : (!matrix, !vector) -> !matrix
  %0 = plan.pointwise "div"(%g, %s) : (!matrix, !vector) -> !matrix
  %1 = plan.pointwise "mul"(%0, %p) : (!matrix, !matrix) -> !matrix
  %2 = plan.reduce "sum"(%1) : (!matrix) -> !row
  %3 = plan.pointwise "sub"(%0, %2) : (!matrix, !row) -> !matrix
  %4 = plan.pointwise "mul"(%e, %3) : (!matrix, !matrix) -> !matrix
  return %p, %4 : !matrix, !matrix
}
