#include "emit/functions/loop_indices.h"

#include "schedule/functions.h"

namespace planc::emit {

namespace {

/// Adds the type of the value, or those of iotas and the like from which it is computed.
void add_accessed(mlir::Value value, std::vector<ir::TensorType> &types) {
    mlir::Operation *producer = value.getDefiningOp();
    if (!schedule::is_inline(producer) || producer->getNumOperands() == 0)
        types.push_back(schedule::tensor(value));
    else
        for (mlir::Value operand : producer->getOperands())
            add_accessed(operand, types);
}

/// The tensors that the nest reads or writes element by element, iotas included.
std::vector<ir::TensorType> accessed(const schedule::LoopNest &nest, ir::LoopsOp loops) {
    std::vector<ir::TensorType> types;
    for (const schedule::LoopMember &member : nest.members)
        for (mlir::Value operand : member.op->getOperands())
            if (nest.producer(operand) == nullptr)
                add_accessed(operand, types);
    for (mlir::Value result : loops.getResults())
        types.push_back(schedule::tensor(result));
    return types;
}

int64_t find(const schedule::LoopSpace &space, llvm::StringRef role) {
    const auto at = llvm::find_if(space, [&](const schedule::LoopDimension &d) { return d.role == role; });
    return at == space.end() ? -1 : at - space.begin();
}

/// Whether the tensor has both dimensions, one right after the other, or neither.
bool together(ir::TensorType type, llvm::StringRef first, llvm::StringRef second) {
    const schedule::LoopSpace space = schedule::space_of(type);
    const int64_t a = find(space, first);
    const int64_t b = find(space, second);
    return (a < 0 && b < 0) || (a >= 0 && b == a + 1);
}

/// Random numbers count global elements, so a dimension that is split is a separate loop, and so is that of the
/// samples, and one of vertices, which count by their numbers in the file.
bool breaks_random(mlir::Operation *op, const schedule::LoopDimension &first, const schedule::LoopDimension &second,
                   const Body &body) {
    auto random = mlir::dyn_cast<ir::RandomOp>(op);
    return random &&
           (random.getSamples() == first.role || !second.axes.empty() || body.orders(first) || body.orders(second));
}

} // namespace

LoopIndices::LoopIndices(const schedule::LoopNest &nest, ir::LoopsOp loops, Body &body) : space_(nest.space) {
    const int rank = static_cast<int>(space_.size());
    const int split = nest.outer == rank ? 0 : nest.outer;
    std::vector<bool> joined(space_.size(), false); // with the next dimension
    const std::vector<ir::TensorType> types = accessed(nest, loops);
    for (size_t d = 0; d + 1 < space_.size(); ++d)
        joined[d] =
            static_cast<int>(d) + 1 != split &&
            llvm::all_of(types,
                         [&](ir::TensorType type) { return together(type, space_[d].role, space_[d + 1].role); }) &&
            llvm::none_of(loops.getBody().front(),
                          [&](mlir::Operation &op) { return breaks_random(&op, space_[d], space_[d + 1], body); });
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
        const std::string extent = body.extents({at + begin, at + end});
        loops.push_back({number < 4 ? names[number] : body.local("i"), extent, begin, end, "0", extent});
        begin = end;
    }
    return loops;
}

int LoopIndices::dimension(llvm::StringRef role) const {
    return static_cast<int>(find(space_, role));
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
    for (const schedule::LoopDimension &part : schedule::space_of(type)) {
        const Loop &loop = loop_of(dimension(part.role));
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

std::string LoopIndices::global_index(ir::TensorType type, llvm::StringRef without, Body &body) const {
    std::string text;
    const Loop *last = nullptr;
    for (const schedule::LoopDimension &part : schedule::dimensions_of(type)) {
        const Loop &loop = loop_of(dimension(part.role));
        if (part.role == without || &loop == last)
            continue;
        last = &loop;
        int64_t within = 1; // elements of one step of the first of the loop's dimensions
        for (int d = loop.first + 1; d < loop.last; ++d)
            within *= space_[static_cast<size_t>(d)].extent;
        if (!text.empty())
            text = "(" + text + ") * " + std::to_string(part.extent * within) + " + ";
        std::string index = loop.index;
        if (!part.axes.empty())
            index = body.begin(part) + (within == 1 ? "" : " * " + std::to_string(within)) + " + " + index;
        text += body.file_number(part, index);
    }
    return text.empty() ? "0" : text;
}

bool LoopIndices::counts_innermost(ir::TensorType type, llvm::StringRef without, const Body &body) const {
    const schedule::LoopSpace dimensions = schedule::dimensions_of(type);
    if (inner_.empty() || dimensions.empty() || dimensions.back().role == without || body.orders(dimensions.back()))
        return false;
    const int last = dimension(dimensions.back().role);
    return inner_.back().first <= last && last < inner_.back().last;
}

bool LoopIndices::moves(ir::TensorType type, const Loop &loop) const {
    return llvm::any_of(schedule::space_of(type), [&](const schedule::LoopDimension &part) {
        const int d = dimension(part.role);
        return loop.first <= d && d < loop.last;
    });
}

} // namespace planc::emit
