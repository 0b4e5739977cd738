#include "spmd/replicas.h"

#include "ir/entry_functions.h"
#include "ir/plan_dialect.h"
#include "program/micro_batches.h"

#include "mlir/IR/IRMapping.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace planc::spmd {

namespace {

using mlir::Operation;
using mlir::Value;
using mlir::func::FuncOp;

/// The code of one micro-batch in a training function. It has neither the update nor what is made of sums over
/// micro-batches, such as the quotient of two of them.
struct Code {
    FuncOp function;
    std::int64_t samples = 0;
    bool updates = false;
    std::vector<Operation *> operations;
    std::vector<mlir::BlockArgument> arguments;
    std::vector<ir::AccumulateOp> sums;
};

bool is_update(Operation &op) {
    const auto phase = op.getAttrOfType<mlir::StringAttr>("phase");
    return phase && phase.getValue() == "update";
}

Code code_of(FuncOp function) {
    Code code{function, ir::samples_of(function), !ir::accumulates(function), {}, {}, {}};
    const auto of_sums = [](Value operand) { return operand.getDefiningOp<ir::AccumulateOp>() != nullptr; };
    for (Operation &op : function.getBody().front().without_terminator()) {
        if (is_update(op) || mlir::isa<ir::ReadOp>(op) || llvm::any_of(op.getOperands(), of_sums))
            continue;
        code.operations.push_back(&op);
        if (auto sum = mlir::dyn_cast<ir::AccumulateOp>(op))
            code.sums.push_back(sum);
    }
    for (const mlir::BlockArgument argument : function.getArguments())
        code.arguments.push_back(argument);
    return code;
}

class Replication {
  public:
    Replication(mlir::ModuleOp module, const pipeline::Schedule &schedule)
        : schedule_(schedule), builder_(module.getContext()),
          micro_batches_(program::micro_batches(ir::batch_of(module), ir::micro_batch_count(module))) {
        for (FuncOp function : ir::entry_functions(module))
            if (ir::is_training(function))
                codes_.push_back(code_of(function));
    }

    mlir::LogicalResult run() {
        for (const Code &code : codes_)
            for (Operation *op : code.operations) {
                if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
                    return op->emitError("with the replicas of a pipeline schedule, each replica would write '")
                           << write.getVariable() << "' for its own micro-batches";
                auto sum = mlir::dyn_cast<ir::AccumulateOp>(op);
                if (!sum || !sum.getDecay())
                    continue;
                if (!schedule_.in_order())
                    return op->emitError("the replicas of a pipeline schedule must take turns for the ")
                           << sum.getAccumulator() << ", in which later micro-batches count more";
                decays_[sum.getAccumulator().str()] = sum.getDecay()->convertToDouble();
            }
        for (const Code &code : codes_)
            replicate(code);
        return mlir::success();
    }

  private:
    [[nodiscard]] int replicas() const { return static_cast<int>(schedule_.placement.size()); }

    /// The samples of the replica's micro-batches of the function's kind; 0 if it has none.
    [[nodiscard]] std::int64_t samples(const Code &code, int replica) const {
        for (int m = 0; m < schedule_.micro_batches; ++m) {
            const program::MicroBatchKind kind = program::kind_of(micro_batches_, schedule_, m);
            if (schedule_.replica_of[static_cast<size_t>(m)] == replica && kind.updates == code.updates &&
                (code.updates || kind.samples == code.samples))
                return kind.samples;
        }
        return 0;
    }

    /// Some code for a micro-batch of this size; the function's own where it fits.
    [[nodiscard]] const Code &source(const Code &code, std::int64_t samples) const {
        return code.samples == samples ? code : *std::ranges::find(codes_, samples, &Code::samples);
    }

    void replicate(const Code &code) {
        gather_reads(code.function);
        std::vector<std::int64_t> sizes;
        std::vector<std::vector<Value>> sums(code.sums.size()); // by replica
        int own = -1;                                           // the replica that has the function's own code
        for (int replica = 0; replica < replicas(); ++replica) {
            sizes.push_back(samples(code, replica));
            if (own < 0 && sizes.back() == code.samples)
                own = replica;
        }
        for (int replica = 0; replica < replicas(); ++replica) {
            if (sizes[static_cast<size_t>(replica)] == 0)
                continue;
            const auto made = replica == own ? keep(code, replica)
                                             : copy(source(code, sizes[static_cast<size_t>(replica)]), code, replica);
            for (size_t i = 0; i < sums.size(); ++i)
                sums[i].push_back(made[i]);
        }
        if (code.updates)
            for (size_t i = 0; i < sums.size(); ++i)
                add_up(code.sums[i], sums[i]);
        FuncOp(code.function)->setAttr("plan.replica_samples", builder_.getDenseI64ArrayAttr(sizes));
    }

