#include "messages/planted.h"

#include <algorithm>
#include <utility>

namespace planc::messages {

namespace {

std::size_t index(int number) {
    return static_cast<std::size_t>(number);
}

class Planting {
  public:
    Planting(Events &events, std::mt19937 &random)
        : events_(events), random_(random), rank_(static_cast<int>(random() % index(events.ranks()))),
          table_(events.tables[index(events.table_of[index(rank_)])].events) {}

    bool plant(Planted kind) {
        const bool of_message = kind == Planted::swapped || kind == Planted::tag || kind == Planted::size;
        const bool of_collective = kind == Planted::order || kind == Planted::bytes;
        std::vector<std::size_t> begins;
        for (std::size_t e = 0; e < table_.size(); ++e)
            if (!table_[e].waits &&
                ((has_messages(table_[e]) && !of_collective) || (has_call(table_[e]) && !of_message)))
                begins.push_back(e);
        if (begins.empty())
            return false;
        const std::size_t begin = begins[random_() % begins.size()];
        const std::size_t wait = wait_of(begin);
        switch (kind) {
        case Planted::dropped:
            erase(wait);
            return erase(begin);
        case Planted::doubled: {
            const Event event = table_[begin];
            const Event waits = table_[wait];
            table_.insert(table_.begin() + static_cast<std::ptrdiff_t>(wait) + 1, {event, waits});
            return true;
        }
        case Planted::no_wait:
            return erase(wait);
        case Planted::no_begin:
            return erase(begin);
        case Planted::swapped:
            return swap_parts(begin, begins);
        case Planted::order:
            return swap_calls(begin, begins);
        case Planted::bytes:
            own(begin, wait).bytes = {events_.operation(table_[begin]).bytes_of(rank_) + 4};
            return true;
        default:
            return has_messages(table_[begin]) ? change_message(kind, own(begin, wait))
                                               : change_communicator(own(begin, wait));
        }
    }

  private:
    [[nodiscard]] bool has_messages(const Event &event) const {
        return !events_.operation(event).messages_of(rank_).empty();
    }
    /// Of more members than one.
    [[nodiscard]] bool has_call(const Event &event) const {
        const int communicator = events_.communicator(events_.operation(event), rank_);
        return communicator >= 0 && events_.communicators[index(communicator)].size() > 1;
    }

    [[nodiscard]] std::size_t wait_of(std::size_t begin) const {
        std::size_t wait = begin + 1;
        while (table_[wait].operation != table_[begin].operation || table_[wait].slot != table_[begin].slot)
            ++wait;
        return wait;
    }

    bool erase(std::size_t at) {
        table_.erase(table_.begin() + static_cast<std::ptrdiff_t>(at));
        return true;
    }

    bool swap_parts(std::size_t begin, const std::vector<std::size_t> &begins) {
        for (const std::size_t other : begins)
            if (table_[other].operation == table_[begin].operation &&
                table_[other].micro_batch != table_[begin].micro_batch) {
                std::swap(table_[other].micro_batch, table_[begin].micro_batch);
                return true;
            }
        return false;
    }

    bool swap_calls(std::size_t begin, const std::vector<std::size_t> &begins) {
        for (const std::size_t other : begins) {
            const auto on = [&](std::size_t at) {
                const Operation &operation = events_.operation(table_[at]);
                return std::pair(events_.communicator(operation, rank_), operation.tag);
            };
            if (other == begin || on(other) != on(begin) ||
                (table_[other].operation == table_[begin].operation &&
                 table_[other].micro_batch == table_[begin].micro_batch))
                continue;
            const std::size_t wait = wait_of(begin);
            const std::size_t other_wait = wait_of(other);
            std::swap(table_[begin], table_[other]);
            std::swap(table_[wait], table_[other_wait]);
            return true;
        }
        return false;
    }

    /// An operation of the rank alone in place of the one that is begun.
    Operation &own(std::size_t begin, std::size_t wait) {
        events_.operations.push_back(events_.operation(table_[begin]));
        table_[begin].operation = table_[wait].operation = static_cast<int>(events_.operations.size()) - 1;
        return events_.operations.back();
    }

    bool change_message(Planted kind, Operation &operation) {
        const auto of_rank = operation.messages_of(rank_);
        const auto first = index(static_cast<int>(of_rank.data() - operation.messages.data()));
        Message &message = operation.messages[first + random_() % of_rank.size()];
        if (kind == Planted::tag)
            message.tag += 100000;
        else if (kind == Planted::size)
            message.bytes += 4;
        else
            message.communicator += 100000;
        return true;
    }

    bool change_communicator(Operation &operation) {
        events_.groups.push_back(events_.groups[index(operation.groups)]);
        const std::vector<int> members = events_.communicators[index(events_.groups.back()[index(rank_)])];
        events_.groups.back()[index(rank_)] = static_cast<int>(events_.communicators.size());
        events_.communicators.push_back(members);
        operation.groups = static_cast<int>(events_.groups.size()) - 1;
        return true;
    }

    Events &events_;
    std::mt19937 &random_;
    int rank_;
    std::vector<Event> &table_;
};

} // namespace

Events apart(const Events &events) {
    Events result = events;
    result.tables.clear();
    for (int rank = 0; rank < events.ranks(); ++rank) {
        result.tables.push_back(events.tables[index(events.table_of[index(rank)])]);
        result.table_of[index(rank)] = rank;
    }
    return result;
}

bool plant(Planted kind, Events &events, std::mt19937 &random) {
    return Planting(events, random).plant(kind);
}

} // namespace planc::messages
