// Two dense layers under cross-entropy: what is computed, in which layer and phase, and that nothing else is.
// RUN: plan-opt --decompose-composites --derive-training-step --simplify %s | FileCheck %s

!image = !plan.tensor<batch: 5, pixel: 4, f32>
!label = !plan.tensor<batch: 5, i32>
!w1 = !plan.tensor<pixel: 4, hidden: 6, f32>
!b1 = !plan.tensor<hidden: 6, f32>
!h1 = !plan.tensor<batch: 5, hidden: 6, f32>
!w2 = !plan.tensor<"hidden'": 6, hidden: 3, f32>
!h2 = !plan.tensor<batch: 5, hidden: 3, f32>

// CHECK:      plan.variable @h1.w :
// CHECK-NEXT: plan.variable @h1.w.momentum : !plan.tensor<pixel: 4, hidden: 6, f32> = <constant, 0.000000e+00, 0.000000e+00> {layer = "h1"}
// CHECK-NEXT: plan.variable @h1.b :
// CHECK-NEXT: plan.variable @h1.b.momentum :
// CHECK-NEXT: plan.variable @h2.w :
// CHECK-NEXT: plan.variable @h2.w.momentum :
plan.variable @h1.w : !w1 = <uniform, -0.1, 0.1> {trained, layer = "h1"}
plan.variable @h1.b : !b1 = <constant, 0.0, 0.0> {trained, layer = "h1"}
plan.variable @h2.w : !w2 = <uniform, -0.1, 0.1> {trained, layer = "h2"}

// CHECK-NOT: @loss
func.func @loss(%image: !image {plan.input = "image"}, %label: !label {plan.input = "label"}) -> (!plan.tensor<f32>, !h2)
    attributes {plan.purpose = "loss", plan.label = 1, plan.class = "hidden",
                plan.optimizer = {kind = "sgd", rate = 0.1, momentum = 0.9, weight_decay = 0.0}} {
  %w1 = plan.read @h1.w {layer = "h1", phase = "forward"} : !w1
  %0 = plan.einsum "batch pixel, pixel hidden -> batch hidden"(%image, %w1) {layer = "h1", phase = "forward"} : (!image, !w1) -> !h1
  %b1 = plan.read @h1.b {layer = "h1", phase = "forward"} : !b1
  %1 = plan.pointwise "add"(%0, %b1) {layer = "h1", phase = "forward"} : (!h1, !b1) -> !h1
  %h1 = plan.pointwise "relu"(%1) {layer = "h1", phase = "forward"} : (!h1) -> !h1
  %w2 = plan.read @h2.w {layer = "h2", phase = "forward"} : !w2
  %h2 = plan.einsum "batch hidden', hidden' hidden -> batch hidden"(%h1, %w2) {layer = "h2", phase = "forward"} : (!h1, !w2) -> !h2
  %loss = plan.cross_entropy %h2, %label over "hidden" {layer = "loss", phase = "loss"} : (!h2, !label) -> !plan.tensor<f32>
  return %loss, %h2 : !plan.tensor<f32>, !h2
}

// CHECK-LABEL: func.func @train
// CHECK-SAME:    %[[IMAGE:.*]]: !plan.tensor<batch: 5, pixel: 4, f32> {plan.input = "image"}, %[[LABEL:.*]]: !plan.tensor<batch: 5, i32> {plan.input = "label"}) -> !plan.tensor<f32> attributes {plan.purpose = "training"}
// CHECK:      %[[W1:.*]] = plan.read @h1.w
// CHECK:      %[[B1:.*]] = plan.read @h1.b
// CHECK:      %[[H1:.*]] = plan.pointwise "relu"
// CHECK:      %[[W2:.*]] = plan.read @h2.w
// CHECK:      %[[EXP:.*]] = plan.pointwise "exp"
// CHECK:      %[[SUM:.*]] = plan.reduce "sum"(%[[EXP]])
// CHECK:      %[[IS:.*]] = plan.pointwise "equal"
// CHECK:      %[[LOSS:.*]] = plan.pointwise "mul"(%{{.*}}, %{{.*}}) {layer = "loss", phase = "loss"} : (!plan.tensor<f32>, !plan.tensor<f32>)

// (exp / sum − one-hot) / B, three loops over the logits
// CHECK-NEXT: %[[SHARE:.*]] = plan.constant 2.000000e-01 {layer = "loss", phase = "input gradient"}
// CHECK-NEXT: %[[MINUS:.*]] = plan.constant -2.000000e-01
// CHECK-NEXT: %[[SCALE:.*]] = plan.pointwise "div"(%[[SHARE]], %[[SUM]]) {{.*}} -> !plan.tensor<batch: 5, f32>
// CHECK-NEXT: %[[A:.*]] = plan.pointwise "mul"(%[[IS]], %[[MINUS]])
// CHECK-NEXT: %[[B:.*]] = plan.pointwise "mul"(%[[EXP]], %[[SCALE]])
// CHECK-NEXT: %[[G2:.*]] = plan.pointwise "add"(%[[A]], %[[B]]) {layer = "loss", phase = "input gradient"}

