// Every optimizer against its published formulas, written out here for whole arrays: on one rank, on several under
// several strategies, and with parameters, gradients and state stored in shares.
#include "loss_function.h"

#include "spmd/materialize.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace planc::test {

namespace {

using Vector = std::vector<double>;

constexpr int batch = 4;
constexpr int inputs_of = 5;
constexpr int outputs_of = 3;

/// loss = Σ (x w + b)² / 2; `settings` of w and of b are attributes of the variables.
std::string network(const std::string &optimizer, const std::string &settings_of_b) {
    return R"(
!x = !plan.tensor<batch: 4, in: 5, f64>
!w = !plan.tensor<in: 5, out: 3, f64>
!b = !plan.tensor<out: 3, f64>
!y = !plan.tensor<batch: 4, out: 3, f64>
!s = !plan.tensor<f64>
plan.variable @w : !w = <constant, 0.0, 0.0> {trained, layer = "fc"}
plan.variable @b : !b = <constant, 0.0, 0.0> {trained, layer = "fc")" +
           settings_of_b + R"(}
func.func @loss(%x: !x {plan.input = "x"}) -> (!s, !y) attributes {plan.optimizer = )" +
           optimizer + R"(} {
  %w = plan.read @w {layer = "fc", phase = "forward"} : !w
  %b = plan.read @b {layer = "fc", phase = "forward"} : !b
  %p = plan.einsum "batch in, in out -> batch out"(%x, %w) {layer = "fc", phase = "forward"} : (!x, !w) -> !y
  %y = plan.pointwise "add"(%p, %b) {layer = "fc", phase = "forward"} : (!y, !b) -> !y
  %q = plan.pointwise "square"(%y) {layer = "loss", phase = "loss"} : (!y) -> !y
  %t = plan.reduce "sum"(%q) {layer = "loss", phase = "loss"} : (!y) -> !s
  %h = plan.constant 0.5 : !s
  %l = plan.pointwise "mul"(%t, %h) {layer = "loss", phase = "loss"} : (!s, !s) -> !s
  return %l, %y : !s, !y
}
)";
}

struct Parameters {
    Vector w;
    Vector b;
};

Parameters gradients(const Vector &x, const Parameters &at) {
    Parameters g{Vector(inputs_of * outputs_of, 0), Vector(outputs_of, 0)};
    for (int s = 0; s < batch; ++s)
        for (int o = 0; o < outputs_of; ++o) {
            double y = at.b[static_cast<std::size_t>(o)];
            for (int i = 0; i < inputs_of; ++i)
                y +=
                    x[static_cast<std::size_t>(s * inputs_of + i)] * at.w[static_cast<std::size_t>(i * outputs_of + o)];
            g.b[static_cast<std::size_t>(o)] += y;
            for (int i = 0; i < inputs_of; ++i)
                g.w[static_cast<std::size_t>(i * outputs_of + o)] += x[static_cast<std::size_t>(s * inputs_of + i)] * y;
        }
    return g;
}

double norm(const Vector &v) {
    double sum = 0;
    for (const double element : v)
        sum += element * element;
    return std::sqrt(sum);
}

