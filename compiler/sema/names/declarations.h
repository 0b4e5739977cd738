// The declarations of all files of a program by name. Every kind of declaration has its own names; networks and layers
// share theirs, since both are called. A file sees its own declarations, then those of the files that it imports (I2).
#pragma once

#include "sema/names/imports.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace planc::sema {

template <class Node> using ByName = std::map<std::string, const Node *>;

/// The declarations of one file.
struct UnitNames {
    ByName<syntax::CallableDeclaration> callables;
    ByName<syntax::DataDeclaration> data;
    ByName<syntax::MachineDeclaration> machines;
    ByName<syntax::MeshDeclaration> meshes;
    ByName<syntax::LayoutDeclaration> layouts;
    ByName<syntax::DimensionDeclaration> dimensions;
};

class Declarations {
  public:
    /// Collects the declarations of all units; a second declaration of a name in one file is an error (I3), and only
    /// the first is found.
    Declarations(std::vector<SourceUnit> source_units, const Context &context);

    /// The declaration that file `unit` sees under `name`; null if there is none.
    template <class Node>
    [[nodiscard]] const Node *find(ByName<Node> UnitNames::*table, const std::string &name, int unit) const {
        if (const Node *own = in_unit(table, name, unit))
            return own;
        for (const int import : units[static_cast<std::size_t>(unit)].imports)
            if (const Node *other = in_unit(table, name, import))
                return other;
        return nullptr;
    }
    template <class Node>
    [[nodiscard]] const Node *in_unit(ByName<Node> UnitNames::*table, const std::string &name, int unit) const {
        const ByName<Node> &own = names[static_cast<std::size_t>(unit)].*table;
        const auto entry = own.find(name);
        return entry == own.end() ? nullptr : entry->second;
    }
    /// Whether file `unit` could see a failed declaration of that name: one that did not parse, or one of a file that
    /// could not be read. If so, it is not a separate error that the name is unknown.
    [[nodiscard]] bool may_have_failed(const std::string &name, int unit) const;
    /// All names of a kind that file `unit` sees.
    template <class Node>
    [[nodiscard]] std::vector<std::string> visible(ByName<Node> UnitNames::*table, int unit) const {
        std::vector<std::string> all;
        const auto add = [&](int other) {
            for (const auto &[name, node] : names[static_cast<std::size_t>(other)].*table)
                all.push_back(name);
        };
        add(unit);
        for (const int import : units[static_cast<std::size_t>(unit)].imports)
            add(import);
        return all;
    }
    /// Declarations of one file, in order.
    template <class Node> [[nodiscard]] std::vector<const Node *> in_order(int unit) const {
        std::vector<const Node *> nodes;
        for (const syntax::Declaration &declaration : units[static_cast<std::size_t>(unit)].file->declarations)
            if (const auto *node = std::get_if<Node>(&declaration))
                nodes.push_back(node);
        return nodes;
    }
    [[nodiscard]] int unit_count() const { return static_cast<int>(units.size()); }
    /// The unit that a place is in; the root for no place.
    [[nodiscard]] int unit_of(const SourceRange &where) const;

    std::vector<SourceUnit> units; ///< the first is the root: the file that planc was given
    std::vector<UnitNames> names;  ///< per unit

  private:
    std::map<support::FileId, int> unit_by_file_;
    std::vector<std::set<std::string>> failed_; ///< per unit; an empty name: it may be any
};

} // namespace planc::sema
