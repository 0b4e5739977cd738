// Every algorithm consists of two parts: a gather along the dimensions of the group, whose reversal is a
// reduce-scatter, and a tree to one member, whose reversal is a broadcast.
#include <planrt/steps.h>

#include <algorithm>
#include <bit>
#include <functional>

namespace planrt {

namespace {

using Rounds = std::vector<MessageRound>;

/// Sorted and merged, without empty ones.
Positions merged(Positions ranges) {
    std::erase_if(ranges, [](const Range &range) { return range.size() == 0; });
    std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.begin < b.begin; });
    Positions result;
    for (const Range &range : ranges)
        if (!result.empty() && result.back().end == range.begin)
            result.back().end = range.end;
        else
            result.push_back(range);
    return result;
}

MessageRound message(int to, Positions sent, int from, Positions received, bool combines) {
    MessageRound round;
    round.combines = combines;
    if (!sent.empty()) {
        round.to = to;
        round.sent = std::move(sent);
    }
    if (!received.empty()) {
        round.from = from;
        round.received = std::move(received);
    }
    return round;
}

/// The rounds in reverse order, with the messages in the opposite direction: a gather becomes a reduce-scatter, a
/// reduction a broadcast.
Rounds reversed(const Rounds &rounds, bool combines) {
    Rounds result;
    for (auto round = rounds.rbegin(); round != rounds.rend(); ++round)
        result.push_back({round->from, round->received, round->to, round->sent, combines});
    return result;
}

Rounds operator+(Rounds a, const Rounds &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

/// The members that differ from one member only along one dimension of the shape.
class Line {
  public:
    Line(std::span<const int> shape, std::size_t dimension, int member, std::span<const Range> blocks)
        : size(shape[dimension]), member_(member), blocks_(blocks) {
        for (std::size_t d = dimension + 1; d < shape.size(); ++d)
            stride_ *= shape[d];
        place = member / stride_ % size;
    }

    [[nodiscard]] int member(int at) const { return member_ + (at - place) * stride_; }

    /// What the members at [first, first + count) around the line have gathered along the earlier dimensions.
    [[nodiscard]] Positions gathered(int first, int count) const {
        Positions result;
        const int members = static_cast<int>(blocks_.size());
        for (int i = 0; i < count; ++i) {
            const int at = member((first + i + size) % size) % (size * stride_);
            for (int other = at; other < members; other += size * stride_)
                result.push_back(blocks_[static_cast<std::size_t>(other)]);
        }
        return merged(std::move(result));
    }

    int size;
    int place = 0;

  private:
    int member_;
    int stride_ = 1;
    std::span<const Range> blocks_;
};

Rounds ring_gather(const Line &line) {
    Rounds rounds;
    const int next = line.member((line.place + 1) % line.size);
    const int previous = line.member((line.place + line.size - 1) % line.size);
    for (int k = 0; k + 1 < line.size; ++k)
        rounds.push_back(
            message(next, line.gathered(line.place - k, 1), previous, line.gathered(line.place - k - 1, 1), false));
    return rounds;
}

Rounds doubling_gather(const Line &line) {
    Rounds rounds;
    const bool power_of_two = std::has_single_bit(static_cast<unsigned>(line.size));
    for (int distance = 1; distance < line.size; distance *= 2) {
        if (power_of_two) {
            const int partner = line.place ^ distance;
            rounds.push_back(message(line.member(partner), line.gathered(line.place & -distance, distance),
                                     line.member(partner), line.gathered(partner & -distance, distance), false));
            continue;
        }
        const int count = std::min(distance, line.size - distance);
        const int behind = (line.place + line.size - distance) % line.size;
        const int ahead = (line.place + distance) % line.size;
        rounds.push_back(message(line.member(behind), line.gathered(line.place, count), line.member(ahead),
                                 line.gathered(ahead, count), false));
    }
    return rounds;
}

/// Gathers along the dimensions, the major one first. `doubling(d)`: along dimension d by doubling, else by ring.
Rounds gather(std::span<const int> shape, int member, std::span<const Range> blocks,
              const std::function<bool(std::size_t)> &doubling) {
    Rounds rounds;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        const Line line(shape, d, member, blocks);
        rounds = rounds + (doubling(d) ? doubling_gather(line) : ring_gather(line));
    }
    return rounds;
}

Rounds scattered_and_gathered(const Rounds &gather) {
    return reversed(gather, true) + gather;
}

/// Members beyond the largest power of two give their vectors to a neighbour and receive the results from it; the
/// others exchange whole vectors.
Rounds recursive_doubling(int members, int member, const Positions &whole) {
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(members)));
    const int extra = members - power;
    const bool paired = member < 2 * extra;
    const bool takes_part = !paired || member % 2 == 1;
    const int number = paired ? member / 2 : member - extra;
    Rounds rounds;
    if (extra > 0)
        rounds.push_back(!paired       ? MessageRound{}
                         : !takes_part ? message(member + 1, whole, -1, {}, false)
                                       : message(-1, {}, member - 1, whole, true));
    const Rounds handed = rounds;
    for (int distance = 1; distance < power; distance *= 2) {
        const int partner = number ^ distance;
        const int peer = partner < extra ? 2 * partner + 1 : partner + extra;
        rounds.push_back(takes_part ? message(peer, whole, peer, whole, true) : MessageRound{});
    }
    return rounds + reversed(handed, false);
}

