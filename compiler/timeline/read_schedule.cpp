#include "timeline/read_schedule.h"

#include "cost/collectives/transfer_price.h"
#include "ir/collective_kind.h"
#include "ir/placement.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/staged.h"
#include "schedule/step_program.h"
#include "timeline/collective_price.h"
#include "timeline/kernel_work.h"
#include "timeline/rank_classes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace planc::timeline {

namespace {

std::string name_of(ir::StartOp start) {
    std::vector<std::string> tensors;
    for (mlir::Attribute tensor : start.getTensors())
        tensors.push_back(mlir::cast<mlir::StringAttr>(tensor).str());
    return planrt::collective_name(ir::collective_kind(start.getKind()).value(), llvm::join(tensors, ", "));
}

std::string name_of(mlir::Operation *op) {
    if (mlir::isa<ir::GemmOp>(op))
        return "product";
    if (mlir::isa<ir::ConvOp>(op))
        return "convolution";
    if (mlir::isa<ir::WriteOp>(op))
        return "copy";
    auto loops = mlir::dyn_cast<ir::LoopsOp>(op);
    if (!loops)
        return op->getName().stripDialect().str();
    std::vector<std::string> functions;
    for (mlir::Operation &inside : loops.getBody().front()) {
        std::string name;
        if (auto pointwise = mlir::dyn_cast<ir::PointwiseOp>(inside))
            name = pointwise.getFunction().str();
        else if (auto reduce = mlir::dyn_cast<ir::ReduceOp>(inside))
            name = reduce.getReduction().str();
        if (!name.empty() && !llvm::is_contained(functions, name))
            functions.push_back(name);
    }
    return "loop: " + planrt::first_ones(llvm::join(functions, ", "));
}

/// The schedule of one role by itself: its classes, kernels and collectives are numbered from 0.
struct RoleSchedule {
    ReadSchedule own;
    /// Actions of the step program between its bodies, each with the index of the action in `own` that follows it.
    std::vector<std::pair<std::size_t, program::Action>> transfers;
};

class Reader {
  public:
    Reader(mlir::ModuleOp module, const schedule::Bodies &bodies, int role, const cost::Machine &machine)
        : module_(module), bodies_(bodies), role_(role), machine_(machine),
          mesh_attribute_(
              schedule::mesh_of(bodies.program().roles[static_cast<std::size_t>(role)], ir::mesh_attribute(module))),
          whole_(ir::mesh_of(ir::mesh_attribute(module))),
          ranks_(bodies.program().roles[static_cast<std::size_t>(role)].ranks), mesh_(ir::mesh_of(mesh_attribute_)),
          reuse_(functions_of(bodies, role)) {}

    RoleSchedule run() {
        program_.actions.emplace_back();
        program_.micro_batches = static_cast<int>(bodies_.program().micro_batches.size());
        std::vector<std::pair<std::size_t, program::Action>> transfers;
        for (const program::Action &action : bodies_.program().actions[static_cast<std::size_t>(role_)])
            if (action.kind == program::ActionKind::run)
                read(action);
            else
                transfers.emplace_back(program_.actions.front().size(), action);
        find_classes();
        for (const auto &[op, work] : works_)
            add_kernel(op, work);
        std::vector<Collective> known;
        for (const auto &[start, price] : prices_)
            known.push_back(collective(mlir::cast<ir::StartOp>(start), price));
        for (const auto &[each, micro_batch] : started_) {
            program_.collectives.push_back(known[static_cast<std::size_t>(each)]);
            program_.collectives.back().micro_batch = micro_batch;
        }
        return {{std::move(program_), std::move(classes_.of_rank), std::move(kernels_)}, std::move(transfers)};
    }

  private:
    void read(const program::Action &run) {
        const program::Body &body = bodies_.program().bodies[static_cast<std::size_t>(run.index)];
        const bool names_stage = bodies_.program().names_stages(role_);
        program_.runs.push_back(
            {planrt::run_name(body.kind, run.micro_batch, names_stage ? std::optional(body.stage) : std::nullopt),
             body.kind, body.stage, run.micro_batch});
        read(bodies_.functions()[static_cast<std::size_t>(run.index)], run);
    }

