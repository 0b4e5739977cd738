// Reads what a simulated program (planrt/simulate.h) writes, and shows it beside the predictions.
#pragma once

#include "support/units.h"

#include <string>
#include <variant>
#include <vector>

namespace planc::smpi {

using support::Seconds;

/// The results of one training step.
struct Results {
    struct Collective {
        std::string kind;  ///< "all-reduce"
        std::string layer; ///< for a bucket the layers joined by ", "
        std::string phase;
        std::string tensor;
        Seconds predicted{};
        Seconds simulated{}; ///< from when all ranks have started it until the last one has its result
    };
    struct Work {
        std::string layer; ///< for fused loops the layers joined by ", "
        Seconds seconds{}; ///< as modelled: the same in prediction and simulation
    };
    std::vector<Work> work;
    std::vector<Collective> collectives;
    Seconds step{}; ///< as scheduled
};
/// The results, or a text that says what is wrong with the JSON.
[[nodiscard]] std::variant<Results, std::string> read_results(const std::string &json);

struct ReportOptions {
    std::string title; ///< "classifier on 4 ranks (rows 2 x cols 2) of machine skylake, simulated on a star"
    Seconds step{};    ///< predicted, as scheduled
};

/// Computation and communication by layer and in total, predicted and simulated.
[[nodiscard]] std::string text_report(const Results &results, const ReportOptions &options);
/// The same, and every collective. Keys: this folder's README.
[[nodiscard]] std::string json_report(const Results &results, const ReportOptions &options);

} // namespace planc::smpi
