#include "timeline/chart.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace planc::timeline {

namespace {

constexpr int least_columns = 96;
constexpr int most_columns = 180;

/// As many columns as the names of runs need, as far as that is readable.
int columns_for(const Program &program, const Timeline &timeline, const std::vector<int> &shown) {
    std::size_t longest = 0;
    double seconds = 0;
    std::size_t runs = 0;
    for (const int rank : shown)
        for (const RunTime &run : timeline.ranks[static_cast<std::size_t>(rank)].runs) {
            longest = std::max(longest, program.runs[static_cast<std::size_t>(run.run)].name.size());
            seconds += (run.end - run.begin).value;
            ++runs;
        }
    if (runs == 0 || seconds <= 0)
        return least_columns;
    const double of_run = seconds / static_cast<double>(runs);
    const double wanted = static_cast<double>(longest + 1) * timeline.makespan.value / of_run;
    return static_cast<int>(std::clamp(wanted, double{least_columns}, double{most_columns}));
}

class Row {
  public:
    Row(Seconds makespan, int columns) : column_(makespan / columns), text_(static_cast<std::size_t>(columns), '.') {}

    void fill(Seconds begin, Seconds end, char letter) {
        for (std::size_t c = place(begin); c < place(end); ++c)
            text_[c] = letter;
    }
    void write(Seconds begin, Seconds end, const std::string &name) {
        const std::size_t width = place(end) - place(begin);
        const std::size_t without_stage = std::min(name.find('.'), name.size());
        const std::size_t shown = name.size() <= width     ? name.size()
                                  : without_stage <= width ? without_stage
                                                           : std::min<std::size_t>(width, 1);
        text_.replace(place(begin), shown, name, 0, shown);
    }
    [[nodiscard]] const std::string &text() const { return text_; }

  private:
    [[nodiscard]] std::size_t place(Seconds time) const {
        return std::min(static_cast<std::size_t>(std::lround(time / column_)), text_.size());
    }

    Seconds column_;
    std::string text_;
};

std::string row(const Program &program, const RankTime &rank, Seconds makespan, int columns) {
    Row row(makespan, columns);
    const auto of = [&](const RunTime &run) -> const Run & { return program.runs[static_cast<std::size_t>(run.run)]; };
    for (const RunTime &run : rank.runs)
        row.fill(run.begin, run.end, static_cast<char>(std::tolower(planrt::letter_of(of(run).kind))));
    for (const Event &event : rank.compute)
        if (is_held_up(event))
            row.fill(event.begin, event.end, '.');
    for (const RunTime &run : rank.runs)
        row.write(run.begin, run.end, of(run).name);
    return row.text();
}

/// The kinds that occur: "F forward, B backward, …".
std::string legend(const Program &program) {
    std::string text;
    for (const auto kind : {planrt::BodyKind::forward, planrt::BodyKind::backward, planrt::BodyKind::input_gradient,
                            planrt::BodyKind::weight_gradient, planrt::BodyKind::update})
        if (std::any_of(program.runs.begin(), program.runs.end(), [kind](const Run &run) { return run.kind == kind; }))
            text += std::string(1, planrt::letter_of(kind)) + " " + planrt::name_of(kind) + ", ";
    const bool names_stages = std::any_of(program.runs.begin(), program.runs.end(),
                                          [](const Run &run) { return run.name.find('.') != std::string::npos; });
    return text + "with the micro-batch" + (names_stages ? " and, after a point, the stage," : "") +
           " where there is room; . waits\n";
}

} // namespace

std::string schedule_chart(const Program &program, const Timeline &timeline) {
    const std::vector<int> shown = busiest_of_roles(program, timeline);
    std::vector<std::string> names;
    std::size_t margin = 0;
    for (const int rank : shown) {
        const int role = program.classes[static_cast<std::size_t>(rank)].role;
        names.push_back(program.roles.empty() ? "" : program.roles[static_cast<std::size_t>(role)]);
        margin = std::max(margin, names.back().size() + 2);
    }
    const int columns = columns_for(program, timeline, shown);
    std::string text = axis_lines(timeline.makespan, columns, margin);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        names[i].resize(margin, ' ');
        text += names[i] +
                row(program, timeline.ranks[static_cast<std::size_t>(shown[i])], timeline.makespan, columns) + "\n";
    }
    return text + legend(program);
}

} // namespace planc::timeline
