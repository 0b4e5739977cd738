// The training step becomes a table of actions: calls of stage functions, each with the pipeline stage and the kind of
// micro-batch that it works on. One stage and one micro-batch make the table @forward, @backward, @update; with
// several,
// @accumulate and @accumulate_rest are tables of their own.

#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

#include <array>

namespace planc::schedule {

namespace {

using mlir::Operation;
using mlir::Value;

bool is_compute(Operation *op) {
    return is_kernel(op) || mlir::isa<ir::LoopsOp>(op);
}

/// Waits just before a stage's first kernel belong to it.
bool prepares(Operation *op) {
    return mlir::isa<ir::WaitOp, ir::ViewOp>(op);
}

using Segments = std::array<std::vector<Operation *>, 3>;

/// Cuts the block into stages: a stage begins behind the last operation of the one before, so that updates ahead of
/// their stage belong to the backward pass. Reads are left out: each function has its own.
Segments segments(mlir::Block &block) {
    std::vector<Operation *> ops;
    for (Operation &op : block.without_terminator())
        if (!mlir::isa<ir::ReadOp>(op))
            ops.push_back(&op);
    std::array<size_t, 4> begin{0, ops.size(), ops.size(), ops.size()};
    size_t least = 2; // the first stage whose beginning is still open
    for (size_t i = ops.size(); i-- > 0;) {
        if (!is_compute(ops[i]))
            continue;
        const auto stage = static_cast<size_t>(stage_of(ops[i]));
        least = std::min(least, stage);
        for (size_t open = 1; open <= least; ++open)
            begin[open] = i;
    }
    for (size_t stage = 1; stage < 3; ++stage)
        while (begin[stage] > begin[stage - 1] && prepares(ops[begin[stage] - 1]))
            --begin[stage];
    Segments result;
    for (size_t stage = 0; stage < 3; ++stage)
        result[stage].assign(ops.begin() + static_cast<std::ptrdiff_t>(begin[stage]),
                             ops.begin() + static_cast<std::ptrdiff_t>(std::max(begin[stage], begin[stage + 1])));
    return result;
}

class Outlining {
  public:
    Outlining(mlir::func::FuncOp function, Stage stage, const std::vector<Operation *> &ops, int64_t microbatch)
        : function_(function), stage_(stage), ops_(ops.begin(), ops.end()), microbatch_(microbatch),
          builder_(function) {}

    void run() {
        find_inputs();
        const std::vector<Value> outputs = find_outputs();
        builder_.setInsertionPoint(function_);
        auto outlined = builder_.create<mlir::func::FuncOp>(
            function_.getLoc(), function_name(),
            builder_.getFunctionType(mlir::ValueRange(inputs_.getArrayRef()).getTypes(),
                                     mlir::ValueRange(outputs).getTypes()));
        mlir::Block *body = outlined.addEntryBlock();
        llvm::SmallVector<mlir::DictionaryAttr> places; // set at once: each time they are all made anew
        for (Value input : inputs_)
            places.push_back(builder_.getDictionaryAttr(
                builder_.getNamedAttr("plan.offset", builder_.getI64IntegerAttr(offset_of(input)))));
        outlined.setAllArgAttrs(places);
        mlir::func::CallOp call = create_call(outlined, outputs);
        for (Operation *op : ops_)
            op->moveBefore(body, body->end());
        builder_.setInsertionPointToEnd(body);
        builder_.create<mlir::func::ReturnOp>(function_.getLoc(), outputs);
        Operation *target = outlined;
        const auto inside = [target](mlir::OpOperand &use) { return target->isProperAncestor(use.getOwner()); };
        for (auto [number, input] : llvm::enumerate(inputs_))
            Value(input).replaceUsesWithIf(body->getArgument(static_cast<unsigned>(number)), inside);
        for (auto [output, result] : llvm::zip(outputs, call.getResults()))
            Value(output).replaceUsesWithIf(result, [&](mlir::OpOperand &use) { return !inside(use); });
        copy_reads(outlined, inside);
    }

  private:
    /// "forward"; of micro-batches before the last "accumulate_forward".
    std::string function_name() {
        const std::string stage = name(stage_);
        return function_.getName() == "train" ? stage : function_.getName().str() + "_" + stage;
    }

    void find_inputs() {
        for (Operation *op : ops_)
            op->walk([&](Operation *inner) {
                for (Value operand : inner->getOperands()) {
                    const bool local = operand.getParentBlock() != &function_.getBody().front();
                    Operation *producer = operand.getDefiningOp();
                    if (!local && !(producer && (ops_.contains(producer) || mlir::isa<ir::ReadOp>(producer))))
                        inputs_.insert(operand);
                }
            });
    }

    std::vector<Value> find_outputs() {
        std::vector<Value> outputs;
        for (Operation *op : ops_)
            for (Value result : op->getResults())
                if (llvm::any_of(result.getUsers(), [&](Operation *user) {
                        Operation *top = function_.getBody().front().findAncestorOpInBlock(*user);
                        return !ops_.contains(top);
                    }))
                    outputs.push_back(result);
        return outputs;
    }

    mlir::func::CallOp create_call(mlir::func::FuncOp outlined, const std::vector<Value> &outputs) {
        mlir::OpBuilder builder(function_.getBody().front().getTerminator());
        auto call = builder.create<mlir::func::CallOp>(function_.getLoc(), outlined, inputs_.getArrayRef());
        call->setAttr("stage", builder.getI64IntegerAttr(0));
        call->setAttr("microbatch", builder.getI64IntegerAttr(microbatch_));
        llvm::SmallVector<int64_t> offsets;
        for (Value output : outputs)
            offsets.push_back(offset_of(output));
        if (!offsets.empty())
            call->setAttr("offsets", builder.getDenseI64ArrayAttr(offsets));
        return call;
    }

    void copy_reads(mlir::func::FuncOp outlined, llvm::function_ref<bool(mlir::OpOperand &)> inside) {
        builder_.setInsertionPointToStart(&outlined.getBody().front());
        for (auto read : llvm::to_vector(function_.getOps<ir::ReadOp>())) {
            if (!llvm::any_of(read.getResult().getUses(), inside))
                continue;
            Value copy = builder_.clone(*read)->getResult(0);
            read.getResult().replaceUsesWithIf(copy, inside);
        }
    }

    mlir::func::FuncOp function_;
    Stage stage_;
    llvm::SetVector<Operation *> ops_;
    int64_t microbatch_;
    mlir::OpBuilder builder_;
    llvm::SetVector<Value> inputs_;
};

struct OutlineStages : mlir::PassWrapper<OutlineStages, mlir::OperationPass<mlir::ModuleOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineStages)

    llvm::StringRef getArgument() const override { return "outline-stages"; }
    llvm::StringRef getDescription() const override {
        return "Turn the training step into a table of calls of its stage functions";
    }

    void runOnOperation() override {
        int64_t microbatch = 0;
        for (mlir::func::FuncOp function : entry_functions(getOperation()))
            if (is_training(function))
                outline(function, microbatch++);
    }

  private:
    static void outline(mlir::func::FuncOp function, int64_t microbatch) {
        const Segments parts = segments(function.getBody().front());
        for (size_t stage = 0; stage < parts.size(); ++stage)
            if (!parts[stage].empty())
                Outlining(function, static_cast<Stage>(stage), parts[stage], microbatch).run();
        for (auto read : llvm::to_vector(function.getOps<ir::ReadOp>()))
            if (read->use_empty())
                read->erase();
    }
};

} // namespace

std::unique_ptr<mlir::Pass> outline_stages() {
    return std::make_unique<OutlineStages>();
}

} // namespace planc::schedule
