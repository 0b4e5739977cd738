#include "interpret/windows.h"

#include "interpret/interpret.h"

namespace planc::interpret {

using planrt::Range;
using sharding::NestWindow;

static std::string text(Range range) {
    return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

Windows::Windows(const sharding::Nest &nest, const planrt::Box &space, const std::vector<const Local *> &operands,
                 bool parts) {
    for (const NestWindow &window : nest.windows) {
        const auto operand = static_cast<std::size_t>(window.operand);
        const auto dimension = static_cast<std::size_t>(window.dimension);
        const auto loop = static_cast<std::size_t>(nest.operands[operand][dimension]);
        const planrt::Box &box = operands[operand]->box;
        const Range needed = planrt::touched(sharding::window_of(window, nest), space[loop], window.extent);
        if (!parts && planrt::volume(space) > 0 && !contains({box[dimension]}, {needed}))
            throw Failure("windows of loop '" + nest.loops[loop].name + "' at " + text(space[loop]) + " touch " +
                          text(needed) + ", but the rank has " + text(box[dimension]));
        std::int64_t stride = 1;
        for (std::size_t d = dimension + 1; d < box.size(); ++d)
            stride *= box[d].size();
        windows_.push_back({window, loop, box[dimension], stride});
    }
}

bool Windows::move(const std::vector<std::int64_t> &index, std::vector<std::int64_t> &at) const {
    for (const auto &[window, loop, held, stride] : windows_) {
        const std::int64_t inward =
            index[static_cast<std::size_t>(window.kernel_loop)] * window.dilation - window.padding;
        const std::int64_t forward = index[loop] * window.stride + inward;
        const std::int64_t back = index[loop] - inward;
        if (window.transposed && back % window.stride != 0)
            return false;
        const std::int64_t element = window.transposed ? back / window.stride : forward;
        if (element < held.begin || element >= held.end) // padding, or another part's
            return false;
        at[static_cast<std::size_t>(window.operand)] += (element - held.begin) * stride;
    }
    return true;
}

} // namespace planc::interpret
