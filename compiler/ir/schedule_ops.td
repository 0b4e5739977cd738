// Operations of the schedule: products as matrix products, collectives as starts and waits, fused loops.
//
// After `assign-buffers` every operation that makes a value carries `offsets`: the place of each result in the arena, in
// bytes.

#ifndef PLANC_IR_SCHEDULE_OPS
#define PLANC_IR_SCHEDULE_OPS

include "ir/plan_dialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

// --- products ---------------------------------------------------------------------------------------------------

def Plan_GemmOp : Plan_LayerOp<"gemm", [Pure]> {
  let summary = "product of two operands as matrix products on the operands in place";
  let description = [{
    The subscripts name the loop of every dimension as those of `plan.einsum` do; every loop is at least in two of a, b
    and the result. `schedule/matrix_product.h` says which of them are rows, columns and summed. An accumulator, times
    `beta` (1 if there is none), is added to the product; this happens in place if the accumulator is not used
    afterwards.

    ```mlir
    %s = plan.gemm "b q h f, b k h f -> b h q k" (%q, %k) : (…) -> …
    ```
  }];
  let arguments = !con((ins StrAttr:$subscripts, Plan_TensorType:$a, Plan_TensorType:$b,
                        Optional<Plan_TensorType>:$accumulator, OptionalAttr<F64Attr>:$beta), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$subscripts `(` operands `)` attr-dict `:` functional-type(operands, $result)";
}

def Plan_PermuteOp : Plan_LayerOp<"permute", [Pure]> {
  let summary = "the same elements with the dimensions in another order";
  let arguments = !con((ins Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
}

def Plan_ViewOp : Plan_LayerOp<"view", [Pure]> {
  let summary = "the same buffer under other dimensions";
  let arguments = !con((ins Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
}

// --- convolutions and pools ---------------------------------------------------------------------------------------

def Plan_PackOp : Plan_LayerOp<"pack", [Pure, SameOperandsAndResultType]> {
  let summary = "weights in the format of the convolution that reads them";
  let description = [{
    The `plan.conv` operations of a function that have the attribute `format` and the same geometry read the packed
    weights. A weight gradient with `format` has this format too, and `plan.unpack` unpacks it. Formats: "packed", the
    elements in oneDNN's order and padded (`planrt::packed_weights()` says how many at most); "winograd", transformed
    for Winograd's algorithm (`planrt::winograd_weights()`).

    ```mlir
    %p = plan.pack %w : !plan.tensor<kernel: 3, in: 4, out: 8, f32>
    %y = plan.conv "forward" "…" (%x, %p) … {format = "packed"} : (…) -> …
    ```
  }];
  let arguments = !con((ins Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let extraClassDeclaration = [{
    /// The convolution that reads the result; its geometry determines the format.
    ConvOp getConvolution();
  }];
}

def Plan_UnpackOp : Plan_LayerOp<"unpack", [Pure, SameOperandsAndResultType]> {
  let summary = "a packed weight gradient in the order of its dimensions";
  let arguments = !con((ins Plan_TensorType:$operand), layerAttributes);
  let results = (outs Plan_TensorType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Plan_MaxPoolOp : Plan_LayerOp<"max_pool", [Pure, Plan_Nest]> {
  let summary = "the maxima of windows and their argmax, in one pass: `plan.pool` \"max\" and \"argmax\"";
  let arguments = !con((ins Plan_TensorType:$operand, StrArrayAttr:$windows, DenseI64ArrayAttr:$kernels,
                            DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$paddings),
                       layerAttributes);
  let results = (outs Plan_TensorType:$maxima, Plan_TensorType:$numbers);
  let assemblyFormat = [{
    `(` $operand `)` `windows` $windows `kernels` $kernels `strides` $strides `dilations` $dilations
    `paddings` $paddings attr-dict `:` functional-type(operands, results)
  }];
}

// --- communication ----------------------------------------------------------------------------------------------

def Plan_StartOp : Plan_LayerOp<"start", []> {
  let summary = "starts one collective; several members travel in one call";
  let description = [{
    Operands and results belong together pair by pair. Neither may be touched before the wait of the same number.

    ```mlir
    %r = plan.start 3 "all_reduce" (%g) over ["rows"] {tensors = ["gradient of h1.w"], …} : (…) -> …
    ```
  }];
  let arguments = !con((ins I64Attr:$number, StrAttr:$kind, Variadic<Plan_TensorType>:$inputs, StrArrayAttr:$axes,
                        StrArrayAttr:$tensors), layerAttributes);
  let results = (outs Variadic<Plan_TensorType>:$results);
  let assemblyFormat = "$number $kind `(` $inputs `)` `over` $axes attr-dict `:` functional-type($inputs, $results)";
}

def Plan_WaitOp : Plan_LayerOp<"wait", []> {
  let summary = "the results of the collective of that number, complete";
  let arguments = !con((ins I64Attr:$number, Variadic<Plan_TensorType>:$pending), layerAttributes);
  let results = (outs Variadic<Plan_TensorType>:$results);
  let assemblyFormat = "$number `(` $pending `)` attr-dict `:` functional-type($pending, $results)";
}

def Plan_ProgressOp : Plan_Op<"progress"> {
  let summary = "lets started collectives advance";
  let assemblyFormat = "attr-dict";
  let hasVerifier = 0;
}

// --- fused loops ------------------------------------------------------------------------------------------------

def Plan_LoopsOp : Plan_LayerOp<"loops", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "operations that share one loop nest; values that are not yielded need no buffer";
  let description = [{
    The nest runs over the largest iteration space among the operations. The `outer` first dimensions are the outer
    loops; within each of their iterations the operations run in sweeps over the remaining ones, so that a reduction of a
    row is complete before its result is used.
  }];
  let arguments = !con((ins I64Attr:$outer), layerAttributes);
  let results = (outs Variadic<Plan_TensorType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`outer` $outer $body attr-dict (`:` type($results)^)?";
}

def Plan_YieldOp : Plan_Op<"yield", [Terminator, Pure, HasParent<"LoopsOp">]> {
  let summary = "the values that leave a fused loop";
  let arguments = (ins Variadic<Plan_TensorType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

#endif
