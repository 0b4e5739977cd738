// Three clusters of points as CSV, and the softmax program on them.
#pragma once

#include "launch.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <random>

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
                       {"PLANRT_TEST_FAULT", fault}});
    }

    ScratchDirectory directory_;
};
