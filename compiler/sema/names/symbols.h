// The names of a program, where each is declared and where it is used: what an editor needs for "go to definition",
// hovering and completion. They are collected from the syntax trees, so that there are some also where there are
// errors.
//
//   const sema::Outcome outcome = sema::analyze("digits.plan", files, diagnostics, options);
//   if (const sema::Symbol *symbol = sema::symbol_at(outcome.symbols, {file, offset, offset}))
//       go_to(symbol->declared);
#pragma once

#include "support/source.h"

#include <cstdint>
#include <string>
#include <vector>

namespace planc::sema {

struct Symbol {
    enum class Kind : std::uint8_t {
        dimension, ///< declared by `dim`, or a name in the signature of a layer
        network,
        layer,
        argument,  ///< of a network or layer
        binding,   ///< in a body; also the names of a fold
        parameter, ///< `param` and `state`
        data,
        field, ///< of a data set
        machine,
        mesh,
        axis, ///< of a mesh
        layout
    } kind = Kind::binding;
    std::string name;
    std::string detail; ///< one line: "dim hidden = 256", "h1: f32[batch: 64, hidden: 256]"
    support::SourceRange declared;
    support::SourceRange scope;             ///< in which it is visible; no place: wherever the file is imported
    std::vector<support::SourceRange> uses; ///< without the declaration
};

/// The symbol whose declaration or use is at the place; null: none.
[[nodiscard]] const Symbol *symbol_at(const std::vector<Symbol> &symbols, support::SourceRange where);
/// The symbols that can be named at the place: those declared before it in the bodies around it, and those without a
/// scope.
[[nodiscard]] std::vector<const Symbol *> visible_at(const std::vector<Symbol> &symbols, support::SourceRange where);

struct Analysis;
[[nodiscard]] std::vector<Symbol> collect_symbols(const Analysis &analysis);

} // namespace planc::sema
