#include "compare_runs.h"

#include "sparse_inputs.h"
#include "stale_step.h"

#include "interpret/whole_batch.h"
#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

namespace planc::test {

using interpret::Array;
using interpret::CollectiveRecord;
using interpret::Inputs;
using interpret::Outcome;

namespace {

constexpr int steps = 2;
constexpr double tolerance = 1e-10;

Array random_array(ir::TensorType type, double low, double high, Random &random) {
    Array array{{type.getExtents().begin(), type.getExtents().end()}, {}};
    for (std::int64_t i = 0; i < type.elements(); ++i)
        array.elements.push_back(random.between(low, high));
    return array;
}

/// Relative to the largest element, or to one.
void same(const std::string &what, const Array &expected, const Array &got) {
    double scale = 1;
    for (const double element : expected.elements)
        scale = std::max(scale, std::fabs(element));
    if (got.extents != expected.extents)
        throw Difference(what + " has another shape");
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
        if (std::fabs(got.elements.at(i) - expected.elements[i]) <= tolerance * scale)
            continue;
        std::ostringstream text;
        text.precision(17);
        text << what << "[" << i << "] is " << got.elements[i] << ", on one rank " << expected.elements[i];
        throw Difference(text.str());
    }
}

/// The inputs of all functions, in order.
std::vector<std::pair<std::string, ir::TensorType>> input_types(mlir::ModuleOp module) {
    std::vector<std::pair<std::string, ir::TensorType>> inputs;
    for (auto function : module.getOps<mlir::func::FuncOp>())
        for (mlir::BlockArgument argument : function.getArguments()) {
            const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            inputs.emplace_back(name.str(), ir::type_of(argument));
        }
    return inputs;
}

Outcome execute(mlir::ModuleOp module, const std::string &function, const Inputs &inputs) {
    if (function != "train")
        return interpret::run_in_parts(module, function, inputs);
    return is_stale(module) ? run_stale_step(module, inputs) : interpret::run_train_step(module, inputs);
}

bool all_finite(const Array &array) {
    return std::all_of(array.elements.begin(), array.elements.end(), [](double x) { return std::isfinite(x); });
}

bool all_finite(const Outcome &outcome) {
    return std::all_of(outcome.results.begin(), outcome.results.end(),
                       [](const Array &result) { return all_finite(result); }) &&
           std::all_of(outcome.variables.begin(), outcome.variables.end(),
                       [](const auto &variable) { return all_finite(variable.second); });
}

/// Rows of the same kind, layer and phase together.
using Key = std::string;

Key key(const std::string &kind, const std::string &layer, const std::string &phase) {
    return phase + " of " + layer + ": " + kind;
}

/// Elements of the busiest rank of each collective, which is what a row of the table says.
double busiest_bytes(const CollectiveRecord &record) {
    std::int64_t most = 0;
    for (const planrt::Traffic &traffic : record.traffic)
        most = std::max(most, traffic.elements);
    return static_cast<double>(most * record.element_bytes);
}

std::string list(const std::vector<double> &numbers) {
    std::string text;
    for (const double number : numbers)
        text += " " + std::to_string(static_cast<std::int64_t>(number));
    return text;
}

void compare_rows(const std::vector<CollectiveRecord> &executed, const cost::CostTable &table) {
    std::map<Key, std::vector<double>> got;
    for (const CollectiveRecord &record : executed)
        if (record.kind != "slice")
            got[key(record.kind, record.layer, record.phase)].push_back(busiest_bytes(record));
    std::map<Key, std::vector<double>> expected;
    const auto add = [&](const cost::CollectiveRow &row) {
        std::string kind = name_of(row.kind);
        std::replace(kind.begin(), kind.end(), '-', '_');
        if (row.kind != cost::CollectiveKind::slice)
            expected[key(kind, table.layers[row.layer].name, sharding::name(row.phase))].push_back(row.payload.value);
    };
    for (const cost::LayerRow &layer : table.layers)
        std::for_each(layer.collectives.begin(), layer.collectives.end(), add);
    std::for_each(table.reshards.begin(), table.reshards.end(), add);
    for (auto *side : {&got, &expected})
        for (auto &[row, bytes] : *side) {
            std::sort(bytes.begin(), bytes.end());
            if (table.microbatches > 1) // a row has what all of them move
                bytes = {std::accumulate(bytes.begin(), bytes.end(), 0.0)};
        }
    for (const auto &[row, bytes] : expected)
        if (got[row] != bytes)
            throw Difference("the table predicts otherwise than is executed: " + row + ", predicted" + list(bytes) +
                             " bytes, executed" + list(got[row]));
    if (got.size() != expected.size())
        throw Difference("the table lacks rows of what is executed");
}

} // namespace

