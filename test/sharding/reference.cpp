#include "sharding/elements.h"
#include "sharding/placement.h"

#include <algorithm>

namespace planc::sharding::reference {

int uniform(Random &random, int low, int high) {
    return low + static_cast<int>(random() % static_cast<std::uint64_t>(high - low + 1));
}

std::string text(const Placement &placement) {
    std::string result = "[";
    for (const planrt::DimensionPlacement &dimension : placement.dimensions) {
        result.append(result.size() > 1 ? ", " : "").append(std::to_string(dimension.extent)).append(":");
        for (int axis : dimension.axes)
            result.append(" ").append(std::to_string(axis));
        if (const auto &window = dimension.window) {
            static const char *const parts[] = {"", " before", " within", " behind"};
            result.append(parts[static_cast<int>(window->part)]);
            result.append(window->transposed ? " transposed" : "").append(" window");
            for (const std::int64_t number :
                 {window->positions, window->kernel, window->stride, window->dilation, window->padding})
                result.append(" ").append(std::to_string(number));
        }
    }
    result += ']';
    if (!placement.partial.empty())
        result.append(" partial");
    for (int axis : placement.partial)
        result.append(" ").append(std::to_string(axis));
    if (!placement.stored.empty())
        result.append(" stored");
    for (int axis : placement.stored)
        result.append(" ").append(std::to_string(axis));
    return result;
}

std::string text(const std::vector<Step> &steps) {
    static const char *const names[] = {"slice",      "all-gather", "reduce-scatter",
                                        "all-reduce", "all-to-all", "exchange"};
    std::string result;
    for (const Step &step : steps) {
        result.append(result.empty() ? "" : "; ").append(text(step.from)).append(" ");
        result.append(names[static_cast<int>(step.kind)]).append(" ").append(text(step.to));
    }
    return result;
}

Whole random_whole(const std::vector<std::int64_t> &extents, Random &random) {
    std::int64_t elements = 1;
    for (std::int64_t extent : extents)
        elements *= extent;
    Whole result(static_cast<std::size_t>(elements));
    for (Element &element : result)
        element = random();
    return result;
}

/// Terms whose combination is `value`: all but the last are random.
static std::vector<Element> terms(Element value, int count, Reduction reduction, Random &random) {
    std::vector<Element> result;
    Element sum = 0;
    for (int i = 0; i < count - 1; ++i) {
        result.push_back(random());
        if (reduction == Reduction::max)
            result.back() = std::min(result.back(), value);
        if (reduction == Reduction::min)
            result.back() = std::max(result.back(), value);
        sum += result.back();
    }
    result.push_back(reduction == Reduction::sum ? value - sum : value);
    std::shuffle(result.begin(), result.end(), random);
    return result;
}

Distributed distribute(const Whole &whole, const Placement &placement, const Mesh &mesh, Random &random) {
    const Box everything = whole_box(placement);
    const int count = static_cast<int>(group_size(placement.partial, mesh));
    std::vector<std::vector<Element>> addends;
    for (Element value : whole)
        addends.push_back(terms(value, count, placement.reduction, random));
    Distributed result{placement, std::vector<std::vector<Element>>(mesh.ranks())};
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        const std::vector<int> group = mesh.group(rank, placement.partial);
        const auto member = std::find(group.begin(), group.end(), rank) - group.begin();
        for_each_held(placement, mesh, rank, [&](const Index &index) {
            result.parts[rank].push_back(addends[offset(everything, index)][member]);
        });
    }
    return result;
}

