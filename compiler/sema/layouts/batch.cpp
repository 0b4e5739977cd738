#include "sema/layouts/batch.h"

namespace planc::sema {

std::optional<std::int64_t> batch_of(const Train &train) {
    const std::vector<Argument> &inputs = train.loss.arguments;
    if (inputs.empty() || inputs.front().type.dimensions.empty())
        return std::nullopt;
    return train.batch_vertices > 0 ? train.batch_vertices : inputs.front().type.dimensions.front().extent;
}

} // namespace planc::sema
