#include "plan/plan.h"

#include "cost/price.h"
#include "plan/larger_micro_batches.h"
#include "sharding/lay_out.h"

namespace planc::plan {

CostTable evaluate(const Request &request, const Mesh &mesh, const std::vector<std::string> &axes,
                   const LayerStrategies &layers, const Storage &storage) {
    KnownPrices known(mesh, request.machine);
    return evaluate(request, sharding::GraphIndex(request.graph), cost::GraphFacts(request.graph, request.machine),
                    mesh, axes, layers, storage, known);
}

CostTable evaluate(const Request &request, const sharding::GraphIndex &index, const cost::GraphFacts &facts,
                   const Mesh &mesh, const std::vector<std::string> &axes, const LayerStrategies &layers,
                   const Storage &storage, KnownPrices &known) {
    const sharding::LaidOut step = sharding::lay_out(index, mesh, layers, storage, known.reshards);
    if (!request.larger)
        return cost::price(request.graph, facts, step, mesh, axes, request.machine, layers, storage, known.prices);

    const LaidOutGraph laid_out =
        lay_out_larger(request.larger->graph, request.graph, step, mesh, layers, storage, known);
    const cost::LargerMicroBatches larger{laid_out.graph, laid_out.laid_out, request.larger->count};
    return cost::price(request.graph, facts, step, mesh, axes, request.machine, layers, storage, known.prices, &larger);
}

} // namespace planc::plan
