// What a simulated program (planrt/simulate.h) writes, read back, and shown beside what was predicted.
#pragma once

#include "support/units.h"

#include <string>
#include <variant>
#include <vector>

namespace planc::smpi {

using support::Seconds;

/// Of one training step.
struct Results {
    struct Collective {
        std::string kind;  ///< "all-reduce"
        std::string layer; ///< of a bucket the layers joined by ", "
        std::string phase;
        std::string tensor;
        Seconds predicted{};
        Seconds simulated{}; ///< by itself: from when all ranks have started it until the last one has it
    };
    struct Work {
        std::string layer; ///< of fused loops the layers joined by ", "
        Seconds seconds{}; ///< as modelled, the same in prediction and simulation
    };
    std::vector<Work> work;
    std::vector<Collective> collectives;
    Seconds step{}; ///< as it is scheduled
};
/// Or what is wrong with the text, in words.
[[nodiscard]] std::variant<Results, std::string> read_results(const std::string &json);

struct ReportOptions {
    std::string title; ///< "classifier on 4 ranks (rows 2 x cols 2) of machine skylake, simulated on a star"
    Seconds step{};    ///< predicted: as it is scheduled
};

/// Computation and communication by layer, predicted and simulated, and in total.
[[nodiscard]] std::string text_report(const Results &results, const ReportOptions &options);
/// Every collective besides. Keys: this folder's README.
[[nodiscard]] std::string json_report(const Results &results, const ReportOptions &options);

} // namespace planc::smpi
