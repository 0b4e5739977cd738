#include "pipeline/measure.h"

#include "pipeline/walk.h"

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace planc::pipeline {

namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

void check(const Schedule &schedule, const Durations &durations) {
    const auto stages = static_cast<std::size_t>(schedule.stages);
    const auto wrong = [](const std::vector<double> &items, std::size_t size) {
        return items.size() != size || std::any_of(items.begin(), items.end(), [](double x) { return !(x >= 0); });
    };
    if (wrong(durations.forward, stages) || wrong(durations.input, stages) || wrong(durations.weight, stages) ||
        (!durations.backward.empty() && wrong(durations.backward, stages)) ||
        (!durations.transfer.empty() && wrong(durations.transfer, stages - 1)) ||
        (!durations.transfer_back.empty() && wrong(durations.transfer_back, stages - 1)) ||
        (!durations.late.empty() && wrong(durations.late, stages)) ||
        (!durations.late_back.empty() && wrong(durations.late_back, stages)) ||
        (!durations.sizes.empty() && wrong(durations.sizes, static_cast<std::size_t>(schedule.micro_batches))))
        throw std::invalid_argument("durations are given for each of the " + std::to_string(stages) +
                                    " stages, transfers for each border between them, sizes for each micro-batch, and "
                                    "none is negative");
}

double size(const Durations &durations, const Action &action) {
    return durations.sizes.empty() ? 1 : durations.sizes[static_cast<std::size_t>(action.micro_batch)];
}

/// Of a micro-batch of mean size.
double mean_duration(const Durations &durations, const Action &action) {
    const auto stage = static_cast<std::size_t>(action.stage);
    switch (action.kind) {
    case Kind::forward:
        return durations.forward[stage];
    case Kind::input_gradient:
        return durations.input[stage];
    case Kind::weight_gradient:
        return durations.weight[stage];
    case Kind::backward:
        break;
    }
    return durations.backward.empty() ? durations.input[stage] + durations.weight[stage] : durations.backward[stage];
}

double duration(const Durations &durations, const Action &action) {
    return size(durations, action) * mean_duration(durations, action);
}

/// The time by which a result is under way to the rank of an action.
double transfer(const Schedule &schedule, const Durations &durations, const Need &need, const Action &action) {
    if (durations.transfer.empty() || need.stage == action.stage ||
        schedule.rank_of(need.stage, action.micro_batch) == schedule.rank_of(action.stage, action.micro_batch))
        return 0;
    const bool back = need.stage > action.stage && !durations.transfer_back.empty();
    return size(durations, action) *
           (back ? durations.transfer_back
                 : durations.transfer)[static_cast<std::size_t>(std::min(need.stage, action.stage))];
}

/// Several independent runs at once, which differ in the times at which ranks may begin: a row has a time for each.
using Row = std::vector<double>;

/// The places in which a rank works on micro-batches, and from when on it can receive in them.
class Places {
  public:
    Places(const Schedule &schedule, const Durations &durations)
        : schedule_(schedule), durations_(durations), ranks_(static_cast<std::size_t>(schedule.ranks)) {}

    /// From when on the next action of a rank can receive. `done`: when the rank is done with all actions before; it
    /// waits then until what another micro-batch has sent from the place has left.
    [[nodiscard]] Row receives_from(int rank, const Action &action, Row &done) {
        Rank &own = ranks_[static_cast<std::size_t>(rank)];
        waits_ = !durations_.slots.empty();
        if (durations_.slots.empty() || own.began.empty())
            return Row(done.size(), never);
        const auto [at, is_new] = own.held.try_emplace(place(rank, action.micro_batch), Held{action.micro_batch, {}});
        Held &held = at->second;
        const bool of_another = held.micro_batch != action.micro_batch;
        if (of_another) {
            for (std::size_t i = 0; i < held.left.size(); ++i)
                done[i] = std::max(done[i], held.left[i]);
            held = {action.micro_batch, {}};
        }
        waits_ = of_another || place(rank, action.micro_batch) == place(rank, own.last);
        return waits_ ? done : own.began;
    }

    /// Whether that action receives only when the rank waits for it.
    [[nodiscard]] bool waits() const { return waits_; }

    void begin(int rank, const Action &action, const Row &times) {
        Rank &own = ranks_[static_cast<std::size_t>(rank)];
        own.began = times;
        own.last = action.micro_batch;
    }

    /// What the action has made leaves for another rank, which gets it after `delay`.
    void send(int rank, const Action &action, const Row &times, double delay) {
        if (durations_.slots.empty() || delay <= 0)
            return;
        Held &held = ranks_[static_cast<std::size_t>(rank)].held[place(rank, action.micro_batch)];
        held.micro_batch = action.micro_batch;
        held.left.resize(times.size(), never);
        for (std::size_t i = 0; i < times.size(); ++i)
            held.left[i] = std::max(held.left[i], times[i] + delay);
    }

  private:
    using Place = std::pair<int, int>; ///< replica and slot
    struct Held {
        int micro_batch = 0;
        Row left; ///< when all that it has sent is received
    };
    struct Rank {
        Row began; ///< the action before; empty: there is none
        int last = 0;
        std::map<Place, Held> held;
    };

    [[nodiscard]] Place place(int rank, int micro_batch) const {
        const auto m = static_cast<std::size_t>(micro_batch);
        return {schedule_.replica_of[m], durations_.slots[static_cast<std::size_t>(rank)][m]};
    }

    const Schedule &schedule_;
    const Durations &durations_;
    std::vector<Rank> ranks_;
    bool waits_ = false;
};

/// What a transfer to an action takes longer if the rank receives it only when it waits for it.
double late(const Durations &durations, const Action &action) {
    const std::vector<double> &by_stage = action.kind == Kind::forward ? durations.late : durations.late_back;
    return by_stage.empty() ? 0 : size(durations, action) * by_stage[static_cast<std::size_t>(action.stage)];
}

/// How long the result of an action is under way to the stage that needs it first.
double sent(const Schedule &schedule, const Durations &durations, const Action &action) {
    const int to = action.kind == Kind::forward ? action.stage + 1 : action.stage - 1;
    if (action.kind == Kind::weight_gradient || to < 0 || to >= schedule.stages)
        return 0;
    return transfer(schedule, durations, {0, action.stage}, {action.kind, to, action.micro_batch});
}

/// Runs all actions from the rows in `free` on, by rank, and leaves there when each rank is done. `record(rank, start,
/// time)` is called for each action.
template <class Record>
void run(const Schedule &schedule, const Durations &durations, std::vector<Row> &free, Record record) {
    const std::size_t runs = free.front().size();
    std::vector<double> ends(2 * static_cast<std::size_t>(schedule.stages * schedule.micro_batches) * runs, never);
    Places places(schedule, durations);
    walk(schedule, [&](int rank, const Action &action) {
        Row &times = free[static_cast<std::size_t>(rank)];
        const Row from = places.receives_from(rank, action, times);
        for (const Need &need : needs(schedule, action)) {
            if (need.result < 0)
                continue;
            double delay = transfer(schedule, durations, need, action);
            if (delay > 0 && places.waits())
                delay += late(durations, action);
            const double *end = &ends[static_cast<std::size_t>(need.result) * runs];
            for (std::size_t i = 0; i < runs; ++i)
                times[i] = std::max(times[i], delay > 0 ? std::max(end[i], from[i]) + delay : end[i]);
        }
        places.begin(rank, action, times);
        const double time = duration(durations, action);
        record(rank, times.front(), time);
        const int given = gives(schedule, action);
        for (std::size_t i = 0; i < runs; ++i) {
            times[i] += time;
            if (given >= 0)
                ends[static_cast<std::size_t>(given) * runs + i] = times[i];
        }
        places.send(rank, action, times, sent(schedule, durations, action));
    });
}

/// The largest mean weight of a cycle of the graph in which `weights[i][j]` leads from j to i (Karp, 1978).
double largest_cycle_mean(const std::vector<Row> &weights) {
    const std::size_t size = weights.size();
    std::vector<Row> heaviest(size + 1, Row(size, never)); // by edges and last node: walks from anywhere
    heaviest[0].assign(size, 0);
    for (std::size_t edges = 1; edges <= size; ++edges)
        for (std::size_t to = 0; to < size; ++to)
            for (std::size_t from = 0; from < size; ++from)
                heaviest[edges][to] = std::max(heaviest[edges][to], heaviest[edges - 1][from] + weights[to][from]);
    double largest = never;
    for (std::size_t node = 0; node < size; ++node) {
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t edges = 0; edges < size; ++edges)
            least = std::min(least, (heaviest[size][node] - heaviest[edges][node]) / static_cast<double>(size - edges));
        largest = std::max(largest, least);
    }
    return largest;
}

