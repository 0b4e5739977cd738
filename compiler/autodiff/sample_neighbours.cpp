#include "autodiff/order_products.h"
#include "autodiff/passes.h"

#include "ir/entry_functions.h"
#include "ir/layer_builder.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/TypeSwitch.h"

namespace planc::autodiff {

#define GEN_PASS_DEF_SAMPLENEIGHBOURS
#include "autodiff/passes.h.inc"

using ir::TensorType;
using ir::type_of;
using mlir::LogicalResult;
using mlir::Value;

namespace {

/// Rewrites a function on all vertices as one on trees of sampled neighbours.
class Sampling {
  public:
    Sampling(mlir::func::FuncOp loss, std::int64_t batch, llvm::ArrayRef<std::int64_t> fanout)
        : loss_(loss), builder_(loss.getContext()), batch_(batch), fanout_(fanout), fields_(loss.getNumArguments()),
          vertex_(type_of(loss.getArgument(0)).getRoles().front()) {}

    LogicalResult run() {
        mlir::Block &block = loss_.getBody().front();
        for (Value result : block.getTerminator()->getOperands())
            depend_on(result, 0);
        for (mlir::Operation &op : llvm::reverse(block.without_terminator()))
            if (failed(find_depths(op)))
                return mlir::failure();
        if (deepest_ != static_cast<int>(fanout_.size()))
            return loss_.emitError("'fanout' needs a number for each hop; of products with a sparse matrix that follow "
                                   "one another this network has ")
                   << deepest_ << ", and 'fanout' has " << fanout_.size();
        for (mlir::BlockArgument argument : block.getArguments())
            if (failed(sample_input(argument)))
                return mlir::failure();
        for (mlir::Operation &op : llvm::make_early_inc_range(block.without_terminator()))
            rewrite(op);
        erase_unused_inputs();
        loss_.setFunctionType(mlir::FunctionType::get(loss_.getContext(), block.getArgumentTypes(),
                                                      block.getTerminator()->getOperandTypes()));
        return mlir::success();
    }

  private:
    [[nodiscard]] bool has_vertices(Value value) const { return type_of(value).find(vertex_.getValue()) >= 0; }
    /// Not an input that is made of fields, as their sums are.
    [[nodiscard]] bool is_field(Value value) const {
        const auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
        return argument && argument.getArgNumber() < fields_;
    }
    [[nodiscard]] mlir::StringAttr hop(int number) {
        return builder_.getStringAttr("neighbour." + std::to_string(number)); // no name of a user's has a dot
    }

    /// How many hops away from the batch a value is needed.
    [[nodiscard]] int depth(Value value) const { return depths_.lookup(value); }
    void depend_on(Value value, int depth) {
        if (!has_vertices(value))
            return;
        int &known = depths_[value];
        known = std::max(known, depth);
        deepest_ = std::max(deepest_, known);
    }

    LogicalResult refuse(mlir::Operation &op, const llvm::Twine &reason) {
        const auto layer = op.getAttrOfType<mlir::StringAttr>("layer");
        return op.emitError("'fanout' takes samples for 'spmm' alone: ")
               << (layer ? "layer '" + layer.str() + "' " : "this ") << reason;
    }

    LogicalResult find_depths(mlir::Operation &op) {
        if (op.getNumResults() != 1)
            return llvm::none_of(op.getOperands(), [&](Value each) { return has_vertices(each); })
                       ? mlir::success()
                       : refuse(op, "has several results");
        const Value result = op.getResult(0);
        if (auto product = mlir::dyn_cast<ir::SpmmOp>(op)) {
            if (!is_by_vertices(product))
                return refuse(op, "multiplies by a matrix whose rows and columns are not the vertices of the batch");
            deepest_ = std::max(deepest_, depth(result) + 1);
            if (!is_field(product.getOperand())) // else its sum is an input itself
                depend_on(product.getOperand(), depth(result) + 1);
            return note_matrix(product, depth(result) + 1);
        }
        if (mlir::isa<ir::EdgesOp>(op) && !result.use_empty())
            return refuse(op, "computes values on the entries of a matrix");
        const bool of_vertices = llvm::any_of(op.getOperands(), [&](Value each) { return has_vertices(each); });
        if (of_vertices && failed(check_rows(op, result)))
            return mlir::failure();
        if (of_vertices && mlir::isa<ir::ConvOp, ir::PoolOp, ir::EmbeddingGradientOp>(op))
            return refuse(op, "moves a window");
        if (!of_vertices && has_vertices(result) && !mlir::isa<ir::PointwiseOp, ir::RandomOp>(op))
            return refuse(op, "makes values for the vertices without an input of them");
        for (const Value operand : op.getOperands())
            depend_on(operand, has_vertices(result) ? depth(result) : 0);
        return mlir::success();
    }

