// plan.attention: its verifier and its loop nest.

#include "ir/nest.h"
#include "ir/plan_dialect.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>

namespace planc::ir {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::StringAttr;
using mlir::success;

namespace {

constexpr StringRef forward_kinds[] = {"output", "total"};
constexpr StringRef gradient_kinds[] = {"query_gradient", "key_gradient", "value_gradient"};

TensorType tensor(mlir::Value value) {
    return mlir::cast<TensorType>(value.getType());
}

SmallVector<StringRef> kinds_of(AttentionOp op) {
    return llvm::to_vector(
        llvm::map_range(op.getKinds().getAsRange<StringAttr>(), [](StringAttr kind) { return kind.getValue(); }));
}

/// The dimensions of each tensor of the operation, in any order.
class Dimensions {
  public:
    using Roles = SmallVector<StringRef>;
    explicit Dimensions(AttentionOp op)
        : key_(op.getKey()), feature_(op.getFeature()), batch_(names(op.batchRoles())), rows_(names(op.rowRoles())),
          values_(names(op.valueRoles())) {}

    [[nodiscard]] Roles queries() const { return joined({batch_, rows_, {feature_}}); }
    [[nodiscard]] Roles keys() const { return joined({batch_, {key_, feature_}}); }
    [[nodiscard]] Roles values() const { return joined({batch_, {key_}, values_}); }
    [[nodiscard]] Roles output() const { return joined({batch_, rows_, values_}); }
    [[nodiscard]] Roles sums() const { return joined({batch_, rows_}); }
    [[nodiscard]] Roles of_operand(std::size_t number) const {
        return std::vector{queries(), keys(), values(), sums(), output(), sums()}[number];
    }
    [[nodiscard]] Roles of_kind(StringRef kind) const {
        if (kind == "output")
            return output();
        if (kind == "total")
            return sums();
        return of_operand(kind == "query_gradient" ? 0 : kind == "key_gradient" ? 1 : 2);
    }

  private:
    static Roles names(const SmallVector<StringAttr> &roles) {
        return llvm::to_vector(llvm::map_range(roles, [](StringAttr role) { return role.getValue(); }));
    }
    static Roles joined(const std::vector<Roles> &lists) {
        Roles all;
        for (const Roles &list : lists)
            all.append(list);
        return all;
    }

    StringRef key_;
    StringRef feature_;
    Roles batch_;
    Roles rows_;
    Roles values_;
};

class Verifier {
  public:
    explicit Verifier(AttentionOp op) : op_(op) {}

    LogicalResult run() {
        const SmallVector<StringRef> kinds = kinds_of(op_);
        const bool forward =
            llvm::all_of(kinds, [](StringRef kind) { return llvm::is_contained(forward_kinds, kind); });
        const bool gradient =
            llvm::all_of(kinds, [](StringRef kind) { return llvm::is_contained(gradient_kinds, kind); });
        if (kinds.empty() || (!forward && !gradient))
            return op_.emitOpError()
                   << "kinds are output and total, or query_gradient, key_gradient and value_gradient";
        if (op_.getResults().size() != kinds.size())
            return op_.emitOpError() << "has " << kinds.size() << " kinds, but " << op_.getResults().size()
                                     << " results";
        const std::size_t count = (forward ? 3U : 6U) + (op_.getMasked() ? 1U : 0U);
        if (op_.getInputs().size() != count)
            return op_.emitOpError() << "takes " << count << " operands, not " << op_.getInputs().size();
        if (failed(check_roles()))
            return failure();
        const Dimensions dimensions(op_);
        for (std::size_t i = 0; i < (forward ? 3U : 6U); ++i)
            if (failed(check(tensor(op_.getInputs()[i]), dimensions.of_operand(i))))
                return failure();
        for (auto [kind, result] : llvm::zip(kinds, op_.getResults()))
            if (failed(check(tensor(result), dimensions.of_kind(kind))))
                return failure();
        return check_mask();
    }

  private:
    LogicalResult check_roles() {
        for (const TensorType type : {op_.keys(), op_.values()})
            if (type.find(op_.getKey()) < 0)
                return op_.emitOpError() << type << " has no dimension '" << op_.getKey() << "'";
        for (const TensorType type : {op_.queries(), op_.keys()})
            if (type.find(op_.getFeature()) < 0)
                return op_.emitOpError() << type << " has no dimension '" << op_.getFeature() << "'";
        for (const StringAttr role : op_.valueRoles())
            if (role != op_.getFeature() && op_.queries().find(role) >= 0)
                return op_.emitOpError() << "'" << role.getValue()
                                         << "' is of the queries and of the values, but not of the keys";
        if (op_.getPosition() &&
            !llvm::any_of(op_.rowRoles(), [&](StringAttr role) { return role == *op_.getPosition(); }))
            return op_.emitOpError() << "'" << *op_.getPosition() << "' is not a dimension of the queries alone";
        const auto window = static_cast<std::int64_t>(op_.getWindow());
        if (window < 0 || (window > 0 && !op_.getPosition()))
            return op_.emitOpError() << "a window counts keys before a position: " << window;
        return success();
    }

    LogicalResult check(TensorType type, const Dimensions::Roles &roles) {
        if (type.getElementType() != op_.queries().getElementType() ||
            !mlir::isa<mlir::FloatType>(type.getElementType()))
            return op_.emitOpError() << type << " has not the element type of the queries";
        if (type.getRoles().size() != roles.size() ||
            llvm::any_of(roles, [&](StringRef role) { return type.find(role) < 0; }))
            return op_.emitOpError() << type << " does not have the dimensions " << llvm::join(roles, ", ");
        return check_extents(type);
    }

