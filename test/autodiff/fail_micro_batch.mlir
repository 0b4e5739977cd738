// RUN: plan-opt --decompose-composites --derive-training-step %s -split-input-file -verify-diagnostics

!x = !plan.tensor<batch: 4, in: 4, f32>
!s = !plan.tensor<f32>
!in = !plan.tensor<in: 4, f32>

module attributes {plan.microbatches = 2 : i64} {
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !x)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %m = plan.reduce "sum"(%x) {layer = "norm", phase = "forward"} : (!x) -> !in
  // expected-error@+1 {{micro-batches need a loss that is a sum over samples, or one ratio of two; layer 'norm' uses a value of the whole batch}}
  %y = plan.pointwise "sub"(%x, %m) {layer = "norm", phase = "forward"} : (!x, !in) -> !x
  %l = plan.reduce "sum"(%y) {layer = "loss", phase = "loss"} : (!x) -> !s
  return %l, %y : !s, !x
}
}

// -----

!x = !plan.tensor<batch: 4, in: 4, f32>
!s = !plan.tensor<f32>

module attributes {plan.microbatches = 2 : i64} {
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !x)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  // expected-error@+1 {{micro-batches need a loss that is a sum over samples, or one ratio of two; layer 'h' takes an extremum over the batch}}
  %l = plan.reduce "max"(%x) {layer = "h", phase = "forward"} : (!x) -> !s
  return %l, %x : !s, !x
}
}

// -----

!x = !plan.tensor<batch: 4, in: 4, f32>
!y = !plan.tensor<other: 4, in: 4, f32>
!xy = !plan.tensor<batch: 4, other: 4, f32>
!s = !plan.tensor<f32>

module attributes {plan.microbatches = 2 : i64} {
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !x)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  // expected-error@+1 {{micro-batches need a loss that is a sum over samples, or one ratio of two; layer 'h' renames the batch}}
  %y = plan.einsum "batch in -> batch in"(%x) {layer = "h", phase = "forward"} : (!x) -> !y
  %l = plan.reduce "sum"(%y) {layer = "h", phase = "forward"} : (!y) -> !s
  return %l, %x : !s, !x
}
}

// -----

!x = !plan.tensor<batch: 4, in: 4, f32>
!y = !plan.tensor<all: 16, f32>
!s = !plan.tensor<f32>

module attributes {plan.microbatches = 2 : i64} {
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !x)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  // expected-error@+1 {{micro-batches need a loss that is a sum over samples, or one ratio of two; layer 'h' reshapes, cuts or joins the batch}}
  %y = plan.reshape %x {layer = "h", phase = "forward"} : (!x) -> !y
  %l = plan.reduce "sum"(%y) {layer = "h", phase = "forward"} : (!y) -> !s
  return %l, %x : !s, !x
}
}

// -----

!x = !plan.tensor<batch: 4, in: 4, f32>
!s = !plan.tensor<f32>

module attributes {plan.microbatches = 2 : i64} {
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !x)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  // expected-error@+1 {{micro-batches need a loss that is a sum over samples, or one ratio of two; layer 'h' combines the samples of a batch with each other}}
  %y = plan.spmm "a" "batch batch', batch' in -> batch in" (%x) nonzeros 3 {layer = "h", phase = "forward"} : (!x) -> !x
  %l = plan.reduce "sum"(%y) {layer = "h", phase = "forward"} : (!x) -> !s
  return %l, %y : !s, !x
}
}

// -----

!x = !plan.tensor<batch: 4, in: 4, f32>
!s = !plan.tensor<f32>

// Of a ratio and another sum, gradients cannot be accumulated together.
module attributes {plan.microbatches = 2 : i64} {
func.func @loss(%x: !x {plan.input = "x"}, %w: !x {plan.input = "w"}) -> (!s, !x)
    attributes {plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.0}} {
  %a = plan.reduce "sum"(%x) {layer = "loss", phase = "loss"} : (!x) -> !s
  %b = plan.reduce "sum"(%w) {layer = "loss", phase = "loss"} : (!x) -> !s
  // expected-error@+1 {{micro-batches need a loss that is a sum over samples, or one ratio of two; layer 'loss' divides by a sum over the batch, by which not all other terms are divided}}
  %r = plan.pointwise "div"(%a, %b) {layer = "loss", phase = "loss"} : (!s, !s) -> !s
  %l = plan.pointwise "add"(%r, %a) {layer = "loss", phase = "loss"} : (!s, !s) -> !s
  return %l, %x : !s, !x
}
}
