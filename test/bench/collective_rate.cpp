// All-reduces, reduce-scatters and all-gathers of f32 on the ranks of this run, by MPI's own call and by each algorithm
// in messages: median and least milliseconds by bytes of the full vector. The numbers say whether a machine's table
// should name an algorithm instead of `mpi`.
#include <planrt/planrt.h>
#include <planrt/scratch.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

namespace {

using namespace planrt;

struct Case {
    CollectiveKind kind;
    Method method;
    std::int64_t bytes;
};

constexpr std::int64_t sizes[] = {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26};
constexpr std::int64_t largest = sizes[std::size(sizes) - 1];
constexpr int axis_numbers[] = {0};
constexpr std::span<const int> cut = axis_numbers;

std::vector<Case> cases;
std::deque<Dimension> dimensions;
std::deque<Collective::Member> members;
std::deque<std::vector<int>> shapes;
std::vector<Collective> collectives;

struct Times {
    double median;
    double least; ///< what counts where the machine does other things too
};

Times milliseconds(Context &context, int index, int repeats) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        context.collective(0); // ranks begin together
        const auto begin = Clock::now();
        context.collective(index);
        times.push_back(1e3 * std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::ranges::sort(times);
    return {times[static_cast<std::size_t>(repeats / 2)], times.front()};
}

void train_step(Context &context) {
    std::fill_n(context.at<float>(256), largest / 4, 1.0F);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Case &each = cases[i];
        const int repeats = each.bytes > (1 << 22) ? 9 : 51;
        const Times time = milliseconds(context, static_cast<int>(i), repeats);
        static const char *const kinds[] = {"slice", "all-gather", "reduce-scatter", "all-reduce"};
        if (context.rank() == 0)
            std::printf("%-14s %-18s %9lld bytes %10.4f ms, least %10.4f ms\n", kinds[static_cast<int>(each.kind)],
                        name_of(each.method.algorithm), static_cast<long long>(each.bytes), time.median, time.least);
    }
    *context.at<double>(0) = 1;
}

/// From the buffer at 256 to the one behind it; what is packed lies behind both.
void add(CollectiveKind kind, Algorithm algorithm, std::int64_t bytes, const Mesh &mesh) {
    const Method method{algorithm, algorithm == Algorithm::mpi ? std::vector<int>{} : mesh.sizes};
    cases.push_back({kind, method, bytes});
    const Dimension &whole = dimensions.emplace_back(Dimension{"n", bytes / 4, {}});
    const Dimension &parts = dimensions.emplace_back(Dimension{"n", bytes / 4, cut});
    Tensor from{Type::f32, {&whole, 1}, cut, Reduction::sum, {}, 256};
    Tensor to{Type::f32, {&whole, 1}, {}, Reduction::sum, {}, 256 + largest};
    if (kind == CollectiveKind::reduce_scatter)
        to.dimensions = {&parts, 1};
    if (kind == CollectiveKind::all_gather)
        from = {Type::f32, {&parts, 1}, {}, Reduction::sum, {}, 256};
    members.push_back({from, to});
    collectives.push_back({kind,
                           0,
                           cut,
                           {&members.back(), 1},
                           256 + 2 * largest,
                           2 * largest,
                           {},
                           0,
                           algorithm,
                           shapes.emplace_back(method.shape)});
}

} // namespace

int main(int argc, char **argv) {
    const char *ranks = std::getenv("OMPI_COMM_WORLD_SIZE");
    const Mesh mesh{{ranks == nullptr ? 1 : std::atoi(ranks)}};
    for (const std::int64_t bytes : sizes) {
        for (const Algorithm algorithm :
             {Algorithm::mpi, Algorithm::ring, Algorithm::rabenseifner, Algorithm::recursive_doubling, Algorithm::mst})
            add(CollectiveKind::all_reduce, algorithm, bytes, mesh);
        for (const Algorithm algorithm : {Algorithm::mpi, Algorithm::ring, Algorithm::recursive_halving})
            add(CollectiveKind::reduce_scatter, algorithm, bytes, mesh);
        for (const Algorithm algorithm : {Algorithm::mpi, Algorithm::ring, Algorithm::recursive_doubling})
            add(CollectiveKind::all_gather, algorithm, bytes, mesh);
    }
    const Axis axis{"ranks", mesh.sizes[0]};
    const TrafficRow row{"layer", "forward", "tensor"};
    const Dimension batch{"batch", 1, {}};
    const Field field{"x", {Type::f32, {&batch, 1}, {}, Reduction::sum, {}, 64}, "", 0, 0, 1, 0, 0};
    const Body body{train_step, {&field, 1}};
    const MicroBatches whole{1, 1};
    const Action action{};
    const RoleProgram role{"all", {}, {&action, 1}};
    Program program{};
    program.name = "collective_rate";
    program.source = "collective_rate.plan";
    program.layout = "line";
    program.mesh = {&axis, 1};
    program.arena_bytes = 256 + 4 * largest;
    program.bodies = {&body, 1};
    program.micro_batches = {&whole, 1};
    program.roles = {&role, 1};
    program.data = {"none", DataFormat::synthetic, "", "", SplitKind::shares, 1, 0, 0, 4, 1, false};
    program.traffic = {&row, 1};
    program.collectives = collectives;
    program.training_collectives = static_cast<int>(collectives.size());
    program.batch = 1;
    program.steps = 1;
    program.loss.type = Type::f64;
    return run(program, argc, argv);
}
