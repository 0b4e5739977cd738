// Cuts of pipelines (P8): where a path begins a stage, and the path for each place.
#include "analyzed.h"

#include "sema/layouts/cuts.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

const std::vector<std::string> layers{"words", "block[0].fc1", "block[0]", "block[1].fc1", "block[1]", "out"};

TEST(Cuts, BeginBeforeTheFirstAndBehindTheLast) {
    EXPECT_EQ(place_of({false, "block[1]", {}}, layers), 3U);
    EXPECT_EQ(place_of({true, "block[1]", {}}, layers), 5U);
    EXPECT_EQ(place_of({true, "block[0].fc1", {}}, layers), 2U);
    EXPECT_EQ(place_of({false, "block[*].fc1", {}}, layers), 1U);
    EXPECT_EQ(place_of({true, "block[*].fc1", {}}, layers), 4U);
    EXPECT_EQ(place_of({true, "out", {}}, layers), layers.size());
    EXPECT_EQ(place_of({true, "other", {}}, layers), std::nullopt);
}

TEST(Cuts, AreWrittenWithBeforeWherePossible) {
    EXPECT_EQ(text(cut_at(1, layers)), "cut before block[0].fc1");
    EXPECT_EQ(text(cut_at(2, layers)), "cut after block[0].fc1");
    EXPECT_EQ(text(cut_at(5, layers)), "cut before out");
}

/// Layers that compute before, between and behind their inner layers, on several levels.
const std::string nested = R"(import "std/dense.plan"
import "std/transformer.plan"
dim batch = 2
dim position = 4
dim model = 8
dim head = 2
dim feature = 4
dim hidden = 6
layer around(x: [.., model]) -> [.., model] {
    start  = 2 * x
    first  = dense(tanh(dense(relu(start), model)) + start, model)
    return relu(first) + x
}
network n(x: f32[batch, position, model]) -> f32[batch, position, model] {
    stem  = dense(relu(x), model)
    twice = around(tanh(around(relu(stem))))
    body  = fold h = twice for i in 0..2 as block {
        low = around(2 * h) + h
        yield transformer_block(tanh(low), head, feature, hidden) + low
    }
    return around_result(body)
}
layer around_result(x: [.., model]) -> [.., model] {
    scaled = 2 * x
    return scaled + x
}
)";

TEST(Cuts, NameEveryPlace) {
    const Analyzed analyzed = analyze_text(nested);
    ASSERT_TRUE(analyzed.program) << analyzed.kind;
    const std::vector<std::string> &all = analyzed.program->networks.at(0).layers;
    int after = 0;
    for (std::size_t place = 1; place < all.size(); ++place) {
        const Cut cut = cut_at(place, all);
        EXPECT_EQ(place_of(cut, all), place) << text(cut);
        after += cut.after ? 1 : 0;
    }
    EXPECT_GT(after, 2);
}

} // namespace
} // namespace planc::sema
