// What messages say to who writes the words of another framework or language.
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

struct Case {
    std::string text;
    const char *hint;
};

class Hints : public testing::TestWithParam<Case> {};

TEST_P(Hints, AreGiven) {
    const Analyzed analyzed = analyze_text(GetParam().text);
    EXPECT_EQ(analyzed.errors, 1) << analyzed.report;
    EXPECT_NE(analyzed.report.find(GetParam().hint), std::string::npos) << GetParam().hint << '\n' << analyzed.report;
}

std::string network(const std::string &statement, const std::string &imports = "import \"std/dense.plan\"\n") {
    return imports +
           "dim batch = 8\ndim hidden = 4\nnetwork n(x: f32[batch, pixel: 4]) -> f32[batch, hidden] {\n    y = " +
           statement + "\n    return y\n}\n";
}

std::string machine(const std::string &peak, const std::string &bandwidth = "1 GB/s") {
    return "machine m {\n    nodes = 2\n    node = processor(peak = " + peak + ", memory_bandwidth = " + bandwidth +
           ")\n    network = star(latency = 1 us, bandwidth = 1 GB/s)\n}\n";
}

std::string train(const std::string &settings) {
    return network("dense(x, hidden)") + "data d = synthetic(seed = 1)\ntrain n on d {\n    steps = 3\n" +
           "    loss = mean_square_error(n(x), t)\n" + settings + "\n}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Library, Hints,
    testing::Values(Case{network("dense(x, hidden)", ""), "it is in the standard library: import \"std/dense.plan\""},
                    Case{network("dence(x, hidden)", ""),
                         "did you mean 'dense' of the standard library? import \"std/dense.plan\""},
                    Case{network("Linear(x, hidden)"), "it is called 'dense' here"},
                    Case{network("LayerNorm(x)"),
                         "did you mean 'layer_norm' of the standard library? import \"std/norm.plan\""},
                    Case{"import \"std/dens.plan\"\n", "cannot read 'std/dens.plan': No such file or directory"},
                    Case{"import \"std/dens.plan\"\n", "did you mean 'std/dense.plan'?"},
                    Case{"import \"dense.plan\"\n", "did you mean 'std/dense.plan'?"},
                    Case{"import \"std/dense\"\n", "did you mean 'std/dense.plan'?"},
                    Case{"import \"std/resnet50.plan\"\n", "did you mean 'std/networks/resnet50.plan'?"}));

INSTANTIATE_TEST_SUITE_P(
    Arguments, Hints,
    testing::Values(Case{network("dense(x, hidden = 128)"), "a dimension with its extent takes ':': write 'hidden: …'"},
                    Case{network("dense(x, units = 128)"), "it is called 'out' here"},
                    Case{network("dropout(x, p = 0.5)"), "it is called 'rate' here"},
                    Case{network("reduce_sum(x, axis = 1)"), "it is called 'over' here"},
                    Case{train("    optimizer = sgd(lr = 0.1)"), "it is called 'rate' here"},
                    Case{train("    optimizer = adam(learningRate = 0.1)"), "it is called 'rate' here"},
                    Case{train("    optimizer = adam(rate = 0.1, betas = [0.9, 0.99])"),
                         "they are two here: 'beta1' and 'beta2'"},
                    Case{train("    optimizer = adam(rate = 0.1, eps = 1e-7)"), "it is called 'epsilon' here"},
                    Case{train("    optimizer = sgd(rate = 0.1)\n    batch_size = 4"), "the batch is a dimension"},
                    Case{train("    optimizer = sgd(rate = 0.1)\n    criterion = 4"), "it is called 'loss' here"},
                    Case{train("    optimizer = SGD(rate = 0.1)"), "did you mean 'sgd(…)'?"}));

INSTANTIATE_TEST_SUITE_P(Units, Hints,
                         testing::Values(Case{machine("1 GFLOPS"), "it is written 'Gflop/s' here"},
                                         Case{machine("1 TFlops"), "it is written 'Tflop/s' here"},
                                         Case{machine("1 GFLOP/s"), "did you mean 'Gflop/s'?"},
                                         Case{machine("1 Gflop/s", "100 Gbps"), "it is written 'Gbit/s' here"},
                                         Case{machine("1 Gflop/s", "100 GBps"), "it is written 'GB/s' here"},
                                         Case{machine("1 Gflop/s", "100 Gb/s"), "it is written 'Gbit/s' here"},
                                         Case{machine("1 Gflop/s", "100 Gbits/s"), "it is written 'Gbit/s' here"}));

INSTANTIATE_TEST_SUITE_P(Signs, Hints,
                         testing::Values(Case{network("x ** 2"), "a power is written 'power(x, 2)'"},
                                         Case{network("x ^ 2"), "a power is written 'power(x, 2)'"},
                                         Case{network("if hidden > 2 && hidden < 3 { x } else { x }"),
                                              "'and' joins two conditions"},
                                         Case{"import 'std/dense.plan'\n", "a string stands between '\"'"},
                                         Case{"def f(x: [a]) -> [a] {\n    return x\n}\n", "did you mean 'layer'?"},
                                         Case{network("relu(x)\n    y += x"), "a name is bound once"},
                                         Case{network("relu(x)\n    let z = x"), "write 'z = …'"}));

INSTANTIATE_TEST_SUITE_P(HugeNumbers, Hints,
                         testing::Values(Case{train("    optimizer = sgd(rate = 1e38)"), "'rate' must be at most 1e30"},
                                         Case{train("    optimizer = sgd(rate = 0.1, weight_decay = 1e38)"),
                                              "'weight_decay' of 'sgd' must be at most 1e30"},
                                         Case{train("    optimizer = sgd(rate = -1.0)"), "'rate' must be above zero"},
                                         Case{train("    optimizer = sgd(rate = 0.1, momentum = 1e38)"),
                                              "at least zero and below one"},
                                         Case{machine("1e308 Gflop/s"), "the result is not a finite number"},
                                         Case{machine("1e300 Gflop/s * 1e10"), "the result is not a finite number"}));

INSTANTIATE_TEST_SUITE_P(
    Losses, Hints,
    testing::Values(Case{
        network("dense(x, hidden)") +
            "data d = synthetic(seed = 1)\ntrain n on d {\n    steps = 3\n    optimizer = sgd(rate = 1)\n"
            "    loss = reduce_mean(dense(n(x), hidden))\n}\n",
        "a loss can name none: call 'dense' in the network"}));

} // namespace
} // namespace planc::sema