    /// The values' own dimension may have the name of the features, but another extent.
    LogicalResult check_extents(TensorType type) {
        for (auto [role, extent] : llvm::zip(type.getRoles(), type.getExtents())) {
            if (role == op_.getFeature())
                continue;
            const auto [known, fresh] = extents_.emplace(role.str(), extent);
            if (!fresh && known->second != extent)
                return op_.emitOpError() << "'" << role.getValue() << "' is " << known->second << " and " << extent;
        }
        return success();
    }

    LogicalResult check_mask() {
        if (!op_.getMasked())
            return success();
        const TensorType mask = tensor(op_.mask());
        if (!mask.getElementType().isSignlessInteger(32))
            return op_.emitOpError() << "masks are i32, not " << mask.getElementType();
        for (const StringAttr role : mask.getRoles())
            if (role != op_.getKey() && (op_.queries().find(role) < 0 || role == op_.getFeature()))
                return op_.emitOpError() << "the scores have no dimension '" << role.getValue() << "' of the mask";
        return check_extents(mask);
    }

    AttentionOp op_;
    std::map<std::string, std::int64_t> extents_;
};

} // namespace

bool AttentionOp::isGradient() {
    return llvm::is_contained(gradient_kinds, kinds_of(*this).front());
}

int AttentionOp::find(StringRef kind) {
    const SmallVector<StringRef> kinds = kinds_of(*this);
    const auto at = llvm::find(kinds, kind);
    return at == kinds.end() ? -1 : static_cast<int>(at - kinds.begin());
}

SmallVector<StringAttr> AttentionOp::batchRoles() {
    return llvm::to_vector(llvm::make_filter_range(
        keys().getRoles(), [&](StringAttr role) { return role != getKey() && role != getFeature(); }));
}

SmallVector<StringAttr> AttentionOp::rowRoles() {
    return llvm::to_vector(llvm::make_filter_range(
        queries().getRoles(), [&](StringAttr role) { return role != getFeature() && keys().find(role) < 0; }));
}

SmallVector<StringAttr> AttentionOp::valueRoles() {
    return llvm::to_vector(llvm::make_filter_range(values().getRoles(), [&](StringAttr role) {
        return role != getKey() && (role == getFeature() || keys().find(role) < 0);
    }));
}

double AttentionOp::flopsPerPoint() {
    const auto extent = [](TensorType type, StringRef role) {
        return static_cast<double>(type.getExtents()[static_cast<std::size_t>(type.find(role))]);
    };
    const double features = extent(queries(), getFeature());
    double values = 1;
    for (const StringAttr role : valueRoles())
        values *= extent(this->values(), role.getValue());
    double of_score = 0;
    for (const StringRef kind : kinds_of(*this)) {
        if (kind == "output") // q k, and the weights times v
            of_score += 2 * (features + values);
        else if (kind == "query_gradient") // q k, dy v, and the changes of the scores times k
            of_score += 2 * (2 * features + values);
        else if (kind == "key_gradient" || kind == "value_gradient") // what is left is done with the others
            of_score += 2 * (kind == "key_gradient" ? features : values);
    }
    return of_score / (features * values);
}

LogicalResult AttentionOp::verify() {
    return Verifier(*this).run();
}

/// The softmax needs all keys, the scores all features. Gradients are sums: dq over the keys, dk and dv over the
/// queries.
sharding::Nest AttentionOp::nest() {
    sharding::Nest nest;
    const auto add = [&](const std::string &name, std::int64_t extent, sharding::LoopKind kind) {
        std::string unique = name;
        while (llvm::any_of(nest.loops, [&](const sharding::Loop &loop) { return loop.name == unique; }))
            unique += '\'';
        nest.loops.push_back({unique, extent, kind});
        return static_cast<int>(nest.loops.size()) - 1;
    };
    using sharding::LoopKind;
    std::map<std::string, int> by_role;
    for (auto [role, extent] : llvm::zip(queries().getRoles(), queries().getExtents()))
        if (role != getFeature())
            by_role[role.str()] = add(role.str(), extent, LoopKind::parallel);
    const auto extent = [](TensorType type, StringRef role) {
        return type.getExtents()[static_cast<std::size_t>(type.find(role))];
    };
    by_role[getKey().str()] = add(getKey().str(), extent(keys(), getKey()), LoopKind::whole);
    const int feature = add(getFeature().str(), extent(queries(), getFeature()), LoopKind::whole);
    std::map<std::string, int> own;
    for (const StringAttr role : valueRoles())
        own[role.str()] = add(role.str(), extent(values(), role.getValue()), LoopKind::whole);
    const auto loops = [&](TensorType type, bool of_values) {
        std::vector<int> result;
        for (const StringAttr role : type.getRoles()) {
            const auto at = by_role.find(role.str());
            result.push_back(at != by_role.end() ? at->second : of_values ? own.at(role.str()) : feature);
        }
        return result;
    };
    for (std::size_t i = 0; i < getInputs().size(); ++i)
        nest.operands.push_back(loops(tensor(getInputs()[i]), i == 2 || i == 4));
    for (auto [kind, result] : llvm::zip(kinds_of(*this), getResults()))
        nest.results.push_back(loops(tensor(result), kind == "output" || kind == "value_gradient"));
    if (!isGradient())
        return nest;
    for (const auto &[role, loop] : by_role)
        nest.loops[static_cast<std::size_t>(loop)].kind =
            llvm::all_of(nest.results, [&](const auto &result) { return llvm::is_contained(result, loop); })
                ? LoopKind::parallel
                : LoopKind::reduced;
    return nest;
}

} // namespace planc::ir
