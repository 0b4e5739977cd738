#include "cost/collectives/uneven_group.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace planc::cost {

namespace {

/// The members of the groups over the axes, of the places in a mesh of the sizes.
class Members {
  public:
    Members(std::span<const int> axes, std::span<const int> sizes) {
        std::int64_t stride = 1;
        for (std::size_t axis = sizes.size(); axis-- > 0; stride *= sizes[axis]) {
            if (sizes[axis] == 1 || std::find(axes.begin(), axes.end(), static_cast<int>(axis)) == axes.end())
                continue;
            const std::size_t minor = steps_.size();
            for (std::size_t i = minor; i < minor * static_cast<std::size_t>(sizes[axis]); ++i)
                steps_.push_back(steps_[i - minor] + stride);
            axes_.push_back({sizes[axis], stride, static_cast<std::int64_t>(minor)});
        }
    }
    [[nodiscard]] std::int64_t count() const { return std::ssize(steps_); }
    /// The number of a place in its group.
    [[nodiscard]] std::int64_t number(std::int64_t place) const {
        std::int64_t number = 0;
        for (const auto &[size, stride, minor] : axes_)
            number += place / stride % size * minor;
        return number;
    }
    /// From the first place of a group to that of the number.
    [[nodiscard]] std::int64_t step(std::int64_t number) const { return steps_[static_cast<std::size_t>(number)]; }

  private:
    struct Axis {
        std::int64_t size;
        std::int64_t stride;
        std::int64_t minor; ///< members along all minor axes
    };
    std::vector<Axis> axes_; ///< minor first
    std::vector<std::int64_t> steps_{0};
};

/// Counts the messages that leave units if every rank sends one.
class Leaving {
  public:
    Leaving(const Members &members, std::span<const std::int64_t> ranks, const Machine &machine,
            const std::vector<bool> &of_group)
        : members_(members), machine_(machine), of_group_(of_group) {
        for (const std::int64_t unit : unit_sizes(machine)) {
            std::vector<std::int64_t> &own = units_.emplace_back();
            for (const std::int64_t rank : ranks)
                own.push_back((rank - ranks.front() / unit * unit) / unit);
        }
        for (std::int64_t place = 0; place < std::ssize(ranks); ++place)
            numbers_.push_back(members.number(place));
    }

    /// By level. `to`: from the number of a member to that of the one to which it sends.
    template <class To> [[nodiscard]] std::vector<GroupLevel> levels(const To &to) const {
        std::vector<GroupLevel> result;
        for (std::size_t level = 0; level < units_.size(); ++level) {
            const std::vector<std::int64_t> &own = units_[level];
            const std::vector<std::int64_t> *outer = level + 1 < units_.size() ? &units_[level + 1] : nullptr;
            std::vector<double> leaving(static_cast<std::size_t>(own.back()) + 1, 0); // by unit
            GroupLevel row{machine_.levels[level].link, 1, 1, false};
            for (std::size_t place = 0; place < own.size(); ++place) {
                const std::int64_t number = numbers_[place];
                const std::size_t peer =
                    place + static_cast<std::size_t>(members_.step(to(number)) - members_.step(number));
                if (own[place] == own[peer])
                    continue;
                row.all = std::max(row.all, ++leaving[static_cast<std::size_t>(own[place])]);
                row.taken |=
                    (of_group_.empty() || of_group_[place]) && (outer == nullptr || (*outer)[place] == (*outer)[peer]);
            }
            row.one = row.all;
            result.push_back(row);
        }
        return result;
    }

    /// By level, the most ranks of a unit whose groups are not within it.
    [[nodiscard]] std::vector<double> in_parted_groups() const {
        std::vector<double> result;
        for (const std::vector<std::int64_t> &own : units_) {
            std::vector<double> parted(static_cast<std::size_t>(own.back()) + 1, 0);
            double most = 1;
            for (std::size_t place = 0; place < own.size(); ++place) {
                const std::size_t first = place - static_cast<std::size_t>(members_.step(numbers_[place]));
                const std::size_t last = first + static_cast<std::size_t>(members_.step(members_.count() - 1));
                if (own[first] != own[last])
                    most = std::max(most, ++parted[static_cast<std::size_t>(own[place])]);
            }
            result.push_back(most);
        }
        return result;
    }

  private:
    const Members &members_;
    const Machine &machine_;
    const std::vector<bool> &of_group_;            ///< by place; empty: all
    std::vector<std::vector<std::int64_t>> units_; ///< by level and place, from that of the first place on
    std::vector<std::int64_t> numbers_;            ///< by place
};

} // namespace

std::vector<std::int64_t> unit_sizes(const Machine &machine) {
    std::vector<std::int64_t> sizes;
    std::int64_t ranks = 1;
    for (const Level &level : machine.levels) {
        sizes.push_back(ranks);
        ranks *= std::max<std::int64_t>(level.units, 1);
    }
    return sizes;
}

void add_uneven(Group &group, std::span<const int> axes, std::span<const int> sizes, const Machine &machine,
                std::span<const std::int64_t> ranks, const std::vector<bool> &of_group) {
    const Members members(axes, sizes);
    const Leaving leaving(members, ranks, machine, of_group);
    const std::int64_t count = members.count();
    group.levels = leaving.levels([&](std::int64_t number) { return number + 1 == count ? 0 : number + 1; });
    const std::vector<double> all = leaving.in_parted_groups();
    for (std::size_t level = 0; level < all.size(); ++level)
        group.levels[level].all = all[level];
    while (!group.levels.back().taken)
        group.levels.pop_back();
    const bool in_pairs = std::has_single_bit(static_cast<std::uint64_t>(count));
    for (std::int64_t distance = 1; distance < count; distance *= 2)
        group.at_distances.push_back(leaving.levels([&](std::int64_t number) {
            const std::int64_t beyond = number + distance;
            return in_pairs ? number ^ distance : beyond >= count ? beyond - count : beyond;
        }));
}

} // namespace planc::cost