/// a · x + y
Vector axpy(double a, const Vector &x, const Vector &y) {
    Vector result(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        result[i] = a * x[i] + y[i];
    return result;
}

/// What a formula knows of one parameter: its state lives as long as it does.
struct Rule {
    double rate = 0;
    double decay = 0;
    bool adapt = true;
    int t = 1; ///< counts from 1
    Vector m;
    Vector v;
};

using Formula = std::function<Vector(Rule &rule, const Vector &w, const Vector &g)>;

/// Sutskever et al. 2013, Nesterov's momentum in the form of Bengio et al. 2013: the velocity looks ahead.
Vector momentum(Rule &rule, const Vector &w, const Vector &g, double mu, bool nesterov) {
    const Vector d = axpy(rule.decay, w, g);
    rule.m = axpy(mu, rule.m, d);
    return axpy(-rule.rate, nesterov ? axpy(mu, rule.m, d) : rule.m, w);
}

/// You, Gitman, Ginsburg 2017, algorithm 1 (1708.03888v3): λ = η ‖w‖ / (‖∇L‖ + β ‖w‖); v ← m v + γ λ (∇L + β w); w ← w
/// − v.
Vector lars(Rule &rule, const Vector &w, const Vector &g, double mu, double trust) {
    const double local = rule.adapt ? trust * norm(w) / (norm(g) + rule.decay * norm(w)) : 1;
    const Vector d = axpy(rule.decay, w, g);
    for (std::size_t i = 0; i < w.size(); ++i)
        rule.m[i] = mu * rule.m[i] + rule.rate * local * d[i];
    return axpy(-1, rule.m, w);
}

/// Kingma and Ba 2015, algorithm 1: m̂ / (√v̂ + ε).
Vector adam_step(Rule &rule, const Vector &g, double beta1, double beta2, double epsilon) {
    Vector step(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) {
        rule.m[i] = beta1 * rule.m[i] + (1 - beta1) * g[i];
        rule.v[i] = beta2 * rule.v[i] + (1 - beta2) * g[i] * g[i];
        const double mean = rule.m[i] / (1 - std::pow(beta1, rule.t));
        const double square = rule.v[i] / (1 - std::pow(beta2, rule.t));
        step[i] = mean / (std::sqrt(square) + epsilon);
    }
    return step;
}

/// Loshchilov and Hutter 2019, algorithm 2, with the rate before the decay as in PyTorch.
Vector adamw(Rule &rule, const Vector &w, const Vector &g) {
    return axpy(-rule.rate, axpy(rule.decay, w, adam_step(rule, g, 0.9, 0.99, 1e-6)), w);
}

/// You et al. 2020, algorithm 2 (1904.00962v5): x ← x − η φ(‖x‖) / ‖r + λ x‖ · (r + λ x), φ the identity.
Vector lamb(Rule &rule, const Vector &w, const Vector &g) {
    const Vector update = axpy(rule.decay, w, adam_step(rule, g, 0.9, 0.99, 1e-6));
    const double ratio = rule.adapt ? norm(w) / norm(update) : 1;
    return axpy(-rule.rate * ratio, update, w);
}

struct Case {
    std::string optimizer;
    std::vector<std::string> state = {};
    Formula formula = {};
    std::function<double(int)> rate = [](int) { return 0.1; }; ///< of step 0, 1, …
    double decay = 0;
    double clip = 0;
    std::string settings_of_b = "";
    double rate_factor_of_b = 1;
    std::optional<double> decay_of_b = std::nullopt;
    bool adapt_b = true;
};

constexpr int steps = 4;

Parameters expected(const Case &test, const Vector &x, Parameters at) {
    Rule w{.m = Vector(at.w.size(), 0), .v = Vector(at.w.size(), 0)};
    Rule b{.m = Vector(at.b.size(), 0), .v = Vector(at.b.size(), 0)};
    w.decay = test.decay;
    b.decay = test.decay_of_b.value_or(test.decay);
    b.adapt = test.adapt_b;
    for (int step = 0; step < steps; ++step) {
        Parameters g = gradients(x, at);
        // Pascanu, Mikolov, Bengio 2013, algorithm 1, of all gradients together.
        const double all = std::hypot(norm(g.w), norm(g.b));
        if (test.clip > 0 && all > test.clip) {
            g.w = axpy(test.clip / all - 1, g.w, g.w);
            g.b = axpy(test.clip / all - 1, g.b, g.b);
        }
        w.t = b.t = step + 1;
        w.rate = test.rate(step);
        b.rate = test.rate(step) * test.rate_factor_of_b;
        at.w = test.formula(w, at.w, g.w);
        at.b = test.formula(b, at.b, g.b);
    }
    return at;
}

const std::vector<std::pair<std::string, std::string>> layouts{
    {"", ""},
    {"rows: 2, cols: 2", "batch -> rows, out -> cols"},
    {"rows: 3, cols: 2", "batch -> rows, in -> cols"},
    {"rows: 4", "in -> rows"},
    {"rows: 4", "out -> rows"},
    {"rows: 3, cols: 2", "batch -> cols"},
};
const std::vector<std::string> stores{"", R"(optimizer = ["rows"])", R"(gradients = ["rows"], optimizer = ["rows"])",
                                      R"(parameters = ["rows"], gradients = ["rows"], optimizer = ["rows"])"};

void check(const Case &test) {
    std::mt19937 random(3);
    const Vector x = random_array({{"batch", batch}, {"in", inputs_of}}, -1, 1, random).elements;
    const Parameters initial{random_array({{"in", inputs_of}, {"out", outputs_of}}, -1, 1, random).elements,
                             random_array({{"out", outputs_of}}, -1, 1, random).elements};
    const Parameters wanted = expected(test, x, initial);
    for (const auto &[mesh, strategy] : layouts)
        for (const std::string &store : stores) {
            if (mesh.empty() && !store.empty())
                continue;
            SCOPED_TRACE(test.optimizer + " on " + mesh + " by " + strategy + ", stored " + store);
            mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
            auto module = derive(network(test.optimizer, test.settings_of_b), context);
            if (!mesh.empty()) {
                (*module)->setAttr("plan.mesh", mlir::parseAttribute("#plan.mesh<" + mesh + ">", &context));
                (*module)->setAttr("plan.strategies",
                                   mlir::parseAttribute("{fc = #plan.strategy<" + strategy + ">}", &context));
                (*module)->setAttr("plan.storage", mlir::parseAttribute("{" + store + "}", &context));
                ASSERT_TRUE(succeeded(spmd::materialize(*module)));
            }
            interpret::Inputs inputs;
            inputs.fields["x"] = {{batch, inputs_of}, x};
            inputs.variables["w"] = {{inputs_of, outputs_of}, initial.w};
            inputs.variables["b"] = {{outputs_of}, initial.b};
            for (const std::string &state : test.state) {
                inputs.variables["w." + state] = {{inputs_of, outputs_of}, Vector(initial.w.size(), 0)};
                inputs.variables["b." + state] = {{outputs_of}, Vector(initial.b.size(), 0)};
            }
            for (inputs.step = 0; inputs.step < steps; ++inputs.step)
                inputs.variables = interpret::run(*module, "train", inputs).variables;
            for (std::size_t i = 0; i < wanted.w.size(); ++i)
                ASSERT_NEAR(inputs.variables["w"].elements[i], wanted.w[i], 1e-12);
            for (std::size_t i = 0; i < wanted.b.size(); ++i)
                ASSERT_NEAR(inputs.variables["b"].elements[i], wanted.b[i], 1e-12);
        }
}

const std::vector<std::string> moments{"first_moment", "second_moment"};

} // namespace

