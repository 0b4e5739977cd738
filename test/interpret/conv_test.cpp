// Convolutions and pools: what they compute, and that on any mesh under any strategy they compute it too, with the
// bytes that are predicted.
#include "conv_network.h"
#include "interpret/interpret.h"

#include "cost/price.h"
#include "ir/placement.h"
#include "spmd/extract.h"
#include "spmd/materialize.h"
#include "spmd/strategies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace planc::interpret {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

class Convolutions : public testing::Test {
  protected:
    Convolutions() { context_.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>(); }

    Module parse(const std::string &attributes, const std::string &text) {
        Module module = mlir::parseSourceString<mlir::ModuleOp>(
            "module attributes {" + attributes + "} {\n" + text + "}\n", &context_);
        if (!module)
            throw std::runtime_error("no module:\n" + text);
        return module;
    }

    static Array random_array(std::vector<std::int64_t> extents, Random &random) {
        Array array{std::move(extents), {}};
        const std::int64_t count =
            std::accumulate(array.extents.begin(), array.extents.end(), std::int64_t{1}, std::multiplies<>());
        for (std::int64_t i = 0; i < count; ++i)
            array.elements.push_back(uniform(random, -100, 100) / 128.0);
        return array;
    }

    static Array random_array(mlir::Type type, Random &random) {
        return random_array(mlir::cast<ir::TensorType>(type).getExtents().vec(), random);
    }

    static Inputs random_inputs(mlir::ModuleOp module, Random &random) {
        Inputs inputs;
        auto train = module.lookupSymbol<mlir::func::FuncOp>("train");
        inputs.fields["x"] = random_array(train.getArgument(0).getType(), random);
        for (auto variable : module.getOps<ir::VariableOp>())
            inputs.variables[variable.getSymName().str()] = random_array(variable.getType(), random);
        return inputs;
    }

    mlir::MLIRContext context_;
};

double product(const Array &a, const Array &b) {
    return std::inner_product(a.elements.begin(), a.elements.end(), b.elements.begin(), 0.0);
}

void expect_near(const Array &got, const Array &expected, const std::string &what) {
    ASSERT_EQ(got.extents, expected.extents) << what;
    for (std::size_t i = 0; i < got.elements.size(); ++i)
        ASSERT_NEAR(got.elements[i], expected.elements[i], 1e-9 * (1 + std::abs(expected.elements[i]))) << what;
}

} // namespace

// [batch, height, channel] by the sum in ConvOp's description.
TEST_F(Convolutions, ForwardIsTheSumOfItsDescription) {
    Random random(1);
    for (int trial = 0; trial < 50; ++trial) {
        ConvLayer layer{"conv1", 2, 0, 2, 3, "in", "out", {random_window(random, "height", uniform(random, 1, 9))}};
        const ConvWindow &window = layer.windows[0];
        Module module =
            parse("", "func.func @f(%x: " + layer.input_type() + " {plan.input = \"x\"}, %w: " + layer.weight_type() +
                          " {plan.input = \"w\"}) -> " + layer.output_type() + " {\n%y = " +
                          layer.operation("forward", "%x", "%w") + "\nreturn %y : " + layer.output_type() + "\n}\n");
        Inputs inputs;
        const Array &x = inputs.fields["x"] = random_array({2, window.extent, 2}, random);
        const Array &w = inputs.fields["w"] = random_array({window.kernel, 2, 3}, random);
        Array expected{{2, window.positions(), 3}, {}};
        for (std::int64_t n = 0; n < 2; ++n)
            for (std::int64_t p = 0; p < window.positions(); ++p)
                for (std::int64_t o = 0; o < 3; ++o) {
                    double sum = 0;
                    for (std::int64_t k = 0; k < window.kernel; ++k)
                        for (std::int64_t c = 0; c < 2; ++c) {
                            const std::int64_t row = p * window.stride - window.before + k * window.dilation;
                            if (row >= 0 && row < window.extent)
                                sum += x.elements[static_cast<std::size_t>((n * window.extent + row) * 2 + c)] *
                                       w.elements[static_cast<std::size_t>((k * 2 + c) * 3 + o)];
                        }
                    expected.elements.push_back(sum);
                }
        expect_near(run(*module, "f", inputs).results[0], expected, layer.operation("forward", "%x", "%w"));
    }
}

