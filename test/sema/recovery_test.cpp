// Several mistakes in one program: each is one error, at its place, and nothing that follows from one is another.
#include "sema/analyze.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <regex>
#include <sstream>

namespace planc::sema {
namespace {

struct Errors {
    std::vector<std::string> places; ///< "line kind", sorted by place
    std::string report;
};

Errors errors_of(const std::string &text) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    const support::FileId root = files.add(PLANC_SOURCE_DIR "/examples/test.plan", text);
    const Outcome outcome = analyze(root, files, diagnostics, {.stdlib_directory = PLANC_SOURCE_DIR "/stdlib"});
    EXPECT_EQ(outcome.program.has_value(), diagnostics.errors() == 0);
    Errors errors;
    for (const support::Diagnostic *diagnostic : diagnostics.sorted())
        if (diagnostic->kind->severity == support::Severity::error)
            errors.places.push_back(std::to_string(files.locate(diagnostic->where.file, diagnostic->where.begin).line) +
                                    " " + diagnostic->kind->name);
    errors.report = diagnostics.render();
    return errors;
}

using Places = std::vector<std::string>;

TEST(Recovery, FindsMistakesInEveryKindOfDeclaration) {
    const Errors errors = errors_of(R"(import "std/dense.plan"
dim batch = 8
dim pixel = 0
dim digit = pixel * 2
layer two(x: [.., in], out: dmi) -> [.., out] {
    return dense(x, out)
}
network n(image: f32[batch, pixel], other: f32[batch, hiden]) -> f32[batch, digit] {
    a = relu(nothing)
    b = two(a, digit)
    c = dense(b, digit, bias = 3)
    return dense(c, digit)
}
network m(x: f32[batch, width: 4]) -> f32[batch, width: 4] {
    a = relu(x, x)
    b = dense(x, width: 4, bias = 3)
    return a + b
}
machine own {
    nodes = none
    node = processor(peak = 1 GB, memory_bandwidth = 1 GB/s)
    network = star(latency = 1 us)
    nods = 3
}
mesh grid on wherever = [rows: 0, cols]
layout l on grid {
    batch -> [rows, cols]
    q -> rows
    memory <= 3 us
    microbatches = 0
}
data d = csv("x.csv") {
    image = columns(4..2)
    label = column(4, 5)
    split = train 80%, test 40%
}
train n on d {
    loss = cross_entropy(n(image), label)
    optimizer = sgd(rat = 0.1)
    epochs = 2
    steps = 3
    seed = -1
}
)");
    EXPECT_EQ(errors.places, (Places{"3 bad_extent",
                                     "5 unknown_parameter_type",
                                     "8 unknown_dimension",
                                     "9 unknown_name",
                                     "15 too_many_arguments",
                                     "16 wrong_type",
                                     "20 unknown_name",
                                     "21 wrong_unit",
                                     "22 missing_argument",
                                     "23 unknown_setting",
                                     "25 unknown_machine",
                                     "25 out_of_range",
                                     "28 unknown_rule_dimension",
                                     "29 wrong_unit",
                                     "30 out_of_range",
                                     "33 empty_columns",
                                     "34 too_many_arguments",
                                     "35 split_above_one",
                                     "39 unknown_argument",
                                     "41 two_durations",
                                     "42 out_of_range"}))
        << errors.report;
}

TEST(Recovery, NothingFollowsFromADeclarationThatFailed) {
    for (const char *mistake : {"import \"std/dens.plan\"", "import std",
                                "layer dense(x: [.., in] -> [.., out] {\n"
                                "    return x\n}",
                                "layer dense(x: [.., in], out: dim) -> [.., out] {\n    y = x\n}",
                                "layer dense(x: [.., in], out: dim) -> [.., out] {\n    return x +\n}"}) {
        const Errors errors = errors_of(std::string(mistake) + R"(
dim batch = 8
dim pixel = 4
network n(x: f32[batch, pixel]) -> f32[batch, pixel] {
    y = relu(dense(x, pixel))
    return y
}
layout l on [rows] { y { pixel -> rows } }
)");
        EXPECT_EQ(errors.places.size(), 1U) << mistake << '\n' << errors.report;
    }
}

TEST(Recovery, AMistakeInALayerIsOneErrorHoweverOftenItIsCalled) {
    const Errors errors = errors_of(R"(
dim batch = 8
layer wrong(x: [.., in]) -> [.., in] {
    a = relu(x, x)
    return a
}
layer right(x: [.., in]) -> [.., in] {
    b = wrong(x)
    return b
}
network n(x: f32[batch, pixel: 4]) -> f32[batch, pixel: 4] {
    one = right(x)
    two = wrong(x)
    return one + two + wrong(x)
}
)");
    EXPECT_EQ(errors.places, (Places{"4 too_many_arguments"})) << errors.report;
}

TEST(Recovery, ALossDoesNotFailAgainWithItsNetwork) {
    const Errors errors = errors_of(R"(
network n(x: f32[batch: 4611686018427387904, pixel: 4]) -> f32[batch: 4611686018427387904, pixel: 4] {
    return x
}
data d = synthetic(seed = 1)
train n on d {
    loss = mean_square_error(n(x), t)
    optimizer = sgd(rate = 0.1)
    steps = 0
}
)");
    EXPECT_EQ(errors.places, (Places{"2 tensor_too_large", "9 out_of_range"})) << errors.report;
}

TEST(Recovery, ADimensionThatNobodyDeclaresIsOneError) {
    const Errors errors = errors_of(R"(
network n(x: f32[batch, pixel: 4]) -> f32[batch, pixel: 4] {
    one = relu(x)
    return one
}
network m(x: f32[batch, pixel: 4]) -> f32[batch, pixel: 4] {
    return x
}
)");
    EXPECT_EQ(errors.places, (Places{"2 unknown_dimension"})) << errors.report;
}

TEST(Recovery, EndsAtALimit) {
    const Errors errors = errors_of(R"(
layer f(x: [.., in]) -> [.., in] {
    a = f(x)
    b = f(x)
    return a + b
}
network n(x: f32[batch: 2]) -> f32[batch: 2] {
    return f(x)
}
)");
    EXPECT_EQ(errors.places, (Places{"3 endless_recursion"})) << errors.report;
}

TEST(Recovery, ShowsTwentyErrors) {
    std::string text;
    for (int i = 0; i < 30; ++i)
        text += "dim d" + std::to_string(i) + " = 0\n";
    const Errors errors = errors_of(text);
    EXPECT_EQ(errors.places.size(), 30U);
    EXPECT_NE(errors.report.find("planc: note: and 10 more errors\n"), std::string::npos) << errors.report;
    EXPECT_EQ(errors.report.find("'d20'"), std::string::npos);
}

// --- mistakes planted in correct programs --------------------------------------------------------------------------

std::vector<std::string> lines_of(const std::string &name) {
    std::ifstream file(PLANC_SOURCE_DIR "/examples/" + name + ".plan");
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        lines.push_back(line);
    return lines;
}

struct Planting {
    std::regex where;
    std::string instead; ///< `#` becomes a number of its own
};

const std::vector<Planting> &plantings() {
    static const std::vector<Planting> all = {
        {std::regex("^dim (\\w+) *= .*"), "dim $1 = 0"},
        {std::regex("^dim (\\w+) *= "), "dim $1 = nowhere# * "},
        {std::regex("^dim (\\w+) *= "), "dim $1 = / "},
        {std::regex("^    (\\w+) *= (\\w+)\\("), "    $1 = nowhere# + $2("},
        {std::regex("^    (\\w+) *= (\\w+)\\("), "    $1 = = $2("},
        {std::regex("^    (\\w+) *= (\\w+)\\("), "    $1 = @ + $2("},
        {std::regex("^    (\\w+) *= (relu|dense|max_pool|conv)\\("),
         "    $1 = $2(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, "},
        {std::regex("^layout (\\w+) on (\\w+)"), "layout $1 on nowhere#"},
        {std::regex("^layout (\\w+) on (\\w+) \\{ (\\w+) -> \\[rows"), "layout $1 on $2 { $3 -> [nowhere#"},
        {std::regex("^mesh (\\w+) = \\[(\\w+)"), "mesh $1 = [$2: 0"},
        {std::regex("^    (epochs|steps) *= \\d+"), "    $1 = 0"},
        {std::regex("^    split *= "), "    split = tset 5%, "},
    };
    return all;
}

class Planted : public testing::TestWithParam<const char *> {};

TEST_P(Planted, EachMistakeIsOneError) {
    const std::vector<std::string> lines = lines_of(GetParam());
    std::mt19937 random(11);
    int planted = 0;
    for (int round = 0; round < 60; ++round) {
        std::vector<std::string> mutated = lines;
        std::set<int> changed;
        for (int tries = 0; tries < 400 && static_cast<int>(changed.size()) < 1 + round % 5; ++tries) {
            const std::size_t line = random() % lines.size();
            const Planting &planting = plantings()[random() % plantings().size()];
            if (changed.contains(static_cast<int>(line) + 1) || !std::regex_search(lines[line], planting.where))
                continue;
            const std::string with = std::regex_replace(planting.instead, std::regex("#"), std::to_string(tries));
            mutated[line] =
                std::regex_replace(lines[line], planting.where, with, std::regex_constants::format_first_only);
            changed.insert(static_cast<int>(line) + 1);
        }
        std::string text;
        for (const std::string &line : mutated)
            text += line + '\n';
        const Errors errors = errors_of(text);
        std::vector<int> found;
        for (const std::string &place : errors.places)
            found.push_back(std::stoi(place));
        ASSERT_EQ(found, std::vector<int>(changed.begin(), changed.end())) << text << '\n' << errors.report;
        planted += static_cast<int>(changed.size());
    }
    EXPECT_GT(planted, 120);
}

INSTANTIATE_TEST_SUITE_P(Examples, Planted,
                         testing::Values("digits", "mnist_mlp", "gpt", "lenet_mnist", "resnet_cifar"));

} // namespace
} // namespace planc::sema
