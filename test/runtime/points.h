// Three clusters of points as CSV, and the softmax program on them.
#pragma once

#include "launch.h"
#include "scratch_directory.h"
#include "support/json.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

class PointsTest : public testing::Test {
  protected:
    PointsTest() { directory_.write("points.csv", points(300)); }

    static std::string points(int count) {
        std::mt19937 random(1);
        std::normal_distribution<double> spread(0, 0.5);
        constexpr double centers[3][2] = {{0, 2}, {2, -1}, {-2, -1}};
        std::ostringstream lines;
        for (int i = 0; i < count; ++i)
            lines << centers[i % 3][0] + spread(random) << "," << centers[i % 3][1] + spread(random) << "," << i % 3
                  << "\n";
        return lines.str();
    }

    /// Runs on `ranks` ranks a program made for `made_for` (as many by default).
    [[nodiscard]] Outcome run(int ranks, const std::string &arguments, const std::string &fault = "",
                              int made_for = 0) const {
        return launch(ranks, "planrt_softmax_program", arguments,
                      {{"PLANRT_TEST_RANKS", std::to_string(made_for == 0 ? ranks : made_for)},
                       {"PLANRT_TEST_DATA", directory_.path()},
                       {"PLANRT_TEST_LAYOUT", layout_},
                       {"PLANRT_TEST_HEADER", header_},
                       {"PLANRT_TEST_FAULT", fault}});
    }

    /// The objects of a log that have this key.
    [[nodiscard]] std::vector<planrt::JsonValue> logged(const std::string &name, const std::string &key) const {
        std::vector<planrt::JsonValue> result;
        std::istringstream lines(directory_.read(name));
        for (std::string line; std::getline(lines, line);)
            if (planrt::JsonValue value = planrt::parse_json(line); value.member(key) != nullptr)
                result.push_back(std::move(value));
        return result;
    }

    /// The losses of a log, step by step.
    [[nodiscard]] std::vector<double> losses(const std::string &name) const {
        std::vector<double> result;
        for (const planrt::JsonValue &step : logged(name, "step")) {
            EXPECT_EQ(step.member("step")->number, static_cast<double>(result.size() + 1));
            result.push_back(step.member("loss")->number);
        }
        return result;
    }

    static void expect_near(const std::vector<double> &losses, const std::vector<double> &wanted) {
        ASSERT_EQ(losses.size(), wanted.size());
        for (std::size_t i = 0; i < losses.size(); ++i)
            ASSERT_NEAR(losses[i], wanted[i], 1e-5 * wanted[i] + 1e-7) << "step " << i + 1;
    }

    /// Runs it on two ranks, which are started apart; `words` are mpirun's for the second one.
    [[nodiscard]] Outcome run_apart(const std::string &first, const std::string &second,
                                    const std::string &words = "") const {
        return run(1, first + " : -n 1 " + words + " '" PROGRAMS "/planrt_softmax_program' " + second, "", 2);
    }

    std::string layout_ = "plain"; ///< of the softmax program
    std::string header_;           ///< not empty: the data have a line of names

    ScratchDirectory directory_;
};
