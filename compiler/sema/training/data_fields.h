// The right side of a field of a data set: what is read, how it is scaled, how its images are augmented (T2, T6, T7).
//
//   image = (random_flip(pixels) / 255 - [0.49, 0.48, 0.45]) / 0.25
#pragma once

#include "sema/networks/elaborate.h"

#include <optional>
#include <string>

namespace planc::sema {

/// Whether the data set draws fields: synthetic data, and graphs without a table. Those that it does not set are drawn
/// too.
[[nodiscard]] inline bool draws_fields(const Data &data) {
    return data.format == "synthetic" || (data.format == "graph" && data.path.empty());
}

class FieldReader {
  public:
    /// `format`: of the data set, `draws`: whether it can draw fields; `constants`: of the file that declares it.
    FieldReader(const Context &context, Elaborator &constants, std::string format, bool draws)
        : context_(context), constants_(constants), format_(std::move(format)), draws_(draws) {}

    /// The result has no name and no place yet.
    [[nodiscard]] Field read(const syntax::Expression &expression);
    /// `column(i)`, `columns(first..last, table = "name")`, `file("name")`, `characters(first)`: the source that the
    /// format has.
    [[nodiscard]] Field source(const syntax::Call &call, SourceRange where);

  private:
    /// raw * scale + shift, for every number of the list or for all; without a field, the constants `shift`.
    struct Scaled {
        std::optional<Field> field;
        std::vector<Affine> parts = {{}};
        bool listed = false;
        [[nodiscard]] const Affine &part(std::size_t i) const { return parts[parts.size() == 1 ? 0 : i]; }
    };
    using Operator = syntax::BinaryOperator;

    [[nodiscard]] Scaled evaluate(const syntax::Expression &expression);
    [[nodiscard]] Scaled evaluate(const syntax::Binary &binary, SourceRange where);
    [[nodiscard]] Affine combine(Operator operation, const Scaled &a, const Scaled &b, std::size_t i,
                                 SourceRange where) const;
    [[nodiscard]] Scaled constant(const syntax::Expression &expression);
    [[nodiscard]] Scaled augmented(const syntax::Call &call);
    [[nodiscard]] std::optional<Field> part_of_record(const syntax::Expression &expression) const;
    [[nodiscard]] std::optional<Field> drawn(const syntax::Expression &expression) const;
    void read_columns(const syntax::Expression &range, const std::string &what, Field &field);
    [[noreturn]] void fail_column_syntax(SourceRange where) const;

    [[nodiscard]] bool is_table() const { return format_ == "csv" || format_ == "graph"; }

    const Context &context_;
    Elaborator &constants_;
    std::string format_;
    bool draws_;
};

} // namespace planc::sema
