// What networks become: operations, loops, shapes.
#include "analyzed.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::sema {
namespace {

using Lines = std::vector<std::string>;

const std::string head = "import \"std/dense.plan\"\n"
                         "dim batch = 8\ndim pixel = 4\ndim hidden = 6\ndim digit = 3\n";

const Operation &first(const Network &network, OperationKind kind, std::size_t index = 0) {
    for (const Operation &operation : network.operations)
        if (operation.kind == kind && index-- == 0)
            return operation;
    throw std::runtime_error("no such operation");
}

TEST(Elaborate, DenseIsAnEinsumAndABias) {
    const Network network = network_of(head + R"(
network n(x: f32[batch, pixel]) -> f32[batch, hidden] {
    h = relu(dense(x, hidden))
    return h
})");
    EXPECT_EQ(summary(network),
              (Lines{"parameter [pixel: 4, hidden: 6] (h)", "einsum [batch: 8, hidden: 6] (h)",
                     "parameter [hidden: 6] (h)", "add [batch: 8, hidden: 6] (h)", "relu [batch: 8, hidden: 6] (h)"}));
    EXPECT_EQ(loops(first(network, OperationKind::einsum)), "batch:8 pixel:4 hidden:6 {01} {12} -> {02}");
    EXPECT_EQ(network.layers, Lines{"h"});
    const double bound = std::sqrt(6. / (4 + 6)); // Glorot and Bengio 2010
    EXPECT_DOUBLE_EQ(parameter(network, "h.w").initializer.b, bound);
    EXPECT_DOUBLE_EQ(parameter(network, "h.w").initializer.a, -bound);
    EXPECT_EQ(parameter(network, "h.b").initializer.kind, Initializer::Kind::constant);
}

TEST(Elaborate, InputSideOfOneRoleIsPrimed) { // D7
    const Network network = network_of(head + R"(
network n(x: f32[batch, hidden]) -> f32[batch, hidden: 2] {
    h = dense(x, hidden: 2, bias = false)
    return h
})");
    EXPECT_EQ(type_text(parameter(network, "h.w").type), "[hidden': 6, hidden: 2]");
    EXPECT_EQ(loops(first(network, OperationKind::einsum)), "batch:8 hidden':6 hidden:2 {01} {12} -> {02}");
    EXPECT_EQ(type_text(first(network, OperationKind::einsum).type), "[batch: 8, hidden: 2]");
}

TEST(Elaborate, ATransposedWeightIsContractedOverItsOtherSide) {
    const Network network = network_of(head + R"(
layer there_and_back(x: [.., in], out: dim) -> [.., in] {
    param w: [in, out] = ones
    y = einsum(x, w -> [.., out])
    return einsum(y, w -> [.., in])
}
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    h = there_and_back(x, hidden)
    return h
})");
    EXPECT_EQ(loops(first(network, OperationKind::einsum, 0)), "batch:8 hidden':6 hidden:6 {01} {12} -> {02}");
    EXPECT_EQ(loops(first(network, OperationKind::einsum, 1)), "batch:8 hidden:6 hidden':6 {01} {21} -> {02}");
}

TEST(Elaborate, OverContractsSeveralDimensions) { // Y2
    const Network network = network_of(head + R"(
network n(x: f32[batch, height: 5, width: 7, channel: 2]) -> f32[batch, height: 5, digit] {
    h = dense(x, digit, over = [width, channel], bias = false)
    return h
})");
    EXPECT_EQ(type_text(parameter(network, "h.w").type), "[width: 7, channel: 2, digit: 3]");
    EXPECT_EQ(loops(first(network, OperationKind::einsum)),
              "batch:8 height:5 width:7 channel:2 digit:3 {0123} {234} -> {014}");
    EXPECT_DOUBLE_EQ(parameter(network, "h.w").initializer.b, std::sqrt(6. / (14 + 3)));
}

TEST(Elaborate, PrimesOnlyWhatMeetsItsEqual) {
    const Network network = network_of(head + R"(
network n(x: f32[batch, hidden, digit]) -> f32[batch, hidden: 2] {
    h = dense(x, hidden: 2, over = [hidden, digit], bias = false)
    return h
})");
    EXPECT_EQ(type_text(parameter(network, "h.w").type), "[hidden': 6, digit: 3, hidden: 2]");
}

TEST(Elaborate, SpreadOfAListOfDimensions) { // Y2
    const Network network = network_of(head + R"(
layer join(x: [.., ..over], over: dims, out: dim) -> [.., out] {
    param w: [..over, out] = ones
    return einsum(x, w -> [.., out])
}
network n(x: f32[batch, height: 5, width: 7]) -> f32[width: 7, digit] {
    h = join(x, over = [batch, height], out = digit)
    return h
})");
    EXPECT_EQ(type_text(parameter(network, "h.w").type), "[batch: 8, height: 5, digit: 3]");
}

