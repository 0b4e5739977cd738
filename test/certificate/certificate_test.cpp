// True certificates are accepted; what was tampered with is not, and the line says what is wrong.
#include "certificate/certificate.h"
#include "certificate/requests.h"
#include "certificate/space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace planc::certificate {
namespace {

using reference::Planned;
using reference::random_planned;
using reference::read_back;
using sharding::reference::Random;
using sharding::reference::uniform;

TEST(Certificate, IsAcceptedAndNearlyAlwaysTight) {
    Random random(61);
    int checked = 0;
    int tight = 0;
    int ruled = 0;
    int limited = 0;
    int branched = 0;
    int on_calls = 0;
    for (int trial = 0; checked < 240 && trial < 2000; ++trial) {
        SCOPED_TRACE(trial);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        const auto &[request, plan] = *planned;
        const Certificate certificate = read_back(prove(request, plan));
        EXPECT_EQ(check(certificate, request), "");
        EXPECT_EQ(certificate.cost, plan.cost->seconds().value);
        EXPECT_LE(certificate.lower_bound, certificate.cost);
        ++checked;
        tight += certificate.gap <= 1e-8;
        ruled += !request.pins.empty();
        limited += plan.memory_decided;
        for (const Part &part : certificate.parts)
            for (const Node &node : part.nodes) {
                branched += !node.branches.empty();
                on_calls += node.call && !node.branches.empty();
            }
    }
    EXPECT_EQ(checked, 240);
    EXPECT_GT(ruled, 40);
    EXPECT_GT(limited, 15);
    EXPECT_GT(branched, 40);
    EXPECT_GT(on_calls, 10);
    EXPECT_GE(tight, 225);
}

TEST(Certificate, NoPlanIsBelowItsBound) {
    Random random(62);
    int sampled = 0;
    for (int trial = 0; trial < 60; ++trial) {
        SCOPED_TRACE(trial);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        const auto &[request, plan] = *planned;
        const double bound = prove(request, plan).lower_bound;
        for (const Shape &shape : shapes(request))
            for (const Storage &storage : storages(request, shape.mesh, shape.axes))
                for (int sample = 0; sample < 10; ++sample) {
                    LayerStrategies layers;
                    for (const Strategies &options : strategies(request, shape))
                        layers.push_back(options[static_cast<std::size_t>(
                            uniform(random, 0, static_cast<int>(options.size()) - 1))]);
                    const cost::CostTable table = plan::evaluate(request, shape.mesh, shape.axes, layers, storage);
                    const double limit = byte_limit(request);
                    if (limit > 0 && table.memory.total().value > limit)
                        continue;
                    EXPECT_GE(table.seconds().value, bound * (1 - 1e-9));
                    ++sampled;
                }
    }
    EXPECT_GT(sampled, 1500);
}

/// Two layers that are worth splitting differently, on four ranks: two meshes, both storages.
Planned example() {
    Planned result;
    Random random(3);
    do
        result.request = plan::reference::random_request(random);
    while (result.request.graph.layers.size() < 3 || result.request.ranks != 4 || result.request.mesh.axes.size() < 2 ||
           result.request.mesh.automatic);
    result.plan = plan::make_plan(result.request);
    return result;
}

struct Tampering {
    const char *what;
    std::function<void(Certificate &)> change;
    std::string line; ///< its beginning
};

/// Of the first part, what no proof reaches.
void claim_too_much(Certificate &c) {
    c.parts[0].lower_bound = 2 * c.cost;
    c.lower_bound = c.parts[1].lower_bound;
    for (const Part &part : c.parts)
        c.lower_bound = std::min(c.lower_bound, part.lower_bound);
    c.gap = gap_of(c);
}

void branch_on(Certificate &c, const SharedCall &call) {
    claim_too_much(c);
    Part &part = c.parts[0];
    const Node leaf = part.nodes[0];
    part.nodes = {leaf, leaf, leaf};
    part.nodes[0].rounds.resize(1);
    part.nodes[0].rounds[0].kept = {};
    part.nodes[0].layer = LayerId();
    part.nodes[0].call = call;
    part.nodes[0].branches = {{{0}, 1}, {{1}, 2}};
}

TEST(Certificate, TamperedWithIsRejectedWithWhatIsWrong) {
    const auto [request, plan] = example();
    const Certificate honest = prove(request, plan);
    ASSERT_EQ(check(honest, request), "");
    ASSERT_EQ(honest.parts.size(), 6U);
    const std::string layer = honest.layers[0].name;
    const std::string first =
        "mesh rows " + std::to_string(honest.parts[0].sizes[0]) + " cols " + std::to_string(honest.parts[0].sizes[1]);
    const std::vector<Tampering> all = {
        {"cost", [](Certificate &c) { c.cost *= 0.99; }, "a step takes "},
        {"a little", [](Certificate &c) { c.cost *= 1 - 1e-11; }, "a step takes "},
        {"compute", [](Certificate &c) { c.compute *= 0.9; }, "its compute takes "},
        {"communication", [](Certificate &c) { c.communication += 1e-9; }, "its communication takes "},
        {"reshards", [](Certificate &c) { c.reshards += 1e-9; }, "its reshards take "},
        {"latency", [](Certificate &c) { c.latency += 1e-9; }, "the latency of fused calls is "},
        {"layer", [](Certificate &c) { c.layers[0].compute *= 1.5; }, "the compute of layer '" + layer + "' takes "},
        {"layer's communication", [](Certificate &c) { c.layers[0].communication += 1; },
         "the communication of layer '" + layer + "' takes "},
        {"memory", [](Certificate &c) { c.memory -= 4; }, "a rank needs "},
        {"gap", [](Certificate &c) { c.gap += 0.01; }, "the gap is "},
        {"bound above the cost",
         [](Certificate &c) {
             c.lower_bound = 2 * c.cost;
             c.gap = -1;
         },
         "the lower bound is above the least cost"},
        {"no number", [](Certificate &c) { c.lower_bound = std::numeric_limits<double>::infinity(); },
         "the lower bound is above the least cost"},
        {"search's bound", [](Certificate &c) { c.search_lower_bound = 2 * c.cost; },
         "the bound of the search is above the least cost"},
        {"another network", [](Certificate &c) { c.asked.network[0] ^= 1; },
         "it belongs to another network: operations, extents or dimensions differ"},
        {"another machine", [](Certificate &c) { c.asked.machine[0] ^= 1; },
         "it belongs to a machine with other figures"},
        {"other ranks", [](Certificate &c) { c.asked.ranks = 8; }, "it is for 8 ranks, not for 4"},
        {"other rules", [](Certificate &c) { c.asked.rules[0] ^= 1; },
         "it belongs to other rules of layout, mesh or storage"},
        {"limit", [](Certificate &c) { c.asked.memory_limit = 1e6; },
         "it is for a memory limit of 1,000,000 bytes a rank, not of 0"},
        {"mesh", [](Certificate &c) { c.sizes = {8, 1}; }, "its mesh is not one that 4 ranks may form"},
        {"storage", [](Certificate &c) { c.storage.parameters = {7}; }, "its storage is not among the choices"},
        {"layers", [](Certificate &c) { c.layers.pop_back(); }, "it has "},
        {"name", [](Certificate &c) { c.layers[0].name = "other"; },
         "its layer 'other' is '" + layer + "' of the network"},
        {"strategy", [](Certificate &c) { c.layers[0].strategy.loop_of_axis[0] = "nothing"; },
         "the strategy of layer '" + layer + "' breaks the rules"},
        {"a mesh less", [](Certificate &c) { c.parts.erase(c.parts.begin()); },
         first + ": there is no bound for its plans"},
        {"a mesh twice", [](Certificate &c) { c.parts.push_back(c.parts[0]); },
         first + ": there are two bounds for its plans"},
        {"a mesh more",
         [](Certificate &c) {
             c.parts.push_back(c.parts[0]);
             c.parts.back().sizes = {3, 1};
         },
         "it has bounds for 7 meshes and storages, but there are 6"},
        {"bound",
         [](Certificate &c) {
             c.lower_bound *= 0.99;
             c.gap = (c.cost - c.lower_bound) / c.cost;
         },
         "the least bound of all meshes is "},
        {"no proof", [](Certificate &c) { c.parts[0].nodes.clear(); }, first + ": a branch of the proof is missing"},
        {"no rounds", [](Certificate &c) { c.parts[0].nodes[0].rounds.clear(); }, first + ": the proof is incomplete"},
        {"weights", [](Certificate &c) { c.parts[0].nodes[0].weights.seconds_per_byte = -1; },
         first + ": the weights do not prove a bound"},
        {"memory's price without a limit",
         [](Certificate &c) {
             claim_too_much(c);
             c.parts[0].nodes[0].weights.seconds_per_byte = 1;
         },
         first + ": the weights do not prove a bound"},
        {"a penalty beyond all costs", [](Certificate &c) { c.parts[0].nodes[0].weights.penalty = 1e9; },
         first + ": the weights do not prove a bound"},
        {"huge messages", [](Certificate &c) { c.parts[0].nodes[0].rounds[0].unit = 1e20; },
         first + ": its messages are too large to prove a bound"},
        {"a call over other axes", [](Certificate &c) { branch_on(c, {false, 4, {-5}}); },
         first + ": its branches on a shared call do not prove a bound"},
        {"a call over an axis twice", [](Certificate &c) { branch_on(c, {false, 4, {0, 0}}); },
         first + ": its branches on a shared call do not prove a bound"},
        {"a call over no axes", [](Certificate &c) { branch_on(c, {false, 4, {}}); },
         first + ": its branches on a shared call do not prove a bound"},
        {"a call of norms", [](Certificate &c) { branch_on(c, {true, 4, {0}}); },
         first + ": its branches on a shared call do not prove a bound"},
        {"one branch on a call",
         [](Certificate &c) {
             branch_on(c, {false, 4, {0}});
             c.parts[0].nodes[0].branches.pop_back();
         },
         first + ": its branches on a shared call do not prove a bound"},
        {"a call twice",
         [](Certificate &c) {
             branch_on(c, {false, 4, {0}});
             c.parts[0].nodes[1] = c.parts[0].nodes[0];
         },
         first + ": its branches on a shared call do not prove a bound"},
        {"messages less", [](Certificate &c) { c.parts[0].nodes[0].rounds[0].messages.push_back({1}); },
         first + ": the messages do not fit the network"},
    };
    for (const Tampering &tampering : all) {
        Certificate changed = honest;
        tampering.change(changed);
        const std::string line = check(changed, request);
        EXPECT_EQ(line.substr(0, tampering.line.size()), tampering.line) << tampering.what;
    }
}

/// A plan that was chosen although another one costs less.
TEST(Certificate, KnowsThePlanThatCostsLeast) {
    auto [request, plan] = example();
    const plan::Plan best = plan;
    const auto options = strategies(request, {plan.axes, plan.mesh});
    for (const LayerId l : options.ids())
        plan.layers[l] = options[l].front();
    plan.cost = std::make_shared<const cost::CostTable>(
        plan::evaluate(request, plan.mesh, plan.axes, plan.layers, plan.storage));
    ASSERT_GT(plan.cost->seconds(), 1.01 * best.cost->seconds());
    plan.simulated = plan::SimulatedChoice{};
    plan.simulated->cheapest = {best.axes, best.mesh, best.layers, best.storage, best.cost->seconds(), best.cost};
    const Certificate honest = read_back(prove(request, plan));
    EXPECT_EQ(check(honest, request), "");
    EXPECT_LE(honest.gap, 1e-8);
    EXPECT_NEAR(honest.lower_bound, best.cost->seconds().value, 1e-8 * honest.cost);
    const std::string layer = request.graph.layers[LayerId(0)].name;
    const std::vector<Tampering> all = {
        {"its cost", [](Certificate &c) { c.cheapest->cost *= 1.001; }, "the plan that costs least: a step takes "},
        {"its mesh", [](Certificate &c) { c.cheapest->sizes = {3, 1}; },
         "the plan that costs least: its mesh is not one that 4 ranks may form"},
        {"its storage", [](Certificate &c) { c.cheapest->storage.parameters = {7}; },
         "the plan that costs least: its storage is not among the choices"},
        {"its layers", [](Certificate &c) { c.cheapest->layers = {}; }, "the plan that costs least: it has "},
        {"its strategy", [](Certificate &c) { c.cheapest->layers[LayerId(0)].loop_of_axis[0] = "nothing"; },
         "the plan that costs least: the strategy of layer '" + layer + "' breaks the rules"},
        {"none", [](Certificate &c) { c.cheapest.reset(); }, "the gap is "},
    };
    for (const Tampering &tampering : all) {
        Certificate changed = honest;
        tampering.change(changed);
        if (changed.cheapest)
            changed.gap = gap_of(changed);
        const std::string line = check(changed, request);
        EXPECT_EQ(line.substr(0, tampering.line.size()), tampering.line) << tampering.what;
    }
}

/// Bounds that are claimed too high, with messages, strategies and branches as they are, or changed at random.
TEST(Certificate, WhatIsAcceptedAfterTamperingIsTrue) {
    Random random(63);
    int rejected = 0;
    int trials = 0;
    std::map<std::string, int> reasons;
    while (trials < 60) {
        SCOPED_TRACE(trials);
        const auto planned = random_planned(random);
        if (!planned)
            continue;
        ++trials;
        const auto &[request, plan] = *planned;
        const Certificate honest = prove(request, plan);
        for (int mutant = 0; mutant < 12; ++mutant) {
            Certificate changed = honest;
            Part &part =
                changed.parts[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(changed.parts.size()) - 1))];
            Node &node =
                part.nodes[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(part.nodes.size()) - 1))];
            switch (mutant % 6) {
            case 0: // all bounds together
                for (Part &each : changed.parts)
                    each.lower_bound = std::max(each.lower_bound, honest.cost) * 1.02;
                changed.lower_bound = honest.cost;
                break;
            case 1: // a strategy left out
                for (Round &round : node.rounds)
                    for (std::vector<int> &kept : round.kept)
                        if (!kept.empty() && uniform(random, 0, 1))
                            kept.erase(kept.begin() + uniform(random, 0, static_cast<int>(kept.size()) - 1));
                break;
            case 2: // a message
                for (Round &round : node.rounds)
                    for (std::vector<std::int64_t> &message : round.messages)
                        for (std::int64_t &each : message)
                            each += uniform(random, -2, 2) * std::llround(honest.cost / round.unit);
                break;
            case 3: // a branch
                if (!node.branches.empty())
                    node.branches.erase(node.branches.begin() +
                                        uniform(random, 0, static_cast<int>(node.branches.size()) - 1));
                break;
            case 4: // weights
                for (auto &[call, values] : node.weights.latency)
                    values.resize(1);
                node.weights.seconds_per_byte = honest.cost / honest.memory * uniform(random, 0, 10);
                break;
            default: // the last rounds
                if (!node.rounds.empty())
                    node.rounds.pop_back();
            }
            const std::string line = check(changed, request);
            rejected += !line.empty();
            if (!line.empty())
                ++reasons[line.substr(line.find(": ") + 1, 16)];
            else // a proof all the same
                EXPECT_LE(changed.lower_bound, honest.cost * (1 + 1e-9));
            if (mutant % 6 == 0) {
                EXPECT_NE(line, "");
            }
        }
    }
    EXPECT_GT(rejected, 200);
    EXPECT_GE(reasons.size(), 4U);
}

