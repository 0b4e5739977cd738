// Which operations and values cost the same under equal strategies, so that they are priced once.
//
// What sharding derives for an operation or a value depends on the strategies of some layers. Its form says how, with
// numbered places instead of layers: two things of one form, with equal strategies in their places, are placed alike.
// A form consists of all facts about the operation and of the forms of what it depends on. Whatever is not known to be
// alike has forms of its own: so do values whose form depends on other layers than sharding::scope() says.
//
// Example: in a chain of equal layers, the activation between two of them has the form "produced by this product of
// place 0, read by this product of place 1"; all of these activations are of one kind.
#pragma once

#include "cost/price.h"
#include "sharding/lay_out.h"

#include <vector>

namespace planc::certificate {

using sharding::LayerId;
using sharding::OperationId;
using sharding::PerLayer;
using sharding::PerOperation;
using sharding::PerValue;
using sharding::ValueId;

struct Kinds {
    /// The index must outlive this.
    Kinds(const sharding::GraphIndex &given, const cost::Machine &machine);

    const sharding::GraphIndex &index;
    cost::GraphFacts facts;
    /// Equal: the same cost if the layers on which they depend, in ascending order, have equal strategies.
    PerOperation<int> of_operation;
    PerValue<int> of_value;
};

} // namespace planc::certificate
