#include "interpret/local.h"

namespace planc::interpret {

using planrt::Box;

void for_each_offset(const Box &outer, const Box &inner, const std::function<void(std::size_t, std::size_t)> &visit) {
    const std::int64_t count = planrt::volume(inner);
    std::vector<std::int64_t> index(inner.size(), 0);
    for (std::int64_t at = 0; at < count; ++at) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < inner.size(); ++d)
            offset = offset * outer[d].size() + outer[d].position(inner[d].index(index[d]));
        visit(static_cast<std::size_t>(offset), static_cast<std::size_t>(at));
        for (std::size_t d = inner.size(); d-- > 0;) {
            if (++index[d] < inner[d].size())
                break;
            index[d] = 0;
        }
    }
}

Local extract(const Local &from, const Box &box, planrt::Range stored) {
    Local part(box, stored);
    for_each_offset(from.box, box, [&](std::size_t outer, std::size_t inner) {
        if (part.has(inner))
            part.at(inner) = from.at(outer);
    });
    return part;
}

bool contains(const Box &outer, const Box &inner) {
    if (planrt::volume(inner) == 0)
        return true;
    for (std::size_t d = 0; d < inner.size(); ++d)
        if (inner[d].begin < outer[d].begin || inner[d].end > outer[d].end)
            return false;
    return true;
}

} // namespace planc::interpret
