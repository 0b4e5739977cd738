#include "cost/collectives/group.h"

#include "cost/collectives/uneven_group.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>

namespace planc::cost {

namespace {

constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_counted_ranks = 65'536;

/// One digit of a rank's number in the machine's numbering: a dimension of a network, or all units of a star.
struct Digit {
    std::int64_t left = any; ///< of its size, not yet taken by an axis
    int level = 0;
    std::int64_t hop = 1;
    std::int64_t length = 0;
};

/// Minor first.
std::vector<Digit> digits(const Machine &machine) {
    std::vector<Digit> result;
    for (std::size_t level = 0; level < machine.levels.size(); ++level) {
        const Link &link = machine.levels[level].link;
        for (std::size_t d = link.shape.size(); d-- > 0;)
            result.push_back({link.shape[d], static_cast<int>(level), 1, link.shape[d]});
        const bool outermost = level + 1 == machine.levels.size();
        if (link.shape.empty())
            result.push_back({outermost ? any : machine.levels[level].units, static_cast<int>(level), 1, 0});
    }
    return result;
}

/// Visits the axes, minor ones first, and assigns parts of the machine to each.
class Walk {
  public:
    Walk(std::span<const int> sizes, const Machine &machine) : digits_(digits(machine)) {
        last_ = static_cast<int>(sizes.size());
        for (int axis = 0; axis < static_cast<int>(sizes.size()); ++axis)
            if (sizes[axis] > 1)
                last_ = std::min(last_, axis);
    }

    /// Takes the next axis. False: it does not end at the end of a unit or a dimension.
    bool take(int axis, std::int64_t size, std::vector<Span> &spans) {
        while (size > 1) {
            while (digit_ < digits_.size() && digits_[digit_].left == 1)
                ++digit_;
            if (digit_ == digits_.size())
                return false; // more ranks than the machine has
            Digit &digit = digits_[digit_];
            const std::int64_t part = std::min(size, digit.left);
            if (size % part != 0 || (digit.left != any && digit.left % part != 0 && axis != last_))
                return false;
            spans.push_back({part, digit.level, digit.hop, digit.length});
            size /= part;
            digit.hop *= digit.length > 0 ? part : 1;
            digit.left = digit.left == any ? any : digit.left / part;
        }
        return true;
    }

