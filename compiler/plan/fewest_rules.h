// Strategies by layer as the rules of a layout, as few as say them: general ones outside, exceptions by layer inside.
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

/// What the rules must say of one layer; paths are those of the language.
struct LayerWish {
    std::string path;
    std::map<std::string, std::vector<std::string>> axes; ///< dimension -> exactly these axes, major first; none: whole
    /// Dimensions on which a rule says nothing here, but which must not lie on an axis of the others (P6).
    std::set<std::string> idle = {};
};

/// The items of a layout's body, a line each; nested bodies are indented. Layers of the network that are no matter are
/// wishes without dimensions: patterns must not catch what they do not mean.
[[nodiscard]] std::string fewest_rules(const std::vector<LayerWish> &layers);

/// The wishes for a plan. `operations`: per layer of the network, in its order, the dimensions of its operations as
/// rules name them.
[[nodiscard]] std::vector<LayerWish>
wishes(const Request &request, const Plan &plan,
       const std::vector<std::pair<std::string, std::set<std::string>>> &operations);

/// "rows", "[rows, cols]", "none": as a rule's right side.
[[nodiscard]] std::string target_text(const std::vector<std::string> &axes);

} // namespace planc::plan
