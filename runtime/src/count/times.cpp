#include "count/times.h"

#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/json.h"

#include <algorithm>
#include <mpi.h>

namespace planrt {

Times::Times(const Program &program, const StepClock &clock, double product, const CoresOfMachine &machine, int ranks)
    : program_(program), ranks_(ranks), steps_(clock.steps()) {
    const int collectives = clock.first_collective();
    std::vector<double> own{clock.median(clock.first_work(), collectives),
                            clock.median(collectives, clock.accounts()),
                            clock.median(0, clock.first_work()),
                            clock.median(0, clock.accounts()),
                            product,
                            static_cast<double>(machine.ranks),
                            static_cast<double>(machine.threads),
                            static_cast<double>(machine.cores)};
    for (int account = clock.first_work(); account < clock.accounts(); ++account)
        own.push_back(clock.median(account, account + 1));
    numbers_ = own.size();
    all_.resize(numbers_ * static_cast<std::size_t>(ranks));
    const int size = static_cast<int>(numbers_);
    check_mpi(MPI_Gather(own.data(), size, MPI_DOUBLE, all_.data(), size, MPI_DOUBLE, 0, MPI_COMM_WORLD),
              "report of times");
}

double Times::predicted(Sum which) const {
    double seconds = 0;
    if (which == computation || which == step)
        for (const Work &row : program_.work)
            seconds += row.seconds;
    if (which == communication || which == step)
        for (const Collective &collective : collectives())
            seconds += collective.seconds;
    return seconds;
}

double Times::speed(int rank) const {
    const double measured = sum(rank, reference);
    return program_.reference_seconds > 0 && measured > 0 ? program_.reference_seconds / measured : 1;
}

CoresOfMachine Times::machine_of(int rank) const {
    return {static_cast<int>(sum(rank, machine_ranks)), static_cast<int>(sum(rank, threads)),
            static_cast<int>(sum(rank, cores))};
}

namespace {

/// Shortens the list of layers whose loops are fused. The JSON has all of them.
std::string shortened(const std::string &layers) {
    constexpr std::size_t most = 48;
    if (layers.size() <= most)
        return layers;
    const std::size_t end = layers.rfind(", ", most);
    if (end == std::string::npos)
        return layers;
    std::size_t more = 0;
    for (std::size_t at = end; at != std::string::npos; at = layers.find(", ", at + 1))
        ++more;
    return layers.substr(0, end) + text(" and %zu more", more);
}

class Table {
  public:
    void add(const std::string &layers, const std::string &part, double predicted, double measured) {
        if (predicted == 0 && measured == 0)
            return;
        const std::string what = shortened(layers);
        lines_.push_back({what, part, predicted, measured});
        wide_ = std::max(wide_, what.size());
        part_wide_ = std::max(part_wide_, part.size());
    }
    void add_rule() { lines_.push_back({}); }

    [[nodiscard]] std::string text_of() const {
        std::string result = text("  %-*s  %-*s  %12s  %12s  %8s\n", static_cast<int>(wide_), "layer",
                                  static_cast<int>(part_wide_), "part", "predicted", "measured", "off by");
        for (const Line &line : lines_)
            result += line.what.empty() ? "\n" : of(line);
        return result;
    }

  private:
    struct Line {
        std::string what = {};
        std::string part = {};
        double predicted = 0; // s
        double measured = 0;
    };

    [[nodiscard]] std::string of(const Line &line) const {
        const std::string off =
            line.predicted > 0 && line.measured > 0 ? text("%+.0f %%", 100 * (line.predicted / line.measured - 1)) : "";
        const std::string result = text("  %-*s  %-*s  %9.3f ms  %9.3f ms  %8s", static_cast<int>(wide_),
                                        line.what.c_str(), static_cast<int>(part_wide_), line.part.c_str(),
                                        1e3 * line.predicted, 1e3 * line.measured, off.c_str());
        return result.substr(0, result.find_last_not_of(' ') + 1) + "\n";
    }