  private:
    std::vector<Digit> digits_; ///< minor first
    std::size_t digit_ = 0;
    int last_; ///< the major axis: after it, a dimension may be left over
};

/// Merges spans at the same star, and consecutive spans along one dimension.
void merge(std::vector<Span> &spans) {
    std::vector<Span> merged;
    for (const Span &span : spans) {
        const bool same_level = !merged.empty() && merged.back().level == span.level;
        if (same_level && (span.length == 0 || span.hop * span.size == merged.back().hop)) {
            merged.back().size *= span.size;
            merged.back().hop = span.hop;
        } else {
            merged.push_back(span);
        }
    }
    spans = std::move(merged);
}

/// `in_units`: by level, how many ranks of a unit are in one of the groups.
void add_levels(Group &group, const Machine &machine, const std::vector<std::int64_t> &in_units) {
    const int last = group.spans.front().level;
    for (int level = 0; level <= last; ++level) {
        const std::int64_t in_unit = in_units[level];
        std::int64_t together = 1; // members of one group in a unit
        bool taken = false;
        for (const Span &span : group.spans) {
            together *= span.level < level ? span.size : 1;
            taken |= span.level == level;
        }
        group.levels.push_back(
            {machine.levels[level].link, static_cast<double>(in_unit / together), static_cast<double>(in_unit), taken});
    }
}

/// Consecutive ranks of the machine.
struct Part {
    std::int64_t first = 0;
    std::int64_t ranks = 1;
};

/// Whether units part these ranks as they part the first ones of the machine.
bool is_aligned(const Part &part, const Machine &machine) {
    const std::vector<std::int64_t> units = unit_sizes(machine);
    for (std::size_t level = 0; level < units.size(); ++level) {
        std::int64_t unit = units[level];
        if (part.first % unit != 0 && part.first % unit + part.ranks > unit)
            return false;
        for (const std::int64_t length : machine.levels[level].link.shape)
            unit *= length;
        if (!machine.levels[level].link.shape.empty() && part.first % unit != 0)
            return false;
    }
    return true;
}

/// For more ranks than are counted: all of a unit send.
void add_all(Group &group, const Machine &machine, std::int64_t ranks) {
    const std::vector<std::int64_t> units = unit_sizes(machine);
    for (std::size_t level = 0; level < units.size(); ++level) {
        const double all = static_cast<double>(std::min(units[level], ranks));
        group.levels.push_back({machine.levels[level].link, all, all, true});
    }
}

} // namespace

bool Group::by_dimension() const {
    return std::any_of(spans.begin(), spans.end(), [](const Span &span) { return span.length > 0; });
}

double bytes_per_second(const std::vector<GroupLevel> &levels, int level, bool all_send) {
    double rate = std::numeric_limits<double>::infinity();
    for (int each = std::min(level, 1); each <= level; ++each) {
        const GroupLevel &row = levels[each];
        const double share = static_cast<double>(row.link.count) / (all_send ? row.all : row.one);
        rate = std::min(rate, row.link.bytes_per_second * std::min(1.0, share));
    }
    return rate;
}

bool Group::stays_inside() const {
    return levels.front().taken;
}

bool Group::leaves() const {
    return std::any_of(levels.begin() + 1, levels.end(), [](const GroupLevel &level) { return level.taken; });
}

Group star(std::int64_t ranks, const Link &link) {
    Group result;
    result.ranks = ranks;
    result.levels.push_back({link, 1, 1, true});
    result.spans.push_back({ranks});
    return result;
}

/// The group if ranks fill the machine evenly; else its number of ranks, without levels.
static Group even_group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine, bool aligned,
                        const std::vector<std::int64_t> &in_units) {
    Group result;
    bool even = aligned;
    Walk walk(sizes, machine);
    for (std::size_t axis = sizes.size(); axis-- > 0;) {
        const bool member = std::find(axes.begin(), axes.end(), static_cast<int>(axis)) != axes.end();
        std::vector<Span> spans;
        even = even && walk.take(static_cast<int>(axis), sizes[axis], spans);
        if (!member)
            continue;
        result.ranks *= sizes[axis];
        result.spans.insert(result.spans.end(), spans.begin(), spans.end());
    }
    if (result.ranks == 1) {
        result.levels.push_back({machine.levels.front().link, 1, 1, true});
        result.spans.clear();
    } else if (even) {
        std::reverse(result.spans.begin(), result.spans.end());
        merge(result.spans);
        add_levels(result, machine, in_units);
    }
    return result;
}

static std::int64_t product(std::span<const int> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// By level, how many of so many ranks are in a unit.
static std::vector<std::int64_t> in_units(std::int64_t ranks, const Machine &machine) {
    std::vector<std::int64_t> result = unit_sizes(machine);
    for (std::int64_t &unit : result)
        unit = std::min(unit, ranks);
    return result;
}

/// A mesh whose groups over the axes are those of a role with these sizes.
static std::vector<int> sizes_of_groups(std::span<const int> axes, const planrt::Mesh &whole,
                                        const std::vector<int> &own) {
    std::vector<int> sizes = whole.sizes;
    for (const int axis : axes)
        sizes[axis] = own[axis];
    return sizes;
}

/// The ranks of a role, ascending.
static std::vector<std::int64_t> ranks_of(const planrt::Mesh &whole, const planrt::Role &role) {
    std::vector<std::int64_t> ranks(static_cast<std::size_t>(role.mesh(whole).ranks()));
    for (std::size_t place = 0; place < ranks.size(); ++place)
        ranks[place] = role.rank_of(whole, static_cast<int>(place));
    return ranks;
}

/// Makes a group uneven. `ranks`: by place in the mesh of the sizes.
static Group uneven(Group group, std::span<const int> axes, std::span<const int> sizes, const Machine &machine,
                    std::span<const std::int64_t> ranks, const std::vector<bool> &members) {
    group.even = false;
    if (ranks.empty())
        add_all(group, machine, product(sizes));
    else
        add_uneven(group, axes, sizes, machine, ranks, members);
    group.spans = {{group.ranks, static_cast<int>(group.levels.size()) - 1, 1, 0}};
    return group;
}

/// The group over axes of an even mesh. `members`: as for add_uneven().
static Group group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine,
                   const std::vector<bool> &members) {
    const std::int64_t count = product(sizes);
    const Group known = even_group(axes, sizes, machine, true, in_units(count, machine));
    if (!known.levels.empty())
        return known;
    std::vector<std::int64_t> ranks(count <= most_counted_ranks ? static_cast<std::size_t>(count) : 0);
    std::iota(ranks.begin(), ranks.end(), 0);
    return uneven(known, axes, sizes, machine, ranks, members);
}

