// Values on the entries of a sparse matrix: verifiers and nests of plan.edges and plan.edge_reduce.

#include "ir/edge_steps.h"
#include "ir/nest.h"
#include "ir/pointwise.h"
#include "ir/subscripts.h"

#include <algorithm>

namespace planc::ir {

using mlir::LogicalResult;
using mlir::success;

namespace {

std::vector<std::string> strings(mlir::ArrayAttr attribute) {
    std::vector<std::string> result;
    for (llvm::StringRef text : attribute.getAsValueRange<mlir::StringAttr>())
        result.push_back(text.str());
    return result;
}

/// Whether the step uses earlier steps, operands and loops that exist.
bool is_valid(const EdgeStep &step, std::size_t number, std::size_t operands, const std::vector<std::string> &loops) {
    const auto known = [&](const std::string &loop) { return llvm::is_contained(loops, loop); };
    const auto earlier = [&](int argument) { return argument >= 0 && std::cmp_less(argument, number); };
    if (!std::all_of(step.loops.begin(), step.loops.end(), known) ||
        !std::all_of(step.arguments.begin(), step.arguments.end(), earlier))
        return false;
    switch (step.kind) {
    case EdgeStep::Kind::operand:
        return step.operand >= 0 && std::cmp_less(step.operand, operands);
    case EdgeStep::Kind::call: {
        const PointwiseFunction *function = find_pointwise(step.text);
        return function != nullptr && std::cmp_equal(function->operands, step.arguments.size());
    }
    case EdgeStep::Kind::sum:
        return step.arguments.size() == 1;
    case EdgeStep::Kind::random:
        return std::cmp_less(step.samples, step.loops.size());
    default:
        return true;
    }
}

} // namespace

LogicalResult EdgesOp::verify() {
    if (getResult().getType().getExtents().size() != 2)
        return emitOpError() << "has a type without rows and columns: " << getResult().getType();
    return success();
}

sharding::Nest EdgesOp::nest() {
    sharding::Nest nest;
    nest.results.push_back({0, 1});
    const TensorType type = getResult().getType();
    for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents()))
        nest.loops.push_back({role.str(), extent, sharding::LoopKind::parallel});
    return nest;
}

bool EdgeReduceOp::isTransposed() {
    const Subscripts subscripts = *parse_subscripts(getSubscripts());
    return llvm::is_contained(subscripts.result, subscripts.operands[0][1]) &&
           !llvm::is_contained(subscripts.result, subscripts.operands[0][0]);
}

LogicalResult EdgeReduceOp::verify() {
    const auto subscripts = parse_subscripts(getSubscripts());
    const std::vector<std::string> loops = strings(getLoops());
    if (!subscripts || subscripts->operands.size() != getInputs().size() + 1 || subscripts->operands[0].size() != 2)
        return emitOpError() << "subscripts '" << getSubscripts() << "' are not those of a matrix and "
                             << getInputs().size() << " tensors";
    if (getReduction() != "sum" && getReduction() != "max")
        return emitOpError() << "reduces by '" << getReduction() << "', which is neither sum nor max";
    if (loops.size() != getExtents().size())
        return emitOpError() << "has " << loops.size() << " loops and " << getExtents().size() << " extents";
    const auto check = [&](const std::vector<std::string> &names, TensorType type) -> LogicalResult {
        if (names.size() != type.getExtents().size())
            return emitOpError() << "subscripts name " << names.size() << " loops for " << type;
        for (auto [name, extent] : llvm::zip(names, type.getExtents())) {
            const auto at = std::find(loops.begin(), loops.end(), name) - loops.begin();
            if (std::cmp_equal(at, loops.size()) || getExtents()[static_cast<std::size_t>(at)] != extent)
                return emitOpError() << "loop '" << name << "' does not run over " << extent;
        }
        return success();
    };
    for (auto [names, input] : llvm::zip(llvm::drop_begin(subscripts->operands), getInputs()))
        if (failed(check(names, mlir::cast<TensorType>(input.getType()))))
            return mlir::failure();
    for (const std::string &side : subscripts->operands[0])
        if (!llvm::is_contained(loops, side))
            return emitOpError() << "has no loop '" << side << "'";
    std::size_t number = 0;
    for (llvm::StringRef text : getSteps().getAsValueRange<mlir::StringAttr>()) {
        const auto step = parse_edge_step(text);
        if (!step || !is_valid(*step, number++, getInputs().size(), loops))
            return emitOpError() << "has no step '" << text << "'";
    }
    if (number == 0)
        return emitOpError() << "has no steps";
    return check(subscripts->result, getResult().getType());
}

sharding::Nest EdgeReduceOp::nest() {
    const Subscripts subscripts = *parse_subscripts(getSubscripts());
    const std::vector<std::string> names = strings(getLoops());
    std::vector<std::string> inner; // of sums within the function
    for (const EdgeStep &step : steps_of(*this))
        if (step.kind == EdgeStep::Kind::sum)
            inner.insert(inner.end(), step.loops.begin(), step.loops.end());
    sharding::Nest nest;
    for (auto [name, extent] : llvm::zip(names, getExtents())) {
        const bool of_result = llvm::is_contained(subscripts.result, name);
        const bool of_tensor =
            of_result || std::any_of(subscripts.operands.begin() + 1, subscripts.operands.end(),
                                     [&](const auto &loops) { return llvm::is_contained(loops, name); });
        const bool whole = !of_tensor || llvm::is_contained(inner, name);
        nest.loops.push_back({name, extent,
                              whole       ? sharding::LoopKind::whole
                              : of_result ? sharding::LoopKind::parallel
                                          : sharding::LoopKind::reduced});
    }
    const auto numbers = [&](const std::vector<std::string> &loops) {
        std::vector<int> result;
        for (const std::string &loop : loops)
            result.push_back(static_cast<int>(std::find(names.begin(), names.end(), loop) - names.begin()));
        return result;
    };
    for (const std::vector<std::string> &operand : llvm::drop_begin(subscripts.operands))
        nest.operands.push_back(numbers(operand));
    nest.results.push_back(numbers(subscripts.result));
    if (getReduction() == "max")
        nest.reduction = sharding::Reduction::max;
    std::vector<int> sides = numbers(subscripts.operands[0]);
    if (isTransposed())
        std::swap(sides[0], sides[1]);
    nest.sparse = sparse_loops(nest, sides[0], sides[1], getNonzeros(), isTransposed() ? -getNumber() : getNumber());
    return nest;
}

} // namespace planc::ir
