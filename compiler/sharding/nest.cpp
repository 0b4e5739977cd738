#include "sharding/nest.h"

#include <algorithm>

namespace planc::sharding {

const NestWindow *Nest::window(std::size_t operand, std::size_t dimension) const {
    const auto found = std::find_if(windows.begin(), windows.end(), [&](const NestWindow &window) {
        return static_cast<std::size_t>(window.operand) == operand &&
               static_cast<std::size_t>(window.dimension) == dimension;
    });
    return found == windows.end() ? nullptr : &*found;
}

planrt::Window window_of(const NestWindow &window, const Nest &nest) {
    planrt::Window result;
    result.positions = nest.loops[nest.operands[window.operand][window.dimension]].extent;
    result.kernel = nest.loops[window.kernel_loop].extent;
    result.stride = window.stride;
    result.dilation = window.dilation;
    result.padding = window.padding;
    result.transposed = window.transposed;
    return result;
}

} // namespace planc::sharding