/// Of ranks that have the same rows, the first one counts.
static std::string difference_of_sums(const Distributed &tensor, const Whole &whole, const Mesh &mesh) {
    Whole sum(whole.size(), 0);
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        std::vector<int> first = mesh.coordinates(rank);
        for (int axis = 0; axis < static_cast<int>(first.size()); ++axis)
            first[axis] = cuts(tensor.placement, axis) ? first[axis] : 0;
        const std::vector<Element> &part = tensor.parts[rank];
        if (part != tensor.parts[mesh.rank(first)])
            return "replicas of addends differ in " + text(tensor.placement);
        std::size_t position = 0;
        for_each_held(tensor.placement, mesh, rank, [&](const Index &index) {
            sum[offset(whole_box(tensor.placement), index)] += mesh.rank(first) == rank ? part[position] : 0;
            ++position;
        });
    }
    return sum == whole ? "" : "the sums of addends are wrong in " + text(tensor.placement);
}

std::string difference(const Distributed &tensor, const Whole &whole, const Mesh &mesh) {
    const Placement &placement = tensor.placement;
    if (planrt::has_addends(placement))
        return difference_of_sums(tensor, whole, mesh);
    const Box everything = whole_box(placement);
    std::string result;
    for (int rank = 0; rank < mesh.ranks() && result.empty(); ++rank) {
        const std::vector<int> group = mesh.group(rank, placement.partial);
        if (static_cast<std::int64_t>(tensor.parts[rank].size()) != local_volume(placement, mesh, rank))
            return "rank " + std::to_string(rank) + " has a block of the wrong size in " + text(placement);
        std::size_t position = 0;
        for_each_held(placement, mesh, rank, [&](const Index &index) {
            Element value = tensor.parts[group[0]][position];
            for (std::size_t member = 1; member < group.size(); ++member)
                value = combine(placement.reduction, value, tensor.parts[group[member]][position]);
            if (value != whole[offset(everything, index)])
                result = "rank " + std::to_string(rank) + " has wrong elements in " + text(placement);
            ++position;
        });
    }
    return result;
}

namespace {

/// Executes one step rank by rank: each rank pulls what it wants from the members of its group.
class Executor {
  public:
    Executor(const Step &step, const Distributed &tensor, const Mesh &mesh) : step_(step), in_(tensor), mesh_(mesh) {
        out_.tensor.placement = step.to;
        out_.tensor.parts.resize(mesh.ranks());
        out_.traffic.resize(mesh.ranks());
    }

    Executed run() {
        if (in_.placement != step_.from)
            fail("starts from another placement than the tensor's");
        const bool reduces = step_.kind == CollectiveKind::all_reduce || step_.kind == CollectiveKind::reduce_scatter;
        if (!reduces && step_.from.partial != step_.to.partial)
            fail("loses partial sums");
        check_shares();
        for (int rank = 0; rank < mesh_.ranks() && out_.error.empty(); ++rank) {
            if (step_.kind == CollectiveKind::exchange)
                receive(rank);
            else
                for_each_held(step_.to, mesh_, rank, [&](const Index &index) {
                    out_.tensor.parts[rank].push_back(reduces ? reduced(rank, index) : moved(rank, index));
                });
            count(rank);
        }
        return std::move(out_);
    }

  private:
    void fail(const std::string &message) {
        if (out_.error.empty())
            out_.error = text({step_}) + ": " + message;
    }

    /// What layout.h says of flat steps: equal boxes, and the stored axes of one begin with those of the other.
    void check_shares() {
        const std::vector<int> &from = step_.from.stored;
        const std::vector<int> &to = step_.to.stored;
        if (from.empty() && to.empty())
            return;
        if (step_.from.dimensions != step_.to.dimensions)
            fail("moves boxes and shares at once");
        if (!is_prefix(step_.kind == CollectiveKind::all_gather ? to : from,
                       step_.kind == CollectiveKind::all_gather ? from : to))
            fail("changes the stored axes elsewhere than at the end");
        if (step_.kind == CollectiveKind::all_to_all || step_.kind == CollectiveKind::exchange)
            fail("is no kind that moves shares");
    }

    [[nodiscard]] Element held(int rank, const Index &index) {
        const std::int64_t position = position_of(step_.from, mesh_, rank, index);
        if (position < 0) {
            fail("wants elements that rank " + std::to_string(rank) + " does not hold");
            return 0;
        }
        return in_.parts[rank][static_cast<std::size_t>(position)];
    }

