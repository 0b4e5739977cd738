#include "driver/commands/summary.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "support/json.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

namespace planc::driver {

namespace {

std::int64_t elements(const sema::TensorType &type) {
    std::int64_t product = 1;
    for (const sema::Dimension &dimension : type.dimensions)
        product *= dimension.extent;
    return product;
}

std::string words(const sema::TensorType &type) {
    std::string text;
    for (const sema::Dimension &dimension : type.dimensions)
        text += (text.empty() ? "" : ", ") + dimension.role + ": " + std::to_string(dimension.extent);
    return "[" + text + "]";
}

/// A row of a sparse matrix has so many nonzeros on average, rounded up; where nobody has read the matrix, all of them.
std::int64_t nonzeros_of_row(const sema::Operation &operation, const std::vector<sema::Matrix> &matrices) {
    const std::int64_t rows = operation.loops[0].extent;
    const auto matrix = std::find_if(matrices.begin(), matrices.end(),
                                     [&](const sema::Matrix &each) { return each.name == operation.text; });
    return matrix == matrices.end() ? operation.loops[1].extent : (matrix->pattern->nonzeros() + rows - 1) / rows;
}

/// The product of the extents; at most the largest number.
std::int64_t saturated_product(const std::vector<std::int64_t> &factors) {
    std::int64_t product = 1;
    for (const std::int64_t factor : factors)
        if (__builtin_mul_overflow(product, factor, &product))
            return std::numeric_limits<std::int64_t>::max();
    return product;
}

/// Each score is a sum over the features, and a weight of each of the values' own elements.
std::int64_t of_attention(const sema::Operation &operation, const std::string &samples) {
    std::vector<std::int64_t> scores;
    std::vector<std::int64_t> values;
    std::int64_t features = 0;
    for (const sema::Loop &loop : operation.loops)
        if (features > 0)
            values.push_back(loop.extent);
        else if (loop.name == operation.roles[1])
            features = loop.extent;
        else if (loop.name != samples)
            scores.push_back(loop.extent);
    std::int64_t of_score = features;
    if (__builtin_add_overflow(of_score, saturated_product(values), &of_score))
        of_score = std::numeric_limits<std::int64_t>::max();
    scores.push_back(of_score);
    return saturated_product(scores);
}

/// For one sample: the loop over the samples counts once. 0 for everything except products.
std::int64_t multiply_adds(const sema::Operation &operation, const std::string &samples,
                           const std::vector<sema::Matrix> &matrices) {
    if (operation.kind == sema::OperationKind::spmm) {
        std::vector<std::int64_t> factors{nonzeros_of_row(operation, matrices)};
        for (std::size_t loop = 2; loop < operation.loops.size(); ++loop)
            factors.push_back(operation.loops[loop].extent);
        return saturated_product(factors);
    }
    if (operation.kind == sema::OperationKind::attention)
        return of_attention(operation, samples);
    if (operation.loops.empty() || operation.operands.size() < 2)
        return 0;
    std::vector<std::int64_t> factors;
    for (const sema::Loop &loop : operation.loops)
        if (loop.name != samples)
            factors.push_back(loop.extent);
    return saturated_product(factors);
}

std::string samples_of(const sema::Network &network) {
    if (network.arguments.empty() || network.arguments.front().type.dimensions.empty())
        return {};
    return network.arguments.front().type.dimensions.front().role;
}

/// Saturates at the largest number.
void add(std::int64_t &sum, std::int64_t number) {
    if (__builtin_add_overflow(sum, number, &sum))
        sum = std::numeric_limits<std::int64_t>::max();
}

} // namespace

static NetworkSummary summarize(const sema::Network &network, const std::vector<sema::Matrix> &matrices) {
    NetworkSummary summary{network.name, {}, 0, 0, {}};
    std::unordered_map<std::string, std::size_t> places;
    for (const std::string &layer : network.layers) {
        places.emplace(layer, summary.layers.size());
        summary.layers.push_back({layer, "", 0, 0});
    }
    const std::string samples = samples_of(network);
    std::set<std::string> counted;
    for (const sema::Operation &operation : network.operations) {
        const auto place = places.find(operation.layer);
        if (place == places.end())
            continue; // an input
        LayerSummary &layer = summary.layers[place->second];
        if (operation.kind == sema::OperationKind::parameter) {
            if (operation.trained && counted.insert(operation.text).second)
                add(layer.parameters, elements(operation.type));
            continue;
        }
        if (operation.kind == sema::OperationKind::constant)
            continue;
        layer.shape = words(operation.type);
        add(layer.multiply_adds, multiply_adds(operation, samples, matrices));
    }
    for (const LayerSummary &layer : summary.layers) {
        add(summary.parameters, layer.parameters);
        add(summary.multiply_adds, layer.multiply_adds);
    }
    return summary;
}

NetworkSummary summarize(const sema::Network &network) {
    return summarize(network, {});
}

NetworkSummary summarize_trained(const sema::Program &program, const sema::Train &train) {
    sema::Network network = train.loss;
    network.name = train.network;
    std::erase(network.layers, "loss");
    NetworkSummary summary = summarize(network, train.matrices);
    summary.matrices = summarize_matrices(program, train);
    return summary;
}

std::string text_report(const NetworkSummary &summary) {
    cost::Lines lines;
    lines.row({summary.network, "result", "parameters", "multiply-adds a sample"});
    for (const LayerSummary &layer : summary.layers)
        lines.row(
            {"  " + layer.name, layer.shape, cost::grouped(layer.parameters), cost::grouped(layer.multiply_adds)});
    lines.row({"total of " + std::to_string(summary.layers.size()) + " layers", "", cost::grouped(summary.parameters),
               cost::grouped(summary.multiply_adds)});
    return lines.text(2) + text_report(summary.matrices);
}

std::string json_report(const NetworkSummary &summary) {
    support::JsonWriter json;
    json.begin_object().member("network", summary.network).key("layers").begin_array();
    for (const LayerSummary &layer : summary.layers)
        json.begin_object()
            .member("name", layer.name)
            .member("shape", layer.shape)
            .member("parameters", layer.parameters)
            .member("multiply_adds", layer.multiply_adds)
            .end_object();
    json.end_array().member("parameters", summary.parameters).member("multiply_adds", summary.multiply_adds);
    if (!summary.matrices.empty())
        write_json(summary.matrices, json.key("matrices"));
    json.end_object();
    return json.text();
}

std::string csv_report(const NetworkSummary &summary) {
    std::string text = "layer,parameters,multiply_adds\n";
    for (const LayerSummary &layer : summary.layers)
        text += layer.name + "," + std::to_string(layer.parameters) + "," + std::to_string(layer.multiply_adds) + "\n";
    return text;
}

} // namespace planc::driver