/// A binomial tree to the first member, along the minor dimension first.
Rounds reduction(std::span<const int> shape, int member, const Positions &whole) {
    Rounds rounds;
    bool done = false; // has passed on what it has
    for (std::size_t d = shape.size(); d-- > 0;) {
        const Line line(shape, d, member, {});
        for (int distance = 1; distance < line.size; distance *= 2) {
            MessageRound round;
            if (!done && (line.place & distance) != 0) {
                round = message(line.member(line.place - distance), whole, -1, {}, false);
                done = true;
            } else if (!done && line.place + distance < line.size) {
                round = message(-1, {}, line.member(line.place + distance), whole, true);
            }
            rounds.push_back(std::move(round));
        }
    }
    return rounds;
}

Rounds all_reduce(const Method &method, int member, std::span<const Range> blocks) {
    const Positions whole = merged({blocks.begin(), blocks.end()});
    const auto by = [&](const std::function<bool(std::size_t)> &doubling) {
        return scattered_and_gathered(gather(method.shape, member, blocks, doubling));
    };
    switch (method.algorithm) {
    case Algorithm::recursive_doubling:
        return recursive_doubling(static_cast<int>(blocks.size()), member, whole);
    case Algorithm::mst: {
        const Rounds half = reduction(method.shape, member, whole);
        return half + reversed(half, false);
    }
    case Algorithm::rabenseifner:
        return by([](std::size_t) { return true; });
    case Algorithm::hierarchical:
        return by([](std::size_t dimension) { return dimension == 0; });
    case Algorithm::ring:
    case Algorithm::recursive_halving:
    case Algorithm::mpi:
        break;
    }
    return by([](std::size_t) { return false; });
}

} // namespace

const char *name_of(Algorithm algorithm) {
    switch (algorithm) {
    case Algorithm::mpi:
        return "mpi";
    case Algorithm::ring:
        return "ring";
    case Algorithm::rabenseifner:
        return "rabenseifner";
    case Algorithm::recursive_doubling:
        return "recursive_doubling";
    case Algorithm::recursive_halving:
        return "recursive_halving";
    case Algorithm::mst:
        return "mst";
    case Algorithm::hierarchical:
        return "hierarchical";
    }
    return "";
}

std::int64_t elements(const Positions &positions) {
    std::int64_t sum = 0;
    for (const Range &range : positions)
        sum += range.size();
    return sum;
}

std::vector<Range> all_reduce_blocks(std::int64_t count, std::span<const int> shape) {
    std::vector<Range> blocks{{0, count}};
    // What the last phase of the gather moves, along the minor dimension, is split first.
    for (std::size_t d = shape.size(); d-- > 0;) {
        std::vector<Range> cut;
        for (int at = 0; at < shape[d]; ++at)
            for (const Range &whole : blocks)
                cut.push_back(block(whole, shape[d], at));
        blocks = std::move(cut);
    }
    return blocks;
}

std::vector<MessageRound> steps(CollectiveKind kind, const Method &method, int member, std::span<const Range> blocks) {
    if (method.algorithm == Algorithm::mpi || blocks.size() < 2)
        return {};
    const auto doubling = [&method](std::size_t) { return method.algorithm != Algorithm::ring; };
    switch (kind) {
    case CollectiveKind::all_reduce:
        return all_reduce(method, member, blocks);
    case CollectiveKind::all_gather:
        return gather(method.shape, member, blocks, doubling);
    case CollectiveKind::reduce_scatter:
        return reversed(gather(method.shape, member, blocks, doubling), true);
    case CollectiveKind::slice:
    case CollectiveKind::all_to_all:
    case CollectiveKind::exchange:
        break;
    }
    return {};
}

std::int64_t largest_combined(std::span<const MessageRound> rounds) {
    std::int64_t largest = 0;
    for (const MessageRound &round : rounds)
        if (round.combines)
            largest = std::max(largest, elements(round.received));
    return largest;
}

Sent sent(std::span<const MessageRound> rounds) {
    Sent sum;
    for (const MessageRound &round : rounds) {
        sum.messages += round.to >= 0 ? 1 : 0;
        sum.elements += elements(round.sent);
    }
    return sum;
}

Procedure procedure(CollectiveKind kind, const Method &method, std::span<const int> axes,
                    std::span<const MovedTensor> tensors, const Mesh &mesh, int rank) {
    Procedure result;
    result.ranks = mesh.group(rank, axes);
    std::ranges::sort(result.ranks);
    const auto member = std::ranges::find(result.ranks, rank) - result.ranks.begin();
    std::vector<Range> blocks;
    if (kind == CollectiveKind::all_reduce) {
        for (const MovedTensor &tensor : tensors)
            result.vector += local_volume(tensor.from, mesh, rank);
        blocks = all_reduce_blocks(result.vector, method.shape);
    } else {
        const MovedTensor &tensor = tensors.front();
        const Placement &cut = kind == CollectiveKind::reduce_scatter ? tensor.to : tensor.from;
        blocks.resize(result.ranks.size());
        for (const int each : mesh.group(rank, block_axes(tensor.from, tensor.to, axes))) {
            const std::int64_t begin = result.vector;
            result.vector += local_volume(cut, mesh, each);
            blocks[static_cast<std::size_t>(std::ranges::find(result.ranks, each) - result.ranks.begin())] = {
                begin, result.vector};
        }
    }
    result.own = blocks[static_cast<std::size_t>(member)];
    result.rounds = steps(kind, method, static_cast<int>(member), blocks);
    return result;
}

} // namespace planrt
