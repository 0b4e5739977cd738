// Data sets, losses, optimizers (T, R).
#include "analyzed.h"

#include "sema/training/parameter_groups.h"

#include <gtest/gtest.h>

#include <cmath>

namespace planc::sema {
namespace {

const std::string head = R"(import "std/dense.plan"
dim batch = 8
dim pixel = 4
dim digit = 3
network n(x: f32[batch, pixel]) -> f32[batch, digit] {
    y = dense(x, digit)
    return y
}
)";

Program program_of(const std::string &text) {
    const Analyzed analyzed = analyze_text(text);
    if (!analyzed.program)
        throw std::runtime_error(analyzed.report);
    return *analyzed.program;
}

std::string train(const std::string &loss) {
    return "train n on toy {\n    loss = " + loss + "\n    optimizer = sgd(rate = 0.1)\n    steps = 3\n}\n";
}

TEST(Training, Digits) {
    const Analyzed analyzed = analyze_file(PLANC_SOURCE_DIR "/examples/digits.plan");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Train &digits = analyzed.program->trains.at(0);
    EXPECT_EQ(digits.loss.layers, (std::vector<std::string>{"h1", "h2", "logits", "loss"}));
    EXPECT_EQ(digits.class_role, "digit");
    EXPECT_EQ(digits.epochs, 20);
    EXPECT_EQ(digits.layout, "best");
    EXPECT_DOUBLE_EQ(digits.optimizer.momentum, 0.9);
    const Operation &label = digits.loss.operations[static_cast<std::size_t>(digits.label)];
    EXPECT_EQ(label.type.element, ElementType::i32);
    EXPECT_EQ(type_text(label.type), "[batch: 64]");
    const Operation &prediction = digits.loss.operations[static_cast<std::size_t>(digits.prediction)];
    EXPECT_EQ(type_text(prediction.type), "[batch: 64, digit: 10]");
    EXPECT_EQ(digits.loss.operations[static_cast<std::size_t>(digits.loss.results.front())].kind,
              OperationKind::cross_entropy);
    const Data &data = analyzed.program->data.at(0);
    EXPECT_EQ(data.format, "csv");
    EXPECT_EQ(data.path, "data/optdigits.csv");
    EXPECT_EQ(data.fields.at(0).first_column, 0);
    EXPECT_EQ(data.fields.at(0).last_column, 64);
    EXPECT_DOUBLE_EQ(data.fields.at(0).affine.scale, 1. / 16);
    EXPECT_DOUBLE_EQ(data.train, 0.8);
}

TEST(Training, NumbersInTheLossHaveTheNetworksElementType) { // D4, R2
    const std::string network = R"(
dim batch = 8
dim digit = 3
network n(x: f64[batch, digit]) -> f64[batch, digit] {
    param w: [digit] = ones
    return x * w
}
data toy = synthetic
)";
    for (const char *loss : {"reduce_mean(select(0 < iota(digit), 0.9, 0.1) * log_softmax(n(x)))",
                             "reduce_mean(n(x) * cast(iota(digit)))"}) {
        const Program program = program_of(network + train(loss));
        const Network &computed = program.trains.at(0).loss;
        EXPECT_EQ(computed.operations[static_cast<std::size_t>(computed.results.front())].type.element,
                  ElementType::f64);
    }
}

class Examples : public testing::TestWithParam<const char *> {};

TEST_P(Examples, AreCorrect) {
    const Analyzed analyzed = analyze_file(std::string(PLANC_SOURCE_DIR) + GetParam());
    EXPECT_TRUE(analyzed.program) << analyzed.report;
}

INSTANTIATE_TEST_SUITE_P(All, Examples,
                         testing::Values("/examples/digits.plan", "/examples/mnist_mlp.plan",
                                         "/examples/two_layer.plan", "/examples/megatron_mlp.plan",
                                         "/examples/wide_mlp.plan", "/stdlib/dense.plan", "/stdlib/perceptron.plan",
                                         "/stdlib/machines/local.plan", "/stdlib/machines/skylake.plan",
                                         "/stdlib/machines/cori.plan"));