TEST(OptimizerReference, sgd_with_groups) {
    check({.optimizer = R"({kind = "sgd", rate = 0.1, momentum = 0.0, weight_decay = 0.05})",
           .formula = [](Rule &r, const Vector &w, const Vector &g) { return momentum(r, w, g, 0, false); },
           .decay = 0.05,
           .settings_of_b = ", weight_decay = 0.0, rate_factor = 2.0",
           .rate_factor_of_b = 2,
           .decay_of_b = 0});
}

TEST(OptimizerReference, nesterov) {
    check({.optimizer = R"({kind = "sgd", rate = 0.1, momentum = 0.8, nesterov, weight_decay = 0.05})",
           .state = {"momentum"},
           .formula = [](Rule &r, const Vector &w, const Vector &g) { return momentum(r, w, g, 0.8, true); },
           .decay = 0.05});
}

TEST(OptimizerReference, clipping_by_the_global_norm) {
    for (const double limit : {0.5, 1000.0})
        check({.optimizer = R"({kind = "sgd", rate = 0.1, momentum = 0.9, weight_decay = 0.05, clip_norm = )" +
                            std::to_string(limit) + "}",
               .state = {"momentum"},
               .formula = [](Rule &r, const Vector &w, const Vector &g) { return momentum(r, w, g, 0.9, false); },
               .decay = 0.05,
               .clip = limit});
}

TEST(OptimizerReference, lars) {
    for (const bool adapt : {true, false})
        check({.optimizer = R"({kind = "lars", rate = 2.0, momentum = 0.9, weight_decay = 0.05, trust = 0.02})",
               .state = {"momentum"},
               .formula = [](Rule &r, const Vector &w, const Vector &g) { return lars(r, w, g, 0.9, 0.02); },
               .rate = [](int) { return 2.0; },
               .decay = 0.05,
               .settings_of_b = adapt ? "" : ", adapt = false, weight_decay = 0.0, rate_factor = 0.01",
               .rate_factor_of_b = adapt ? 1 : 0.01,
               .decay_of_b = adapt ? 0.05 : 0,
               .adapt_b = adapt});
}

TEST(OptimizerReference, adam_with_coupled_decay) {
    check({.optimizer =
               R"({kind = "adam", rate = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-6, weight_decay = 0.05})",
           .state = moments,
           .formula =
               [](Rule &r, const Vector &w, const Vector &g) {
                   return axpy(-r.rate, adam_step(r, axpy(r.decay, w, g), 0.9, 0.99, 1e-6), w);
               },
           .decay = 0.05});
}

TEST(OptimizerReference, adamw) {
    check({.optimizer = R"({kind = "adam", decoupled, rate = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-6,
                            weight_decay = 0.05, clip_norm = 1.5})",
           .state = moments,
           .formula = adamw,
           .decay = 0.05,
           .clip = 1.5,
           .settings_of_b = ", weight_decay = 0.0",
           .decay_of_b = 0});
}

TEST(OptimizerReference, lamb) {
    for (const bool adapt : {true, false})
        check({.optimizer = R"({kind = "lamb", rate = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-6,
                                weight_decay = 0.05})",
               .state = moments,
               .formula = lamb,
               .decay = 0.05,
               .settings_of_b = adapt ? "" : ", adapt = false, weight_decay = 0.0",
               .decay_of_b = adapt ? 0.05 : 0,
               .adapt_b = adapt});
}

