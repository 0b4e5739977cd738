// Every kind of collective on four ranks: once as MPI counts, once as if it counted to three elements only, so that
// messages go in parts. What arrives and what the counters say must be the same; what cannot go in parts is refused.
#include "collectives/message_rounds.h"
#include "count/counters.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/scratch.h>

#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

namespace {

using namespace planrt;

constexpr std::int64_t rows = 6;
constexpr std::int64_t columns = 10;
const Mesh mesh{{2, 2}};

/// A tensor of rows x columns: the axes that cut each of them, and those along which it is partial.
struct Lies {
    std::vector<int> of_rows = {};
    std::vector<int> of_columns = {};
    std::vector<int> partial = {};
};

struct Case {
    const char *name;
    CollectiveKind kind;
    std::vector<int> axes;
    Lies from;
    Lies to;
    Method method = {};
};

const std::vector<Case> cases{
    {"all-reduce by ring", CollectiveKind::all_reduce, {0, 1}, {{}, {}, {0, 1}}, {}, {Algorithm::ring, {4}}},
    {"all-reduce of whole vectors",
     CollectiveKind::all_reduce,
     {0, 1},
     {{}, {}, {0, 1}},
     {},
     {Algorithm::recursive_doubling, {4}}},
    {"reduce-scatter", CollectiveKind::reduce_scatter, {1}, {{}, {}, {1}}, {{}, {1}}, {Algorithm::ring, {2}}},
    {"all-gather", CollectiveKind::all_gather, {1}, {{}, {1}}, {}, {Algorithm::recursive_doubling, {2}}},
    {"all-to-all", CollectiveKind::all_to_all, {1}, {{1}, {}}, {{}, {1}}},
    {"exchange", CollectiveKind::exchange, {0, 1}, {{0}, {1}}, {{1}, {0}}},
};

struct Outcome {
    std::vector<float> values;
    Count count;
    friend bool operator==(const Outcome &, const Outcome &) = default;
};

Outcome run(const Case &each, int rank, Communicators &communicators, std::int64_t most) {
    const std::vector<Dimension> of_from{{"row", rows, each.from.of_rows}, {"column", columns, each.from.of_columns}};
    const std::vector<Dimension> of_to{{"row", rows, each.to.of_rows}, {"column", columns, each.to.of_columns}};
    Collective::Member member{{Type::f32, of_from, each.from.partial}, {Type::f32, of_to, each.to.partial}};
    const Placement from = placement_of(member.from);
    const Placement to = placement_of(member.to);
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(float));
    member.to.offset = rows * columns * bytes;
    Collective collective{.kind = each.kind, .axes = each.axes, .members = {&member, 1}};
    collective.scratch_offset = 2 * member.to.offset;
    const MovedTensor moved{from, to};
    collective.scratch_bytes =
        bytes * (each.method.algorithm == Algorithm::mpi
                     ? largest_scratch_elements(each.kind, from, to, mesh)
                     : largest_scratch_elements(each.kind, each.method, each.axes, {&moved, 1}, mesh));
    collective.algorithm = each.method.algorithm;
    collective.shape = each.method.shape;
    std::vector<float> arena(static_cast<std::size_t>((collective.scratch_offset + collective.scratch_bytes) / bytes));
    std::iota(arena.begin(), arena.begin() + rows * columns, static_cast<float>(1000 * rank));
    counters().reset(1);
    const Program program{};
    const Context context(reinterpret_cast<std::byte *>(arena.data()));
    const auto operation = make_operation(collective, {mesh, rank, context, communicators, program, rank, most}, 0);
    counters().book_to_collective(0);
    operation->start();
    operation->wait();
    operation->finish();
    const auto begin = arena.begin() + rows * columns;
    return {{begin, begin + local_volume(to, mesh, rank)}, counters().of_collective(0)};
}

/// What is refused, in words; empty: nothing is.
std::string refused(const Case &each, int rank, Communicators &communicators) {
    try {
        static_cast<void>(run(each, rank, communicators, 3));
    } catch (const Failure &failure) {
        return failure.what();
    }
    return {};
}

int wrong(int rank, const char *what) {
    std::fprintf(stderr, "rank %d: %s\n", rank, what);
    return 1;
}

int check(int rank) {
    Communicators communicators(mesh, rank, 0, 1);
    int failed = 0;
    for (const Case &each : cases) {
        const Outcome whole = run(each, rank, communicators, most_counted);
        const bool moves = each.kind != CollectiveKind::exchange || rank == 1 || rank == 2; // else it has what it wants
        if (whole.values.empty() || (moves && whole.count.bytes == 0))
            failed += wrong(rank, "moves nothing");
        if (run(each, rank, communicators, 3) != whole)
            failed += wrong(rank, each.name);
    }
    const Case by_mpi{"", CollectiveKind::all_reduce, {0, 1}, {{}, {}, {0, 1}}, {}};
    if (refused(by_mpi, rank, communicators) !=
        "60 elements in one call, but MPI counts to 3: split the tensor over more ranks")
        failed += wrong(rank, "not refused");
    return failed;
}

} // namespace

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int failed = check(rank);
    if (failed == 0)
        std::fputs("as MPI counts\n", stdout);
    MPI_Finalize();
    return failed == 0 ? 0 : 1;
}
