// RUN: plan-opt --decompose-composites --derive-training-step %s -verify-diagnostics

!x = !plan.tensor<batch: 4, in: 4, f32>
!s = !plan.tensor<f32>

// The epoch with the least validation loss cannot be kept where there is no such loss.
module {
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !x)
    attributes {plan.keeps_least_loss, plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %a = plan.reduce "sum"(%x) {layer = "loss", phase = "loss"} : (!x) -> !s
  // expected-error@+1 {{'keep = best(loss)' needs the loss of the validation part, but this loss is neither a sum over samples nor a ratio of two}}
  %l = plan.pointwise "square"(%a) {layer = "loss", phase = "loss"} : (!s) -> !s
  return %l, %x : !s, !x
}
}