TEST(Elaborate, TiedWeights) { // N6
    const Network network = network_of(head + R"(
layer apply(x: [.., in], w: [in, out]) -> [.., out] {
    return einsum(x, w -> [.., out])
}
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    param w: [hidden', hidden] = normal(0, 0.1)
    a = apply(x, w)
    b = apply(relu(a), w)
    return b
})");
    EXPECT_EQ(parameters(network), Lines{"w"});
    EXPECT_EQ(loops(first(network, OperationKind::einsum, 0)), "batch:8 hidden':6 hidden:6 {01} {12} -> {02}");
    EXPECT_EQ(loops(first(network, OperationKind::einsum, 1)), "batch:8 hidden':6 hidden:6 {01} {12} -> {02}");
    EXPECT_EQ(network.layers, (Lines{"w", "a", "b"}));
}

TEST(Elaborate, EinsumByRoleInANetwork) { // O2
    const Network network = network_of(head + R"(
network n(q: f32[batch, head: 2, query: 5, key_size: 3], k: f32[batch, head: 2, key: 7, key_size: 3])
        -> f32[batch, head: 2, query: 5, key: 7] {
    scores = einsum(q, k -> [batch, head, query, key])
    return softmax(scores / sqrt(3), over = key)
})");
    EXPECT_EQ(loops(first(network, OperationKind::einsum)),
              "batch:8 head:2 query:5 key_size:3 key:7 {0123} {0143} -> {0124}");
    EXPECT_EQ(first(network, OperationKind::softmax).roles, Lines{"key"});
    EXPECT_NEAR(first(network, OperationKind::constant).number, std::sqrt(3.), 1e-15);
}

TEST(Elaborate, NormsGoOverWhatOverNames) { // Y2
    const auto reduced = [](const std::string &call) {
        const Network network = network_of("import \"std/norm.plan\"\n" + head +
                                           "network n(x: f32[batch, pixel, hidden]) -> f32[batch, pixel, hidden] {\n"
                                           "    y = " +
                                           call + "\n    return y\n}\n");
        return type_text(first(network, OperationKind::reduce).type);
    };
    for (const std::string norm : {"layer_norm", "rms_norm", "normalize"}) {
        EXPECT_EQ(reduced(norm + "(x)"), "[batch: 8, pixel: 4]");
        EXPECT_EQ(reduced(norm + "(x, over = [pixel, hidden])"), "[batch: 8]");
        EXPECT_EQ(reduced(norm + "(x, over = pixel)"), "[batch: 8, hidden: 6]");
    }
}

TEST(Elaborate, BroadcastsOverMissingDimensions) { // O1
    const Network network = network_of(head + R"(
network n(x: f32[hidden], z: f32[batch, hidden]) -> f32[batch, hidden] {
    return 2 * x + z
})");
    EXPECT_EQ(summary(network),
              (Lines{"constant [] (output)", "mul [hidden: 6] (output)", "add [batch: 8, hidden: 6] (output)"}));
}

TEST(Elaborate, Reductions) { // O3
    const Network network = network_of(head + R"(
network n(x: f32[batch, pixel, digit]) -> f32[] {
    a = reduce_max(x, over = [digit])
    b = reduce_mean(a, over = batch)
    return reduce_sum(b)
})");
    EXPECT_EQ(summary(network), (Lines{"max [batch: 8, pixel: 4] (a)", "mean [pixel: 4] (b)", "sum [] (output)"}));
}

TEST(Elaborate, ConditionsAreKnownAtCompileTime) { // X5
    const std::string text = head + R"(
layer skip(x: [.., in], out: dim) -> [.., out] {
    y = dense(x, out)
    s = if same_shape(x, y) { x } else { dense(x, out, bias = false) }
    return y + s
}
network n(x: f32[batch, hidden]) -> f32[batch, hidden: WIDTH] {
    a = skip(x, hidden: WIDTH)
    return a
})";
    const auto with = [&](const std::string &width) {
        std::string filled = text;
        for (std::size_t at = filled.find("WIDTH"); at != std::string::npos; at = filled.find("WIDTH"))
            filled.replace(at, 5, width);
        return parameters(network_of(filled));
    };
    EXPECT_EQ(with("6"), (Lines{"a.y.w", "a.y.b"}));
    EXPECT_EQ(with("2"), (Lines{"a.y.w", "a.y.b", "a.s.w"}));
}