    /// Whether the matrix has the vertices as its rows and as its columns.
    [[nodiscard]] bool is_by_vertices(ir::SpmmOp product) const {
        const ir::MatrixLoops matrix = product.matrixLoops();
        const ir::Subscripts subscripts = *ir::parse_subscripts(product.getSubscripts());
        const auto at = llvm::find(subscripts.operands[1], matrix.summed) - subscripts.operands[1].begin();
        const auto role = [at](Value value) { return type_of(value).getRoles()[static_cast<std::size_t>(at)]; };
        return !matrix.transposed && role(product.getOperand()) == vertex_ && role(product.getResult()) == vertex_;
    }

    /// Operations after which the rows of a value are not the vertices of a tree any more.
    LogicalResult check_rows(mlir::Operation &op, Value result) {
        const bool along = llvm::TypeSwitch<mlir::Operation *, bool>(&op)
                               .Case<ir::SliceOp, ir::PadOp, ir::ConcatOp>(
                                   [&](auto each) { return each.getDimension() == vertex_.getValue(); })
                               .Case([&](ir::ReshapeOp each) {
                                   return type_of(each.getOperand()).getRoles().front() != vertex_ ||
                                          type_of(result).getRoles().front() != vertex_;
                               })
                               .Default(false);
        if (along)
            return refuse(op, "cuts, joins or reshapes the vertices");
        const auto phase = op.getAttrOfType<mlir::StringAttr>("phase");
        if (!has_vertices(result) && phase && phase.getValue() == "forward")
            return refuse(op, "combines all vertices, or gives them another name");
        return mlir::success();
    }

    /// The neighbours of one hop are those of one matrix.
    LogicalResult note_matrix(ir::SpmmOp product, int number) {
        const auto at = static_cast<std::size_t>(number);
        if (matrices_.size() <= at)
            matrices_.resize(at + 1);
        if (matrices_[at] && matrices_[at] != product.getMatrixAttr())
            return refuse(*product, "samples neighbours of '" + product.getMatrix() + "' where another one samples '" +
                                        matrices_[at].getValue() + "'");
        matrices_[at] = product.getMatrixAttr();
        return mlir::success();
    }

    /// The type with trees of so many hops in the place of vertices.
    TensorType with_trees(TensorType type, int hops) {
        llvm::SmallVector<mlir::StringAttr> roles;
        llvm::SmallVector<std::int64_t> extents;
        for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents())) {
            roles.push_back(role);
            extents.push_back(role == vertex_ ? batch_ : extent);
            for (int number = 1; role == vertex_ && number <= hops; ++number) {
                roles.push_back(hop(number));
                extents.push_back(1 + fanout_[static_cast<std::size_t>(number - 1)]);
            }
        }
        return TensorType::get(type.getContext(), roles, extents, type.getElementType(), type.getLayout());
    }
    TensorType with_extent(TensorType type, mlir::StringAttr role, std::int64_t extent) {
        llvm::SmallVector<std::int64_t> extents(type.getExtents());
        extents[static_cast<std::size_t>(type.find(role.getValue()))] = extent;
        return TensorType::get(type.getContext(), type.getRoles(), extents, type.getElementType(), type.getLayout());
    }

    LogicalResult sample_input(mlir::BlockArgument argument) {
        if (!has_vertices(argument) || type_of(argument).getRoles().front() != vertex_)
            return loss_.emitError("'fanout' needs inputs by vertex; ")
                   << loss_.getArgAttr(argument.getArgNumber(), "plan.input") << " has none as its first dimension";
        const int hops = depth(argument);
        argument.setType(with_trees(type_of(argument), hops));
        loss_.setArgAttr(argument.getArgNumber(), "plan.input", builder_.getStringAttr(at_hops(field(argument), hops)));
        return mlir::success();
    }