TEST(Training, FieldsAreScaledAndShifted) { // T2
    const Program program = program_of(R"(data toy = csv("a.csv", header = true) {
    a = columns(1..3) / 4 - 2
    b = 1 - 2 * (column(5) + 3)
    c = -column(0)
    split = column(7)
})");
    const Data &data = program.data.at(0);
    EXPECT_TRUE(data.header);
    EXPECT_DOUBLE_EQ(data.fields[0].affine.scale, 0.25);
    EXPECT_DOUBLE_EQ(data.fields[0].affine.shift, -2);
    EXPECT_DOUBLE_EQ(data.fields[1].affine.scale, -2);
    EXPECT_DOUBLE_EQ(data.fields[1].affine.shift, -5);
    EXPECT_DOUBLE_EQ(data.fields[2].affine.scale, -1);
    EXPECT_EQ(data.split, Data::Split::column);
    EXPECT_EQ(data.split_column, 7);
}

TEST(Training, IdxFilesAndCounts) { // T1, T3
    const Program program = program_of(R"(data mnist = idx {
    image = file("images.gz") / 255
    label = file("labels.gz")
    split = train 9000, test 1000
})");
    const Data &data = program.data.at(0);
    EXPECT_EQ(data.format, "idx");
    EXPECT_EQ(data.fields[1].file, "labels.gz");
    EXPECT_EQ(data.split, Data::Split::counts);
    EXPECT_EQ(data.train, 9000);
    EXPECT_EQ(data.test, 1000);
}

TEST(Training, SyntheticDataHasWhatTheLossUses) {
    const Program program = program_of(head + "data toy = synthetic(seed = 5)\n" + train("cross_entropy(n(x), label)"));
    const Data &data = program.data.at(0);
    ASSERT_EQ(data.fields.size(), 2U);
    EXPECT_EQ(data.fields[0].name, "x");
    EXPECT_EQ(data.fields[1].name, "label");
    EXPECT_EQ(data.seed, 5U);
    EXPECT_GE(data.samples, 8);
}

TEST(Training, ATargetHasTheTypeOfThePrediction) {
    for (const char *loss : {"mean_square_error(n(x), target)", "reduce_mean(square(n(x) - target))"}) {
        const Program program = program_of(head + "data toy = synthetic(seed = 1)\n" + train(loss));
        const Train &training = program.trains.at(0);
        ASSERT_EQ(training.loss.arguments.size(), 2U);
        EXPECT_EQ(type_text(training.loss.arguments[1].type), "[batch: 8, digit: 3]");
        EXPECT_EQ(training.label, -1);
        EXPECT_TRUE(
            training.loss.operations[static_cast<std::size_t>(training.loss.results.front())].type.dimensions.empty());
    }
}

TEST(Training, ALossMayBeScaledAndMadeOfLayers) { // R2
    const Program program = program_of(head + R"(data toy = synthetic(seed = 1)
layer smooth(x: [.., a], y: [.., a]) -> [] {
    return reduce_mean(softplus(x - y))
}
)" + train("0.5 * smooth(n(x), n_target)"));
    EXPECT_EQ(program.trains.size(), 1U);
}

TEST(Training, LabelsMayBeShiftedByWholeNumbers) {
    const Program program =
        program_of(head + "data toy = csv(\"a.csv\") {\n x = columns(0..4)\n label = column(4) - 1\n}\n" +
                   train("cross_entropy(n(x), label)"));
    EXPECT_DOUBLE_EQ(program.data.at(0).fields[1].affine.shift, -1);
}

TEST(Training, Adam) { // R3
    const Program program = program_of(head + R"(data toy = synthetic(seed = 1)
train n on toy {
    loss = cross_entropy(n(x), label)
    optimizer = adam(rate = 1e-3, beta2 = 0.99, weight_decay = 0.01)
    epochs = 2
    seed = 7
})");
    const Train &training = program.trains.at(0);
    EXPECT_EQ(training.optimizer.kind, Optimizer::Kind::adam);
    EXPECT_DOUBLE_EQ(training.optimizer.rate.peak, 1e-3);
    EXPECT_DOUBLE_EQ(training.optimizer.beta1, 0.9);
    EXPECT_DOUBLE_EQ(training.optimizer.beta2, 0.99);
    EXPECT_DOUBLE_EQ(training.optimizer.weight_decay, 0.01);
    EXPECT_EQ(training.epochs, 2);
    EXPECT_EQ(training.steps, 0);
    EXPECT_EQ(training.seed, 7U);
}