    void read(mlir::func::FuncOp function, const program::Action &run) {
        for (mlir::Operation &op : function.getBody().front()) {
            if (auto start = mlir::dyn_cast<ir::StartOp>(op)) {
                if (start.getKind() == "slice")
                    continue;
                const auto [at, added] = starts_.insert({&op, static_cast<int>(starts_.size())});
                if (added)
                    prices_.emplace_back(&op, CollectivePrice(start, wait_of(start.getNumber()), mesh_attribute_,
                                                              whole_, ranks_, machine_, known_));
                instance_[{start.getNumber(), run.slot}] = static_cast<int>(started_.size());
                add(ActionKind::start, static_cast<int>(started_.size()));
                started_.emplace_back(at->second, run.micro_batch);
            } else if (auto wait = mlir::dyn_cast<ir::WaitOp>(op); wait && wait->hasAttr(schedule::staged_attribute)) {
                read_pieces(wait, run);
            } else if (wait) {
                if (const auto at = instance_.find({wait.getNumber(), run.slot}); at != instance_.end())
                    add(ActionKind::wait, at->second);
            } else if (mlir::isa<ir::ProgressOp>(op)) {
                add(ActionKind::progress, 0);
            } else if (takes_time(&op, symbols_) && !schedule::staged_wait(&op)) {
                compute(&op);
            }
        }
    }

    /// The products of a gather in pieces: all of them with each piece.
    void read_pieces(ir::WaitOp wait, const program::Action &run) {
        const int pieces = 1 + schedule::collective_info(schedule::start_of(wait), mesh_attribute_).staged_rounds;
        for (int piece = 0; piece < pieces; ++piece) {
            if (piece > 0)
                add(ActionKind::wait, instance_.at({wait.getNumber(), run.slot}), piece);
            for (mlir::Operation *product : schedule::products_of(wait))
                compute(product);
        }
    }

    void compute(mlir::Operation *op) {
        const auto [at, added] = kernels_.insert({op, static_cast<int>(kernels_.size())});
        if (added)
            works_.emplace_back(op, KernelWork(op, mesh_attribute_, reuse_));
        add(ActionKind::compute, at->second);
    }

    void add(ActionKind kind, int index, int rounds = 0) {
        program_.actions.front().push_back({kind, index, static_cast<int>(program_.runs.size()) - 1, rounds});
    }

    /// The wait of this number, which may be in another body.
    ir::WaitOp wait_of(uint64_t number) {
        if (waits_.empty())
            module_.walk([&](ir::WaitOp wait) { waits_[wait.getNumber()] = wait; });
        return waits_.lookup(number);
    }

    void find_classes() {
        std::vector<std::vector<std::int64_t>> numbers;
        std::set<std::vector<int>> groups;
        for (const auto &[op, work] : works_)
            for (const planrt::DimensionPlacement &dimension : work.dimensions())
                note_blocks(dimension, numbers);
        for (const auto &[op, price] : prices_) {
            groups.insert(price.axes());
            for (std::vector<std::int64_t> &column : price.numbers())
                if (std::adjacent_find(column.begin(), column.end(), std::not_equal_to<>()) != column.end())
                    numbers.push_back(std::move(column));
        }
        classes_ = rank_classes(mesh_, numbers, {groups.begin(), groups.end()});
        program_.classes = classes_.classes;
        for (const RankClass &ranks : program_.classes)
            first_ranks_.push_back(ranks.first);
    }

    void note_blocks(const planrt::DimensionPlacement &dimension, std::vector<std::vector<std::int64_t>> &numbers) {
        if (is_even(dimension, mesh_) || llvm::is_contained(noted_, dimension))
            return;
        noted_.push_back(dimension);
        std::vector<std::int64_t> &column = numbers.emplace_back();
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            column.push_back(local_extent(dimension, mesh_, mesh_.coordinates(rank)));
    }

    /// The axes that cut any dimension of the kernel unevenly, ascending.
    [[nodiscard]] std::vector<int> axes_of(const KernelWork &work) const {
        std::vector<int> axes;
        for (const planrt::DimensionPlacement &dimension : work.dimensions())
            for (const int axis : dimension.axes)
                if (!is_even(dimension, mesh_) && !llvm::is_contained(axes, axis))
                    axes.push_back(axis);
        std::sort(axes.begin(), axes.end());
        return axes;
    }

