// Finds a proof for one mesh and storage. The checker (check.cpp) verifies it, so an error here can only make the proof
// weaker than possible.
#pragma once

#include "certificate/certificate.h"

#include <cstdint>
#include <optional>

namespace planc::certificate {

class Prover {
  public:
    /// `target`: it is enough to prove that plans take this many seconds. `short_at`: the operation during which memory
    /// is short, if it is.
    Prover(Terms &terms, const plan::Request &request, double target, std::optional<OperationId> short_at);

    /// Fills in nodes and bound. `layers`: a fast plan, or none if none is known.
    void run(const LayerStrategies &layers, Part &part);

  private:
    /// A set of plans about which nothing is proved yet except by the parent node.
    struct Open {
        int above = -1;
        Kept kept;
        double bound = 0;
        Weights weights;        ///< of the parent node
        LayerStrategies layers; ///< a promising plan
        int strategy = -1;      ///< of the layer on which the parent node branches; or 1 if its call occurs, 0 if not
    };

    /// Returns the bound if this node is closed; otherwise adds open nodes.
    double expand(Open open, Part &part, std::vector<Open> &all);
    void weigh(const Kept &kept, const LayerStrategies &layers, Weights &weights);
    void weigh_terms(const Weights &weights);
    void price_memory(const Kept &kept, Weights &weights);
    Bounds prove(Kept &kept, bool coarsely_first, std::vector<Round> &rounds);
    Bounds improve(const Kept &kept, std::vector<Factor> &factors, Round &round);
    void sweep_and_count(const Kept &kept, const std::vector<Factor> &factors, Messages &messages);

    /// The bound by a first round.
    Bounds glance(const Kept &kept);
    [[nodiscard]] LayerStrategies promising(const Kept &kept, const Bounds &found) const;
    [[nodiscard]] std::optional<SharedCall> costliest_call(const Weights &weights);
    [[nodiscard]] std::map<SharedCall, std::vector<ValueId>> shared_calls(const LayerStrategies &layers);

    Terms &terms_;
    const plan::Request &request_;
    double target_;
    double enough_; ///< the target, but for what the units of messages may cost
    bool memory_is_short_;
    OperationId operation_;
    double work_ = 0; ///< number of table entries examined
};

} // namespace planc::certificate