    /// One read for each variable, before everything else.
    static void gather_reads(FuncOp function) {
        mlir::Block &block = function.getBody().front();
        std::map<std::string, ir::ReadOp> reads;
        for (auto read : llvm::make_early_inc_range(function.getOps<ir::ReadOp>())) {
            const auto [known, is_new] = reads.try_emplace(read.getVariable().str(), read);
            if (is_new) {
                read->moveBefore(&block, block.begin());
                continue;
            }
            read.getResult().replaceAllUsesWith(known->second.getResult());
            read.erase();
        }
    }

    std::vector<Value> keep(const Code &code, int replica) {
        for (Operation *op : code.operations)
            mark(op, replica);
        std::vector<Value> sums;
        for (ir::AccumulateOp sum : code.sums)
            sums.push_back(sum.getResult());
        return sums;
    }

    void mark(Operation *op, int replica) {
        if (replica > 0)
            op->setAttr("replica", builder_.getI64IntegerAttr(replica));
        else
            op->removeAttr("replica");
        if (auto sum = mlir::dyn_cast<ir::AccumulateOp>(op); sum && sum.getDecay())
            weigh(sum, replica);
    }

    /// Between two micro-batches of a replica is one of each other replica, and some may be behind its last one.
    void weigh(ir::AccumulateOp sum, int replica) {
        const double decay = decays_.at(sum.getAccumulator().str());
        const int behind = schedule_.micro_batches - 1 - schedule_.last_of(replica);
        sum.setDecayAttr(builder_.getF64FloatAttr(std::pow(decay, replicas())));
        sum.setShareAttr(builder_.getF64FloatAttr(std::pow(decay, behind)));
    }

    /// Copies the code behind the reads of another function, or of its own. Returns its sums.
    std::vector<Value> copy(const Code &from, const Code &to, int replica) {
        mlir::IRMapping map;
        FuncOp function = to.function;
        for (const mlir::BlockArgument argument : from.arguments) {
            const auto attributes = FuncOp(from.function).getArgAttrDict(argument.getArgNumber());
            const unsigned number = function.getNumArguments();
            function.insertArgument(number, argument.getType(), attributes, argument.getLoc());
            map.map(argument, function.getArgument(number));
        }
        map_reads(from.function, function, map);
        std::vector<Value> sums;
        for (Operation *op : from.operations) {
            Operation *made = builder_.clone(*op, map);
            mark(made, replica);
            if (mlir::isa<ir::AccumulateOp>(made))
                sums.push_back(made->getResult(0));
        }
        return sums;
    }

    /// Leaves the builder behind the reads.
    void map_reads(FuncOp from, FuncOp to, mlir::IRMapping &map) {
        std::map<std::string, ir::ReadOp> reads;
        builder_.setInsertionPointToStart(&to.getBody().front());
        for (auto read : to.getOps<ir::ReadOp>()) {
            reads.emplace(read.getVariable().str(), read);
            builder_.setInsertionPointAfter(read);
        }
        for (auto read : from.getOps<ir::ReadOp>()) {
            const auto known = reads.find(read.getVariable().str());
            map.map(Value(read.getResult()),
                    known != reads.end() ? Value(known->second.getResult()) : builder_.clone(*read)->getResult(0));
        }
    }

    /// What took the sum over the micro-batches of one replica takes that of all.
    void add_up(ir::AccumulateOp own, const std::vector<Value> &sums) {
        builder_.setInsertionPointAfter(own);
        llvm::SmallVector<mlir::OpOperand *> uses;
        for (mlir::OpOperand &use : own.getResult().getUses())
            uses.push_back(&use);
        Value all = sums.front();
        llvm::StringRef parameter = own.getAccumulator();
        const bool is_gradient = parameter.consume_front("gradient of ");
        for (size_t i = 1; i < sums.size(); ++i) {
            auto sum = builder_.create<ir::PointwiseOp>(own.getLoc(), all.getType(), builder_.getStringAttr("add"),
                                                        mlir::ValueRange{all, sums[i]}, own.getLayerAttr(),
                                                        builder_.getStringAttr("update"), ir::StrategyAttr());
            if (is_gradient)
                sum->setAttr("parameter", builder_.getStringAttr(parameter));
            else if (const mlir::Attribute followed = own->getAttr("parameter"))
                sum->setAttr("parameter", followed);
            all = sum.getResult();
        }
        for (mlir::OpOperand *use : uses) {
            use->set(all);
            if (use->getOwner()->hasAttr("phase"))
                use->getOwner()->setAttr("phase", builder_.getStringAttr("update"));
        }
    }

    const pipeline::Schedule &schedule_;
    mlir::OpBuilder builder_;
    std::vector<program::MicroBatch> micro_batches_;
    std::vector<Code> codes_;
    std::map<std::string, double> decays_; ///< by accumulator, of all micro-batches together
};

} // namespace

mlir::LogicalResult replicate(mlir::ModuleOp module, const pipeline::Schedule &schedule) {
    return schedule.placement.size() > 1 ? Replication(module, schedule).run() : mlir::success();
}

} // namespace planc::spmd
