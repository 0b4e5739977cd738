// Writes strategies by layer as the rules of a layout, with as few rules as possible: general rules outside, exceptions
// by layer inside.
//
// Example: batch over rows in conv1, conv2, fc1 and fc2, and hidden over cols in the last two:
//   batch -> rows
//   fc* { hidden -> cols }
#pragma once

#include "plan/plan.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace planc::plan {

/// What the rules must express for one layer; paths are those of the language.
struct LayerWish {
    std::string path;
    std::map<std::string, std::vector<std::string>> axes; ///< dimension -> exactly these axes, major first; empty: not
                                                          ///< split
    /// Dimensions without a rule here that must not be split over an axis that the others use (P6).
    std::set<std::string> idle = {};
};

/// The items of a layout's body, one per line; nested bodies are indented. Layers of the network that do not matter are
/// wishes without dimensions, so that patterns do not match them by accident.
[[nodiscard]] std::string fewest_rules(const std::vector<LayerWish> &layers);

/// The wishes for a plan. `operations`: for each layer of the network, in order, the dimensions of its operations as
/// rules name them.
[[nodiscard]] std::vector<LayerWish>
wishes(const Request &request, const Plan &plan,
       const std::vector<std::pair<std::string, std::set<std::string>>> &operations);

/// The right side of a rule: "rows", "[rows, cols]", "none".
[[nodiscard]] std::string target_text(const std::vector<std::string> &axes);

} // namespace planc::plan
