#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "timeline/chart.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::timeline {

namespace {

constexpr int columns = 96;
constexpr std::size_t margin = 10;
constexpr std::size_t most_ranks = 4;
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The phases and their letters, in the order of a step.
const std::vector<std::pair<std::string, char>> phases{{"forward", 'f'},         {"loss", 'l'},
                                                       {"recompute", 'r'},       {"input gradient", 'i'},
                                                       {"weight gradient", 'w'}, {"update", 'u'}};

class Text {
  public:
    Text(const Program &program, const Timeline &timeline, const ReportOptions &options)
        : program_(program), timeline_(timeline), options_(options), column_(timeline.makespan / columns) {
        for (const std::vector<Action> &actions : program.actions)
            for (const Action &action : actions)
                if (action.kind == ActionKind::compute)
                    note(program.kernels[static_cast<std::size_t>(action.index)].layer);
                else if (action.kind == ActionKind::start)
                    note(program.collectives[static_cast<std::size_t>(action.index)].layer);
    }

    std::string make() {
        std::string text;
        for (const std::string &line : summary(program_, timeline_, options_))
            text += line + "\n";
        const std::vector<int> shown = shown_ranks(timeline_, most_ranks);
        if (program_.has_schedule())
            text += "\n" + schedule_chart(program_, timeline_);
        text += "\n" + axis_lines(timeline_.makespan, columns, margin);
        for (int rank : shown)
            text += lanes(rank);
        if (shown.size() < timeline_.ranks.size())
            text += "and " + std::to_string(timeline_.ranks.size() - shown.size()) + " more that differ\n";
        return text + "\n" + table() + "\n" + legend();
    }

  private:
    void note(const std::string &layer) {
        if (letter_.try_emplace(layer, letters[letter_.size() % letters.size()]).second)
            layers_.push_back(layer);
    }

    std::string lanes(int number) const {
        const RankTime &rank = timeline_.ranks[static_cast<std::size_t>(number)];
        const auto layer = [this](const Event &event) {
            return is_held_up(event) ? '.' : letter_.at(words(program_, event).layer);
        };
        const auto phase = [this](const Event &event) {
            return is_held_up(event) ? '.' : phase_letter(words(program_, event).phase);
        };
        return program_.name(program_.classes[static_cast<std::size_t>(number)]) + "\n" +
               lane("  layer", rank.compute, layer) + lane("  phase", rank.compute, phase) +
               lane("  network", rank.network, layer);
    }

    static char phase_letter(const std::string &name) {
        const auto at =
            std::find_if(phases.begin(), phases.end(), [&](const auto &each) { return each.first == name; });
        return at == phases.end() ? '?' : at->second;
    }

    /// Each column shows what takes most of its time.
    template <class Symbol>
    std::string lane(std::string name, const std::vector<Event> &events, const Symbol &symbol) const {
        std::string line(columns, ' ');
        std::vector<double> most(columns, 0.2 * column_.value); // what takes less of a column is left out
        for (const Event &event : events) {
            const int first = std::min(static_cast<int>(event.begin / column_), columns - 1);
            for (int c = first; c < columns && c * column_ < event.end; ++c) {
                const Seconds share = std::min(event.end, (c + 1) * column_) - std::max(event.begin, c * column_);
                if (share.value < most[static_cast<std::size_t>(c)])
                    continue;
                most[static_cast<std::size_t>(c)] = share.value;
                line[static_cast<std::size_t>(c)] = symbol(event);
            }
        }
        name.resize(margin, ' ');
        return stripped(name + line);
    }

    /// The table for the critical rank.
    std::string table() const {
        const RankTime &rank = timeline_.critical();
        std::map<std::string, std::map<std::string, Seconds>> compute; // by layer and phase
        std::map<std::string, Seconds> network;
        for (const Event &event : rank.compute)
            if (const EventWords what = words(program_, event); event.kind == EventKind::compute)
                compute[what.layer][what.phase] += event.seconds();
            else if (event.kind == EventKind::work)
                network[what.layer] += event.seconds();
        for (const Event &event : rank.network)
            network[words(program_, event).layer] += event.seconds();
        const std::map<std::string, Seconds> waiting = waiting_by_layer(program_, rank);
        const auto cell = [](const std::map<std::string, Seconds> &of, const std::string &name) {
            const auto at = of.find(name);
            return at == of.end() || at->second.value == 0 ? std::string() : cost::human_seconds(at->second);
        };
        const std::vector<std::pair<std::string, char>> used = used_phases(compute);
        cost::Lines lines;
        std::vector<std::string> head{"", "rank " + std::to_string(program_.classes[timeline_.last].first)};
        for (const auto &[name, letter] : used)
            head.push_back(name);
        head.insert(head.end(), {"network", "waits"});
        lines.row(head);
        for (const std::string &layer : layers_) {
            std::vector<std::string> row{std::string(1, letter_.at(layer)), layer};
            for (const auto &[name, letter] : used)
                row.push_back(cell(compute[layer], name));
            row.insert(row.end(), {cell(network, layer), cell(waiting, layer)});
            lines.row(row);
        }
        return lines.text(2);
    }

    static std::vector<std::pair<std::string, char>>
    used_phases(const std::map<std::string, std::map<std::string, Seconds>> &compute) {
        std::vector<std::pair<std::string, char>> used;
        for (const auto &phase : phases)
            if (std::any_of(compute.begin(), compute.end(),
                            [&](const auto &layer) { return layer.second.contains(phase.first); }))
                used.push_back(phase);
        return used;
    }

    [[nodiscard]] std::string legend() const {
        std::string text = "phases:";
        for (const auto &[name, letter] : phases)
            text += std::string(" ") + letter + " " + name + ",";
        return text + (has_work(program_) ? " . waits, or works for communication\n" : " . waits\n");
    }

    const Program &program_;
    const Timeline &timeline_;
    const ReportOptions &options_;
    Seconds column_;
    std::map<std::string, char> letter_; ///< by layer
    std::vector<std::string> layers_;    ///< in the order in which they begin
};

} // namespace

std::string text_report(const Program &program, const Timeline &timeline, const ReportOptions &options) {
    return Text(program, timeline, options).make();
}

} // namespace planc::timeline