int classes_of(const sema::Train &train) {
    if (train.prediction >= 0)
        for (const sema::Dimension &dimension :
             train.loss.operations[static_cast<std::size_t>(train.prediction)].type.dimensions)
            if (dimension.role == "class")
                return static_cast<int>(dimension.extent);
    return 1;
}

bool divides_by_norms(const sema::Train &train) {
    return train.optimizer.kind == sema::Optimizer::Kind::lars || train.optimizer.kind == sema::Optimizer::Kind::lamb;
}

int whole_numbers_of(const sema::Train &train, const std::string &argument) {
    for (const sema::Operation &operation : train.loss.operations) {
        if (operation.kind != sema::OperationKind::embedding)
            continue;
        const auto &indices = train.loss.operations[static_cast<std::size_t>(operation.operands[0])];
        const auto &table = train.loss.operations[static_cast<std::size_t>(operation.operands[1])];
        if (indices.kind == sema::OperationKind::input && indices.text == argument)
            for (const sema::Dimension &dimension : table.type.dimensions)
                if (dimension.role == operation.roles.front())
                    return static_cast<int>(dimension.extent);
    }
    return classes_of(train);
}

Reference::Reference(mlir::ModuleOp one, mlir::ModuleOp whole, const sema::Train &train, Random &random) {
    std::map<std::string, Array> variables;
    for (auto variable : one.getOps<ir::VariableOp>()) {
        if (variable->hasAttr("accumulator")) // stages may have others
            continue;
        const auto type = mlir::cast<ir::TensorType>(variable.getType());
        const double range = variable.getTrained() ? 0.8 : 0;
        variables[variable.getSymName().str()] = variable->hasAttr("statistic")
                                                     ? random_array(type, 0.5, 1.5, random) // as variances are
                                                     : random_array(type, -range, range, random);
    }
    for (int i = 0; i < steps + 2; ++i) {
        const std::string function = i < steps ? "train" : i == steps ? "evaluate" : "predict";
        if (!one.lookupSymbol(function))
            continue;
        Inputs inputs = inputs_of(one, whole, train, random);
        inputs.variables = variables;
        inputs.step = i;
        inputs.seed = 11;
        Outcome outcome = execute(one, function, inputs);
        variables = outcome.variables;
        runs_.push_back({function, std::move(inputs), std::move(outcome)});
    }
}

Inputs Reference::inputs_of(mlir::ModuleOp one, mlir::ModuleOp whole, const sema::Train &train, Random &random) const {
    Inputs inputs;
    inputs.matrices = dense_matrices(train);
    for (const auto &[name, type] : input_types(whole)) {
        Array array = random_array(type, -1, 1, random);
        for (double &element : array.elements) {
            if (name == "valid")
                element = element > -0.5 ? 1 : 0;
            if (type.getElementType().isInteger())
                element = random.whole(0, whole_numbers_of(train, name) - 1);
        }
        inputs.fields.emplace(name, std::move(array));
    }
    for (const auto &[name, type] : input_types(one))
        if (is_product(name) && !inputs.fields.contains(name))
            inputs.fields.emplace(name, product(name, inputs));
    return inputs;
}

bool Reference::finite() const {
    return std::all_of(runs_.begin(), runs_.end(), [](const Run &run) { return all_finite(run.outcome); });
}

bool Reference::has_vanishing_gradient() const {
    return std::any_of(runs_.front().outcome.variables.begin(), runs_.front().outcome.variables.end(),
                       [](const auto &variable) {
                           const auto &[name, array] = variable;
                           return (name.ends_with(".momentum") || name.ends_with(".first_moment")) &&
                                  std::all_of(array.elements.begin(), array.elements.end(),
                                              [](double x) { return std::fabs(x) < 1e-10; });
                       });
}