    std::vector<Line> lines_;
    std::size_t wide_ = 5;
    std::size_t part_wide_ = 4;
};

} // namespace

std::string Times::table() const {
    int longest = 0;
    for (int rank = 1; rank < ranks_; ++rank)
        if (sum(rank, computation) > sum(longest, computation))
            longest = rank;
    Table table;
    for (std::size_t row = 0; row < program_.work.size(); ++row)
        table.add(program_.work[row].layer, program_.work[row].part, program_.work[row].seconds, of_work(longest, row));
    for (std::size_t index = 0; index < collectives().size(); ++index) {
        const Collective &collective = collectives()[index];
        const TrafficRow &row = program_.traffic[static_cast<std::size_t>(collective.row)];
        table.add(row.layer, std::string(row.phase) + ": " + name_of(collective.kind), collective.seconds,
                  of_collective(longest, index));
    }
    table.add_rule();
    table.add("computation", "", predicted(computation), sum(longest, computation));
    table.add("communication", "", predicted(communication), sum(longest, communication));
    table.add("samples and the rest", "", 0, sum(longest, besides));
    table.add("step", "", predicted(step), sum(longest, step));
    std::string explanation = too_few_cores(machine_of(longest));
    if (const double speed = this->speed(longest); speed != 1) {
        const double computing = predicted(computation) / speed;
        table.add("computation, at this speed", "", computing, sum(longest, computation));
        table.add("step, at this speed", "", computing + predicted(communication), sum(longest, step));
        explanation +=
            text("the processor runs at %.2f of the speed at which the machine was measured: two products of "
                 "%d x %d x %d\nbetween steps take %.3f ms, then they took %.3f ms\n",
                 speed, static_cast<int>(reference_product), static_cast<int>(reference_product),
                 static_cast<int>(reference_product), 1e3 * sum(longest, reference), 1e3 * program_.reference_seconds);
    }
    return text("time of a step: medians of %d, on rank %d of %d, which computes longest; communication is predicted "
                "as if\nnothing hid it, measured where it holds the rank up\n",
                steps_, longest, ranks_) +
           table.text_of() + explanation;
}

std::string Times::json_text() const {
    const auto numbers = [this](const auto &of_rank) {
        std::string result;
        for (int rank = 0; rank < ranks_; ++rank)
            result += text("%s%.6g", rank == 0 ? "[" : ", ", static_cast<double>(of_rank(rank)));
        return result + "]";
    };
    const auto entry = [&](double predicted, const auto &of_rank) {
        return text("\"predicted\": %.6g, \"measured\": ", predicted) + numbers(of_rank);
    };
    std::string result = text("{\n    \"steps\": %d,\n    \"work\": [", steps_);
    for (std::size_t row = 0; row < program_.work.size(); ++row) {
        const Work &work = program_.work[row];
        result += text("%s\n      {\"layer\": %s, \"part\": %s, ", row == 0 ? "" : ",", json_quoted(work.layer).c_str(),
                       json_quoted(work.part).c_str()) +
                  entry(work.seconds, [&](int rank) { return of_work(rank, row); }) + "}";
    }
    result += "],\n    \"collectives\": ["; // as those of the report
    for (std::size_t index = 0; index < collectives().size(); ++index)
        result += text("%s\n      {", index == 0 ? "" : ",") +
                  entry(collectives()[index].seconds, [&](int rank) { return of_collective(rank, index); }) + "}";
    result += "]";
    for (const auto &[name, which] : {std::pair{"computation", computation}, std::pair{"communication", communication},
                                      std::pair{"besides", besides}, std::pair{"step", step}})
        result += text(",\n    \"%s\": {", name) +
                  entry(predicted(which), [&, sum = which](int rank) { return this->sum(rank, sum); }) + "}";
    if (program_.reference_seconds > 0)
        result += ",\n    \"reference\": {" +
                  entry(program_.reference_seconds, [&](int rank) { return sum(rank, reference); }) + "}";
    return result + ",\n    \"machine\": {\"threads\": " + numbers([&](int rank) { return machine_of(rank).threads; }) +
           ", \"cores\": " + numbers([&](int rank) { return machine_of(rank).cores; }) + "}\n  }";
}

} // namespace planrt
