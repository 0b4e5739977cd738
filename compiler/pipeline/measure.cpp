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

/// The places in which a rank works on micro-batches, and what leaves and arrives there.
class Places {
  public:
    Places(const Schedule &schedule, const Durations &durations)
        : schedule_(schedule), durations_(durations), ranks_(static_cast<std::size_t>(schedule.ranks)) {}

    /// What another micro-batch has sent from the place of an action. It must have left before anything arrives there.
    [[nodiscard]] const std::vector<int> &sent_before(int rank, const Action &action) const {
        static const std::vector<int> nothing;
        if (durations_.slots.empty())
            return nothing;
        const Rank &own = ranks_[static_cast<std::size_t>(rank)];
        const auto at = own.held.find(place(rank, action.micro_batch));
        return at == own.held.end() || at->second.micro_batch == action.micro_batch ? nothing : at->second.sent;
    }

    /// Whether the rank can receive for its next action only when it is done with all actions before; otherwise it can
    /// from the beginning of the last of them on.
    [[nodiscard]] bool take(int rank, const Action &action) {
        Rank &own = ranks_[static_cast<std::size_t>(rank)];
        const Place of_action = place(rank, action.micro_batch);
        const auto [at, is_new] = own.held.try_emplace(of_action, Held{action.micro_batch, {}});
        const bool of_another = at->second.micro_batch != action.micro_batch;
        if (of_another)
            at->second = {action.micro_batch, {}};
        return of_another || own.began.empty() || of_action == place(rank, own.last);
    }

    void begin(int rank, const Action &action, const Row &times) {
        Rank &own = ranks_[static_cast<std::size_t>(rank)];
        own.began = times;
        own.last = action.micro_batch;
    }

    /// When the rank began its last action; empty: there is none.
    [[nodiscard]] const Row &began(int rank) const { return ranks_[static_cast<std::size_t>(rank)].began; }

    /// The result of an action goes to another rank.
    void send(int rank, const Action &action, int result) {
        ranks_[static_cast<std::size_t>(rank)].held[place(rank, action.micro_batch)].sent.push_back(result);
    }

