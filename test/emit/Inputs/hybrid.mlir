// A perceptron 6 - 8 - 4 with ReLU and cross-entropy on a batch of 10, rows x cols = 2 x 2: batch over rows, hidden over cols.
// What compiler/spmd makes of such a network, written by hand.

!image = !plan.tensor<batch: 10, pixel: 6, f32, #plan.layout<batch = [rows]>>
!label = !plan.tensor<batch: 10, i32, #plan.layout<batch = [rows]>>
!w1 = !plan.tensor<pixel: 6, hidden: 8, f32, #plan.layout<hidden = [cols]>>
!w1_partial = !plan.tensor<pixel: 6, hidden: 8, f32, #plan.layout<hidden = [cols], partial sum = [rows]>>
!b1 = !plan.tensor<hidden: 8, f32, #plan.layout<hidden = [cols]>>
!b1_partial = !plan.tensor<hidden: 8, f32, #plan.layout<hidden = [cols], partial sum = [rows]>>
!h = !plan.tensor<batch: 10, hidden: 8, f32, #plan.layout<batch = [rows], hidden = [cols]>>
!w2 = !plan.tensor<hidden: 8, digit: 4, f32, #plan.layout<hidden = [cols]>>
!w2_partial = !plan.tensor<hidden: 8, digit: 4, f32, #plan.layout<hidden = [cols], partial sum = [rows]>>
!b2 = !plan.tensor<digit: 4, f32, #plan.layout<>>
!b2_partial = !plan.tensor<digit: 4, f32, #plan.layout<partial sum = [rows]>>
!logits = !plan.tensor<batch: 10, digit: 4, f32, #plan.layout<batch = [rows]>>
!logits_partial = !plan.tensor<batch: 10, digit: 4, f32, #plan.layout<batch = [rows], partial sum = [cols]>>
!sample = !plan.tensor<batch: 10, f32, #plan.layout<batch = [rows]>>
!class = !plan.tensor<digit: 4, i32, #plan.layout<>>
!scalar = !plan.tensor<f32, #plan.layout<>>
!scalar_partial = !plan.tensor<f32, #plan.layout<partial sum = [rows]>>