// A weight of zeros has no norm to go by: it takes the plain step, and gradients of zeros change nothing.
TEST(OptimizerReference, trust_of_zeros) {
    for (const std::string kind : {"lars", "lamb"}) {
        mlir::MLIRContext context;
        const std::string numbers = "momentum = 0.9, trust = 0.1, beta1 = 0.9, beta2 = 0.99, epsilon = 1.0e-6";
        auto module =
            derive(network("{kind = \"" + kind + "\", rate = 0.5, weight_decay = 0.0, " + numbers + "}", ""), context);
        interpret::Inputs inputs;
        inputs.fields["x"] = {{batch, inputs_of}, Vector(batch * inputs_of, 1)};
        for (const std::string suffix : {"", ".momentum", ".first_moment", ".second_moment"}) {
            inputs.variables["w" + suffix] = {{inputs_of, outputs_of}, Vector(inputs_of * outputs_of, 0)};
            inputs.variables["b" + suffix] = {{outputs_of}, Vector(outputs_of, 0)};
        }
        const auto after_zeros = interpret::run(*module, "train", inputs).variables;
        EXPECT_EQ(after_zeros.at("w").elements, Vector(inputs_of * outputs_of, 0));
        inputs.variables["b"].elements = {1, 1, 1};
        const auto after = interpret::run(*module, "train", inputs).variables;
        // g = 4 for every weight; LAMB's first step is of length 1.
        EXPECT_NEAR(after.at("w").elements[0], kind == "lars" ? -0.5 * 4 : -0.5, 1e-5);
    }
}

// --- schedules: the rate itself, seen through SGD ------------------------------------------------------------------

namespace {

void check_rate(const std::string &rate, const std::function<double(int)> &wanted) {
    SCOPED_TRACE(rate);
    mlir::MLIRContext context;
    auto module =
        derive(network("{kind = \"sgd\", rate = " + rate + ", momentum = 0.0, weight_decay = 0.0}", ""), context);
    interpret::Inputs inputs;
    inputs.fields["x"] = {{batch, inputs_of}, Vector(batch * inputs_of, 0)};
    inputs.variables["w"] = {{inputs_of, outputs_of}, Vector(inputs_of * outputs_of, 0)};
    inputs.variables["b"] = {{outputs_of}, {1, 1, 1}};
    for (inputs.step = 0; inputs.step < 25; ++inputs.step) {
        // The gradient of b is 4 b.
        const double b = interpret::run(*module, "train", inputs).variables.at("b").elements[0];
        ASSERT_NEAR((1 - b) / 4, wanted(static_cast<int>(inputs.step)), 1e-14) << "step " << inputs.step;
    }
}

} // namespace

TEST(Schedule, step_decay) {
    check_rate(R"({shape = "step", peak = 0.5, factor = 0.1, every = 7 : i64})",
               [](int t) { return 0.5 * std::pow(0.1, t / 7); });
    check_rate(R"({shape = "step", peak = 0.5, factor = 0.2, milestones = array<i64: 3, 10, 11>})",
               [](int t) { return 0.5 * std::pow(0.2, (t >= 3) + (t >= 10) + (t >= 11)); });
}

TEST(Schedule, cosine_stays_at_its_floor) {
    check_rate(R"({shape = "cosine", peak = 0.5, floor = 0.1, steps = 20 : i64})",
               [](int t) { return 0.1 + 0.4 * (1 + std::cos(std::numbers::pi * std::min(t / 20.0, 1.0))) / 2; });
}

TEST(Schedule, polynomial) {
    check_rate(R"({shape = "polynomial", peak = 0.5, floor = 0.1, steps = 20 : i64, power = 2.0})",
               [](int t) { return 0.1 + 0.4 * std::pow(1 - std::min(t / 20.0, 1.0), 2); });
    check_rate(R"({shape = "polynomial", peak = 0.5, floor = 0.0, steps = 10 : i64, power = 1.0})",
               [](int t) { return 0.5 * (1 - std::min(t / 10.0, 1.0)); });
}

TEST(Schedule, warm_up) {
    const auto warm = [](int t) { return 0.1 + 0.4 * (t + 1) / 6.0; };
    check_rate(R"({shape = "constant", peak = 0.5, warmup = 5 : i64, start = 0.1})",
               [&](int t) { return t < 5 ? warm(t) : 0.5; });
    check_rate(R"({shape = "cosine", peak = 0.5, floor = 0.0, steps = 10 : i64, warmup = 5 : i64, start = 0.1})",
               [&](int t) {
                   return t < 5 ? warm(t) : 0.5 * (1 + std::cos(std::numbers::pi * std::min((t - 5) / 10.0, 1.0))) / 2;
               });
}

} // namespace planc::test
