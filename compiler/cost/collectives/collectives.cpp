#include "cost/collectives/collectives.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace planc::cost {

namespace {

int lg_down(std::int64_t n) {
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n))) - 1;
}
int lg_up(std::int64_t n) {
    return n <= 1 ? 0 : lg_down(n - 1) + 1;
}

double share(std::int64_t ranks) {
    return static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

/// The messages that share one link if every node of the dimension sends one over `hops`.
double load(const Span &span, double hops) {
    if (span.length == 0)
        return 1;
    return std::max(1.0, std::min(hops, static_cast<double>(span.length) - hops));
}

/// The average over the other members of the span.
double mean_load(const Span &span) {
    double sum = 0;
    for (std::int64_t k = 1; k < span.size && span.length > 0; ++k)
        sum += load(span, static_cast<double>(k * span.hop));
    return std::max(1.0, sum / static_cast<double>(std::max<std::int64_t>(span.size - 1, 1)));
}

Round round(const Group &group, const Span &span, bool all_send, double messages, double part, double passing) {
    return {messages, part, group.levels[span.level].link.latency,
            bytes_per_second(group.levels, span.level, all_send) / passing};
}

/// A round priced by the slowest of all links in use.
Round slowest(const std::vector<GroupLevel> &levels, bool all_send, double messages, double part) {
    Round result{messages, part, Seconds(0), INFINITY};
    for (int level = 0; level < static_cast<int>(levels.size()); ++level) {
        if (!levels[level].taken)
            continue;
        result.latency = std::max(result.latency, levels[level].link.latency);
        result.bytes_per_second = std::min(result.bytes_per_second, bytes_per_second(levels, level, all_send));
    }
    return result;
}

Round slowest(const Group &group, bool all_send, double messages, double part) {
    return slowest(group.levels, all_send, messages, part);
}

/// Reduce-scatter or all-gather by ring: the innermost dimension moves most.
std::vector<Round> ring(const Group &group) {
    if (!group.by_dimension())
        return {slowest(group, false, static_cast<double>(group.ranks - 1), share(group.ranks))};
    std::vector<Round> rounds;
    double rest = 1;
    for (std::size_t s = group.spans.size(); s-- > 0;) {
        const Span &span = group.spans[s];
        rounds.push_back(round(group, span, false, static_cast<double>(span.size - 1), rest * share(span.size),
                               load(span, static_cast<double>(span.hop))));
        rest /= static_cast<double>(span.size);
    }
    return rounds;
}

/// The span that each of `count` rounds crosses, in the order of the members' distances. If the sizes are not powers of
/// two and there are fewer rounds than the spans would need separately, major spans get theirs first.
std::vector<std::pair<const Span *, int>> doublings(const Group &group, int count) {
    std::vector<std::pair<const Span *, int>> result; // span, exponent of the distance in it
    for (const Span &span : group.spans) {
        const int of_span = std::min(lg_up(span.size), count - static_cast<int>(result.size()));
        for (int k = of_span; k-- > 0;)
            result.emplace_back(&span, k);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

/// Exchanges at distances 1, 2, 4, …: in round k all ranks send `part(k)` of the vector. If the number of ranks is no
/// power of two, messages go around the group, and in every round some message takes the slowest link.
template <class Part> std::vector<Round> doubling(const Group &group, int count, const Part &part) {
    std::vector<Round> rounds;
    if (!group.at_distances.empty()) {
        for (int k = 0; k < count; ++k)
            rounds.push_back(slowest(group.at_distances[k], true, 1, part(k)));
        return rounds;
    }
    const bool around = group.spans.size() > 1 && !std::has_single_bit(static_cast<std::uint64_t>(group.ranks));
    int k = 0;
    for (const auto &[span, exponent] : doublings(group, count)) {
        const double hops = std::ldexp(static_cast<double>(span->hop), exponent);
        const double passing = load(*span, hops);
        rounds.push_back(group.even && !around ? round(group, *span, true, 1, part(k), passing)
                                               : slowest(group, true, 1, part(k)));
        ++k;
    }
    return rounds;
}

/// Recursive halving or doubling, P-1 blocks in lg P rounds.
std::vector<Round> halving(const Group &group) {
    const double ranks = static_cast<double>(group.ranks);
    return doubling(group, lg_up(group.ranks), [ranks](int k) {
        const double blocks = std::ldexp(1.0, k);
        return std::min(blocks, ranks - blocks) / ranks;
    });
}

/// A tree from or to one rank, with the whole vector in each round. In no round do two messages of a group leave a
/// unit.
std::vector<Round> tree(const Group &group) {
    int count = 0;
    for (const Span &span : group.spans)
        count += lg_up(span.size);
    if (!group.by_dimension())
        count = lg_up(group.ranks);
    std::vector<Round> rounds;
    for (const auto &[span, exponent] : doublings(group, count))
        rounds.push_back(group.even ? round(group, *span, false, 1, 1, load(*span, static_cast<double>(span->hop)))
                                    : slowest(group, false, 1, 1));
    return rounds;
}

std::vector<Round> operator+(std::vector<Round> a, const std::vector<Round> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<Round> rabenseifner(const Group &group) {
    const std::vector<Round> half = halving(group);
    return half + half;
}

/// Whole vectors between neighbours: the first and the second member, the third and the fourth, …. If the inner spans
/// have an odd number of members, some pairs are in different units.
Round between_neighbours(const Group &group) {
    if (!group.even)
        return slowest(group, true, 1, 1);
    Round result{1, 1, Seconds(0), INFINITY};
    std::int64_t members = 1;
    for (std::size_t s = group.spans.size(); s-- > 0 && members % 2 != 0;) {
        const Round across = round(group, group.spans[s], true, 1, 1, 1);
        result.latency = std::max(result.latency, across.latency);
        result.bytes_per_second = std::min(result.bytes_per_second, across.bytes_per_second);
        members *= group.spans[s].size;
    }
    return result;
}

std::vector<Round> recursive_doubling(const Group &group) {
    const std::vector<Round> rounds = doubling(group, lg_down(group.ranks), [](int) { return 1.0; });
    if (std::has_single_bit(static_cast<std::uint64_t>(group.ranks)))
        return rounds;
    // The ranks beyond the largest power of two give their vectors to neighbours and receive the results from them.
    const Round whole = between_neighbours(group);
    return std::vector<Round>{whole} + rounds + std::vector<Round>{whole};
}

/// The part of a group within a unit of its outermost level, or the part between these units.
Group part(const Group &group, bool between) {
    Group result;
    result.levels = group.levels;
    const int outermost = group.spans.front().level;
    for (const Span &span : group.spans)
        if ((span.level == outermost) == between) {
            result.spans.push_back(span);
            result.ranks *= span.size;
        }
    for (int level = 0; level < static_cast<int>(result.levels.size()); ++level) {
        GroupLevel &row = result.levels[level];
        row.taken = row.taken && (level == outermost) == between;
        if (between)
            row.one = row.all; // each rank of a unit is in a group of its own
    }
    return result;
}

std::vector<Round> hierarchical(const Group &group) {
    if (!group.even) {
        const std::vector<Round> half = ring(group);
        return half + half;
    }
    const Group between = part(group, true);
    const Group within = part(group, false);
    if (within.ranks == 1 || between.ranks == 1)
        return rabenseifner(group);
    const std::vector<Round> inner = ring(within);
    std::vector<Round> outer = rabenseifner(between);
    for (Round &each : outer)
        each.share /= static_cast<double>(within.ranks);
    return inner + outer + inner;
}

Seconds arithmetic(double elements, double rate) {
    return Seconds(rate > 0 ? elements / rate : 0);
}

} // namespace

Price price(const std::vector<Round> &rounds, Bytes n) {
    Price price;
    for (const Round &round : rounds) {
        price.messages += round.messages;
        price.wire += round.share * n;
        price.latency += round.messages * round.latency;
        price.transfer += Seconds(round.share * n.value / round.bytes_per_second);
    }
    return price;
}

std::vector<Round> all_reduce_rounds(Algorithm algorithm, const Group &group) {
    if (group.ranks <= 1)
        return {};
    switch (algorithm) {
    case Algorithm::rabenseifner:
        return rabenseifner(group);
    case Algorithm::recursive_doubling:
        return recursive_doubling(group);
    case Algorithm::mst: {
        const std::vector<Round> half = tree(group);
        return half + half;
    }
    case Algorithm::hierarchical:
        return hierarchical(group);
    default: {
        const std::vector<Round> half = ring(group);
        return half + half;
    }
    }
}

std::vector<Round> gather_rounds(Algorithm algorithm, const Group &group) {
    if (group.ranks <= 1)
        return {};
    const bool logarithmic = algorithm == Algorithm::recursive_halving || algorithm == Algorithm::recursive_doubling;
    return logarithmic ? halving(group) : ring(group);
}

std::vector<Round> broadcast_rounds(Algorithm algorithm, const Group &group) {
    if (group.ranks <= 1)
        return {};
    if (algorithm != Algorithm::scatter_allgather)
        return tree(group);
    std::vector<Round> scatter = tree(group);
    const double blocks = std::ldexp(1.0, static_cast<int>(scatter.size())) - 1;
    for (std::size_t k = 0; k < scatter.size(); ++k)
        scatter[k].share = std::ldexp(1.0, static_cast<int>(k)) / blocks * share(group.ranks);
    return scatter + ring(group);
}

std::vector<Round> all_to_all_rounds(const Group &group) {
    if (group.ranks <= 1)
        return {};
    const double peers = static_cast<double>(group.ranks - 1);
    if (!group.even)
        return {slowest(group, true, peers, 1)};
    std::vector<Round> rounds;
    double inner = 1;
    for (std::size_t s = group.spans.size(); s-- > 0;) {
        const Span &span = group.spans[s];
        const double messages = inner * static_cast<double>(span.size - 1);
        rounds.push_back(round(group, span, true, messages, messages / peers, mean_load(span)));
        inner *= static_cast<double>(span.size);
    }
    return rounds;
}

std::vector<Round> exchange_rounds(const Group &group, bool neighbours) {
    if (group.ranks <= 1)
        return {};
    Round one = slowest(group, !neighbours, 1, 1);
    double passing = 1;
    for (const Span &span : group.spans)
        passing = std::max(passing, neighbours ? load(span, static_cast<double>(span.hop)) : mean_load(span));
    one.bytes_per_second /= passing;
    return {one};
}

/// The shape for a ring or a tree.
static std::vector<int> shape(const Group &group) {
    if (!group.by_dimension())
        return {static_cast<int>(group.ranks)};
    std::vector<int> sizes;
    for (const Span &span : group.spans)
        sizes.push_back(static_cast<int>(span.size));
    return sizes;
}

static planrt::Method hierarchical_method(const Group &group) {
    if (!group.even)
        return {planrt::Algorithm::ring, shape(group)};
    const Group between = part(group, true);
    const Group within = part(group, false);
    const int ranks = static_cast<int>(group.ranks);
    if (within.ranks == 1 || between.ranks == 1)
        return {planrt::Algorithm::rabenseifner, {ranks}};
    std::vector<int> sizes{static_cast<int>(between.ranks)};
    const std::vector<int> inner = shape(within);
    sizes.insert(sizes.end(), inner.begin(), inner.end());
    return {planrt::Algorithm::hierarchical, sizes};
}

planrt::Method method(Algorithm algorithm, const Group &group) {
    if (group.ranks <= 1)
        return {};
    const std::vector<int> line{static_cast<int>(group.ranks)};
    switch (algorithm) {
    case Algorithm::recursive_doubling:
        return {planrt::Algorithm::recursive_doubling, line};
    case Algorithm::recursive_halving:
        return {planrt::Algorithm::recursive_halving, line};
    case Algorithm::rabenseifner:
        return {planrt::Algorithm::rabenseifner, line};
    case Algorithm::mst:
        return {planrt::Algorithm::mst, shape(group)};
    case Algorithm::hierarchical:
        return hierarchical_method(group);
    case Algorithm::ring:
    case Algorithm::binomial:
    case Algorithm::scatter_allgather:
    case Algorithm::pairwise:
        break;
    }
    return {planrt::Algorithm::ring, shape(group)};
}

Price all_reduce(Algorithm algorithm, const Group &group, Bytes n, double elements, double reduction_flops_per_second) {
    Price result = price(all_reduce_rounds(algorithm, group), n);
    const bool whole = algorithm == Algorithm::recursive_doubling || algorithm == Algorithm::mst;
    const double additions = whole ? lg_up(group.ranks) : share(group.ranks); // per element, one after the other
    result.arithmetic = arithmetic(additions * elements, reduction_flops_per_second);
    return result;
}

Price reduce_scatter(Algorithm algorithm, const Group &group, Bytes n, double elements,
                     double reduction_flops_per_second) {
    Price result = price(gather_rounds(algorithm, group), n);
    result.arithmetic = arithmetic(share(group.ranks) * elements, reduction_flops_per_second);
    return result;
}

Price all_gather(Algorithm algorithm, const Group &group, Bytes n) {
    return price(gather_rounds(algorithm, group), n);
}

Price broadcast(Algorithm algorithm, const Group &group, Bytes n) {
    return price(broadcast_rounds(algorithm, group), n);
}

Price all_to_all(const Group &group, Bytes leaving) {
    return price(all_to_all_rounds(group), leaving);
}

Price point_to_point(const Group &group, bool neighbours, double messages, Bytes leaving) {
    std::vector<Round> rounds = exchange_rounds(group, neighbours);
    for (Round &round : rounds)
        round.messages = messages;
    return price(rounds, leaving);
}

} // namespace planc::cost
