// What is formatted stays as it is: format(format(x)) = format(x), the tree and the comments too, for a line of every
// construct with names of many lengths, so that it breaks at every place where it can.
#include "parsed.h"

#include <gtest/gtest.h>

#include <random>

namespace planc::syntax {
namespace {

/// In the lines `@` stands for a name, `#` for an expression; `{ `, `; ` and ` }` are where the line may end instead.
const std::vector<std::string> lines{
    "import \"@.plan\"",
    "dim @ = #",
    "data @ = csv(\"@\") { @ = columns(0..64) / 16; label = #; split = train 80%, test 20% }",
    "data @ = idx { @ = (random_crop(file(\"@\") / 255, padding = 4) - [1, #]) / [3, 4]; split = train 9000, test 1 }",
    "data @ = synthetic(seed = #, samples = 10)",
    "machine @ { nodes = 2; node = processor(peak = 1 Gflop/s, memory = 2 GiB); network = star(latency = 1 us) }",
    "machine @ { levels = [star(8, latency = 1 us), torus(4, 4, links = #)]; allreduce = [ring, @(above = 2 KiB)] }",
    "mesh @ on @ = [@: 2, @, @: #]",
    "mesh @ = auto",
    "layout @ on @ { @ -> [@, @]; @ -> none; @* { @ -> @; @ { recompute } }; memory <= #; forbid pipeline }",
    "layout @ on [@: 4, @: 2] = auto { store params -> [@, @]; microbatches = #; @[3].@ { recompute } }",
    "layout @ on @ { pipeline -> @ { schedule = @; microbatches = 4; cut before @, @[3].@; cut after @ } }",
    "train @ on @ { loss = #; optimizer = sgd(rate = #) { *.@ { weight_decay = 0 }; @.* { rate_factor = # } }; epochs "
    "= 2 }",
    "train @ on @ { optimizer = adamw(rate = warmup(steps = 4, then = cosine(@, steps = 4)), clip_norm = @); layout = "
    "@ }",
    "network @(@: f32[@, @: #], @: i32[@: 3]) -> f32[@] { @ = #; param @: [@, @: #] = #; return # }",
    "network @(@: f32[@]) -> f32[@] { if # == @ { @ = #; return @ } else { return # } }",
    "layer @(@: [.., @], @: dims = #, @: float = 1.5) -> [.., ..@] { state @: [..@] = #; @ = #; return # }",
};
const std::vector<std::string> expressions{
    "@",
    "-@",
    "# + #",
    "@ / #",
    "# - # * (# + #)",
    "(#)",
    "not # == @ and @ < #",
    "#..@",
    "f(#, @: #, @ = #, @ -> [.., @])",
    "@()",
    "[#, .., ..@, @: #]",
    "if # { # } else { # }",
    "if @ == # { @ } else if # { @ } else { # }",
    "fold @ = # for @ in # { yield # }",
    "fold @ = @ for (@, @) in enumerate(#) as @ { @ = #; param @: [@, @: #] = #; yield # }",
};

std::string replaced(std::string text, const std::string &what, const std::string &with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

/// The line with expressions of at most so many levels.
std::string with_expressions(const std::string &line, int levels, std::mt19937 &random) {
    std::string text;
    for (const char c : line)
        if (c == '#')
            text +=
                levels == 0 ? "@" : with_expressions(expressions[random() % expressions.size()], levels - 1, random);
        else
            text += c;
    return text;
}

/// The line with names of the length or a little longer, all different, so that no two lines of a table are of one
/// width.
std::string with_names(const std::string &line, std::size_t length, std::mt19937 &random) {
    std::string text;
    int number = 0;
    for (const char c : line)
        if (c == '@')
            text += std::string(length + random() % 3, 'n') + std::to_string(number++);
        else
            text += c;
    return text;
}

/// Written on one line, and with line ends at the places where a body may have them: all, or only some.
std::vector<std::string> ways_to_write(const std::string &line) {
    std::vector<std::string> ways{line, replaced(replaced(replaced(line, "{ ", "{\n"), "; ", "\n"), " }", "\n}"),
                                  replaced(line, "; ", ";  // a comment\n"), replaced(line, ", ", ",\n")};
    for (std::size_t at = line.find("; "); at != std::string::npos; at = line.find("; ", at + 1))
        ways.push_back(std::string(line).replace(at, 2, "\n"));
    for (std::size_t at = line.find("{ "); at != std::string::npos; at = line.find("{ ", at + 1))
        ways.push_back(std::string(line).replace(at, 2, "{\n"));
    return ways;
}

void expect_stays(const std::string &text) {
    const Parsed before(text);
    ASSERT_EQ(before.error(), "") << text;
    const std::string once = before.formatted();
    const Parsed after(once);
    ASSERT_EQ(after.error(), "") << text << "\nbecame\n" << once;
    EXPECT_EQ(after.formatted(), once) << text;
    EXPECT_EQ(print_ast(*after.file), print_ast(*before.file)) << text;
    EXPECT_EQ(after.file->comments.size(), before.file->comments.size()) << text;
}

TEST(FormatAgain, ChangesNothingOfAnyConstruct) { // L10
    std::mt19937 random(1);
    for (const std::string &line : lines)
        for (std::size_t length = 1; length < 60 && !testing::Test::HasFailure(); length += 2)
            for (const std::string &text : ways_to_write(with_names(with_expressions(line, 1, random), length, random)))
                expect_stays(text);
}

TEST(FormatAgain, ChangesNothingOfWhatIsNested) { // L10
    std::mt19937 random(2);
    for (int i = 0; i < 1000 && !testing::Test::HasFailure(); ++i) {
        const std::string line = with_expressions(lines[random() % lines.size()], 3, random);
        const std::vector<std::string> ways = ways_to_write(with_names(line, random() % 20 + 1, random));
        expect_stays(ways.front());
        expect_stays(ways[random() % ways.size()]);
    }
}

} // namespace
} // namespace planc::syntax
