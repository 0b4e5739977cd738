// Reports of the cost table: text for people, JSON and CSV for programs. This folder's README documents the keys of
// JSON.
#pragma once

#include "cost/price.h"
#include "support/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

/// The step in its simulated schedule (timeline/simulate.h).
struct Overlap {
    Seconds step{};
    Seconds exposed{}; ///< communication that no computation hides, on the busiest rank
};

struct ReportOptions {
    std::string network;
    bool formulas = false;               ///< text: the formula behind each figure, with its numbers
    std::int64_t arena_bytes = 0;        ///< what a rank of the scheduled program allocates, exact; 0: not scheduled
    std::vector<std::string> savings;    ///< other savings of memory: "4 micro-batches", "activations recomputed"
    std::optional<Overlap> overlap = {}; ///< none: not scheduled
    std::int64_t matrix_bytes = 0;       ///< its blocks of sparse matrices besides, exact
};

[[nodiscard]] std::string text_report(const CostTable &table, const Machine &machine, const ReportOptions &options);
[[nodiscard]] std::string json_report(const CostTable &table, const Machine &machine, const ReportOptions &options);
/// One line per layer's compute, collective, reshard and bucket, with a header line.
[[nodiscard]] std::string csv_report(const CostTable &table);

/// "1.5 MiB", "640 B": three digits.
[[nodiscard]] std::string human_bytes(Bytes bytes);
/// "334,212", of a whole number.
[[nodiscard]] std::string grouped(double whole);
[[nodiscard]] inline std::string grouped(std::int64_t whole) {
    return grouped(static_cast<double>(whole));
}
/// "12.3 us", "1.40 s": three digits.
[[nodiscard]] std::string human_seconds(Seconds seconds);
/// "4.2 %": two digits.
[[nodiscard]] std::string percent(double share);

/// The share of a pipeline's step in which its busiest stage does not work: percent(), "0 %" where it always works.
[[nodiscard]] std::string bubble_words(Seconds step, Seconds work);

/// "batch over rows, model (output: hidden) over cols"; "domain (height) over rows"; "replicated".
[[nodiscard]] std::string split_words(const LayerRow &layer, const std::vector<std::string> &axes);
/// One line for each kind of sharded storage: "store optimizer -> rows x cols\n".
[[nodiscard]] std::string storage_words(const Storage &storage, const std::vector<std::string> &axes);
/// "rows" or "rows x cols".
[[nodiscard]] std::string axes_words(const std::vector<int> &axes, const std::vector<std::string> &names);
/// "rows 2 x cols 4"; "stage 2 x rows [1, 3]" of an uneven mesh.
[[nodiscard]] std::string mesh_words(const std::vector<std::string> &axes, const Mesh &mesh);
/// The member "mesh": the size of each axis; of an uneven mesh the list of its sizes by position.
void write_mesh(support::JsonWriter &json, const CostTable &table);

/// The price of a row as its formula with numbers: "2(P-1) alpha + 2(P-1)/P n beta, P = 4, n = 1 MiB".
[[nodiscard]] std::string formula(const CollectiveRow &row, const CostTable &table, const Machine &machine);

} // namespace planc::cost
