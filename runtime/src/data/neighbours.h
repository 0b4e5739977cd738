// Neighbours of a batch of vertices, sampled hop by hop (Hamilton et al. 2017, "Inductive representation learning on
// large graphs"): without replacement, all where there are no more than the fan-out. Which ones is a function of the
// seed, the epoch, the hop and the vertex, so every layout and every number of ranks has the same trees.
#pragma once

#include "data/data_source.h"
#include "data/store.h"

#include <planrt/pattern.h>
#include <planrt/planrt.h>

#include <cstdint>
#include <span>
#include <vector>

namespace planrt {

class Neighbours {
  public:
    /// Reads the matrices. Errors: Failure.
    Neighbours(std::span<const Hop> hops, const DataSource &source, std::uint64_t seed);

    void begin_epoch(std::int64_t epoch) { epoch_ = epoch; }

    /// The vertices of the trees below `roots`, row-major; `box`: of the dimensions of the hops, the part that is
    /// wanted.
    [[nodiscard]] std::vector<std::int64_t> vertices(std::span<const std::int64_t> roots,
                                                     std::span<const Range> box) const;

    /// The entries that a hop samples in a vertex's row. They are scaled: their sum has that of the whole row as its
    /// mean, and equals it where all are taken. `mean`: each is divided by the number of entries in the row.
    [[nodiscard]] std::vector<WeighedRow> row(std::size_t hop, std::int64_t vertex, bool mean) const;

    /// The values of the entries that the last of these hops samples, row-major.
    [[nodiscard]] std::vector<double> entries(std::span<const std::int64_t> roots, std::span<const Range> box,
                                              bool mean) const;

  private:
    /// The entries of the vertex's row that are sampled, ascending.
    [[nodiscard]] std::vector<std::int64_t> sample(std::size_t hop, std::int64_t vertex) const;
    void walk(std::size_t hop, std::int64_t vertex, std::span<const Range> box,
              std::vector<std::int64_t> &leaves) const;

    std::span<const Hop> hops_;
    std::vector<Pattern> matrices_; ///< in the order of their files; one for several hops with the same file
    std::vector<std::size_t> matrix_of_hop_;
    std::uint64_t seed_;
    std::int64_t epoch_ = 0;
};

} // namespace planrt
