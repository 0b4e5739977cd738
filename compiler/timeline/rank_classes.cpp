#include "timeline/rank_classes.h"

#include <algorithm>
#include <map>

namespace planc::timeline {

namespace {

/// Gives equal keys equal numbers, in the order of first appearance; returns how many there are.
template <class Key> int number(const std::vector<Key> &keys, std::vector<int> &numbers) {
    std::map<Key, int> known;
    numbers.clear();
    for (const Key &key : keys)
        numbers.push_back(known.try_emplace(key, static_cast<int>(known.size())).first->second);
    return static_cast<int>(known.size());
}

/// Per rank, the least rank of its group.
std::vector<int> leaders(const planrt::Mesh &mesh, const std::vector<int> &axes) {
    std::vector<int> result;
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        std::vector<int> coordinates = mesh.coordinates(rank);
        for (int axis : axes)
            coordinates[axis] = 0;
        result.push_back(mesh.rank(coordinates));
    }
    return result;
}

} // namespace

RankClasses rank_classes(const planrt::Mesh &mesh, const std::vector<std::vector<std::int64_t>> &numbers,
                         const std::vector<std::vector<int>> &groups) {
    const int ranks = mesh.ranks();
    RankClasses result;
    std::vector<std::vector<std::int64_t>> own(ranks);
    for (const std::vector<std::int64_t> &column : numbers)
        for (int rank = 0; rank < ranks; ++rank)
            own[rank].push_back(column[rank]);
    int count = number(own, result.of_rank);
    std::vector<std::vector<int>> leader_of;
    for (const std::vector<int> &axes : groups)
        leader_of.push_back(leaders(mesh, axes));
    for (int before = 0; before != count;) {
        before = count;
        std::vector<std::vector<int>> keys(ranks);
        for (int rank = 0; rank < ranks; ++rank)
            keys[rank].push_back(result.of_rank[rank]);
        for (const std::vector<int> &leader : leader_of) {
            std::vector<std::vector<int>> members(ranks); // classes, by leader
            for (int rank = 0; rank < ranks; ++rank)
                members[leader[rank]].push_back(result.of_rank[rank]);
            for (std::vector<int> &classes : members) {
                std::sort(classes.begin(), classes.end());
                classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
            }
            std::vector<int> kinds;
            number(members, kinds);
            for (int rank = 0; rank < ranks; ++rank)
                keys[rank].push_back(kinds[leader[rank]]);
        }
        count = number(keys, result.of_rank);
    }
    for (int rank = 0; rank < ranks; ++rank) {
        if (result.of_rank[rank] == static_cast<int>(result.classes.size()))
            result.classes.push_back({rank, 0});
        ++result.classes[result.of_rank[rank]].ranks;
    }
    return result;
}

std::vector<int> classes_in_group(const RankClasses &classes, const planrt::Mesh &mesh, int rank,
                                  const std::vector<int> &axes) {
    std::vector<int> result;
    for (int member : mesh.group(rank, axes))
        result.push_back(classes.of_rank[member]);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

} // namespace planc::timeline