    static std::string at_hops(const std::string &what, int hops) {
        return what + " at " + std::to_string(hops) + (hops == 1 ? " hop" : " hops");
    }
    /// The name of the field that an argument has, or had before it was sampled.
    std::string field(mlir::BlockArgument argument) {
        const std::string name = loss_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input").str();
        return name.substr(0, name.find(" at "));
    }

    /// The input of this name.
    Value input(const std::string &name, TensorType type, mlir::Location where) {
        for (mlir::BlockArgument argument : loss_.getArguments())
            if (loss_.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input") == name)
                return argument;
        const unsigned end = loss_.getNumArguments();
        const auto attribute = builder_.getNamedAttr("plan.input", builder_.getStringAttr(name));
        loss_.insertArgument(end, type, builder_.getDictionaryAttr(attribute), where);
        return loss_.getArgument(end);
    }

    static std::string matrix_name(ir::SpmmOp product) {
        return (product.getMean() ? "mean " : "") + product.getMatrix().str();
    }

    /// The product of an input: each step sums its rows while it is read.
    void read_sums(ir::SpmmOp product) {
        const Value result = product.getResult();
        const int hops = depth(result);
        const std::string of = field(mlir::cast<mlir::BlockArgument>(product.getOperand()));
        product.getResult().replaceAllUsesWith(input(at_hops(matrix_name(product) + " * " + of, hops),
                                                     with_trees(type_of(result), hops), product.getLoc()));
        product.erase();
    }

    /// An input of which only sums are read. The label is found by its number.
    void erase_unused_inputs() {
        for (unsigned number = loss_.getNumArguments(); number-- > 0;) {
            if (!loss_.getArgument(number).use_empty())
                continue;
            loss_.eraseArgument(number);
            if (const auto label = loss_->getAttrOfType<mlir::IntegerAttr>("plan.label");
                label && label.getInt() > static_cast<std::int64_t>(number))
                loss_->setAttr("plan.label", builder_.getI64IntegerAttr(label.getInt() - 1));
        }
    }

    /// The values of the sampled entries: [vertex, neighbour 1, …, neighbour `number`], without the vertex itself in
    /// the last.
    Value entries(ir::SpmmOp product, int number) {
        const TensorType of_vertices = TensorType::get(builder_.getContext(), {vertex_}, {batch_},
                                                       type_of(product.getResult()).getElementType(), {});
        return input(
            matrix_name(product) + " at hop " + std::to_string(number),
            with_extent(with_trees(of_vertices, number), hop(number), fanout_[static_cast<std::size_t>(number - 1)]),
            product.getLoc());
    }

    /// The part [begin, begin + extent) of a hop's dimension.
    Value part(ir::LayerBuilder &build, Value value, int number, std::int64_t begin, std::int64_t extent) {
        return build.slice(value, hop(number).getValue(), begin, with_extent(type_of(value), hop(number), extent));
    }

    /// The value at fewer hops than it is known at: of the vertices themselves.
    Value at_depth(ir::LayerBuilder &build, Value value, int from, int to) {
        for (int number = from; number > to; --number)
            value = build.reduce("sum", part(build, value, number, 0, 1), {hop(number).getValue()});
        return value;
    }

    void rewrite(mlir::Operation &op) {
        if (op.getNumResults() != 1)
            return;
        const auto text = [&](const char *name) {
            const auto attribute = op.getAttrOfType<mlir::StringAttr>(name);
            return attribute ? attribute.getValue() : mlir::StringRef();
        };
        builder_.setInsertionPoint(&op);
        ir::LayerBuilder build(builder_, op.getLoc(), text("layer"), text("phase"));
        Value result = op.getResult(0);
        if (auto product = mlir::dyn_cast<ir::SpmmOp>(op))
            return is_field(product.getOperand()) ? read_sums(product) : rewrite(product, build);
        const int hops = has_vertices(result) ? depth(result) : 0;
        for (mlir::OpOperand &operand : op.getOpOperands())
            if (has_vertices(operand.get()))
                operand.set(at_depth(build, operand.get(), depth_of_trees(operand.get()), hops));
        if (has_vertices(result))
            result.setType(with_trees(type_of(result), hops));
        if (auto einsum = mlir::dyn_cast<ir::EinsumOp>(op))
            einsum.setSubscripts(subscripts(einsum, hops).text());
    }

    /// Of a value that is rewritten already.
    [[nodiscard]] int depth_of_trees(Value value) {
        int hops = 0;
        while (type_of(value).find(hop(hops + 1).getValue()) >= 0)
            ++hops;
        return hops;
    }

    /// The loops of the vertices are followed by those of the hops.
    ir::Subscripts subscripts(ir::EinsumOp einsum, int hops) {
        ir::Subscripts result = *ir::parse_subscripts(einsum.getSubscripts());
        std::string loop;
        for (auto [operand, loops] : llvm::zip(einsum.getInputs(), result.operands))
            if (const std::int64_t at = type_of(operand).find(vertex_.getValue()); at >= 0)
                loop = loops[static_cast<std::size_t>(at)];
        const auto insert = [&](std::vector<std::string> &loops) {
            auto at = llvm::find(loops, loop);
            for (int number = 1; at != loops.end() && number <= hops; ++number)
                at = loops.insert(at + 1, hop(number).str());
        };
        if (loop.empty())
            return result;
        for (std::vector<std::string> &loops : result.operands)
            insert(loops);
        insert(result.result);
        return result;
    }

    void rewrite(ir::SpmmOp product, ir::LayerBuilder &build) {
        const Value result = product.getResult();
        const int number = depth(result) + 1;
        Value x = product.getOperand();
        x = at_depth(build, x, depth_of_trees(x), number);
        x = part(build, x, number, 1, fanout_[static_cast<std::size_t>(number - 1)]);
        const Value values = entries(product, number);
        ir::Subscripts sum{{{}, {}}, {}};
        for (const mlir::StringAttr role : type_of(x).getRoles())
            sum.operands[0].push_back(role.str());
        for (const mlir::StringAttr role : type_of(values).getRoles())
            sum.operands[1].push_back(role.str());
        for (const std::string &loop : sum.operands[0])
            if (loop != hop(number).str())
                sum.result.push_back(loop);
        product.getResult().replaceAllUsesWith(build.einsum(sum, {x, values}, with_trees(type_of(result), number - 1)));
        product.erase();
    }

    mlir::func::FuncOp loss_;
    mlir::OpBuilder builder_;
    std::int64_t batch_;
    llvm::ArrayRef<std::int64_t> fanout_;
    unsigned fields_; ///< the first arguments
    mlir::StringAttr vertex_;
    llvm::DenseMap<Value, int> depths_;
    std::vector<mlir::StringAttr> matrices_; ///< by hop
    int deepest_ = 0;
};

struct SampleNeighbours : impl::SampleNeighboursBase<SampleNeighbours> {
    void runOnOperation() override {
        auto loss = getOperation().lookupSymbol<mlir::func::FuncOp>("loss");
        const auto fanout = loss ? loss->getAttrOfType<mlir::DenseI64ArrayAttr>("plan.fanout") : nullptr;
        if (!fanout)
            return;
        mlir::OpBuilder builder(loss);
        auto sampled = mlir::cast<mlir::func::FuncOp>(builder.clone(*loss));
        sampled.setName("sampled_loss");
        sampled->removeAttr("plan.all_samples");
        for (mlir::Operation &op : llvm::make_early_inc_range(llvm::reverse(sampled.getBody().front())))
            if (mlir::isOpTriviallyDead(&op)) // it would count as a hop
                op.erase();
        order_products(sampled, SparseFirst::always); // of the fewest rows: those that are left when they are summed
        const std::int64_t batch = loss->getAttrOfType<mlir::IntegerAttr>("plan.batch_vertices").getInt();
        if (failed(Sampling(sampled, batch, fanout.asArrayRef()).run()))
            signalPassFailure();
    }
};

} // namespace

} // namespace planc::autodiff