/// As if the search had missed the best plan: it claims that a slower one is the fastest.
TEST(Certificate, AWrongClaimOfTheSearchIsRefused) {
    Random random(65);
    int claims = 0;
    int refused = 0;
    while (claims < 30) {
        SCOPED_TRACE(claims);
        auto planned = random_planned(random);
        if (!planned)
            continue;
        auto &[request, plan] = *planned;
        const double best = prove(request, plan).cost;
        const auto options = strategies(request, {plan.axes, plan.mesh});
        for (const LayerId l : options.ids())
            plan.layers[l] =
                options[l][static_cast<std::size_t>(uniform(random, 0, static_cast<int>(options[l].size()) - 1))];
        plan.cost = std::make_shared<const cost::CostTable>(
            plan::evaluate(request, plan.mesh, plan.axes, plan.layers, plan.storage));
        const double limit = byte_limit(request);
        if (plan.cost->seconds().value < best * 1.001 || (limit > 0 && plan.cost->memory.total().value > limit))
            continue;
        plan.lower_bound = plan.cost->seconds();
        plan.simulated.reset();
        const std::string line = check(prove(request, plan), request);
        ++claims;
        refused += line.find("but the search claims that none takes less than") != std::string::npos;
        EXPECT_EQ(line.empty(), line.find("claims that none") == std::string::npos) << line;
    }
    EXPECT_EQ(refused, claims);
}

