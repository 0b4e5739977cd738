#include "sema/training/vertex_order.h"

#include "sema/values/arguments.h"
#include "sema/values/expect.h"
#include "sema/values/settings.h"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(bad_order, error, "data '{0}': {1}");                                                   // T11
PLANC_DIAGNOSTIC(order_matters, error, "'{0}' depends on the order of '{1}', which data '{2}' changes"); // T11

namespace {

/// The dimensions whose indices are vertices of the data set: the batch, and whatever shares a loop with it.
class Vertices {
  public:
    explicit Vertices(const Network &loss) : loss_(loss), batch_(loss.arguments.front().type.dimensions.front()) {
        roles_.insert(batch_.role);
        for (std::size_t before = 0; before != roles_.size();) {
            before = roles_.size();
            for (const Operation &operation : loss.operations)
                for (std::size_t loop = 0; loop < operation.loops.size(); ++loop)
                    add(operation, loop);
        }
    }

    [[nodiscard]] bool has(const Dimension &dimension) const {
        return dimension.extent == batch_.extent && roles_.contains(dimension.role);
    }
    [[nodiscard]] const std::set<std::string> &roles() const { return roles_; }
    [[nodiscard]] std::int64_t count() const { return batch_.extent; }

  private:
    /// If an index of the loop is a vertex in one tensor, it is one in all.
    void add(const Operation &operation, std::size_t loop) {
        if (operation.loops[loop].extent != batch_.extent)
            return;
        std::set<std::string> alike{operation.loops[loop].name};
        const auto collect = [&](const TensorType &type, const std::vector<int> &loops) {
            for (std::size_t d = 0; d < loops.size(); ++d)
                if (std::cmp_equal(loops[d], loop))
                    alike.insert(type.dimensions[d].role);
        };
        const std::size_t matrices = operation.kind == OperationKind::spmm ? 1 : 0;
        if (matrices > 0)
            collect(matrix(operation.text), operation.operand_loops[0]);
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            collect(loss_.operations[static_cast<std::size_t>(operation.operands[i])].type,
                    operation.operand_loops[i + matrices]);
        collect(operation.type, operation.result_loops);
        if (std::any_of(alike.begin(), alike.end(), [&](const std::string &role) { return roles_.contains(role); }))
            roles_.merge(alike);
    }

    [[nodiscard]] const TensorType &matrix(const std::string &name) const {
        return std::find_if(loss_.matrices.begin(), loss_.matrices.end(),
                            [&](const Argument &each) { return each.name == name; })
            ->type;
    }

    const Network &loss_;
    Dimension batch_;
    std::set<std::string> roles_;
};

/// The name of an operation that means another thing by an index than by another one along some dimension.
class OrderedUse {
  public:
    OrderedUse(const Network &loss, const Vertices &vertices) : loss_(loss), vertices_(vertices) {}

    /// The dimension of vertices along which the operation needs an order, in `name` what it is called; null if none.
    const Dimension *find(const Operation &operation, std::string &name) const {
        switch (operation.kind) {
        case OperationKind::iota:
            name = "iota";
            return among(operation.type.dimensions, {});
        case OperationKind::slice:
            name = "slice";
            return among(operand(operation, 0).dimensions, {operation.roles[0]});
        case OperationKind::concat:
            name = "concat";
            return among_operands(operation);
        case OperationKind::embedding:
            name = "embedding";
            return among(operand(operation, 1).dimensions, {operation.roles[0]});
        case OperationKind::cross_entropy:
            name = "cross_entropy";
            return among(operand(operation, 0).dimensions, {operation.roles[0]});
        case OperationKind::attention: // by index where queries see only the keys before them
            name = "fused_attention";
            return operation.roles.size() < 3 ? nullptr : among(operation.type.dimensions, {operation.roles[2]});
        case OperationKind::reshape:
            name = "reshape";
            return reshaped(operand(operation, 0).dimensions, operation.type.dimensions);
        case OperationKind::convolution:
        case OperationKind::pool:
            name = operation.kind == OperationKind::pool ? "pool" : "conv";
            return under_windows(operation);
        default:
            return nullptr;
        }
    }

  private:
    [[nodiscard]] const TensorType &operand(const Operation &operation, std::size_t number) const {
        return loss_.operations[static_cast<std::size_t>(operation.operands[number])].type;
    }