TEST(Elaborate, CompileTimeArithmetic) { // X3
    const Analyzed analyzed = analyze_text("dim a = 2 * 3 + 4 / 2 - -1\ndim b = a * a\ndim c = maximum(1, b / 9)\n"
                                           "dim d = sqrt(64)\ndim e = if a == 9 and not (b < a) { 5 } else { 6 }");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_EQ(analyzed.program->dimensions,
              (std::map<std::string, std::int64_t>{{"a", 9}, {"b", 81}, {"c", 9}, {"d", 8}, {"e", 5}}));
}

TEST(Elaborate, ADimensionIsItsExtentWhereANumberIsWanted) { // Y1
    const Network network = network_of(head + R"(
layer depthwise(x: [.., in], groups: int, scale: float) -> [.., in] {
    param w: [part: groups] = constant(scale)
    return x * reduce_sum(w)
}
network n(x: f32[batch, hidden]) -> f32[batch, hidden] {
    h = depthwise(x, groups = hidden, scale = pixel)
    return h
})");
    EXPECT_EQ(type_text(parameter(network, "h.w").type), "[part: 6]");
    EXPECT_DOUBLE_EQ(parameter(network, "h.w").initializer.a, 4);
}

TEST(Elaborate, ExtentsFromTheCommandLine) {
    const std::string text = head + "network n(x: f32[batch, pixel]) -> f32[batch, pixel] {\n return relu(x)\n}";
    const Analyzed analyzed = analyze_text(text, {{"batch", 32}});
    ASSERT_TRUE(analyzed.program);
    EXPECT_EQ(type_text(analyzed.program->networks[0].arguments[0].type), "[batch: 32, pixel: 4]");
    EXPECT_EQ(analyze_text(text, {{"batch", 0}}).kind, "bad_extent");
}

TEST(Elaborate, ParametersTakeTheElementTypeOfTheInput) { // D4
    const Network network = network_of(head + R"(
network n(x: f64[batch, pixel]) -> f64[batch, digit] {
    y = dense(x, digit)
    return 0.5 * y
})");
    for (const Operation &operation : network.operations)
        EXPECT_EQ(operation.type.element, ElementType::f64);
}

TEST(Elaborate, NamedOutputSideIsNotTheInputSide) { // D7, O2
    // The layer's output is called by its role, and what is passed bears that role too.
    for (const char *product :
         {"einsum(x, w -> [.., hidden])", "einsum(w, x -> [.., hidden])", "einsum(tanh(x), w -> [.., hidden])"}) {
        const Network network = network_of(head + R"(
layer widen(x: [.., in], width: int) -> [.., hidden: width] {
    param w: [in, hidden: width] = ones
    return )" + product + R"(
}
network n(x: f32[batch, hidden: 6]) -> f32[batch, hidden: 3] {
    same = widen(x, 6)
    y    = widen(same, 3)
    return y
})");
        EXPECT_EQ(type_text(parameter(network, "same.w").type), "[hidden': 6, hidden: 6]");
        EXPECT_EQ(type_text(parameter(network, "y.w").type), "[hidden': 6, hidden: 3]");
        EXPECT_EQ(loops(first(network, OperationKind::einsum)).find("hidden''"), std::string::npos);
        EXPECT_EQ(type_text(network.operations[static_cast<std::size_t>(network.results.front())].type),
                  "[batch: 8, hidden: 3]");
    }
}

TEST(Elaborate, OperationsAreAtTheirLineOfTheRootFile) {
    const std::string text = head + "network n(x: f32[batch, pixel]) -> f32[batch, digit] {\n"
                                    "    y = dense(x, digit)\n    return y\n}";
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    const support::FileId root = files.add("test.plan", text);
    const auto program = analyze(root, files, diagnostics, {PLANC_SOURCE_DIR "/stdlib", {}}).program;
    ASSERT_TRUE(program);
    const Operation &einsum = first(program->networks[0], OperationKind::einsum);
    EXPECT_EQ(einsum.where.file, root);
    EXPECT_EQ(files.text(einsum.where), "dense(x, digit)");
}

TEST(Elaborate, ResultOfACallIsAgainTheCallersDimension) {
    // Inside `twice`, `out` and `in` may both be a hidden; the second call must contract the first one's result.
    const Network network = network_of(head + R"(
layer twice(x: [.., in], out: dim) -> [.., out] {
    first  = dense(x, out, bias = false)
    second = dense(first, out, bias = false)
    return second
}
network n(x: f32[batch, hidden]) -> f32[batch, hidden: 2] {
    y = twice(x, hidden: 2)
    return y
})");
    EXPECT_EQ(type_text(parameter(network, "y.second.w").type), "[hidden': 2, hidden: 2]");
    EXPECT_EQ(loops(first(network, OperationKind::einsum, 1)), "batch:8 hidden':2 hidden:2 {01} {12} -> {02}");
}

