#include "interpret/step.h"

#include "interpret/copies.h"
#include "interpret/interpreter.h"
#include "interpret/stages.h"
#include "interpret/whole_batch.h"
#include "program/check.h"
#include "schedule/collective_info.h"
#include "schedule/communication.h"
#include "schedule/step_program.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <set>
#include <utility>

namespace planc::interpret {

using program::Action;
using program::ActionKind;

namespace {

/// What a value of the program is in one slot of its role.
struct Passed {
    Parts parts;              ///< by rank within the role
    std::optional<int> place; ///< in the arena
};

/// The ranks of one role, and what they hold.
struct RoleRanks {
    std::unique_ptr<Interpreter> interpreter;
    std::map<std::pair<int, int>, Passed> passed; ///< by value and slot
    std::size_t placed = 0;                       ///< how many of its actions have changed the arena
};

class StepRun {
  public:
    StepRun(mlir::ModuleOp module, const Inputs &inputs)
        : module_(module), inputs_(inputs), bodies_(module), program_(bodies_.program()),
          mesh_attribute_(ir::mesh_attribute(module)), mesh_(ir::mesh_of(mesh_attribute_)),
          next_(static_cast<std::size_t>(mesh_.ranks()), 0) {
        if (const std::string wrong = program::fault(program_, mesh_); !wrong.empty())
            throw Failure(wrong);
        if (const std::string wrong = schedule::communication_fault(module, bodies_); !wrong.empty())
            throw Failure(wrong);
        inputs_.accumulators.clear();
        fill_copies(module, inputs_.variables);
        for (int role = 0; role < static_cast<int>(program_.roles.size()); ++role) {
            const program::Role &of = program_.roles[static_cast<std::size_t>(role)];
            const Slots slots{of.slots, of.slot_offset, of.slot_bytes};
            roles_.push_back(
                {std::make_unique<Interpreter>(module, schedule::mesh_of(of, mesh_attribute_), role, slots, inputs_),
                 {}});
        }
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            for (int role = 0; role < static_cast<int>(program_.roles.size()); ++role)
                if (const int within = ranks_of(role).rank_within(mesh_, rank); within >= 0)
                    places_.push_back({role, within});
        for (const program::Transfer &transfer : program_.transfers) {
            transfers_.push_back(schedule::transfer_info(bodies_, transfer, mesh_attribute_));
            check_transfer(transfers_.back(), transfer.name);
            CollectiveRecord record{"transfer", transfer.name, "transfer", transfers_.back().element_bytes, {}};
            record.traffic.resize(next_.size());
            transfer_records_.push_back(std::move(record));
        }
    }

    Outcome run() {
        bool any = true;
        while (any) {
            any = false;
            for (int rank = 0; rank < mesh_.ranks(); ++rank)
                while (advance(rank))
                    any = true;
            any = std::exchange(begins_, false) || any;
        }
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            if (!is_done(rank))
                throw Failure("all ranks wait for each other: " + where_all_are());
        return outcome();
    }

  private:
    struct RankPlace {
        int role;
        int within;
    };

