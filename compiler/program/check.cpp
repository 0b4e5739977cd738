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
        if (std::string wrong = roles(); !wrong.empty())
            return wrong;
        if (program_.actions.size() != program_.roles.size())
            return "there are " + std::to_string(program_.actions.size()) + " lists of actions for " +
                   std::to_string(program_.roles.size()) + " roles";
        for (int role = 0; role < static_cast<int>(program_.roles.size()); ++role)
            if (std::string wrong = actions(role); !wrong.empty())
                return wrong;
        return transfers();
    }

  private:
    [[nodiscard]] std::string roles() const {
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
        bool leaving = false;  ///< it is being sent
        bool arriving = false; ///< it is being received
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
        for (const auto &[at, place] : places_)
            if (place.leaving || place.arriving)
                return "value '" + value(at.first).name + "' is still under way when role '" +
                       program_.roles[static_cast<std::size_t>(role)].name + "' ends";
        return {};
    }

    std::string known(int role, const Action &action) const {
        const bool is_run = action.kind == ActionKind::run;
        const bool is_transfer = !is_run && action.kind != ActionKind::progress;
        if ((is_run && !has(program_.bodies, action.index)) || (is_transfer && !has(program_.transfers, action.index)))
            return "an action names what does not exist";
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
        const bool sends = value(transfer.from).role == role;
        Place &place = places_[{end(role, action), action.slot}];
        switch (action.kind) {
        case ActionKind::send:
            if (!sends)
                return at(action) + ": this role receives it";
            if (std::string wrong = read(action, transfer.from); !wrong.empty())
                return wrong;
            if (place.leaving)
                return at(action) + ": the send before it may not have left";
            place.leaving = true;
            sent_[action.index].push_back(action.micro_batch);
            return {};
        case ActionKind::wait:
            if (!sends || !place.leaving)
                return at(action) + ": nothing was sent from there";
            place.leaving = false;
            return {};
        default:
            break;
        }
        if (sends)
            return at(action) + ": this role sends it";
        if (!place.arriving) {
            if (std::string wrong = write(action, transfer.to); !wrong.empty())
                return wrong;
            received_[action.index].push_back(action.micro_batch);
        } else if (action.kind == ActionKind::start || place.micro_batch != action.micro_batch) {
            return at(action) + ": another receive is under way there";
        }
        place.arriving = action.kind == ActionKind::start;
        return {};
    }

    std::string read(const Action &action, int index) {
        const Place &place = places_[{index, action.slot}];
        if (place.arriving)
            return at(action) + ": value '" + value(index).name + "' has not been received";
        if (place.micro_batch != action.micro_batch)
            return at(action) + ": value '" + value(index).name + "' is " +
                   (place.micro_batch < 0 ? "not there" : "of micro-batch " + std::to_string(place.micro_batch));
        return {};
    }

    std::string write(const Action &action, int index) {
        Place &place = places_[{index, action.slot}];
        if (place.leaving || place.arriving)
            return at(action) + ": value '" + value(index).name + "' is still under way";
        place.micro_batch = action.micro_batch;
        return {};
    }

    std::string transfers() {
        for (int index = 0; index < static_cast<int>(program_.transfers.size()); ++index)
            if (sent_[index] != received_[index])
                return "transfer '" + program_.transfers[static_cast<std::size_t>(index)].name +
                       "' is not received as it is sent";
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
    std::map<int, std::vector<int>> sent_;        ///< by transfer: micro-batches
    std::map<int, std::vector<int>> received_;
};

} // namespace

std::string fault(const Program &program, const planrt::Mesh &mesh) {
    return Check(program, mesh).run();
}

} // namespace planc::program
