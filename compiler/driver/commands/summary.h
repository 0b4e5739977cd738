// A summary of a network before anything is laid out: for each layer the shape of its result, its parameters, and the
// multiply-adds of its forward pass for one sample.
#pragma once

#include "driver/commands/graph_summary.h"
#include "sema/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::driver {

/// A multiply-add is a point of the loop nest of a product of two or more tensors (einsum, convolution; points that
/// touch padding count), as published totals count them. Pointwise functions, pools and norms have none.
struct LayerSummary {
    std::string name;
    std::string shape; ///< of its last operation: "[batch: 64, hidden: 256]"
    std::int64_t parameters = 0;
    std::int64_t multiply_adds = 0; ///< per sample
};

struct NetworkSummary {
    std::string network;
    std::vector<LayerSummary> layers; ///< in the order of first use
    std::int64_t parameters = 0;
    std::int64_t multiply_adds = 0; ///< per sample
    std::vector<MatrixSummary> matrices = {};
};

/// Samples are the first dimension of the network's first argument. A product without that dimension counts in full. A
/// parameter that several layers share counts once, where it is read first.
[[nodiscard]] NetworkSummary summarize(const sema::Network &network);
/// The network that is trained, wherever it is declared, without its loss; and its matrices.
[[nodiscard]] NetworkSummary summarize_trained(const sema::Program &program, const sema::Train &train);

[[nodiscard]] std::string text_report(const NetworkSummary &summary);
[[nodiscard]] std::string json_report(const NetworkSummary &summary);
[[nodiscard]] std::string csv_report(const NetworkSummary &summary);

} // namespace planc::driver
