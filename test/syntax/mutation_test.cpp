// Formatting and parsing of inputs that nobody wrote: comments and line ends put anywhere, tokens cut out.
#include "parsed.h"

#include <gtest/gtest.h>

#include <random>

namespace planc::syntax {
namespace {

/// Where a line end or a comment may stand: between two tokens. Blanks will do, outside of strings and comments.
std::vector<std::size_t> gaps(const std::string &text) {
    std::vector<std::size_t> found;
    bool string = false;
    bool comment = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        comment = text[i] != '\n' && (comment || (!string && text.compare(i, 2, "//") == 0));
        string = string != (text[i] == '"' && !comment);
        if ((text[i] == ' ' || text[i] == '\n') && !string && !comment)
            found.push_back(i);
    }
    return found;
}

TEST(Mutations, formatting_keeps_comments_that_stand_anywhere) {
    std::mt19937 random(7);
    int parsed_count = 0;
    for (const char *name : {"program", "layers", "machines", "layouts", "comments", "rare"}) {
        const std::string text = read(std::string(PLANC_SOURCE "/test/syntax/Inputs/") + name + ".plan");
        const auto places = gaps(text);
        for (int round = 0; round < 150; ++round) {
            std::string mutated = text;
            const std::size_t at = places[random() % places.size()];
            mutated.insert(at, random() % 2 ? " // new\n" : "\n// new\n\n\n");
            const Parsed before(mutated);
            if (!before.file) // the line end was one that separates
                continue;
            ++parsed_count;
            const std::string once = before.formatted();
            const Parsed after(once);
            ASSERT_EQ(after.error(), "") << mutated << "\n=>\n" << once;
            ASSERT_EQ(after.formatted(), once) << mutated;
            ASSERT_EQ(print_ast(*after.file), print_ast(*before.file)) << mutated;
            ASSERT_EQ(after.file->comments.size(), before.file->comments.size()) << mutated << "\n=>\n" << once;
        }
    }
    EXPECT_GT(parsed_count, 300);
}

TEST(Mutations, every_prefix_gives_a_tree_or_one_error) {
    const std::string text = read(PLANC_SOURCE "/test/syntax/Inputs/rare.plan");
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const Parsed parsed(text.substr(0, length));
        ASSERT_EQ(parsed.diagnostics.all().size(), parsed.file ? 0U : 1U) << text.substr(0, length) << parsed.error();
    }
}

TEST(Mutations, every_single_byte_left_out_gives_a_tree_or_an_error_and_seldom_two) {
    const std::string text = read(PLANC_SOURCE "/test/syntax/Inputs/layouts.plan");
    std::size_t several = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string mutated = text;
        mutated.erase(i, 1);
        const Parsed parsed(mutated);
        ASSERT_EQ(parsed.diagnostics.all().empty(), parsed.file != nullptr) << mutated;
        several += parsed.diagnostics.all().size() > 1 ? 1 : 0;
    }
    EXPECT_LE(several * 50, text.size());
}

} // namespace
} // namespace planc::syntax
