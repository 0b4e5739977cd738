#include "cost/profiles/profile_terms.h"

#include <bit>
#include <cstdio>

namespace planc::cost {

double lg(std::int64_t ranks) {
    return ranks <= 1 ? 0 : static_cast<double>(std::bit_width(static_cast<std::uint64_t>(ranks - 1)));
}

double share_of_others(std::int64_t ranks) {
    return static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

std::string formula_number(double value) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return buffer;
}

ProfileTerm &ProfileTerms::add(const std::string &what, sharding::Phase phase, std::int64_t ranks, double messages,
                               double elements, const std::string &formula) {
    ProfileTerm &term = terms_.emplace_back();
    term.what = what;
    term.phase = phase;
    term.ranks = ranks;
    term.messages = messages;
    term.wire = Bytes(elements * element_bytes_);
    term.seconds = messages * network_.latency + Seconds(term.wire.value / network_.bytes_per_second);
    term.formula = formula;
    return term;
}

} // namespace planc::cost
