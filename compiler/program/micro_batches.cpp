#include "program/micro_batches.h"

#include <algorithm>

namespace planc::program {

namespace {

/// Which of the step's updates takes a micro-batch.
int update_of(std::int64_t micro_batch, const pipeline::Updates &updates) {
    switch (updates.weights) {
    case pipeline::Weights::synchronous:
        return 0;
    case pipeline::Weights::stashed:
        return static_cast<int>(micro_batch);
    case pipeline::Weights::two_versions:
        break;
    }
    return static_cast<int>(micro_batch / updates.accumulated);
}

Versions versions_of(int update, int updates) {
    return {update == 0 ? 0 : (update - 1) % 2, update % 2, update + 1 == updates ? 0 : (update + 1) % 2};
}

} // namespace

std::vector<MicroBatch> micro_batches(std::int64_t batch, std::int64_t count, const pipeline::Updates &updates) {
    std::vector<MicroBatch> result;
    for (std::int64_t i = 0; i < count; ++i) {
        const planrt::Range samples = planrt::block({0, batch}, static_cast<int>(count), static_cast<int>(i));
        result.push_back({samples.begin, samples.size(), update_of(i, updates)});
    }
    return result;
}

MicroBatchKind kind_of(const std::vector<MicroBatch> &all, std::size_t micro_batch, pipeline::Weights weights) {
    const MicroBatch &own = all[micro_batch];
    const bool last = micro_batch + 1 == all.size();
    MicroBatchKind kind{own.samples, last || all[micro_batch + 1].update != own.update};
    const int updates = all.back().update + 1;
    if (updates == 1)
        return kind;
    kind.begins = micro_batch == 0 || all[micro_batch - 1].update != own.update;
    for (const MicroBatch &each : all)
        if (each.update == own.update) {
            kind.update_samples += each.samples;
            ++kind.update_parts;
        }
    if (weights == pipeline::Weights::two_versions) {
        kind.versions = versions_of(own.update, updates);
        if (!kind.updates)
            kind.versions.changed = kind.versions.written = kind.versions.used;
    }
    return kind;
}

MicroBatchKind kind_of(const std::vector<MicroBatch> &all, const pipeline::Schedule &schedule, int micro_batch) {
    const auto index = static_cast<std::size_t>(micro_batch);
    MicroBatchKind kind = kind_of(all, index, schedule.weights);
    if (schedule.placement.size() > 1)
        kind.updates = micro_batch == schedule.last_of(schedule.replica_of[index]);
    return kind;
}

std::vector<MicroBatchKind> kinds(const std::vector<MicroBatch> &all, pipeline::Weights weights) {
    std::vector<MicroBatchKind> result;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (const MicroBatchKind kind = kind_of(all, i, weights);
            std::find(result.begin(), result.end(), kind) == result.end())
            result.push_back(kind);
    return result;
}

} // namespace planc::program
