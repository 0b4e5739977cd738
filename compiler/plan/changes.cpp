#include "plan/changes.h"

namespace planc::plan {

Changes::Changes(const Objective &objective, std::vector<int> values)
    : objective_(objective), values_(std::move(values)), terms_of_(values_.size()) {
    for (const Term &term : objective.terms) {
        for (const LayerId layer : term.layers)
            terms_of_[layer].push_back(&term);
        count(term, 1);
        bytes_ += bytes(term);
    }
}

Changes::Change Changes::to(LayerId layer, int value) {
    const int old = values_[layer.index()];
    const double before = bytes_;
    Change change{-latency(), 0};
    for (const Term *term : terms_of_[layer])
        change.seconds -= term->table->prices.seconds[entry(*term)];
    set(layer, value);
    for (const Term *term : terms_of_[layer])
        change.seconds += term->table->prices.seconds[entry(*term)];
    change.seconds += latency();
    change.bytes = bytes_;
    set(layer, old);
    bytes_ = before; // exactly
    return change;
}

void Changes::set(LayerId layer, int value) {
    for (const Term *term : terms_of_[layer]) {
        bytes_ -= bytes(*term);
        count(*term, -1);
    }
    values_[layer.index()] = value;
    for (const Term *term : terms_of_[layer]) {
        bytes_ += bytes(*term);
        count(*term, 1);
    }
}

std::size_t Changes::entry(const Term &term) const {
    std::size_t entry = 0;
    for (std::size_t i = 0; i < term.layers.size(); ++i)
        entry = entry * static_cast<std::size_t>(term.classes[i]) +
                static_cast<std::size_t>((*term.class_of[i])[values_[term.layers[i].index()]]);
    return entry;
}

/// Of what lives through the step.
double Changes::bytes(const Term &term) const {
    return term.table->prices.bytes.empty() || term.life.first ? 0 : term.table->prices.bytes[entry(term)];
}

void Changes::count(const Term &term, int by) {
    if (term.table->fused.empty())
        return;
    const std::uint32_t sets = term.table->fused[entry(term)];
    for (std::size_t set = 0; set < objective_.bucket_latency.size(); ++set)
        if (sets >> set & 1)
            uses_[set] += by;
}

double Changes::latency() const {
    double sum = 0;
    for (std::size_t set = 0; set < objective_.bucket_latency.size(); ++set)
        sum += uses_[set] > 0 ? objective_.bucket_latency[set] : 0;
    return sum;
}

} // namespace planc::plan
