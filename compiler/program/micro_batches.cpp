#include "program/micro_batches.h"

#include <algorithm>

namespace planc::program {

std::vector<MicroBatch> micro_batches(std::int64_t batch, std::int64_t count) {
    std::vector<MicroBatch> result;
    for (std::int64_t i = 0; i < count; ++i) {
        const planrt::Range samples = planrt::block({0, batch}, static_cast<int>(count), static_cast<int>(i));
        result.push_back({samples.begin, samples.size()});
    }
    return result;
}

MicroBatchKind kind_of(const std::vector<MicroBatch> &all, std::size_t micro_batch) {
    return {all[micro_batch].samples, micro_batch + 1 == all.size()};
}

MicroBatchKind kind_of(const std::vector<MicroBatch> &all, const pipeline::Schedule &schedule, int micro_batch) {
    const auto index = static_cast<std::size_t>(micro_batch);
    return {all[index].samples, micro_batch == schedule.last_of(schedule.replica_of[index])};
}

std::vector<MicroBatchKind> kinds(const std::vector<MicroBatch> &all) {
    std::vector<MicroBatchKind> result;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const MicroBatchKind kind = kind_of(all, i); std::find(result.begin(), result.end(), kind) == result.end())
            result.push_back(kind);
    return result;
}

} // namespace planc::program
