// A program without a network: its step fills tensors, runs collectives between random placements, several under way at
// once, and compares every element with what the placements say. A wrong element makes the loss infinite.
//
// PLANRT_TEST_MESH="2x3" is the mesh, PLANRT_TEST_SEED chooses the placements; PLANRT_TEST_MESSAGES=1 lets most
// collectives run by messages, each by an algorithm and a shape of its group that are drawn; PLANRT_TEST_FAULT makes
// one prediction wrong, of a payload (predict) or of messages (messages).
#include <planrt/planrt.h>
#include <planrt/scratch.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <numeric>
#include <random>
#include <string>

namespace {

using namespace planrt;

/// One member of a collective under test.
struct Case {
    Type type;
    Placement from;
    Placement to;
    std::int64_t from_offset;
    std::int64_t to_offset;
};

Mesh mesh;
std::vector<Axis> axes;
std::vector<std::vector<Case>> cases; ///< per collective, its members
std::vector<Collective> collectives;
std::deque<std::vector<Dimension>> dimension_tables; // deques: growing moves nothing
std::deque<std::vector<int>> axis_tables;
std::deque<std::vector<Collective::Member>> member_tables;
std::deque<std::vector<Collective::Predicted>> predicted_tables;
bool by_messages = false;
std::int64_t arena_end = 256;  ///< aligned
std::int64_t arena_used = 256; ///< the end of the last buffer
bool failed = false;

std::int64_t reserve(std::int64_t bytes) {
    const std::int64_t offset = arena_end;
    arena_end += (bytes + 63) / 64 * 64;
    if (bytes > 0)
        arena_used = offset + bytes;
    return offset;
}

std::int64_t bytes_of(Type type) {
    return type == Type::f64 ? 8 : 4;
}

Tensor tensor_of(const Placement &placement, Type type, std::int64_t offset) {
    std::vector<Dimension> &dimensions = dimension_tables.emplace_back();
    for (const DimensionPlacement &dimension : placement.dimensions)
        dimensions.push_back({"d", dimension.extent,
                              axis_tables.emplace_back(dimension.axes.begin(), dimension.axes.end()),
                              dimension.window ? std::optional(*dimension.window) : std::nullopt});
    return {type,
            dimensions,
            axis_tables.emplace_back(placement.partial),
            placement.reduction,
            axis_tables.emplace_back(placement.stored),
            offset};
}

/// What a rank holds at one element: its addend where the tensor is partial.
double value_at(std::int64_t element, std::span<const int> partial, std::span<const int> coordinates) {
    double value = static_cast<double>(element % 97);
    for (const int axis : partial)
        value += 100 * (coordinates[axis] + 1) * (axis + 1);
    return value;
}

/// The value after the axes that `to` lacks have been combined.
double expected_at(std::int64_t element, const Case &each, std::vector<int> coordinates) {
    std::vector<int> combined;
    std::ranges::set_difference(each.from.partial, each.to.partial, std::back_inserter(combined));
    double result = 0;
    bool first = true;
    for (const int rank : mesh.group(mesh.rank(coordinates), combined)) {
        const double addend = value_at(element, each.from.partial, mesh.coordinates(rank));
        if (first)
            result = addend;
        else if (each.from.reduction == Reduction::sum)
            result += addend;
        else
            result = each.from.reduction == Reduction::max ? std::max(result, addend) : std::min(result, addend);
        first = false;
    }
    return result;
}

/// Calls body(position in the buffer, global element number) for every element that a rank holds.
template <class Body> void for_each_element(const Placement &placement, int rank, const Body &body) {
    const Box box = local_box(placement, mesh, rank);
    const Range held = stored_range(placement, mesh, rank);
    for (std::int64_t position = 0; position < held.size(); ++position) {
        std::int64_t rest = held.begin + position;
        std::int64_t element = 0;
        std::int64_t stride = 1;
        for (std::size_t d = box.size(); d-- > 0;) {
            element += (box[d].begin + rest % box[d].size()) * stride;
            rest /= box[d].size();
            stride *= placement.dimensions[d].extent;
        }
        body(position, element);
    }
}

template <class Action> void with_type(Type type, const Action &action) {
    if (type == Type::f32)
        action(float{});
    else if (type == Type::f64)
        action(double{});
    else
        action(std::int32_t{});
}

void fill(Context &context, const Case &each) {
    const std::vector<int> coordinates = mesh.coordinates(context.rank());
    with_type(each.type, [&](auto zero) {
        using T = decltype(zero);
        T *to = context.at<T>(each.to_offset);
        std::fill(to, to + local_volume(each.to, mesh, context.rank()), static_cast<T>(-1));
        T *from = context.at<T>(each.from_offset);
        for_each_element(each.from, context.rank(), [&](std::int64_t position, std::int64_t element) {
            from[position] = static_cast<T>(value_at(element, each.from.partial, coordinates));
        });
    });
}

void check(Context &context, const Case &each, std::size_t index) {
    const std::vector<int> coordinates = mesh.coordinates(context.rank());
    with_type(each.type, [&](auto zero) {
        using T = decltype(zero);
        const T *to = context.at<T>(each.to_offset);
        for_each_element(each.to, context.rank(), [&](std::int64_t position, std::int64_t element) {
            const double expected = expected_at(element, each, coordinates);
            if (static_cast<double>(to[position]) == expected)
                return;
            if (!failed)
                std::fprintf(stderr, "collective %zu (kind %d, algorithm %d): rank %d: element %lld: %g, not %g\n",
                             index, static_cast<int>(collectives[index].kind),
                             static_cast<int>(collectives[index].algorithm), context.rank(),
                             static_cast<long long>(element), static_cast<double>(to[position]), expected);
            failed = true;
        });
    });
}

void train_step(Context &context) {
    constexpr std::size_t together = 5;
    for (std::size_t begin = 0; begin < cases.size(); begin += together) {
        const std::size_t end = std::min(begin + together, cases.size());
        for (std::size_t i = begin; i < end; ++i)
            for (const Case &each : cases[i])
                fill(context, each);
        for (std::size_t i = begin; i < end; ++i)
            context.start(static_cast<int>(i));
        context.progress();
        for (std::size_t i = end; i-- > begin;)
            context.wait(static_cast<int>(i));
        for (std::size_t i = begin; i < end; ++i)
            for (const Case &each : cases[i])
                check(context, each, i);
    }
    *context.at<double>(0) = failed ? std::numeric_limits<double>::infinity() : 1;
}

/// Draws placements and the collectives between them.
class Draw {
  public:
    explicit Draw(unsigned seed) : random_(seed) {}

