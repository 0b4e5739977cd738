// What the verifiers of operations refuse, and the values that they name.
// RUN: plan-opt %s -split-input-file -verify-diagnostics

func.func @einsum(%x: !plan.tensor<a: 2, b: 3, f32>, %y: !plan.tensor<b: 4, f32>) {
  // expected-error@+1 {{loop 'b' runs over 3 and over 4}}
  %0 = plan.einsum "a b, b -> a"(%x, %y) : (!plan.tensor<a: 2, b: 3, f32>, !plan.tensor<b: 4, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @einsum(%x: !plan.tensor<a: 2, b: 3, f32>) {
  // expected-error@+1 {{subscripts name 1 loops for '!plan.tensor<a: 2, b: 3, f32>'}}
  %0 = plan.einsum "a -> a"(%x) : (!plan.tensor<a: 2, b: 3, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @einsum(%x: !plan.tensor<a: 2, b: 2, f32>) {
  // expected-error@+1 {{loop 'a' appears twice for '!plan.tensor<a: 2, b: 2, f32>'}}
  %0 = plan.einsum "a a -> a"(%x) : (!plan.tensor<a: 2, b: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @einsum(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{loop 'b' of the result is in no operand}}
  %0 = plan.einsum "a -> a b"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, b: 3, f32>
  return
}

// -----

func.func @einsum(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{subscripts 'a, a -> a' are for 2 operands, got 1}}
  %0 = plan.einsum "a, a -> a"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @einsum(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{subscripts 'a' have no '->'}}
  %0 = plan.einsum "a"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @pointwise(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{there is no pointwise function 'rleu'}}
  %0 = plan.pointwise "rleu"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @pointwise(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{'add' takes 2 operands, got 1}}
  %0 = plan.pointwise "add"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @pointwise(%x: !plan.tensor<a: 2, f32>, %y: !plan.tensor<b: 3, f32>) {
  // expected-error@+1 {{dimension "b" of '!plan.tensor<b: 3, f32>' is missing in '!plan.tensor<a: 2, f32>'}}
  %0 = plan.pointwise "add"(%x, %y) : (!plan.tensor<a: 2, f32>, !plan.tensor<b: 3, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @pointwise(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{dimension "a" has extent 2 in '!plan.tensor<a: 2, f32>' but 3 in '!plan.tensor<a: 3, f32>'}}
  %0 = plan.pointwise "relu"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 3, f32>
  return
}

// -----

func.func @reduce(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{'product' is none of sum, max, min}}
  %0 = plan.reduce "product"(%x) : (!plan.tensor<a: 2, f32>) -> !plan.tensor<f32>
  return
}

// -----

func.func @softmax(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{'!plan.tensor<a: 2, f32>' has no dimension 'b'}}
  %0 = plan.softmax %x over "b" : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @cross_entropy(%x: !plan.tensor<a: 2, c: 3, f32>, %l: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{labels are i32, not 'f32'}}
  %0 = plan.cross_entropy %x, %l over "c" : (!plan.tensor<a: 2, c: 3, f32>, !plan.tensor<a: 2, f32>) -> !plan.tensor<f32>
  return
}

// -----

func.func @cross_entropy(%x: !plan.tensor<a: 2, c: 3, f32>, %l: !plan.tensor<a: 2, i32>) {
  // expected-error@+1 {{'a' is a dimension of the logits only}}
  %0 = plan.cross_entropy %x, %l over "a" : (!plan.tensor<a: 2, c: 3, f32>, !plan.tensor<a: 2, i32>) -> !plan.tensor<f32>
  return
}

// -----

func.func @cross_entropy(%x: !plan.tensor<a: 2, c: 3, f32>, %l: !plan.tensor<i32>) {
  // expected-error@+1 {{labels '!plan.tensor<i32>' do not fit logits '!plan.tensor<a: 2, c: 3, f32>'}}
  %0 = plan.cross_entropy %x, %l over "c" : (!plan.tensor<a: 2, c: 3, f32>, !plan.tensor<i32>) -> !plan.tensor<f32>
  return
}

// -----

func.func @constant() {
  // expected-error@+1 {{the result is a scalar, not '!plan.tensor<a: 2, f32>'}}
  %0 = plan.constant 1.0 : !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @iota() {
  // expected-error@+1 {{the result has one dimension, not '!plan.tensor<a: 2, b: 2, f32>'}}
  %0 = plan.iota : !plan.tensor<a: 2, b: 2, f32>
  return
}

// -----

func.func @read() {
  // expected-error@+1 {{there is no variable @w}}
  %0 = plan.read @w : !plan.tensor<a: 2, f32>
  return
}

// -----

plan.variable @w : !plan.tensor<a: 3, f32> = <constant, 0.0, 0.0>
func.func @read() {
  // expected-error@+1 {{variable @w is '!plan.tensor<a: 3, f32>', not '!plan.tensor<a: 2, f32>'}}
  %0 = plan.read @w : !plan.tensor<a: 2, f32>
  return
}

// -----

// expected-error@+1 {{a variable is a !plan.tensor, not 'f32'}}
plan.variable @w : f32 = <constant, 0.0, 0.0>

// -----

func.func @collective(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{there is no collective 'shuffle'}}
  %0 = plan.collective "shuffle" %x over ["p"] : !plan.tensor<a: 2, f32> -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @start(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{there is no collective 'shuffle'}}
  %0 = plan.start 0 "shuffle" (%x) over ["p"] {tensors = ["x"]} : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @collective(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{operand and result have layouts}}
  %0 = plan.collective "slice" %x over ["p"] : !plan.tensor<a: 2, f32> -> !plan.tensor<a: 2, f32, #plan.layout<a = [p]>>
  return
}

// -----

func.func @random() {
  // expected-error@+1 {{'!plan.tensor<a: 2, f32>' has no dimension 'batch'}}
  %0 = plan.random key "k" samples "batch" : !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @step() {
  // expected-error@+1 {{the result is a scalar, not '!plan.tensor<a: 2, f64>'}}
  %0 = plan.step : !plan.tensor<a: 2, f64>
  return
}

// -----

func.func @accumulate(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{the result is '!plan.tensor<a: 3, f32>', but the operand is '!plan.tensor<a: 2, f32>'}}
  %0 = plan.accumulate %x to "x" : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 3, f32>
  return
}

// -----

func.func @embedding(%i: !plan.tensor<b: 2, f32>, %t: !plan.tensor<v: 3, m: 4, f32>) {
  // expected-error@+1 {{indices are i32, not 'f32'}}
  %0 = plan.embedding %i, %t over "v" : (!plan.tensor<b: 2, f32>, !plan.tensor<v: 3, m: 4, f32>) -> !plan.tensor<b: 2, m: 4, f32>
  return
}

// -----

func.func @embedding(%i: !plan.tensor<b: 2, i32>, %t: !plan.tensor<v: 3, m: 4, f32>) {
  // expected-error@+1 {{'!plan.tensor<v: 3, m: 4, f32>' has no dimension 'w'}}
  %0 = plan.embedding %i, %t over "w" : (!plan.tensor<b: 2, i32>, !plan.tensor<v: 3, m: 4, f32>) -> !plan.tensor<b: 2, m: 4, f32>
  return
}

// -----

func.func @embedding_gradient(%i: !plan.tensor<b: 2, i32>, %g: !plan.tensor<m: 4, f32>) {
  // expected-error@+1 {{rows of '!plan.tensor<v: 3, m: 4, f32>' at '!plan.tensor<b: 2, i32>' are not '!plan.tensor<m: 4, f32>'}}
  %0 = plan.embedding_gradient %i, %g over "v" : (!plan.tensor<b: 2, i32>, !plan.tensor<m: 4, f32>) -> !plan.tensor<v: 3, m: 4, f32>
  return
}

// -----

func.func @spmm(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{subscripts 'u, u f -> v f' are not those of a matrix and a tensor}}
  %0 = plan.spmm "a" "u, u f -> v f" (%x) nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @spmm(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{subscripts 'v u, u f -> f v' do not replace a loop of the tensor by the other one of the matrix}}
  %0 = plan.spmm "a" "v u, u f -> f v" (%x) nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<f: 5, v: 3, f32>
  return
}

// -----

func.func @spmm(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{loop 'f' runs over 5 and over 4}}
  %0 = plan.spmm "a" "v u, u f -> v f" (%x) nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 4, f32>
  return
}

// -----

func.func @spmm(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{subscripts name 2 loops for '!plan.tensor<v: 3, f32>'}}
  %0 = plan.spmm "a" "v u, u f -> v f" (%x) nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f32>
  return
}

// -----

func.func @slice(%x: !plan.tensor<a: 2, b: 5, f32>) {
  // expected-error@+1 {{[3, 6) is not a part of 'b' of '!plan.tensor<a: 2, b: 5, f32>'}}
  %0 = plan.slice %x over "b" from 3 : (!plan.tensor<a: 2, b: 5, f32>) -> !plan.tensor<a: 2, b: 3, f32>
  return
}

// -----

func.func @slice(%x: !plan.tensor<a: 2, b: 5, f32>) {
  // expected-error@+1 {{'!plan.tensor<a: 1, b: 2, f32>' and '!plan.tensor<a: 2, b: 5, f32>' differ not only in 'b'}}
  %0 = plan.slice %x over "b" from 3 : (!plan.tensor<a: 2, b: 5, f32>) -> !plan.tensor<a: 1, b: 2, f32>
  return
}

// -----

func.func @pad(%x: !plan.tensor<b: 5, f32>) {
  // expected-error@+1 {{[1, 6) is not a part of 'b' of '!plan.tensor<b: 5, f32>'}}
  %0 = plan.pad %x over "b" before 1 : (!plan.tensor<b: 5, f32>) -> !plan.tensor<b: 5, f32>
  return
}

// -----

func.func @concat(%x: !plan.tensor<b: 5, f32>) {
  // expected-error@+1 {{operands have 10 of 'b' together, the result is '!plan.tensor<b: 9, f32>'}}
  %0 = plan.concat %x, %x over "b" : (!plan.tensor<b: 5, f32>, !plan.tensor<b: 5, f32>) -> !plan.tensor<b: 9, f32>
  return
}

// -----

func.func @reshape(%x: !plan.tensor<a: 2, b: 5, f32>) {
  // expected-error@+1 {{'!plan.tensor<a: 2, b: 5, f32>' has 10 elements, '!plan.tensor<c: 9, f32>' has 9}}
  %0 = plan.reshape %x : (!plan.tensor<a: 2, b: 5, f32>) -> !plan.tensor<c: 9, f32>
  return
}

// -----

func.func @dropout(%x: !plan.tensor<a: 2, f32>) {
  // expected-error@+1 {{the rate is in [0, 1), not 1}}
  %0 = plan.dropout %x rate 1.0 key "k" : (!plan.tensor<a: 2, f32>) -> !plan.tensor<a: 2, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has a type without rows and columns: '!plan.tensor<v: 3, f32>'}}
  %0 = plan.edges "a" nonzeros 1 : !plan.tensor<v: 3, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{subscripts 'v, u f -> v f' are not those of a matrix and 1 tensors}}
  %0 = plan.edge_reduce "a" "sum" "v, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has 3 loops and 2 extents}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{subscripts name 1 loops for '!plan.tensor<u: 2, f: 5, f32>'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{loop 'u' does not run over 2}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 4, 5] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no loop 'v'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> w f" (%x) loops ["w", "u", "f"] extents [3, 2, 5] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<w: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no step 'operand 1'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 1"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no step 'call add 0 1'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0", "call add 0 1"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no step 'call add 0'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0", "call add 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no step 'sum 0 over w'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0", "sum 0 over w"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no step 'guess'}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["guess"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{has no steps}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps [] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{reduces by 'min', which is neither sum nor max}}
  %0 = plan.edge_reduce "a" "min" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 5, f32>
  return
}