// <g, conv(x, w)> = <gradient of x, x> = <gradient of w, w> for any g, since conv is linear in both.
TEST_F(Convolutions, GradientsAreAdjoint) {
    Random random(2);
    for (int trial = 0; trial < 100; ++trial) {
        const ConvLayer layer = random_chain(random).front();
        const std::string all =
            "(" + layer.output_type() + ", " + layer.input_type() + ", " + layer.weight_type() + ")";
        Module module =
            parse("", "func.func @f(%x: " + layer.input_type() + " {plan.input = \"x\"}, %w: " + layer.weight_type() +
                          " {plan.input = \"w\"}, %g: " + layer.output_type() + " {plan.input = \"g\"}) -> " + all +
                          " {\n%y = " + layer.operation("forward", "%x", "%w") +
                          "\n%dx = " + layer.operation("input_gradient", "%g", "%w") +
                          "\n%dw = " + layer.operation("weight_gradient", "%x", "%g") +
                          "\nreturn %y, %dx, %dw : " + all.substr(1, all.size() - 2) + "\n}\n");
        Inputs inputs;
        auto function = (*module).lookupSymbol<mlir::func::FuncOp>("f");
        for (unsigned i = 0; i < 3; ++i)
            inputs.fields[std::string(1, "xwg"[i])] = random_array(function.getArgument(i).getType(), random);
        const Outcome outcome = run(*module, "f", inputs);
        const double expected = product(inputs.fields["g"], outcome.results[0]);
        EXPECT_NEAR(product(outcome.results[1], inputs.fields["x"]), expected, 1e-9) << trial;
        EXPECT_NEAR(product(outcome.results[2], inputs.fields["w"]), expected, 1e-9) << trial;
    }
}

// [batch, height, channel] by the definition in PoolOp's description.
TEST_F(Convolutions, PoolsAreTheMaximaAndSumsOfTheirDescription) {
    Random random(5);
    int pools = 0;
    for (int trial = 0; trial < 200; ++trial) {
        const ConvLayer layer = random_chain(random).front();
        if (layer.pool.empty() || layer.groups > 0 || layer.windows.size() > 1)
            continue;
        ++pools;
        const ConvWindow &window = layer.pool_windows[0];
        const std::string all = layer.pooled_type() + ", " + layer.pooled_type() + ", " + layer.pooled_type("i32");
        Module module =
            parse("", "func.func @f(%x: " + layer.output_type() + " {plan.input = \"x\"}) -> (" + all + ") {\n%m = " +
                          layer.pool_operation("max", "%x") + "\n%s = " + layer.pool_operation("sum", "%x") +
                          "\n%i = " + layer.pool_operation("argmax", "%x") + "\nreturn %m, %s, %i : " + all + "\n}\n");
        Inputs inputs;
        Array &x = inputs.fields["x"] = random_array({layer.batch, window.extent, layer.out}, random);
        for (double &element : x.elements)
            element = std::round(2 * element); // ties
        Array largest{{layer.batch, window.positions(), layer.out}, {}};
        Array sums = largest;
        Array numbers = largest;
        for (std::int64_t n = 0; n < layer.batch; ++n)
            for (std::int64_t p = 0; p < window.positions(); ++p)
                for (std::int64_t c = 0; c < layer.out; ++c) {
                    std::map<double, std::int64_t> first; // number of the first element of each value
                    double sum = 0;
                    for (std::int64_t k = 0; k < window.kernel; ++k) {
                        const std::int64_t row = p * window.stride - window.before + k * window.dilation;
                        if (row < 0 || row >= window.extent)
                            continue;
                        const double element =
                            x.elements[static_cast<std::size_t>((n * window.extent + row) * layer.out + c)];
                        first.emplace(element, k);
                        sum += element;
                    }
                    largest.elements.push_back(first.rbegin()->first);
                    numbers.elements.push_back(static_cast<double>(first.rbegin()->second));
                    sums.elements.push_back(sum);
                }
        const Outcome outcome = run(*module, "f", inputs);
        expect_near(outcome.results[0], largest, layer.pool_operation("max", "%x"));
        expect_near(outcome.results[1], sums, layer.pool_operation("sum", "%x"));
        expect_near(outcome.results[2], numbers, layer.pool_operation("argmax", "%x"));
    }
    EXPECT_GT(pools, 10);
}