TEST(Json, EveryDefectIsOneLine) {
    const auto [request, plan] = example();
    const std::string text = to_json(prove(request, plan));
    const auto line_of = [](std::string changed, const std::string &from, const std::string &to) {
        if (!from.empty())
            changed.replace(changed.find(from), from.size(), to);
        const auto read = from_json(changed);
        return std::holds_alternative<std::string>(read) ? std::get<std::string>(read) : "none";
    };
    EXPECT_EQ(line_of(text, "", ""), "none");
    EXPECT_EQ(line_of("", "", ""), "[1:0, byte=0]: Unexpected EOF");
    EXPECT_EQ(line_of("{}", "", ""), "it has no 'planc_certificate'");
    EXPECT_EQ(line_of("3", "", ""), "it has no 'planc_certificate'");
    EXPECT_EQ(line_of(text, "\"planc_certificate\": 5", "\"planc_certificate\": 6"),
              "it was written by another version of planc");
    EXPECT_EQ(line_of(text, "\"gap\": ", "\"gab\": "), "it has no 'gap'");
    EXPECT_EQ(line_of(text, "\"ranks\": 4", "\"ranks\": 4.5"), "asked.ranks is not a whole number");
    EXPECT_EQ(line_of(text, "\"unit_seconds\": ", "\"unit_seconds\": null, \"was\": "),
              "proof[0].nodes[0].rounds[0].unit_seconds is not a number");
    EXPECT_EQ(line_of(text, "\"gap\": ", "\"gap\": 1e999, \"was\": "), "gap is not a number");
    EXPECT_EQ(line_of(text, "\"whole\": ", "\"whole\": \"no\", \"was\": "),
              "proof[0].nodes[0].rounds[0].whole is neither true nor false");
    EXPECT_EQ(line_of(text, "\"messages\": \"", "\"messages\": \"100000 "),
              "proof[0].nodes[0].rounds[0].messages names list 100000, which does not exist");
    EXPECT_EQ(line_of(text, "\"messages\": \"", "\"messages\": \"0,"),
              "proof[0].nodes[0].rounds[0].messages is not a list of whole numbers separated by blanks");
    EXPECT_EQ(line_of(text, "\"order\": \"", "\"order\": [], \"was\": \""), "plan.layers[0].order is not a string");
    EXPECT_EQ(line_of(text, "\"proof\": [", "\"proof\": {}, \"was\": ["), "proof is not a list");
    EXPECT_EQ(line_of("{\n  \"gap\": [,", "", ""), "[2:11, byte=13]: Invalid JSON value");
    EXPECT_EQ(line_of(std::string(100000, '['), "", ""), "byte 17: brackets are nested too deeply");
}

