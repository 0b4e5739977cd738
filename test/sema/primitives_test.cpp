// Primitives: shapes, element types, loops (O).
#include "analyzed.h"

#include <gtest/gtest.h>

#include <set>

namespace planc::sema {
namespace {

using Lines = std::vector<std::string>;

const std::string head = "dim batch = 8\ndim pixel = 4\ndim hidden = 6\ndim word = 10\ndim position = 5\n";

/// `x` is f32[batch, pixel], `t` f32[batch, position, hidden], `i` i32[batch, position].
Network body(const std::string &result, const std::string &statements) {
    return network_of(head +
                      "network n(x: f32[batch, pixel], t: f32[batch, position, hidden], i: i32[batch, position]) -> " +
                      result + " {\n" + statements + "\n}");
}

const Operation &last(const Network &network) {
    return network.operations[static_cast<std::size_t>(network.results.front())];
}

TEST(Primitives, ComparisonsGiveWholeNumbers) { // O7
    const Network network = body("i32[batch, pixel]", "y = x > 0.5\nreturn y");
    EXPECT_EQ(summary(network), (Lines{"constant [] (y)", "greater [batch: 8, pixel: 4] (y)"}));
    EXPECT_EQ(last(network).type.element, ElementType::i32);
    EXPECT_EQ(network.operations[static_cast<std::size_t>(last(network).operands[1])].type.element, ElementType::f32);
}

TEST(Primitives, ANumberBesideIndicesIsWhole) { // O7
    const Network network = body("i32[batch, position]", "y = 3 != i\nreturn y");
    EXPECT_EQ(network.operations[static_cast<std::size_t>(last(network).operands[0])].type.element, ElementType::i32);
    EXPECT_EQ(last(network).text, "not_equal");
}

TEST(Primitives, SelectTakesNumbersAndBroadcasts) { // O8
    const Network network =
        body("f32[batch, position, hidden]", "y = select(i == 0, 0, t)\nz = select(i < 2, 1, 2)\nreturn y * z");
    EXPECT_EQ(summary(network),
              (Lines{"constant [] (y)", "equal [batch: 8, position: 5] (y)", "constant [] (y)",
                     "select [batch: 8, position: 5, hidden: 6] (y)", "constant [] (z)",
                     "less [batch: 8, position: 5] (z)", "constant [] (z)", "constant [] (z)",
                     "select [batch: 8, position: 5] (z)", "mul [batch: 8, position: 5, hidden: 6] (output)"}));
}

TEST(Primitives, EmbeddingTakesRowsOfATable) { // O9
    const std::string table = "param table: [word, hidden] = ones\nparam other: [hidden, word] = ones\n";
    const Network network = body("f32[batch, position, hidden]", table + "y = embedding(i, table)\nreturn y");
    EXPECT_EQ(last(network).roles, Lines{"word"});
    EXPECT_EQ(type_text(last(network).type), "[batch: 8, position: 5, hidden: 6]");
    const Network second =
        body("f32[batch, position, hidden]", table + "y = embedding(i, other, over = word)\nreturn y");
    EXPECT_EQ(last(second).roles, Lines{"word"});
    EXPECT_EQ(last(second).operands.size(), 2U);
}

TEST(Primitives, IotaCountsAlongADimension) { // O10
    const Network network = body("f32[position, hidden]", "y = cast(iota(position))\nparam w: [hidden] = ones\n"
                                                          "return y * w");
    EXPECT_EQ(summary(network), (Lines{"iota [position: 5] (y)", "identity [position: 5] (y)",
                                       "parameter [hidden: 6] (w)", "mul [position: 5, hidden: 6] (output)"}));
}

TEST(Primitives, RenameKeepsTheLoop) { // O11
    const Network network = body("f32[batch, position, key: 5]",
                                 "y = einsum(t, rename(t, position -> key) -> [batch, position, key])\nreturn y");
    EXPECT_EQ(loops(network.operations[static_cast<std::size_t>(last(network).operands[1])]),
              "batch:8 position:5 hidden:6 {012} -> {012}");
    EXPECT_EQ(loops(last(network)), "batch:8 position:5 hidden:6 key:5 {012} {032} -> {013}");
}

TEST(Primitives, RenameIntoANameOfTheSignature) { // O11
    const Network network = network_of(head + R"(
layer scores(x: [.., here, in]) -> [.., here, there] {
    other = rename(x, here -> there)
    return einsum(x, other -> [.., here, there])
}
network n(t: f32[batch, position, hidden]) -> f32[batch, position, there: 5] {
    y = scores(t)
    return y
})");
    EXPECT_EQ(loops(last(network)), "batch:8 position:5 hidden:6 there:5 {012} {032} -> {013}");
}

TEST(Primitives, TransposeReorders) { // O11
    const Network network =
        body("f32[hidden, batch, position]", "y = transpose(t, [hidden, batch, position])\nreturn y");
    EXPECT_EQ(loops(last(network)), "batch:8 position:5 hidden:6 {012} -> {201}");
}

TEST(Primitives, SliceKeepsTheRole) { // O12
    const Network network =
        body("f32[batch, position: 3, hidden: 2]", "y = slice(t, position: 1..4, hidden: hidden - 2..6)\nreturn y");
    EXPECT_EQ(summary(network),
              (Lines{"slice [batch: 8, position: 3, hidden: 6] (y)", "slice [batch: 8, position: 3, hidden: 2] (y)"}));
    EXPECT_EQ(last(network).begin, 4);
    EXPECT_EQ(last(network).end, 6);
    EXPECT_EQ(last(network).roles, Lines{"hidden"});
    EXPECT_EQ(summary(body("f32[batch, pixel]", "return slice(x, pixel: 0..4)")), Lines{}); // all of it
}

TEST(Primitives, ConcatAddsExtents) { // O13
    const Network network = body("f32[batch, pixel: 9]", "y = concat([x, slice(x, pixel: 1..2), x], pixel)\nreturn y");
    EXPECT_EQ(last(network).operands.size(), 3U);
    EXPECT_EQ(last(network).roles, Lines{"pixel"});
    EXPECT_EQ(type_text(last(network).type), "[batch: 8, pixel: 9]");
}

TEST(Primitives, ReshapeKeepsTheElements) { // O14
    const Network network = body("f32[batch, position, head: 2, hidden: 3]",
                                 "y = reshape(t, [batch, position, head: 2, hidden: 3])\nreturn y");
    EXPECT_EQ(summary(network), (Lines{"reshape [batch: 8, position: 5, head: 2, hidden: 3] (y)"}));
    // A dimension that the tensor has keeps its extent, whatever the default.
    EXPECT_EQ(type_text(last(body("f32[batch: 40, hidden: 3, half: 2]",
                                  "y = reshape(slice(t, hidden: 0..6), [batch: 40, hidden: 3, half: 2])\nreturn y"))
                            .type),
              "[batch: 40, hidden: 3, half: 2]");
}

TEST(Primitives, DropoutsHaveKeysOfTheirOwn) { // O15
    const Network network =
        body("f32[batch, pixel]", "a = dropout(dropout(x, rate = 0.1), 0.2)\nb = dropout(a, 0.5)\nreturn b");
    Lines keys;
    for (const Operation &operation : network.operations)
        if (operation.kind == OperationKind::dropout)
            keys.push_back(operation.text);
    EXPECT_EQ(keys, (Lines{"a.dropout", "a.dropout[1]", "b.dropout"}));
    EXPECT_DOUBLE_EQ(last(network).number, 0.5);
    EXPECT_EQ(summary(body("f32[batch, pixel]", "return dropout(x, 0)")), Lines{});
}

TEST(Primitives, ParametersTakeTheElementOfTheFirstFloatingTensor) { // D4
    const auto element = [](const Network &network, const char *name) { return parameter(network, name).type.element; };
    const std::string look_up = "layer look_up(i: [..], x: [.., in], out: dim) -> [.., in] {\n"
                                "    param table: [out, in] = ones\n    return embedding(i, table) + x\n}\n";
    const Network first = network_of(head + look_up + R"(
network n(i: i32[batch], x: f64[batch, hidden]) -> f64[batch, hidden] {
    param scale: [hidden] = ones
    y = look_up(i, x * scale, word)
    return y
})");
    EXPECT_EQ(element(first, "scale"), ElementType::f64);
    EXPECT_EQ(element(first, "y.table"), ElementType::f64);
    const Network of_result = network_of(head + R"(
network n(i: i32[batch]) -> f64[batch, hidden] {
    param table: [word, hidden] = ones
    return embedding(i, table)
})");
    EXPECT_EQ(element(of_result, "table"), ElementType::f64);
}

TEST(Primitives, ASharedParameterIsOne) { // N6
    const Network network = network_of(head + R"(
layer look_up(i: [..], table: [word, model]) -> [.., model] {
    return embedding(i, table)
}
layer unembed(x: [.., model], table: [word, model]) -> [.., word] {
    return einsum(x, table -> [.., word])
}
network n(i: i32[batch, position]) -> f32[batch, position, word] {
    param table: [word, hidden] = ones
    y = look_up(i, table)
    z = unembed(y, table)
    return z
})");
    EXPECT_EQ(parameters(network), Lines{"table"});
    EXPECT_EQ(loops(last(network)), "batch:8 position:5 hidden:6 word:10 {012} {32} -> {013}");
}

TEST(Primitives, WholeNumbersAreMovedAndAdded) { // O1, O8, O11 to O13
    const Network network = body("i32[position, batch]", R"(
    all   = concat([slice(i, position: 2..5), slice(i, position: 0..2)], position)
    sum   = (2 * all - 3) % 7 + abs(-i) * maximum(i, 1)
    taken = select(i < sum, sum, 0)
    return transpose(rename(taken, position -> position), [position, batch]))");
    EXPECT_EQ(last(network).type.element, ElementType::i32);
    EXPECT_EQ(std::count_if(network.operations.begin(), network.operations.end(),
                            [](const Operation &operation) { return operation.text == "modulo"; }),
              1);
    for (const Operation &operation : network.operations)
        EXPECT_TRUE(operation.kind == OperationKind::input || operation.type.element == ElementType::i32)
            << operation.text;
}

TEST(Primitives, NumbersBecomeWhole) { // O10
    const Network network = body("i32[batch, pixel]", "return cast(x, i32)");
    EXPECT_EQ(last(network).text, "identity");
    EXPECT_EQ(last(network).type.element, ElementType::i32);
}

TEST(Primitives, ExpandRepeats) { // O23
    const std::string token = "param token: [hidden] = ones\n";
    const Network network =
        body("f32[batch, position: 1, hidden]", token + "y = expand(token, [batch, position: 1, hidden])\nreturn y");
    EXPECT_EQ(summary(network),
              (Lines{"parameter [hidden: 6] (token)", "identity [batch: 8, position: 1, hidden: 6] (y)"}));
    const Network zeros = body("f32[batch, hidden]", "y = expand(0, [batch, hidden])\nreturn y");
    EXPECT_EQ(summary(zeros), (Lines{"constant [] (y)", "identity [batch: 8, hidden: 6] (y)"}));
    const Network same = body("f32[batch, pixel]", "y = expand(x, [batch, pixel])\nreturn y");
    EXPECT_EQ(summary(same), Lines{});
}

TEST(Primitives, RandomNumbersHaveKeysOfTheirOwn) { // O25
    const Network network = network_of(head + R"(
layer noisy(x: [batch, hidden]) -> [batch, hidden] {
    return x + random_normal([batch, hidden]) + random_normal([batch, hidden]) * random_uniform([hidden])
}
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    a = noisy(x)
    b = noisy(a)
    return b
})");
    std::set<std::string> keys;
    std::size_t count = 0;
    for (const Operation &operation : network.operations)
        if (operation.kind == OperationKind::random) {
            keys.insert(operation.text);
            ++count;
        }
    EXPECT_EQ(count, 10U); // two of each normal number
    EXPECT_EQ(keys.size(), count);
    EXPECT_TRUE(keys.contains("a.random_normal[1].angle"));
    EXPECT_TRUE(keys.contains("b.random_uniform"));
}

TEST(Primitives, WeightsOfClassesAreANumberForEach) { // O5
    const Network network = network_of("dim batch = 4\ndim class = 3\n"
                                       "network n(x: f32[batch, class], y: i32[batch]) -> f32[] {\n"
                                       "    return cross_entropy(x, y, smoothing = 0.1, ignore = -1, "
                                       "weights = [1, 0.5, 2])\n}");
    EXPECT_EQ(last(network).operands.size(), 3U);
    EXPECT_EQ(last(network).number, 0.1);
    EXPECT_EQ(last(network).ignored, -1);
    EXPECT_EQ(type_text(network.operations[static_cast<std::size_t>(last(network).operands[2])].type), "[class: 3]");
}

TEST(Primitives, TheRemainderHasTheSignOfTheDivisor) { // X3
    const Network network = network_of("dim batch = -1 % 8\ndim pixel = 4 - 7 % -4\n"
                                       "network n(x: f32[batch, pixel]) -> f32[batch, pixel] { return relu(x) }");
    EXPECT_EQ(type_text(last(network).type), "[batch: 7, pixel: 5]");
}

} // namespace
} // namespace planc::sema