Optimizer optimizer_of(const std::string &optimizer, const std::string &duration = "steps = 100") {
    return program_of(head +
                      "data toy = synthetic(seed = 1)\ntrain n on toy {\n    loss = cross_entropy(n(x), label)\n" +
                      "    optimizer = " + optimizer + "\n    " + duration + "\n}")
        .trains.at(0)
        .optimizer;
}

TEST(Training, Optimizers) { // R3
    const Optimizer nesterov = optimizer_of("sgd(0.1, momentum = 0.9, nesterov = true, clip_norm = 2)");
    EXPECT_EQ(nesterov.kind, Optimizer::Kind::sgd);
    EXPECT_TRUE(nesterov.nesterov);
    EXPECT_DOUBLE_EQ(nesterov.clip_norm, 2);
    EXPECT_FALSE(nesterov.decoupled);
    const Optimizer adamw = optimizer_of("adamw(rate = 3e-4)");
    EXPECT_EQ(adamw.kind, Optimizer::Kind::adam);
    EXPECT_TRUE(adamw.decoupled);
    EXPECT_DOUBLE_EQ(adamw.weight_decay, 0.01);
    const Optimizer lars = optimizer_of("lars(rate = 2, trust = 0.01)");
    EXPECT_EQ(lars.kind, Optimizer::Kind::lars);
    EXPECT_DOUBLE_EQ(lars.momentum, 0.9);
    EXPECT_DOUBLE_EQ(lars.trust, 0.01);
    const Optimizer lamb = optimizer_of("lamb(rate = 0.01)");
    EXPECT_EQ(lamb.kind, Optimizer::Kind::lamb);
    EXPECT_DOUBLE_EQ(lamb.epsilon, 1e-6);
}

TEST(Training, Schedules) { // R6
    using Shape = Schedule::Shape;
    const auto schedule = [](const std::string &rate, const std::string &duration = "steps = 100") {
        return optimizer_of("sgd(rate = " + rate + ")", duration).rate;
    };
    EXPECT_EQ(schedule("0.5").shape, Shape::constant);
    EXPECT_DOUBLE_EQ(schedule("minimum(0.5, 2)").peak, 0.5);
    const Schedule cosine = schedule("cosine(0.1, floor = 0.01)");
    EXPECT_EQ(cosine.shape, Shape::cosine);
    EXPECT_EQ(cosine.steps, 100);
    EXPECT_DOUBLE_EQ(cosine.floor, 0.01);
    EXPECT_EQ(schedule("cosine(0.1, steps = 30)", "epochs = 2").steps, 30);
    const Schedule warm = schedule("warmup(steps = 10, then = polynomial(linear_scaling(0.1, batch = 16), power = 2))");
    EXPECT_EQ(warm.shape, Shape::polynomial);
    EXPECT_EQ(warm.warmup, 10);
    EXPECT_EQ(warm.steps, 90);
    EXPECT_DOUBLE_EQ(warm.peak, 0.05); // the batch is 8
    EXPECT_DOUBLE_EQ(warm.power, 2);
    EXPECT_DOUBLE_EQ(warm.start, 0);
    EXPECT_DOUBLE_EQ(schedule("linear_scaling(0.4, batch = 4)").peak, 0.8);
    EXPECT_EQ(schedule("step_decay(0.1, every = 30, factor = 0.5)").every, 30);
    const Schedule steps = schedule("warmup(5, step_decay(0.1, at = [30, 60]), start = 0.01)", "epochs = 3");
    EXPECT_EQ(steps.shape, Shape::step);
    EXPECT_EQ(steps.milestones, (std::vector<std::int64_t>{30, 60}));
    EXPECT_DOUBLE_EQ(steps.factor, 0.1);
    EXPECT_DOUBLE_EQ(steps.start, 0.01);
}