    int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }

    /// Axes in random order; those before `split` cut dimensions, the others are left over.
    Placement placement(std::vector<int> &left_over) {
        Placement result;
        const int dimensions = below(4);
        for (int d = 0; d < dimensions; ++d)
            result.dimensions.push_back({1 + below(7), {}});
        left_over.resize(mesh.sizes.size());
        std::iota(left_over.begin(), left_over.end(), 0);
        std::ranges::shuffle(left_over, random_);
        const int cuts = dimensions == 0 ? 0 : below(static_cast<int>(left_over.size()) + 1);
        for (int i = 0; i < cuts; ++i) {
            result.dimensions[below(dimensions)].axes.push_back(left_over.back());
            left_over.pop_back();
        }
        return result;
    }

    /// Removes the last cuts of dimensions, at least one where there is one; returns their axes.
    std::vector<int> remove_cuts(Placement &placement) {
        std::vector<int> removed;
        for (DimensionPlacement &dimension : placement.dimensions)
            while (!dimension.axes.empty() && (removed.empty() || below(2) == 0)) {
                removed.push_back(dimension.axes.back());
                dimension.axes.pop_back();
            }
        std::ranges::sort(removed);
        return removed;
    }

    /// Windows over some of the dimensions that are cut.
    void move_windows(Placement &placement) {
        for (DimensionPlacement &dimension : placement.dimensions)
            if (!dimension.axes.empty() && below(2) == 0)
                dimension.window = Window{1 + below(9),
                                          1 + below(4),
                                          1 + below(3),
                                          1 + below(2),
                                          below(3),
                                          below(2) == 0,
                                          below(2) == 0 ? WindowPart::all : static_cast<WindowPart>(below(4))};
    }

    /// Some of the axes, in their order, as the end of the stored ones of `placement`; returns them.
    std::vector<int> store(Placement &placement, const std::vector<int> &candidates, bool all) {
        std::vector<int> added;
        for (const int axis : candidates)
            if (all || below(2) == 0)
                added.push_back(axis);
        placement.stored.insert(placement.stored.end(), added.begin(), added.end());
        return added;
    }

  private:
    std::mt19937 random_;
};

struct Drawn {
    CollectiveKind kind;
    std::vector<int> axes;
    Placement from;
    Placement to;
};