// Loops keep their names.
// CHECK-NEXT: %[[GH:.*]] = plan.einsum "batch hidden, hidden' hidden -> batch hidden'"(%[[G2]], %[[W2]]) {layer = "h2", phase = "input gradient"} : ({{.*}}) -> !plan.tensor<batch: 5, hidden: 6, f32>
// CHECK-NEXT: %[[GW2:.*]] = plan.einsum "batch hidden, batch hidden' -> hidden' hidden"(%[[G2]], %[[H1]]) {layer = "h2", phase = "weight gradient"} : ({{.*}}) -> !plan.tensor<"hidden'": 6, hidden: 3, f32>
// CHECK-NEXT: %[[ZERO:.*]] = plan.constant 0.000000e+00
// CHECK-NEXT: %[[ON:.*]] = plan.pointwise "greater"(%[[H1]], %[[ZERO]]) {layer = "h1", phase = "input gradient"}
// CHECK-NEXT: %[[G1:.*]] = plan.pointwise "select"(%[[ON]], %[[GH]], %[[ZERO]]) {layer = "h1", phase = "input gradient"}
// CHECK-NEXT: %[[GB1:.*]] = plan.reduce "sum"(%[[G1]]) {layer = "h1", phase = "weight gradient"}
// The image needs no gradient.
// CHECK-NEXT: %[[GW1:.*]] = plan.einsum "batch hidden, batch pixel -> pixel hidden"(%[[G1]], %[[IMAGE]]) {layer = "h1", phase = "weight gradient"}

// The update is arithmetic too; what belongs to a parameter bears its name.
// CHECK:      %[[RATE:.*]] = plan.constant 1.000000e-01 {layer = "h1", phase = "update"} : <f32>
// CHECK-NEXT: %[[V1:.*]] = plan.read @h1.w.momentum {layer = "h1", phase = "update"}
// CHECK:      %[[OLD:.*]] = plan.pointwise "mul"(%[[V1]], %{{.*}}) {layer = "h1", parameter = "h1.w", phase = "update"}
// CHECK-NEXT: %[[NV1:.*]] = plan.pointwise "add"(%[[OLD]], %[[GW1]]) {layer = "h1", parameter = "h1.w", phase = "update"}
// CHECK-NEXT: plan.write %[[NV1]], @h1.w.momentum
// CHECK-NEXT: %[[CHANGE:.*]] = plan.pointwise "mul"(%[[NV1]], %[[RATE]]) {layer = "h1", parameter = "h1.w", phase = "update"}
// CHECK-NEXT: %[[NW1:.*]] = plan.pointwise "sub"(%[[W1]], %[[CHANGE]]) {layer = "h1", parameter = "h1.w", phase = "update"}
// CHECK-NEXT: plan.write %[[NW1]], @h1.w {layer = "h1", phase = "update"}
// CHECK:      plan.read @h1.b.momentum
// CHECK:      plan.pointwise "add"(%{{.*}}, %[[GB1]]) {layer = "h1", parameter = "h1.b", phase = "update"}
// CHECK:      plan.pointwise "add"(%{{.*}}, %[[GW2]]) {layer = "h2", parameter = "h2.w", phase = "update"}
// CHECK:      return %[[LOSS]]

// CHECK-LABEL: func.func @evaluate
// CHECK-SAME:    {plan.input = "label"}, %[[VALID:.*]]: !plan.tensor<batch: 5, f32> {plan.input = "valid", plan.valid}) -> (!plan.tensor<f32>, !plan.tensor<f32>) attributes {plan.purpose = "evaluation", plan.results = ["loss", "correct"]}
// CHECK:      %[[LOGITS:.*]] = plan.einsum "batch hidden', hidden' hidden -> batch hidden"
// CHECK-NEXT: %[[TOP:.*]] = plan.reduce "max"(%[[LOGITS]])
// CHECK:      %[[SAMPLES:.*]] = plan.pointwise "sub"({{.*}}) {layer = "loss", phase = "loss"} : (!plan.tensor<batch: 5, f32>, !plan.tensor<batch: 5, f32>)
// CHECK-NEXT: %[[COUNTED:.*]] = plan.pointwise "mul"(%[[SAMPLES]], %[[VALID]])
// CHECK-NEXT: %[[SUM_LOSS:.*]] = plan.reduce "sum"(%[[COUNTED]])
// CHECK-NEXT: %[[ATTAINED:.*]] = plan.pointwise "equal"(%[[LOGITS]], %[[TOP]])
// CHECK-NEXT: %[[NONE:.*]] = plan.constant 3.000000e+00
// CHECK-NEXT: %[[CANDIDATES:.*]] = plan.pointwise "select"(%[[ATTAINED]], %{{.*}}, %[[NONE]])
// CHECK-NEXT: %[[FIRST:.*]] = plan.reduce "min"(%[[CANDIDATES]])
// CHECK-NEXT: %[[RIGHT:.*]] = plan.pointwise "equal"(%[[FIRST]], %{{.*}})
// CHECK-NEXT: plan.pointwise "mul"(%[[RIGHT]], %[[VALID]])
// CHECK-NEXT: %[[CORRECT:.*]] = plan.reduce "sum"
// CHECK-NEXT: return %[[SUM_LOSS]], %[[CORRECT]]

// CHECK-LABEL: func.func @predict
// CHECK-SAME:    %{{.*}}: !plan.tensor<batch: 5, pixel: 4, f32> {plan.input = "image"}) -> !plan.tensor<batch: 5, hidden: 3, f32> attributes {plan.purpose = "prediction"}
// CHECK-NOT:  plan.reduce
// CHECK:      return
