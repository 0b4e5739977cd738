#include "sema/names/declarations.h"

#include "sema/primitives/primitives.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(duplicate_declaration, error, "{0} '{1}' is declared twice");                                // I3
PLANC_DIAGNOSTIC(redeclared_primitive, error, "'{0}' is a primitive of the language and cannot be declared"); // I3
PLANC_DIAGNOSTIC(primed_declaration, error, "a declared dimension has no apostrophe: '{0}'");                 // D7

namespace {

class Collector {
  public:
    Collector(UnitNames &names, const Context &context) : names_(names), context_(context) {}

    void operator()(const syntax::Import &) {}
    void operator()(const syntax::TrainDeclaration &) {}
    void operator()(const syntax::DimensionDeclaration &node) {
        if (node.name.text.ends_with('\''))
            context_.fail(primed_declaration, node.name.where, {node.name.text});
        declare(names_.dimensions, node, "dimension");
    }
    void operator()(const syntax::CallableDeclaration &node) {
        if (is_primitive(node.name.text))
            context_.fail(redeclared_primitive, node.name.where, {node.name.text});
        declare(names_.callables, node, node.kind == syntax::CallableDeclaration::Kind::network ? "network" : "layer");
    }
    void operator()(const syntax::DataDeclaration &node) { declare(names_.data, node, "data"); }
    void operator()(const syntax::MachineDeclaration &node) { declare(names_.machines, node, "machine"); }
    void operator()(const syntax::MeshDeclaration &node) { declare(names_.meshes, node, "mesh"); }
    void operator()(const syntax::LayoutDeclaration &node) { declare(names_.layouts, node, "layout"); }

  private:
    template <class Node> void declare(ByName<Node> &table, const Node &node, const char *what) {
        const auto [entry, fresh] = table.emplace(node.name.text, &node);
        if (!fresh)
            context_.fail(duplicate_declaration, node.name.where, {what, node.name.text},
                          {{entry->second->name.where, "first declared here"}});
    }

    UnitNames &names_;
    const Context &context_;
};

} // namespace

/// All names first (I1): what is used may be declared behind.
Declarations::Declarations(std::vector<SourceUnit> source_units, const Context &context)
    : units(std::move(source_units)), names(units.size()) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        unit_by_file_[units[unit].id] = static_cast<int>(unit);
        Collector collector(names[unit], context);
        for (const syntax::Declaration &declaration : units[unit].file->declarations)
            std::visit(collector, declaration);
    }
}

int Declarations::unit_of(const SourceRange &where) const {
    const auto unit = unit_by_file_.find(where.file);
    return unit == unit_by_file_.end() ? 0 : unit->second;
}

} // namespace planc::sema
