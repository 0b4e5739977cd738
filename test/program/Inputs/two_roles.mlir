// A step of two roles, written by hand: pipeline stages on the mesh [stages: 2, rows: 2], four micro-batches, of which
// two are in flight. h = x * a on the first stage, its batch over rows; p = h * b on the second, n over rows; the loss
// is the sum of 0.125 p^2. What travels between them changes its layout on the way.
!x = !plan.tensor<batch: 4, n: 6, f64, #plan.layout<batch = [rows]>>
!h = !plan.tensor<batch: 4, n: 6, f64, #plan.layout<n = [rows]>>
!a = !plan.tensor<n: 6, f64, #plan.layout<>>
!ga = !plan.tensor<n: 6, f64, #plan.layout<partial sum = [rows]>>
!b = !plan.tensor<n: 6, f64, #plan.layout<n = [rows]>>
!ls = !plan.tensor<f64, #plan.layout<partial sum = [rows]>>
!l = !plan.tensor<f64, #plan.layout<>>

module attributes {
  plan.mesh = #plan.mesh<stages: 2, rows: 2>, plan.arena_bytes = 1736 : i64,
  plan.program = {
    roles = [
      {name = "first", ranks = array<i64: 0, 1, 0, 2>, slots = 2 : i64, slot_offset = 192 : i64, slot_bytes = 640 : i64},
      {name = "second", ranks = array<i64: 1, 2, 0, 2>, slots = 2 : i64, slot_offset = 192 : i64, slot_bytes = 640 : i64}],
    values = [
      {name = "x", role = 0 : i64, offset = 192 : i64},
      {name = "h", role = 0 : i64, offset = 320 : i64},
      {name = "gradient of h", role = 0 : i64, offset = 448 : i64},
      {name = "h", role = 1 : i64, offset = 192 : i64},
      {name = "gradient of h", role = 1 : i64, offset = 320 : i64},
      {name = "loss", role = 1 : i64, offset = 1728 : i64}],
    bodies = [
      {function = @first_forward, role = 0 : i64, takes = array<i64: 0>, gives = array<i64: 1>, loads = array<i64: 0>},
      {function = @first_backward, role = 0 : i64, takes = array<i64: 2, 0>, gives = array<i64>, loads = array<i64>},
      {function = @first_update, role = 0 : i64, takes = array<i64>, gives = array<i64>, loads = array<i64>},
      {function = @second_both, role = 1 : i64, takes = array<i64: 3>, gives = array<i64: 4>, loads = array<i64>},
      {function = @second_update, role = 1 : i64, takes = array<i64>, gives = array<i64: 5>, loads = array<i64>}],
    transfers = [
      {name = "h", from = 1 : i64, to = 3 : i64, scratch_offset = 576 : i64},
      {name = "gradient of h", from = 4 : i64, to = 2 : i64, scratch_offset = 704 : i64}],
    micro_batches = array<i64: 0, 4, 4, 4, 8, 4, 12, 4>,
    actions = [
      ["0:0 run first_forward", "0:0 send h", "1:1 run first_forward", "1:1 send h", "0:0 receive gradient of h",
       "0:0 run first_backward", "0:0 wait h",
       "2:0 run first_forward", "2:0 send h", "1:1 start gradient of h", "1:1 progress", "1:1 receive gradient of h",
       "1:1 run first_backward", "1:1 wait h",
       "3:1 run first_forward", "3:1 send h", "2:0 receive gradient of h", "2:0 run first_backward",
       "3:1 receive gradient of h", "3:1 run first_backward", "2:0 wait h", "3:1 wait h", "3:1 run first_update"],
      ["0:0 receive h", "1:1 start h", "0:0 run second_both", "0:0 send gradient of h", "1:1 receive h",
       "1:1 run second_both", "1:1 send gradient of h", "0:0 wait gradient of h", "2:0 receive h",
       "2:0 run second_both", "2:0 send gradient of h", "1:1 wait gradient of h", "3:1 receive h",
       "3:1 run second_both", "3:1 send gradient of h", "2:0 wait gradient of h", "3:1 wait gradient of h",
       "3:1 run second_update"]],
    loss = 5 : i64}} {
  plan.variable @a.w : !a = #plan.init<constant, 0.5, 0.0> {trained, layer = "a", offset = 0 : i64}
  plan.variable @"sum of gradient of a.w" : !ga = #plan.init<constant, 0.0, 0.0> {accumulator, layer = "a", offset = 64 : i64}
  plan.variable @b.w : !b = #plan.init<constant, 0.75, 0.0> {trained, layer = "b", offset = 0 : i64, rank_role = 1 : i64}
  plan.variable @"sum of gradient of b.w" : !b = #plan.init<constant, 0.0, 0.0> {accumulator, layer = "b", offset = 64 : i64, rank_role = 1 : i64}
  plan.variable @"sum of loss" : !ls = #plan.init<constant, 0.0, 0.0> {accumulator, layer = "loss", offset = 128 : i64, rank_role = 1 : i64}

  func.func private @first_forward(%x: !x {plan.input = "x", plan.offset = 192 : i64}) -> !x {
    %a = plan.read @a.w {layer = "a", offset = 0 : i64, phase = "forward"} : !a
    %h = plan.loops outer 2 {
      %0 = plan.pointwise "mul"(%x, %a) {layer = "a", phase = "forward"} : (!x, !a) -> !x
      plan.yield %0 : !x
    } {layer = "a", phase = "forward", offsets = array<i64: 320>} : !x
    return %h : !x
  }
  func.func private @first_backward(%dh: !x {plan.offset = 448 : i64}, %x: !x {plan.input = "x", plan.offset = 192 : i64}) {
    %old = plan.read @"sum of gradient of a.w" {layer = "a", offset = 64 : i64, phase = "weight gradient"} : !ga
    %g = plan.loops outer 2 {
      %0 = plan.pointwise "mul"(%dh, %x) {layer = "a", phase = "weight gradient"} : (!x, !x) -> !x
      %1 = plan.reduce "sum"(%0) {layer = "a", phase = "weight gradient"} : (!x) -> !ga
      plan.yield %1 : !ga
    } {layer = "a", phase = "weight gradient", offsets = array<i64: 1472>} : !ga
    %sum = plan.loops outer 1 {
      %0 = plan.pointwise "add"(%old, %g) {layer = "a", phase = "weight gradient"} : (!ga, !ga) -> !ga
      plan.yield %0 : !ga
    } {layer = "a", phase = "weight gradient", offsets = array<i64: 64>} : !ga
    plan.write %sum, @"sum of gradient of a.w" {layer = "a", phase = "weight gradient"} : !ga
    return
  }
  func.func private @first_update() {
    %a = plan.read @a.w {layer = "a", offset = 0 : i64, phase = "update"} : !a
    %sum = plan.read @"sum of gradient of a.w" {layer = "a", offset = 64 : i64, phase = "weight gradient"} : !ga
    %s = plan.start 0 "all_reduce"(%sum) over ["rows"] {layer = "a", offsets = array<i64: 1472>, phase = "weight gradient", tensors = ["gradient of a.w"]} : (!ga) -> !a
    %g = plan.wait 0(%s) {layer = "a", phase = "weight gradient"} : (!a) -> !a
    %new = plan.loops outer 1 {
      %rate = plan.constant 0.1 {layer = "optimizer", phase = "update"} : !l
      %0 = plan.pointwise "mul"(%g, %rate) {layer = "a", parameter = "a.w", phase = "update"} : (!a, !l) -> !a
      %1 = plan.pointwise "sub"(%a, %0) {layer = "a", parameter = "a.w", phase = "update"} : (!a, !a) -> !a
      plan.yield %1 : !a
    } {layer = "a", phase = "update", offsets = array<i64: 0>} : !a
    plan.write %new, @a.w {layer = "a", phase = "update"} : !a
    return
  }
  func.func private @second_both(%h: !h {plan.offset = 192 : i64}) -> !h {
    %b = plan.read @b.w {layer = "b", offset = 0 : i64, phase = "forward"} : !b
    %old = plan.read @"sum of loss" {layer = "loss", offset = 128 : i64, phase = "loss"} : !ls
    %old_g = plan.read @"sum of gradient of b.w" {layer = "b", offset = 64 : i64, phase = "weight gradient"} : !b
    %p, %part = plan.loops outer 2 {
      %0 = plan.pointwise "mul"(%h, %b) {layer = "b", phase = "forward"} : (!h, !b) -> !h
      %1 = plan.pointwise "square"(%0) {layer = "loss", phase = "loss"} : (!h) -> !h
      %2 = plan.reduce "sum"(%1) {layer = "loss", phase = "loss"} : (!h) -> !ls
      plan.yield %0, %2 : !h, !ls
    } {layer = "b", phase = "forward", offsets = array<i64: 1472, 1664>} : !h, !ls
    %sum = plan.loops outer 0 {
      %c = plan.constant 0.125 {layer = "loss", phase = "loss"} : !l
      %0 = plan.pointwise "mul"(%part, %c) {layer = "loss", phase = "loss"} : (!ls, !l) -> !ls
      %1 = plan.pointwise "add"(%old, %0) {layer = "loss", phase = "loss"} : (!ls, !ls) -> !ls
      plan.yield %1 : !ls
    } {layer = "loss", phase = "loss", offsets = array<i64: 128>} : !ls
    plan.write %sum, @"sum of loss" {layer = "loss", phase = "loss"} : !ls
    %dh, %g = plan.loops outer 2 {
      %c = plan.constant 0.25 {layer = "loss", phase = "input gradient"} : !l
      %0 = plan.pointwise "mul"(%p, %c) {layer = "loss", phase = "input gradient"} : (!h, !l) -> !h
      %1 = plan.pointwise "mul"(%0, %b) {layer = "b", phase = "input gradient"} : (!h, !b) -> !h
      %2 = plan.pointwise "mul"(%0, %h) {layer = "b", phase = "weight gradient"} : (!h, !h) -> !h
      %3 = plan.reduce "sum"(%2) {layer = "b", phase = "weight gradient"} : (!h) -> !b
      plan.yield %1, %3 : !h, !b
    } {layer = "b", phase = "input gradient", offsets = array<i64: 320, 1600>} : !h, !b
    %sum_g = plan.loops outer 1 {
      %0 = plan.pointwise "add"(%old_g, %g) {layer = "b", phase = "weight gradient"} : (!b, !b) -> !b
      plan.yield %0 : !b
    } {layer = "b", phase = "weight gradient", offsets = array<i64: 64>} : !b
    plan.write %sum_g, @"sum of gradient of b.w" {layer = "b", phase = "weight gradient"} : !b
    return %dh : !h
  }
  func.func private @second_update() -> !l {
    %b = plan.read @b.w {layer = "b", offset = 0 : i64, phase = "update"} : !b
    %g = plan.read @"sum of gradient of b.w" {layer = "b", offset = 64 : i64, phase = "weight gradient"} : !b
    %part = plan.read @"sum of loss" {layer = "loss", offset = 128 : i64, phase = "loss"} : !ls
    %s = plan.start 1 "all_reduce"(%part) over ["rows"] {layer = "loss", offsets = array<i64: 1728>, phase = "loss", tensors = ["loss"]} : (!ls) -> !l
    %new = plan.loops outer 1 {
      %rate = plan.constant 0.1 {layer = "optimizer", phase = "update"} : !l
      %0 = plan.pointwise "mul"(%g, %rate) {layer = "b", parameter = "b.w", phase = "update"} : (!b, !l) -> !b
      %1 = plan.pointwise "sub"(%b, %0) {layer = "b", parameter = "b.w", phase = "update"} : (!b, !b) -> !b
      plan.yield %1 : !b
    } {layer = "b", phase = "update", offsets = array<i64: 0>} : !b
    plan.write %new, @b.w {layer = "b", phase = "update"} : !b
    %loss = plan.wait 1(%s) {layer = "loss", phase = "loss"} : (!l) -> !l
    return %loss : !l
  }
}
