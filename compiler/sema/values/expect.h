// Converts values to the kinds that constructs want, each with its error. `what` names the wanted thing in the message:
// "'kernel' of 'conv'", "the size of axis 'rows'". Where a number is wanted, a dimension is its extent.
#pragma once

#include "sema/context.h"
#include "sema/values/values.h"

namespace planc::sema {

[[noreturn]] void fail_wrong_type(const Context &context, SourceRange where, const std::string &what,
                                  const std::string &wanted, const Value &got, const std::vector<Note> &notes = {});

[[nodiscard]] std::int64_t expect_integer(const Context &context, const Value &value, SourceRange where,
                                          const std::string &what);
/// A whole number or a list of them.
[[nodiscard]] Value expect_integers(const Context &context, const Value &value, SourceRange where,
                                    const std::string &what);
/// A whole number in [least, most].
[[nodiscard]] std::int64_t expect_integer_in(const Context &context, const Value &value, SourceRange where,
                                             const std::string &what, std::int64_t least, std::int64_t most);
/// A plain number, whole or not; always finite.
[[nodiscard]] double expect_number(const Context &context, const Value &value, SourceRange where,
                                   const std::string &what);
/// A number of at least 0 and below 1.
[[nodiscard]] double expect_fraction(const Context &context, const Value &value, SourceRange where,
                                     const std::string &what);
[[nodiscard]] bool expect_boolean(const Context &context, const Value &value, SourceRange where,
                                  const std::string &what);
[[nodiscard]] Initializer expect_initializer(const Context &context, const Value &value, SourceRange where,
                                             const std::string &what);
[[nodiscard]] std::string expect_string(const Context &context, const Value &value, SourceRange where,
                                        const std::string &what);
/// A number with a unit of the measure, in base units, not negative.
[[nodiscard]] double expect_quantity(const Context &context, const Value &value, SourceRange where,
                                     const std::string &what, Measure measure);
/// The hint for a dimension without an extent.
[[nodiscard]] std::string extent_hint(const std::string &role);
/// The key for Context::is_first(), because a dimension that is not declared is reported at its first use only.
[[nodiscard]] std::string missing_extent(const std::string &role);
/// A dimension with an extent.
[[nodiscard]] DimensionValue expect_dimension(const Context &context, const Value &value, SourceRange where,
                                              const std::string &what);
/// The extent if the value is a dimension, because a dimension counts as its extent in arithmetic; else the value.
[[nodiscard]] Value extent_for_dimension(const Context &context, const Value &value, SourceRange where);
/// The same for each value of a list, and of the lists in it.
[[nodiscard]] Value extents_for_dimensions(const Context &context, const Value &value, SourceRange where);
/// One dimension or a list of them; extents may be open.
[[nodiscard]] std::vector<DimensionValue> expect_dimensions(const Context &context, const Value &value,
                                                            SourceRange where, const std::string &what);
[[nodiscard]] const std::vector<Value> &expect_list(const Context &context, const Value &value, SourceRange where,
                                                    const std::string &what);

/// An extent: at least 1.
void check_extent(const Context &context, std::int64_t extent, SourceRange where, const std::string &role);

} // namespace planc::sema