Group group(std::span<const int> axes, std::span<const int> sizes, const Machine &machine) {
    return group(axes, sizes, machine, {});
}

Group group(std::span<const int> axes, const planrt::Mesh &whole, const planrt::Role &role, const Machine &machine) {
    std::vector<std::int64_t> ranks;
    if (whole.ranks() <= most_counted_ranks)
        ranks = ranks_of(whole, role);
    const std::vector<int> own = role.mesh(whole).sizes;
    if (whole.is_even()) {
        std::vector<bool> members(ranks.empty() ? 0 : static_cast<std::size_t>(whole.ranks()), false);
        for (const std::int64_t rank : ranks)
            members[static_cast<std::size_t>(rank)] = true;
        return group(axes, sizes_of_groups(axes, whole, own), machine, members);
    }
    const bool aligned = is_aligned({role.rank_of(whole, 0), product(own)}, machine);
    const Group known = even_group(axes, own, machine, aligned, in_units(whole.ranks(), machine));
    return known.levels.empty() ? uneven(known, axes, own, machine, ranks, {}) : known;
}

Group group_of_any_role(std::span<const int> axes, const planrt::Mesh &whole, const planrt::Role &role,
                        const Machine &machine) {
    if (!whole.is_even())
        return group(axes, whole, role, machine);
    return group(axes, sizes_of_groups(axes, whole, role.mesh(whole).sizes), machine);
}

/// Of the ranks of one role, the most that lie in one unit of this size and send messages out of it.
static double leaving(const std::vector<std::int64_t> &ranks, const std::vector<std::int64_t> &peers, std::int64_t unit,
                      bool alike) {
    std::map<std::int64_t, double> by_unit;
    double most = 0;
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        const std::int64_t own = ranks[place] / unit;
        const auto is_outside = [&](std::int64_t peer) { return peer / unit != own; };
        if (alike ? is_outside(peers[place]) : is_outside(peers.front()) || is_outside(peers.back()))
            most = std::max(most, ++by_unit[own]);
    }
    return most;
}

/// Whether messages cross exactly this level: they leave a unit of it, and none of the next one, `outer`. Ranks ascend.
static bool joins(const std::vector<std::int64_t> &ranks, const std::vector<std::int64_t> &peers, std::int64_t unit,
                  std::int64_t outer, bool alike) {
    const auto is_joined = [&](std::int64_t rank, std::int64_t peer) {
        return rank / unit != peer / unit && rank / outer == peer / outer;
    };
    for (std::size_t place = 0; place < ranks.size(); ++place) {
        const std::int64_t rank = ranks[place];
        auto first = peers.begin() + static_cast<std::ptrdiff_t>(place);
        auto end = first + 1;
        if (!alike) { // those in its unit of the next level
            first = std::lower_bound(peers.begin(), peers.end(), rank / outer * outer);
            end = std::lower_bound(first, peers.end(), (rank / outer + 1) * outer);
        }
        if (first != end && (is_joined(rank, *first) || is_joined(rank, *(end - 1))))
            return true;
    }
    return false;
}

Group group_between(const planrt::Mesh &whole, const planrt::Role &a, const planrt::Role &b, const Machine &machine,
                    bool alike) {
    const std::vector<std::int64_t> from = ranks_of(whole, a);
    const std::vector<std::int64_t> to = ranks_of(whole, b);
    Group group;
    group.ranks = std::ssize(from) + std::ssize(to);
    group.even = false;
    const std::vector<std::int64_t> units = unit_sizes(machine);
    for (std::size_t level = 0; level < units.size(); ++level) {
        const std::int64_t unit = units[level];
        const double most = std::max({1.0, leaving(from, to, unit, alike), leaving(to, from, unit, alike)});
        const std::int64_t outer = level + 1 < units.size() ? units[level + 1] : whole.ranks();
        group.levels.push_back({machine.levels[level].link, most, most, joins(from, to, unit, outer, alike)});
    }
    while (group.levels.size() > 1 && !group.levels.back().taken)
        group.levels.pop_back();
    group.spans = {{group.ranks, static_cast<int>(group.levels.size()) - 1, 1, 0}};
    return group;
}

} // namespace planc::cost
