// A plan with a proof of its optimality gap, small enough to be written to a file and checked again.
//
// The proof moves costs (Kolmogorov 2006; Savchynskyy 2019, "Discrete graphical models"). A lower bound of the price is
// a sum of functions of one layer each and of functions of a few layers each (terms.h). Messages take seconds from the
// latter and give them to the layers, which does not change the sum. The sum of the minima of all layers and functions
// is then a bound for all plans, whatever the messages are; so nobody needs to trust whoever found them. If functions
// connect layers as a tree, the best messages prove the price itself.
//
// If the bound for one strategy of a layer exceeds the plan's cost, the strategy is pruned, and the remaining ones can
// be priced more exactly. Each such step is a round of the proof.
#pragma once

#include "certificate/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace planc::certificate {

struct Round {
    bool whole = false;                              ///< Terms::factors()
    double unit = 0;                                 ///< the seconds that 1 in a message stands for
    std::vector<std::vector<std::int64_t>> messages; ///< per factor and layer of it: by class; empty: zeros
    Kept kept;                                       ///< for the next round; empty: this is the last one
};

/// The messages in seconds. None if they do not fit the factors.
[[nodiscard]] std::optional<Messages> messages_of(const Round &round, const std::vector<Factor> &factors);

/// A subset of the plans: those among the strategies that the parent node left. If the rounds do not prove enough, the
/// node branches: on whether a shared call occurs, or on the strategy of one layer. If each layer has one strategy
/// left, this is a single plan, and is priced.
struct Node {
    Weights weights;
    std::vector<Round> rounds;
    LayerId layer;                  ///< the layer on whose strategies it branches; none: it does not
    std::optional<SharedCall> call; ///< on which it branches instead
    struct Branch {
        std::vector<int> kept; ///< strategies of the layer; the branches together have all that are left. Of a call:
                               ///< {0} for the plans without it, {1} for those with it
        int node = -1;         ///< index, larger than that of this node
    };
    std::vector<Branch> branches;
};

/// The lower bound for all plans on one mesh with one storage.
struct Part {
    std::vector<std::string> axes;
    std::vector<int> sizes;
    Storage storage;
    double lower_bound = 0;
    std::vector<Node> nodes; ///< the first: all plans
};

/// Where the parts of each mesh begin; the parts of one mesh are adjacent. The last entry is the number of parts.
[[nodiscard]] std::vector<std::size_t> first_parts(const std::vector<Part> &parts);

/// What was planned: hashes of the network (operations, loops, extents), of the machine, and of rules, mesh and
/// storage.
struct Asked {
    std::string network;
    std::string machine;
    std::string rules;
    int ranks = 1;
    double memory_limit = 0; ///< bytes a rank; 0: none
    friend bool operator==(const Asked &, const Asked &) = default;
};

/// The options of the command line that reproduce the request. They are not part of the proof.
struct Question {
    std::vector<std::string> options;
    std::int64_t microbatches = 1;
    std::vector<std::string> recompute;
    std::int64_t cover = 0; ///< parts between which sparse products move minimal covers; 0: they move none
};

struct LayerClaim {
    std::string name;
    LayerStrategy strategy;
    double compute = 0;       ///< seconds
    double communication = 0; ///< booked to it, without reshards into it
};

/// The stages of a plan with a pipeline.
struct PipelineClaim {
    std::string axis;
    std::string schedule;
    int chunks = 1;
    bool any_depth = true;   ///< plan::PipelineRequest::any_depth
    std::vector<int> stages; ///< of each layer; -1: it lies on all
};

/// Pipelines with so many ranks along an axis of the mesh.
struct Depth {
    std::string axis;
    int ranks = 1;
    double lower_bound = 0;
};

/// A plan without a pipeline, and its price.
struct PricedPlan {
    std::vector<std::string> axes;
    std::vector<int> sizes;
    Storage storage;
    LayerStrategies layers;
    double cost = 0; ///< seconds of a step
};

struct Certificate {
    Asked asked;
    Question question;
    std::vector<std::string> axes;
    std::vector<int> sizes;                ///< of an uneven mesh, the largest
    std::optional<PipelineClaim> pipeline; ///< none: all ranks work on all layers
    Storage storage;
    std::vector<LayerClaim> layers;
    double cost = 0; ///< seconds of a step
    double compute = 0;
    double communication = 0;
    double reshards = 0;                ///< of the communication: between layers
    double latency = 0;                 ///< of the communication: of fused calls
    double memory = 0;                  ///< bytes a rank
    double lower_bound = 0;             ///< proved by the parts; of pipelines, the least of all depths
    double search_lower_bound = 0;      ///< claimed by the search; check() looks for plans that contradict it
    std::optional<PricedPlan> cheapest; ///< if the plan was chosen although this one costs less
    double gap = 0;                     ///< (least cost - lower bound) / least cost
    std::vector<Part> parts;            ///< of every mesh and storage of the space; with a pipeline, none
    std::vector<Depth> depths;          ///< of a pipeline: all that are possible
};

/// Whether each layer has exactly one strategy; whether some layer has none.
[[nodiscard]] bool is_one(const Kept &kept);
[[nodiscard]] bool is_none(const Kept &kept);
/// The price of the plan that is left where is_one(); infinite if it exceeds the memory limit.
[[nodiscard]] double price_of_one(const Kept &kept, const Part &part, const plan::Request &request,
                                  const PerLayer<Strategies> &options);

/// Of the plans in the certificate.
[[nodiscard]] inline double least_cost(const Certificate &certificate) {
    return certificate.cheapest ? certificate.cheapest->cost : certificate.cost;
}
[[nodiscard]] inline double gap_of(const Certificate &certificate) {
    const double least = least_cost(certificate);
    return least > 0 ? (least - certificate.lower_bound) / least : 0;
}

[[nodiscard]] Asked asked(const plan::Request &request);
/// The memory limit in force: the request's, or that of the machine if there is a search. 0: none.
[[nodiscard]] double byte_limit(const plan::Request &request);

/// Proves the best bound that it can. `plan` is make_plan(request), or another plan of its space.
[[nodiscard]] Certificate prove(const plan::Request &request, const plan::Plan &plan);

/// Returns an empty text, or one line that says what is wrong with the certificate. Trusts nothing except the pricing
/// (pricing.h). If the proof does not reach the bound that the search claims, that is not wrong, unless a plan takes
/// less.
[[nodiscard]] std::string check(const Certificate &certificate, const plan::Request &request);

[[nodiscard]] std::string to_json(const Certificate &certificate);
/// Returns the certificate, or one line that says what is wrong, and where.
[[nodiscard]] std::variant<Certificate, std::string> from_json(const std::string &text);

} // namespace planc::certificate