  private:
    using Place = std::pair<int, int>; ///< replica and slot
    struct Held {
        int micro_batch = 0;
        std::vector<int> sent; ///< results
    };
    struct Rank {
        Row began; ///< the action before
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
};

/// What an action receives beside the result of the next stage, if the rank receives it only when it waits for it.
double late(const Durations &durations, const Action &action) {
    if (action.kind == Kind::weight_gradient)
        return 0; // the input gradient has received it
    const std::vector<double> &by_stage = action.kind == Kind::forward ? durations.late : durations.late_back;
    return by_stage.empty() ? 0 : size(durations, action) * by_stage[static_cast<std::size_t>(action.stage)];
}

/// All actions, each as soon as the schedule allows. A rank gets ready to receive for an action, and begins it when
/// what it needs is there. Other than in walk(), a rank may also wait for the receiver of what it has sent.
template <class Record> class Run {
  public:
    /// From the rows in `free` on, by rank, where it leaves when each rank is done. `record(rank, start, time)` is
    /// called for each action.
    Run(const Schedule &schedule, const Durations &durations, std::vector<Row> &free, Record record)
        : schedule_(schedule), durations_(durations), free_(free), record_(record), runs_(free.front().size()),
          results_(2 * static_cast<std::size_t>(schedule.stages * schedule.micro_batches)),
          times_(2 * results_.size() * runs_, never), ranks_(static_cast<std::size_t>(schedule.ranks)),
          places_(schedule, durations) {}

    void make() {
        for (int rank = schedule_.ranks - 1; rank >= 0; --rank)
            awake_.push_back(rank);
        while (!awake_.empty()) {
            const int rank = awake_.back();
            awake_.pop_back();
            while (act(rank)) {
            }
        }
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            if (ranks_[rank].next < schedule_.actions[rank].size())
                throw std::logic_error("ranks of a pipeline wait for each other");
    }

  private:
    struct Result {
        bool is_given = false;    ///< the action that gives it has ended
        bool is_expected = false; ///< its receiver can receive it
        bool has_arrived = false; ///< never, if it stays on its rank
        int awaited_by = -1;      ///< rank
        double delay = 0;
    };
    struct Rank {
        std::size_t next = 0; ///< action
        bool is_ready = false;
    };

    /// False: there is no further action, or it has to wait for another rank, which then wakes this one.
    bool act(int rank) {
        Rank &own = ranks_[static_cast<std::size_t>(rank)];
        if (own.next == schedule_.actions[static_cast<std::size_t>(rank)].size())
            return false;
        const Action &action = schedule_.actions[static_cast<std::size_t>(rank)][own.next];
        if (!own.is_ready && !get_ready(rank, action))
            return false;
        own.is_ready = true;
        for (const Need &need : needs(schedule_, action))
            if (need.result >= 0 && !at(need.result).is_given) {
                at(need.result).awaited_by = rank;
                return false;
            }
        begin(rank, action);
        ++own.next;
        own.is_ready = false;
        return true;
    }

    bool get_ready(int rank, const Action &action) {
        Row &done = free_[static_cast<std::size_t>(rank)];
        for (const int sent : places_.sent_before(rank, action))
            if (!at(sent).has_arrived) {
                at(sent).awaited_by = rank;
                return false;
            }
        for (const int sent : places_.sent_before(rank, action))
            raise(done.data(), arrived(sent));
        const bool waits = !durations_.slots.empty() && places_.take(rank, action);
        const Row &began = places_.began(rank);
        const bool at_once = durations_.slots.empty() || began.empty();
        const double longer = waits ? late(durations_, action) : 0;
        bool arrives = false; // what it needs of the stage beside its own
        for (const Need &need : needs(schedule_, action)) {
            const double delay = need.result < 0 ? 0 : transfer(schedule_, durations_, need, action);
            if (delay <= 0)
                continue;
            arrives = true;
            at(need.result).delay = delay + longer;
            at(need.result).is_expected = true;
            if (!at_once)
                raise(arrived(need.result), (waits ? done : began).data());
            arrive(need.result);
        }
        for (double &each : done)
            each += arrives ? 0 : longer;
        return true;
    }

    void begin(int rank, const Action &action) {
        Row &times = free_[static_cast<std::size_t>(rank)];
        for (const Need &need : needs(schedule_, action))
            if (need.result >= 0)
                raise(times.data(),
                      transfer(schedule_, durations_, need, action) > 0 ? arrived(need.result) : end(need.result));
        places_.begin(rank, action, times);
        const double time = duration(durations_, action);
        record_(rank, times.front(), time);
        for (double &each : times)
            each += time;
        const int given = gives(schedule_, action);
        if (given < 0)
            return;
        at(given).is_given = true;
        raise(end(given), times.data());
        if (!durations_.slots.empty() && is_sent(action))
            places_.send(rank, action, given);
        arrive(given);
        wake(at(given));
    }

    /// Whether the result of an action is under way to another rank for some time.
    [[nodiscard]] bool is_sent(const Action &action) const {
        const int to = action.stage + (action.kind == Kind::forward ? 1 : -1);
        return to >= 0 && to < schedule_.stages &&
               transfer(schedule_, durations_, {0, action.stage}, {action.kind, to, action.micro_batch}) > 0;
    }

    /// If it has been sent, and its receiver is ready.
    void arrive(int number) {
        Result &result = at(number);
        if (!result.is_given || !result.is_expected)
            return;
        double *times = arrived(number);
        raise(times, end(number));
        for (std::size_t i = 0; i < runs_; ++i)
            times[i] += result.delay;
        result.has_arrived = true;
        wake(result);
    }

    void wake(Result &result) {
        if (result.awaited_by >= 0)
            awake_.push_back(std::exchange(result.awaited_by, -1));
    }

    void raise(double *times, const double *to) const {
        for (std::size_t i = 0; i < runs_; ++i)
            times[i] = std::max(times[i], to[i]);
    }

    Result &at(int result) { return results_[static_cast<std::size_t>(result)]; }
    double *end(int result) { return &times_[2 * static_cast<std::size_t>(result) * runs_]; }
    /// Until it has arrived: from when on its receiver can receive it.
    double *arrived(int result) { return end(result) + runs_; }

    const Schedule &schedule_;
    const Durations &durations_;
    std::vector<Row> &free_;
    Record record_;
    std::size_t runs_;
    std::vector<Result> results_;
    Row times_; ///< by result: its end and its arrival, in all runs
    std::vector<Rank> ranks_;
    Places places_;
    std::vector<int> awake_;
};

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
        Run(schedule, durations, done, [](int, double, double) {}).make();
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
    Run(schedule, durations, done, [&](int rank, double start, double time) {
        spans[static_cast<std::size_t>(rank)].push_back({start, start + time});
    }).make();
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
