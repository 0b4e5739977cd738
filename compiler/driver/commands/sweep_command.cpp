// planc sweep: the same question at many points. A point without a plan is a row that says why; an error in a file ends
// the sweep.

#include "driver/commands/commands.h"
#include "driver/commands/sweep_question.h"
#include "driver/compilation.h"

#include "report/sweep.h"

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

namespace planc::driver {

namespace {

using report::SweepPoint;

/// Thrown inside this file only: an error was printed.
struct Failed {
    int code = input_error;
};

/// The subject of a file, and the samples of a step according to the file and the options.
struct Subject {
    std::string network;
    std::string batch; ///< its role
    std::int64_t samples = 1;
};

Subject subject_of(const Options &options) {
    Compilation compilation(options);
    if (!compilation.analyze_only())
        throw Failed{compilation.exit_code()};
    const std::vector<sema::Train> &trains = compilation.program().trains;
    if (trains.empty()) {
        std::cerr << "planc: '" << options.file << "' has no `train` declaration: there is no step to plan\n";
        throw Failed{input_error};
    }
    const std::vector<sema::Argument> &fields = trains.back().loss.arguments;
    if (fields.empty() || fields.front().type.dimensions.empty())
        return {trains.back().network, "", 1};
    const sema::Dimension &first = fields.front().type.dimensions.front();
    return {trains.back().network, first.role, first.extent};
}

/// All choices of one value from each list.
template <class T> std::vector<std::vector<T>> products(const std::vector<std::vector<T>> &lists) {
    std::vector<std::vector<T>> all{{}};
    for (const std::vector<T> &list : lists) {
        std::vector<std::vector<T>> longer;
        for (const std::vector<T> &head : all)
            for (const T &value : list) {
                longer.push_back(head);
                longer.back().push_back(value);
            }
        all = std::move(longer);
    }
    return all;
}

class Sweeper {
  public:
    explicit Sweeper(const Options &options) : options_(options), lists_(options.lists) {}

    report::Sweep run() {
        std::vector<std::string> layouts = lists_.layouts;
        if (layouts.empty())
            layouts.push_back(options_.layout);
        for (const std::string &file : lists_.files)
            for (const std::string &layout : layouts)
                for (const auto &extents : products(extents_by_name()))
                    sweep_network(file, layout, extents);
        compare_like_with_like();
        set_labels();
        set_title();
        return std::move(sweep_);
    }

  private:
    using Extent = std::pair<std::string, std::int64_t>;

    [[nodiscard]] std::vector<std::vector<Extent>> extents_by_name() const {
        std::vector<std::vector<Extent>> lists;
        for (const Extents &each : lists_.extents) {
            lists.emplace_back();
            for (const std::int64_t value : each.values)
                lists.back().emplace_back(each.name, value);
        }
        return lists;
    }

    [[nodiscard]] std::vector<std::vector<MachineSetting>> settings() const {
        std::vector<std::vector<MachineSetting>> lists;
        for (const MachineSetting &setting : options_.machine_settings) {
            lists.emplace_back();
            for (const Amount &amount : setting.amounts)
                lists.back().push_back({setting.name, {amount}});
        }
        return products(lists);
    }

    void sweep_network(const std::string &file, const std::string &layout, const std::vector<Extent> &extents) {
        Options at = options_;
        at.file = file;
        at.layout = layout;
        at.dimensions = extents;
        const Subject subject = subject_of(at);
        sweep_.batch = subject.batch;
        if (lists_.scaling != Scaling::weak)
            sweep_ranks(at, subject, "strong");
        if (lists_.scaling != Scaling::strong)
            sweep_ranks(at, subject, "weak");
    }

    void sweep_ranks(Options at, const Subject &subject, const std::string &scaling) {
        const std::vector<Extent> extents = at.dimensions;
        std::unique_ptr<SweepQuestion> question;
        std::vector<std::optional<std::int64_t>> ranks(lists_.ranks.begin(), lists_.ranks.end());
        if (ranks.empty())
            ranks.emplace_back();
        for (const std::optional<std::int64_t> &count : ranks) {
            SweepPoint point;
            point.label = subject.network;
            point.file = at.file;
            point.scaling = scaling;
            point.ranks = count.value_or(1);
            point.batch = subject.samples;
            at.ranks = count;
            if (scaling == "weak")
                set(at.dimensions, subject.batch, grow(point.batch, point.ranks));
            if (!question || scaling == "weak")
                question = std::make_unique<SweepQuestion>(at);
            for (const std::vector<MachineSetting> &machine : settings()) {
                at.machine_settings = machine;
                add(*question, at, extents, point);
            }
        }
    }

