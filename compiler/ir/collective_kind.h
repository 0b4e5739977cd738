// The words of plan.collective and plan.start for the kinds of collectives: those of planrt::CollectiveKind.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <planrt/layout.h>

#include <optional>
#include <string>

namespace planc::ir {

[[nodiscard]] std::string word_of(planrt::CollectiveKind kind); ///< "all_reduce"
/// Nothing for any other word.
[[nodiscard]] std::optional<planrt::CollectiveKind> collective_kind(llvm::StringRef word);

} // namespace planc::ir
