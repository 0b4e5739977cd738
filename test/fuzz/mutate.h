// Inputs near real programs: .plan files with bytes, tokens, lines, names and numbers changed.
#pragma once

#include "harness.h"

#include <string>
#include <vector>

namespace planc::fuzz {

class Mutator {
  public:
    /// seeds: whole files, at least one
    explicit Mutator(std::vector<std::string> seeds);

    /// One to five changes, more often few, to one of the seeds.
    [[nodiscard]] std::string next(Random &random) const;

  private:
    using Tokens = std::vector<std::string>;

    [[nodiscard]] const std::string &any_seed(Random &random) const;
    [[nodiscard]] std::string change(const std::string &text, Random &random) const;
    [[nodiscard]] std::string change_bytes(std::string text, Random &random) const;
    [[nodiscard]] std::string change_tokens(const std::string &text, Random &random) const;
    [[nodiscard]] std::string change_word(const std::string &text, Random &random) const;
    [[nodiscard]] std::string change_lines(const std::string &text, Random &random) const;
    [[nodiscard]] std::string splice(const std::string &text, Random &random) const;

    std::vector<std::string> seeds_;
};

} // namespace planc::fuzz
