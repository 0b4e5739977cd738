#include "sema/names/declarations.h"

#include "sema/primitives/primitives.h"
#include "sema/values/values.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(duplicate_declaration, error, "{0} '{1}' is declared twice");                                // I3
PLANC_DIAGNOSTIC(redeclared_primitive, error, "'{0}' is a primitive of the language and cannot be declared"); // I3
PLANC_DIAGNOSTIC(primed_declaration, error, "a declared dimension has no apostrophe: '{0}'");                 // D7

namespace {

class Collector {
  public:
    Collector(UnitNames &names, std::set<std::string> &failed, const Context &context)
        : names_(names), failed_(failed), context_(context) {}

    void operator()(const syntax::Import &) {}
    void operator()(const syntax::TrainDeclaration &) {}
    void operator()(const syntax::DimensionDeclaration &node) {
        if (node.name.text.ends_with('\''))
            fail(primed_declaration, node.name);
        declare(names_.dimensions, node, "dimension");
    }
    void operator()(const syntax::CallableDeclaration &node) {
        if (is_primitive(node.name.text))
            fail(redeclared_primitive, node.name);
        declare(names_.callables, node, node.kind == syntax::CallableDeclaration::Kind::network ? "network" : "layer");
    }
    void operator()(const syntax::DataDeclaration &node) { declare(names_.data, node, "data"); }
    void operator()(const syntax::MachineDeclaration &node) { declare(names_.machines, node, "machine"); }
    void operator()(const syntax::MeshDeclaration &node) { declare(names_.meshes, node, "mesh"); }
    void operator()(const syntax::LayoutDeclaration &node) { declare(names_.layouts, node, "layout"); }

  private:
    void fail(const support::DiagnosticKind &kind, const syntax::Name &name) {
        context_.report(kind, name.where, {name.text});
        failed_.insert(without_primes(name.text));
    }

    template <class Node> void declare(ByName<Node> &table, const Node &node, const char *what) {
        const auto [entry, fresh] = table.emplace(node.name.text, &node);
        if (!fresh)
            context_.report(duplicate_declaration, node.name.where, {what, node.name.text},
                            {{entry->second->name.where, "first declared here"}});
    }

    UnitNames &names_;
    std::set<std::string> &failed_;
    const Context &context_;
};

} // namespace

/// Collects all names first, because a name may be used before its declaration (I1).
Declarations::Declarations(std::vector<SourceUnit> source_units, const Context &context)
    : units(std::move(source_units)), names(units.size()), failed_(units.size()) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        unit_by_file_[units[unit].id] = static_cast<int>(unit);
        for (const syntax::BrokenDeclaration &broken : units[unit].file->broken)
            failed_[unit].insert(without_primes(broken.name.text));
        Collector collector(names[unit], failed_[unit], context);
        for (const syntax::Declaration &declaration : units[unit].file->declarations)
            std::visit(collector, declaration);
    }
}

bool Declarations::may_have_failed(const std::string &name, int unit) const {
    const auto failed = [&](int other) {
        const std::set<std::string> &of_unit = failed_[static_cast<std::size_t>(other)];
        return of_unit.contains(std::string()) || of_unit.contains(without_primes(name));
    };
    const std::vector<int> &imports = units[static_cast<std::size_t>(unit)].imports;
    return units[static_cast<std::size_t>(unit)].incomplete || failed(unit) ||
           std::any_of(imports.begin(), imports.end(), failed);
}

int Declarations::unit_of(const SourceRange &where) const {
    const auto unit = unit_by_file_.find(where.file);
    return unit == unit_by_file_.end() ? 0 : unit->second;
}

} // namespace planc::sema
