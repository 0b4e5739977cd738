// plan.reshape: its verifier and its loop nest.

#include "ir/plan_dialect.h"

#include <algorithm>

namespace planc::ir {

using sharding::LoopKind;

namespace {

std::int64_t elements_behind(TensorType type, std::size_t at) {
    std::int64_t count = 1;
    for (const std::int64_t extent : type.getExtents().drop_front(at + 1))
        count *= extent;
    return count;
}

/// Whether `other` has the dimension too, at the same place of the row-major order.
bool same_place(TensorType type, std::size_t at, TensorType other) {
    const std::int64_t found = other.find(type.getRoles()[at].getValue());
    if (found < 0)
        return false;
    const auto there = static_cast<std::size_t>(found);
    return type.getExtents()[at] == other.getExtents()[there] &&
           elements_behind(type, at) == elements_behind(other, there);
}

/// If `parts` has dimension number `at` of `whole` as two dimensions: the index of the first, which is the major one.
std::optional<std::size_t> parted(TensorType whole, std::size_t at, TensorType parts) {
    if (same_place(whole, at, parts))
        return std::nullopt;
    for (std::size_t major = 0; major + 1 < parts.getExtents().size(); ++major)
        if (parts.getExtents()[major] > 1 && !same_place(parts, major, whole) && !same_place(parts, major + 1, whole) &&
            parts.getExtents()[major] * parts.getExtents()[major + 1] == whole.getExtents()[at] &&
            elements_behind(parts, major + 1) == elements_behind(whole, at))
            return major;
    return std::nullopt;
}

class NestOfReshape {
  public:
    NestOfReshape(TensorType from, TensorType to)
        : from_(from), to_(to), operand_(from.getExtents().size(), -1), result_(to.getExtents().size(), -1) {}

    sharding::Nest run() {
        // Loops that can be split come first, so that they get the names of their roles.
        for (std::size_t d = 0; d < result_.size(); ++d)
            if (const bool major = is_major(d); major || same_place(to_, d, from_) || parted(to_, d, from_))
                result_[d] = add(to_, d, LoopKind::parallel);
        for (std::size_t d = 0; d < result_.size(); ++d)
            if (result_[d] < 0)
                result_[d] = add(to_, d, LoopKind::whole);
        for (std::size_t d = 0; d < operand_.size(); ++d)
            if (same_place(from_, d, to_))
                operand_[d] = result_[static_cast<std::size_t>(to_.find(from_.getRoles()[d].getValue()))];
            else if (const auto major = parted(from_, d, to_))
                part(d, *major);
        for (std::size_t d = 0; d < result_.size(); ++d)
            if (const auto major = parted(to_, d, from_))
                join(*major, d);
        for (std::size_t d = 0; d < operand_.size(); ++d)
            if (operand_[d] < 0)
                operand_[d] = add(from_, d, LoopKind::whole);
        nest_.operands = {operand_};
        nest_.results = {result_};
        nest_.linear = true;
        return std::move(nest_);
    }

  private:
    bool is_major(std::size_t at) const {
        for (std::size_t d = 0; d < operand_.size(); ++d)
            if (parted(from_, d, to_) == at)
                return true;
        return false;
    }

    int add(TensorType type, std::size_t d, LoopKind kind) {
        std::string name = type.getRoles()[d].str();
        while (std::any_of(nest_.loops.begin(), nest_.loops.end(),
                           [&](const sharding::Loop &loop) { return loop.name == name; }))
            name += '\'';
        nest_.loops.push_back({name, type.getExtents()[d], kind});
        return static_cast<int>(nest_.loops.size()) - 1;
    }

    // Index i of the major part is a window on the other tensor's dimension: the indices that it stands for. A rank
    // must have whole windows, because otherwise its local elements would have to move.

    void part(std::size_t dimension, std::size_t major) {
        operand_[dimension] = result_[major];
        sharding::NestWindow window{0, static_cast<int>(dimension), result_[major + 1], from_.getExtents()[dimension],
                                    to_.getExtents()[major + 1]};
        window.blocks_only = true;
        nest_.windows.push_back(window);
    }

    void join(std::size_t major, std::size_t dimension) {
        operand_[major] = result_[dimension];
        operand_[major + 1] = add(from_, major + 1, LoopKind::whole);
        sharding::NestWindow window{0, static_cast<int>(major), operand_[major + 1], from_.getExtents()[major],
                                    from_.getExtents()[major + 1]};
        window.transposed = true;
        window.blocks_only = true;
        nest_.windows.push_back(window);
    }

    TensorType from_;
    TensorType to_;
    sharding::Nest nest_;
    std::vector<int> operand_;
    std::vector<int> result_;
};

} // namespace

mlir::LogicalResult ReshapeOp::verify() {
    if (getOperand().getType().elements() == getResult().getType().elements())
        return mlir::success();
    return emitOpError() << getOperand().getType() << " has " << getOperand().getType().elements() << " elements, "
                         << getResult().getType() << " has " << getResult().getType().elements();
}

sharding::Nest ReshapeOp::nest() {
    return NestOfReshape(getOperand().getType(), getResult().getType()).run();
}

} // namespace planc::ir
