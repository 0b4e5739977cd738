#include "cost/collectives.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>

namespace planc::cost {

namespace {

double lg_down(std::int64_t n) {
    return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(n)) - 1);
}
double lg_up(std::int64_t n) {
    return n <= 1 ? 0 : lg_down(n - 1) + 1;
}

std::vector<std::int64_t> dimensions(const Group &group) {
    return group.shape.empty() ? std::vector<std::int64_t>{group.ranks} : group.shape;
}

double sum_over(const Group &group, const std::function<double(std::int64_t)> &term) {
    double sum = 0;
    for (std::int64_t size : dimensions(group))
        sum += term(size);
    return sum;
}

double share(const Group &group) {
    return static_cast<double>(group.ranks - 1) / static_cast<double>(group.ranks);
}

Price priced(const Link &link, double messages, Bytes wire) {
    Price price;
    price.messages = messages;
    price.wire = wire;
    price.latency = messages * link.latency;
    price.transfer = Seconds(wire.value / link.bytes_per_second);
    return price;
}

Seconds arithmetic(double elements, double rate) {
    return Seconds(rate > 0 ? elements / rate : 0);
}

} // namespace

Group group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine) {
    Group result;
    std::int64_t stride = 1; // of the axis in rank numbers
    std::int64_t span = 1;   // ranks [k span, (k+1) span) hold whole groups
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
        stride *= sizes[axis];
        if (std::find(axes.begin(), axes.end(), static_cast<int>(axis)) == axes.end() || sizes[axis] == 1)
            continue;
        result.ranks *= sizes[axis];
        result.shape.insert(result.shape.begin(), sizes[axis]);
        span = stride;
    }
    const bool within_node = machine.ranks_per_node % span == 0;
    result.link = within_node && machine.inside ? *machine.inside : machine.network;

    const std::vector<std::int64_t> &nodes = result.link.shape;
    const std::int64_t all = std::accumulate(nodes.begin(), nodes.end(), std::int64_t{1}, std::multiplies<>());
    const bool axes_are_dimensions = std::vector<std::int64_t>(sizes.begin(), sizes.end()) == nodes;
    if (nodes.empty() || (result.ranks != all && !axes_are_dimensions))
        result.shape.clear();
    else if (!axes_are_dimensions)
        result.shape = nodes;
    return result;
}

Price all_reduce(AllReduce algorithm, const Group &group, Bytes n, double elements, double reduction_flops_per_second) {
    if (group.ranks <= 1)
        return {};
    const double around = 2 * share(group);
    const double doublings = sum_over(group, lg_up);
    Price price;
    double added = share(group) * elements; // additions per rank
    switch (algorithm) {
    case AllReduce::ring:
        price = priced(group.link, sum_over(group, [](std::int64_t d) { return 2.0 * static_cast<double>(d - 1); }),
                       around * n);
        break;
    case AllReduce::rabenseifner:
        if (std::has_single_bit(static_cast<std::uint64_t>(group.ranks)))
            price = priced(group.link, 2 * lg_up(group.ranks), around * n);
        else
            price = priced(group.link, 2 * lg_down(group.ranks) + 2, (around + 2) * n);
        break;
    case AllReduce::recursive_doubling:
        price = priced(group.link, lg_up(group.ranks), lg_up(group.ranks) * n);
        added = lg_up(group.ranks) * elements;
        break;
    case AllReduce::mst:
        price = priced(group.link, 2 * doublings, 2 * doublings * n);
        added = doublings * elements;
        break;
    }
    price.arithmetic = arithmetic(added, reduction_flops_per_second);
    return price;
}

Price reduce_scatter(const Group &group, Bytes n, double elements, double reduction_flops_per_second) {
    Price price = all_gather(group, n);
    price.arithmetic = arithmetic(share(group) * elements, reduction_flops_per_second);
    return price;
}

Price all_gather(const Group &group, Bytes n) {
    const double steps = sum_over(group, [](std::int64_t d) { return static_cast<double>(d - 1); });
    return priced(group.link, steps, share(group) * n);
}

Price broadcast(const Group &group, Bytes n) {
    const double doublings = sum_over(group, lg_up);
    return priced(group.link, doublings, doublings * n);
}

Price all_to_all(const Group &group, Bytes leaving) {
    return priced(group.link, static_cast<double>(group.ranks - 1), leaving);
}

Price point_to_point(const Link &link, double messages, Bytes leaving) {
    return priced(link, messages, leaving);
}

} // namespace planc::cost