bool Reference::stable(mlir::ModuleOp one, const sema::Train &train, Random &random) const {
    const bool by_norms = divides_by_norms(train);
    if (by_norms && has_vanishing_gradient())
        return false;
    // A norm that is zero but for rounding may be exactly zero in some runs.
    for (int runs = by_norms ? 4 : 1; runs > 0; --runs) {
        std::map<std::string, Array> moved = runs_.front().inputs.variables;
        for (auto &[name, array] : moved)
            for (double &element : array.elements)
                element *= 1 + 1e-14 * random.between(-1, 1);
        try {
            static_cast<void>(compare(one, std::move(moved)));
        } catch (const Difference &) {
            return false;
        }
    }
    return true;
}

std::vector<CollectiveRecord> Reference::compare(mlir::ModuleOp module) const {
    return compare(module, runs_.front().inputs.variables);
}

void Reference::compare_numbers(mlir::ModuleOp module) const {
    static_cast<void>(compare(module, runs_.front().inputs.variables, true));
}

std::vector<CollectiveRecord> Reference::compare(mlir::ModuleOp module, std::map<std::string, Array> variables,
                                                 bool only_numbers) const {
    std::vector<CollectiveRecord> traffic;
    for (const Run &run : runs_) {
        Inputs inputs = run.inputs;
        inputs.variables = variables;
        Outcome outcome = execute(module, run.function, inputs);
        if (only_numbers && !all_finite(outcome))
            break;
        for (std::size_t i = 0; i < run.outcome.results.size(); ++i)
            same("result " + std::to_string(i) + " of @" + run.function, run.outcome.results[i], outcome.results.at(i));
        for (const auto &[name, array] : run.outcome.variables)
            same(name + " after @" + run.function, array, outcome.variables.at(name));
        variables = std::move(outcome.variables);
        if (run.function == "train")
            traffic = std::move(outcome.collectives);
    }
    return traffic;
}

void compare_traffic(const std::vector<CollectiveRecord> &executed, const cost::CostTable &table, bool fused) {
    if (!fused)
        compare_rows(executed, table);
    std::vector<double> bytes(static_cast<std::size_t>(table.mesh.ranks()), 0);
    std::vector<std::int64_t> calls(bytes.size(), 0);
    for (const CollectiveRecord &record : executed)
        for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
            bytes[rank] += static_cast<double>(record.traffic[rank].elements * record.element_bytes);
            calls[rank] += record.traffic[rank].calls;
        }
    const auto busiest = static_cast<std::size_t>(table.busiest_rank);
    if (table.payload.value != bytes[busiest] || bytes[busiest] < *std::max_element(bytes.begin(), bytes.end()))
        throw Difference("the table's busiest rank moves " + std::to_string(bytes[busiest]) + " bytes, predicted " +
                         std::to_string(table.payload.value));
    if (fused && calls[busiest] != table.calls)
        throw Difference("the table's busiest rank makes " + std::to_string(calls[busiest]) + " calls, predicted " +
                         std::to_string(table.calls));
}

void compare_busiest(const std::vector<CollectiveRecord> &executed, const cost::CostTable &table) {
    std::vector<Moved> moved(static_cast<std::size_t>(table.mesh.ranks()));
    for (const CollectiveRecord &record : executed)
        for (std::size_t rank = 0; rank < moved.size(); ++rank) {
            moved[rank].bytes += record.traffic[rank].elements * record.element_bytes;
            moved[rank].calls += record.traffic[rank].calls;
        }
    compare_busiest(moved, table);
}

void compare_busiest(const std::vector<Moved> &ranks, const cost::CostTable &table) {
    const auto [bytes, calls] = *std::max_element(ranks.begin(), ranks.end());
    if (table.payload.value != static_cast<double>(bytes) || table.calls != calls)
        throw Difference("the busiest rank moves " + std::to_string(bytes) + " bytes in " + std::to_string(calls) +
                         " calls, predicted " + std::to_string(static_cast<std::int64_t>(table.payload.value)) +
                         " in " + std::to_string(table.calls));
}

} // namespace planc::test