module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 2>} {
  plan.variable @"h.w" : !w1 = #plan.init<uniform, -0.5, 0.5> {trained, layer = "h"}
  plan.variable @"h.b" : !b1 = #plan.init<constant, 0.0, 0.0> {trained, layer = "h"}
  plan.variable @"logits.w" : !w2 = #plan.init<uniform, -0.5, 0.5> {trained, layer = "logits"}
  plan.variable @"logits.b" : !b2 = #plan.init<constant, 0.0, 0.0> {trained, layer = "logits"}
  plan.variable @"h.w.momentum" : !w1 = #plan.init<constant, 0.0, 0.0> {layer = "h"}
  plan.variable @"h.b.momentum" : !b1 = #plan.init<constant, 0.0, 0.0> {layer = "h"}
  plan.variable @"logits.w.momentum" : !w2 = #plan.init<constant, 0.0, 0.0> {layer = "logits"}
  plan.variable @"logits.b.momentum" : !b2 = #plan.init<constant, 0.0, 0.0> {layer = "logits"}

  func.func @train(%image: !image {plan.input = "image"}, %label: !label {plan.input = "label"}) -> !scalar {
    %w1 = plan.read @"h.w" {layer = "h", phase = "forward"} : !w1 loc("mlp.plan":8:5)
    %x1 = plan.einsum "batch pixel, pixel hidden -> batch hidden" (%image, %w1) {layer = "h", phase = "forward"} : (!image, !w1) -> !h loc("mlp.plan":8:5)
    %b1 = plan.read @"h.b" {layer = "h", phase = "forward"} : !b1 loc("mlp.plan":8:5)
    %x2 = plan.pointwise "add" (%x1, %b1) {layer = "h", phase = "forward"} : (!h, !b1) -> !h loc("mlp.plan":8:5)
    %h = plan.pointwise "relu" (%x2) {layer = "h", phase = "forward"} : (!h) -> !h loc("mlp.plan":8:5)
    %w2 = plan.read @"logits.w" {layer = "logits", phase = "forward"} : !w2 loc("mlp.plan":9:5)
    %x3 = plan.einsum "batch hidden, hidden digit -> batch digit" (%h, %w2) {layer = "logits", phase = "forward"} : (!h, !w2) -> !logits_partial loc("mlp.plan":9:5)
    %x4 = plan.collective "all_reduce" %x3 over ["cols"] {layer = "logits", phase = "forward", tensor = "logits"} : !logits_partial -> !logits loc("mlp.plan":9:5)
    %b2 = plan.read @"logits.b" {layer = "logits", phase = "forward"} : !b2 loc("mlp.plan":9:5)
    %logits = plan.pointwise "add" (%x4, %b2) {layer = "logits", phase = "forward"} : (!logits, !b2) -> !logits loc("mlp.plan":9:5)

    %max = plan.reduce "max" (%logits) {layer = "loss", phase = "loss"} : (!logits) -> !sample loc("mlp.plan":20:5)
    %shifted = plan.pointwise "sub" (%logits, %max) {layer = "loss", phase = "loss"} : (!logits, !sample) -> !logits loc("mlp.plan":20:5)
    %exp = plan.pointwise "exp" (%shifted) {layer = "loss", phase = "loss"} : (!logits) -> !logits loc("mlp.plan":20:5)
    %sum = plan.reduce "sum" (%exp) {layer = "loss", phase = "loss"} : (!logits) -> !sample loc("mlp.plan":20:5)
    %classes = plan.iota {layer = "loss", phase = "loss"} : !class loc("mlp.plan":20:5)
    %onehot = plan.pointwise "equal" (%label, %classes) {layer = "loss", phase = "loss"} : (!label, !class) -> !logits loc("mlp.plan":20:5)
    %chosen = plan.pointwise "mul" (%onehot, %shifted) {layer = "loss", phase = "loss"} : (!logits, !logits) -> !logits loc("mlp.plan":20:5)
    %picked = plan.reduce "sum" (%chosen) {layer = "loss", phase = "loss"} : (!logits) -> !sample loc("mlp.plan":20:5)
    %log = plan.pointwise "log" (%sum) {layer = "loss", phase = "loss"} : (!sample) -> !sample loc("mlp.plan":20:5)
    %each = plan.pointwise "sub" (%log, %picked) {layer = "loss", phase = "loss"} : (!sample, !sample) -> !sample loc("mlp.plan":20:5)
    %total = plan.reduce "sum" (%each) {layer = "loss", phase = "loss"} : (!sample) -> !scalar_partial loc("mlp.plan":20:5)
    %share = plan.constant 0.1 {layer = "loss", phase = "loss"} : !scalar loc("mlp.plan":20:5)
    %mean = plan.pointwise "mul" (%total, %share) {layer = "loss", phase = "loss"} : (!scalar_partial, !scalar) -> !scalar_partial loc("mlp.plan":20:5)
    %loss = plan.collective "all_reduce" %mean over ["rows"] {layer = "loss", phase = "loss", tensor = "loss"} : !scalar_partial -> !scalar loc("mlp.plan":20:5)

    %p = plan.pointwise "div" (%exp, %sum) {layer = "loss", phase = "input gradient"} : (!logits, !sample) -> !logits loc("mlp.plan":20:5)
    %d1 = plan.pointwise "sub" (%p, %onehot) {layer = "loss", phase = "input gradient"} : (!logits, !logits) -> !logits loc("mlp.plan":20:5)
    %dlogits = plan.pointwise "mul" (%d1, %share) {layer = "loss", phase = "input gradient"} : (!logits, !scalar) -> !logits loc("mlp.plan":20:5)
    %db2 = plan.reduce "sum" (%dlogits) {layer = "logits", phase = "weight gradient"} : (!logits) -> !b2_partial loc("mlp.plan":9:5)
    %dw2 = plan.einsum "batch hidden, batch digit -> hidden digit" (%h, %dlogits) {layer = "logits", phase = "weight gradient"} : (!h, !logits) -> !w2_partial loc("mlp.plan":9:5)
    %dh = plan.einsum "batch digit, hidden digit -> batch hidden" (%dlogits, %w2) {layer = "logits", phase = "input gradient"} : (!logits, !w2) -> !h loc("mlp.plan":9:5)
    %zero = plan.constant 0.0 {layer = "h", phase = "input gradient"} : !scalar loc("mlp.plan":8:5)
    %positive = plan.pointwise "greater" (%h, %zero) {layer = "h", phase = "input gradient"} : (!h, !scalar) -> !h loc("mlp.plan":8:5)
    %dx2 = plan.pointwise "select" (%positive, %dh, %zero) {layer = "h", phase = "input gradient"} : (!h, !h, !scalar) -> !h loc("mlp.plan":8:5)
    %db1 = plan.reduce "sum" (%dx2) {layer = "h", phase = "weight gradient"} : (!h) -> !b1_partial loc("mlp.plan":8:5)
    %dw1 = plan.einsum "batch pixel, batch hidden -> pixel hidden" (%image, %dx2) {layer = "h", phase = "weight gradient"} : (!image, !h) -> !w1_partial loc("mlp.plan":8:5)

    %gw2 = plan.collective "all_reduce" %dw2 over ["rows"] {layer = "logits", phase = "weight gradient", tensor = "gradient of logits.w", bucket = 0} : !w2_partial -> !w2 loc("mlp.plan":9:5)
    %gb2 = plan.collective "all_reduce" %db2 over ["rows"] {layer = "logits", phase = "weight gradient", tensor = "gradient of logits.b", bucket = 0} : !b2_partial -> !b2 loc("mlp.plan":9:5)
    %gw1 = plan.collective "all_reduce" %dw1 over ["rows"] {layer = "h", phase = "weight gradient", tensor = "gradient of h.w"} : !w1_partial -> !w1 loc("mlp.plan":8:5)
    %gb1 = plan.collective "all_reduce" %db1 over ["rows"] {layer = "h", phase = "weight gradient", tensor = "gradient of h.b"} : !b1_partial -> !b1 loc("mlp.plan":8:5)
    %vw1 = plan.read @"h.w.momentum" {layer = "h", phase = "update"} : !w1
    %vb1 = plan.read @"h.b.momentum" {layer = "h", phase = "update"} : !b1
    %vw2 = plan.read @"logits.w.momentum" {layer = "logits", phase = "update"} : !w2
    %vb2 = plan.read @"logits.b.momentum" {layer = "logits", phase = "update"} : !b2
    %muw2 = plan.constant 0.9 {layer = "logits", phase = "update"} : !scalar
    %ratew2 = plan.constant 0.1 {layer = "logits", phase = "update"} : !scalar
    %oldw2 = plan.pointwise "mul" (%vw2, %muw2) {layer = "logits", parameter = "logits.w", phase = "update"} : (!w2, !scalar) -> !w2
    %nvw2 = plan.pointwise "add" (%oldw2, %gw2) {layer = "logits", parameter = "logits.w", phase = "update"} : (!w2, !w2) -> !w2
    %stepw2 = plan.pointwise "mul" (%nvw2, %ratew2) {layer = "logits", parameter = "logits.w", phase = "update"} : (!w2, !scalar) -> !w2
    %nw2 = plan.pointwise "sub" (%w2, %stepw2) {layer = "logits", parameter = "logits.w", phase = "update"} : (!w2, !w2) -> !w2
    plan.write %nw2, @"logits.w" {phase = "update"} : !w2
    plan.write %nvw2, @"logits.w.momentum" {phase = "update"} : !w2
    %mub2 = plan.constant 0.9 {layer = "logits", phase = "update"} : !scalar
    %rateb2 = plan.constant 0.1 {layer = "logits", phase = "update"} : !scalar
    %oldb2 = plan.pointwise "mul" (%vb2, %mub2) {layer = "logits", parameter = "logits.b", phase = "update"} : (!b2, !scalar) -> !b2
    %nvb2 = plan.pointwise "add" (%oldb2, %gb2) {layer = "logits", parameter = "logits.b", phase = "update"} : (!b2, !b2) -> !b2
    %stepb2 = plan.pointwise "mul" (%nvb2, %rateb2) {layer = "logits", parameter = "logits.b", phase = "update"} : (!b2, !scalar) -> !b2
    %nb2 = plan.pointwise "sub" (%b2, %stepb2) {layer = "logits", parameter = "logits.b", phase = "update"} : (!b2, !b2) -> !b2
    plan.write %nb2, @"logits.b" {phase = "update"} : !b2
    plan.write %nvb2, @"logits.b.momentum" {phase = "update"} : !b2
    %muw1 = plan.constant 0.9 {layer = "h", phase = "update"} : !scalar
    %ratew1 = plan.constant 0.1 {layer = "h", phase = "update"} : !scalar
    %oldw1 = plan.pointwise "mul" (%vw1, %muw1) {layer = "h", parameter = "h.w", phase = "update"} : (!w1, !scalar) -> !w1
    %nvw1 = plan.pointwise "add" (%oldw1, %gw1) {layer = "h", parameter = "h.w", phase = "update"} : (!w1, !w1) -> !w1
    %stepw1 = plan.pointwise "mul" (%nvw1, %ratew1) {layer = "h", parameter = "h.w", phase = "update"} : (!w1, !scalar) -> !w1
    %nw1 = plan.pointwise "sub" (%w1, %stepw1) {layer = "h", parameter = "h.w", phase = "update"} : (!w1, !w1) -> !w1
    plan.write %nw1, @"h.w" {phase = "update"} : !w1
    plan.write %nvw1, @"h.w.momentum" {phase = "update"} : !w1
    %mub1 = plan.constant 0.9 {layer = "h", phase = "update"} : !scalar
    %rateb1 = plan.constant 0.1 {layer = "h", phase = "update"} : !scalar
    %oldb1 = plan.pointwise "mul" (%vb1, %mub1) {layer = "h", parameter = "h.b", phase = "update"} : (!b1, !scalar) -> !b1
    %nvb1 = plan.pointwise "add" (%oldb1, %gb1) {layer = "h", parameter = "h.b", phase = "update"} : (!b1, !b1) -> !b1
    %stepb1 = plan.pointwise "mul" (%nvb1, %rateb1) {layer = "h", parameter = "h.b", phase = "update"} : (!b1, !scalar) -> !b1
    %nb1 = plan.pointwise "sub" (%b1, %stepb1) {layer = "h", parameter = "h.b", phase = "update"} : (!b1, !b1) -> !b1
    plan.write %nb1, @"h.b" {phase = "update"} : !b1
    plan.write %nvb1, @"h.b.momentum" {phase = "update"} : !b1
    return %loss : !scalar
  }

  func.func @evaluate(%image: !image {plan.input = "image"}, %label: !label {plan.input = "label"}, %valid: !sample {plan.input = "valid"}) -> (!scalar, !scalar) attributes {plan.purpose = "evaluation", plan.results = ["loss", "correct"]} {
    %w1 = plan.read @"h.w" {layer = "h", phase = "forward"} : !w1
    %x1 = plan.einsum "batch pixel, pixel hidden -> batch hidden" (%image, %w1) {layer = "h", phase = "forward"} : (!image, !w1) -> !h
    %b1 = plan.read @"h.b" {layer = "h", phase = "forward"} : !b1
    %x2 = plan.pointwise "add" (%x1, %b1) {layer = "h", phase = "forward"} : (!h, !b1) -> !h
    %h = plan.pointwise "relu" (%x2) {layer = "h", phase = "forward"} : (!h) -> !h
    %w2 = plan.read @"logits.w" {layer = "logits", phase = "forward"} : !w2
    %x3 = plan.einsum "batch hidden, hidden digit -> batch digit" (%h, %w2) {layer = "logits", phase = "forward"} : (!h, !w2) -> !logits_partial
    %x4 = plan.collective "all_reduce" %x3 over ["cols"] {layer = "logits", phase = "forward", tensor = "logits"} : !logits_partial -> !logits
    %b2 = plan.read @"logits.b" {layer = "logits", phase = "forward"} : !b2
    %logits = plan.pointwise "add" (%x4, %b2) {layer = "logits", phase = "forward"} : (!logits, !b2) -> !logits
    %max = plan.reduce "max" (%logits) {layer = "loss", phase = "loss"} : (!logits) -> !sample
    %shifted = plan.pointwise "sub" (%logits, %max) {layer = "loss", phase = "loss"} : (!logits, !sample) -> !logits
    %exp = plan.pointwise "exp" (%shifted) {layer = "loss", phase = "loss"} : (!logits) -> !logits
    %sum = plan.reduce "sum" (%exp) {layer = "loss", phase = "loss"} : (!logits) -> !sample
    %classes = plan.iota {layer = "loss", phase = "loss"} : !class
    %onehot = plan.pointwise "equal" (%label, %classes) {layer = "loss", phase = "loss"} : (!label, !class) -> !logits
    %chosen = plan.pointwise "mul" (%onehot, %shifted) {layer = "loss", phase = "loss"} : (!logits, !logits) -> !logits
    %picked = plan.reduce "sum" (%chosen) {layer = "loss", phase = "loss"} : (!logits) -> !sample
    %log = plan.pointwise "log" (%sum) {layer = "loss", phase = "loss"} : (!sample) -> !sample
    %each = plan.pointwise "sub" (%log, %picked) {layer = "loss", phase = "loss"} : (!sample, !sample) -> !sample
    %counted = plan.pointwise "mul" (%each, %valid) {layer = "loss", phase = "loss"} : (!sample, !sample) -> !sample
    %total = plan.reduce "sum" (%counted) {layer = "loss", phase = "loss"} : (!sample) -> !scalar_partial
    %loss = plan.collective "all_reduce" %total over ["rows"] {layer = "loss", phase = "loss", tensor = "loss"} : !scalar_partial -> !scalar
    %zero = plan.constant 0.0 {layer = "loss", phase = "loss"} : !scalar
    %best = plan.pointwise "equal" (%logits, %max) {layer = "loss", phase = "loss"} : (!logits, !sample) -> !logits
    %hits = plan.pointwise "mul" (%best, %onehot) {layer = "loss", phase = "loss"} : (!logits, !logits) -> !logits
    %hit = plan.reduce "sum" (%hits) {layer = "loss", phase = "loss"} : (!logits) -> !sample
    %right = plan.pointwise "mul" (%hit, %valid) {layer = "loss", phase = "loss"} : (!sample, !sample) -> !sample
    %rights = plan.reduce "sum" (%right) {layer = "loss", phase = "loss"} : (!sample) -> !scalar_partial
    %correct = plan.collective "all_reduce" %rights over ["rows"] {layer = "loss", phase = "loss", tensor = "correct"} : !scalar_partial -> !scalar
    return %loss, %correct : !scalar, !scalar
  }
}
