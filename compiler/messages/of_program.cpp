#include "messages/of_program.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace planc::messages {

namespace {

using program::ActionKind;

class Translation {
  public:
    Translation(const program::Program &program, const planrt::Mesh &mesh, const Communication &communication)
        : program_(program), mesh_(mesh), communication_(communication) {}

    Events run() {
        events_.table_of.assign(static_cast<std::size_t>(mesh_.ranks()), 0);
        for (const Transferred &transfer : communication_.transfers)
            transfers_.push_back(add(transfer));
        for (int role = 0; role < static_cast<int>(program_.roles.size()); ++role) {
            role_ = role;
            role_mesh_ = ranks().mesh(mesh_);
            for (int within = 0; within < role_mesh_.ranks(); ++within)
                events_.table_of[static_cast<std::size_t>(whole(within))] = role;
            operations_.clear();
            groups_.clear();
            under_way_.clear();
            table_ = &events_.tables.emplace_back(Table{program_.roles[static_cast<std::size_t>(role)].name});
            for (const program::Action &action : program_.actions[static_cast<std::size_t>(role)])
                act(action);
        }
        return std::move(events_);
    }

  private:
    [[nodiscard]] const planrt::Role &ranks() const { return program_.roles[static_cast<std::size_t>(role_)].ranks; }
    [[nodiscard]] int whole(int within) const { return ranks().rank_of(mesh_, within); }

    void act(const program::Action &action) {
        const auto index = static_cast<std::size_t>(action.index);
        switch (action.kind) {
        case ActionKind::run:
            for (const BodyStep &step : communication_.bodies[index]) {
                program::Action in_slot = action;
                if (!communication_.started[static_cast<std::size_t>(step.started)].in_slots)
                    in_slot.slot = 0;
                add_event(step.waits, operation(step.started, in_slot.slot), in_slot);
            }
            return;
        case ActionKind::progress:
            return;
        case ActionKind::receive:
            if (!under_way_.contains({action.index, action.slot}))
                add_event(false, transfers_[index], action);
            return end(action);
        case ActionKind::wait:
            return end(action);
        case ActionKind::start:
            under_way_.insert({action.index, action.slot});
            return add_event(false, transfers_[index], action);
        case ActionKind::send:
            return add_event(false, transfers_[index], action);
        case ActionKind::move:
            add_event(false, transfers_[index], action);
            return add_event(true, transfers_[index], action);
        }
    }

    void end(const program::Action &action) {
        under_way_.erase({action.index, action.slot});
        add_event(true, transfers_[static_cast<std::size_t>(action.index)], action);
    }

    void add_event(bool waits, int operation, const program::Action &action) {
        table_->events.push_back({waits, operation, action.slot, program_.owner(action.micro_batch)});
    }

    int add(Operation operation) {
        events_.operations.push_back(std::move(operation));
        return static_cast<int>(events_.operations.size()) - 1;
    }

    /// Transfers have one tag in all slots, and go through the communicator of all ranks.
    int add(const Transferred &transfer) {
        Operation operation{transfer.name, transfer.messages};
        for (Message &message : operation.messages)
            message.tag = transfer.number;
        return add(std::move(operation));
    }

    /// What the role's bodies start in a slot. Messages of other slots have other tags, as in Engine::tag_of().
    int operation(int number, int slot) {
        const Started &started = communication_.started[static_cast<std::size_t>(number)];
        const bool by_tag = started.by_messages || started.kind == planrt::CollectiveKind::exchange;
        const auto [at, is_new] = operations_.try_emplace({number, by_tag ? slot : 0}, -1);
        if (!is_new)
            return at->second;
        Operation operation{started.name};
        const int tag = started.number * program_.roles[static_cast<std::size_t>(role_)].slots + slot;
        if (started.kind == planrt::CollectiveKind::exchange) {
            for (const Message &each : started.messages)
                operation.messages.push_back(
                    {whole(each.rank), whole(each.peer), each.is_sent, 1 + role_, tag, each.bytes});
            std::ranges::stable_sort(operation.messages, {}, &Message::rank);
        } else {
            operation.kind = started.kind;
            operation.groups = groups(started.axes);
            operation.tag = started.by_messages ? tag : -1;
            operation.bytes = started.bytes;
            if (started.bytes.size() > 1) {
                operation.bytes.assign(static_cast<std::size_t>(mesh_.ranks()), 0);
                for (int within = 0; within < static_cast<int>(started.bytes.size()); ++within)
                    operation.bytes[static_cast<std::size_t>(whole(within))] =
                        started.bytes[static_cast<std::size_t>(within)];
            }
        }
        return at->second = add(std::move(operation));
    }

    /// The groups of the role along axes.
    int groups(const std::vector<int> &axes) {
        const auto [at, is_new] = groups_.try_emplace(axes, static_cast<int>(events_.groups.size()));
        if (!is_new)
            return at->second;
        std::vector<int> &of_rank = events_.groups.emplace_back(static_cast<std::size_t>(mesh_.ranks()), -1);
        for (int within = 0; within < role_mesh_.ranks(); ++within) {
            if (of_rank[static_cast<std::size_t>(whole(within))] >= 0)
                continue;
            std::vector<int> members;
            for (const int member : role_mesh_.group(within, axes))
                members.push_back(whole(member));
            std::ranges::sort(members);
            for (const int member : members)
                of_rank[static_cast<std::size_t>(member)] = static_cast<int>(events_.communicators.size());
            events_.communicators.push_back(std::move(members));
        }
        return at->second;
    }

    const program::Program &program_;
    const planrt::Mesh &mesh_;
    const Communication &communication_;
    Events events_;
    std::vector<int> transfers_; ///< operations

    // Of the role whose actions are translated.
    int role_ = 0;
    planrt::Mesh role_mesh_;
    Table *table_ = nullptr;
    std::map<std::pair<int, int>, int> operations_; ///< by what is started, and slot
    std::map<std::vector<int>, int> groups_;        ///< by axes
    std::set<std::pair<int, int>> under_way_;       ///< transfers and slots
};

} // namespace

void add_messages(std::vector<Message> &messages, int rank, const planrt::Exchange &exchange, int element_bytes) {
    for (const planrt::Transfer &each : exchange.receives)
        messages.push_back({rank, each.peer, false, 0, 0, planrt::volume(each.box) * element_bytes});
    for (const planrt::Transfer &each : exchange.sends)
        messages.push_back({rank, each.peer, true, 0, 0, planrt::volume(each.box) * element_bytes});
}

Events events_of(const program::Program &program, const planrt::Mesh &mesh, const Communication &communication) {
    return Translation(program, mesh, communication).run();
}

} // namespace planc::messages
