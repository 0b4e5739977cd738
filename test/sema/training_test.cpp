// Data sets, losses, optimizers (T, R).
#include "analyzed.h"

#include <gtest/gtest.h>

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
    EXPECT_EQ(digits.loss.operations[static_cast<std::size_t>(digits.loss.result)].kind, OperationKind::cross_entropy);
    const Data &data = analyzed.program->data.at(0);
    EXPECT_EQ(data.format, "csv");
    EXPECT_EQ(data.path, "data/optdigits.csv");
    EXPECT_EQ(data.fields.at(0).first_column, 0);
    EXPECT_EQ(data.fields.at(0).last_column, 64);
    EXPECT_DOUBLE_EQ(data.fields.at(0).scale, 1. / 16);
    EXPECT_DOUBLE_EQ(data.train, 0.8);
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
    EXPECT_DOUBLE_EQ(data.fields[0].scale, 0.25);
    EXPECT_DOUBLE_EQ(data.fields[0].shift, -2);
    EXPECT_DOUBLE_EQ(data.fields[1].scale, -2);
    EXPECT_DOUBLE_EQ(data.fields[1].shift, -5);
    EXPECT_DOUBLE_EQ(data.fields[2].scale, -1);
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
        EXPECT_TRUE(training.loss.operations[static_cast<std::size_t>(training.loss.result)].type.dimensions.empty());
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
    EXPECT_DOUBLE_EQ(program.data.at(0).fields[1].shift, -1);
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

} // namespace
} // namespace planc::sema