    void add_kernel(mlir::Operation *op, const KernelWork &work) {
        Kernel kernel{name_of(op), schedule::layer_of(op), schedule::phase_of(op), {}};
        if (kernel.phase.empty()) // copies of variables
            kernel.phase = "update";
        const std::vector<int> axes = axes_of(work);
        std::map<std::vector<int>, cost::Seconds> known; // by coordinates along these
        for (const RankClass &ranks : program_.classes) {
            const std::vector<int> coordinates = mesh_.coordinates(ranks.first);
            std::vector<int> telling;
            for (const int axis : axes)
                telling.push_back(coordinates[static_cast<std::size_t>(axis)]);
            const auto [at, is_new] = known.try_emplace(std::move(telling));
            if (is_new)
                at->second = seconds(op, work, coordinates);
            kernel.seconds.push_back(at->second);
        }
        program_.kernels.push_back(std::move(kernel));
    }

    /// Of a product with pieces: with one of them; the result is read and written once more for each.
    cost::Seconds seconds(mlir::Operation *op, const KernelWork &work, const std::vector<int> &coordinates) {
        const cost::Seconds whole = work.seconds(coordinates, mesh_, machine_);
        const ir::WaitOp wait = schedule::staged_wait(op);
        if (!wait)
            return whole;
        const int pieces = 1 + schedule::collective_info(schedule::start_of(wait), mesh_attribute_).staged_rounds;
        const ir::TensorType result = schedule::tensor(op->getResult(0));
        const double bytes = static_cast<double>(planrt::local_volume(ir::placement_of(result, mesh_attribute_), mesh_,
                                                                      mesh_.rank(coordinates))) *
                             (result.getElementType().getIntOrFloatBitWidth() / 8);
        const double passes = schedule::adds_up(op) ? 2.0 * (pieces - 1) : 0;
        return (1.0 / pieces) * (whole + cost::Seconds(passes * bytes / machine_.memory_bytes_per_second));
    }

    Collective collective(ir::StartOp start, const CollectivePrice &price) {
        Collective result{
            name_of(start), planrt::first_ones(schedule::layer_of(start)), schedule::phase_of(start), {}, {}};
        const std::vector<CollectivePrice::Rank> by_class = price.on(first_ranks_);
        const Meetings &all = meetings(price.axes());
        result.group_of = all.group_of;
        result.staged = start->hasAttr(schedule::staged_attribute);
        if (std::any_of(by_class.begin(), by_class.end(), [](const auto &rank) { return rank.work.value > 0; }))
            for (const CollectivePrice::Rank &rank : by_class)
                result.work.push_back(rank.work);
        for (const std::vector<int> &members : all.groups) {
            Group &group = result.groups.emplace_back();
            group.members = members;
            for (int member : members) {
                const CollectivePrice::Rank &rank = by_class[static_cast<std::size_t>(member)];
                const cost::Seconds on_links = rank.seconds - rank.work;
                if (on_links.value > 0)
                    group.senders.push_back(member);
                if (on_links > group.seconds)
                    group.latency = rank.latency;
                group.seconds = std::max(group.seconds, on_links);
                group.rounds = std::max(group.rounds, rank.rounds);
            }
            group.receivers = group.senders;
            group.stays_inside = price.group().stays_inside();
            group.leaves = price.group().leaves();
        }
        return result;
    }

    /// The groups over some axes, by the classes of their members, and for each class the index of its group.
    struct Meetings {
        std::vector<std::vector<int>> groups;
        std::vector<int> group_of;
    };
    const Meetings &meetings(const std::vector<int> &axes) {
        const auto [at, is_new] = meetings_.try_emplace(axes);
        Meetings &result = at->second;
        std::map<std::vector<int>, int> known;
        for (std::size_t c = 0; is_new && c < program_.classes.size(); ++c) {
            std::vector<int> members = classes_in_group(classes_, mesh_, program_.classes[c].first, axes);
            const auto [group, is_first] = known.emplace(members, static_cast<int>(known.size()));
            result.group_of.push_back(group->second);
            if (is_first)
                result.groups.push_back(std::move(members));
        }
        return result;
    }

