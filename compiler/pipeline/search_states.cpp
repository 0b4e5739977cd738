#include "pipeline/search_states.h"

#include <algorithm>
#include <limits>

namespace planc::pipeline {

namespace {

enum : std::size_t { F, I, W };

} // namespace

Rules::Rules(const SearchRequest &request)
    : micro_batches_(request.micro_batches), alive_(std::min(request.alive, request.micro_batches)) {
    const auto ranks = static_cast<std::size_t>(request.ranks);
    for (std::size_t stage = 0; stage < ranks; ++stage) {
        const StageTimes times = request.times.empty() ? StageTimes{} : request.times[stage];
        times_.push_back({times.forward, times.input, times.weight});
    }
    may_wait_ = std::any_of(times_.begin(), times_.end(), [&](const auto &each) {
        return std::any_of(each.begin(), each.end(), [&](int time) { return time != times_.front().front(); });
    });
    next_.resize(ranks);
    ends_.resize(ranks);
    w_ends_.resize(ranks * static_cast<std::size_t>(alive_));
}

bool Rules::done(State state) const {
    return std::all_of(state.begin(), state.end(),
                       [&](const RankState &rank) { return rank.ended(W) == micro_batches_; });
}

std::int64_t Rules::work_left(State state) const {
    std::int64_t work = 0;
    for (std::size_t rank = 0; rank < state.size(); ++rank) {
        work += state[rank].left;
        for (std::size_t kind = 0; kind < 3; ++kind)
            work += std::int64_t{times_[rank][kind]} * (micro_batches_ - state[rank].started[kind]);
    }
    return work;
}

bool Rules::can(State state, std::size_t rank, std::size_t kind) const {
    const RankState &own = state[rank];
    const int next = own.started[kind];
    switch (kind) {
    case F:
        return next < micro_batches_ && next - own.ended(W) < alive_ && (rank == 0 || state[rank - 1].ended(F) > next);
    case I:
        return own.ended(F) > next && (rank + 1 == state.size() || state[rank + 1].ended(I) > next);
    default:
        return own.ended(I) > next;
    }
}

int Rules::advance() {
    int time = std::numeric_limits<int>::max();
    for (const RankState &rank : chosen_)
        if (rank.running != 0)
            time = std::min(time, int{rank.left});
    if (time == std::numeric_limits<int>::max())
        return 0;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
        RankState &rank = next_[i];
        rank = chosen_[i];
        if (rank.running == 0)
            continue;
        rank.left = static_cast<std::uint16_t>(rank.left - time);
        if (rank.left == 0)
            rank.running = 0;
    }
    return time;
}

int Rules::time_left(State state) {
    const std::size_t ranks = state.size();
    int first = micro_batches_; // micro-batches before it have passed everywhere
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        first = std::min(first, state[rank].ended(W));
        ends_[rank] = {0, 0, 0};
    }
    std::fill(w_ends_.begin(), w_ends_.end(), 0);
    for (int m = first; m < micro_batches_; ++m) {
        // When the m-th action of a kind ends: not before what it needs, and not before everything that must run on its
        // rank by then, of which `f`, `i` and `w` are the actions yet to start.
        const auto end = [&](std::size_t rank, std::size_t kind, int needed, int f, int i, int w) {
            const RankState &own = state[rank];
            int &last = ends_[rank][kind]; // of micro-batch m - 1
            if (m < own.started[kind])
                return last = m + 1 == own.started[kind] && own.running == kind + 1 ? int{own.left} : 0;
            const std::array<int, 3> &times = times_[rank];
            const int work = own.left + times[F] * std::max(0, f - own.started[F]) +
                             times[I] * std::max(0, i - own.started[I]) + times[W] * std::max(0, w - own.started[W]);
            return last = std::max(work, std::max(needed, last) + times[kind]);
        };
        const std::size_t slot = static_cast<std::size_t>(m % alive_) * ranks;
        const int freed = m + 1 - alive_; // micro-batches whose W is over before F of micro-batch m
        for (std::size_t rank = 0; rank < ranks; ++rank)
            end(rank, F, std::max(w_ends_[slot + rank], rank == 0 ? 0 : ends_[rank - 1][F]), m + 1, freed, freed);
        for (std::size_t rank = ranks; rank-- > 0;) {
            end(rank, I, std::max(ends_[rank][F], rank + 1 == ranks ? 0 : ends_[rank + 1][I]), m + 1, m + 1, freed);
            w_ends_[slot + rank] = end(rank, W, ends_[rank][I], m + 1, m + 1, m + 1);
        }
    }
    int left = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
        left = std::max(left, ends_[rank][W]);
    return left;
}

} // namespace planc::pipeline
