#include "certificate/certificate.h"
#include "plan/random_request.h"
#include <gtest/gtest.h>
#include <cstdio>
namespace planc::certificate {
namespace {
using plan::reference::random_request;
using sharding::reference::Random;
using sharding::reference::uniform;
TEST(Certificate, Explore) {
    Random random(61);
    int tight=0, near=0, n=0;
    for (int trial = 0; trial < 300; ++trial) {
        SCOPED_TRACE(trial);
        plan::Request r = random_request(random);
        plan::Plan p = plan::make_plan(r);
        if (!p.failure.empty()) continue;
        if (trial % 3 == 2) {
            r.memory_limit_bytes = p.cost.memory.total().value * uniform(random, 40, 110) / 100;
            p = plan::make_plan(r);
            if (!p.failure.empty()) continue;
        }
        const Certificate c = prove(r, p);
        const std::string json = to_json(c);
        const auto back = from_json(json);
        ASSERT_TRUE(std::holds_alternative<Certificate>(back)) << std::get<std::string>(back);
        EXPECT_EQ(check(std::get<Certificate>(back), r), "");
        ++n; tight += c.gap < 1e-8; near += c.gap < 0.01;
        EXPECT_LE(c.lower_bound, p.cost.seconds().value);
        if (c.gap >= 1e-8 || p.gap() > 1e-9) { size_t nodes=0; for (auto&q:c.parts) nodes+=q.nodes.size(); std::printf("%d gap %g search %g limit %d decided %d bytes %zu nodes %zu\n", trial, c.gap, p.gap(), r.memory_limit_bytes>0, p.memory_decided, json.size(), nodes);}
    }
    std::printf("%d tight %d near %d\n", n, tight, near);
}
}
}
