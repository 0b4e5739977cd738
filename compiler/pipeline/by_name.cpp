#include "pipeline/makers.h"

#include "pipeline/text.h"

#include <stdexcept>

namespace planc::pipeline {

bool is_table(const std::string &schedule) {
    return schedule.find(':') != std::string::npos;
}

Schedule made_by(const std::string &name, int ranks, int chunks, int micro_batches) {
    if (is_table(name)) {
        Schedule table = read_text(name);
        if (table.ranks != ranks || table.micro_batches != micro_batches)
            throw std::invalid_argument("the schedule is of " + std::to_string(table.ranks) + " ranks and " +
                                        std::to_string(table.micro_batches) + " micro-batches");
        return table;
    }
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
