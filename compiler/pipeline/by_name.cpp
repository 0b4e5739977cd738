#include "pipeline/makers.h"

#include <stdexcept>

namespace planc::pipeline {

Schedule made_by(const std::string &name, int ranks, int chunks, int micro_batches) {
    if (name == "gpipe")
        return gpipe(ranks, micro_batches);
    if (name == "one_f_one_b")
        return one_f_one_b(ranks, micro_batches);
    if (name == "interleaved")
        return interleaved(ranks, chunks, micro_batches);
    if (name == "zero_bubble")
        return zero_bubble(ranks, micro_batches);
    if (name == "zb_v")
        return zb_v(ranks, micro_batches);
    if (name == "chimera")
        return chimera(ranks, micro_batches);
    throw std::invalid_argument("there is no synchronous pipeline schedule '" + name + "'");
}

} // namespace planc::pipeline
