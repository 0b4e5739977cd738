#include "cost/collectives/algorithms.h"

#include <algorithm>
#include <map>

namespace planc::cost {

const char *name(Algorithm algorithm) {
    switch (algorithm) {
    case Algorithm::ring:
        return "ring";
    case Algorithm::rabenseifner:
        return "rabenseifner";
    case Algorithm::recursive_doubling:
        return "recursive doubling";
    case Algorithm::recursive_halving:
        return "recursive halving";
    case Algorithm::mst:
        return "mst";
    case Algorithm::hierarchical:
        return "hierarchical";
    case Algorithm::binomial:
        return "binomial";
    case Algorithm::scatter_allgather:
        return "scatter and all-gather";
    case Algorithm::pairwise:
        return "pairwise";
    }
    return "";
}

Algorithm algorithm(const std::string &word) {
    static const std::map<std::string, Algorithm> words{
        {"ring", Algorithm::ring},
        {"bucket", Algorithm::ring},
        {"rabenseifner", Algorithm::rabenseifner},
        {"recursive_doubling", Algorithm::recursive_doubling},
        {"recursive_halving", Algorithm::recursive_halving},
        {"mst", Algorithm::mst},
        {"hierarchical", Algorithm::hierarchical},
        {"binomial", Algorithm::binomial},
        {"scatter_allgather", Algorithm::scatter_allgather},
        {"pairwise", Algorithm::pairwise},
    };
    return words.at(word);
}

std::span<const AlgorithmRange> alternatives(const AlgorithmTable &table, support::Bytes n) {
    double above = 0;
    for (const AlgorithmRange &range : table)
        if (n.value > range.above)
            above = range.above;
    const auto [first, last] = std::ranges::equal_range(table, above, {}, &AlgorithmRange::above);
    return {first, last};
}

} // namespace planc::cost