    [[nodiscard]] const planrt::Role &ranks_of(int role) const {
        return program_.roles[static_cast<std::size_t>(role)].ranks;
    }
    [[nodiscard]] const RankPlace &place(int rank) const { return places_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] RoleRanks &role_of(int rank) { return roles_[static_cast<std::size_t>(place(rank).role)]; }
    [[nodiscard]] std::size_t &next(int rank) { return next_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const std::vector<Action> &actions_of(int rank) const {
        return program_.actions[static_cast<std::size_t>(place(rank).role)];
    }
    [[nodiscard]] bool is_done(int rank) const {
        return next_[static_cast<std::size_t>(rank)] == actions_of(rank).size();
    }

    std::string where_all_are() {
        std::string text;
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            text += (rank == 0 ? "rank " : ", rank ") + std::to_string(rank) + " at " +
                    (is_done(rank) ? "the end" : "'" + program::text(program_, actions_of(rank)[next(rank)]) + "'");
        return text;
    }

    /// Runs the rank's next action if it can continue. A body runs for all ranks of the role at once.
    bool advance(int rank) {
        if (is_done(rank))
            return false;
        const Action &action = actions_of(rank)[next(rank)];
        try {
            switch (action.kind) {
            case ActionKind::run:
                return run_together(rank, action);
            case ActionKind::send:
                send(rank, action);
                break;
            case ActionKind::receive:
                begin(rank, action);
                if (!receive(rank, action))
                    return false;
                break;
            case ActionKind::start:
                begin(rank, action);
                change_arena(rank, action);
                break;
            case ActionKind::wait:
                if (!has_left(rank, action))
                    return false;
                change_arena(rank, action);
                break;
            case ActionKind::move:
                if (!begun_.contains({action.index, rank, owner(action)}))
                    send(rank, action);
                begin(rank, action);
                if (!receive(rank, action))
                    return false;
                break;
            case ActionKind::progress:
                break;
            }
        } catch (const Failure &failure) {
            throw Failure(std::string(failure.what()) + "\n  in '" + program::text(program_, action) + "'");
        }
        ++next(rank);
        return true;
    }

    bool run_together(int rank, const Action &action) {
        std::vector<int> together;
        for (int other = 0; other < mesh_.ranks(); ++other)
            if (place(other).role == place(rank).role) {
                if (next(other) != next(rank))
                    return false;
                together.push_back(other);
            }
        run_body(role_of(rank), action);
        role_of(rank).placed = next(rank) + 1;
        for (const int each : together)
            ++next(each);
        return true;
    }

    void run_body(RoleRanks &role, const Action &action) {
        const program::Body &body = program_.bodies[static_cast<std::size_t>(action.index)];
        mlir::func::FuncOp function = bodies_.functions()[static_cast<std::size_t>(action.index)];
        Interpreter &interpreter = *role.interpreter;
        const program::MicroBatch &part = program_.micro_batches[static_cast<std::size_t>(action.micro_batch)];
        interpreter.places().set_slot(action.slot);
        for (const int loaded : body.loads)
            load(role, loaded, action.slot, part);
        interpreter.set_first_sample(part.first);
        interpreter.set_step(inputs_.step * program_.updates() + part.update);
        for (auto [argument, value] : llvm::zip(function.getArguments(), body.takes)) {
            const Passed &passed = role.passed[{value, action.slot}];
            interpreter.set_value(argument, passed.parts);
            if (passed.place)
                interpreter.places().set_place(argument, *passed.place);
        }
        interpreter.visit_body(function);
        for (auto [returned, value] : llvm::zip(function.getBody().front().getTerminator()->getOperands(), body.gives))
            role.passed[{value, action.slot}] = {interpreter.value(returned), interpreter.places().place_of(returned)};
        for (CollectiveRecord &record : interpreter.take_records())
            records_.push_back(of_all_ranks(std::move(record), body.role));
    }

    /// A graph has fields whose rows are no samples; these are taken whole.
    static void check_part(const Array &field, ir::TensorType taken, const program::MicroBatch &part) {
        if (field.extents.empty() || (part.first == 0 && taken.getExtents().front() == field.extents.front()))
            return;
        if (part.first + part.samples > field.extents.front())
            throw Failure("a micro-batch ends at sample " + std::to_string(part.first + part.samples) + " of " +
                          std::to_string(field.extents.front()));
    }

    /// Loads a field of the data set for the micro-batch.
    void load(RoleRanks &role, int value, int slot, const program::MicroBatch &part) {
        const std::vector<mlir::BlockArgument> &takers = bodies_.takers(value);
        if (takers.empty())
            return;
        mlir::BlockArgument argument = takers.front();
        Interpreter &interpreter = *role.interpreter;
        auto taking = mlir::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
        if (const auto field = inputs_.fields.find(program_.values[static_cast<std::size_t>(value)].name);
            field != inputs_.fields.end())
            check_part(field->second, ir::type_of(argument), part);
        interpreter.set_fields(inputs_of_part(taking, inputs_, part.first).fields);
        interpreter.load(argument);
        interpreter.places().write_value(argument, program_.values[static_cast<std::size_t>(value)].offset,
                                         "input " + program_.values[static_cast<std::size_t>(value)].name);
        role.passed[{value, slot}] = {interpreter.value(argument), interpreter.places().place_of(argument)};
    }

    /// Turns a record of a role's ranks into one by rank of the whole mesh.
    [[nodiscard]] CollectiveRecord of_all_ranks(CollectiveRecord record, int role) const {
        std::vector<planrt::Traffic> all(next_.size());
        for (std::size_t within = 0; within < record.traffic.size(); ++within)
            all[static_cast<std::size_t>(ranks_of(role).rank_of(mesh_, static_cast<int>(within)))] =
                record.traffic[within];
        record.traffic = std::move(all);
        return record;
    }

    struct Message {
        int micro_batch;
        planrt::Box box;
        Local part;
    };

    void send(int rank, const Action &action) {
        if (action.kind == ActionKind::send)
            change_arena(rank, action);
        const schedule::TransferInfo &info = transfers_[static_cast<std::size_t>(action.index)];
        const Local &own = passed(rank, program_.transfers[static_cast<std::size_t>(action.index)].from, action.slot)
                               .parts[static_cast<std::size_t>(place(rank).within)];
        planrt::Traffic &traffic =
            transfer_records_[static_cast<std::size_t>(action.index)].traffic[static_cast<std::size_t>(rank)];
        planrt::Exchange exchange = planrt::exchange(info.from, info.to, mesh_, rank);
        for (const planrt::Box &kept : exchange.kept)
            mail_[{action.index, rank, rank}].push_back(
                {owner(action), kept, extract(own, kept, {0, planrt::volume(kept)})});
        for (const planrt::Transfer &to : exchange.sends) {
            if (!contains(own.box, to.box))
                throw Failure("rank " + std::to_string(rank) + " is to send elements that it does not have");
            mail_[{action.index, rank, to.peer}].push_back(
                {owner(action), to.box, extract(own, to.box, {0, planrt::volume(to.box)})});
            ++traffic.calls;
            traffic.elements += planrt::volume(to.box);
        }
    }

    [[nodiscard]] int owner(const Action &action) const { return program_.owner(action.micro_batch); }

    /// From now on the rank has room for what it receives.
    void begin(int rank, const Action &action) {
        begins_ = begun_.insert({action.index, rank, owner(action)}).second || begins_;
    }

    /// A large message leaves only after its receiver has begun to receive it.
    bool has_left(int rank, const Action &action) {
        const schedule::TransferInfo &info = transfers_[static_cast<std::size_t>(action.index)];
        const auto to = planrt::exchange(info.from, info.to, mesh_, rank).sends;
        return std::all_of(to.begin(), to.end(), [&](const planrt::Transfer &each) {
            return begun_.contains({action.index, each.peer, owner(action)});
        });
    }

    /// Returns false if something has not been sent yet.
    bool receive(int rank, const Action &action) {
        const schedule::TransferInfo &info = transfers_[static_cast<std::size_t>(action.index)];
        planrt::Exchange exchange = planrt::exchange(info.from, info.to, mesh_, rank);
        std::vector<planrt::Transfer> from = std::move(exchange.receives);
        for (planrt::Box &kept : exchange.kept)
            from.push_back({rank, std::move(kept)});
        const auto mail = [&](int peer) -> std::deque<Message> & { return mail_[{action.index, peer, rank}]; };
        const auto message_from = [&](int peer) {
            return std::find_if(mail(peer).begin(), mail(peer).end(),
                                [&](const Message &each) { return each.micro_batch == owner(action); });
        };
        if (std::any_of(from.begin(), from.end(),
                        [&](const auto &each) { return message_from(each.peer) == mail(each.peer).end(); }))
            return false;
        const int value = program_.transfers[static_cast<std::size_t>(action.index)].to;
        Layouts &layouts = role_of(rank).interpreter->layouts();
        const Layout &layout = layouts.of(ir::type_of(bodies_.of(value)));
        const auto within = static_cast<std::size_t>(place(rank).within);
        Local whole(layout.boxes[within]);
        std::int64_t filled = 0;
        for (const planrt::Transfer &each : from) {
            const auto found = message_from(each.peer);
            const Message message = std::move(*found);
            mail(each.peer).erase(found);
            if (message.box != each.box)
                throw Failure("rank " + std::to_string(rank) + " receives an unexpected message");
            for_each_offset(whole.box, each.box, [&](std::size_t at, std::size_t local) {
                whole.elements[at] = message.part.elements[local];
            });
            filled += planrt::volume(each.box);
        }
        if (filled != planrt::volume(whole.box))
            throw Failure("rank " + std::to_string(rank) + " does not get all of its part");
        change_arena(rank, action);
        Parts &parts = passed(rank, value, action.slot).parts;
        parts.resize(static_cast<std::size_t>(layouts.mesh().ranks()));
        parts[within] = std::move(whole);
        return true;
    }

    Passed &passed(int rank, int value, int slot) { return role_of(rank).passed[{value, slot}]; }

    /// Applies an action to the arena of the role when the first of its ranks reaches it.
    void change_arena(int rank, const Action &action) {
        RoleRanks &role = role_of(rank);
        if (role.placed > next(rank))
            return;
        role.placed = next(rank) + 1;
        Places &places = role.interpreter->places();
        places.set_slot(action.slot);
        const program::Transfer &transfer = program_.transfers[static_cast<std::size_t>(action.index)];
        if (action.kind == ActionKind::wait)
            return places.wait_transfer(action.index);
        if (action.kind == ActionKind::send) {
            const std::optional<int> sent = passed(rank, transfer.from, action.slot).place;
            if (!sent)
                return;
            places.read_place(*sent);
            return places.start_transfer(action.index, {*sent}, {}, scratch_of(action));
        }
        if (action.kind == ActionKind::move)
            if (const std::optional<int> moved = passed(rank, transfer.from, action.slot).place)
                places.read_place(*moved);
        Passed &received = passed(rank, transfer.to, action.slot);
        if (action.kind == ActionKind::receive && arriving_.erase({transfer.to, action.slot}) > 0)
            return places.wait_transfer(action.index);
        const mlir::Value value = bodies_.of(transfer.to);
        places.write_value(value, program_.values[static_cast<std::size_t>(transfer.to)].offset,
                           "received " + transfer.name);
        received.place = places.place_of(value);
        if (action.kind == ActionKind::start && received.place) {
            arriving_.insert({transfer.to, action.slot});
            places.start_transfer(action.index, {}, {*received.place}, scratch_of(action));
        }
    }

    [[nodiscard]] Scratch scratch_of(const Action &action) const {
        const program::Transfer &transfer = program_.transfers[static_cast<std::size_t>(action.index)];
        return {action.kind == ActionKind::send ? transfer.scratch_offset : transfer.to_scratch_offset,
                schedule::scratch_bytes(transfers_[static_cast<std::size_t>(action.index)], mesh_)};
    }

    Outcome outcome() {
        Outcome outcome;
        if (program_.loss >= 0) {
            RoleRanks &role =
                roles_[static_cast<std::size_t>(program_.values[static_cast<std::size_t>(program_.loss)].role)];
            outcome.results.push_back(role.interpreter->whole(bodies_.of(program_.loss)));
            if (const auto place = role.interpreter->places().place_of(bodies_.of(program_.loss)))
                role.interpreter->places().read_place(*place);
        }
        for (std::size_t role = 0; role < roles_.size(); ++role) {
            roles_[role].interpreter->places().spend_sums();
            roles_[role].interpreter->places().check_end({});
            const Inputs &now = roles_[role].interpreter->inputs();
            for (const program::Variable &variable : program_.variables) {
                if (variable.role != static_cast<int>(role))
                    continue;
                if (const auto at = now.variables.find(variable.name); at != now.variables.end())
                    outcome.variables[variable.name] = at->second;
                if (const auto at = now.accumulators.find(variable.name); at != now.accumulators.end())
                    outcome.accumulators[variable.name] = at->second;
            }
        }
        check_copies(module_, outcome.variables);
        outcome.collectives = std::move(records_);
        for (CollectiveRecord &record : transfer_records_)
            outcome.collectives.push_back(std::move(record));
        return outcome;
    }

    mlir::ModuleOp module_;
    Inputs inputs_; ///< the whole batch
    schedule::Bodies bodies_;
    const program::Program &program_;
    ir::MeshAttr mesh_attribute_;
    planrt::Mesh mesh_;
    std::vector<std::size_t> next_; ///< action of each rank
    std::vector<RoleRanks> roles_;
    std::vector<RankPlace> places_; ///< by rank
    std::vector<schedule::TransferInfo> transfers_;
    std::map<std::tuple<int, int, int>, std::deque<Message>> mail_; ///< by transfer, sender, receiver
    std::set<std::pair<int, int>> arriving_;                        ///< values and slots with an active receive
    std::set<std::tuple<int, int, int>> begun_; ///< receives, also of the past: transfer, rank, micro-batch
    bool begins_ = false;                       ///< has one begun in this round?
    std::vector<CollectiveRecord> records_;
    std::vector<CollectiveRecord> transfer_records_; ///< by transfer, of the whole step
};

} // namespace

Outcome run_step_program(mlir::ModuleOp module, const Inputs &inputs) {
    return StepRun(module, inputs).run();
}

} // namespace planc::interpret
