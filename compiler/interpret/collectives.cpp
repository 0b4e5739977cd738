#include "interpret/collectives.h"

#include "interpret/interpret.h"

#include <algorithm>
#include <cmath>

namespace planc::interpret {

using planrt::Box;
using planrt::CollectiveKind;
using planrt::Reduction;

namespace {

struct Message {
    int sender;
    Box box; ///< its part of the sender's elements
};

double combine(Reduction reduction, double a, double b) {
    switch (reduction) {
    case Reduction::sum:
        return a + b;
    case Reduction::max:
        return std::fmax(a, b);
    case Reduction::min:
        return std::fmin(a, b);
    }
    return 0;
}

class Collective {
  public:
    Collective(CollectiveKind kind, const std::vector<int> &axes, const planrt::Placement &from,
               const planrt::Placement &to, const planrt::Mesh &mesh, const std::vector<Local> &values)
        : kind_(kind), axes_(axes), from_(from), to_(to), mesh_(mesh), values_(values), inbox_(values.size()),
          traffic_(values.size()) {}

    Communicated run() {
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            send(rank);
        Communicated result;
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            result.values.push_back(receive(rank));
        result.traffic = std::move(traffic_);
        return result;
    }

  private:
    [[nodiscard]] bool reduces() const {
        return kind_ == CollectiveKind::all_reduce || kind_ == CollectiveKind::reduce_scatter || adds();
    }
    /// An exchange of addends; the sum of none is 0.
    [[nodiscard]] bool adds() const { return planrt::has_addends(from_); }
    [[nodiscard]] const Local &own(int rank) const { return values_[static_cast<std::size_t>(rank)]; }

    [[nodiscard]] Local empty_result(int rank) const {
        return Local(planrt::local_box(to_, mesh_, rank), planrt::stored_range(to_, mesh_, rank));
    }

    void deliver(int sender, int receiver, const Box &box) {
        if (!contains(own(sender).box, box))
            throw Failure("rank " + std::to_string(sender) + " is to send elements that it does not have");
        inbox_[static_cast<std::size_t>(receiver)].push_back({sender, box});
    }

    void send(int rank) {
        planrt::Traffic &sent = traffic_[static_cast<std::size_t>(rank)];
        if (kind_ == CollectiveKind::slice)
            return deliver(rank, rank, planrt::local_box(to_, mesh_, rank));
        if (kind_ == CollectiveKind::exchange) {
            const planrt::Exchange plan = planrt::exchange(from_, to_, mesh_, rank);
            for (const Box &box : plan.kept)
                deliver(rank, rank, box);
            for (const planrt::Transfer &transfer : plan.sends) {
                deliver(rank, transfer.peer, transfer.box);
                sent.calls += planrt::volume(transfer.box) > 0 ? 1 : 0;
                sent.elements += planrt::volume(transfer.box);
            }
            return;
        }
        sent.calls = 1;
        if (reduces())
            sent.elements = own(rank).stored.size();
        if (kind_ == CollectiveKind::all_gather)
            sent.elements = empty_result(rank).stored.size();
        for (int peer : mesh_.group(rank, axes_)) {
            const Box box = planrt::intersect(own(rank).box, planrt::local_box(to_, mesh_, peer));
            deliver(rank, peer, box);
            if (kind_ == CollectiveKind::all_to_all && peer != rank)
                sent.elements += planrt::volume(box);
        }
    }

    /// Addends are combined in the order of the senders, so replicas are equal to the last bit; in an exchange, the
    /// rank's own ones come first, which replicas have alike.
    Local receive(int rank) {
        auto &messages = inbox_[static_cast<std::size_t>(rank)];
        const auto order = [&](const Message &message) {
            return std::pair(adds() && message.sender != rank, message.sender);
        };
        std::stable_sort(messages.begin(), messages.end(),
                         [&](const Message &a, const Message &b) { return order(a) < order(b); });
        Local result = empty_result(rank);
        std::vector<bool> known(result.elements.size(), adds());
        for (const Message &message : messages)
            take(message, result, known);
        if (std::find(known.begin(), known.end(), false) != known.end())
            throw Failure("rank " + std::to_string(rank) + " does not get all of its part");
        return result;
    }

    /// Copies what the sender holds of the message's box and `result` needs.
    void take(const Message &message, Local &result, std::vector<bool> &known) {
        const Local &sender = own(message.sender);
        std::vector<std::size_t> positions(static_cast<std::size_t>(planrt::volume(message.box)));
        for_each_offset(sender.box, message.box, [&](std::size_t at, std::size_t index) { positions[index] = at; });
        for_each_offset(result.box, message.box, [&](std::size_t at, std::size_t index) {
            if (!result.has(at) || !sender.has(positions[index]))
                return;
            const double value = sender.at(positions[index]);
            const std::size_t local = at - static_cast<std::size_t>(result.stored.begin);
            result.at(at) = reduces() && known[local] ? combine(from_.reduction, result.at(at), value) : value;
            known[local] = true;
        });
    }

    CollectiveKind kind_;
    const std::vector<int> &axes_;
    const planrt::Placement &from_;
    const planrt::Placement &to_;
    const planrt::Mesh &mesh_;
    const std::vector<Local> &values_;
    std::vector<std::vector<Message>> inbox_;
    std::vector<planrt::Traffic> traffic_;
};

} // namespace

Communicated communicate(CollectiveKind kind, const std::vector<int> &axes, const planrt::Placement &from,
                         const planrt::Placement &to, const planrt::Mesh &mesh, const std::vector<Local> &values) {
    return Collective(kind, axes, from, to, mesh, values).run();
}

} // namespace planc::interpret