TEST(Training, ParameterGroups) { // R5
    const Optimizer optimizer = optimizer_of("lars(rate = 1, weight_decay = 0.1) {\n        y.* { rate_factor = 2 }\n"
                                             "        *.b { weight_decay = 0; adapt = false }\n    }");
    EXPECT_DOUBLE_EQ(resolve_group(optimizer, "y.w").weight_decay, 0.1);
    EXPECT_DOUBLE_EQ(resolve_group(optimizer, "y.w").rate_factor, 2);
    EXPECT_TRUE(resolve_group(optimizer, "y.w").adapt);
    EXPECT_DOUBLE_EQ(resolve_group(optimizer, "y.b").weight_decay, 0);
    EXPECT_DOUBLE_EQ(resolve_group(optimizer, "y.b").rate_factor, 2);
    EXPECT_FALSE(resolve_group(optimizer, "y.b").adapt);
}

TEST(Training, PatternsOfParameters) { // R5
    EXPECT_TRUE(matches_parameter("*.b", "block[0].mlp.grow.b"));
    EXPECT_TRUE(matches_parameter("b", "block[0].mlp.grow.b"));
    EXPECT_TRUE(matches_parameter("norm*.*", "block[0].norm1.scale"));
    EXPECT_TRUE(matches_parameter("block[*].mlp.*", "block[11].mlp.grow.w"));
    EXPECT_TRUE(matches_parameter("h1.w", "h1.w"));
    EXPECT_FALSE(matches_parameter("h1", "h1.w"));
    EXPECT_FALSE(matches_parameter("orm*.*", "block[0].norm1.scale"));
    EXPECT_FALSE(matches_parameter("*.b", "b"));
}

TEST(Training, Text) { // T5
    const Program program = program_of("dim batch = 2\ndim place = 4\ndim letter = 30\n"
                                       "network n(x: i32[batch, place]) -> f32[batch, place, letter] {\n"
                                       "    param table: [letter', letter] = ones\n    y = embedding(x, table)\n"
                                       "    return y\n}\n"
                                       "data book = text(\"book.txt\") {\n    x = characters(0)\n"
                                       "    next = characters(1)\n    split = train 90%, test 10%\n}\n"
                                       "train n on book {\n    loss = cross_entropy(n(x), next)\n"
                                       "    optimizer = sgd(0.1)\n    epochs = 1\n}\n");
    const Data &data = program.data.at(0);
    EXPECT_EQ(data.format, "text");
    EXPECT_EQ(data.path, "book.txt");
    EXPECT_DOUBLE_EQ(data.fields.at(0).affine.shift, 0);
    EXPECT_DOUBLE_EQ(data.fields.at(1).affine.shift, 1);
    EXPECT_DOUBLE_EQ(data.fields.at(1).affine.scale, 1);
    EXPECT_EQ(program.trains.at(0).class_role, "letter");
}

TEST(Training, Gpt) {
    const Analyzed analyzed = analyze_file(PLANC_SOURCE_DIR "/examples/gpt.plan");
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    const Network &gpt = analyzed.program->trains.at(0).loss;
    EXPECT_EQ(type_text(parameter(gpt, "block[3].attention.query.w").type), "[model: 256, head: 8, feature: 32]");
    EXPECT_EQ(type_text(parameter(gpt, "block[0].attention.output.w").type), "[head: 8, feature: 32, model: 256]");
    EXPECT_DOUBLE_EQ(parameter(gpt, "block[0].mlp.grow.w").initializer.b, 0.02);
    EXPECT_DOUBLE_EQ(parameter(gpt, "block[0].mlp.shrink.w").initializer.b, 0.02 / std::sqrt(8));
    EXPECT_EQ(parameters(gpt).size(), 2U + 4 * (4 * 2 + 2 * 2 + 2 * 2) + 2);
    const Optimizer &optimizer = analyzed.program->trains.at(0).optimizer;
    EXPECT_DOUBLE_EQ(resolve_group(optimizer, "block[0].norm1.scale").weight_decay, 0);
    EXPECT_DOUBLE_EQ(resolve_group(optimizer, "table").weight_decay, 0.1);
}

} // namespace
} // namespace planc::sema
