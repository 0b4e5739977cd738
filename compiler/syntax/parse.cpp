#include "syntax/parse.h"

#include "syntax/build.h"

namespace planc::syntax {

std::unique_ptr<File> parse(support::FileId id, const support::SourceFiles &files, support::Diagnostics &diagnostics) {
    const std::optional<Places> places = check_text(id, files, diagnostics);
    if (!places)
        return nullptr;
    std::optional<Tokens> tokens = tokenize(*places, diagnostics);
    if (!tokens)
        return nullptr;
    const ParseTree tree = recognize(*tokens, *places, diagnostics);
    if (!tree.root)
        return nullptr;
    auto file = std::make_unique<File>();
    file->file = id;
    file->comments = std::move(tokens->comments);
    try {
        file->declarations = Builder(*places, diagnostics).declarations(*tree.root);
    } catch (const Abandoned &) {
        return nullptr;
    }
    return file;
}

} // namespace planc::syntax