    mlir::ModuleOp module_;
    const schedule::Bodies &bodies_;
    int role_;
    const cost::Machine &machine_;
    ir::MeshAttr mesh_attribute_; ///< of the role's ranks
    planrt::Mesh whole_;
    planrt::Role ranks_;
    planrt::Mesh mesh_;
    Reuse reuse_;
    Program program_;
    RankClasses classes_;
    std::vector<int> first_ranks_; ///< by class
    KnownCollectives known_;
    std::map<std::vector<int>, Meetings> meetings_;  ///< by axes
    llvm::DenseMap<mlir::Operation *, int> kernels_; ///< numbers
    llvm::DenseMap<mlir::Operation *, int> starts_;
    mlir::SymbolTableCollection symbols_;
    std::vector<std::pair<mlir::Operation *, KernelWork>> works_;
    std::vector<std::pair<mlir::Operation *, CollectivePrice>> prices_;
    /// By collective of the program: number of its plan.start, micro-batch.
    std::vector<std::pair<int, int>> started_;
    std::map<std::pair<uint64_t, int>, int> instance_; ///< by number and slot: the collective that was started last
    llvm::DenseMap<uint64_t, ir::WaitOp> waits_;
    std::vector<planrt::DimensionPlacement> noted_;
};

/// Joins the schedules of the roles, with the transfers between them.
class Joining {
  public:
    Joining(mlir::ModuleOp module, const schedule::Bodies &bodies, const cost::Machine &machine)
        : bodies_(bodies), program_(bodies.program()), mesh_attribute_(ir::mesh_attribute(module)),
          mesh_(ir::mesh_of(mesh_attribute_)), machine_(machine) {}

    ReadSchedule run(std::vector<RoleSchedule> roles) {
        joined_.class_of_rank.resize(static_cast<std::size_t>(mesh_.ranks()));
        joined_.program.micro_batches = static_cast<int>(program_.micro_batches.size());
        for (std::size_t role = 0; role < roles.size(); ++role) {
            joined_.program.roles.push_back(program_.roles[role].name);
            add(static_cast<int>(role), std::move(roles[role]));
        }
        for (Kernel &kernel : joined_.program.kernels)
            kernel.seconds.resize(joined_.program.classes.size());
        for (Collective &collective : joined_.program.collectives)
            if (!collective.groups.empty()) // not a transfer, which is completed below
                collective.group_of.resize(joined_.program.classes.size(), -1);
        for (const auto &[key, number] : instances_)
            complete(program_.transfers[static_cast<std::size_t>(key.first)],
                     joined_.program.collectives[static_cast<std::size_t>(number)]);
        return std::move(joined_);
    }

  private:
    void add(int role, RoleSchedule schedule) {
        Program &all = joined_.program;
        const planrt::Role &ranks = program_.roles[static_cast<std::size_t>(role)].ranks;
        const auto first_class = static_cast<int>(all.classes.size());
        const auto first_kernel = static_cast<int>(all.kernels.size());
        const auto first_collective = static_cast<int>(all.collectives.size());
        const auto first_run = static_cast<int>(all.runs.size());
        for (Run &run : schedule.own.program.runs)
            all.runs.push_back(std::move(run));
        for (RankClass each : schedule.own.program.classes)
            all.classes.push_back({ranks.rank_of(mesh_, each.first), each.ranks, role});
        for (std::size_t rank = 0; rank < schedule.own.class_of_rank.size(); ++rank)
            joined_.class_of_rank[static_cast<std::size_t>(ranks.rank_of(mesh_, static_cast<int>(rank)))] =
                first_class + schedule.own.class_of_rank[rank];
        for (Kernel &kernel : schedule.own.program.kernels) {
            kernel.seconds.insert(kernel.seconds.begin(), static_cast<std::size_t>(first_class), Seconds(0));
            all.kernels.push_back(std::move(kernel));
        }
        for (const auto &[op, number] : schedule.own.kernels)
            joined_.kernels[op] = first_kernel + number;
        for (Collective &collective : schedule.own.program.collectives) {
            for (Group &group : collective.groups)
                for (std::vector<int> *members : {&group.members, &group.senders, &group.receivers})
                    for (int &member : *members)
                        member += first_class;
            const auto before = static_cast<std::size_t>(first_class);
            collective.group_of.insert(collective.group_of.begin(), before, -1);
            if (!collective.work.empty())
                collective.work.insert(collective.work.begin(), before, Seconds(0));
            all.collectives.push_back(std::move(collective));
        }
        std::vector<Action> &actions = all.actions.emplace_back();
        auto transfer = schedule.transfers.begin();
        const std::vector<Action> &own = schedule.own.program.actions.front();
        for (std::size_t at = 0; at <= own.size(); ++at) {
            for (; transfer != schedule.transfers.end() && transfer->first == at; ++transfer)
                add(role, transfer->second, actions);
            if (at == own.size())
                break;
            const int first = own[at].kind == ActionKind::compute    ? first_kernel
                              : own[at].kind == ActionKind::progress ? 0
                                                                     : first_collective;
            actions.push_back({own[at].kind, first + own[at].index, first_run + own[at].run, own[at].rounds});
        }
    }

