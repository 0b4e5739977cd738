#include "messages/executor.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace planc::messages {

namespace {

/// What waits are for; shared by the ranks that it joins.
struct Pending {
    bool complete = false;
};
using PendingPointer = std::shared_ptr<Pending>;

/// A send or a receive whose other end has not begun.
struct Posted {
    Message message;
    int micro_batch;
    PendingPointer pending;
};

/// A collective that not all members have called.
struct Joined {
    const Operation *operation;
    int micro_batch;
    std::int64_t bytes;
    std::set<int> members;
    PendingPointer pending;
};

class Execution {
  public:
    explicit Execution(const Events &events)
        : events_(events), next_(static_cast<std::size_t>(events.ranks()), 0),
          requests_(static_cast<std::size_t>(events.ranks())) {}

    Executed run(std::mt19937 &random) {
        while (!stopped_) {
            std::vector<int> able;
            for (int rank = 0; rank < events_.ranks(); ++rank)
                if (can_go_on(rank))
                    able.push_back(rank);
            if (able.empty())
                break;
            const int rank = able[random() % able.size()];
            // A few events at a time, so that ranks get far apart.
            for (unsigned n = random() % 8; n > 0 && !stopped_ && can_go_on(rank); --n)
                happen(rank);
        }
        for (int rank = 0; rank < events_.ranks(); ++rank) {
            result_.hangs = result_.hangs || next(rank) < events_.events_of(rank).size();
            result_.is_wrong = result_.is_wrong || (!result_.hangs && !requests_[at(rank)].empty());
        }
        for (const auto &[on, calls] : joined_)
            result_.is_wrong = result_.is_wrong || (!result_.hangs && !calls.empty());
        result_.is_wrong = result_.is_wrong || (!result_.hangs && !posted_.empty());
        return result_;
    }

  private:
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    std::size_t &next(int rank) { return next_[at(rank)]; }
    using Request = std::pair<int, int>; // operation and slot

    bool can_go_on(int rank) {
        if (next(rank) == events_.events_of(rank).size())
            return false;
        const Event &event = events_.events_of(rank)[next(rank)];
        if (!event.waits)
            return true;
        const auto request = requests_[at(rank)].find({event.operation, event.slot});
        return request == requests_[at(rank)].end() ||
               std::ranges::all_of(request->second, [](const PendingPointer &each) { return each->complete; });
    }

    void happen(int rank) {
        const Event &event = events_.events_of(rank)[next(rank)++];
        std::map<Request, std::vector<PendingPointer>> &open = requests_[at(rank)];
        const Request request{event.operation, event.slot};
        if (event.waits == !open.contains(request)) {
            result_.is_wrong = stopped_ = true;
            return;
        }
        if (event.waits) {
            open.erase(request);
            return;
        }
        std::vector<PendingPointer> &pending = open[request];
        const Operation &operation = events_.operation(event);
        for (const Message &message : operation.messages)
            if (message.rank == rank)
                pending.push_back(post(message, event.micro_batch));
        if (operation.groups >= 0)
            pending.push_back(join(rank, operation, event.micro_batch));
    }

    PendingPointer post(const Message &message, int micro_batch) {
        const auto fits = [&](const Posted &other) {
            return other.message.rank == message.peer && other.message.peer == message.rank &&
                   other.message.is_sent != message.is_sent && other.message.tag == message.tag &&
                   other.message.communicator == message.communicator;
        };
        const auto found = std::ranges::find_if(posted_, fits);
        if (found == posted_.end()) {
            posted_.push_back({message, micro_batch, std::make_shared<Pending>()});
            return posted_.back().pending;
        }
        if (found->message.bytes != message.bytes || found->micro_batch != micro_batch)
            result_.is_wrong = true;
        const PendingPointer pending = found->pending;
        pending->complete = true;
        posted_.erase(found);
        return pending;
    }

    PendingPointer join(int rank, const Operation &operation, int micro_batch) {
        const int communicator = events_.communicator(operation, rank);
        std::list<Joined> &calls = joined_[{communicator, operation.tag}];
        auto call = std::ranges::find_if(calls, [&](const Joined &each) { return !each.members.contains(rank); });
        const std::int64_t bytes = operation.bytes_of(rank);
        if (call == calls.end())
            call = calls.insert(call, {&operation, micro_batch, bytes, {}, std::make_shared<Pending>()});
        if (call->operation->name != operation.name || call->operation->kind != operation.kind ||
            call->bytes != bytes || call->micro_batch != micro_batch)
            result_.is_wrong = true;
        call->members.insert(rank);
        const PendingPointer pending = call->pending;
        if (call->members.size() == events_.communicators[at(communicator)].size()) {
            pending->complete = true;
            calls.erase(call);
        }
        return pending;
    }

    const Events &events_;
    std::vector<std::size_t> next_;
    std::vector<std::map<Request, std::vector<PendingPointer>>> requests_; ///< by rank
    std::map<std::pair<int, int>, std::list<Joined>> joined_;              ///< by communicator and tag, in order
    std::list<Posted> posted_;                                             ///< in order
    Executed result_;
    bool stopped_ = false;
};

} // namespace

Executed execute(const Events &events, std::mt19937 &random) {
    return Execution(events).run(random);
}

} // namespace planc::messages
