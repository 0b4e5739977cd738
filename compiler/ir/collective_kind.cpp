#include "ir/collective_kind.h"

#include <algorithm>
#include <iterator>

namespace planc::ir {

static_assert(std::size(planrt::collective_kinds) == static_cast<std::size_t>(planrt::CollectiveKind::exchange) + 1);

std::string word_of(planrt::CollectiveKind kind) {
    std::string word = planrt::name_of(kind);
    std::ranges::replace(word, '-', '_');
    return word;
}

std::optional<planrt::CollectiveKind> collective_kind(llvm::StringRef word) {
    for (const planrt::CollectiveKind kind : planrt::collective_kinds)
        if (word == word_of(kind))
            return kind;
    return {};
}

} // namespace planc::ir