// Row-major over the windows, of equal elements the first.
TEST_F(Convolutions, NumbersWithinWindowsOfTwoDimensions) {
    const std::string x = "!plan.tensor<height: 3, width: 4, f64>";
    const std::string y = "!plan.tensor<height: 2, width: 2, i32>";
    Module module = parse("", "func.func @f(%x: " + x + " {plan.input = \"x\"}) -> " + y +
                                  " {\n%y = plan.pool \"argmax\" (%x) windows [\"height\", \"width\"] kernels [2, 3] "
                                  "strides [1, 1] dilations [1, 1] paddings [0, 0, 0, 0] : (" +
                                  x + ") -> " + y + "\nreturn %y : " + y + "\n}\n");
    Inputs inputs;
    inputs.fields["x"] = {{3, 4}, {1, 1, 1, 2, 0, 3, 3, 0, 0, 3, 4, 4}};
    EXPECT_EQ(run(*module, "f", inputs).results[0].elements, (std::vector<double>{4, 3, 5, 4}));
}

// <g, pool(x)> = <gradient of x, x>: sums are linear, and maxima where no two elements are equal.
TEST_F(Convolutions, GradientsOfPoolsAreAdjoint) {
    Random random(6);
    for (int trial = 0; trial < 100; ++trial) {
        const ConvLayer layer = random_chain(random).front();
        if (layer.pool.empty())
            continue;
        const std::string all = layer.pooled_type() + ", " + layer.output_type();
        const bool maxima = layer.pool == "max";
        Module module =
            parse("", "func.func @f(%x: " + layer.output_type() + " {plan.input = \"x\"}, %g: " + layer.pooled_type() +
                          " {plan.input = \"g\"}) -> (" + all + ") {\n%y = " + layer.pool_operation(layer.pool, "%x") +
                          "\n" + (maxima ? "%i = " + layer.pool_operation("argmax", "%x") + "\n" : "") +
                          "%dx = " + layer.pool_operation(layer.pool + "_gradient", maxima ? "%g, %i" : "%g") +
                          "\nreturn %y, %dx : " + all + "\n}\n");
        Inputs inputs;
        auto function = (*module).lookupSymbol<mlir::func::FuncOp>("f");
        inputs.fields["x"] = random_array(function.getArgument(0).getType(), random);
        inputs.fields["g"] = random_array(function.getArgument(1).getType(), random);
        const Outcome outcome = run(*module, "f", inputs);
        EXPECT_NEAR(product(outcome.results[1], inputs.fields["x"]), product(inputs.fields["g"], outcome.results[0]),
                    1e-9)
            << trial;
    }
}

namespace {

struct Layout {
    std::string mesh; ///< the attribute
    planrt::Mesh ranks;
    std::map<std::string, sharding::LayerStrategy> strategies;
    sharding::Storage storage;
};

Layout random_layout(const std::vector<ConvLayer> &chain, Random &random) {
    Layout layout;
    int ranks = 1;
    for (int axis = 0; axis < uniform(random, 1, 3); ++axis) {
        layout.ranks.sizes.push_back(uniform(random, 1, std::min(4, 8 / ranks)));
        ranks *= layout.ranks.sizes.back();
        layout.mesh +=
            (axis == 0 ? "a" : ", a") + std::to_string(axis) + ": " + std::to_string(layout.ranks.sizes.back());
    }
    layout.mesh = "plan.mesh = #plan.mesh<" + layout.mesh + ">";
    for (int axis = 0; axis < static_cast<int>(layout.ranks.sizes.size()); ++axis)
        for (std::vector<int> *axes : {&layout.storage.parameters, &layout.storage.optimizer})
            if (uniform(random, 0, 3) == 0)
                axes->push_back(axis);
    for (const ConvLayer &layer : chain) {
        std::vector<std::string> loops{"batch", "group", layer.in_role, layer.out_role, ""};
        for (const ConvWindow &window : layer.windows)
            loops.insert(loops.end(), 2, window.role);
        sharding::LayerStrategy strategy;
        for (std::size_t axis = 0; axis < layout.ranks.sizes.size(); ++axis)
            strategy.loop_of_axis.push_back(
                loops[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(loops.size()) - 1))]);
        strategy.order.resize(layout.ranks.sizes.size());
        std::iota(strategy.order.begin(), strategy.order.end(), 0);
        std::shuffle(strategy.order.begin(), strategy.order.end(), random);
        layout.strategies.emplace(layer.name, strategy);
        std::shuffle(strategy.loop_of_axis.begin(), strategy.loop_of_axis.end(), random);
        layout.strategies.emplace(layer.pool_name(), strategy);
    }
    return layout;
}

