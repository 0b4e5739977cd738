#include "interpret/copies.h"

#include "ir/plan_dialect.h"

namespace planc::interpret {

namespace {

/// Visits the names of each copy and of its variable, where that has a value.
template <class Visit>
void for_each_copy(mlir::ModuleOp module, const std::map<std::string, Array> &variables, Visit visit) {
    for (auto variable : module.getOps<ir::VariableOp>())
        if (const auto original = variable->getAttrOfType<mlir::StringAttr>("copy_of"))
            if (const auto known = variables.find(original.str()); known != variables.end())
                visit(variable.getSymName().str(), *known);
}

} // namespace

void fill_copies(mlir::ModuleOp module, std::map<std::string, Array> &variables) {
    for_each_copy(module, variables,
                  [&](const std::string &copy, const auto &original) { variables.emplace(copy, original.second); });
}

void check_copies(mlir::ModuleOp module, const std::map<std::string, Array> &variables) {
    for_each_copy(module, variables, [&](const std::string &copy, const auto &original) {
        if (const auto own = variables.find(copy);
            own == variables.end() || own->second.elements != original.second.elements)
            throw Failure("'" + copy + "' is not equal to '" + original.first + "'");
    });
}

} // namespace planc::interpret
