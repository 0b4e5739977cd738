#include "timeline/work_of_step.h"

#include "ir/entry_functions.h"
#include "ir/placement.h"
#include "schedule/evaluation.h"
#include "schedule/schedule.h"
#include "schedule/step_program.h"
#include "spmd/extract.h"
#include "spmd/materialize.h"
#include "timeline/kernel_work.h"
#include "timeline/loop_cuts.h"
#include "timeline/reuse.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>
#include <vector>

namespace planc::timeline {

using sharding::OperationId;
using sharding::Part;
using sharding::Phase;
using sharding::ValueId;
using sharding::Work;

namespace {

/// The graphs of the training functions. Every operation gets a location of its own, which all passes keep.
class Origins {
  public:
    struct Origin {
        std::string function;
        OperationId operation;
    };

    explicit Origins(mlir::ModuleOp module) {
        for (mlir::func::FuncOp function : ir::entry_functions(module)) {
            if (!ir::is_training(function))
                continue;
            const spmd::Extracted extracted = spmd::extract(function);
            for (const OperationId o : extracted.graph.operations.ids()) {
                const std::string name = function.getName().str() + ":" + std::to_string(o.number());
                const auto place = mlir::NameLoc::get(mlir::StringAttr::get(module.getContext(), name));
                extracted.operations[o]->setLoc(place);
                for (mlir::Operation *user : extracted.operations[o]->getUsers())
                    if (mlir::isa<ir::WriteOp>(user))
                        user->setLoc(place);
                origins_[place] = {function.getName().str(), o};
            }
            graphs_[function.getName().str()] = extracted.graph;
        }
    }

    /// Null: it is none of a graph, like one that stores a random tensor.
    [[nodiscard]] const Origin *of(mlir::Operation *op) const {
        const auto at = origins_.find(op->getLoc());
        return at == origins_.end() ? nullptr : &at->second;
    }
    /// The same; for an operation of no graph that of the first operation that needs it.
    [[nodiscard]] const Origin *of_first(mlir::Operation *op) const {
        llvm::SmallVector<mlir::Operation *> open = {op};
        llvm::SmallPtrSet<mlir::Operation *, 16> seen;
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (const Origin *origin = of(open[i]))
                return origin;
            mlir::Operation *parent = open[i]->getParentOp();
            const bool ends_loop = open[i]->hasTrait<mlir::OpTrait::IsTerminator>() && parent->getNumResults() > 0;
            for (mlir::Operation *user : (ends_loop ? parent : open[i])->getUsers())
                if (seen.insert(user).second)
                    open.push_back(user);
        }
        return nullptr;
    }
    [[nodiscard]] const std::map<std::string, sharding::Graph> &graphs() const { return graphs_; }

