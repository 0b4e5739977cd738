// The terms of closed forms: messages alpha + elements beta.
#pragma once

#include "cost/profiles/profile.h"

#include <string>
#include <vector>

namespace planc::cost {

/// The binary logarithm of a number of ranks, rounded up.
[[nodiscard]] double lg(std::int64_t ranks);
/// (P - 1) / P
[[nodiscard]] double share_of_others(std::int64_t ranks);
/// As formulas print it: six digits.
[[nodiscard]] std::string formula_number(double value);

class ProfileTerms {
  public:
    ProfileTerms(int element_bytes, const Link &network) : element_bytes_(element_bytes), network_(network) {}

    /// `messages` and `elements`: that one rank sends.
    ProfileTerm &add(const std::string &what, sharding::Phase phase, std::int64_t ranks, double messages,
                     double elements, const std::string &formula);
    [[nodiscard]] std::vector<ProfileTerm> take() { return std::move(terms_); }

  private:
    int element_bytes_;
    const Link &network_;
    std::vector<ProfileTerm> terms_;
};

} // namespace planc::cost
