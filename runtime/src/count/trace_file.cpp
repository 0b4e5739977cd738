#include "count/trace_file.h"

#include "mesh/step_actions.h"
#include "mesh/tensors.h"
#include "support/failure.h"
#include "support/file.h"
#include "support/json.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <mpi.h>
#include <utility>
#include <vector>

namespace planrt {

namespace {

using Kind = TraceRecorder::Kind;
using Record = TraceRecorder::Record;

constexpr const char *purpose = "writing the trace";
constexpr std::size_t most_bytes = std::size_t{1} << 30; // of one message
constexpr int compute_thread = 0;
constexpr int network_thread = 1;

bool takes_part(const Program &program, const Collective &collective, int role) {
    return program.roles.size() < 2 || collective.role == role || collective.to_role == role;
}

/// The events of one rank as text.
class Events {
  public:
    Events(const Program &program, int rank, int role, const AlignedClock &clock, double zero)
        : program_(program), rank_(rank), clock_(clock), zero_(zero) {
        for (const Action &action : program.roles[static_cast<std::size_t>(role)].actions)
            names_stage_ = names_stage_ || (action.kind == ActionKind::run && body(action.index).stage != role);
        const bool many = program.roles.size() > 1;
        metadata("process_name", compute_thread,
                 row_name(many ? program.roles[static_cast<std::size_t>(role)].name : "", rank));
        metadata("thread_name", compute_thread, "compute");
    }

    void add(const TraceRecorder::Step &step) {
        step_ = step.number + 1;
        // Records come in the order of their ends, an outer one after the inner ones.
        std::vector<Record> records(step.records.begin(), step.records.end());
        std::ranges::stable_sort(records, [](const Record &a, const Record &b) {
            return a.begin < b.begin || (a.begin == b.begin && a.end > b.end);
        });
        for (const Record &record : records)
            add_compute(record);
        add_network(records);
    }

    [[nodiscard]] std::string text() && { return std::move(text_); }

  private:
    [[nodiscard]] const Body &body(int index) const { return program_.bodies[static_cast<std::size_t>(index)]; }
    [[nodiscard]] const Collective &collective(int index) const {
        return program_.collectives[static_cast<std::size_t>(index)];
    }

    void line(const std::string &event) { text_ += (text_.empty() ? "" : ",\n") + event; }

    void metadata(const char *what, int thread, const std::string &name) {
        line(planrt::text("{\"name\": \"%s\", \"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"args\": {\"name\": ", what,
                          rank_, thread) +
             json_quoted(name) + "}}");
    }

    void complete(const std::string &name, const std::string &category, int thread, double begin, double end,
                  const std::string &arguments) {
        line("{\"name\": " + json_quoted(name) + ", \"cat\": " + json_quoted(category) +
             planrt::text(", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, \"pid\": %d, \"tid\": %d, \"args\": "
                          "{\"step\": %lld, ",
                          1e6 * (clock_.of(begin) - zero_), 1e6 * (clock_.of(end) - clock_.of(begin)), rank_, thread,
                          static_cast<long long>(step_)) +
             arguments + "}}");
    }

    void add_compute(const Record &record) {
        const std::string micro_batch = planrt::text(", \"micro_batch\": %d", record.micro_batch);
        if (record.kind == Kind::work || record.kind == Kind::wait)
            return communicate(record.kind == Kind::work ? Communicating::works : Communicating::waits, record,
                               compute_thread, record.begin, record.end);
        const Body &ran = body(record.index);
        if (record.kind == Kind::samples)
            return complete("loads samples", "samples", compute_thread, record.begin, record.end,
                            "\"event\": \"samples\"" + micro_batch);
        complete(run_name(ran.kind, record.micro_batch, names_stage_ ? std::optional(ran.stage) : std::nullopt),
                 name_of(ran.kind), compute_thread, record.begin, record.end,
                 planrt::text("\"event\": \"run\", \"stage\": %d", ran.stage) + micro_batch);
    }

    void communicate(Communicating what, const Record &record, int thread, double begin, double end) {
        static constexpr const char *events[] = {"transfer", "work", "wait"};
        const Collective &of = collective(record.index);
        const TrafficRow &row = program_.traffic[static_cast<std::size_t>(of.row)];
        const bool is_transfer = of.to_role >= 0;
        const std::string layers = first_ones(row.layer);
        const std::string name =
            event_name(what, is_transfer ? transfer_name(row.tensor) : collective_name(of.kind, row.tensor));
        complete(is_transfer ? name : layers + ": " + name, row.phase, thread, begin, end,
                 planrt::text("\"event\": \"%s\", \"layer\": ", events[static_cast<int>(what)]) + json_quoted(layers) +
                     planrt::text(", \"micro_batch\": %d", record.micro_batch));
    }

