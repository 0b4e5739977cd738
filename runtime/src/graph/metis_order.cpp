#include "graph/order.h"

#include "support/plain_failure.h"

#include <planrt/vertex_order.h>

#include <metis.h>

#include <limits>

namespace planrt {

bool has_metis() {
    return true;
}

std::vector<std::int32_t> metis_halves(const Pattern &neighbours, std::span<const std::int64_t> work, int tries) {
    constexpr std::int64_t most = std::numeric_limits<idx_t>::max();
    if (neighbours.nonzeros() + neighbours.rows > most)
        throw Failure(text("METIS takes at most %lld edges and vertices; the graph has %lld and %lld",
                           static_cast<long long>(most), static_cast<long long>(neighbours.nonzeros()),
                           static_cast<long long>(neighbours.rows)));
    std::vector<idx_t> begin(neighbours.row_begin.begin(), neighbours.row_begin.end());
    std::vector<idx_t> adjacent(neighbours.column.begin(), neighbours.column.end());
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 0;
    options[METIS_OPTION_UFACTOR] = 1; // equal halves
    options[METIS_OPTION_NCUTS] = tries;
    auto vertices = static_cast<idx_t>(neighbours.rows);
    idx_t constraints = 2;
    std::vector<idx_t> weights; // of each vertex: 1, because ranks have equal numbers of them, and its work
    for (const std::int64_t each : work)
        weights.insert(weights.end(), {1, static_cast<idx_t>(each)});
    idx_t parts = 2;
    idx_t cut_edges = 0;
    std::vector<idx_t> half(neighbours.rows, 0);
    const int code =
        METIS_PartGraphRecursive(&vertices, &constraints, begin.data(), adjacent.data(), weights.data(), nullptr,
                                 nullptr, &parts, nullptr, nullptr, options, &cut_edges, half.data());
    if (code != METIS_OK)
        throw Failure(text("METIS cannot halve %lld vertices (%s)", static_cast<long long>(neighbours.rows),
                           code == METIS_ERROR_MEMORY ? "out of memory" : "error"));
    return {half.begin(), half.end()};
}

} // namespace planrt
