// Operations of the plan dialect.

#ifndef PLANC_IR_PLAN_OPS
#define PLANC_IR_PLAN_OPS

include "ir/plan_dialect.td"
include "ir/nest_interface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

/// Operations that belong to a layer and a phase, and have a strategy once planned.
class Plan_LayerOp<string mnemonic, list<Trait> traits = []> : Plan_Op<mnemonic, traits> {
  dag layerAttributes = (ins OptionalAttr<StrAttr>:$layer, OptionalAttr<StrAttr>:$phase,
                             OptionalAttr<Plan_StrategyAttr>:$strategy);
}

/// Operations that are one loop nest.
def Plan_Nest : DeclareOpInterfaceMethods<Plan_NestInterface>;

// --- variables --------------------------------------------------------------------------------------------------

def Plan_VariableOp : Plan_Op<"variable", [Symbol]> {
  let summary = "a parameter, a running statistic, or a piece of optimizer state";
  let description = [{
    `plan.variable @"h1.w" : !plan.tensor<…> = #plan.init<uniform, -0.1, 0.1> {trained, layer = "h1"}`

    If the parameter's group differs from the optimizer, the variable has `weight_decay`, `rate_factor` (numbers) or
    `adapt` (true or false: scale the step by the trust ratio). A variable that is not trained but belongs to the model
    has `statistic`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, Plan_InitializerAttr:$init, UnitAttr:$trained,
                       OptionalAttr<StrAttr>:$layer);
  let assemblyFormat = "$sym_name `:` $type `=` $init attr-dict";
}

/// Verified with the module, which looks variables up in a table.
def Plan_VariableUser : DeclareOpInterfaceMethods<SymbolUserOpInterface>;

def Plan_ReadOp : Plan_LayerOp<"read", [MemoryEffects<[MemRead]>, Plan_VariableUser]> {
  let hasVerifier = 0;
  let summary = "the value of a variable at the beginning of the step";
  let arguments = !con((ins FlatSymbolRefAttr:$variable), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$variable attr-dict `:` type($result)";
}

def Plan_WriteOp : Plan_LayerOp<"write", [MemoryEffects<[MemWrite]>, Plan_VariableUser]> {
  let hasVerifier = 0;
  let summary = "the value of a variable after the step";
  let arguments = !con((ins Plan_TensorType:$value, FlatSymbolRefAttr:$variable), layerAttributes);
  let assemblyFormat = "$value `,` $variable attr-dict `:` type($value)";
}

// --- sources ----------------------------------------------------------------------------------------------------

def Plan_ConstantOp : Plan_LayerOp<"constant", [Pure, Plan_Nest]> {
  let summary = "a number, as a tensor without dimensions";
  let arguments = !con((ins F64Attr:$value), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def Plan_IotaOp : Plan_LayerOp<"iota", [Pure, Plan_Nest]> {
  let summary = "0, 1, 2, … along its one dimension";
  let arguments = layerAttributes;
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Plan_RandomOp : Plan_LayerOp<"random", [Pure, Plan_Nest]> {
  let summary = "random numbers, uniform in [0, 1)";
  let description = [{
    `plan.random key "attention.dropout" samples "batch" : !plan.tensor<batch: 8, model: 64, f32>`

    Each element is a function of the run's seed, the key, the step, the global sample and the canonical index of the
    element within the sample (`planrt/random.h`): every layout, and every repetition within a step, has the same
    numbers. `samples` names the dimension that counts samples; without it there is one sample, number 0.
  }];
  let arguments = !con((ins StrAttr:$key, OptionalAttr<StrAttr>:$samples), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "`key` $key (`samples` $samples^)? attr-dict `:` type($result)";
}

def Plan_StepOp : Plan_LayerOp<"step", [Pure, Plan_Nest]> {
  let summary = "updates of the weights done before that of this micro-batch, as a scalar: training steps, where each has one";
  let arguments = layerAttributes;
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

// --- loop nests -------------------------------------------------------------------------------------------------

def Plan_EinsumOp : Plan_LayerOp<"einsum", [Pure, Plan_Nest]> {
  let summary = "product of operands, summed over the loops that the result lacks";
  let description = [{
    The subscripts name the loop of every dimension, by operand:

    ```mlir
    %y = plan.einsum "batch hidden', hidden' hidden -> batch hidden" (%x, %w) : (…) -> …
    ```
    One operand or more; a loop appears at most once in each tensor. Loops that only the result has do not occur.
  }];
  let arguments = !con((ins StrAttr:$subscripts, Variadic<Plan_TensorType>:$inputs), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$subscripts `(` $inputs `)` attr-dict `:` functional-type($inputs, $result)";
}

def Plan_SpmmOp : Plan_LayerOp<"spmm", [Pure, Plan_Nest]> {
  let summary = "product of a sparse matrix, which is no operand, and a tensor";
  let description = [{
    The subscripts name the loops of the matrix, rows first, of the operand and of the result:

    ```mlir
    %y  = plan.spmm "a" "vertex vertex', vertex' hidden -> vertex hidden" (%x) nonzeros 13264 : (…) -> …
    %dx = plan.spmm "a" "vertex vertex', vertex hidden -> vertex' hidden" (%dy) nonzeros 13264 : (…) -> …
    ```
    One loop of the matrix is that of a dimension of the operand, which is summed over; the other one takes its place in
    the result. So the second line is the product with the transposed matrix. The matrix is a sparse argument of the
    network, by name. Its data never moves: each rank reads the block that its ranges of both loops need.

    `number`: that of the nonzeros (planrt/needed_rows.h), by which it is known which rows of the operand a rank needs;
    0: it needs all.

    `mean`: each value of the matrix is divided by the number of nonzeros in its row, of the whole matrix.

    `half_of N`: only the nonzeros whose rows of the operand would be fetched, or, with `sent`, whose partial sums would
    be sent, if N ranks each had a part of the rows and of the columns (planrt/sparse_traffic.h, Halves). `nonzeros` and
    `number` are the half's. The gradient of a half has the same loops by the same names.
  }];
  let arguments = !con((ins StrAttr:$matrix, StrAttr:$subscripts, Plan_TensorType:$operand, I64Attr:$nonzeros,
                            UnitAttr:$mean, DefaultValuedAttr<I64Attr, "0">:$number,
                            DefaultValuedAttr<I64Attr, "0">:$parts, UnitAttr:$sent), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $matrix $subscripts `(` $operand `)` `nonzeros` $nonzeros (`mean` $mean^)? (`number` $number^)? (`half_of` $parts^)? (`sent` $sent^)? attr-dict `:` functional-type($operand, $result)
  }];
  let extraClassDeclaration = [{
    /// Whether it is the product with a half of the matrix.
    bool isHalf() { return getParts() > 0; }
    /// Behind the matrix's name: " fetched", " sent", or nothing.
    ::llvm::StringRef nameOfHalf() { return !isHalf() ? "" : getSent() ? " sent" : " fetched"; }
    /// Whether its loops have the names of each other: of a gradient by a whole square matrix that somebody has read.
    bool hasExchangedNames();
    /// Which of the matrix's loops is summed over.
    ::planc::ir::MatrixLoops matrixLoops();
  }];
}

def Plan_EdgesOp : Plan_LayerOp<"edges", [Pure, Plan_Nest]> {
  let summary = "a sparse matrix as a tensor, 0 where it has no entry";
  let description = [{
    `%a = plan.edges "a" nonzeros 13264 : !plan.tensor<vertex: 2708, vertex': 2708, f32>`

    Never stored: fuse-edges replaces all sums over it by plan.edge_reduce. `ones`: 1 for each entry. `number`: as of
    plan.spmm.
  }];
  let arguments = !con((ins StrAttr:$matrix, I64Attr:$nonzeros, UnitAttr:$ones, DefaultValuedAttr<I64Attr, "0">:$number),
                       layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $matrix `nonzeros` $nonzeros (`ones` $ones^)? (`number` $number^)? attr-dict `:` type($result)
  }];
}

def Plan_EdgeReduceOp : Plan_LayerOp<"edge_reduce", [Pure, Plan_Nest]> {
  let summary = "a sum or a maximum over the entries of a sparse matrix, of a function of dense operands";
  let description = [{
    The subscripts name the loops of the matrix, rows first, of the operands and of the result; `loops` are all of them,
    and those of sums within the function, with `extents`. The function is a list of steps (ir/edge_steps.h), of which
    each uses earlier ones; the last one is reduced. Scores s + t of attention, exponentiated and summed for each target:

    ```mlir
    %z = plan.edge_reduce "a" "sum" "vertex vertex', vertex head, vertex' head -> vertex head" (%s, %t)
           loops ["vertex", "vertex'", "head"] extents [9, 9, 8] steps ["operand 0", "operand 1", "call add 0 1",
           "call exp 2"] initial 0.0 nonzeros 30 : (…) -> …
    ```
    Only entries of the matrix are visited; nothing is kept for them. Loops of inner sums, and of the matrix where no
    tensor has them, stay whole. The result is `initial` where nothing is reduced.
  }];
  let arguments = !con((ins StrAttr:$matrix, StrAttr:$reduction, StrAttr:$subscripts, Variadic<Plan_TensorType>:$inputs,
                            StrArrayAttr:$loops, DenseI64ArrayAttr:$extents, StrArrayAttr:$steps, F64Attr:$initial,
                            I64Attr:$nonzeros, DefaultValuedAttr<I64Attr, "0">:$number), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $matrix $reduction $subscripts `(` $inputs `)` `loops` $loops `extents` $extents `steps` $steps `initial` $initial
    `nonzeros` $nonzeros (`number` $number^)? attr-dict `:` functional-type($inputs, $result)
  }];
  let extraClassDeclaration = [{
    /// Whether it runs over the columns, and over the entries of each: the result has columns but no rows.
    bool isTransposed();
  }];
}

def Plan_ConvOp : Plan_LayerOp<"conv", [Pure, Plan_Nest]> {
  let summary = "a convolution, or a gradient of one: a contraction that indexes dimensions by two loops";
  let description = [{
    The subscripts name loops as those of an einsum do. The spatial dimension that the operand `first` has under the
    loop windows[i] is indexed by that loop and by kernels[i]:

    ```mlir
    %y  = plan.conv "forward" "batch height in, kernel in out -> batch height out" (%x, %w)
            windows ["height"] kernels ["kernel"] strides [2] dilations [1] paddings [1, 0] : (…) -> …
    %dx = plan.conv "input_gradient" "batch height out, kernel in out -> batch height in" (%dy, %w) …
    %dw = plan.conv "weight_gradient" "batch height in, batch height out -> kernel in out" (%x, %dy) …
    ```
    `forward`: y[p] = sum of x[p * stride - padding + k * dilation] w[k], with any other loops as in an einsum; beyond
    its ends, x is 0. The gradients have the same strides, dilations and paddings. In `weight_gradient`, the loop height
    is that of dy and summed over; in `input_gradient`, it is that of the result, dx. Paddings are given before and
    behind, for each window. Groups are a loop that both operands and the result have.

    After `overlap-halos`, a convolution may consist of parts: one for the rank's own rows, in which the missing rows
    count as padding, and one for each part of the halo. Each part is added, in place, to the result of the part before,
    and uses weights in the language's order:

    ```mlir
    %0 = plan.conv "forward" "…" (%x, %w) …
    %1 = plan.conv "forward" "…" (%before, %w, %0) …
    ```
  }];
  let arguments = !con((ins StrAttr:$kind, StrAttr:$subscripts, Plan_TensorType:$first, Plan_TensorType:$second,
                            Optional<Plan_TensorType>:$accumulator,
                            StrArrayAttr:$windows, StrArrayAttr:$kernels, DenseI64ArrayAttr:$strides,
                            DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$paddings), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $kind $subscripts `(` operands `)` `windows` $windows `kernels` $kernels `strides` $strides
    `dilations` $dilations `paddings` $paddings attr-dict `:` functional-type(operands, $result)
  }];
  let extraClassDeclaration = [{
    /// Whether it is one of these parts.
    bool isPart();
  }];
}

def Plan_PoolOp : Plan_LayerOp<"pool", [Pure, Plan_Nest]> {
  let summary = "maxima or sums over windows that slide over dimensions, or a gradient of them";
  let description = [{
    Dimensions correspond by role and have the same order. In the result, the extent of a dimension in `windows` is the
    window's number of positions; the other dimensions are the same:

    ```mlir
    %y  = plan.pool "max" (%x) windows ["height"] kernels [3] strides [2] dilations [1] paddings [1, 0] : (…) -> …
    %i  = plan.pool "argmax" (%x) …
    %dx = plan.pool "max_gradient" (%dy, %i) …
    %y  = plan.pool "sum" (%x) …
    %dx = plan.pool "sum_gradient" (%dy) …
    ```
    y[p] = max or sum of x[p * stride - padding + k * dilation] over k; elements beyond the ends do not exist: they are
    never the maximum and add nothing. `argmax` is the row-major index of the maximum within the window, an `i32`; of
    equal maxima, that of the first. The gradients have the same attributes: dx[q] is the sum of dy[p] over the windows
    that touch q, for `max_gradient` over those whose maximum is at q. Paddings are given before and behind, for each
    window. If a window touches no element, its maximum is -∞ and its argmax -1; the language has no such windows.
  }];
  let arguments = !con((ins StrAttr:$kind, Variadic<Plan_TensorType>:$inputs, StrArrayAttr:$windows,
                            DenseI64ArrayAttr:$kernels, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
                            DenseI64ArrayAttr:$paddings), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $kind `(` $inputs `)` `windows` $windows `kernels` $kernels `strides` $strides `dilations` $dilations
    `paddings` $paddings attr-dict `:` functional-type($inputs, $result)
  }];
  let extraClassDeclaration = [{
    /// Whether the operands have the positions, and the result the elements.
    bool isGradient() { return getKind().ends_with("_gradient"); }
  }];
}

def Plan_PointwiseOp : Plan_LayerOp<"pointwise", [Pure, Plan_Nest]> {
  let summary = "a function of corresponding elements; operands broadcast over dimensions that they lack";
  let description = [{
    Functions are those of `ir/pointwise.h`: `relu`, `add`, `equal`, …. Dimensions correspond by role. `identity` with a
    result of another element type is the conversion; comparisons give 1 or 0 in any element type.

    Operations of the update that belong to one parameter bear its name: `{parameter = "h1.w"}`.
  }];
  let arguments = !con((ins StrAttr:$function, Variadic<Plan_TensorType>:$inputs), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$function `(` $inputs `)` attr-dict `:` functional-type($inputs, $result)";
}

def Plan_ReduceOp : Plan_LayerOp<"reduce", [Pure, Plan_Nest]> {
  let summary = "`sum`, `max` or `min` over the dimensions that the result lacks";
  let arguments = !con((ins StrAttr:$reduction, Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$reduction `(` $operand `)` attr-dict `:` functional-type($operand, $result)";
}

def Plan_AccumulateOp : Plan_LayerOp<"accumulate", [MemoryEffects<[MemWrite]>, Plan_Nest]> {
  let summary = "the sum of a value over the micro-batches of a step";
  let description = [{
    `%1 = plan.accumulate %0 to "gradient of h1.w" : !plan.tensor<…>`

    Operations that depend on it run once per step, after the last micro-batch. With `decay` (1 where it is absent), each
    value counts `decay` times as much as the next one; with `share` (also 1), the whole sum is multiplied by it. With one
    micro-batch and without these, it is the value itself.
  }];
  let arguments = !con((ins Plan_TensorType:$operand, StrAttr:$accumulator), layerAttributes,
                       (ins OptionalAttr<F64Attr>:$decay, OptionalAttr<F64Attr>:$share));
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand `to` $accumulator attr-dict `:` functional-type(operands, results)";
}

def Plan_AttentionOp : Plan_LayerOp<"attention", [Pure, Plan_Nest]> {
  let summary = "attention without a tensor of scores, or a gradient of it";
  let description = [{
    The scores are q k, summed over `feature`; the output is their softmax over `key` times v, summed over `key`:

    ```mlir
    %y     = plan.attention ["output"] (%q, %k, %v) over "key" dot "feature" : (…) -> …
    %total = plan.attention ["total"] (%q, %k, %v) …
    %dq    = plan.attention ["query_gradient"] (%q, %k, %v, %total, %dy, %delta) …
    %dk    = plan.attention ["key_gradient"] (…) …
    %dv    = plan.attention ["value_gradient"] (…) …
    ```
    `total` is the logarithm of the sum of the exponentials of a query's scores, `delta` the sum of y dy over the dimensions
    that only the values have. k has `key`, `feature` and dimensions of q; v has `key`, the same dimensions of q, and its
    own, which may have the name of `feature`; y has those of q and, for `feature`, those of v alone. `feature` is the last
    dimension of q and k in the kernel, and those of v alone are the last ones of v and y.

    With `position`, a dimension of q alone, the query with index p sees the keys up to p; with `window` w besides, only
    those above p - w. With `masked`, the last operand, an i32, is 0 for keys that are not seen. A query that sees no key
    has the output 0 and the total -∞. Before the schedule joins them, an operation has one of `kinds`.
  }];
  let arguments = !con((ins StrArrayAttr:$kinds, Variadic<Plan_TensorType>:$inputs, StrAttr:$key, StrAttr:$feature,
                            OptionalAttr<StrAttr>:$position, DefaultValuedAttr<I64Attr, "0">:$window,
                            UnitAttr:$masked), layerAttributes);
  let results = (outs Variadic<Plan_TensorType>:$results);
  let assemblyFormat = [{
    $kinds `(` $inputs `)` `over` $key `dot` $feature (`causal` $position^)? (`window` $window^)? attr-dict
    `:` functional-type($inputs, $results)
  }];
  let extraClassDeclaration = [{
    /// Whether the operands are those of the gradients; the kinds of one operation are all of one or of the other sort.
    bool isGradient();
    /// The number of the result of this kind; -1: none.
    int find(llvm::StringRef kind);
    planc::ir::TensorType queries() { return mlir::cast<planc::ir::TensorType>(getInputs()[0].getType()); }
    planc::ir::TensorType keys() { return mlir::cast<planc::ir::TensorType>(getInputs()[1].getType()); }
    planc::ir::TensorType values() { return mlir::cast<planc::ir::TensorType>(getInputs()[2].getType()); }
    /// Null: none.
    mlir::Value mask() { return getMasked() ? getInputs().back() : mlir::Value(); }
    /// The dimensions of the keys that the queries have, those of the queries alone, and those of the values alone.
    llvm::SmallVector<mlir::StringAttr> batchRoles();
    llvm::SmallVector<mlir::StringAttr> rowRoles();
    llvm::SmallVector<mlir::StringAttr> valueRoles();
    /// Of its kinds together, at each point of the nest. The total comes with the output.
    double flopsPerPoint();
  }];
}

def Plan_EmbeddingOp : Plan_LayerOp<"embedding", [Pure, Plan_Nest]> {
  let summary = "rows of a table, looked up by indices";
  let description = [{
    `%y = plan.embedding %tokens, %table over "vocabulary" : (!plan.tensor<batch: 8, i32>, !plan.tensor<vocabulary: 99, model: 64, f32>) -> …`

    The result has the dimensions of the indices and those of the table, except for the one that is looked up. This
    dimension is a loop that is summed over, as in a product with the indices' unit vectors. A rank that has only a part
    of the table adds 0 for the other rows. The loop has the dimension's name, primed where the indices have a dimension
    of that name.
  }];
  let arguments = !con((ins Plan_TensorType:$indices, Plan_TensorType:$table, StrAttr:$dimension), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$indices `,` $table `over` $dimension attr-dict `:` functional-type(operands, results)";
}

def Plan_EmbeddingGradientOp : Plan_LayerOp<"embedding_gradient", [Pure, Plan_Nest]> {
  let summary = "gradient of an embedding's table: row v is the sum of the gradients where the index is v";
  let description = "The result is of the table's type; the dimensions of the indices are summed over.";
  let arguments = !con((ins Plan_TensorType:$indices, Plan_TensorType:$gradient, StrAttr:$dimension), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$indices `,` $gradient `over` $dimension attr-dict `:` functional-type(operands, results)";
}

// The dimensions that the next four operations change cannot be split: their loops are whole.

def Plan_SliceOp : Plan_LayerOp<"slice", [Pure, Plan_Nest]> {
  let summary = "indices [begin, begin + the result's extent) of one dimension";
  let arguments = !con((ins Plan_TensorType:$operand, StrAttr:$dimension, I64Attr:$begin), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand `over` $dimension `from` $begin attr-dict `:` functional-type(operands, results)";
}

def Plan_PadOp : Plan_LayerOp<"pad", [Pure, Plan_Nest]> {
  let summary = "zeros before and behind one dimension: the gradient of a slice";
  let arguments = !con((ins Plan_TensorType:$operand, StrAttr:$dimension, I64Attr:$before), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand `over` $dimension `before` $before attr-dict `:` functional-type(operands, results)";
}

def Plan_ConcatOp : Plan_LayerOp<"concat", [Pure, Plan_Nest]> {
  let summary = "operands one after another along one dimension";
  let arguments = !con((ins Variadic<Plan_TensorType>:$inputs, StrAttr:$dimension), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$inputs `over` $dimension attr-dict `:` functional-type($inputs, $result)";
}

def Plan_ReshapeOp : Plan_LayerOp<"reshape", [Pure, Plan_Nest]> {
  let summary = "the same elements, row-major, under other dimensions";
  let description = [{
    A dimension that both tensors have, of the same extent and with as many elements behind it, is a parallel loop:
    `!plan.tensor<batch: 8, hidden: 64, f32>` to `!plan.tensor<batch: 8, head: 4, feature: 16, f32>` can be split over
    `batch`. If one dimension becomes two, or two become one, the first of the two, or the one, can be split as far as
    the blocks of both tensors have the same elements: `head`, or in the other direction `hidden`, over 2 or 4 ranks.
    Other loops are whole.
  }];
  let arguments = !con((ins Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

// --- composites: sequences of nests, see the pass decompose-composites --------------------------------------------

def Plan_SoftmaxOp : Plan_LayerOp<"softmax", [Pure]> {
  let summary = "exp(x) / sum exp(x) along one dimension; `log` gives its logarithm";
  let arguments = !con((ins Plan_TensorType:$operand, StrAttr:$dimension, UnitAttr:$log), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand `over` $dimension (`log` $log^)? attr-dict `:` functional-type(operands, results)";
}

def Plan_CrossEntropyOp : Plan_LayerOp<"cross_entropy", [Pure]> {
  let summary = "−log softmax(logits)[label], mean over the samples of the global batch";
  let description = [{
    With `smoothing` s, the share s of each label goes to all classes in equal parts (Szegedy et al. 2016). `weights`
    has a factor for each class: the mean is weighted by those of the labels, and each part of a smoothed label counts
    by that of its class. Labels that are `ignored` count nowhere.
  }];
  let arguments = !con((ins Plan_TensorType:$logits, Plan_TensorType:$labels, Optional<Plan_TensorType>:$weights,
                            StrAttr:$dimension, OptionalAttr<F64Attr>:$smoothing, OptionalAttr<I64Attr>:$ignored),
                       layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $logits `,` $labels (`,` $weights^)? `over` $dimension (`smoothing` $smoothing^)? (`ignored` $ignored^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Plan_MeanSquareErrorOp : Plan_LayerOp<"mean_square_error", [Pure]> {
  let summary = "mean of (prediction − target)² over all elements";
  let arguments = !con((ins Plan_TensorType:$prediction, Plan_TensorType:$target), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$prediction `,` $target attr-dict `:` functional-type(operands, results)";
}

def Plan_MeanOp : Plan_LayerOp<"mean", [Pure]> {
  let summary = "mean over the dimensions that the result lacks";
  let arguments = !con((ins Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Plan_DropoutOp : Plan_LayerOp<"dropout", [Pure]> {
  let summary = "in training 0 with probability `rate`, else x / (1 − rate); in evaluation and prediction x";
  let description = "`key` names the random numbers: see plan.random. Srivastava et al. 2014, scaled in training.";
  let arguments = !con((ins Plan_TensorType:$operand, F64Attr:$rate, StrAttr:$key), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand `rate` $rate `key` $key attr-dict `:` functional-type(operands, results)";
}

def Plan_BatchNormOp : Plan_LayerOp<"batch_norm", [Pure]> {
  let summary = "(x − mean) / √(variance + ε) · scale + b, with statistics over the dimensions that these lack";
  let description = [{
    In training, it uses the statistics of the (micro-)batch, through which gradients flow, and writes the running ones,
    which are read variables: running ← (1 − momentum) running + momentum · value; for the variance of n values, the
    value is n / (n − 1) times the mean square. In evaluation and prediction, it uses the running ones. Ioffe, Szegedy
    2015.
  }];
  let arguments = !con((ins Plan_TensorType:$x, Plan_TensorType:$scale, Plan_TensorType:$b, Plan_TensorType:$mean,
                            Plan_TensorType:$variance, F64Attr:$epsilon, F64Attr:$momentum), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = [{
    $x `,` $scale `,` $b `running` $mean `,` $variance `epsilon` $epsilon `momentum` $momentum attr-dict `:`
    functional-type(operands, results)
  }];
}

// --- rank program -----------------------------------------------------------------------------------------------

def Plan_CollectiveOp : Plan_LayerOp<"collective", [Pure]> {
  let summary = "one step of a reshard: the same tensor in another layout";
  let description = [{
    Kinds: `slice` (local), `all_gather`, `reduce_scatter`, `all_reduce`, `all_to_all`, `exchange`. `axes` are the mesh
    axes of the group. The layouts of operand and result determine which rank sends what (planrt/layout.h).

    ```mlir
    %1 = plan.collective "all_reduce" %0 over ["cols"] {…} : !plan.tensor<…> -> !plan.tensor<…>
    ```
  }];
  let arguments = !con((ins StrAttr:$kind, Plan_TensorType:$operand, StrArrayAttr:$axes), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$kind $operand `over` $axes attr-dict `:` type($operand) `->` type($result)";
}

// --- schedule ---------------------------------------------------------------------------------------------------

include "ir/schedule_ops.td"

#endif
