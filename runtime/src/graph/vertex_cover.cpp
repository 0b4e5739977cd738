#include "graph/vertex_cover.h"

namespace planrt {

namespace {

/// A maximum matching. Hopcroft and Karp 1973, "An n^5/2 algorithm for maximum matchings in bipartite graphs": in each
/// round, breadth-first distances from the free left vertices, then disjoint augmenting paths along them. The searches
/// have stacks of their own, since paths may be as long as the graph.
class Matching {
  public:
    explicit Matching(const BipartiteGraph &graph)
        : graph_(graph), match_left_(graph.left(), -1), match_right_(graph.right, -1), distance_(graph.left()),
          next_(graph.left()) {
        match_greedily();
        while (find_distances()) {
            next_.assign(graph_.begin.begin(), graph_.begin.end() - 1);
            for (std::int64_t l = 0; l < graph_.left(); ++l)
                if (match_left_[l] < 0)
                    augment(static_cast<std::int32_t>(l));
        }
    }

    /// Whether an alternating path leads to a left vertex from a free one. Valid after the last round, in which no path
    /// led on to a free right vertex.
    [[nodiscard]] bool reached(std::int64_t left) const { return distance_[left] >= 0; }

  private:
    void match_greedily() {
        for (std::int64_t l = 0; l < graph_.left(); ++l)
            for (std::int64_t i = graph_.begin[l]; i < graph_.begin[l + 1] && match_left_[l] < 0; ++i)
                if (match_right_[graph_.adjacent[i]] < 0)
                    match(static_cast<std::int32_t>(l), graph_.adjacent[i]);
    }

    void match(std::int32_t left, std::int32_t right) {
        match_left_[left] = right;
        match_right_[right] = left;
    }

    /// Returns whether there is an augmenting path.
    bool find_distances() {
        distance_.assign(distance_.size(), -1);
        queue_.clear();
        for (std::int64_t l = 0; l < graph_.left(); ++l)
            if (match_left_[l] < 0) {
                distance_[l] = 0;
                queue_.push_back(static_cast<std::int32_t>(l));
            }
        bool found = false;
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            const std::int32_t l = queue_[at];
            for (std::int64_t i = graph_.begin[l]; i < graph_.begin[l + 1]; ++i) {
                const std::int32_t other = match_right_[graph_.adjacent[i]];
                found = found || other < 0;
                if (other >= 0 && distance_[other] < 0) {
                    distance_[other] = distance_[l] + 1;
                    queue_.push_back(other);
                }
            }
        }
        return found;
    }

    /// Depth first along increasing distances; each left vertex is on at most one path of a round.
    void augment(std::int32_t from) {
        path_.assign(1, from);
        while (!path_.empty()) {
            const std::int32_t l = path_.back();
            if (next_[l] == graph_.begin[l + 1]) {
                distance_[l] = -1;
                path_.pop_back();
                if (!path_.empty())
                    ++next_[path_.back()];
                continue;
            }
            const std::int32_t other = match_right_[graph_.adjacent[next_[l]]];
            if (other < 0)
                return match_path();
            if (distance_[other] == distance_[l] + 1)
                path_.push_back(other);
            else
                ++next_[l];
        }
    }

    void match_path() {
        for (const std::int32_t l : path_) {
            match(l, graph_.adjacent[next_[l]]);
            distance_[l] = -1;
        }
    }

    const BipartiteGraph &graph_;
    std::vector<std::int32_t> match_left_;  ///< -1: free
    std::vector<std::int32_t> match_right_; ///< -1: free
    std::vector<std::int32_t> distance_;    ///< of left vertices; -1: not reached, or used in this round
    std::vector<std::int64_t> next_;        ///< the edge of each left vertex that is tried next
    std::vector<std::int32_t> queue_;
    std::vector<std::int32_t> path_; ///< left vertices
};

} // namespace

/// König 1931: what is not reached on the left, and what is reached on the right.
VertexCover minimum_vertex_cover(const BipartiteGraph &graph) {
    const Matching matching(graph);
    VertexCover cover{std::vector<bool>(graph.left()), std::vector<bool>(graph.right)};
    for (std::int64_t l = 0; l < graph.left(); ++l) {
        cover.left[l] = !matching.reached(l);
        if (matching.reached(l))
            for (std::int64_t i = graph.begin[l]; i < graph.begin[l + 1]; ++i)
                cover.right[graph.adjacent[i]] = true;
    }
    return cover;
}

} // namespace planrt
