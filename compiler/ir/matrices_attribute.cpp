#include "ir/matrices_attribute.h"

#include "mlir/IR/Builders.h"

#include <planrt/needed_rows.h>

#include <optional>

namespace planc::ir {

namespace {

constexpr const char *attribute = "plan.matrices";

bool means_differ(const planrt::Pattern &pattern) {
    std::optional<double> first;
    for (std::int64_t row = 0; row < pattern.rows; ++row)
        for (std::int64_t i = pattern.row_begin[static_cast<std::size_t>(row)];
             i < pattern.row_begin[static_cast<std::size_t>(row) + 1]; ++i) {
            const double value = pattern.value_of(i) / static_cast<double>(pattern.degree(row));
            if (value != first.value_or(value))
                return true;
            first = value;
        }
    return false;
}

} // namespace

KnownMatrix known_matrix(const planrt::Pattern &pattern) {
    return {planrt::number_matrix(pattern), !pattern.values.empty(), means_differ(pattern)};
}

KnownMatrices matrices_of(mlir::ModuleOp module) {
    KnownMatrices matrices;
    if (const auto all = module->getAttrOfType<mlir::DictionaryAttr>(attribute))
        for (const mlir::NamedAttribute &each : all) {
            const auto numbers = llvm::cast<mlir::DenseI64ArrayAttr>(each.getValue());
            matrices[each.getName().str()] = {static_cast<int>(numbers[0]), numbers[1] != 0, numbers[2] != 0};
        }
    return matrices;
}

void set_matrices(mlir::ModuleOp module, const KnownMatrices &matrices) {
    mlir::Builder builder(module.getContext());
    mlir::NamedAttrList all;
    for (const auto &[name, known] : matrices)
        all.set(name,
                builder.getDenseI64ArrayAttr({known.number, known.has_values ? 1 : 0, known.mean_has_values ? 1 : 0}));
    if (!all.empty())
        module->setAttr(attribute, all.getDictionary(module.getContext()));
}

} // namespace planc::ir
