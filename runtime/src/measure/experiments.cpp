#include <planrt/measure.h>

#include "kernels/libraries/blas.h"
#include "run/engine/arena.h"
#include "support/failure.h"
#include "support/file.h"
#include "support/heap.h"
#include "support/json.h"

#include <mpi.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <ctime>
#include <deque>
#include <map>
#include <string_view>

namespace planrt {

namespace {

constexpr double least_sample = 1e-3; // s: long enough that the resolution of the clock and calls of it do not matter
constexpr int least_rounds = 3;
constexpr int most_rounds = 41;

struct Experiment {
    std::string kernel;
    Experiments::Shape shape;
    std::function<void()> work;
    bool waits = false;     ///< for other ranks
    bool warm = false;      ///< before each sample, an extra call loads its operands into the cache
    int ranks = 0;          ///< only the first so many take part; 0: all
    std::int64_t calls = 1; ///< of `work` in a sample
    /// One per round. For kernels, the time of a call as a multiple of the reference's beside it; otherwise seconds per
    /// call.
    std::vector<double> samples = {};
    std::vector<double> references = {}; ///< s, beside each sample; none: those are no multiples
};

double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    const double at = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
}

/// Seconds. For kernels, processor time, which other processes on the machine do not affect; for collectives, which
/// wait for other ranks, wall-clock time.
double now(const Experiment &experiment) {
    if (experiment.waits)
        return MPI_Wtime();
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The samples that count. If there are references, those are the half with the faster references, because what slows
/// the processor down slows some kernels more than others.
std::vector<double> counted(const Experiment &experiment) {
    if (experiment.references.empty())
        return experiment.samples;
    const double typical = quantile(experiment.references, 0.5);
    std::vector<double> result;
    for (std::size_t i = 0; i < experiment.samples.size(); ++i)
        if (experiment.references[i] <= typical)
            result.push_back(experiment.samples[i]);
    return result;
}

double sample(const Experiment &experiment) {
    const double begin = now(experiment);
    for (std::int64_t call = 0; call < experiment.calls; ++call)
        experiment.work();
    return (now(experiment) - begin) / static_cast<double>(experiment.calls);
}

} // namespace

struct Experiments::State {
    std::deque<Experiment> experiments;
    Experiment reference;
    std::deque<Arena> arenas; ///< as in programs, because a kernel's speed depends on the pages of its operands
    std::byte *end = nullptr; ///< of the last one
    std::int64_t free = 0;    ///< bytes before it
    std::map<std::pair<int, std::int64_t>, float *> buffers;
    int rank = 0;
    int ranks = 1;

    State() {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    }

    /// Sets the number of calls that fill a sample, the same on all ranks.
    static void set_calls(Experiment &experiment) {
        experiment.work(); // cold
        double seconds = sample(experiment);
        check_mpi(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD), "calibration");
        experiment.calls = std::max<std::int64_t>(1, std::llround(least_sample / std::max(seconds, 1e-9)));
    }

    float *take(std::int64_t elements) {
        constexpr std::int64_t line = 64;
        constexpr std::int64_t usual = std::int64_t{64} << 20;
        const std::int64_t bytes = (4 * elements + line - 1) / line * line;
        if (bytes > free) {
            free = std::max(bytes, usual);
            arenas.emplace_back(free, /*measured=*/false);
            end = arenas.back().begin() + free;
        }
        auto *const begin = reinterpret_cast<float *>(end - free);
        free -= bytes;
        std::fill_n(begin, elements, 0.5F);
        return begin;
    }

    /// The processor's clock changes from one second to the next.
    double reference_now() {
        reference.work(); // loads the factors, whatever the caches contained
        const double seconds = sample(reference);
        reference.samples.push_back(seconds);
        return seconds;
    }

    void measure(Experiment &experiment) {
        check_mpi(MPI_Barrier(MPI_COMM_WORLD), "calibration");
        if (experiment.waits)
            return experiment.samples.push_back(sample(experiment));
        const double before = reference_now();
        if (experiment.warm)
            experiment.work();
        const double seconds = sample(experiment);
        const double beside = (before + reference_now()) / 2;
        experiment.samples.push_back(seconds / beside);
        experiment.references.push_back(beside);
    }

    [[nodiscard]] bool goes_on(int round, double begin, double seconds) const {
        int more = round < least_rounds || (round < most_rounds && MPI_Wtime() - begin < seconds) ? 1 : 0;
        check_mpi(MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD), "calibration"); // rank 0 decides
        return more != 0;
    }
};

Experiments::Experiments() : state_(std::make_unique<State>()) {}
Experiments::~Experiments() = default;

void Experiments::add(const std::string &kernel, Shape shape, std::function<void()> work) {
    state_->experiments.push_back({kernel, std::move(shape), std::move(work)});
}

