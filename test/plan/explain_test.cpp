// The words of `planc explain`.
#include "plan/explanations/explain.h"
#include "sharding/graphs.h"

#include <gtest/gtest.h>

namespace planc::plan {
namespace {

class Explain : public testing::Test {
  protected:
    Explain() {
        request.graph = sharding::graphs::training_step(
            {64, {64, 256, 128, 10}, {"pixel", "hidden", "hidden", "digit"}, true, true});
        request.machine.name = "test";
        request.machine.network().latency = Seconds(1e-6);
        request.machine.network().bytes_per_second = 1e9;
        request.ranks = 4;
        request.mesh.axes = {{"rows", 2}, {"cols", 2}};
        request.pins.assign(request.graph.layers.size(), {{"batch", {"rows"}, "batch -> rows"}});
        request.pins[LayerId(0)].push_back({"hidden", {"cols"}, "fc1: hidden -> cols"});
    }
    std::string why(const std::string &question) { return why_not(request, make_plan(request), question).text; }
    Request request;
};

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST_F(Explain, SaysChoiceCertificateBaselinesAndRules) {
    const std::string text = explain(request, make_plan(request));
    EXPECT_TRUE(contains(text, "plan for 4 ranks (rows 2 x cols 2) of machine test: ")) << text;
    EXPECT_TRUE(contains(text, "no plan on this mesh takes less\n")) << text;
    EXPECT_TRUE(contains(text, "fc1    batch over rows, model (output: hidden) over cols")) << text;
    EXPECT_TRUE(contains(text, "pure batch")) << text;
    EXPECT_TRUE(contains(text, "not a candidate: the rule 'batch -> rows' forbids it")) << text;
    EXPECT_TRUE(contains(text, "rules of the layout in force\n  batch -> rows\n  fc1: hidden -> cols\n")) << text;
}

TEST_F(Explain, WhyNotNamesTheRule) {
    EXPECT_EQ(why("fc1: pixel -> cols"),
              "'fc1: pixel -> cols' is not possible: the rule 'fc1: hidden -> cols' forbids it\n");
    EXPECT_EQ(why("fc2: batch -> none"), "'fc2: batch -> none' is not possible: the rule 'batch -> rows' forbids it\n");
}

TEST_F(Explain, WhyNotNamesWhatIsUnknown) {
    EXPECT_EQ(why("fc9: hidden -> cols"), "there is no layer 'fc9'; there are 'fc1', 'fc2', 'fc3', 'loss'\n");
    EXPECT_EQ(why("fc1: digit -> cols"), "layer 'fc1' has no dimension 'digit'; it has 'batch', 'pixel', 'hidden'\n");
    EXPECT_EQ(why("fc1: hidden -> planes"), "the mesh has no axis 'planes'; it has 'rows', 'cols'\n");
    EXPECT_EQ(why("nonsense"), "ask as in \"fc1: hidden -> cols\" or \"fc1: hidden -> none\"\n");
}

TEST_F(Explain, WhyNotPricesWhatIsPossible) {
    const Plan plan = make_plan(request);
    const std::string &chosen = plan.layers[LayerId(1)].loop_of_axis[1];
    const std::string other = chosen == "hidden" ? "hidden'" : "hidden";
    const std::string text = why("fc2: " + other + " -> cols");
    EXPECT_TRUE(text.starts_with("'fc2: " + other + " -> cols' would add ")) << text;
    EXPECT_TRUE(contains(text, "  where")) << text;
    EXPECT_TRUE(contains(text, "fc2: batch over rows, ")) << text;
    EXPECT_EQ(why("fc1: hidden -> cols"), "the plan does that: fc1: hidden -> cols\n");
}

TEST_F(Explain, WhyNotKnowsShortDimensionsAndClosedLayouts) {
    request.pins.clear();
    request.mesh.axes = {{"rows", 2}, {"cols", 16}};
    request.ranks = 32;
    EXPECT_EQ(why("fc2: hidden -> [rows, cols, planes]"), "the mesh has no axis 'planes'; it has 'rows', 'cols'\n");
    EXPECT_TRUE(why("fc2: hidden -> [rows, cols]").starts_with("'fc2: hidden -> [rows, cols]' would add "));
    EXPECT_EQ(why("fc3: digit -> cols"), "'fc3: digit -> cols' is not possible: 'digit' has 10 elements, fewer than "
                                         "the 16 ranks of 'cols'\n");
    request.search = false;
    EXPECT_EQ(why("fc2: hidden -> rows"),
              "'fc2: hidden -> rows' is not possible: the layout is not 'auto' and has no such rule\n");
}

} // namespace
} // namespace planc::plan