    void add(int role, const program::Action &action, std::vector<Action> &actions) {
        if (action.kind == program::ActionKind::progress) {
            actions.push_back({ActionKind::progress, 0});
            return;
        }
        const bool moves = action.kind == program::ActionKind::move;
        if (moves && stays_on_rank(action.index))
            return;
        const auto key = std::pair(action.index, program_.owner(action.micro_batch));
        const auto [known, is_new] = instances_.try_emplace(key, static_cast<int>(joined_.program.collectives.size()));
        if (is_new)
            joined_.program.collectives.emplace_back().micro_batch = action.micro_batch;
        const bool waits =
            moves || action.kind == program::ActionKind::wait || action.kind == program::ActionKind::receive;
        if (action.kind != program::ActionKind::wait && started_.insert({role, known->second}).second)
            actions.push_back({ActionKind::start, known->second});
        if (waits)
            actions.push_back({ActionKind::wait, known->second});
    }

    /// Whether nothing of it travels: it takes no time.
    [[nodiscard]] bool stays_on_rank(int transfer) {
        const auto [known, is_new] = stays_.try_emplace(transfer, true);
        if (is_new)
            for (const schedule::Predicted &rank : schedule::predicted(
                     schedule::transfer_info(bodies_, program_.transfers[static_cast<std::size_t>(transfer)],
                                             mesh_attribute_),
                     mesh_))
                known->second = known->second && rank.calls == 0;
        return known->second;
    }

    /// Makes one group of all participants: none of them continues before the slowest has arrived.
    void complete(const program::Transfer &transfer, Collective &collective) {
        const schedule::TransferInfo info = schedule::transfer_info(bodies_, transfer, mesh_attribute_);
        collective.name = planrt::transfer_name(transfer.name);
        collective.layer = transfer.name;
        collective.phase = "transfer";
        collective.between_roles = true;
        Group &group = collective.groups.emplace_back();
        group.stays_inside = false;
        const std::vector<RankClass> &classes = joined_.program.classes;
        for (std::size_t each = 0; each < classes.size(); ++each) {
            if (classes[each].role != info.from_role && classes[each].role != info.to_role) {
                collective.group_of.push_back(-1);
                continue;
            }
            collective.group_of.push_back(0);
            group.members.push_back(static_cast<int>(each));
        }
        for (int rank = 0; rank < mesh_.ranks(); ++rank) {
            const int of_class = joined_.class_of_rank[static_cast<std::size_t>(rank)];
            const cost::TransferPrice own = transfers_(info.from, info.to, info.element_bytes, rank);
            const cost::Price &price = own.price;
            if (price.seconds().value <= 0)
                continue;
            group.stays_inside |= own.stays_inside;
            group.leaves |= own.leaves;
            const int role = classes[static_cast<std::size_t>(of_class)].role;
            if (role == info.from_role && !llvm::is_contained(group.senders, of_class))
                group.senders.push_back(of_class);
            if (role == info.to_role && !llvm::is_contained(group.receivers, of_class))
                group.receivers.push_back(of_class);
            if (price.seconds() > group.seconds)
                group.latency = price.latency;
            group.seconds = std::max(group.seconds, price.seconds());
        }
    }

    const schedule::Bodies &bodies_;
    const program::Program &program_;
    ir::MeshAttr mesh_attribute_;
    planrt::Mesh mesh_;
    const cost::Machine &machine_;
    cost::TransferPrices transfers_{mesh_, machine_};
    ReadSchedule joined_;
    std::map<std::pair<int, int>, int> instances_; ///< by transfer and micro-batch: collective
    std::set<std::pair<int, int>> started_;        ///< role, collective
    std::map<int, bool> stays_;                    ///< by transfer
};

} // namespace

Program read_schedule(mlir::ModuleOp scheduled, const cost::Machine &machine) {
    return read_whole_schedule(scheduled, machine).program;
}

ReadSchedule read_whole_schedule(mlir::ModuleOp scheduled, const cost::Machine &machine) {
    const schedule::Bodies bodies(scheduled);
    std::vector<RoleSchedule> roles;
    for (int role = 0; role < static_cast<int>(bodies.program().roles.size()); ++role)
        roles.push_back(Reader(scheduled, bodies, role, machine).run());
    if (bodies.program().transfers.empty())
        return std::move(roles.front().own);
    return Joining(scheduled, bodies, machine).run(std::move(roles));
}

} // namespace planc::timeline
