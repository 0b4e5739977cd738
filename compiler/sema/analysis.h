// The state of one analysis: the declarations, what is known about them, and the program under construction.
#pragma once

#include "sema/names/declarations.h"
#include "sema/names/ownership.h"
#include "sema/values/values.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace planc::sema {

struct Analysis;

/// The default extents of roles. A file sees its own `dim` declarations, then those of the file that imports it (which
/// thereby binds the dimensions that a library network leaves open), then those of the files that it imports.
class Dimensions {
  public:
    explicit Dimensions(Analysis &analysis);

    /// The role with its default extent as file `unit` sees it; none if no file declares it. Primes are ignored.
    [[nodiscard]] std::optional<DimensionValue> find(const std::string &role, int unit);
    /// Whether the name is a role anywhere in the program: declared, in some tensor's type, or given an extent on the
    /// spot.
    [[nodiscard]] bool known(const std::string &role) const { return roles_.contains(role); }
    [[nodiscard]] std::vector<std::string> roles() const { return {roles_.begin(), roles_.end()}; }
    /// Evaluates every declaration of every file. A declaration that depends on a failed one gives up.
    void check_all();

    /// The declaration that file `unit` sees; null: none.
    [[nodiscard]] const syntax::DimensionDeclaration *declaration(const std::string &role, int unit) const;

  private:
    struct Entry {
        bool busy = false;
        bool failed = false;
        std::int64_t extent = DimensionValue::open;
    };
    const syntax::DimensionDeclaration *imported(const std::string &role, int unit, std::set<int> &seen) const;
    std::int64_t extent(const syntax::DimensionDeclaration &declaration);
    void collect_roles();
    void collect_roles(const syntax::CallableDeclaration &callable);
    void collect_roles(const syntax::Call &call);

    Analysis &analysis_;
    std::map<const syntax::DimensionDeclaration *, Entry> entries_;
    std::set<std::string> roles_;
};

struct Analysis {
    Analysis(Context &shared, std::vector<SourceUnit> units)
        : context(shared), declarations(std::move(units), shared), ownership(declarations), dimensions(*this) {}
    Analysis(const Analysis &) = delete;
    Analysis &operator=(const Analysis &) = delete;

    Context &context;
    Declarations declarations;
    Ownership ownership;
    Dimensions dimensions;
    Program program;
    int depth = 0;         ///< of nested evaluations, all elaborators together
    std::int64_t work = 0; ///< evaluations so far

    /// Fails because file `unit` does not know the name in this table; gives up if a declaration of it has failed.
    template <class Node>
    [[noreturn]] void fail_unknown(const support::DiagnosticKind &kind, const syntax::Name &name,
                                   ByName<Node> UnitNames::*table, int unit) const {
        if (declarations.may_have_failed(name.text, unit))
            context.give_up();
        context.fail(kind, name.where, {name.text}, Context::suggestion(name.text, declarations.visible(table, unit)));
    }

    std::map<std::pair<support::FileId, std::int32_t>, std::string> types; ///< of bindings of networks, by place

    // Failed parts of the program. Nothing that depends on them is checked.
    std::set<const syntax::CallableDeclaration *> failed_callables; ///< that are not to be called
    std::vector<std::string> failed_layers;                         ///< paths; their operations are not all there
    std::map<std::string, std::set<std::string>> failed_fields;     ///< by data set; an empty name: no field is known
    bool networks_complete = true; ///< program.networks and the losses of program.trains are all there
};

} // namespace planc::sema
