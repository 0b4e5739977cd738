// The plan dialect: networks and training steps on tensors with named dimensions.

#ifndef PLANC_IR_PLAN_DIALECT
#define PLANC_IR_PLAN_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::planc::ir";
  let summary = "neural networks on named dimensions, from the network to the rank program";
  let description = [{
    One dialect serves the whole compiler. A network is a `func.func` on `!plan.tensor` values whose dimensions have roles. The
    training step adds gradients and updates of variables. The rank program gives every tensor type a layout and adds
    `plan.collective`. The schedule splits collectives into starts and waits, groups loops and assigns buffers.

    Every operation may carry `layer` (the path of the layer that it belongs to) and `phase` (`forward`, `loss`,
    `input gradient`, `weight gradient`, `update`).
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Plan_Attr<string name, string mnemonic_> : AttrDef<Plan_Dialect, name> {
  let mnemonic = mnemonic_;
  let hasCustomAssemblyFormat = 1;
}

def Plan_LayoutAttr : Plan_Attr<"Layout", "layout"> {
  let summary = "where a tensor lies on the mesh";
  let description = [{
    The layout names the mesh axes of each cut dimension, major first, then the axes along which every rank holds only
    an addend:

    ```mlir
    #plan.layout<batch = [rows], hidden = [cols]>
    #plan.layout<batch = [rows], partial sum = [cols]>
    #plan.layout<hidden = [cols], stored by [rows]>
    #plan.layout<>
    ```
    `stored by`: the local part, flattened row-major, is kept in balanced ranges (planrt/layout.h). Axes that are not
    named hold replicas.

    The blocks that a convolution reads may overlap: the axes cut the positions of a window, and a rank has the indices
    that the windows at its positions touch (planrt::Window).

    ```mlir
    #plan.layout<height = [rows] in 16 windows of 3 stride 2 dilation 1 padding 1>
    #plan.layout<height = [rows] in 32 transposed windows of 3 stride 2 dilation 1 padding 1>
    #plan.layout<vertex = [rows, cols] in 2708 rows of matrix 1 cut by 1>
    #plan.layout<vertex = [cols, rows] in 2708 rows of matrix -1 cut by 1 addends>
    ```
    With `before`, `within` or `behind` in place of `in`, the rank has only the part of these indices before, within or
    behind the block that the axes cut from the dimension (planrt::WindowPart). The parts before and behind are the
    halo.
  }];
  let parameters = (ins
    ArrayRefParameter<"mlir::StringAttr">:$roles,
    ArrayRefParameter<"mlir::ArrayAttr">:$axes,
    ArrayRefParameter<"mlir::StringAttr">:$partial,
    "mlir::StringAttr":$reduction,
    ArrayRefParameter<"mlir::StringAttr">:$stored,
    ArrayRefParameter<"mlir::DenseI64ArrayAttr">:$windows
  );
  let extraClassDeclaration = [{
    /// windows[i] belongs to roles[i]: it is empty, or a result of windowAttribute().
    static mlir::DenseI64ArrayAttr windowAttribute(mlir::MLIRContext *context,
                                                   const planrt::Boxed<planrt::Window> &window);
    static std::optional<planrt::Window> windowOf(mlir::DenseI64ArrayAttr attribute);
  }];
}

def Plan_MeshAttr : Plan_Attr<"Mesh", "mesh"> {
  let summary = "the grid of ranks: `#plan.mesh<rows: 2, cols: 4>`, row-major";
  let description = [{
    In an uneven mesh, `#plan.mesh<stage: 2, rows: [1, 3] along stage>`, an axis has a size for each position along
    another one (`planrt::Mesh`).
  }];
  let parameters = (ins
    ArrayRefParameter<"mlir::StringAttr">:$names,
    ArrayRefParameter<"int64_t">:$sizes, // the largest ones
    "int":$unevenAlong,                  // -1: the mesh is even
    ArrayRefParameter<"int64_t">:$sizesAt // of all axes, position by position
  );
  let builders = [
    AttrBuilder<(ins "llvm::ArrayRef<mlir::StringAttr>":$names, "const planrt::Mesh &":$mesh)>
  ];
  let extraClassDeclaration = [{
    planrt::Mesh getMesh() const;
  }];
}

def Plan_StrategyAttr : Plan_Attr<"Strategy", "strategy"> {
  let summary = "the loops of an operation that mesh axes cut: `#plan.strategy<batch -> rows, hidden -> cols>`";
  let description = "Several axes on one loop stand major first: `#plan.strategy<batch -> rows, batch -> cols>`.";
  let parameters = (ins ArrayRefParameter<"mlir::StringAttr">:$loops, ArrayRefParameter<"mlir::StringAttr">:$axes);
}

def Plan_InitializerAttr : AttrDef<Plan_Dialect, "Initializer"> {
  let mnemonic = "init";
  let summary = "initial values of a variable: `#plan.init<uniform, -0.1, 0.1>`, `#plan.init<constant, 0.0, 0.0>`";
  let parameters = (ins "mlir::StringAttr":$kind, "mlir::FloatAttr":$a, "mlir::FloatAttr":$b);
  let hasCustomAssemblyFormat = 1;
}

def Plan_TensorType : TypeDef<Plan_Dialect, "Tensor"> {
  let mnemonic = "tensor";
  let summary = "a tensor on named dimensions, with its layout once there is one";
  let description = [{
    ```mlir
    !plan.tensor<batch: 64, hidden: 256, f32>
    !plan.tensor<hidden': 256, hidden: 128, f32, #plan.layout<hidden = [cols]>>
    !plan.tensor<f32>
    ```
    The order is the canonical order of elements; roles are distinct.
  }];
  let parameters = (ins
    ArrayRefParameter<"mlir::StringAttr">:$roles,
    ArrayRefParameter<"int64_t">:$extents,
    "mlir::Type":$elementType,
    OptionalParameter<"LayoutAttr">:$layout
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Index of a dimension, -1 if the tensor has none of that role.
    int64_t find(mlir::StringRef role) const;
    int64_t elements() const;
    TensorType withLayout(LayoutAttr layout) const;
    TensorType withoutLayout() const { return withLayout({}); }
  }];
}

#endif
