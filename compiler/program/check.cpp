#include "program/check.h"

#include <algorithm>
#include <map>
#include <set>

namespace planc::program {

namespace {

template <class Items> bool has(const Items &items, int index) {
    return index >= 0 && index < static_cast<int>(items.size());
}

class Check {
  public:
    Check(const Program &program, const planrt::Mesh &mesh) : program_(program), mesh_(mesh) {}

    std::string run() {
        if (std::string wrong = broken_reference(program_); !wrong.empty())
            return wrong;
        if (std::string wrong = names(); !wrong.empty())
            return wrong;
        if (std::string wrong = roles(); !wrong.empty())
            return wrong;
        for (int role = 0; role < static_cast<int>(program_.roles.size()); ++role)
            if (std::string wrong = actions(role); !wrong.empty())
                return wrong;
        return {};
    }

  private:
    /// Actions name bodies and transfers as text.
    [[nodiscard]] std::string names() const {
        std::set<std::string> bodies;
        for (const Body &body : program_.bodies)
            if (!bodies.insert(body.function).second)
                return "two bodies are called '" + body.function + "'";
        std::set<std::string> transfers;
        for (const Transfer &transfer : program_.transfers)
            if (!transfers.insert(transfer.name).second)
                return "two transfers are called '" + transfer.name + "'";
        return {};
    }

    [[nodiscard]] std::string roles() const {
        for (const Role &role : program_.roles) {
            const planrt::Box &ranks = role.ranks.coordinates;
            if (!ranks.empty() && (ranks.size() != mesh_.sizes.size() || planrt::volume(ranks) == 0))
                return "role '" + role.name + "' is not a part of the mesh";
            if (role.slots < 1 || (role.slots > 1 && role.slot_bytes <= 0))
                return "role '" + role.name + "' has slots without a size";
        }
        for (int rank = 0; rank < mesh_.ranks(); ++rank) {
            const auto found = std::count_if(program_.roles.begin(), program_.roles.end(), [&](const Role &role) {
                return role.ranks.rank_within(mesh_, rank) >= 0;
            });
            if (found != 1)
                return "rank " + std::to_string(rank) + " has " + std::to_string(found) + " roles";
        }
        return {};
    }

    /// Where a value of a role is, in a slot.
    struct Place {
        int micro_batch = -1;  ///< whose value it is; -1: none yet
        std::set<int> leaving; ///< transfers that are sending it
        int arriving = -1;     ///< transfer that is receiving it; -1: none
        [[nodiscard]] bool in_flight() const { return !leaving.empty() || arriving >= 0; }
    };

    std::string actions(int role) {
        places_.clear();
        for (const Action &action : program_.actions[static_cast<std::size_t>(role)]) {
            std::string wrong = known(role, action);
            if (wrong.empty())
                wrong = action.kind == ActionKind::run ? run(action) : move(role, action);
            if (!wrong.empty())
                return "role " + program_.roles[static_cast<std::size_t>(role)].name + ", " + wrong;
        }
        return {};
    }

    std::string known(int role, const Action &action) const {
        const bool is_run = action.kind == ActionKind::run;
        const bool is_transfer = !is_run && action.kind != ActionKind::progress;
        if ((is_run && !has(program_.bodies, action.index)) || (is_transfer && !has(program_.transfers, action.index)))
            return "an action names something that does not exist";
        if (!has(program_.micro_batches, action.micro_batch) || action.slot < 0 ||
            action.slot >= program_.roles[static_cast<std::size_t>(role)].slots)
            return at(action) + ": there is no such micro-batch or slot";
        if (is_run && program_.bodies[static_cast<std::size_t>(action.index)].role != role)
            return at(action) + ": the body is another role's";
        if (is_transfer && value(end(role, action)).role != role)
            return at(action) + ": neither end is of this role";
        return {};
    }

    std::string run(const Action &action) {
        const Body &body = program_.bodies[static_cast<std::size_t>(action.index)];
        for (const int loaded : body.loads)
            if (std::string wrong = write(action, loaded); !wrong.empty())
                return wrong;
        for (const int taken : body.takes)
            if (std::string wrong = read(action, taken); !wrong.empty())
                return wrong;
        for (const int given : body.gives)
            if (std::string wrong = write(action, given); !wrong.empty())
                return wrong;
        return {};
    }

