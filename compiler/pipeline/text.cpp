#include "pipeline/text.h"

#include "pipeline/read.h"

#include <algorithm>
#include <stdexcept>

namespace planc::pipeline {

namespace {

constexpr std::string_view two_versions = "two versions, ";
constexpr std::string_view accumulated = " accumulated";

class Reader {
  public:
    Schedule read(std::string_view text) {
        for (const Token &line : lines(text)) {
            const Token content = line.trimmed();
            if (!content.text.empty() && content.text.front() != '#')
                read_line(content);
        }
        if (ranks_.empty())
            throw std::invalid_argument("a pipeline schedule has a line for each rank, as in '0: F0 B0'");
        return schedule_of(ranks_, name_, weights_, accumulated_);
    }

  private:
    void read_line(const Token &line) {
        const std::size_t colon = line.text.find(':');
        const Token key = line.part(0, colon).trimmed();
        if (colon == std::string_view::npos)
            refuse(key.split(' ').front(), "is not followed by ':', as in '0: F0 B0'");
        const Token value = line.part(colon + 1).trimmed();
        if (key.text == "name" && ranks_.empty())
            name_ = value.text;
        else if (key.text == "weights" && ranks_.empty())
            read_weights(value);
        else if (key.text == std::to_string(ranks_.size()))
            read_rank(value);
        else
            refuse(key, "is not the next rank, " + std::to_string(ranks_.size()) +
                            (ranks_.empty() ? ", nor name or weights" : ""));
    }

    void read_weights(const Token &value) {
        std::string_view left = value.text;
        if (left == "synchronous") {
            weights_ = Weights::synchronous;
        } else if (left == "stashed") {
            weights_ = Weights::stashed;
        } else if (left.starts_with(two_versions)) {
            left.remove_prefix(two_versions.size());
            const std::optional<int> count = take_number(left);
            if (!count || *count < 1 || left != accumulated)
                refuse(value, "is not of the form 'two versions, 4 accumulated'");
            weights_ = Weights::two_versions;
            accumulated_ = *count;
        } else {
            refuse(value, "is not synchronous, stashed, or 'two versions, 4 accumulated'");
        }
    }

    void read_rank(const Token &value) {
        const auto rank = static_cast<int>(ranks_.size());
        ranks_.emplace_back();
        for (const Token &words : value.split(' '))
            for (const Token &word : words.split('\t'))
                if (!word.text.empty())
                    ranks_.back().push_back(read_action(word, rank));
    }

    std::string name_;
    Weights weights_ = Weights::synchronous;
    int accumulated_ = 0;
    std::vector<std::vector<ReadAction>> ranks_;
};

} // namespace

std::string text(const Schedule &schedule) {
    std::string text = schedule.name.empty() ? "" : "name: " + schedule.name + "\n";
    if (schedule.weights == Weights::stashed)
        text += "weights: stashed\n";
    if (schedule.weights == Weights::two_versions)
        text += "weights: " + std::string(two_versions) + std::to_string(schedule.accumulated) +
                std::string(accumulated) + "\n";
    for (int rank = 0; rank < schedule.ranks; ++rank) {
        const std::vector<Action> &actions = schedule.actions[static_cast<std::size_t>(rank)];
        const bool own_stage =
            std::all_of(actions.begin(), actions.end(), [&](const Action &action) { return action.stage == rank; });
        text += std::to_string(rank) + ":";
        for (const Action &action : actions) {
            text += std::string(" ") + letter(action.kind) + std::to_string(action.micro_batch);
            if (!own_stage)
                text += "." + std::to_string(action.stage);
        }
        text += "\n";
    }
    return text;
}

Schedule read_text(std::string_view text) {
    return Reader().read(text);
}

} // namespace planc::pipeline
