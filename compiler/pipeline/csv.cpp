#include "pipeline/csv.h"

#include "pipeline/measure.h"
#include "pipeline/read.h"
#include "support/csv.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace planc::pipeline {

namespace {

constexpr std::array<std::string_view, 7> communication{"SEND_F",  "RECV_F",  "SEND_B",     "RECV_B",
                                                        "UNSHARD", "RESHARD", "REDUCE_GRAD"};
constexpr std::string_view overlap = ")OVERLAP_F_B";

/// The kind of action that a cell names. In older files a full backward is BW.
std::optional<Kind> kind_in(std::string_view letters) {
    Kind kind{};
    if (letters == "BW")
        return Kind::backward;
    if (letters.size() == 1 && kind_of(letters.front(), kind))
        return kind;
    return {};
}

/// Adds what a cell of one action says.
void read_action(const Token &cell, std::vector<ReadAction> &actions) {
    std::string_view left = cell.text;
    const std::optional<int> stage = take_number(left);
    const std::size_t letters = std::min(left.find_first_of("0123456789"), left.size());
    const std::string_view name = left.substr(0, letters);
    left.remove_prefix(letters);
    const std::optional<int> micro_batch = take_number(left);
    const std::optional<Kind> kind = kind_in(name);
    const bool communicates = std::find(communication.begin(), communication.end(), name) != communication.end();
    if (!stage || !left.empty() || (!communicates && (!kind || !micro_batch)))
        refuse(cell, "is no action: a stage, F, B, I, W or a communication, and a micro-batch, as in 2F0");
    if (!communicates)
        actions.push_back({{*kind, *stage, *micro_batch}, cell});
}

/// In older files B is only the gradient of the input where there is a W.
void rename_backward(std::vector<ReadAction> &actions) {
    std::set<std::pair<int, int>> split; // stages and micro-batches
    for (const auto &[action, token] : actions)
        if (action.kind == Kind::weight_gradient)
            split.emplace(action.stage, action.micro_batch);
    for (const auto &[action, token] : actions)
        if (action.kind == Kind::input_gradient)
            split.erase({action.stage, action.micro_batch});
    for (auto &[action, token] : actions)
        if (action.kind == Kind::backward && split.contains({action.stage, action.micro_batch}))
            action.kind = Kind::input_gradient;
}

void read_cell(const Token &cell, std::vector<ReadAction> &actions) {
    Token content = cell.trimmed();
    if (content.text.size() >= 2 && content.text.front() == '"' && content.text.back() == '"')
        content = content.part(1, content.text.size() - 2).trimmed();
    if (content.text.empty())
        return;
    if (content.text.front() != '(')
        return read_action(content, actions);
    if (!content.text.ends_with(overlap))
        refuse(content, "is no overlap of actions, as in (0F1;3B0)OVERLAP_F_B");
    for (const Token &part : content.part(1, content.text.size() - 1 - overlap.size()).split(';'))
        read_action(part.trimmed(), actions);
}

} // namespace

std::string csv(const Schedule &schedule) {
    Durations steps = equal_durations(schedule.stages);
    steps.backward = steps.input;
    const std::vector<std::vector<Span>> spans = spans_of(schedule, steps);
    std::string text;
    for (std::size_t rank = 0; rank < spans.size(); ++rank) {
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < spans[rank].size(); ++i) {
            const Action &action = schedule.actions[rank][i];
            cells.resize(static_cast<std::size_t>(spans[rank][i].start));
            cells.push_back(std::to_string(action.stage) + letter(action.kind) + std::to_string(action.micro_batch));
        }
        text += support::csv_line(cells);
    }
    return text;
}

Schedule read_csv(std::string_view text, std::string name) {
    std::vector<std::vector<ReadAction>> ranks;
    for (const Token &line : lines(text)) {
        ranks.emplace_back();
        for (const Token &cell : line.split(','))
            read_cell(cell, ranks.back());
        rename_backward(ranks.back());
    }
    if (ranks.empty())
        throw std::invalid_argument("a pipeline schedule has a row for each rank");
    return schedule_of(ranks, std::move(name));
}

} // namespace planc::pipeline
