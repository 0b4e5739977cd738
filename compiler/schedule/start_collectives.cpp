// A collective starts as soon as its operands are there and is waited for just before its first use; a variable that is
// stored in shares is gathered one layer ahead of its use, so that no more than two layers' weights lie whole at a
// time. Members of one bucket (attribute `bucket`, from sharding/bucket.h) share a start. A slice communicates nothing,
// so its start and wait stay at its place.

#include "ir/method.h"
#include "schedule/functions.h"
#include "schedule/passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

namespace planc::schedule {

namespace {

using Members = llvm::SmallVector<ir::CollectiveOp>;

/// Groups of collectives that run in one call, in the order of their first members.
std::vector<Members> groups(mlir::func::FuncOp function) {
    std::vector<Members> all;
    std::map<int64_t, size_t> bucket_place;
    for (auto op : function.getOps<ir::CollectiveOp>()) {
        const auto bucket = op->getAttrOfType<mlir::IntegerAttr>("bucket");
        if (bucket && bucket_place.contains(bucket.getInt())) {
            all[bucket_place[bucket.getInt()]].push_back(op);
            continue;
        }
        if (bucket)
            bucket_place[bucket.getInt()] = all.size();
        all.push_back({op});
    }
    return all;
}

/// The producer of the last operand, after which the collective starts.
mlir::Operation *last_producer(const Members &members) {
    mlir::Operation *last = nullptr;
    for (ir::CollectiveOp member : members)
        if (mlir::Operation *producer = member.getOperand().getDefiningOp())
            if (last == nullptr || last->isBeforeInBlock(producer))
                last = producer;
    return last;
}

mlir::Operation *first_user(const Members &members) {
    mlir::Operation *first = members.front()->getBlock()->getTerminator();
    for (ir::CollectiveOp member : members)
        for (mlir::Operation *user : member.getResult().getUsers())
            if (user->isBeforeInBlock(first))
                first = user;
    return first;
}

/// Whether other stages get what a member makes.
bool has_sent(const Members &members) {
    return llvm::any_of(members, [](ir::CollectiveOp member) {
        return llvm::any_of(member.getResult().getUses(), [](mlir::OpOperand &use) { return is_sent(use); });
    });
}

/// The operation behind the last one of the section in which `op` is.
mlir::Operation *behind_section(mlir::Operation *op) {
    mlir::Operation *last = op;
    for (mlir::Operation *next = op; next != nullptr; next = next->getNextNode())
        if (is_kernel(next) || mlir::isa<ir::ReduceOp, ir::PointwiseOp>(next))
            last = section_of(next) <= section_of(op) ? next : last;
    return last->getNextNode();
}

bool is_source(mlir::Operation *op) {
    return mlir::isa<ir::ReadOp, ir::ConstantOp, ir::IotaOp, ir::RandomOp, ir::StepOp>(op);
}

/// Whether other micro-batches may change the weights between the sections of the function.
bool has_changing_weights(mlir::Operation *op) {
    return ir::kind_number(op->getParentOfType<mlir::func::FuncOp>()) >= 0;
}

/// Whether it reads a variable, or copies one (stash-weights).
bool is_variable(mlir::Operation *producer) {
    auto copy = mlir::dyn_cast_or_null<ir::PointwiseOp>(producer);
    if (copy && copy.getFunction() == "identity" && has_changing_weights(copy))
        producer = copy.getInputs().front().getDefiningOp();
    return mlir::isa_and_nonnull<ir::ReadOp>(producer);
}

/// The first operation of the layer before that of `user`, in the order in which they run; of its own section, where
/// what is read may be another version of the weights before that.
mlir::Operation *one_layer_ahead(mlir::Operation *user) {
    mlir::Operation *first = user;
    std::string layer = layer_of(user);
    int layers = 0;
    for (mlir::Operation *op = user->getPrevNode(); op != nullptr && !is_source(op); op = op->getPrevNode()) {
        if (mlir::isa<ir::StartOp, ir::WaitOp, ir::CollectiveOp>(op))
            continue;
        if ((layer_of(op) != layer && ++layers == 2) ||
            (section_of(op) < section_of(user) && has_changing_weights(user)))
            break;
        layer = layer_of(op);
        first = op;
    }
    return first;
}

mlir::Attribute tensor_name(ir::CollectiveOp op) {
    if (auto name = op->getAttrOfType<mlir::StringAttr>("tensor"))
        return name;
    return mlir::StringAttr::get(op.getContext(), layer_of(op));
}

/// Layers of the members, each once: "h1, h2".
std::string layers(const Members &members) {
    llvm::SetVector<llvm::StringRef> names;
    for (ir::CollectiveOp member : members)
        names.insert(member.getLayer().value_or(""));
    return llvm::join(names, ", ");
}

void split(const Members &members, bool overlap) {
    ir::CollectiveOp first = members.front();
    mlir::OpBuilder builder(first);
    mlir::Operation *producer = last_producer(members);
    mlir::Operation *user = first_user(members);
    if (has_sent(members)) // it leaves at the end of its section
        if (mlir::Operation *behind = behind_section(members.front()); behind->isBeforeInBlock(user))
            user = behind;
    const bool variable = is_variable(producer);
    const bool early = first.getKind() != "slice" && (overlap || members.size() > 1);
    if (early && variable)
        builder.setInsertionPoint(one_layer_ahead(user));
    else if (early && producer != nullptr)
        builder.setInsertionPointAfter(producer);
    else if (early)
        builder.setInsertionPointToStart(first->getBlock());
    llvm::SmallVector<mlir::Value> operands;
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<mlir::Attribute> names;
    for (ir::CollectiveOp member : members) {
        operands.push_back(member.getOperand());
        types.push_back(member.getResult().getType());
        names.push_back(tensor_name(member));
    }
    const auto layer = builder.getStringAttr(layers(members));
    auto start =
        builder.create<ir::StartOp>(first.getLoc(), types, 0, first.getKind(), operands, first.getAxes(),
                                    builder.getArrayAttr(names), layer, first.getPhaseAttr(), ir::StrategyAttr());
    ir::set_method(start, ir::method_of(first)); // the first pays for the call
    if (overlap && first.getKind() != "slice")
        builder.setInsertionPoint(user);
    auto wait = builder.create<ir::WaitOp>(first.getLoc(), types, 0, start.getResults(), layer, first.getPhaseAttr(),
                                           ir::StrategyAttr());
    if (const mlir::Attribute level = first->getAttr("level"))
        start->setAttr("level", level);
    for (auto [index, collective] : llvm::enumerate(members)) {
        mlir::Operation *member = collective;
        member->getResult(0).replaceAllUsesWith(wait.getResult(static_cast<unsigned>(index)));
        member->erase();
    }
}

struct StartCollectives : mlir::PassWrapper<StartCollectives, StepPass> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StartCollectives)

    StartCollectives() = default;
    explicit StartCollectives(bool overlapping) : overlap_(overlapping) {}
    StartCollectives(const StartCollectives &other) : PassWrapper(other), overlap_(other.overlap_) {}

    llvm::StringRef getArgument() const override { return "start-collectives"; }
    llvm::StringRef getDescription() const override {
        return "Split collectives into starts and waits, as far apart as the data allows; number them";
    }

    mlir::LogicalResult run(mlir::func::FuncOp function) override {
        if (function == ir::entry_functions(getOperation()).front())
            next_number_ = 0;
        for (const Members &members : groups(function))
            split(members, overlap_);
        for (auto start : function.getOps<ir::StartOp>()) {
            start.setNumber(next_number_);
            for (mlir::Operation *wait : start->getUsers())
                mlir::cast<ir::WaitOp>(wait).setNumber(next_number_);
            ++next_number_;
        }
        return mlir::success();
    }

  private:
    bool overlap_ = true;
    uint64_t next_number_ = 0; ///< through all entry functions
};

} // namespace

std::unique_ptr<mlir::Pass> start_collectives(bool overlap) {
    return std::make_unique<StartCollectives>(overlap);
}

} // namespace planc::schedule
