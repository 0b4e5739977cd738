#include "syntax/parse.h"

#include "syntax/build.h"

namespace planc::syntax {

PLANC_DIAGNOSTIC(foreign_comment, error, "a comment starts with '//', not with '{0}'"); // L2

std::unique_ptr<File> parse_what_is_well_formed(support::FileId id, const support::SourceFiles &files,
                                                support::Diagnostics &diagnostics) {
    auto file = std::make_unique<File>();
    file->file = id;
    file->complete = false;
    file->broken = {BrokenDeclaration{}}; // as long as nothing of it is known
    const std::optional<Places> places = check_text(id, files, diagnostics);
    if (!places)
        return file;
    Tokens tokens = tokenize(*places);
    for (const support::SourceRange where : tokens.foreign_comments)
        diagnostics.report(foreign_comment, where, {std::string(places->text(where))});
    const ParseTree tree = recognize(tokens, *places, diagnostics);
    file->comments = std::move(tokens.comments);
    if (!tree.root)
        return file;
    file->broken.clear();
    const bool built = Builder(tree, *places, diagnostics).build(*file);
    file->complete = built && tree.complete && tokens.foreign_comments.empty();
    return file;
}

std::unique_ptr<File> parse(support::FileId id, const support::SourceFiles &files, support::Diagnostics &diagnostics) {
    std::unique_ptr<File> file = parse_what_is_well_formed(id, files, diagnostics);
    return file->complete ? std::move(file) : nullptr;
}

} // namespace planc::syntax
