// Compares two cost tables: what differs, layer by layer. Layers of different networks are matched by name.
//
//   Comparison found = compare(a, b);
//   text_report(found, {"best", "data_parallel"})
#pragma once

#include "cost/price.h"

#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

/// One figure of both tables; absent on the side that lacks it.
struct Compared {
    std::string what;   ///< "compute", "all-reduce", "parameters"
    std::string phase;  ///< of a collective, or of compute
    std::string tensor; ///< of a collective
    std::optional<Seconds> seconds_a = {};
    std::optional<Seconds> seconds_b = {};
    std::optional<Bytes> bytes_a = {}; ///< handed to MPI; of memory: what a rank holds
    std::optional<Bytes> bytes_b = {};
    std::string axes_a = {};
    std::string axes_b = {};

    [[nodiscard]] bool differs() const;
};

struct ComparedLayer {
    std::string name;
    std::optional<std::string> split_a; ///< in words; none: the table has no such layer
    std::optional<std::string> split_b;
    Seconds seconds_a{}; ///< including its collectives
    Seconds seconds_b{};
    std::vector<Compared> rows; ///< that differ
};

struct Comparison {
    const CostTable *a = nullptr;
    const CostTable *b = nullptr;
    std::vector<ComparedLayer> layers; ///< that differ, in the order of a, then those that only b has
    std::vector<Compared> reshards;    ///< that differ; `tensor`: "h1 (h1 to h2)"
    std::vector<Compared> buckets;
    std::vector<Compared> memory;
    std::vector<Compared> totals; ///< all of them: compute, communication, step, and the step with overlap if it is
                                  ///< known

    [[nodiscard]] bool equal() const { return layers.empty() && reshards.empty() && buckets.empty() && memory.empty(); }
};

/// Both tables must outlive the result. Collectives correspond if kind, phase and tensor are equal. `overlap_a`,
/// `overlap_b`: the steps of the simulated schedules.
[[nodiscard]] Comparison compare(const CostTable &a, const CostTable &b, std::optional<Seconds> overlap_a = {},
                                 std::optional<Seconds> overlap_b = {});

/// The names of the two sides, a line each.
struct Sides {
    std::string a;
    std::string b;
};
[[nodiscard]] std::string text_report(const Comparison &comparison, const Sides &sides);
[[nodiscard]] std::string json_report(const Comparison &comparison, const Sides &sides);

} // namespace planc::cost
