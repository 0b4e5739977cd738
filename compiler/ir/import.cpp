#include "ir/import.h"

#include "ir/entry_functions.h"
#include "ir/matrices_attribute.h"
#include "ir/optimizer_attribute.h"
#include "ir/subscripts.h"
#include "sema/training/parameter_groups.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>

namespace planc::ir {

using mlir::FloatAttr;
using mlir::IntegerAttr;
using mlir::SmallVector;
using mlir::StringAttr;
using mlir::Value;

namespace {

class Importer {
  public:
    Importer(const sema::Program &program, const sema::Optimizer *optimizer, const support::SourceFiles &files,
             mlir::MLIRContext &context)
        : optimizer_(optimizer), files_(files), builder_(&context),
          module_(mlir::ModuleOp::create(mlir::FileLineColLoc::get(&context, program.file, 1, 1))) {
        context.loadDialect<PlanDialect, mlir::func::FuncDialect>();
    }

    void reserve(llvm::StringRef symbol) { symbols_.insert(symbol.str()); }
    /// The nonzeros of a sparse argument; of others every element counts as one.
    void set_matrix(const std::string &matrix, const planrt::Pattern &pattern) {
        nonzeros_[matrix] = pattern.nonzeros();
        matrices_[matrix] = known_matrix(pattern);
    }

    mlir::func::FuncOp import(const sema::Network &network, llvm::StringRef symbol,
                              llvm::ArrayRef<sema::ValueId> results);

    mlir::OwningOpRef<mlir::ModuleOp> take() {
        set_matrices(*module_, matrices_);
        return std::move(module_);
    }
    mlir::Builder &builder() { return builder_; }

  private:
    mlir::Location location(support::SourceRange where);
    TensorType tensor(const sema::TensorType &type);
    Value operation(const sema::Network &network, const sema::Operation &op, mlir::func::FuncOp function);
    Value nest(const sema::Operation &op, TensorType type);
    Value convolution(const sema::Operation &op, TensorType type);
    Value composite(const sema::Operation &op, TensorType type);
    Value random(const sema::Operation &op, TensorType type, mlir::func::FuncOp function);
    Value pool(const sema::Operation &op, TensorType type);
    Value attention(const sema::Operation &op, TensorType type);
    Value along_dimension(const sema::Operation &op, TensorType type);
    Value spmm(const sema::Operation &op, TensorType type);
    std::int64_t nonzeros_of(const std::string &matrix, std::int64_t all) const;
    Value read(const sema::Network &network, const sema::Operation &op, TensorType type);

    template <class Op, class... Arguments> Value create(Arguments &&...arguments) {
        return builder_.create<Op>(location_, std::forward<Arguments>(arguments)..., layer_, phase_, StrategyAttr());
    }

    const sema::Optimizer *optimizer_; ///< none without training
    const support::SourceFiles &files_;
    mlir::OpBuilder builder_;
    mlir::OwningOpRef<mlir::ModuleOp> module_;
    std::set<std::string> symbols_;
    std::map<std::string, std::int64_t> nonzeros_;
    KnownMatrices matrices_;

