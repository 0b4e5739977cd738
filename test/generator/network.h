// Random dense networks as the text of a .plan file: chains, residual connections, forks and joins, towers, tied
// weights, convolutions, layers of their own, folds, reductions, softmax, products with batch dimensions; extents that
// divide by nothing.
#pragma once

#include "plan_file.h"
#include "random.h"

#include <string>
#include <vector>

namespace planc::test {

struct NetworkOptions {
    std::string element = "f32";
    int most_layers = 6;
    /// Are samples independent of each other in the network? Else it also reduces over the batch.
    bool independent_samples = false;
    bool normalised_parts = false; ///< though samples are independent: normalised, in each micro-batch by itself
    double pipelines = 0;          ///< how many of the layouts have one
    bool dropout = true;
    bool convolutions = true; ///< and pools
    bool graph = false;       ///< a network with sparse matrices instead
    int least_extent = 1;
    int most_extent = 9;
};

inline const NetworkOptions graph_options{.most_layers = 4, .pipelines = 0.1, .graph = true};

struct RandomNetwork {
    PlanFile file;                  ///< without mesh and layouts
    std::vector<std::string> roles; ///< that rules can name, primed ones too
    /// Named more often: nearly every layer has a batch, few have each of the others.
    std::vector<std::string> frequent_roles = {"batch", "hidden", "batch", "hidden"};
    std::vector<std::string> layers; ///< the bindings
    int batch = 1;
    bool independent_samples = false; ///< the batch can be cut into micro-batches
    bool pipeline = false;
    bool graph = false;
};

[[nodiscard]] RandomNetwork random_network(Random &random, const NetworkOptions &options = {});

} // namespace planc::test
