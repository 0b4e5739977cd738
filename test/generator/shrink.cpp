#include "shrink.h"

#include "check_case.h"

namespace planc::test {

namespace {

bool fails(const PlanFile &file, std::uint64_t seed) {
    return !check_case(file, seed).difference.empty();
}

/// Tries to do without each element, the last first; keeps what still fails.
template <class Element>
bool leave_out(PlanFile &file, std::vector<Element> PlanFile::*list, std::size_t least, std::uint64_t seed) {
    bool smaller = false;
    for (std::size_t i = (file.*list).size(); i-- > 0 && (file.*list).size() > least;) {
        PlanFile shorter = file;
        (shorter.*list).erase((shorter.*list).begin() + static_cast<std::ptrdiff_t>(i));
        if (!fails(shorter, seed))
            continue;
        file = std::move(shorter);
        smaller = true;
    }
    return smaller;
}

} // namespace

PlanFile shrink(PlanFile file, std::uint64_t seed) {
    bool smaller = true;
    while (smaller) {
        smaller = leave_out(file, &PlanFile::statements, 1, seed);
        smaller = leave_out(file, &PlanFile::rules, 0, seed) || smaller;
        smaller = leave_out(file, &PlanFile::pins, 0, seed) || smaller;
        smaller = leave_out(file, &PlanFile::axes, 1, seed) || smaller;
        smaller = leave_out(file, &PlanFile::declarations, 0, seed) || smaller;
    }
    return file;
}

} // namespace planc::test
