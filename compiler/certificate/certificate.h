// A plan with a proof that hardly a plan of its space is faster, small enough to be written down and checked again.
//
// The proof is by moving costs (Kolmogorov 2006; Savchynskyy 2019, "Discrete graphical models"): a lower bound of the
// price is a sum of functions of a layer each and of functions of a few layers each (terms.h). Messages take seconds
// from the latter and give them to the layers, which does not change the sum. What all layers and functions take at
// least, each for itself, is then a bound of all plans: whatever the messages are, so that nobody need trust who found
// them. With the best messages the bound is the price itself where functions join layers as a tree does.
//
// A strategy of a layer with which the same bound is above the plan's cost can be left out, and others be priced more
// exactly among those that remain: a round of the proof each.
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
    double unit = 0;                                 ///< seconds that 1 in a message stands for
    std::vector<std::vector<std::int64_t>> messages; ///< per factor and layer of it: by class; empty: zeros
    Kept kept;                                       ///< of the next round; empty: this is the last
};

/// In seconds. None: they do not fit the factors.
[[nodiscard]] std::optional<Messages> messages_of(const Round &round, const std::vector<Factor> &factors);

/// A part of the plans: those among the strategies that a node above has left. Where rounds do not prove enough, its
/// plans are told apart by the strategy of one layer; where each layer has one strategy left it is a plan, and priced.
struct Node {
    Weights weights;
    std::vector<Round> rounds;
    int layer = -1; ///< by whose strategies it branches; -1: it does not
    struct Branch {
        std::vector<int> kept; ///< of the layer; together all that are left
        int node = -1;         ///< index, above this one's
    };
    std::vector<Branch> branches;
};

/// What all plans on one mesh with one storage take at least.
struct Part {
    std::vector<std::string> axes;
    std::vector<int> sizes;
    Storage storage;
    double lower_bound = 0;
    std::vector<Node> nodes; ///< the first: all plans
};

/// Where the parts of each mesh begin, those of one being together; last the number of parts.
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

/// How the command line asked for it, for whoever asks again; no part of the proof.
struct Question {
    std::vector<std::string> options;
    std::int64_t microbatches = 1;
    std::vector<std::string> recompute;
};

struct LayerClaim {
    std::string name;
    LayerStrategy strategy;
    double compute = 0;       ///< seconds
    double communication = 0; ///< booked to it, reshards into it left out
};

struct Certificate {
    Asked asked;
    Question question;
    std::vector<std::string> axes;
    std::vector<int> sizes;
    Storage storage;
    std::vector<LayerClaim> layers;
    double cost = 0; ///< seconds of a step
    double compute = 0;
    double communication = 0;
    double reshards = 0;           ///< of the communication: between layers
    double latency = 0;            ///< of the communication: of fused calls
    double memory = 0;             ///< bytes a rank
    double lower_bound = 0;        ///< proved by the parts
    double search_lower_bound = 0; ///< what the search says beside; nothing here proves it
    double gap = 0;                ///< (cost - lower bound) / cost
    std::vector<Part> parts;       ///< of every mesh and storage of the space
};

/// Each layer has one strategy; some layer has none.
[[nodiscard]] bool is_one(const Kept &kept);
[[nodiscard]] bool is_none(const Kept &kept);
/// Of the plan that is left where is_one(); infinite where it exceeds the memory.
[[nodiscard]] double price_of_one(const Kept &kept, const Part &part, const plan::Request &request,
                                  const std::vector<std::vector<LayerStrategy>> &options);

[[nodiscard]] Asked asked(const plan::Request &request);
/// The limit that holds: the request's, else that of the machine where there is a search. 0: none.
[[nodiscard]] double byte_limit(const plan::Request &request);

/// Proves what it can. `plan` is make_plan(request), or another plan of its space.
[[nodiscard]] Certificate prove(const plan::Request &request, const plan::Plan &plan);

/// Empty, or one line that says what is wrong with it. Trusts nothing but the pricing (pricing.h).
[[nodiscard]] std::string check(const Certificate &certificate, const plan::Request &request);

[[nodiscard]] std::string to_json(const Certificate &certificate);
/// The certificate, or one line that says what is wrong, and where.
[[nodiscard]] std::variant<Certificate, std::string> from_json(const std::string &text);

} // namespace planc::certificate
