#include "sema/analysis.h"
#include "sema/names/walk.h"
#include "sema/networks/elaborate.h"
#include "sema/networks/sparse_types.h"
#include "sema/values/expect.h"
#include "support/scoped.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(dimension_cycle, error, "the extent of dimension '{0}' depends on itself"); // D1

Dimensions::Dimensions(Analysis &analysis) : analysis_(analysis) {
    collect_roles();
}

void Dimensions::collect_roles() {
    for (const UnitNames &names : analysis_.declarations.names) {
        for (const auto &[role, node] : names.dimensions)
            roles_.insert(role);
        for (const auto &[name, callable] : names.callables)
            collect_roles(*callable);
    }
}

void Dimensions::collect_roles(const syntax::CallableDeclaration &callable) {
    const auto add = [&](const syntax::Type &type) {
        for (const syntax::DimensionItem &item : is_sparse(type) ? sides_of(type) : std::span(type.dimensions))
            if (item.kind == syntax::DimensionItem::Kind::dimension)
                roles_.insert(without_primes(item.name.text));
    };
    const bool network = callable.kind == syntax::CallableDeclaration::Kind::network;
    std::set<std::string> own; // of a layer: the names in its signature
    for (const syntax::Parameter &parameter : callable.parameters) {
        if (network)
            add(parameter.type);
        own.insert(parameter.name.text);
        for (const syntax::DimensionItem &item : parameter.type.dimensions)
            own.insert(item.name.text);
    }
    if (network)
        std::for_each(callable.results.begin(), callable.results.end(), add);
    for_each_expression(
        callable.body,
        [&](const syntax::Expression &expression) {
            if (const auto *call = std::get_if<syntax::Call>(&expression.node))
                collect_roles(*call);
            if (const auto *list = std::get_if<syntax::List>(&expression.node))
                for (const syntax::ListItem &item : list->items)
                    if (item.kind == syntax::ListItem::Kind::extent)
                        roles_.insert(item.name->text);
        },
        [&](const syntax::ParameterDeclaration &declaration) {
            for (const syntax::DimensionItem &item : declaration.type.dimensions)
                if (network ? item.kind == syntax::DimensionItem::Kind::dimension
                            : item.extent && !own.contains(item.name.text))
                    roles_.insert(item.name.text);
        });
}

/// Collects the roles of extents on the spot, and the new names of `rename`.
void Dimensions::collect_roles(const syntax::Call &call) {
    for (const syntax::CallArgument &argument : call.arguments) {
        if (argument.kind == syntax::CallArgument::Kind::extent)
            roles_.insert(argument.name->text);
        if (call.callee.text == "rename" && argument.target)
            if (const auto *target = std::get_if<syntax::Reference>(&argument.target->node))
                roles_.insert(without_primes(target->name));
    }
}

const syntax::DimensionDeclaration *Dimensions::imported(const std::string &role, int unit, std::set<int> &seen) const {
    if (!seen.insert(unit).second)
        return nullptr;
    if (const auto *own = analysis_.declarations.in_unit(&UnitNames::dimensions, role, unit))
        return own;
    for (const int import : analysis_.declarations.units[static_cast<std::size_t>(unit)].imports)
        if (const auto *found = imported(role, import, seen))
            return found;
    return nullptr;
}

/// The declaration in the file, else in those that import it, to which a library leaves it open (D8), else in its own
/// imports.
const syntax::DimensionDeclaration *Dimensions::declaration(const std::string &role, int unit) const {
    for (int at = unit; at >= 0; at = analysis_.declarations.units[static_cast<std::size_t>(at)].importer)
        if (const auto *found = analysis_.declarations.in_unit(&UnitNames::dimensions, role, at))
            return found;
    std::set<int> seen;
    return imported(role, unit, seen);
}

std::int64_t Dimensions::extent(const syntax::DimensionDeclaration &declaration) {
    Entry &entry = entries_[&declaration]; // references into a map stay valid
    if (entry.busy)
        analysis_.context.fail(dimension_cycle, declaration.name.where, {declaration.name.text});
    if (entry.extent == DimensionValue::open && !entry.failed) {
        const support::ScopedValue busy(entry.busy, true);
        entry.failed = !analysis_.context.attempt([&] {
            Elaborator constants(analysis_, analysis_.declarations.unit_of(declaration.where));
            entry.extent = constants.extent(*declaration.extent, declaration.name.text);
        });
    }
    if (entry.failed)
        analysis_.context.give_up();
    return entry.extent;
}

std::optional<DimensionValue> Dimensions::find(const std::string &role, int unit) {
    const std::string bare = without_primes(role);
    const syntax::DimensionDeclaration *found = declaration(bare, unit);
    const auto &overrides = analysis_.context.options.dimension_overrides;
    const auto other = overrides.find(bare);
    if (other != overrides.end() && (!found || analysis_.declarations.unit_of(found->where) == 0)) {
        check_extent(analysis_.context, other->second, found ? found->where : SourceRange{}, bare);
        return DimensionValue{role, other->second, DimensionValue::by_role, found ? found->where : SourceRange{}};
    }
    if (!found)
        return std::nullopt;
    return DimensionValue{role, extent(*found), DimensionValue::by_role, found->where};
}

void Dimensions::check_all() {
    for (int unit = 0; unit < analysis_.declarations.unit_count(); ++unit)
        for (const auto *node : analysis_.declarations.in_order<syntax::DimensionDeclaration>(unit))
            analysis_.context.attempt([&] { extent(*node); });
    for (const auto &[role, node] : analysis_.declarations.names.front().dimensions)
        analysis_.context.attempt([&] { analysis_.program.dimensions[role] = find(role, 0)->extent; });
    for (const auto &[role, extent] : analysis_.context.options.dimension_overrides)
        if (known(role) && declaration(role, 0) == nullptr) // left open, as in a network of the library
            analysis_.program.dimensions[role] = extent;
}

} // namespace planc::sema
