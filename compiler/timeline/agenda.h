// The queue of events of the simulation. Internal to simulate().
//
//   Agenda agenda(2);
//   agenda.set(1, Seconds(3));
//   agenda.set(0, Seconds(4));
//   agenda.set(1, Seconds(5)); // moved
//   agenda.take_next();        // 0
#pragma once

#include "support/units.h"

#include <cstddef>
#include <vector>

namespace planc::timeline {

using support::Seconds;

/// The next event of each of several things, at most one each: a heap by time, then by number. Events can be moved,
/// because the end of a transfer changes with every other transfer on its links.
class Agenda {
  public:
    explicit Agenda(std::size_t things) : place_of_(things, nowhere) {}
    [[nodiscard]] bool is_next(Seconds time) const { return !heap_.empty() && heap_[0].time == time; }
    [[nodiscard]] bool empty() const { return heap_.empty(); }
    [[nodiscard]] Seconds time() const { return heap_[0].time; }

    void set(int thing, Seconds time) {
        std::size_t place = place_of_[thing];
        if (place == nowhere) {
            place = heap_.size();
            heap_.emplace_back();
        }
        const Moment moment{time, thing};
        sink(rise(place, moment), moment);
    }

    int take_next() {
        const int thing = heap_[0].thing;
        place_of_[thing] = nowhere;
        const Moment last = heap_.back();
        heap_.pop_back();
        if (!heap_.empty())
            sink(0, last);
        return thing;
    }

  private:
    static constexpr auto nowhere = static_cast<std::size_t>(-1);
    struct Moment {
        Seconds time{};
        int thing = 0;
        friend bool operator<(const Moment &a, const Moment &b) {
            return a.time < b.time || (a.time == b.time && a.thing < b.thing);
        }
    };

    void put(std::size_t place, const Moment &moment) {
        heap_[place] = moment;
        place_of_[moment.thing] = place;
    }

    /// Moves the event up past those that are later. Returns its new place.
    std::size_t rise(std::size_t place, const Moment &moment) {
        for (; place > 0 && moment < heap_[(place - 1) / 2]; place = (place - 1) / 2)
            put(place, heap_[(place - 1) / 2]);
        return place;
    }

    void sink(std::size_t place, const Moment &moment) {
        for (std::size_t below = 2 * place + 1; below < heap_.size(); below = 2 * place + 1) {
            if (below + 1 < heap_.size() && heap_[below + 1] < heap_[below])
                ++below;
            if (!(heap_[below] < moment))
                break;
            put(place, heap_[below]);
            place = below;
        }
        put(place, moment);
    }

    std::vector<Moment> heap_;
    std::vector<std::size_t> place_of_;
};

} // namespace planc::timeline