  private:
    llvm::DenseMap<mlir::Attribute, Origin> origins_;
    std::map<std::string, sharding::Graph> graphs_;
};

bool schedule_on_one_rank(mlir::ModuleOp module) {
    const mlir::ScopedDiagnosticHandler silent(module.getContext(), [](mlir::Diagnostic &) {});
    mlir::Builder builder(module.getContext());
    module->setAttr("plan.mesh",
                    ir::MeshAttr::get(module.getContext(), {builder.getStringAttr("rank")}, planrt::Mesh{{1}}));
    if (failed(spmd::materialize(module)))
        return false;
    mlir::PassManager passes(module.getContext());
    passes.enableVerifier(false);
    schedule::add_passes(passes);
    return succeeded(passes.run(module));
}

/// The loops of the operation that index a tensor of these dimensions; null if it has no such tensor.
const std::vector<int> *loops_of_tensor(const sharding::Nest &dimensions, const sharding::Graph &graph,
                                        const sharding::Operation &operation) {
    const auto is_it = [&](ValueId value) {
        return std::ranges::equal(dimensions.loops, graph.values[value].roles, {}, &sharding::Loop::name) &&
               std::ranges::equal(dimensions.loops, graph.values[value].extents, {}, &sharding::Loop::extent);
    };
    for (std::size_t i = 0; i < operation.operands.size(); ++i)
        if (is_it(operation.operands[i]))
            return &operation.nest.operands[i];
    for (std::size_t i = 0; i < operation.results.size(); ++i)
        if (is_it(operation.results[i]))
            return &operation.nest.results[i];
    return nullptr;
}

/// The loops of the operation that are a part's: by name, or for a copy by the tensor that it copies. What has another
/// extent is another loop.
std::vector<int> loops_of(const Part &part, bool is_copy, const sharding::Graph &graph,
                          const sharding::Operation &operation) {
    const std::vector<int> *of_tensor = is_copy ? loops_of_tensor(part.nest, graph, operation) : nullptr;
    const std::vector<sharding::Loop> &all = operation.nest.loops;
    std::vector<int> loops;
    for (std::size_t i = 0; i < part.nest.loops.size(); ++i) {
        const sharding::Loop &loop = part.nest.loops[i];
        const int found =
            of_tensor != nullptr
                ? (*of_tensor)[i]
                : static_cast<int>(std::ranges::find(all, loop.name, &sharding::Loop::name) - all.begin());
        const bool is_like =
            found < static_cast<int>(all.size()) && all[static_cast<std::size_t>(found)].extent == loop.extent;
        loops.push_back(is_like ? found : -1);
    }
    return loops;
}

/// Says which operand or result of the operation each tensor of a part is. Parts have constants too, which are numbers.
void tell_tensors(std::vector<Part::Tensor> &tensors, const std::vector<std::vector<int>> &own,
                  const std::vector<std::vector<int>> &of_operation) {
    std::vector<int> places;
    for (std::size_t place = 0; place < of_operation.size(); ++place)
        if (!of_operation[place].empty())
            places.push_back(static_cast<int>(place));
    std::size_t next = 0;
    for (std::size_t i = 0; i < own.size() && own.size() == tensors.size(); ++i)
        if (!own[i].empty() && next < places.size())
            tensors[i].of = places[next++];
}

/// Sums like velocity = momentum * velocity + product, which the product makes while it adds. Where a collective comes
/// between the two, the sum loads the product and stores the velocity. Sums over micro-batches also load the sum so
/// far.
void add_sums_of_products(const sharding::Graph &graph, sharding::PerOperation<Work> &works) {
    for (const OperationId o : graph.operations.ids()) {
        const sharding::Operation &operation = graph.operations[o];
        const bool is_sum = operation.accumulates || operation.phase == Phase::update;
        if (!works[o].parts.empty() || !is_sum || operation.kernel != sharding::Kernel::pointwise ||
            operation.nest.loops.empty())
            continue;
        Part part;
        part.nest = operation.nest;
        part.flops_per_point = operation.flops_per_point;
        part.own_rows = false;
        for (const ValueId value : operation.operands) {
            const OperationId producer = graph.values[value].producer;
            const bool is_product = producer && graph.operations[producer].kernel == sharding::Kernel::contraction;
            part.operands.push_back({graph.values[value].element_bytes, is_product});
        }
        for (std::size_t i = 0; i < operation.results.size(); ++i)
            part.results.push_back(
                {graph.values[operation.results[i]].element_bytes, operation.accumulates || bool(operation.writes[i])});
        if (operation.accumulates) {
            part.nest.operands.push_back(part.nest.results[0]);
            part.operands.push_back(part.results[0]);
        }
        part.loops = loops_of(part, false, graph, operation);
        works[o].without_product.push_back(std::move(part));
    }
}

} // namespace

WorkOfStep::WorkOfStep(mlir::ModuleOp module) {
    const mlir::OwningOpRef<mlir::ModuleOp> scheduled = module.clone();
    (void)schedule::take_evaluation(*scheduled); // has no price
    const Origins origins(*scheduled);
    if (!schedule_on_one_rank(*scheduled))
        return;
    for (const auto &[name, graph] : origins.graphs())
        by_function_[name].resize(graph.operations.size());
    const auto book = [&](std::vector<Part> Work::*to, std::pair<mlir::Operation *, Part> placed) {
        const Origins::Origin *origin = origins.of_first(placed.first);
        if (origin == nullptr)
            return;
        const sharding::Graph &graph = origins.graphs().at(origin->function);
        const sharding::Operation &operation = graph.operations[origin->operation];
        placed.second.loops = loops_of(placed.second, is_copy(placed.first), graph, operation);
        if (!is_copy(placed.first)) {
            tell_tensors(placed.second.operands, placed.second.nest.operands, operation.nest.operands);
            tell_tensors(placed.second.results, placed.second.nest.results, operation.nest.results);
        }
        (by_function_[origin->function][origin->operation].*to).push_back(std::move(placed.second));
    };
    const schedule::Bodies bodies(*scheduled);
    const Reuse reuse(functions_of(bodies, 0));
    mlir::SymbolTableCollection symbols;
    for (mlir::func::FuncOp function : bodies.functions())
        for (mlir::Operation &op : function.getBody().front()) {
            if (!takes_time(&op, symbols))
                continue;
            for (auto &part : KernelWork(&op, ir::mesh_attribute(*scheduled), reuse).parts())
                book(&Work::parts, std::move(part));
            if (auto loops = mlir::dyn_cast<ir::LoopsOp>(op))
                for (auto &cut : loop_cuts(loops))
                    book(&Work::cuts, std::move(cut));
        }
    for (auto &[name, works] : by_function_)
        add_sums_of_products(origins.graphs().at(name), works);
}

sharding::PerOperation<sharding::SharedWork> WorkOfStep::of(mlir::func::FuncOp function) const {
    sharding::PerOperation<sharding::SharedWork> works;
    if (const auto at = by_function_.find(function.getName().str()); at != by_function_.end())
        for (const Work &each : at->second)
            works.push_back(each);
    return works;
}

} // namespace planc::timeline