    /// Multiplies the batch. On overflow it becomes the largest number, which the analysis rejects as too many samples.
    static std::int64_t grow(std::int64_t &batch, std::int64_t ranks) {
        if (__builtin_mul_overflow(batch, ranks, &batch))
            batch = std::numeric_limits<std::int64_t>::max();
        return batch;
    }

    static void set(std::vector<Extent> &dimensions, const std::string &role, std::int64_t extent) {
        const auto known = std::find_if(dimensions.begin(), dimensions.end(),
                                        [&](const Extent &other) { return other.first == role; });
        if (known == dimensions.end())
            dimensions.emplace_back(role, extent);
        else
            known->second = extent;
    }

    void add(SweepQuestion &question, const Options &at, const std::vector<Extent> &extents, SweepPoint point) {
        question.ask(at, point);
        const Compilation &compilation = question.compilation();
        point.layout = compilation.has_request() ? compilation.request().layout : at.layout;
        if (compilation.has_request())
            note_machine(compilation.request().machine.declared.name);
        const std::string ranks = at.ranks || point.failure.empty() ? std::to_string(point.ranks) : "-";
        point.coordinates.push_back({"ranks", static_cast<double>(point.ranks), ranks, ""});
        for (const auto &[name, extent] : extents)
            point.coordinates.push_back({name, static_cast<double>(extent), std::to_string(extent), ""});
        for (const MachineSetting &setting : at.machine_settings)
            point.coordinates.push_back({setting.name, setting.amounts.front().value, setting.amounts.front().text,
                                         machine_figure(setting.name)->unit});
        sweep_.points.push_back(std::move(point));
    }

    void note_machine(const std::string &name) {
        if (std::find(machines_.begin(), machines_.end(), name) == machines_.end())
            machines_.push_back(name);
    }

    /// If one line of a plot mixed sums with simulated steps, it would show their difference instead of the effect of
    /// the ranks.
    void compare_like_with_like() {
        for (const SweepPoint &without : sweep_.points)
            for (SweepPoint &other : sweep_.points)
                if (without.failure.empty() && !without.overlap && other.file == without.file)
                    other.overlap.reset();
    }

    /// Names points after their networks, or after their files if two files have networks of the same name.
    void set_labels() {
        for (const SweepPoint &point : sweep_.points)
            for (const SweepPoint &other : sweep_.points)
                if (other.label == point.label && other.file != point.file)
                    return use_files();
    }

    void use_files() {
        for (SweepPoint &point : sweep_.points)
            point.label = point.file;
    }

    void set_title() {
        std::vector<std::string> labels;
        for (const SweepPoint &point : sweep_.points)
            if (std::find(labels.begin(), labels.end(), point.label) == labels.end())
                labels.push_back(point.label);
        std::string files;
        for (const std::string &label : labels)
            files += (files.empty() ? "" : ", ") + label;
        std::string machines;
        for (const std::string &machine : machines_)
            machines += (machines.empty() ? "" : ", ") + machine;
        sweep_.title = files + " on machine " + machines;
        if (options_.profile == cost::Profile::exact) {
            if (report::has_overlap(sweep_))
                sweep_.assumptions = {"with overlap: the schedule of the plan simulated, communication beside "
                                      "computation, copies too; samples/s are of that"};
            return;
        }
        sweep_.title += std::string(" by profile ") + cost::name(options_.profile);
        sweep_.assumptions = cost::assumptions(options_.profile);
    }

    const Options &options_;
    const ValueLists &lists_;
    std::vector<std::string> machines_;
    report::Sweep sweep_;
};

std::string text_of(const report::Sweep &sweep, ReportFormat format) {
    switch (format) {
    case ReportFormat::table:
        return report::text_report(sweep);
    case ReportFormat::json:
        return report::json_report(sweep);
    case ReportFormat::csv:
        return report::csv_report(sweep);
    case ReportFormat::html:
        return report::html_report(sweep);
    }
    return {};
}

} // namespace

int sweep_command(const Options &options) {
    try {
        const report::Sweep sweep = Sweeper(options).run();
        const int written = print_or_write(text_of(sweep, options.format), options);
        const bool any = std::any_of(sweep.points.begin(), sweep.points.end(),
                                     [](const SweepPoint &point) { return point.failure.empty(); });
        if (!any)
            std::cerr << "planc: no point of the sweep has a plan: " << sweep.points.front().failure << '\n';
        return any ? written : input_error;
    } catch (const Failed &failed) {
        return failed.code;
    }
}

} // namespace planc::driver