void Experiments::add_warm(const std::string &kernel, Shape shape, std::function<void()> work) {
    add(kernel, std::move(shape), std::move(work));
    state_->experiments.back().warm = true;
}

void Experiments::add_collective(const std::string &kind, Shape shape, int ranks, std::function<void()> work) {
    add(kind, std::move(shape), std::move(work));
    state_->experiments.back().waits = true;
    state_->experiments.back().ranks = ranks;
}

void Experiments::set_reference(Shape shape, std::function<void()> work) {
    state_->reference = {"reference", std::move(shape), std::move(work)};
}

float *Experiments::buffer(int number, std::int64_t elements) {
    float *&buffer = state_->buffers[{number, elements}];
    if (buffer == nullptr)
        buffer = state_->take(elements);
    return buffer;
}

void Experiments::run(double seconds) {
    keep_freed_memory(); // as programs do
    const double begin = MPI_Wtime();
    for (Experiment &experiment : state_->experiments)
        State::set_calls(experiment);
    for (int round = 0; state_->goes_on(round, begin, seconds); ++round)
        for (Experiment &experiment : state_->experiments)
            state_->measure(experiment);
}

void Experiments::write(const std::string &path) const {
    std::vector<const Experiment *> experiments{&state_->reference};
    for (const Experiment &experiment : state_->experiments)
        experiments.push_back(&experiment);
    std::vector<double> own; // typical sample and spread of each
    for (const Experiment *experiment : experiments) {
        const std::vector<double> samples = counted(*experiment);
        // Disturbances of the machine make waiting longer, never shorter.
        const double typical = quantile(samples, experiment->waits ? 0.25 : 0.5);
        own.push_back(typical);
        own.push_back((quantile(samples, 0.75) - quantile(samples, 0.25)) / typical);
    }
    std::vector<double> all(own.size() * static_cast<std::size_t>(state_->ranks));
    const int count = static_cast<int>(own.size());
    check_mpi(MPI_Gather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD),
              "calibration");
    if (state_->rank != 0)
        return;
    const auto of_median_rank = [&](const Experiment &experiment, std::size_t number) {
        const auto ranks = static_cast<std::size_t>(experiment.ranks > 0 ? experiment.ranks : state_->ranks);
        std::vector<double> numbers;
        for (std::size_t at = number; at < ranks * own.size(); at += own.size())
            numbers.push_back(all[at]);
        return quantile(numbers, 0.5);
    };
    const double reference = of_median_rank(state_->reference, 0);
    std::string json = text("{\n  \"ranks\": %d,\n  \"avx512\": %s,\n  \"measurements\": [", state_->ranks,
                            has_avx512() ? "true" : "false");
    for (std::size_t e = 0; e < experiments.size(); ++e) {
        const Experiment &experiment = *experiments[e];
        const bool in_references = e > 0 && !experiment.waits;
        json +=
            text("%s\n    {\"kernel\": %s, \"shape\": [", e == 0 ? "" : ",", json_quoted(experiment.kernel).c_str());
        for (std::size_t i = 0; i < experiment.shape.size(); ++i)
            json += text("%s%lld", i == 0 ? "" : ", ", static_cast<long long>(experiment.shape[i]));
        json += text("], \"seconds\": %.6g, \"spread\": %.3g}",
                     of_median_rank(experiment, 2 * e) * (in_references ? reference : 1),
                     of_median_rank(experiment, 2 * e + 1));
    }
    AtomicFile file(path);
    file.write(json + "\n  ]\n}\n");
    file.commit();
}

namespace {

/// Computation beside a collective of this many bytes: products that take about as long as it does.
constexpr int products_beside = 64;
constexpr std::int64_t bytes_beside = std::int64_t{16} << 20;

std::function<void()> product_beside(Experiments &experiments) {
    constexpr std::int64_t n = reference_product;
    const float *a = experiments.buffer(0, n * n);
    const float *b = experiments.buffer(1, n * n);
    float *c = experiments.buffer(2, n * n);
    return [=] { gemm(Op::plain, Op::plain, n, n, n, 1.0F, a, n, b, n, 0.0F, c, n); };
}

/// One collective of a group of the first ranks; the others wait for them.
class GroupExperiments {
  public:
    GroupExperiments(Experiments &experiments, int ranks)
        : experiments_(experiments), product_(product_beside(experiments)), ranks_(ranks) {
        int rank = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        check_mpi(MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &group_), "calibration");
        MPI_Comm_set_errhandler(group_ == MPI_COMM_NULL ? MPI_COMM_WORLD : group_, MPI_ERRORS_RETURN);
        rank_ = rank;
    }

    void add_products() {
        const bool member = group_ != MPI_COMM_NULL;
        experiments_.add_collective("products_beside", {ranks_, products_beside}, ranks_, [member, product = product_] {
            for (int i = 0; member && i < products_beside; ++i)
                product();
        });
    }