    /// The first dimension of vertices that has one of these roles, or any role.
    [[nodiscard]] const Dimension *among(const std::vector<Dimension> &dimensions,
                                         const std::vector<std::string> &roles) const {
        for (const Dimension &dimension : dimensions)
            if (vertices_.has(dimension) &&
                (roles.empty() || std::find(roles.begin(), roles.end(), dimension.role) != roles.end()))
                return &dimension;
        return nullptr;
    }

    [[nodiscard]] const Dimension *among_operands(const Operation &operation) const {
        for (std::size_t i = 0; i < operation.operands.size(); ++i)
            if (const Dimension *found = among(operand(operation, i).dimensions, {operation.roles[0]}))
                return found;
        return nullptr;
    }

    [[nodiscard]] const Dimension *under_windows(const Operation &operation) const {
        for (const Window &window : operation.windows)
            if (const Dimension *found = among(operand(operation, 0).dimensions, {window.role}))
                return found;
        return nullptr;
    }

    /// A dimension of vertices that is taken apart or put together; others stay where they are.
    [[nodiscard]] const Dimension *reshaped(const std::vector<Dimension> &from,
                                            const std::vector<Dimension> &to) const {
        for (const auto &[dimensions, others] : {std::pair(&from, &to), std::pair(&to, &from)})
            for (const Dimension &dimension : *dimensions)
                if (vertices_.has(dimension) && std::find(others->begin(), others->end(), dimension) == others->end())
                    return &dimension;
        return nullptr;
    }

    const Network &loss_;
    const Vertices &vertices_;
};

void check_no_use(const Data &data, const Train &train, const Vertices &vertices, const Context &context) {
    const OrderedUse uses(train.loss, vertices);
    std::string name;
    for (const Operation &operation : train.loss.operations)
        if (const Dimension *dimension = uses.find(operation, name))
            context.fail(order_matters, operation.where, {name, dimension->role, data.name},
                         {{data.order.where, "its order is set here"}});
}

/// The edges of all matrices among the vertices.
planrt::Pattern edges_of(const Train &train, std::int64_t vertices) {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> columns;
    for (const Matrix &matrix : train.matrices)
        for (std::int32_t v = 0; matrix.ordered_rows && matrix.ordered_columns && v < vertices; ++v)
            for (const std::int32_t u : matrix.pattern->columns_of(v)) {
                rows.push_back(v);
                columns.push_back(u);
            }
    return planrt::pattern_of(vertices, vertices, rows, columns);
}

} // namespace

OrderSetting read_order(const syntax::Expression &order, const std::string &what, Elaborator &constants,
                        const Context &context) {
    const auto *call = std::get_if<syntax::Call>(&order.node);
    if (call == nullptr || call->callee.text != "random") {
        const bool metis = expect_word(context, order, what, {"file", "metis", "random(…)"}) == "metis";
        return {{metis ? planrt::VertexOrdering::metis : planrt::VertexOrdering::file, 0}, order.where};
    }
    const Arguments arguments(context, *call, {"seed"});
    const syntax::CallArgument &seed = arguments.require("seed");
    const std::int64_t number = expect_integer_in(context, constants.evaluate(*seed.value), seed.where,
                                                  arguments.what("seed"), 0, std::numeric_limits<std::int64_t>::max());
    return {{planrt::VertexOrdering::random, static_cast<std::uint64_t>(number)}, order.where};
}

void order_vertices(const Data &data, Train &train, const Context &context) {
    if (data.order.request.ordering == planrt::VertexOrdering::file)
        return;
    const Vertices vertices(train.loss);
    check_no_use(data, train, vertices, context);
    for (std::size_t i = 0; i < train.matrices.size(); ++i) {
        const std::vector<Dimension> &sides = train.loss.matrices[i].type.dimensions;
        train.matrices[i].ordered_rows = vertices.has(sides[0]);
        train.matrices[i].ordered_columns = vertices.has(sides[1]);
    }
    auto order = std::make_shared<VertexOrder>();
    order->roles.assign(vertices.roles().begin(), vertices.roles().end());
    try {
        order->vertices = planrt::order_vertices(edges_of(train, vertices.count()), data.order.request);
    } catch (const std::runtime_error &error) {
        context.fail(bad_order, data.order.where, {data.name, error.what()});
    }
    const std::span<const std::int32_t> none;
    for (Matrix &matrix : train.matrices)
        matrix.pattern = std::make_shared<const planrt::Pattern>(
            planrt::permuted(*matrix.pattern, matrix.ordered_rows ? order->vertices : none,
                             matrix.ordered_columns ? order->vertices : none));
    train.order = std::move(order);
}

} // namespace planc::sema
