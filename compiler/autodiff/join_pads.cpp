#include "autodiff/join_pads.h"

#include "ir/plan_dialect.h"

#include "llvm/ADT/MapVector.h"

namespace planc::autodiff {

using ir::LayerBuilder;
using ir::TensorType;
using ir::type_of;
using llvm::SmallVector;
using mlir::Value;

namespace {

/// What is not 0: [begin, end) of the dimension, whose parts follow one another.
struct Range {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    SmallVector<Value> parts = {};
};

class Joining {
  public:
    Joining(LayerBuilder &build, mlir::StringAttr dimension, TensorType type)
        : build_(build), dimension_(dimension), at_(static_cast<std::size_t>(type.find(dimension))), type_(type) {}

    void add(ir::PadOp pad) {
        const auto begin = static_cast<std::int64_t>(pad.getBefore());
        const std::int64_t end = begin + type_of(pad.getOperand()).getExtents()[at_];
        for (Range &known : ranges_)
            if (known.begin == begin && known.end == end) {
                Value &sum = known.parts.front();
                sum = build_.pointwise("add", {sum, pad.getOperand()}, type_of(sum));
                return;
            }
        ranges_.push_back({begin, end, {pad.getOperand()}});
    }

    /// The terms that are left, each as large as the whole.
    SmallVector<Value> terms() {
        llvm::stable_sort(ranges_, [](const Range &a, const Range &b) { return a.begin < b.begin; });
        SmallVector<Range> joined;
        for (const Range &range : ranges_) {
            const auto before = llvm::find_if(joined, [&](const Range &each) { return each.end == range.begin; });
            if (before == joined.end()) {
                joined.push_back(range);
                continue;
            }
            before->end = range.end;
            before->parts.append(range.parts);
        }
        return llvm::map_to_vector(joined, [this](const Range &range) { return whole(range); });
    }

  private:
    Value whole(const Range &range) {
        SmallVector<std::int64_t> extents(type_.getExtents());
        extents[at_] = range.end - range.begin;
        const auto type =
            TensorType::get(type_.getContext(), type_.getRoles(), extents, type_.getElementType(), type_.getLayout());
        const Value joined =
            range.parts.size() == 1 ? range.parts.front() : build_.concat(range.parts, dimension_, type);
        return type == type_ ? joined : build_.pad(joined, dimension_, range.begin, type_);
    }

    LayerBuilder &build_;
    mlir::StringAttr dimension_;
    std::size_t at_;
    TensorType type_;
    SmallVector<Range> ranges_;
};

} // namespace

SmallVector<Value> join_pads(LayerBuilder &build, mlir::ArrayRef<Value> terms) {
    llvm::MapVector<std::pair<mlir::Attribute, mlir::Type>, SmallVector<ir::PadOp>> pads;
    SmallVector<Value> result;
    for (const Value term : terms)
        if (auto pad = term.getDefiningOp<ir::PadOp>())
            pads[{pad.getDimensionAttr(), pad.getType()}].push_back(pad);
        else
            result.push_back(term);
    for (auto &[kind, alike] : pads) {
        if (alike.size() == 1) {
            result.push_back(alike.front());
            continue;
        }
        Joining joining(build, mlir::cast<mlir::StringAttr>(kind.first), alike.front().getType());
        for (const ir::PadOp pad : alike)
            joining.add(pad);
        result.append(joining.terms());
    }
    return result;
}

} // namespace planc::autodiff
