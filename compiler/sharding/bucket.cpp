#include "sharding/bucket.h"

#include <algorithm>
#include <limits>

namespace planc::sharding {

namespace {

std::int64_t bytes(const Value &value, const Copy &copy, const Mesh &mesh) {
    return planrt::largest_volume(copy.placement, mesh) * value.element_bytes;
}

struct Candidate {
    BucketMember member;
    std::vector<int> axes;
    int element_bytes = 4;
    std::int64_t bytes = 0;
    OperationId produced;
    OperationId first_use;
    int level = 0; ///< what waits for other stages is not reduced with what they may wait for
};

std::vector<Candidate> candidates(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh) {
    std::vector<Candidate> found;
    for (const ValueId v : graph.values.ids())
        for (int c = 0; c < static_cast<int>(laid_out.copies[v].size()); ++c) {
            const Copy &copy = laid_out.copies[v][c];
            const Value &value = graph.values[v];
            if (fusable(graph, mesh, v, copy))
                found.push_back({{v, c},
                                 copy.steps[0].axes,
                                 value.element_bytes,
                                 bytes(value, copy, mesh),
                                 value.producer,
                                 copy.first_use,
                                 graph.operations[value.producer].level});
        }
    std::stable_sort(found.begin(), found.end(),
                     [](const Candidate &a, const Candidate &b) { return a.produced < b.produced; });
    return found;
}

struct Open {
    Bucket bucket;
    int element_bytes = 4;
    int level = 0;
    OperationId first_use{std::numeric_limits<int>::max()};

    [[nodiscard]] bool is_for(const Candidate &candidate) const {
        return bucket.axes == candidate.axes && element_bytes == candidate.element_bytes && level == candidate.level;
    }
    [[nodiscard]] bool takes(const Candidate &candidate) const {
        return bucket.bytes + candidate.bytes <= largest_bucket_bytes && candidate.produced < first_use;
    }
    void add(const Candidate &candidate) {
        bucket.members.push_back(candidate.member);
        bucket.bytes += candidate.bytes;
        first_use = std::min(first_use, candidate.first_use);
    }
};

} // namespace

bool fusable(const Graph &graph, const Mesh &mesh, ValueId value, const Copy &copy) {
    return copy.steps.size() == 1 && copy.steps[0].kind == CollectiveKind::all_reduce &&
           copy.steps[0].from.reduction == planrt::Reduction::sum && copy.first_use &&
           graph.operations[copy.first_use].phase == Phase::update &&
           bytes(graph.values[value], copy, mesh) <= largest_fused_bytes;
}

std::vector<Bucket> buckets(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh) {
    std::vector<Open> all;
    std::vector<std::size_t> open; // one per set of axes, element size and level
    for (const Candidate &candidate : candidates(graph, laid_out, mesh)) {
        auto place = std::find_if(open.begin(), open.end(), [&](std::size_t i) { return all[i].is_for(candidate); });
        if (place == open.end() || !all[*place].takes(candidate)) {
            all.push_back({{candidate.axes, {}, 0}, candidate.element_bytes, candidate.level});
            if (place == open.end())
                place = open.insert(open.end(), all.size() - 1);
            *place = all.size() - 1;
        }
        all[*place].add(candidate);
    }
    std::vector<Bucket> result;
    for (Open &each : all)
        if (each.bucket.members.size() > 1)
            result.push_back(std::move(each.bucket));
    std::stable_sort(result.begin(), result.end(), [&](const Bucket &a, const Bucket &b) {
        return graph.values[a.members.back().value].producer < graph.values[b.members.back().value].producer;
    });
    return result;
}

} // namespace planc::sharding