/// Cut off, or with other bytes in it: an error, or a certificate that the checker can judge.
TEST(Json, BrokenFilesBreakNothing) {
    const auto [request, plan] = example();
    const std::string text = to_json(prove(request, plan));
    Random random(64);
    int errors = 0;
    int judged = 0;
    for (int trial = 0; trial < 1200; ++trial) {
        std::string changed = text;
        if (trial % 3 == 0)
            changed.resize(static_cast<std::size_t>(uniform(random, 0, static_cast<int>(text.size()) - 3)));
        else
            for (int bytes = trial % 3; bytes > 0; --bytes) {
                const auto at = static_cast<std::size_t>(uniform(random, 0, static_cast<int>(text.size()) - 1));
                static const std::string others = "0123456789 -.e\"{}[],:x\\\n";
                changed[at] = others[static_cast<std::size_t>(uniform(random, 0, static_cast<int>(others.size()) - 1))];
            }
        const auto read = from_json(changed);
        if (const auto *error = std::get_if<std::string>(&read)) {
            EXPECT_NE(*error, "");
            EXPECT_EQ(error->find('\n'), std::string::npos);
            ++errors;
            continue;
        }
        const Certificate &certificate = std::get<Certificate>(read);
        ++judged;
        if (check(certificate, request).empty()) {
            EXPECT_NEAR(certificate.cost, plan.cost->seconds().value, 1e-11 * certificate.cost);
            EXPECT_LE(certificate.lower_bound, plan.cost->seconds().value * (1 + 1e-9));
        }
    }
    EXPECT_GT(errors, 500);
    EXPECT_GT(judged, 30);
}

} // namespace
} // namespace planc::certificate