// -----

func.func @edges(%x: !plan.tensor<u: 2, f: 5, f32>) {
  // expected-error@+1 {{loop 'f' does not run over 4}}
  %0 = plan.edge_reduce "a" "sum" "v u, u f -> v f" (%x) loops ["v", "u", "f"] extents [3, 2, 5] steps ["operand 0"] initial 0.0 nonzeros 1 : (!plan.tensor<u: 2, f: 5, f32>) -> !plan.tensor<v: 3, f: 4, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{kinds are output and total, or query_gradient, key_gradient and value_gradient}}
  %0:2 = plan.attention ["output", "key_gradient"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> (!plan.tensor<p: 3, e: 2, f32>, !plan.tensor<k: 5, f: 4, f32>)
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{has 2 kinds, but 1 results}}
  %0 = plan.attention ["output", "total"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{takes 6 operands, not 3}}
  %0 = plan.attention ["query_gradient"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, f: 4, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<j: 5, e: 2, f32>) {
  // expected-error@+1 {{'!plan.tensor<j: 5, e: 2, f32>' has no dimension 'k'}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<j: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, g: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{'!plan.tensor<p: 3, g: 4, f32>' has no dimension 'f'}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, g: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<p: 3, k: 5, e: 2, f32>) {
  // expected-error@+1 {{'p' is of the queries and of the values, but not of the keys}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<p: 3, k: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{'k' is not a dimension of the queries alone}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" causal "k" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{a window counts keys before a position: 2}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" window 2 : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f64>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{'!plan.tensor<k: 5, f: 4, f64>' has not the element type of the queries}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f64>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>) {
  // expected-error@+1 {{'!plan.tensor<p: 3, f32>' does not have the dimensions p, e}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>) -> !plan.tensor<p: 3, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 6, e: 2, f32>) {
  // expected-error@+1 {{'k' is 5 and 6}}
  %0 = plan.attention ["output"](%q, %k, %v) over "k" dot "f" : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 6, e: 2, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>, %m: !plan.tensor<k: 5, f32>) {
  // expected-error@+1 {{masks are i32, not 'f32'}}
  %0 = plan.attention ["output"](%q, %k, %v, %m) over "k" dot "f" {masked} : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>, !plan.tensor<k: 5, f32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}

// -----

func.func @attention(%q: !plan.tensor<p: 3, f: 4, f32>, %k: !plan.tensor<k: 5, f: 4, f32>, %v: !plan.tensor<k: 5, e: 2, f32>, %m: !plan.tensor<k: 5, f: 4, i32>) {
  // expected-error@+1 {{the scores have no dimension 'f' of the mask}}
  %0 = plan.attention ["output"](%q, %k, %v, %m) over "k" dot "f" {masked} : (!plan.tensor<p: 3, f: 4, f32>, !plan.tensor<k: 5, f: 4, f32>, !plan.tensor<k: 5, e: 2, f32>, !plan.tensor<k: 5, f: 4, i32>) -> !plan.tensor<p: 3, e: 2, f32>
  return
}