    Element reduced(int rank, const Index &index) {
        const std::vector<int> group = mesh_.group(rank, step_.axes);
        Element value = held(group[0], index);
        for (std::size_t member = 1; member < group.size(); ++member)
            value = combine(step_.from.reduction, value, held(group[member], index));
        return value;
    }

    /// From the one member of the group that holds the element; a slice has no group.
    Element moved(int rank, const Index &index) {
        if (step_.kind == CollectiveKind::slice)
            return held(rank, index);
        for (int member : mesh_.group(rank, step_.axes)) {
            if (position_of(step_.from, mesh_, member, index) < 0)
                continue;
            if (member != rank && step_.kind == CollectiveKind::all_to_all)
                ++out_.traffic[member].elements;
            return held(member, index);
        }
        fail("wants elements that nobody in the group holds");
        return 0;
    }

    /// An exchange follows planrt::exchange() to the letter: both sides must agree on every message.
    void receive(int rank) {
        const Box box = local_box(step_.to, mesh_, rank);
        std::vector<Element> part(static_cast<std::size_t>(volume(box)));
        std::vector<int> filled(part.size());
        const bool adds = planrt::has_addends(step_.from);
        const auto take = [&](int peer, const Box &from) {
            for_each(from, [&](const Index &index) {
                part[offset(box, index)] = held(peer, index) + (adds ? part[offset(box, index)] : 0);
                ++filled[offset(box, index)];
            });
        };
        const planrt::Exchange own = planrt::exchange(step_.from, step_.to, mesh_, rank);
        for (const Box &kept : own.kept)
            take(rank, kept);
        for (const planrt::Transfer &receive : own.receives) {
            const planrt::Exchange other = planrt::exchange(step_.from, step_.to, mesh_, receive.peer);
            const bool sent = std::any_of(other.sends.begin(), other.sends.end(), [&](const planrt::Transfer &send) {
                return send.peer == rank && send.box == receive.box;
            });
            if (!sent)
                fail("a message is received that nobody sends");
            take(receive.peer, receive.box);
        }
        if (!adds && std::any_of(filled.begin(), filled.end(), [](int times) { return times != 1; }))
            fail("elements arrive not exactly once");
        for (const planrt::Transfer &send : own.sends) {
            ++out_.traffic[rank].calls;
            out_.traffic[rank].elements += volume(send.box);
        }
        out_.tensor.parts[rank] = std::move(part);
    }

    void count(int rank) {
        planrt::Traffic &traffic = out_.traffic[rank];
        if (step_.kind == CollectiveKind::slice || step_.kind == CollectiveKind::exchange)
            return;
        traffic.calls = 1;
        if (step_.kind == CollectiveKind::all_gather)
            traffic.elements = static_cast<std::int64_t>(out_.tensor.parts[rank].size());
        if (step_.kind == CollectiveKind::all_reduce || step_.kind == CollectiveKind::reduce_scatter)
            traffic.elements = static_cast<std::int64_t>(in_.parts[rank].size());
    }

    const Step &step_;
    const Distributed &in_;
    const Mesh &mesh_;
    Executed out_;
};

} // namespace

Executed execute(const Step &step, const Distributed &tensor, const Mesh &mesh) {
    return Executor(step, tensor, mesh).run();
}

std::string execute(const std::vector<Step> &steps, Distributed &tensor, const Whole &whole, const Mesh &mesh) {
    for (const Step &step : steps) {
        Executed executed = execute(step, tensor, mesh);
        if (!executed.error.empty())
            return executed.error;
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            if (executed.traffic[rank] != traffic(step.kind, step.from, step.to, mesh, rank))
                return "the traffic of rank " + std::to_string(rank) + " in " + text({step});
        tensor = std::move(executed.tensor);
        if (std::string differs = difference(tensor, whole, mesh); !differs.empty())
            return differs;
    }
    return "";
}

} // namespace planc::sharding::reference
