// Products with a sparse matrix: verifier and nest. The matrix is no operand: its data never moves.

#include "ir/layer_builder.h"
#include "ir/nest.h"
#include "ir/subscripts.h"

#include <algorithm>
#include <map>

namespace planc::ir {

using mlir::LogicalResult;
using mlir::success;

namespace {

/// The loops of the operand, with the one that is summed over replaced by the result's.
std::vector<std::string> loops_of_result(const Subscripts &subscripts, const MatrixLoops &loops) {
    std::vector<std::string> result = subscripts.operands[1];
    std::replace(result.begin(), result.end(), loops.summed, loops.kept);
    return result;
}

} // namespace

MatrixLoops SpmmOp::matrixLoops() {
    const Subscripts subscripts = *parse_subscripts(getSubscripts());
    const std::vector<std::string> &sides = subscripts.operands[0];
    const bool transposed = llvm::is_contained(subscripts.result, sides[1]);
    return {sides[transposed ? 1 : 0], sides[transposed ? 0 : 1], transposed};
}

bool SpmmOp::hasExchangedNames() {
    return matrixLoops().transposed && !isHalf() && getNumber() != 0 &&
           getOperand().getType().getExtents() == getResult().getType().getExtents();
}

LogicalResult SpmmOp::verify() {
    const auto subscripts = parse_subscripts(getSubscripts());
    if (!subscripts || subscripts->operands.size() != 2 || subscripts->operands[0].size() != 2 ||
        subscripts->operands[0][0] == subscripts->operands[0][1])
        return emitOpError() << "subscripts '" << getSubscripts() << "' are not those of a matrix and a tensor";
    const MatrixLoops loops = matrixLoops();
    if (!llvm::is_contained(subscripts->operands[1], loops.summed) ||
        loops_of_result(*subscripts, loops) != subscripts->result)
        return emitOpError() << "subscripts '" << getSubscripts() << "' do not replace a loop of the tensor by the "
                             << "other one of the matrix";
    std::map<std::string, int64_t> extents;
    for (const auto &[names, type] : {std::pair{subscripts->operands[1], getOperand().getType()},
                                      std::pair{subscripts->result, getResult().getType()}}) {
        if (names.size() != type.getExtents().size())
            return emitOpError() << "subscripts name " << names.size() << " loops for " << type;
        for (auto [loop, extent] : llvm::zip(names, type.getExtents()))
            if (const auto [known, fresh] = extents.emplace(loop, extent); !fresh && known->second != extent)
                return emitOpError() << "loop '" << loop << "' runs over " << known->second << " and over " << extent;
    }
    return success();
}

sharding::Nest SpmmOp::nest() {
    const Subscripts subscripts = *parse_subscripts(getSubscripts());
    sharding::Nest nest;
    const auto loops_of = [&](const std::vector<std::string> &names, TensorType type) {
        std::vector<int> loops;
        for (auto [name, extent] : llvm::zip(names, type.getExtents())) {
            const auto at = std::find_if(nest.loops.begin(), nest.loops.end(),
                                         [&](const sharding::Loop &loop) { return loop.name == name; });
            loops.push_back(static_cast<int>(at - nest.loops.begin()));
            if (at == nest.loops.end())
                nest.loops.push_back({name, extent, sharding::LoopKind::reduced});
        }
        return loops;
    };
    nest.results.push_back(loops_of(subscripts.result, getResult().getType()));
    for (sharding::Loop &loop : nest.loops)
        loop.kind = sharding::LoopKind::parallel;
    nest.operands.push_back(loops_of(subscripts.operands[1], getOperand().getType()));
    nest.linear = true;
    const MatrixLoops matrix = matrixLoops();
    const auto loop = [&](const std::string &name) {
        const auto at = std::ranges::find(nest.loops, name, &sharding::Loop::name);
        return static_cast<int>(at - nest.loops.begin());
    };
    nest.sparse = sparse_loops(nest, loop(matrix.kept), loop(matrix.summed), getNonzeros(),
                               matrix.transposed ? -getNumber() : getNumber());
    nest.sparse->lists_rows = true;
    nest.sparse->exchanged = hasExchangedNames();
    return nest;
}

} // namespace planc::ir
