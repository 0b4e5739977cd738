#include "emit/loop_indices.h"

#include "schedule/functions.h"

namespace planc::emit {

namespace {

/// The tensors that the nest reads or writes element by element, iotas included.
std::vector<ir::TensorType> accessed(const schedule::LoopNest &nest, ir::LoopsOp loops) {
    std::vector<ir::TensorType> types;
    for (const schedule::LoopMember &member : nest.members)
        for (mlir::Value operand : member.op->getOperands())
            if (nest.producer(operand) == nullptr)
                types.push_back(schedule::tensor(operand));
    for (mlir::Value result : loops.getResults())
        types.push_back(schedule::tensor(result));
    return types;
}

/// Both or neither, and then one right behind the other.
bool together(ir::TensorType type, llvm::StringRef first, llvm::StringRef second) {
    const int64_t a = type.find(first);
    const int64_t b = type.find(second);
    return (a < 0 && b < 0) || (a >= 0 && b == a + 1);
}

} // namespace

LoopIndices::LoopIndices(const schedule::LoopNest &nest, ir::LoopsOp loops, Body &body) : space_(nest.space) {
    const int rank = static_cast<int>(space_.size());
    const int split = nest.outer == rank ? 0 : nest.outer;
    std::vector<bool> joined(space_.size(), false); // with the next dimension
    const std::vector<ir::TensorType> types = accessed(nest, loops);
    for (size_t d = 0; d + 1 < space_.size(); ++d)
        joined[d] = static_cast<int>(d) + 1 != split && llvm::all_of(types, [&](ir::TensorType type) {
                        return together(type, space_[d].role, space_[d + 1].role);
                    });
    outer_ = loops_over(0, split, joined, body);
    inner_ = loops_over(split, rank, joined, body);
}

std::vector<Loop> LoopIndices::loops_over(int first, int last, const std::vector<bool> &joined, Body &body) {
    static constexpr const char *names[] = {"i", "j", "k", "l"};
    std::vector<Loop> loops;
    for (int begin = first; begin < last;) {
        int end = begin + 1;
        while (end < last && joined[static_cast<size_t>(end) - 1])
            ++end;
        const size_t number = outer_.size() + loops.size();
        const auto at = space_.begin();
        loops.push_back(
            {number < 4 ? names[number] : body.local("i"), body.extents({at + begin, at + end}), begin, end});
        begin = end;
    }
    return loops;
}

int LoopIndices::dimension(llvm::StringRef role) const {
    for (size_t d = 0; d < space_.size(); ++d)
        if (space_[d].role == role)
            return static_cast<int>(d);
    return -1;
}

const Loop &LoopIndices::loop_of(int dimension) const {
    for (const std::vector<Loop> *loops : {&outer_, &inner_})
        for (const Loop &loop : *loops)
            if (loop.first <= dimension && dimension < loop.last)
                return loop;
    return inner_.back();
}

std::string LoopIndices::index(ir::TensorType type) const {
    std::string text;
    const Loop *last = nullptr;
    bool compound = false;
    for (mlir::StringAttr role : type.getRoles()) {
        const Loop &loop = loop_of(dimension(role.getValue()));
        if (&loop == last)
            continue;
        last = &loop;
        if (text.empty()) {
            text = loop.index;
            continue;
        }
        const bool product = loop.last > loop.first + 1;
        text = (compound ? "(" + text + ")" : text) + " * " + (product ? "(" + loop.extent + ")" : loop.extent) +
               " + " + loop.index;
        compound = true;
    }
    return text.empty() ? "0" : text;
}

bool LoopIndices::moves(ir::TensorType type, const Loop &loop) const {
    return llvm::any_of(type.getRoles(), [&](mlir::StringAttr role) {
        const int d = dimension(role.getValue());
        return loop.first <= d && d < loop.last;
    });
}

} // namespace planc::emit