/// Two placements of which one has more stored axes than the other, and the flat step of `kind` between them.
Drawn draw_flat(Draw &draw, CollectiveKind kind) {
    std::vector<int> left_over;
    Drawn drawn{kind, {}, draw.placement(left_over), {}};
    const auto half = left_over.begin() + draw.below(static_cast<int>(left_over.size()) + 1);
    draw.store(drawn.from, {left_over.begin(), half}, false);
    drawn.to = drawn.from;
    drawn.axes = draw.store(drawn.to, {half, left_over.end()}, true);
    if (kind == CollectiveKind::all_gather)
        std::swap(drawn.from, drawn.to);
    std::ranges::sort(drawn.axes); // the group's order is that of the stored axes
    if (kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_reduce)
        drawn.from.partial = drawn.axes;
    if (kind == CollectiveKind::all_reduce)
        drawn.to.stored = drawn.from.stored;
    return drawn;
}

Drawn draw_one(Draw &draw, CollectiveKind kind, bool flat) {
    if (flat && kind != CollectiveKind::all_to_all && kind != CollectiveKind::exchange)
        return draw_flat(draw, kind);
    std::vector<int> left_over;
    Drawn drawn{kind, {}, draw.placement(left_over), {}};
    drawn.to = drawn.from;
    switch (kind) {
    case CollectiveKind::slice:
        static_cast<void>(draw.remove_cuts(drawn.from));
        break;
    case CollectiveKind::all_gather:
        drawn.axes = draw.remove_cuts(drawn.to);
        break;
    case CollectiveKind::reduce_scatter:
        drawn.axes = draw.remove_cuts(drawn.from);
        drawn.from.partial = drawn.axes;
        break;
    case CollectiveKind::all_reduce:
        std::ranges::sort(left_over);
        drawn.axes = left_over;
        drawn.from.partial = left_over;
        break;
    case CollectiveKind::all_to_all:
        for (std::size_t d = 0; d < drawn.to.dimensions.size() && drawn.axes.empty(); ++d)
            if (AxisList &cuts = drawn.to.dimensions[d].axes; !cuts.empty()) {
                drawn.axes = {cuts.back()};
                cuts.pop_back();
                drawn.to.dimensions[(d + 1) % drawn.to.dimensions.size()].axes.push_back(drawn.axes[0]);
            }
        break;
    case CollectiveKind::exchange: {
        Placement other = draw.placement(left_over);
        while (other.dimensions.size() != drawn.from.dimensions.size())
            other = draw.placement(left_over);
        for (std::size_t d = 0; d < other.dimensions.size(); ++d)
            drawn.to.dimensions[d].axes = other.dimensions[d].axes;
        draw.move_windows(drawn.to);
        break;
    }
    }
    drawn.from.reduction = static_cast<Reduction>(draw.below(3));
    return drawn;
}

/// An algorithm that the kind has, on its group as a line or as a grid.
Method draw_method(Draw &draw, CollectiveKind kind, const std::vector<int> &group) {
    static const std::vector<Algorithm> of_all_reduce{Algorithm::ring, Algorithm::rabenseifner,
                                                      Algorithm::recursive_doubling, Algorithm::mst,
                                                      Algorithm::hierarchical};
    static const std::vector<Algorithm> of_reduce_scatter{Algorithm::ring, Algorithm::recursive_halving};
    static const std::vector<Algorithm> of_all_gather{Algorithm::ring, Algorithm::recursive_doubling};
    const bool scatters = kind == CollectiveKind::reduce_scatter;
    if (!by_messages || draw.below(4) == 0 ||
        (!scatters && kind != CollectiveKind::all_reduce && kind != CollectiveKind::all_gather))
        return {};
    const std::vector<Algorithm> &known = kind == CollectiveKind::all_reduce ? of_all_reduce
                                          : scatters                         ? of_reduce_scatter
                                                                             : of_all_gather;
    Method method{known[draw.below(static_cast<int>(known.size()))], {}};
    int ranks = 1;
    for (const int axis : group) {
        method.shape.push_back(mesh.sizes[axis]);
        ranks *= mesh.sizes[axis];
    }
    const bool by_dimension = method.algorithm == Algorithm::ring || method.algorithm == Algorithm::mst ||
                              method.algorithm == Algorithm::hierarchical;
    if (!by_dimension || draw.below(2) == 0)
        method.shape = {ranks};
    return method;
}