    /// `beside`: also with products beside them.
    void add_all(std::int64_t bytes, bool beside) {
        beside_ = beside;
        const int elements = static_cast<int>(std::max<std::int64_t>(bytes / 4, ranks_));
        const int part = std::max(elements / ranks_, 1);
        const std::int64_t whole = std::int64_t{part} * ranks_;
        float *from = experiments_.buffer(0, whole);
        float *to = experiments_.buffer(1, whole);
        MPI_Comm group = group_;
        const std::vector<int> parts(static_cast<std::size_t>(ranks_), part);
        std::vector<int> places;
        for (int rank = 0; rank < ranks_; ++rank)
            places.push_back(rank * part);
        const int ranks = ranks_;
        const int next = (rank_ + 1) % ranks;
        const int previous = (rank_ + ranks - 1) % ranks;
        add("allreduce", 4 * whole, [=](MPI_Request *request) {
            return MPI_Iallreduce(from, to, static_cast<int>(whole), MPI_FLOAT, MPI_SUM, group, request);
        });
        add("reduce_scatter", 4 * whole, [=](MPI_Request *request) {
            return MPI_Ireduce_scatter(from, to, parts.data(), MPI_FLOAT, MPI_SUM, group, request);
        });
        add("allgather", 4 * whole, [=](MPI_Request *request) {
            return MPI_Iallgatherv(from, part, MPI_FLOAT, to, parts.data(), places.data(), MPI_FLOAT, group, request);
        });
        add("alltoall", 4 * (whole - part), [=](MPI_Request *request) {
            return MPI_Ialltoallv(from, parts.data(), places.data(), MPI_FLOAT, to, parts.data(), places.data(),
                                  MPI_FLOAT, group, request);
        });
        add("exchange", 4 * std::int64_t{part}, [=](MPI_Request *requests) {
            check_mpi(MPI_Irecv(to, part, MPI_FLOAT, previous, 0, group, &requests[0]), "calibration");
            return MPI_Isend(from, part, MPI_FLOAT, next, 0, group, &requests[1]);
        });
    }

  private:
    using Requests = std::array<MPI_Request, 2>; ///< of one collective, null where it has none

    /// `start(requests)` returns MPI's error code.
    template <class Start> void add(const std::string &name, std::int64_t bytes, const Start &start) {
        const bool member = group_ != MPI_COMM_NULL;
        experiments_.add_collective(name, {ranks_, bytes}, ranks_, [member, start] {
            if (!member)
                return;
            Requests requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            check_mpi(start(requests.data()), "calibration");
            check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "calibration");
        });
        if (beside_)
            add_beside(name, bytes, start);
    }

    /// With products in between, like the computation in programs.
    template <class Start> void add_beside(const std::string &name, std::int64_t bytes, const Start &start) {
        const bool member = group_ != MPI_COMM_NULL;
        experiments_.add_collective(name + "_beside", {ranks_, bytes}, ranks_, [member, start, product = product_] {
            if (!member)
                return;
            Requests requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
            check_mpi(start(requests.data()), "calibration");
            for (int i = 0; i < products_beside; ++i) {
                product();
                int done = 0;
                check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
                          "calibration");
            }
            check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "calibration");
        });
    }

    Experiments &experiments_;
    std::function<void()> product_;
    int ranks_;
    int rank_ = 0;
    bool beside_ = false;
    MPI_Comm group_ = MPI_COMM_NULL; ///< lives as long as the program
};

/// Of 2, 4, 8, … ranks and of all.
void add_collectives(Experiments &experiments) {
    int ranks = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::vector<std::int64_t> sizes{64, 4'096, 32'768, 262'144, 2'097'152, 16'777'216, 67'108'864};
    for (int size = 2; size <= ranks; size = size < ranks ? std::min(2 * size, ranks) : ranks + 1) {
        GroupExperiments group(experiments, size);
        group.add_products();
        for (const std::int64_t bytes : sizes)
            group.add_all(bytes, bytes == bytes_beside);
    }
}

int measure_on_this_rank(int argc, char **argv, void (*add)(Experiments &)) {
    double seconds = 0;
    const std::string_view given = argc == 3 ? argv[2] : "";
    if (std::from_chars(given.data(), given.data() + given.size(), seconds).ec != std::errc{} || !(seconds > 0) ||
        !std::isfinite(seconds))
        throw CommonFailure(text("usage: %s FILE SECONDS", argv[0]), exit_usage);
    together([] { load_blas(1); });
    Experiments experiments;
    add(experiments);
    add_collectives(experiments);
    experiments.run(seconds);
    experiments.write(argv[1]);
    return 0;
}

} // namespace

int run_experiments(int argc, char **argv, void (*add)(Experiments &)) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    return ending([&] { return measure_on_this_rank(argc, argv, add); });
}

} // namespace planrt
