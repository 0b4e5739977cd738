#include <planrt/tables.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace planrt {

struct Tables::Rows {
    std::vector<Variable> variables;
    std::vector<Sum> sums;
    std::vector<Work> work;
    std::vector<TrafficRow> traffic;
    std::vector<Collective> collectives;
    // The contents that rows refer to. A deque never moves its elements.
    std::deque<std::string> texts;
    std::deque<std::vector<Collective::Member>> members;
    std::deque<std::vector<Collective::Predicted>> predicted;
    // The members of the collective that is being described.
    std::vector<Collective::Member> next_members;
    std::vector<std::string> next_layers;
    std::string next_tensors;

    const char *keep(std::string text) { return texts.emplace_back(std::move(text)).c_str(); }
};

Tables::Tables(void (*fill)(Tables &)) : rows_(std::make_unique<Rows>()) {
    fill(*this);
}

Tables::~Tables() = default;

const char *Tables::in_layer(const char *pattern, const char *layer) {
    std::string text;
    for (const char *c = pattern; *c != '\0'; ++c)
        if (*c == '%')
            text += layer;
        else
            text += *c;
    return rows_->keep(std::move(text));
}

void Tables::variable(const Variable &variable) {
    rows_->variables.push_back(variable);
}

void Tables::sum(const Sum &sum) {
    rows_->sums.push_back(sum);
}

void Tables::work(const Work &row) {
    rows_->work.push_back(row);
}

void Tables::member(const char *layer, const char *tensor, const Tensor &from, const Tensor &to) {
    rows_->next_members.push_back({from, to});
    rows_->next_tensors += (rows_->next_tensors.empty() ? "" : ", ") + std::string(tensor);
    if (*layer != '\0' && std::ranges::find(rows_->next_layers, layer) == rows_->next_layers.end())
        rows_->next_layers.emplace_back(layer);
}

void Tables::collective(CollectiveKind kind, std::span<const int> axes, const char *phase, std::int64_t scratch_offset,
                        std::int64_t scratch_bytes, std::initializer_list<Collective::Predicted> predicted,
                        double seconds, Algorithm algorithm, std::span<const int> shape, bool staged) {
    std::string layers;
    for (const std::string &layer : std::exchange(rows_->next_layers, {}))
        layers += (layers.empty() ? "" : ", ") + layer;
    const auto row = static_cast<int>(rows_->traffic.size());
    rows_->traffic.push_back(
        {rows_->keep(std::move(layers)), phase, rows_->keep(std::exchange(rows_->next_tensors, {}))});
    rows_->members.push_back(std::exchange(rows_->next_members, {}));
    rows_->predicted.emplace_back(predicted);
    rows_->collectives.push_back({kind, row, axes, rows_->members.back(), scratch_offset, scratch_bytes,
                                  rows_->predicted.back(), seconds, algorithm, shape, 0, -1, 0, staged});
}

std::span<const Variable> Tables::variables() const {
    return rows_->variables;
}

std::span<const Sum> Tables::sums() const {
    return rows_->sums;
}

std::span<const Work> Tables::work() const {
    return rows_->work;
}

std::span<const TrafficRow> Tables::traffic() const {
    return rows_->traffic;
}

std::span<const Collective> Tables::collectives() const {
    return rows_->collectives;
}

} // namespace planrt
