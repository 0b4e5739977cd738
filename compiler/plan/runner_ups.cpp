#include "plan/search.h"

#include <array>
#include <limits>

namespace planc::plan {

namespace {

/// The terms of a plan, with the price of changing one layer.
class Changes {
  public:
    Changes(const Objective &objective, std::vector<int> values)
        : objective_(objective), values_(std::move(values)), terms_of_(values_.size()) {
        for (const Term &term : objective.terms) {
            for (int layer : term.layers)
                terms_of_[layer].push_back(&term);
            count(term, 1);
            bytes_ += bytes(term);
        }
    }

    struct Change {
        double seconds = 0;
        double bytes = 0; ///< of the whole plan after the change
    };
    Change to(int layer, int value) {
        const int old = values_[layer];
        Change change{-latency(), bytes_};
        for (const Term *term : terms_of_[layer]) {
            change.seconds -= term->table->prices.seconds[entry(*term)];
            change.bytes -= bytes(*term);
            count(*term, -1);
        }
        values_[layer] = value;
        for (const Term *term : terms_of_[layer]) {
            change.seconds += term->table->prices.seconds[entry(*term)];
            change.bytes += bytes(*term);
            count(*term, 1);
        }
        change.seconds += latency();
        for (const Term *term : terms_of_[layer])
            count(*term, -1);
        values_[layer] = old;
        for (const Term *term : terms_of_[layer])
            count(*term, 1);
        return change;
    }

  private:
    [[nodiscard]] std::size_t entry(const Term &term) const {
        std::size_t entry = 0;
        for (std::size_t i = 0; i < term.layers.size(); ++i)
            entry = entry * static_cast<std::size_t>(term.classes[i]) +
                    static_cast<std::size_t>((*term.class_of[i])[values_[term.layers[i]]]);
        return entry;
    }
    [[nodiscard]] double bytes(const Term &term) const {
        return term.table->prices.bytes.empty() ? 0 : term.table->prices.bytes[entry(term)];
    }
    void count(const Term &term, int by) {
        if (term.table->fused.empty())
            return;
        const std::uint32_t sets = term.table->fused[entry(term)];
        for (std::size_t set = 0; set < objective_.bucket_latency.size(); ++set)
            if (sets >> set & 1)
                uses_[set] += by;
    }
    [[nodiscard]] double latency() const {
        double sum = 0;
        for (std::size_t set = 0; set < objective_.bucket_latency.size(); ++set)
            sum += uses_[set] > 0 ? objective_.bucket_latency[set] : 0;
        return sum;
    }

    const Objective &objective_;
    std::vector<int> values_;
    std::vector<std::vector<const Term *>> terms_of_;
    std::array<int, 32> uses_{};
    double bytes_ = 0;
};

} // namespace

std::vector<std::optional<RunnerUp>> runner_ups(const Objective &objective, const Space &space,
                                                const std::vector<int> &values, double byte_limit) {
    Changes changes(objective, values);
    std::vector<std::optional<RunnerUp>> result(values.size());
    for (int layer = 0; layer < static_cast<int>(values.size()); ++layer)
        for (int value = 0; value < objective.domains[layer]; ++value) {
            if (value == values[layer])
                continue;
            const Changes::Change change = changes.to(layer, value);
            if (byte_limit > 0 && change.bytes > byte_limit)
                continue;
            if (!result[layer] || change.seconds < result[layer]->added.value)
                result[layer] = RunnerUp{(*space.options[layer])[value], Seconds(change.seconds)};
        }
    return result;
}

} // namespace planc::plan