    std::string move(int role, const Action &action) {
        if (action.kind == ActionKind::progress)
            return {};
        const Transfer &transfer = program_.transfers[static_cast<std::size_t>(action.index)];
        if ((action.kind == ActionKind::move) != (value(transfer.from).role == value(transfer.to).role))
            return at(action) +
                   (action.kind == ActionKind::move ? ": it goes to another role" : ": it stays in its role");
        if (action.kind == ActionKind::move) {
            std::string wrong = read(action, transfer.from);
            return wrong.empty() ? write(action, transfer.to) : wrong;
        }
        const bool sends = value(transfer.from).role == role;
        Place &place = places_[{end(role, action), action.slot}];
        switch (action.kind) {
        case ActionKind::send:
            if (!sends)
                return at(action) + ": this role receives it";
            if (std::string wrong = read(action, transfer.from); !wrong.empty())
                return wrong;
            if (!place.leaving.insert(action.index).second)
                return at(action) + ": the send before it may not have left";
            return {};
        case ActionKind::wait:
            if (!sends || place.leaving.erase(action.index) == 0 || place.micro_batch != action.micro_batch)
                return at(action) + ": nothing was sent from there";
            return {};
        default:
            break;
        }
        if (sends)
            return at(action) + ": this role sends it";
        if (place.arriving < 0) {
            if (std::string wrong = write(action, transfer.to); !wrong.empty())
                return wrong;
        } else if (action.kind == ActionKind::start || place.arriving != action.index ||
                   place.micro_batch != action.micro_batch) {
            return at(action) + ": another receive is under way there";
        }
        place.arriving = action.kind == ActionKind::start ? action.index : -1;
        return {};
    }

    std::string read(const Action &action, int index) {
        const Place &place = places_[{index, action.slot}];
        if (place.arriving >= 0)
            return at(action) + ": value '" + value(index).name + "' has not been received";
        if (program_.owner(place.micro_batch) != program_.owner(action.micro_batch))
            return at(action) + ": value '" + value(index).name + "' is " +
                   (place.micro_batch < 0 ? "not there" : "of micro-batch " + std::to_string(place.micro_batch));
        return {};
    }

    std::string write(const Action &action, int index) {
        Place &place = places_[{index, action.slot}];
        if (place.in_flight())
            return at(action) + ": value '" + value(index).name + "' is still under way";
        place.micro_batch = action.micro_batch;
        return {};
    }

    [[nodiscard]] int end(int role, const Action &action) const {
        const Transfer &transfer = program_.transfers[static_cast<std::size_t>(action.index)];
        return value(transfer.from).role == role ? transfer.from : transfer.to;
    }
    [[nodiscard]] const Value &value(int index) const { return program_.values[static_cast<std::size_t>(index)]; }
    [[nodiscard]] std::string at(const Action &action) const { return "action '" + text(program_, action) + "'"; }

    const Program &program_;
    const planrt::Mesh &mesh_;
    std::map<std::pair<int, int>, Place> places_; ///< by value and slot
};

} // namespace

std::string broken_reference(const Program &program) {
    const auto all = [](const std::vector<int> &indices, const auto &items) {
        return std::all_of(indices.begin(), indices.end(), [&](int index) { return has(items, index); });
    };
    for (const Value &value : program.values)
        if (!has(program.roles, value.role))
            return "value '" + value.name + "' has no role";
    for (const Variable &variable : program.variables)
        if (!has(program.roles, variable.role))
            return "variable '" + variable.name + "' has no role";
    for (const Body &body : program.bodies)
        if (!has(program.roles, body.role) || !all(body.takes, program.values) || !all(body.gives, program.values) ||
            !all(body.loads, program.values))
            return "body '" + body.function + "' names a role or a value that does not exist";
    for (const Transfer &transfer : program.transfers)
        if (!has(program.values, transfer.from) || !has(program.values, transfer.to))
            return "transfer '" + transfer.name + "' names a value that does not exist";
    const auto of_update = std::ranges::count(program.micro_batches, 0, &MicroBatch::update);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < program.micro_batches.size(); ++i) { // emitted tables name neither first nor update
        const MicroBatch &part = program.micro_batches[i];
        if (part.first != begin || part.update != static_cast<std::int64_t>(i) / std::max<std::int64_t>(of_update, 1))
            return "micro-batch " + std::to_string(i) + " doesn't follow the one before it";
        begin += part.samples;
    }
    if (!all(program.last_of_replicas, program.micro_batches))
        return "the last micro-batch of a replica does not exist";
    if (program.loss != -1 && !has(program.values, program.loss))
        return "the loss is a value that does not exist";
    if (program.actions.size() != program.roles.size())
        return "there are " + std::to_string(program.actions.size()) + " lists of actions for " +
               std::to_string(program.roles.size()) + " roles";
    return {};
}

std::string fault(const Program &program, const planrt::Mesh &mesh) {
    return Check(program, mesh).run();
}

} // namespace planc::program