/// When each rank is done with a step depends on when each was done with the step before, by sums and maxima only. Over
/// many steps such a system takes the largest cycle mean of its matrix for each (Baccelli et al., Synchronization and
/// Linearity, 1992, theorem 3.23).
double period_of(const Schedule &schedule, const Durations &durations) {
    constexpr std::size_t at_once = 8; // runs, which bounds the memory
    const auto ranks = static_cast<std::size_t>(schedule.ranks);
    std::vector<Row> matrix(ranks); // by rank: how long after the beginning of each rank it is done at the earliest
    for (std::size_t first = 0; first < ranks; first += at_once) {
        const std::size_t runs = std::min(at_once, ranks - first);
        std::vector<Row> done(ranks, Row(runs, never));
        for (std::size_t i = 0; i < runs; ++i)
            done[first + i][i] = 0;
        run(schedule, durations, done, [](int, double, double) {});
        for (std::size_t rank = 0; rank < ranks; ++rank)
            matrix[rank].insert(matrix[rank].end(), done[rank].begin(), done[rank].end());
    }
    return largest_cycle_mean(matrix);
}

/// The activations at the start of each F are counted; the others only free some.
void count_alive(const Schedule &schedule, Measure &measure) {
    measure.alive_by_stage.assign(static_cast<std::size_t>(schedule.stages), 0);
    for (const std::vector<Action> &actions : schedule.actions) {
        std::vector<int> of_stage(static_cast<std::size_t>(schedule.stages), 0);
        int now = 0;
        int most = 0;
        for (const Action &action : actions) {
            const auto stage = static_cast<std::size_t>(action.stage);
            const int change = action.kind == Kind::forward ? 1 : frees(action.kind) ? -1 : 0;
            now += change;
            of_stage[stage] += change;
            most = std::max(most, now);
            measure.alive_by_stage[stage] = std::max(measure.alive_by_stage[stage], of_stage[stage]);
        }
        measure.alive.push_back(most);
    }
}

} // namespace