/// What the cost model says of @train before it is lowered.
cost::CostTable predicted(mlir::ModuleOp module, const Layout &layout) {
    const spmd::Extracted extracted = spmd::extract(module.lookupSymbol<mlir::func::FuncOp>("train"));
    sharding::LayerStrategies layers;
    for (const sharding::Layer &layer : extracted.graph.layers) {
        const auto at = layout.strategies.find(layer.name);
        layers.push_back(at != layout.strategies.end() ? at->second : sharding::LayerStrategy{});
        layers.back().loop_of_axis.resize(layout.ranks.sizes.size());
    }
    std::vector<std::string> axes;
    for (std::size_t axis = 0; axis < layout.ranks.sizes.size(); ++axis)
        axes.push_back("a" + std::to_string(axis));
    return cost::price(extracted.graph, sharding::lay_out(extracted.graph, layout.ranks, layers, layout.storage),
                       layout.ranks, axes, cost::Machine{}, layers, layout.storage);
}

/// Bytes that each rank handed over.
std::vector<double> counted(const Outcome &outcome, int ranks) {
    std::vector<double> bytes(static_cast<std::size_t>(ranks), 0.0);
    for (const CollectiveRecord &record : outcome.collectives)
        for (std::size_t rank = 0; rank < bytes.size(); ++rank)
            bytes[rank] += static_cast<double>(record.traffic[rank].elements) * record.element_bytes;
    return bytes;
}

} // namespace

TEST_F(Convolutions, StepsOnRandomMeshesEqualOneRank) {
    Random random(3);
    int halos = 0;
    for (int trial = 0; trial < 300 && !testing::Test::HasFailure(); ++trial) {
        const std::vector<ConvLayer> chain = random_chain(random);
        const std::string text = training_step(chain);
        Module alone = parse("", text);
        const Inputs inputs = random_inputs(*alone, random);
        const Outcome expected = run(*alone, "train", inputs);

        const Layout layout = random_layout(chain, random);
        Module module = parse(layout.mesh, text);
        spmd::set_strategies(*module, layout.strategies);
        spmd::set_storage(*module, layout.storage);
        const cost::CostTable table = predicted(*module, layout);
        ASSERT_TRUE(succeeded(spmd::materialize(*module)) && succeeded(mlir::verify(*module))) << text;
        std::string laid_out;
        llvm::raw_string_ostream(laid_out) << *module;
        halos += laid_out.find("windows of") != std::string::npos ? 1 : 0;
        SCOPED_TRACE(laid_out);
        Module again = mlir::parseSourceString<mlir::ModuleOp>(laid_out, &context_);
        ASSERT_TRUE(again) << "what is printed is not read";
        const Outcome outcome = run(*again, "train", inputs);
        expect_near(outcome.results[0], expected.results[0], "loss");
        for (const auto &[name, array] : expected.variables)
            expect_near(outcome.variables.at(name), array, name);
        const std::vector<double> bytes = counted(outcome, layout.ranks.ranks());
        EXPECT_EQ(bytes[static_cast<std::size_t>(table.busiest_rank)], table.payload.value);
        EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), table.payload.value);
    }
    EXPECT_GT(halos, 60) << "too few of the layouts have halos";
}

TEST_F(Convolutions, WhatARankLacksIsNamed) {
    const std::string x = "!plan.tensor<batch: 1, height: 8, in: 1, f64, #plan.layout<height = [a]>>";
    const std::string w = "!plan.tensor<kernel: 3, in: 1, out: 1, f64, #plan.layout<>>";
    const std::string y = "!plan.tensor<batch: 1, height: 8, out: 1, f64, #plan.layout<height = [a]>>";
    Module module =
        parse("plan.mesh = #plan.mesh<a: 2>",
              "func.func @f(%x: " + x + " {plan.input = \"x\"}, %w: " + w + " {plan.input = \"w\"}) -> " + y +
                  " {\n%y = plan.conv \"forward\" \"batch height in, kernel in out -> batch height out\" (%x, %w) "
                  "windows [\"height\"] kernels [\"kernel\"] strides [1] dilations [1] paddings [1, 1] : (" +
                  x + ", " + w + ") -> " + y + "\nreturn %y : " + y + "\n}\n");
    Random random(4);
    Inputs inputs;
    inputs.fields["x"] = random_array({1, 8, 1}, random);
    inputs.fields["w"] = random_array({3, 1, 1}, random);
    try {
        static_cast<void>(run(*module, "f", inputs));
        FAIL();
    } catch (const Failure &failure) {
        EXPECT_NE(std::string(failure.what())
                      .find("windows of loop 'height' at [0, 4) touch [0, 5), but the rank has [0, 4)"),
                  std::string::npos)
            << failure.what();
    }
}

} // namespace planc::interpret