void add_collective(Draw &draw, CollectiveKind kind, bool flat) {
    const Drawn first = draw_one(draw, kind, flat);
    const int members = kind == CollectiveKind::all_reduce ? 1 + draw.below(3) : 1;
    const Type type = static_cast<Type>(draw.below(3));
    std::vector<Case> &of_members = cases.emplace_back();
    std::vector<Collective::Member> &table = member_tables.emplace_back();
    std::vector<Collective::Predicted> &predicted = predicted_tables.emplace_back();
    predicted.resize(mesh.ranks());
    std::int64_t scratch_bytes = 0;
    const Method method = draw_method(draw, kind, first.axes);
    std::vector<MovedTensor> moved_tensors;
    for (int member = 0; member < members; ++member) {
        Drawn drawn = first;
        if (member > 0)
            for (DimensionPlacement &dimension : drawn.from.dimensions)
                dimension.extent = 1 + draw.below(7);
        for (std::size_t d = 0; member > 0 && d < drawn.to.dimensions.size(); ++d)
            drawn.to.dimensions[d].extent = drawn.from.dimensions[d].extent;
        Case each{type, drawn.from, drawn.to, reserve(largest_volume(drawn.from, mesh) * bytes_of(type)), 0};
        const bool in_place = kind == CollectiveKind::all_reduce && draw.below(2) == 0;
        each.to_offset = in_place ? each.from_offset : reserve(largest_volume(drawn.to, mesh) * bytes_of(type));
        of_members.push_back(each);
        moved_tensors.push_back({each.from, each.to});
        table.push_back({tensor_of(each.from, type, each.from_offset), tensor_of(each.to, type, each.to_offset)});
        if (members > 1 || kind != CollectiveKind::all_reduce)
            scratch_bytes += largest_scratch_elements(kind, each.from, each.to, mesh) * bytes_of(type);
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const Traffic moved = traffic(kind, each.from, each.to, mesh, rank);
            predicted[rank].calls = member == 0 ? moved.calls : predicted[rank].calls;
            predicted[rank].bytes += moved.elements * bytes_of(type);
        }
    }
    if (method.algorithm != Algorithm::mpi) {
        scratch_bytes = largest_scratch_elements(kind, method, first.axes, moved_tensors, mesh) * bytes_of(type);
        for (int rank = 0; rank < mesh.ranks(); ++rank) {
            const Sent sent = planrt::sent(procedure(kind, method, first.axes, moved_tensors, mesh, rank).rounds);
            predicted[rank].messages = sent.messages;
            predicted[rank].sent_bytes = sent.elements * bytes_of(type);
        }
    }
    collectives.push_back({kind, 0, axis_tables.emplace_back(first.axes), table, reserve(scratch_bytes), scratch_bytes,
                           predicted, 0, method.algorithm, axis_tables.emplace_back(method.shape)});
}

void draw_program() {
    const char *sizes = std::getenv("PLANRT_TEST_MESH");
    static const char *const names[] = {"a", "b", "c", "d"};
    for (const char *next = sizes == nullptr ? "1" : sizes; *next != '\0'; ++next)
        if (*next != 'x')
            mesh.sizes.push_back(*next - '0');
    for (const int size : mesh.sizes)
        axes.push_back({names[axes.size()], size});
    by_messages = std::getenv("PLANRT_TEST_MESSAGES") != nullptr;
    const char *seed = std::getenv("PLANRT_TEST_SEED");
    const unsigned number = seed == nullptr ? 1 : static_cast<unsigned>(std::atoi(seed));
    Draw draw(number);
    const int count = 115 + static_cast<int>(number % 6); // any kind may be the last in the arena
    for (int i = 0; i < count; ++i)
        add_collective(draw, static_cast<CollectiveKind>(i % 6), i % 12 >= 6);
    const char *fault = std::getenv("PLANRT_TEST_FAULT");
    if (fault != nullptr && std::string(fault) == "predict")
        predicted_tables[1].back().bytes += 4;
    const auto first =
        std::ranges::find_if(predicted_tables, [](const auto &ranks) { return ranks.back().messages > 0; });
    if (fault != nullptr && std::string(fault) == "messages" && first != predicted_tables.end())
        first->back().sent_bytes += 4;
}

} // namespace

int main(int argc, char **argv) {
    draw_program();
    static const TrafficRow row{"layer", "forward", "tensor"};
    static const Dimension batch{"batch", 1, {}};
    Program program{};
    program.name = "collectives";
    program.source = "collectives.plan";
    program.layout = "random";
    program.mesh = axes;
    program.arena_bytes = arena_used;
    const Field field{"x", {Type::f32, {&batch, 1}, {}, Reduction::sum, {}, 64}, "", 0, 0, 1, 0, 0};
    const Body body{train_step, {&field, 1}};
    const MicroBatches whole{1, 1};
    const Action action{};
    const RoleProgram role{"all", {}, {&action, 1}};
    program.bodies = {&body, 1};
    program.micro_batches = {&whole, 1};
    program.roles = {&role, 1};
    program.data = {"none", DataFormat::synthetic, "", "", SplitKind::shares, 1, 0, 0, 4, 1, false};
    program.traffic = {&row, 1};
    program.collectives = collectives;
    program.training_collectives = static_cast<int>(collectives.size());
    program.batch = 1;
    program.steps = 3;
    program.loss.type = Type::f64;
    return run(program, argc, argv);
}