Durations equal_durations(int stages, double forward, double input, double weight) {
    const auto count = static_cast<std::size_t>(stages);
    return {Row(count, forward), Row(count, input), Row(count, weight), {}, {}};
}

std::vector<std::vector<Span>> spans_of(const Schedule &schedule, const Durations &durations) {
    check(schedule, durations);
    std::vector<std::vector<Span>> spans(static_cast<std::size_t>(schedule.ranks));
    std::vector<Row> done(spans.size(), Row{0});
    run(schedule, durations, done, [&](int rank, double start, double time) {
        spans[static_cast<std::size_t>(rank)].push_back({start, start + time});
    });
    return spans;
}

double makespan(const Schedule &schedule, const Durations &durations) {
    double last = 0;
    for (const std::vector<Span> &spans : spans_of(schedule, durations))
        for (const Span &span : spans)
            last = std::max(last, span.end);
    return last;
}

Measure measure(const Schedule &schedule, const Durations &durations) {
    Measure measure;
    measure.spans = spans_of(schedule, durations);
    for (std::size_t rank = 0; rank < measure.spans.size(); ++rank) {
        double work = 0;
        for (const Action &action : schedule.actions[rank])
            work += duration(durations, action);
        measure.work = std::max(measure.work, work);
        for (const Span &span : measure.spans[rank])
            measure.makespan = std::max(measure.makespan, span.end);
    }
    measure.period = period_of(schedule, durations);
    measure.bubble_with_barrier = measure.makespan - measure.work;
    measure.bubble_back_to_back = measure.period - measure.work;
    count_alive(schedule, measure);
    return measure;
}

} // namespace planc::pipeline
