#include "cost/machine.h"

#include "sema/program.h"

namespace planc::cost {

namespace {

AllReduce algorithm(const std::string &declared) {
    if (declared == "rabenseifner")
        return AllReduce::rabenseifner;
    if (declared == "recursive_doubling")
        return AllReduce::recursive_doubling;
    if (declared == "mst")
        return AllReduce::mst;
    return AllReduce::ring; // "ring", "bucket"
}

Link link(const sema::Link &declared) {
    Link result;
    result.latency = declared.latency;
    if (declared.bytes_per_second > 0)
        result.bytes_per_second = declared.bytes_per_second;
    if (declared.topology != "star")
        result.shape = declared.shape;
    return result;
}

} // namespace

const char *name(AllReduce algorithm) {
    switch (algorithm) {
    case AllReduce::ring:
        return "ring";
    case AllReduce::rabenseifner:
        return "rabenseifner";
    case AllReduce::recursive_doubling:
        return "recursive doubling";
    case AllReduce::mst:
        return "mst";
    }
    return "";
}

Machine machine(const sema::Machine &declared) {
    Machine result;
    result.name = declared.name;
    if (declared.flops_per_second > 0)
        result.flops_per_second = declared.flops_per_second;
    if (declared.memory_bytes_per_second > 0)
        result.memory_bytes_per_second = declared.memory_bytes_per_second;
    result.memory_bytes = declared.memory_bytes;
    if (declared.gemm_block.size() == 3)
        result.gemm_block = GemmBlock{declared.gemm_block[0], declared.gemm_block[1], declared.gemm_block[2]};
    result.reduction_flops_per_second = declared.reduction_flops_per_second;
    result.ranks_per_node = declared.ranks_per_node;
    result.network = link(declared.network);
    if (declared.inside)
        result.inside = link(*declared.inside);
    result.all_reduce = algorithm(declared.allreduce);
    return result;
}

} // namespace planc::cost
