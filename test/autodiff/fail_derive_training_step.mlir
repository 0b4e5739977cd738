// RUN: plan-opt --derive-training-step %s -split-input-file -verify-diagnostics

// expected-error@+1 {{there is no function @loss to derive a training step from}}
module {}

// -----

// expected-error@+1 {{@loss returns the loss and the prediction, not 1 values}}
func.func @loss(%x: !plan.tensor<f32>) -> !plan.tensor<f32> {
  return %x : !plan.tensor<f32>
}

// -----

// expected-error@+1 {{@loss has no plan.optimizer}}
func.func @loss(%x: !plan.tensor<f32>) -> (!plan.tensor<f32>, !plan.tensor<f32>) {
  return %x, %x : !plan.tensor<f32>, !plan.tensor<f32>
}

// -----

plan.variable @w : !plan.tensor<a: 2, f32> = <constant, 0.0, 0.0> {trained, layer = "one"}
func.func @loss() -> (!plan.tensor<f32>, !plan.tensor<f32>) attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %w = plan.read @w : !plan.tensor<a: 2, f32>
  // expected-error@+1 {{has no gradient}}
  %0 = plan.mean %w : (!plan.tensor<a: 2, f32>) -> !plan.tensor<f32>
  return %0, %0 : !plan.tensor<f32>, !plan.tensor<f32>
}