    // State of the current network and operation.
    SmallVector<Value> values_;
    std::map<std::string, Value> reads_;
    SmallVector<Value> operands_;
    mlir::Location location_ = mlir::UnknownLoc::get(builder_.getContext());
    StringAttr layer_;
    StringAttr phase_;
};

mlir::Location Importer::location(support::SourceRange where) {
    if (where.file < 0)
        return builder_.getUnknownLoc();
    const support::LineColumn at = files_.locate(where.file, where.begin);
    return mlir::FileLineColLoc::get(builder_.getContext(), files_.file(where.file).path,
                                     static_cast<unsigned>(at.line), static_cast<unsigned>(at.column));
}

TensorType Importer::tensor(const sema::TensorType &type) {
    const mlir::Type elements[] = {builder_.getF32Type(), builder_.getF64Type(), builder_.getI32Type()};
    SmallVector<StringAttr> roles;
    SmallVector<int64_t> extents;
    for (const sema::Dimension &dimension : type.dimensions) {
        roles.push_back(builder_.getStringAttr(dimension.role));
        extents.push_back(dimension.extent);
    }
    return TensorType::get(builder_.getContext(), roles, extents, elements[static_cast<size_t>(type.element)],
                           LayoutAttr());
}

mlir::func::FuncOp Importer::import(const sema::Network &network, llvm::StringRef symbol,
                                    llvm::ArrayRef<sema::ValueId> results) {
    SmallVector<mlir::Type> arguments;
    for (const sema::Argument &argument : network.arguments)
        arguments.push_back(tensor(argument.type));
    SmallVector<mlir::Type> result_types;
    for (sema::ValueId id : results)
        result_types.push_back(tensor(network.operations[static_cast<size_t>(id)].type));

    builder_.setInsertionPointToEnd(module_->getBody());
    auto function = builder_.create<mlir::func::FuncOp>(location(network.where), symbol,
                                                        builder_.getFunctionType(arguments, result_types));
    for (auto [index, argument] : llvm::enumerate(network.arguments))
        function.setArgAttr(static_cast<unsigned>(index), "plan.input", builder_.getStringAttr(argument.name));
    builder_.setInsertionPointToEnd(function.addEntryBlock());
    values_.clear();
    reads_.clear();
    for (const sema::Operation &op : network.operations)
        values_.push_back(operation(network, op, function));
    const auto returned = llvm::map_to_vector(results, [&](sema::ValueId id) { return values_[id]; });
    builder_.create<mlir::func::ReturnOp>(location(network.where), returned);
    return function;
}

Value Importer::operation(const sema::Network &network, const sema::Operation &op, mlir::func::FuncOp function) {
    location_ = location(op.where);
    layer_ = builder_.getStringAttr(op.layer);
    phase_ = builder_.getStringAttr(op.layer == "loss" ? "loss" : "forward");
    operands_ = llvm::map_to_vector(op.operands, [&](sema::ValueId id) { return values_[static_cast<size_t>(id)]; });
    const TensorType type = tensor(op.type);
    switch (op.kind) {
    case sema::OperationKind::input:
        for (auto [index, argument] : llvm::enumerate(network.arguments))
            if (argument.name == op.text)
                return function.getArgument(static_cast<unsigned>(index));
        llvm::report_fatal_error("an input is not an argument of its network");
    case sema::OperationKind::parameter:
        return read(network, op, type);
    case sema::OperationKind::constant:
        return create<ConstantOp>(type, builder_.getF64FloatAttr(op.number));
    case sema::OperationKind::einsum:
    case sema::OperationKind::convolution:
    case sema::OperationKind::pointwise:
    case sema::OperationKind::reduce:
    case sema::OperationKind::iota:
    case sema::OperationKind::reshape:
        return nest(op, type);
    case sema::OperationKind::softmax:
    case sema::OperationKind::cross_entropy:
    case sema::OperationKind::mean_square_error:
    case sema::OperationKind::dropout:
    case sema::OperationKind::batch_norm:
        return composite(op, type);
    case sema::OperationKind::random:
        return random(op, type, function);
    case sema::OperationKind::pool:
        return pool(op, type);
    case sema::OperationKind::spmm:
        return spmm(op, type);
    case sema::OperationKind::edges:
        return create<EdgesOp>(
            type, builder_.getStringAttr(op.text), builder_.getI64IntegerAttr(nonzeros_of(op.text, type.elements())),
            op.ones ? builder_.getUnitAttr() : mlir::UnitAttr(), builder_.getI64IntegerAttr(matrices_[op.text].number));
    case sema::OperationKind::attention:
        return attention(op, type);
    case sema::OperationKind::embedding:
    case sema::OperationKind::slice:
    case sema::OperationKind::concat:
        return along_dimension(op, type);
    }
    llvm_unreachable("all kinds of operations are covered");
}

Subscripts subscripts_of(const sema::Operation &op) {
    const auto names = [&](const std::vector<int> &loops) {
        std::vector<std::string> result;
        for (int loop : loops)
            result.push_back(op.loops[static_cast<size_t>(loop)].name);
        return result;
    };
    Subscripts subscripts;
    for (const auto &loops : op.operand_loops)
        subscripts.operands.push_back(names(loops));
    subscripts.result = names(op.result_loops);
    return subscripts;
}

Value Importer::nest(const sema::Operation &op, TensorType type) {
    if (op.kind == sema::OperationKind::einsum)
        return create<EinsumOp>(type, builder_.getStringAttr(subscripts_of(op).text()), operands_);
    if (op.kind == sema::OperationKind::convolution)
        return convolution(op, type);
    if (op.kind == sema::OperationKind::pointwise)
        return create<PointwiseOp>(type, builder_.getStringAttr(op.text), operands_);
    if (op.kind == sema::OperationKind::iota)
        return create<IotaOp>(type);
    if (op.kind == sema::OperationKind::reshape)
        return create<ReshapeOp>(type, operands_[0]);
    if (op.text == "mean")
        return create<MeanOp>(type, operands_[0]);
    return create<ReduceOp>(type, builder_.getStringAttr(op.text), operands_[0]);
}

Value Importer::convolution(const sema::Operation &op, TensorType type) {
    SmallVector<llvm::StringRef> windows;
    SmallVector<llvm::StringRef> kernels;
    SmallVector<std::int64_t> strides;
    SmallVector<std::int64_t> dilations;
    SmallVector<std::int64_t> paddings;
    for (const sema::Window &window : op.windows) {
        windows.push_back(op.loops[static_cast<size_t>(window.loop)].name);
        kernels.push_back(op.loops[static_cast<size_t>(window.kernel_loop)].name);
        strides.push_back(window.stride);
        dilations.push_back(window.dilation);
        paddings.append({window.before, window.behind});
    }
    return create<ConvOp>(type, builder_.getStringAttr(op.transposed ? "input_gradient" : "forward"),
                          builder_.getStringAttr(subscripts_of(op).text()), operands_[0], operands_[1], Value(),
                          builder_.getStrArrayAttr(windows), builder_.getStrArrayAttr(kernels),
                          builder_.getDenseI64ArrayAttr(strides), builder_.getDenseI64ArrayAttr(dilations),
                          builder_.getDenseI64ArrayAttr(paddings));
}

Value Importer::composite(const sema::Operation &op, TensorType type) {
    if (op.kind == sema::OperationKind::mean_square_error)
        return create<MeanSquareErrorOp>(type, operands_[0], operands_[1]);
    if (op.kind == sema::OperationKind::dropout)
        return create<DropoutOp>(type, operands_[0], builder_.getF64FloatAttr(op.number),
                                 builder_.getStringAttr(op.text));
    if (op.kind == sema::OperationKind::batch_norm)
        return create<BatchNormOp>(type, operands_[0], operands_[1], operands_[2], operands_[3], operands_[4],
                                   builder_.getF64FloatAttr(op.number), builder_.getF64FloatAttr(op.momentum));
    const StringAttr dimension = builder_.getStringAttr(op.roles.at(0));
    if (op.kind == sema::OperationKind::cross_entropy)
        return create<CrossEntropyOp>(type, operands_[0], operands_[1], operands_.size() > 2 ? operands_[2] : Value(),
                                      dimension, op.number > 0 ? builder_.getF64FloatAttr(op.number) : FloatAttr(),
                                      op.ignored ? builder_.getI64IntegerAttr(*op.ignored) : IntegerAttr());
    const auto log = op.text == "log_softmax" ? builder_.getUnitAttr() : mlir::UnitAttr();
    return create<SoftmaxOp>(type, operands_[0], dimension, log);
}

Value Importer::random(const sema::Operation &op, TensorType type, mlir::func::FuncOp function) {
    const llvm::StringRef samples = sample_dimension(function);
    return create<RandomOp>(type, builder_.getStringAttr(op.text),
                            type.find(samples) >= 0 ? builder_.getStringAttr(samples) : StringAttr());
}

Value Importer::pool(const sema::Operation &op, TensorType type) {
    SmallVector<llvm::StringRef> roles;
    SmallVector<int64_t> kernels;
    SmallVector<int64_t> strides;
    SmallVector<int64_t> dilations;
    SmallVector<int64_t> paddings;
    for (const sema::Window &window : op.windows) {
        roles.push_back(window.role);
        kernels.push_back(window.kernel);
        strides.push_back(window.stride);
        dilations.push_back(window.dilation);
        paddings.append({window.before, window.behind});
    }
    return create<PoolOp>(type, builder_.getStringAttr(op.text), operands_, builder_.getStrArrayAttr(roles),
                          builder_.getDenseI64ArrayAttr(kernels), builder_.getDenseI64ArrayAttr(strides),
                          builder_.getDenseI64ArrayAttr(dilations), builder_.getDenseI64ArrayAttr(paddings));
}

Value Importer::attention(const sema::Operation &op, TensorType type) {
    auto attention = builder_.create<AttentionOp>(
        location_, mlir::TypeRange(type), builder_.getStrArrayAttr({"output"}), operands_,
        builder_.getStringAttr(op.roles[0]), builder_.getStringAttr(op.roles[1]),
        op.roles.size() > 2 ? builder_.getStringAttr(op.roles[2]) : StringAttr(), builder_.getI64IntegerAttr(op.begin),
        operands_.size() > 3 ? builder_.getUnitAttr() : mlir::UnitAttr(), layer_, phase_, StrategyAttr());
    return attention.getResult(0);
}

Value Importer::along_dimension(const sema::Operation &op, TensorType type) {
    const StringAttr dimension = builder_.getStringAttr(op.roles.at(0));
    if (op.kind == sema::OperationKind::embedding)
        return create<EmbeddingOp>(type, operands_[0], operands_[1], dimension);
    if (op.kind == sema::OperationKind::concat)
        return create<ConcatOp>(type, operands_, dimension);
    return create<SliceOp>(type, operands_[0], dimension, builder_.getI64IntegerAttr(op.begin));
}

/// Of a matrix that nobody has read: all elements.
std::int64_t Importer::nonzeros_of(const std::string &matrix, std::int64_t all) const {
    const auto known = nonzeros_.find(matrix);
    return known == nonzeros_.end() ? all : known->second;
}

Value Importer::spmm(const sema::Operation &op, TensorType type) {
    const std::int64_t nonzeros = nonzeros_of(op.text, op.loops[0].extent * op.loops[1].extent);
    return create<SpmmOp>(
        type, builder_.getStringAttr(op.text), builder_.getStringAttr(subscripts_of(op).text()), operands_[0],
        builder_.getI64IntegerAttr(nonzeros), op.mean ? builder_.getUnitAttr() : mlir::UnitAttr(),
        builder_.getI64IntegerAttr(matrices_[op.text].number), builder_.getI64IntegerAttr(0), mlir::UnitAttr());
}

/// Sets the attributes of a parameter whose settings differ from the optimizer's.
void set_group(VariableOp variable, const sema::Optimizer &optimizer, const std::string &path) {
    mlir::Builder builder(variable.getContext());
    const sema::GroupSettings settings = sema::resolve_group(optimizer, path);
    if (settings.weight_decay != optimizer.weight_decay)
        variable->setAttr("weight_decay", builder.getF64FloatAttr(settings.weight_decay));
    if (settings.rate_factor != 1)
        variable->setAttr("rate_factor", builder.getF64FloatAttr(settings.rate_factor));
    if (!settings.adapt)
        variable->setAttr("adapt", builder.getBoolAttr(false));
}

Value Importer::read(const sema::Network &network, const sema::Operation &op, TensorType type) {
    Value &value = reads_[op.text];
    if (value)
        return value;
    const std::string symbol = symbols_.contains(op.text) ? network.name + "." + op.text : op.text;
    symbols_.insert(symbol);

    static constexpr llvm::StringRef kinds[] = {"constant", "uniform", "normal"};
    const auto initializer = InitializerAttr::get(
        builder_.getContext(), builder_.getStringAttr(kinds[static_cast<size_t>(op.initializer.kind)]),
        builder_.getF64FloatAttr(op.initializer.a), builder_.getF64FloatAttr(op.initializer.b));
    {
        const mlir::OpBuilder::InsertionGuard guard(builder_);
        builder_.setInsertionPoint(builder_.getInsertionBlock()->getParentOp());
        auto variable =
            builder_.create<VariableOp>(location_, builder_.getStringAttr(symbol), mlir::TypeAttr::get(type),
                                        initializer, op.trained ? builder_.getUnitAttr() : mlir::UnitAttr(), layer_);
        if (!op.trained)
            variable->setAttr("statistic", builder_.getUnitAttr());
        else if (optimizer_ != nullptr)
            set_group(variable, *optimizer_, op.text);
    }
    value = create<ReadOp>(type, mlir::FlatSymbolRefAttr::get(builder_.getContext(), symbol));
    return value;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> import_program(const sema::Program &program, const sema::Train &train,
                                                 const support::SourceFiles &files, mlir::MLIRContext &context) {
    Importer importer(program, &train.optimizer, files, context);
    for (llvm::StringRef function : {"loss", "sampled_loss", "train", "evaluate", "predict"})
        importer.reserve(function);
    for (const sema::Matrix &matrix : train.matrices)
        importer.set_matrix(matrix.name, *matrix.pattern);
    mlir::func::FuncOp function = importer.import(train.loss, "loss", {train.loss.results.front(), train.prediction});
    mlir::Builder &builder = importer.builder();
    function->setAttr("plan.purpose", builder.getStringAttr("loss"));
    if (train.keep == sema::Keep::best_loss)
        function->setAttr("plan.keeps_least_loss", builder.getUnitAttr());
    if (train.label >= 0) {
        const std::string &label = train.loss.operations[static_cast<size_t>(train.label)].text;
        for (auto [index, argument] : llvm::enumerate(train.loss.arguments))
            if (argument.name == label)
                function->setAttr("plan.label", builder.getI64IntegerAttr(static_cast<int64_t>(index)));
        function->setAttr("plan.class", builder.getStringAttr(train.class_role));
        if (train.ignored)
            function->setAttr("plan.ignored", builder.getI64IntegerAttr(*train.ignored));
    }
    const bool is_graph = std::any_of(program.data.begin(), program.data.end(), [&](const sema::Data &data) {
        return data.name == train.data && data.format == "graph";
    });
    if (is_graph)
        function->setAttr("plan.all_samples", builder.getUnitAttr());
    if (train.batch_vertices > 0) {
        function->setAttr("plan.batch_vertices", builder.getI64IntegerAttr(train.batch_vertices));
        function->setAttr("plan.fanout", builder.getDenseI64ArrayAttr(train.fanout));
    }
    function->setAttr("plan.optimizer", optimizer_attribute(train.optimizer, builder));
    mlir::OwningOpRef<mlir::ModuleOp> module = importer.take();
    if (train.keep != sema::Keep::last)
        (*module)->setAttr("plan.keeps_best", builder.getUnitAttr());
    return module;
}

mlir::OwningOpRef<mlir::ModuleOp> import_networks(const sema::Program &program, const support::SourceFiles &files,
                                                  mlir::MLIRContext &context) {
    Importer importer(program, nullptr, files, context);
    for (const sema::Network &network : program.networks)
        importer.reserve(network.name);
    for (const sema::Network &network : program.networks) {
        mlir::func::FuncOp function = importer.import(network, network.name, network.results);
        function->setAttr("plan.purpose", importer.builder().getStringAttr("network"));
    }
    return importer.take();
}

} // namespace planc::ir