    /// From each start to the end of its wait, on the first thread that is free.
    void add_network(const std::vector<Record> &records) {
        std::map<std::pair<int, int>, double> started; // by collective and micro-batch
        std::vector<std::pair<double, const Record *>> all;
        for (const Record &record : records)
            if (record.kind == Kind::work)
                started[{record.index, record.micro_batch}] = record.begin;
            else if (record.kind == Kind::wait && collective(record.index).role != collective(record.index).to_role)
                if (const auto start = started.find({record.index, record.micro_batch}); start != started.end())
                    all.emplace_back(start->second, &record);
        std::ranges::stable_sort(all, {}, &std::pair<double, const Record *>::first);
        for (const auto &[begin, wait] : all) {
            std::size_t lane = 0;
            while (lane < busy_until_.size() && busy_until_[lane] > begin)
                ++lane;
            if (lane == busy_until_.size()) {
                metadata("thread_name", network_thread + static_cast<int>(lane), "network");
                busy_until_.push_back(0);
            }
            busy_until_[lane] = wait->end;
            communicate(Communicating::transfers, *wait, network_thread + static_cast<int>(lane), begin, wait->end);
        }
    }

    const Program &program_;
    int rank_;
    const AlignedClock &clock_;
    double zero_;
    bool names_stage_ = false; ///< as schedules do: where the rank has another stage than its own number
    std::int64_t step_ = 0;
    std::vector<double> busy_until_; ///< by network thread, by the rank's own clock
    std::string text_;
};

/// The time at which the first step of any rank begins.
double zero_of_all(const TraceRecorder &recorder, const AlignedClock &clock) {
    double own = std::numeric_limits<double>::max();
    for (const TraceRecorder::Step &step : recorder.steps())
        for (const Record &record : step.records)
            own = std::min(own, clock.of(record.begin));
    double first = 0;
    check_mpi(MPI_Allreduce(&own, &first, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD), purpose);
    return first;
}

void send(const std::string &text) {
    auto size = static_cast<std::int64_t>(text.size());
    check_mpi(MPI_Send(&size, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD), purpose);
    for (std::size_t done = 0; done < text.size(); done += most_bytes)
        check_mpi(MPI_Send(text.data() + done, static_cast<int>(std::min(most_bytes, text.size() - done)), MPI_CHAR, 0,
                           0, MPI_COMM_WORLD),
                  purpose);
}

std::string received_from(int rank) {
    std::int64_t size = 0;
    check_mpi(MPI_Recv(&size, 1, MPI_INT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), purpose);
    std::string text(static_cast<std::size_t>(size), ' ');
    for (std::size_t done = 0; done < text.size(); done += most_bytes)
        check_mpi(MPI_Recv(text.data() + done, static_cast<int>(std::min(most_bytes, text.size() - done)), MPI_CHAR,
                           rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  purpose);
    return text;
}

std::string heading(const Program &program, double clock_error) {
    std::string mesh;
    for (std::size_t axis = 0; axis < program.mesh.size(); ++axis)
        mesh += (mesh.empty() ? "" : ", ") + json_quoted(program.mesh[axis].name) + ": " +
                size_text(mesh_of(program), static_cast<int>(axis));
    return "{\"displayTimeUnit\": \"ms\", \"otherData\": {\"source\": \"measured\", \"network\": " +
           json_quoted(program.name) + ", \"layout\": " + json_quoted(program.layout) + ", \"mesh\": {" + mesh + "}" +
           text(", \"micro_batches\": %zu, \"clock_error_us\": %.3f},\n\"traceEvents\": [\n",
                micro_batches_of(program).size(), 1e6 * clock_error);
}

} // namespace

std::size_t most_records(const Program &program, int role) {
    // An action makes three records at most: loading, starting, waiting or running. A body starts a collective and
    // waits for it once for each micro-batch at most.
    std::size_t collectives = 0;
    for (const Collective &collective :
         program.collectives.first(static_cast<std::size_t>(program.training_collectives)))
        collectives += takes_part(program, collective, role) ? 1 : 0;
    return 3 * actions_of(program.roles[static_cast<std::size_t>(role)]).size() +
           2 * collectives * micro_batches_of(program).size();
}

std::string trace_events(const Program &program, int rank, int role, const TraceRecorder &recorder,
                         const AlignedClock &clock, double zero) {
    Events events(program, rank, role, clock, zero);
    for (const TraceRecorder::Step &step : recorder.steps())
        events.add(step);
    return std::move(events).text();
}

void write_trace(const Program &program, int rank, int role, const TraceRecorder &recorder, const AlignedClock &clock,
                 const std::string &path) {
    const double zero = zero_of_all(recorder, clock);
    double error = clock.error();
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), purpose);
    const std::string own = trace_events(program, rank, role, recorder, clock, zero);
    std::vector<std::string> all{own};
    if (rank != 0)
        send(own);
    else
        for (int other = 1; other < mesh_of(program).ranks(); ++other)
            all.push_back(received_from(other));
    together([&] {
        if (rank != 0)
            return;
        AtomicFile file(path);
        file.write(heading(program, error));
        for (std::size_t i = 0; i < all.size(); ++i)
            file.write((i == 0 ? "" : ",\n") + all[i]);
        file.write("\n]}\n");
        file.commit();
    });
}

} // namespace planrt