const std::string cell = R"(
layer cell(x: [batch, in], h: [batch, out], c: [batch, out]) -> ([batch, out], [batch, out]) {
    param w: [in, out] = ones
    next = tanh(einsum(x, w -> [batch, out]) + h)
    return (next, c * next)
}
)";

TEST(Elaborate, SeveralValuesAreAListTakenApart) { // X9
    const Network several = network_of(head + cell + R"(
network n(x: f32[batch, pixel], s: f32[batch, hidden]) -> (f32[batch, hidden], f32[batch, hidden]) {
    h, c = fold (h, c) = (s, s) for (a, i) in zip([x, 2 * x], 0..2) as step {
        next, kept = cell(a, h, c)
        yield (next, (i + 1) * kept)
    }
    return (h, c)
})");
    const Network one_by_one = network_of(head + R"(
network n(x: f32[batch, pixel], s: f32[batch, hidden]) -> (f32[batch, hidden], f32[batch, hidden]) {
    xs = [x, 2 * x]
    all = fold hc = [s, s] for i in 0..2 as step {
        param w: [pixel, hidden] = ones
        next = tanh(einsum(xs[i], w -> [batch, hidden]) + hc[0])
        kept = (i + 1) * (hc[1] * next)
        yield [next, kept]
    }
    return (all[0], all[1])
})");
    ASSERT_EQ(several.results.size(), 2U);
    const auto kinds = [](const Network &network) {
        std::vector<OperationKind> all;
        for (const Operation &operation : network.operations)
            all.push_back(operation.kind);
        return all;
    };
    EXPECT_EQ(kinds(several), kinds(one_by_one));
    EXPECT_EQ(several.results, one_by_one.results);
    EXPECT_EQ(several.layers, (Lines{"h", "step[0].next", "step[0]", "step[1].next", "step[1]"}));
    EXPECT_EQ(type_text(parameter(several, "step[1].next.w").type), "[pixel: 4, hidden: 6]");
}

TEST(Elaborate, ALossMayUseSeveralResultsOfOneCall) { // R2
    const Analyzed analyzed = analyze_text(head + R"(
network n(x: f32[batch, pixel]) -> (f32[batch, digit], f32[batch, hidden]) {
    code   = dense(x, hidden)
    logits = dense(code, digit)
    return (logits, code)
}
data toy = synthetic(seed = 1)
train n on toy {
    loss = cross_entropy(n(x)[0], label) + 0.1 * mean_square_error(n(x)[1], code)
    optimizer = sgd(rate = 0.1)
    steps = 10
})");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Network &loss = analyzed.program->trains.front().loss;
    int einsums = 0;
    for (const Operation &operation : loss.operations)
        einsums += operation.kind == OperationKind::einsum ? 1 : 0;
    EXPECT_EQ(einsums, 2);
    EXPECT_EQ(loss.results.size(), 1U);
}

TEST(Elaborate, OnlyTheSameCallMayStandInALossTwice) { // R2
    const auto errors = [](const std::string &loss) {
        return analyze_text(head + R"(
network n(x: f32[batch, pixel]) -> (f32[batch, digit], f32[batch, digit]) {
    a = dense(x, digit)
    b = dense(x, digit)
    return (a, b)
}
data toy = synthetic(seed = 1)
train n on toy {
    optimizer = sgd(rate = 0.1)
    steps = 10
    loss = )" + loss + "\n}")
            .kind;
    };
    EXPECT_EQ(errors("reduce_mean(n(x)[0] * n(x = x)[1])"), "");
    EXPECT_EQ(errors("fold s = 0.0 for f in [x, y] { yield s + reduce_mean(n(f)[0]) }"), "called_twice");
    EXPECT_EQ(errors("reduce_mean(n(x)[0] * n(y)[1])"), "called_twice");
}

TEST(Elaborate, ParametersHaveTheFirstFloatingPointTypeOfTheResults) { // D4
    const Network network = network_of(head + R"(
network n(ids: i32[batch]) -> (i32[batch], f64[batch, pixel]) {
    param t: [digit, pixel] = normal(0, 1)
    return (ids, embedding(ids, t))
})");
    EXPECT_EQ(parameter(network, "t").type.element, ElementType::f64);
}

TEST(Elaborate, AListOfOneIsNoTensor) { // X9
    EXPECT_EQ(analyze_text(head + "network n(x: f32[batch, pixel]) -> f32[batch, pixel] { return [x] }").kind,
              "wrong_type");
}

TEST(Elaborate, JoinedListsCountAsWork) { // X8
    EXPECT_EQ(analyze_text(head + R"(
network n(x: f32[batch, pixel]) -> f32[batch, pixel] {
    a = fold p = [1] for i in 0..40 { yield p + p }
    return x
})")
                  .kind,
              "elaboration_too_long");
}

} // namespace
} // namespace planc::sema
