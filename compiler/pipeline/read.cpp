#include "pipeline/read.h"

#include "pipeline/check.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace planc::pipeline {

namespace {

constexpr std::string_view blanks = " \t";
constexpr int most = 1 << 28; // a number is below

/// Where F of each micro-batch and stage runs.
std::map<std::pair<int, int>, int> forwards(const std::vector<std::vector<ReadAction>> &ranks) {
    std::map<std::pair<int, int>, int> found;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
        for (const auto &[action, token] : ranks[rank])
            if (action.kind == Kind::forward &&
                !found.emplace(std::pair(action.micro_batch, action.stage), static_cast<int>(rank)).second)
                refuse(token, "occurs twice");
    return found;
}

/// Refuses what is on another rank than its F, or twice on its own.
void check_places(const std::vector<std::vector<ReadAction>> &ranks, const Schedule &schedule) {
    std::set<std::tuple<Kind, int, int>> seen;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        for (const auto &[action, token] : ranks[rank]) {
            const int home = schedule.rank_of(action.stage, action.micro_batch);
            if (home != static_cast<int>(rank))
                refuse(token, "is on rank " + std::to_string(rank) + ", its F on rank " + std::to_string(home));
            if (!seen.emplace(action.kind, action.stage, action.micro_batch).second)
                refuse(token, "occurs twice");
        }
    }
}

/// Numbers the placements in the order of their first micro-batches.
void place(const std::map<std::pair<int, int>, int> &forwards, Schedule &schedule) {
    std::map<std::vector<int>, int> replicas;
    auto next = forwards.begin(); // in the order of micro-batches, then stages
    for (int m = 0; m < schedule.micro_batches; ++m) {
        std::vector<int> ranks;
        for (int stage = 0; stage < schedule.stages; ++stage, ++next) {
            // Checked here, so that a large number in a short text does not make large tables.
            if (next == forwards.end() || next->first != std::pair(m, stage))
                throw std::invalid_argument(text(Action{Kind::forward, stage, m}) + " is missing");
            ranks.push_back(next->second);
        }
        const auto [replica, is_new] = replicas.emplace(ranks, static_cast<int>(replicas.size()));
        if (is_new)
            schedule.placement.push_back(ranks);
        schedule.replica_of.push_back(replica->second);
    }
}

} // namespace

Token Token::part(std::size_t begin, std::size_t length) const {
    return {text.substr(begin, length), line, column + static_cast<int>(begin)};
}

Token Token::trimmed() const {
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos)
        return part(text.size());
    return part(begin, text.find_last_not_of(blanks) + 1 - begin);
}

std::vector<Token> Token::split(char separator) const {
    std::vector<Token> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(part(begin, end - begin));
        if (end == text.size())
            return parts;
        begin = end + 1;
    }
}

std::vector<Token> lines(std::string_view text) {
    std::vector<Token> lines = Token{text}.split('\n');
    if (lines.back().text.empty())
        lines.pop_back();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i].line = static_cast<int>(i) + 1;
        lines[i].column = 1;
        if (lines[i].text.ends_with('\r'))
            lines[i].text.remove_suffix(1);
    }
    return lines;
}

Refused::Refused(const Token &token, const std::string &wrong)
    : std::invalid_argument("line " + std::to_string(token.line) + ", column " + std::to_string(token.column) + ": '" +
                            std::string(token.text) + "' " + wrong),
      line(token.line), column(token.column), fault("'" + std::string(token.text) + "' " + wrong) {}

void refuse(const Token &token, const std::string &wrong) {
    throw Refused(token, wrong);
}

std::optional<int> take_number(std::string_view &text) {
    int number = 0;
    if (text.empty() || text.front() < '0' || text.front() > '9')
        return {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number >= most)
        return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

ReadAction read_action(const Token &token, int rank) {
    std::string_view left = token.text;
    Action action{Kind::forward, rank, 0};
    const bool known = !left.empty() && kind_of(left.front(), action.kind);
    left.remove_prefix(std::min<std::size_t>(1, left.size()));
    const std::optional<int> micro_batch = take_number(left);
    std::optional<int> stage = rank;
    if (left.starts_with('.')) {
        left.remove_prefix(1);
        stage = take_number(left);
    }
    if (!known || !micro_batch || !stage || !left.empty())
        refuse(token, "is no action: F, B, I or W, a micro-batch, and perhaps a point and a stage, as in F3 or F3.5");
    action.micro_batch = *micro_batch;
    action.stage = *stage;
    return {action, token};
}

Schedule schedule_of(const std::vector<std::vector<ReadAction>> &ranks, std::string name, Weights weights,
                     int accumulated) {
    Schedule schedule;
    schedule.name = std::move(name);
    schedule.weights = weights;
    schedule.accumulated = accumulated;
    schedule.ranks = static_cast<int>(ranks.size());
    schedule.stages = schedule.micro_batches = 0;
    for (const std::vector<ReadAction> &actions : ranks) {
        schedule.actions.emplace_back();
        for (const auto &[action, token] : actions) {
            schedule.stages = std::max(schedule.stages, action.stage + 1);
            schedule.micro_batches = std::max(schedule.micro_batches, action.micro_batch + 1);
            schedule.actions.back().push_back(action);
        }
    }
    place(forwards(ranks), schedule);
    check_places(ranks, schedule);
    if (const std::string wrong = fault(schedule); !wrong.empty())
        throw std::invalid_argument(wrong);
    return schedule;
}

} // namespace planc::pipeline
