// Every type, attribute and operation is printed as it is read.
// RUN: plan-opt %s | plan-opt | FileCheck %s

// CHECK: module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 3>, plan.strategies = {h1 = #plan.strategy<batch -> rows, "hidden'" -> cols>}}
module attributes {plan.mesh = #plan.mesh<rows: 2, cols: 3>,
                   plan.strategies = {h1 = #plan.strategy<batch -> rows, "hidden'" -> cols>}} {
  // CHECK: plan.variable @h1.w : !plan.tensor<"hidden'": 4, hidden: 5, f32> = <uniform, -5.000000e-01, 5.000000e-01> {layer = "h1", trained}
  plan.variable @h1.w : !plan.tensor<"hidden'": 4, hidden: 5, f32> = <uniform, -0.5, 0.5> {trained, layer = "h1"}
  // CHECK: plan.variable @h1.w.momentum : {{.*}} = <constant, 0.000000e+00, 0.000000e+00> {layer = "h1"}
  plan.variable @h1.w.momentum : !plan.tensor<"hidden'": 4, hidden: 5, f32> = <constant, 0.0, 0.0> {layer = "h1"}
  // CHECK: plan.variable @h1.mean : {{.*}} {layer = "h1", statistic}
  plan.variable @h1.mean : !plan.tensor<hidden: 5, f32> = <constant, 0.0, 0.0> {statistic, layer = "h1"}
  // CHECK: plan.variable @scale : !plan.tensor<f64> = <normal, 0.000000e+00, 1.000000e+00>
  plan.variable @scale : !plan.tensor<f64> = <normal, 0.0, 1.0>

  // CHECK-LABEL: func.func @nests(
  // CHECK-SAME: %[[X:.*]]: !plan.tensor<batch: 7, hidden: 4, f32> {plan.input = "x"}, %[[LABEL:.*]]: !plan.tensor<batch: 7, i32>)
  func.func @nests(%x: !plan.tensor<batch: 7, hidden: 4, f32> {plan.input = "x"}, %label: !plan.tensor<batch: 7, i32>)
      -> !plan.tensor<f32> {
    // CHECK: plan.read @h1.w {layer = "h1", phase = "forward"} : <"hidden'": 4, hidden: 5, f32>
    %w = plan.read @h1.w {layer = "h1", phase = "forward"} : !plan.tensor<"hidden'": 4, hidden: 5, f32>
    // CHECK: plan.einsum "batch hidden', hidden' hidden -> batch hidden"(%[[X]], %{{.*}}) {strategy = #plan.strategy<batch -> rows>}
    %y = plan.einsum "batch hidden', hidden' hidden -> batch hidden"(%x, %w) {strategy = #plan.strategy<batch -> rows>} : (!plan.tensor<batch: 7, hidden: 4, f32>, !plan.tensor<"hidden'": 4, hidden: 5, f32>) -> !plan.tensor<batch: 7, hidden: 5, f32>
    // CHECK: plan.constant 2.500000e-01 : <f32>
    %c = plan.constant 0.25 : !plan.tensor<f32>
    // CHECK: plan.pointwise "mul"(%{{.*}}, %{{.*}}) : (!plan.tensor<batch: 7, hidden: 5, f32>, !plan.tensor<f32>) -> !plan.tensor<batch: 7, hidden: 5, f32>
    %z = plan.pointwise "mul"(%y, %c) : (!plan.tensor<batch: 7, hidden: 5, f32>, !plan.tensor<f32>) -> !plan.tensor<batch: 7, hidden: 5, f32>
    // CHECK: plan.iota : <hidden: 5, f32>
    %i = plan.iota : !plan.tensor<hidden: 5, f32>
    // CHECK: plan.softmax %{{.*}} over "hidden" : (
    %s = plan.softmax %z over "hidden" : (!plan.tensor<batch: 7, hidden: 5, f32>) -> !plan.tensor<batch: 7, hidden: 5, f32>
    // CHECK: plan.softmax %{{.*}} over "hidden" log : (
    %l = plan.softmax %s over "hidden" log : (!plan.tensor<batch: 7, hidden: 5, f32>) -> !plan.tensor<batch: 7, hidden: 5, f32>
    // CHECK: plan.cross_entropy %{{.*}}, %[[LABEL]] over "hidden" : (
    %e = plan.cross_entropy %l, %label over "hidden" : (!plan.tensor<batch: 7, hidden: 5, f32>, !plan.tensor<batch: 7, i32>) -> !plan.tensor<f32>
    // CHECK: plan.mean_square_error %{{.*}}, %{{.*}} : (
    %m = plan.mean_square_error %l, %y : (!plan.tensor<batch: 7, hidden: 5, f32>, !plan.tensor<batch: 7, hidden: 5, f32>) -> !plan.tensor<f32>
    // CHECK: plan.mean %{{.*}} : (!plan.tensor<batch: 7, hidden: 5, f32>) -> !plan.tensor<hidden: 5, f32>
    %n = plan.mean %y : (!plan.tensor<batch: 7, hidden: 5, f32>) -> !plan.tensor<hidden: 5, f32>
    // CHECK: plan.reduce "max"(%{{.*}}) : (!plan.tensor<hidden: 5, f32>) -> !plan.tensor<f32>
    %r = plan.reduce "max"(%n) : (!plan.tensor<hidden: 5, f32>) -> !plan.tensor<f32>
    return %r : !plan.tensor<f32>
  }

  // CHECK-LABEL: func.func @sources
  func.func @sources() -> !plan.tensor<f64> {
    // CHECK: plan.random key "attention.dropout" samples "batch" : <batch: 7, hidden: 4, f32>
    %0 = plan.random key "attention.dropout" samples "batch" : !plan.tensor<batch: 7, hidden: 4, f32>
    // CHECK: plan.random key "noise" {layer = "h1"} : <hidden: 4, f32>
    %1 = plan.random key "noise" {layer = "h1"} : !plan.tensor<hidden: 4, f32>
    // CHECK: plan.step : <f64>
    %2 = plan.step : !plan.tensor<f64>
    return %2 : !plan.tensor<f64>
  }

  // CHECK-LABEL: func.func @moves
  func.func @moves(%tokens: !plan.tensor<batch: 7, position: 3, i32>, %table: !plan.tensor<vocabulary: 9, model: 4, f32>) {
    // CHECK: plan.embedding %{{.*}}, %{{.*}} over "vocabulary" {layer = "h1"} : (!plan.tensor<batch: 7, position: 3, i32>, !plan.tensor<vocabulary: 9, model: 4, f32>) -> !plan.tensor<batch: 7, position: 3, model: 4, f32>
    %x = plan.embedding %tokens, %table over "vocabulary" {layer = "h1"} : (!plan.tensor<batch: 7, position: 3, i32>, !plan.tensor<vocabulary: 9, model: 4, f32>) -> !plan.tensor<batch: 7, position: 3, model: 4, f32>
    // CHECK: plan.embedding_gradient %{{.*}}, %{{.*}} over "vocabulary" : (
    %g = plan.embedding_gradient %tokens, %x over "vocabulary" : (!plan.tensor<batch: 7, position: 3, i32>, !plan.tensor<batch: 7, position: 3, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    // CHECK: plan.spmm "a" "vocabulary vocabulary', vocabulary' model -> vocabulary model"(%{{.*}}) nonzeros 12 {layer = "h1"} : (!plan.tensor<vocabulary: 9, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    %m = plan.spmm "a" "vocabulary vocabulary', vocabulary' model -> vocabulary model" (%g) nonzeros 12 {layer = "h1"} : (!plan.tensor<vocabulary: 9, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    // CHECK: plan.spmm "b" "word vocabulary, word model -> vocabulary model"(%{{.*}}) nonzeros 3 mean : (
    %n = plan.spmm "b" "word vocabulary, vocabulary model -> word model" (%m) nonzeros 3 mean : (!plan.tensor<vocabulary: 9, model: 4, f32>) -> !plan.tensor<word: 5, model: 4, f32>
    %o = plan.spmm "b" "word vocabulary, word model -> vocabulary model" (%n) nonzeros 3 mean : (!plan.tensor<word: 5, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    // CHECK: plan.slice %{{.*}} over "position" from 1 : (
    %s = plan.slice %x over "position" from 1 : (!plan.tensor<batch: 7, position: 3, model: 4, f32>) -> !plan.tensor<batch: 7, position: 2, model: 4, f32>
    // CHECK: plan.pad %{{.*}} over "position" before 1 : (
    %p = plan.pad %s over "position" before 1 : (!plan.tensor<batch: 7, position: 2, model: 4, f32>) -> !plan.tensor<batch: 7, position: 4, model: 4, f32>
    // CHECK: plan.concat %{{.*}}, %{{.*}} over "position" : (
    %c = plan.concat %s, %p over "position" : (!plan.tensor<batch: 7, position: 2, model: 4, f32>, !plan.tensor<batch: 7, position: 4, model: 4, f32>) -> !plan.tensor<batch: 7, position: 6, model: 4, f32>
    // CHECK: plan.reshape %{{.*}} : (!plan.tensor<batch: 7, position: 6, model: 4, f32>) -> !plan.tensor<batch: 7, position: 6, head: 2, feature: 2, f32>
    %r = plan.reshape %c : (!plan.tensor<batch: 7, position: 6, model: 4, f32>) -> !plan.tensor<batch: 7, position: 6, head: 2, feature: 2, f32>
    // CHECK: plan.dropout %{{.*}} rate 1.000000e-01 key "h1.dropout" : (
    %d = plan.dropout %r rate 0.1 key "h1.dropout" : (!plan.tensor<batch: 7, position: 6, head: 2, feature: 2, f32>) -> !plan.tensor<batch: 7, position: 6, head: 2, feature: 2, f32>
    // CHECK: plan.accumulate %{{.*}} to "gradient of h1.w" : (
    %a = plan.accumulate %g to "gradient of h1.w" : (!plan.tensor<vocabulary: 9, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    return
  }

  // CHECK-LABEL: func.func @convolutions
  func.func @convolutions(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>, %w: !plan.tensor<kernel: 3, in: 3, out: 4, f32>) {
    // CHECK: plan.conv "forward" "batch height in, kernel in out -> batch height out"(%{{.*}}, %{{.*}}) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
    %y = plan.conv "forward" "batch height in, kernel in out -> batch height out"(%x, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 4, out: 4, f32>
    // CHECK: plan.conv "input_gradient" "batch height out, kernel in out -> batch height in"(
    %dx = plan.conv "input_gradient" "batch height out, kernel in out -> batch height in"(%y, %w) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, out: 4, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
    // CHECK: plan.conv "input_gradient" "{{[^"]*}}"(%{{.*}}, %{{.*}}, %{{.*}}) windows ["height"] {{.*}} : (!plan.tensor<batch: 2, height: 4, out: 4, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>, !plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
    %sum = plan.conv "input_gradient" "batch height out, kernel in out -> batch height in"(%y, %w, %dx) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, out: 4, f32>, !plan.tensor<kernel: 3, in: 3, out: 4, f32>, !plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
    // CHECK: plan.conv "weight_gradient" "batch height in, batch height out -> kernel in out"(
    %dw = plan.conv "weight_gradient" "batch height in, batch height out -> kernel in out"(%x, %y) windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>, !plan.tensor<batch: 2, height: 4, out: 4, f32>) -> !plan.tensor<kernel: 3, in: 3, out: 4, f32>
    return
  }

  // CHECK-LABEL: func.func @entries
  func.func @entries(%s: !plan.tensor<vocabulary: 9, model: 4, f32>, %t: !plan.tensor<"vocabulary'": 9, model: 4, f32>) {
    // CHECK: plan.edges "a" nonzeros 12 {layer = "h1"} : <vocabulary: 9, "vocabulary'": 9, f32>
    %a = plan.edges "a" nonzeros 12 {layer = "h1"} : !plan.tensor<vocabulary: 9, "vocabulary'": 9, f32>
    // CHECK: plan.edges "b" nonzeros 3 ones number 1 : <word: 5, vocabulary: 9, f32>
    %b = plan.edges "b" nonzeros 3 ones number 1 : !plan.tensor<word: 5, vocabulary: 9, f32>
    // CHECK: plan.edge_reduce "a" "max" "vocabulary vocabulary', vocabulary model, vocabulary' model -> vocabulary model"(%{{.*}}, %{{.*}}) loops ["vocabulary", "vocabulary'", "model"] extents [9, 9, 4] steps ["operand 0", "operand 1", "call add 0 1", "matrix", "number 0.5", "product 2 3 4"] initial -1.000000e+00 nonzeros 12 {layer = "h1"} : (!plan.tensor<vocabulary: 9, model: 4, f32>, !plan.tensor<"vocabulary'": 9, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    %m = plan.edge_reduce "a" "max" "vocabulary vocabulary', vocabulary model, vocabulary' model -> vocabulary model" (%s, %t) loops ["vocabulary", "vocabulary'", "model"] extents [9, 9, 4] steps ["operand 0", "operand 1", "call add 0 1", "matrix", "number 0.5", "product 2 3 4"] initial -1.0 nonzeros 12 {layer = "h1"} : (!plan.tensor<vocabulary: 9, model: 4, f32>, !plan.tensor<"vocabulary'": 9, model: 4, f32>) -> !plan.tensor<vocabulary: 9, model: 4, f32>
    // CHECK: plan.edge_reduce "a" "sum" "vocabulary vocabulary', vocabulary model, vocabulary' model -> vocabulary'"(%{{.*}}, %{{.*}}) loops ["vocabulary", "vocabulary'", "model"] extents [9, 9, 4] steps ["operand 0", "operand 1", "product 0 1", "sum 2 over model"] initial 0.000000e+00 nonzeros 12 number 2 : (
    %z = plan.edge_reduce "a" "sum" "vocabulary vocabulary', vocabulary model, vocabulary' model -> vocabulary'" (%s, %t) loops ["vocabulary", "vocabulary'", "model"] extents [9, 9, 4] steps ["operand 0", "operand 1", "product 0 1", "sum 2 over model"] initial 0.0 nonzeros 12 number 2 : (!plan.tensor<vocabulary: 9, model: 4, f32>, !plan.tensor<"vocabulary'": 9, model: 4, f32>) -> !plan.tensor<"vocabulary'": 9, f32>
    return
  }

  // CHECK-LABEL: func.func @pools
  func.func @pools(%x: !plan.tensor<batch: 2, height: 8, in: 3, f32>) {
    // CHECK: plan.pool "max"(%{{.*}}) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
    %y = plan.pool "max"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
    // CHECK: plan.pool "argmax"(
    %i = plan.pool "argmax"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, i32>
    // CHECK: plan.pool "max_gradient"(%{{.*}}, %{{.*}}) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, in: 3, f32>, !plan.tensor<batch: 2, height: 4, in: 3, i32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
    %dx = plan.pool "max_gradient"(%y, %i) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, in: 3, f32>, !plan.tensor<batch: 2, height: 4, in: 3, i32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
    // CHECK: plan.pool "sum"(
    %s = plan.pool "sum"(%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 8, in: 3, f32>) -> !plan.tensor<batch: 2, height: 4, in: 3, f32>
    // CHECK: plan.pool "sum_gradient"(
    %ds = plan.pool "sum_gradient"(%s) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (!plan.tensor<batch: 2, height: 4, in: 3, f32>) -> !plan.tensor<batch: 2, height: 8, in: 3, f32>
    return
  }

  // CHECK-LABEL: func.func @attention
  func.func @attention(%q: !plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, %k: !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, %v: !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>, %seen: !plan.tensor<batch: 2, key: 6, i32>) {
    // CHECK: plan.attention ["output"](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) over "key" dot "feature" causal "position" window 2 {masked} : (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>, !plan.tensor<batch: 2, key: 6, i32>) -> !plan.tensor<batch: 2, position: 3, head: 4, value: 7, f32>
    %y = plan.attention ["output"](%q, %k, %v, %seen) over "key" dot "feature" causal "position" window 2 {masked} : (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>, !plan.tensor<batch: 2, key: 6, i32>) -> !plan.tensor<batch: 2, position: 3, head: 4, value: 7, f32>
    // CHECK: plan.attention ["total"](%{{.*}}, %{{.*}}, %{{.*}}) over "key" dot "feature" : (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>) -> !plan.tensor<batch: 2, position: 3, head: 4, f32>
    %t = plan.attention ["total"](%q, %k, %v) over "key" dot "feature" : (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>) -> !plan.tensor<batch: 2, position: 3, head: 4, f32>
    // CHECK: plan.attention ["query_gradient", "value_gradient"](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) over "key" dot "feature" causal "position" window 2 {masked} : (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>, !plan.tensor<batch: 2, position: 3, head: 4, f32>, !plan.tensor<batch: 2, position: 3, head: 4, value: 7, f32>, !plan.tensor<batch: 2, position: 3, head: 4, f32>, !plan.tensor<batch: 2, key: 6, i32>) -> (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>)
    %dq, %dv = plan.attention ["query_gradient", "value_gradient"](%q, %k, %v, %t, %y, %t, %seen) over "key" dot "feature" causal "position" window 2 {masked} : (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>, !plan.tensor<batch: 2, position: 3, head: 4, f32>, !plan.tensor<batch: 2, position: 3, head: 4, value: 7, f32>, !plan.tensor<batch: 2, position: 3, head: 4, f32>, !plan.tensor<batch: 2, key: 6, i32>) -> (!plan.tensor<batch: 2, position: 3, head: 4, feature: 5, f32>, !plan.tensor<batch: 2, key: 6, head: 4, value: 7, f32>)
    return
  }

  // CHECK-LABEL: func.func @batch_norms
  func.func @batch_norms(%x: !plan.tensor<batch: 8, hidden: 5, f32>, %c: !plan.tensor<hidden: 5, f32>) {
    %mean = plan.read @h1.mean : !plan.tensor<hidden: 5, f32>
    // CHECK: plan.batch_norm %{{.*}}, %{{.*}}, %{{.*}} running %{{.*}}, %{{.*}} epsilon 1.000000e-05 momentum 1.000000e-01 : (
    %y = plan.batch_norm %x, %c, %c running %mean, %mean epsilon 1.0e-5 momentum 1.0e-1 : (!plan.tensor<batch: 8, hidden: 5, f32>, !plan.tensor<hidden: 5, f32>, !plan.tensor<hidden: 5, f32>, !plan.tensor<hidden: 5, f32>, !plan.tensor<hidden: 5, f32>) -> !plan.tensor<batch: 8, hidden: 5, f32>
    return
  }

  // CHECK-LABEL: func.func @updates
  func.func @updates(%g: !plan.tensor<"hidden'": 4, hidden: 5, f32>) {
    %w = plan.read @h1.w : !plan.tensor<"hidden'": 4, hidden: 5, f32>
    // CHECK: plan.pointwise "sub"(%{{.*}}, %{{.*}}) {layer = "h1", parameter = "h1.w", phase = "update"} : (
    %new = plan.pointwise "sub"(%w, %g) {layer = "h1", parameter = "h1.w", phase = "update"} : (!plan.tensor<"hidden'": 4, hidden: 5, f32>, !plan.tensor<"hidden'": 4, hidden: 5, f32>) -> !plan.tensor<"hidden'": 4, hidden: 5, f32>
    // CHECK: plan.write %{{.*}}, @h1.w : <"hidden'": 4, hidden: 5, f32>
    plan.write %new, @h1.w : !plan.tensor<"hidden'": 4, hidden: 5, f32>
    return
  }

  // CHECK-LABEL: func.func @layouts
  func.func @layouts(%x: !plan.tensor<batch: 7, hidden: 4, f32, #plan.layout<batch = [rows], partial sum = [cols]>>) {
    // CHECK: plan.collective "reduce_scatter" %{{.*}} over ["cols"] {layer = "h1", phase = "forward"} : <batch: 7, hidden: 4, f32, #plan.layout<batch = [rows], partial sum = [cols]>> -> <batch: 7, hidden: 4, f32, #plan.layout<batch = [rows, cols]>>
    %0 = plan.collective "reduce_scatter" %x over ["cols"] {layer = "h1", phase = "forward"} : !plan.tensor<batch: 7, hidden: 4, f32, #plan.layout<batch = [rows], partial sum = [cols]>> -> !plan.tensor<batch: 7, hidden: 4, f32, #plan.layout<batch = [rows, cols]>>
    // CHECK: plan.collective "all_gather" %{{.*}} over ["rows", "cols"] : <{{.*}}> -> <batch: 7, hidden: 4, f32, #plan.layout<>>
    %1 = plan.collective "all_gather" %0 over ["rows", "cols"] : !plan.tensor<batch: 7, hidden: 4, f32, #plan.layout<batch = [rows, cols]>> -> !plan.tensor<batch: 7, hidden: 4, f32, #plan.layout<>>
    return
  }

  // CHECK-LABEL: func.func private @halos
  // CHECK-SAME: !plan.tensor<height: 32, f32, #plan.layout<height = [rows, cols] in 16 windows of 3 stride 2 dilation 1 padding 1>>
  // CHECK-SAME: !plan.tensor<batch: 8, height: 16, f32, #plan.layout<batch = [cols], height = [rows] in 32 transposed windows of 3 stride 2 dilation 1 padding 1>>
  // CHECK-SAME: !plan.tensor<height: 32, width: 9, f32, #plan.layout<height = [rows] within 16 windows of 3 stride 2 dilation 1 padding 1, width = [cols] behind 9 windows of 2 stride 1 dilation 1 padding 0>>
  // CHECK-SAME: !plan.tensor<height: 32, f32, #plan.layout<height = [rows] before 16 windows of 3 stride 2 dilation 1 padding 1>>
  func.func private @halos(!plan.tensor<height: 32, f32, #plan.layout<height = [rows, cols] in 16 windows of 3 stride 2 dilation 1 padding 1>>,
                           !plan.tensor<batch: 8, height: 16, f32, #plan.layout<batch = [cols], height = [rows] in 32 transposed windows of 3 stride 2 dilation 1 padding 1>>,
                           !plan.tensor<height: 32, width: 9, f32, #plan.layout<height = [rows] within 16 windows of 3 stride 2 dilation 1 padding 1, width = [cols] behind 9 windows of 2 stride 1 dilation 1 padding 0>>,
                           !plan.tensor<height: 32, f32, #plan.layout<height = [rows] before 16 windows of 3 stride 2 dilation 1 padding 1>>)

  // CHECK-LABEL: func.func private @listed
  // CHECK-SAME: !plan.tensor<vertex: 32, f32, #plan.layout<vertex = [rows, cols] in 16 rows of matrix 1 cut by 1>>
  // CHECK-SAME: !plan.tensor<vertex: 16, f32, #plan.layout<vertex = [cols, rows] in 32 rows of matrix -1 cut by 1 addends>>
  func.func private @listed(!plan.tensor<vertex: 32, f32, #plan.layout<vertex = [rows, cols] in 16 rows of matrix 1 cut by 1>>,
                            !plan.tensor<vertex: 16, f32, #plan.layout<vertex = [cols, rows] in 32 rows of matrix -1 cut by 1 addends>>)

  // A dimension may be called partial.
  // CHECK-LABEL: func.func private @partial
  // CHECK-SAME: !plan.tensor<partial: 4, f32, #plan.layout<partial = [rows], partial max = [cols]>>
  func.func private @partial(!plan.tensor<partial: 4, f32, #plan.layout<partial = [rows], partial max = [cols]>>)
  // CHECK-LABEL: @stored
  // CHECK-SAME: !plan.tensor<stored: 4, f32, #plan.layout<stored = [rows], stored by [cols]>>
  // CHECK-SAME: !plan.tensor<a: 4, f32, #plan.layout<partial sum = [rows], stored by [cols]>>
  func.func private @stored(!plan.tensor<stored: 4, f32, #plan.layout<stored = [rows], stored by [cols]>>,
                            !plan.tensor<a: 4, f32, #plan.layout<partial sum = [rows], stored by [cols]>>)
}
