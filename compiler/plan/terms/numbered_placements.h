// Numbers for the placements in which strategies put an operand or a result. Each placement is derived once for all
// strategies, operations and layers that place tensors of one shape alike, because most strategies of a layer differ
// only in loops that do not matter for it.
#pragma once

#include "sharding/reshards.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace planc::plan {

/// Numbers of placements of one shape, by what each axis splits: a dimension, or a sum.
struct NumberedPlacements {
    std::vector<int> order; ///< Strategy::order, the same for all of these
    std::unordered_map<std::string, int> numbers;
};

/// The placements of one operand, which its own loops determine, or of a result, which reduced loops determine too.
class Placements {
  public:
    /// All but `nest` and `own`, the loops of the dimensions, must outlive this.
    Placements(sharding::Reshards &reshards, NumberedPlacements &known, const sharding::Nest &nest,
               const std::vector<int> &own, bool is_result);

    /// `derive()`: the placement.
    template <class Derive> int number(const sharding::Strategy &bound, const Derive &derive) {
        if (bound.order != known_.order) {
            known_.order = bound.order;
            known_.numbers.clear();
        }
        key_.clear();
        for (int loop : bound.loop_of_axis)
            key_ += loop < 0 ? '\0' : digit_of_loop_[loop];
        const auto [at, is_new] = known_.numbers.try_emplace(key_);
        if (is_new)
            at->second = reshards_.number(derive());
        return at->second;
    }

  private:
    sharding::Reshards &reshards_;
    NumberedPlacements &known_;
    std::vector<char> digit_of_loop_; ///< the dimension + 1; after these: reduced; 0: does not matter
    std::string key_;
};

/// Whether the loops alone determine where an operand (a result: -1) of these extents lies, whatever the operation.
/// Then each loop is one whole dimension, without windows.
[[nodiscard]] bool are_told_by_loops(const sharding::Nest &nest, const std::vector<int> &own, int operand,
                                     const std::vector<std::int64_t> &extents);

} // namespace planc::plan
