#include "sharding/random_graph.h"

#include "sharding/graphs.h"

#include <planrt/needed_rows.h>

#include <algorithm>
#include <numeric>

namespace planc::sharding::reference {

using graphs::Builder;
using graphs::Dimension;

Mesh random_mesh(Random &random, int most_axes, int most_ranks) {
    Mesh mesh;
    for (int axis = uniform(random, 1, most_axes); axis > 0; --axis)
        mesh.sizes.push_back(uniform(random, 1, std::max(1, std::min(5, most_ranks / mesh.ranks()))));
    std::shuffle(mesh.sizes.begin(), mesh.sizes.end(), random);
    return mesh;
}

Placement random_placement(const std::vector<std::int64_t> &extents, const Mesh &mesh, bool partial, Random &random,
                           bool stored) {
    Placement result;
    for (std::int64_t extent : extents)
        result.dimensions.push_back({extent, {}});
    std::vector<int> axes(mesh.sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    std::shuffle(axes.begin(), axes.end(), random);
    const int dimensions = static_cast<int>(extents.size());
    for (int axis : axes) {
        if (stored && uniform(random, 0, 2) == 0) {
            if (mesh.sizes[axis] > 1)
                result.stored.push_back(axis);
            continue;
        }
        const int choice = uniform(random, partial ? -2 : -1, dimensions - 1);
        if (choice >= 0)
            result.dimensions[choice].axes.push_back(axis);
        if (choice == -2)
            result.partial.push_back(axis);
    }
    std::sort(result.partial.begin(), result.partial.end());
    if (!result.partial.empty())
        result.reduction = static_cast<Reduction>(uniform(random, 0, 2));
    return result;
}

Placement with_random_windows(Placement placement, Random &random) {
    for (planrt::DimensionPlacement &dimension : placement.dimensions)
        if (!dimension.axes.empty() && uniform(random, 0, 2) > 0)
            dimension.window = planrt::Window{uniform(random, 1, 12),
                                              uniform(random, 1, 5),
                                              uniform(random, 1, 4),
                                              uniform(random, 1, 3),
                                              uniform(random, 0, 4),
                                              uniform(random, 0, 1) == 1,
                                              static_cast<planrt::WindowPart>(uniform(random, 0, 3))};
    return placement;
}

planrt::Pattern random_matrix(Random &random, int rows, int columns) {
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    for (int count = uniform(random, 0, 3 * rows); count > 0; --count) {
        row.push_back(uniform(random, 0, rows - 1));
        column.push_back(uniform(random, 0, columns - 1));
    }
    return planrt::pattern_of(rows, columns, row, column);
}

Nest sparse_product(std::int64_t rows, std::int64_t columns, std::int64_t features, int matrix) {
    Nest nest;
    nest.loops = {
        {"v", rows, LoopKind::parallel}, {"f", features, LoopKind::parallel}, {"u", columns, LoopKind::reduced}};
    nest.operands = {{2, 1}};
    nest.results = {{0, 1}};
    nest.sparse = SparseLoops{0, 2, 0.1, matrix, true, matrix < 0 && rows == columns};
    return nest;
}

Placement random_product_result(Random &random, const Mesh &mesh, int rows, int features) {
    const int columns = uniform(random, 1, 40);
    const Nest nest =
        sparse_product(rows, columns, features, planrt::number_matrix(random_matrix(random, rows, columns)));
    Strategy strategy;
    for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
        strategy.loop_of_axis.push_back(uniform(random, -1, 2));
    return derive(nest, strategy, mesh).results[0];
}

namespace {

const std::vector<std::string> roles = {"a", "b", "c", "d"};

bool contains(const std::vector<std::string> &list, const std::string &role) {
    return std::ranges::find(list, role) != list.end();
}

class RandomGraph {
  public:
    explicit RandomGraph(Random &random) : random_(random) {}

    Graph build() {
        for (std::size_t role = 0; role < roles.size(); ++role)
            extents_.push_back(uniform(random_, 1, 6));
        for (int layer = uniform(random_, 1, 4); layer > 0; --layer)
            b_.layer("layer" + std::to_string(layer));
        for (int i = 0; i < 2; ++i) {
            source(ValueKind::free);
            source(ValueKind::variable);
        }
        for (int i = uniform(random_, 3, 10); i > 0; --i)
            if (uniform(random_, 0, 3) == 0)
                sparse_product();
            else
                operation();
        for (const ValueId variable : std::vector<ValueId>(variables_))
            if (uniform(random_, 0, 3) > 0)
                update(variable);
        for (const ValueId v : b_.graph.values.ids())
            if (b_.graph.values[v].kind == ValueKind::computed && uniform(random_, 0, 7) == 0)
                b_.graph.outputs.push_back(v);
        split_into_microbatches();
        return std::move(b_.graph);
    }

  private:
    /// As the extraction from the IR says what runs once a step.
    void split_into_microbatches() {
        b_.graph.microbatches = uniform(random_, 1, 3);
        PerValue<bool> accumulated(b_.graph.values.size());
        for (Operation &operation : b_.graph.operations) {
            operation.per_step = !operation.accumulates && operation.phase == Phase::update;
            for (const ValueId value : operation.operands)
                operation.per_step |= !operation.accumulates && accumulated[value];
            for (const ValueId value : operation.results)
                accumulated[value] = operation.accumulates || operation.per_step;
        }
    }

    LayerId layer() { return LayerId(uniform(random_, 0, static_cast<int>(b_.graph.layers.size()) - 1)); }

    std::vector<Dimension> dimensions() {
        std::vector<Dimension> result;
        for (std::size_t role = 0; role < roles.size(); ++role)
            if (uniform(random_, 0, 1) == 0)
                result.push_back({roles[role], extents_[role]});
        std::shuffle(result.begin(), result.end(), random_);
        return result;
    }

    void source(ValueKind kind) {
        const ValueId value = b_.value("source", kind, layer(), dimensions());
        readable_.push_back(value);
        if (kind == ValueKind::variable)
            variables_.push_back(value);
    }

    /// Late values more often, so that chains arise and many values have one use only.
    ValueId pick() {
        const int last = static_cast<int>(readable_.size()) - 1;
        return readable_[std::max(uniform(random_, 0, last), uniform(random_, 0, last))];
    }

    [[nodiscard]] int extent(const std::string &role) const {
        return static_cast<int>(extents_[static_cast<std::size_t>(std::ranges::find(roles, role) - roles.begin())]);
    }

    /// One of those with the first role and without the second; none: no value.
    ValueId pick_with(const std::string &role, const std::string &without) {
        std::vector<ValueId> all;
        for (const ValueId value : readable_) {
            const std::vector<std::string> &has = b_.graph.values[value].roles;
            if (contains(has, role) && !contains(has, without))
                all.push_back(value);
        }
        return all.empty() ? ValueId()
                           : all[static_cast<std::size_t>(uniform(random_, 0, static_cast<int>(all.size()) - 1))];
    }

    /// A product with a sparse matrix, or a sum over its entries of a product of tensors of its columns and its rows.
    void sparse_product() {
        const ValueId x = pick();
        std::vector<std::string> result = b_.graph.values[x].roles;
        if (result.empty() || result.size() == roles.size())
            return operation();
        const std::string columns =
            result[static_cast<std::size_t>(uniform(random_, 0, static_cast<int>(result.size()) - 1))];
        const std::string rows =
            *std::ranges::find_if(roles, [&](const std::string &role) { return !contains(result, role); });
        const bool transposed = uniform(random_, 0, 1) == 1;
        const planrt::Pattern matrix = transposed ? random_matrix(random_, extent(columns), extent(rows))
                                                  : random_matrix(random_, extent(rows), extent(columns));
        const int number = planrt::number_matrix(matrix);
        Builder::Spec spec;
        spec.layer = layer();
        spec.phase = static_cast<Phase>(uniform(random_, 0, 3));
        spec.kernel = Kernel::sparse_product;
        std::vector<graphs::Operand> operands = {b_.plain(x)};
        const ValueId of_rows = uniform(random_, 0, 2) == 0 ? pick_with(rows, columns) : ValueId();
        if (of_rows)
            operands.push_back(b_.plain(of_rows));
        spec.linear = !of_rows;
        spec.sparse = {{rows, extent(rows)},
                       columns,
                       static_cast<double>(matrix.nonzeros()) / (extent(rows) * extent(columns)),
                       transposed ? -number : number,
                       !of_rows && uniform(random_, 0, 3) > 0};
        *std::ranges::find(result, columns) = rows;
        readable_.push_back(b_.operation(spec, operands, result, "product"));
    }

    void operation() {
        Builder::Spec spec;
        spec.layer = layer();
        spec.phase = static_cast<Phase>(uniform(random_, 0, 3));
        spec.linear = uniform(random_, 0, 2) > 0;
        spec.reduction = !spec.linear && uniform(random_, 0, 4) == 0 ? Reduction::max : Reduction::sum;
        std::vector<graphs::Operand> operands;
        std::vector<std::string> result;
        const bool reduces = uniform(random_, 0, 1) == 0;
        for (int i = uniform(random_, 1, 2); i > 0; --i) {
            operands.push_back(b_.plain(pick()));
            for (const std::string &loop : operands.back().loops)
                if (std::find(result.begin(), result.end(), loop) == result.end() &&
                    (!reduces || uniform(random_, 0, 2) > 0))
                    result.push_back(loop);
        }
        readable_.push_back(b_.operation(spec, operands, result, "value"));
    }

    /// A gradient of the variable's shape out of anything, then the update; the optimizer's state in the same
    /// operation, in one before, or none.
    void update(ValueId variable) {
        const Value &value = b_.graph.values[variable];
        Builder::Spec spec;
        spec.layer = layer();
        spec.phase = Phase::weight_gradient;
        const std::vector<std::string> loops = value.roles;
        ValueId gradient = b_.operation(spec, {b_.plain(pick()), b_.plain(variable)}, loops, "gradient");
        if (uniform(random_, 0, 1) == 0)
            gradient = accumulated(gradient, variable, loops);
        std::vector<Dimension> dimensions;
        for (std::size_t d = 0; d < loops.size(); ++d)
            dimensions.push_back({loops[d], b_.graph.values[variable].extents[d]});
        const int kind = uniform(random_, 0, 3);
        const LayerId owner = layer();
        if (kind == 3) {
            const ValueId size = norm(variable, gradient, owner);
            b_.update("scaled", owner, variable, {variable, gradient, size}, {variable});
            return;
        }
        if (kind == 0) {
            b_.update("sgd", owner, variable, {variable, gradient}, {variable});
            return;
        }
        const ValueId state = b_.value("state", ValueKind::variable, owner, dimensions);
        if (kind == 1) {
            b_.update("momentum", owner, variable, {variable, gradient, state}, {variable, state});
            return;
        }
        const ValueId moved = b_.update("state", owner, variable, {state, gradient}, {state})[0];
        b_.update("sgd", owner, variable, {variable, moved}, {variable});
    }

    ValueId accumulated(ValueId gradient, ValueId variable, const std::vector<std::string> &loops) {
        Builder::Spec spec;
        spec.layer = layer();
        spec.phase = Phase::weight_gradient;
        spec.linear = true;
        const ValueId sum = b_.operation(spec, {b_.plain(gradient)}, loops, "accumulated");
        b_.graph.operations.back().parameter = variable;
        b_.graph.operations.back().accumulates = true;
        return sum;
    }

    /// Two sums over all elements, added: partial sums may wait until then.
    ValueId norm(ValueId variable, ValueId gradient, LayerId owner) {
        Builder::Spec spec;
        spec.layer = owner;
        spec.phase = Phase::update;
        spec.linear = true;
        std::vector<graphs::Operand> sums;
        for (const ValueId value : {gradient, variable}) {
            sums.push_back({b_.operation(spec, {b_.plain(value)}, {}, "sum"), {}});
            b_.graph.operations.back().parameter = variable;
        }
        return b_.operation(spec, sums, {}, "norm");
    }

    Random &random_;
    Builder b_;
    std::vector<std::int64_t> extents_;
    std::vector<ValueId> readable_;
    std::vector<ValueId> variables_;
};

} // namespace

Graph random_graph(Random &random) {
    return RandomGraph(random).build();
}

LayerStrategies random_strategies(const Graph &graph, const Mesh &mesh, Random &random) {
    LayerStrategies result(graph.layers.size());
    for (LayerStrategy &strategy : result) {
        for (std::size_t axis = 0; axis < mesh.sizes.size(); ++axis)
            strategy.loop_of_axis.push_back(uniform(random, 0, 4) == 0 ? "" : roles[uniform(random, 0, 3)]);
        if (uniform(random, 0, 1) == 0) {
            strategy.order.resize(mesh.sizes.size());
            std::iota(strategy.order.begin(), strategy.order.end(), 0);
            std::shuffle(strategy.order.begin(), strategy.order.end(), random);
        }
    }
    return result;
}

Storage random_storage(const Mesh &mesh, Random &random) {
    std::vector<int> axes(mesh.sizes.size());
    std::iota(axes.begin(), axes.end(), 0);
    const auto some = [&] {
        std::shuffle(axes.begin(), axes.end(), random);
        return std::vector<int>(axes.begin(), axes.begin() + uniform(random, 0, static_cast<int>(axes.size())));
    };
    return {some(), some(), some()};
}

} // namespace planc::sharding::reference
