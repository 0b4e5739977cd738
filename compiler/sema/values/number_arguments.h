// Calls whose arguments are numbers, each in its range: optimizers and schedules of the learning rate.
#pragma once

#include "sema/networks/elaborate.h"
#include "sema/values/arguments.h"

#include <optional>

namespace planc::sema {

/// The range of a number.
struct NumberRange {
    double least = 0;
    double most = 0;
    bool above = false; ///< the lower limit is excluded
    bool below = false; ///< the upper limit is excluded
    const char *words = "";
    bool limited = true; ///< `words` state the upper limit; else it only bounds what is plausible
};

inline constexpr NumberRange positive{0, 1e30, true, false, "above zero", false};
inline constexpr NumberRange not_negative{0, 1e30, false, false, "at least zero", false};
inline constexpr NumberRange fraction{0, 1, false, true, "at least zero and below one"};
inline constexpr NumberRange share{0, 1, true, false, "above zero and at most one"};

class NumberArguments {
  public:
    NumberArguments(Analysis &analysis, int unit, const syntax::Call &call, const std::vector<std::string> &parameters)
        : context_(analysis.context), constants_(analysis, unit), arguments_(analysis.context, call, parameters) {}

    [[nodiscard]] const syntax::CallArgument *find(const char *name) const { return arguments_.find(name); }
    [[nodiscard]] const syntax::CallArgument &require(const char *name) const { return arguments_.require(name); }

    /// Stores the argument in `place` if it is given.
    void read(const char *name, const NumberRange &range, double &place);
    void read(const char *name, bool &place);
    [[nodiscard]] double number(const syntax::Expression &expression, SourceRange where, const std::string &what,
                                const NumberRange &range);
    /// A whole number of at least 1.
    [[nodiscard]] std::optional<std::int64_t> count(const char *name);
    /// A list of whole numbers, strictly ascending, the first at least 1.
    [[nodiscard]] std::vector<std::int64_t> ascending(const char *name);

  private:
    const Context &context_;
    Elaborator constants_;
    Arguments arguments_;
};

} // namespace planc::sema
