#include "driver/commands/graph_summary.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"

#include <planrt/vertex_order.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace planc::driver {

namespace {

constexpr int most_parts = 64;
constexpr std::int64_t most_for_metis = 2'000'000; ///< nonzeros: more take many seconds
constexpr const char *by_metis = "order by METIS";

OrderSummary summarize_order(std::string name, const planrt::Pattern &matrix) {
    OrderSummary order{std::move(name), {}};
    for (int parts = 2; parts <= most_parts && parts <= matrix.rows; parts *= 2) {
        const planrt::Cuts cuts = planrt::equal_cuts(matrix.rows, parts);
        PartsSummary &summary = order.parts.emplace_back();
        summary.parts = parts;
        summary.moved = planrt::rows_moved(matrix, cuts);
        for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
            summary.most_nonzeros =
                std::max(summary.most_nonzeros, matrix.row_begin[cuts[part + 1]] - matrix.row_begin[cuts[part]]);
    }
    return order;
}

planrt::VertexOrdering ordering_of(const sema::Program &program, const sema::Train &train) {
    const auto data = std::find_if(program.data.begin(), program.data.end(),
                                   [&](const sema::Data &each) { return each.name == train.data; });
    return data == program.data.end() ? planrt::VertexOrdering::file : data->order.request.ordering;
}

/// The place of each vertex of the file.
std::vector<std::int32_t> places(const std::vector<std::int32_t> &order) {
    std::vector<std::int32_t> result(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        result[static_cast<std::size_t>(order[place])] = static_cast<std::int32_t>(place);
    return result;
}

/// By METIS, of this matrix alone. None: this planc is without METIS, it fails, or it would take long.
std::optional<OrderSummary> summarize_metis(const planrt::Pattern &of_file) {
    if (!planrt::has_metis() || of_file.nonzeros() > most_for_metis)
        return std::nullopt;
    try {
        const std::vector<std::int32_t> order = planrt::order_vertices(of_file, {planrt::VertexOrdering::metis, 0});
        return summarize_order(by_metis, planrt::permuted(of_file, order, order));
    } catch (const std::runtime_error &) {
        return std::nullopt;
    }
}

std::vector<OrderSummary> summarize_orders(const sema::Matrix &matrix, const sema::Train &train,
                                           planrt::VertexOrdering ordering) {
    std::vector<OrderSummary> orders;
    std::optional<planrt::Pattern> back;
    if (train.order != nullptr && (matrix.ordered_rows || matrix.ordered_columns)) {
        const std::vector<std::int32_t> of_file = places(train.order->vertices);
        const std::span<const std::int32_t> none;
        back = planrt::permuted(*matrix.pattern, matrix.ordered_rows ? of_file : none,
                                matrix.ordered_columns ? of_file : none);
    }
    const planrt::Pattern &of_file = back ? *back : *matrix.pattern;
    orders.push_back(summarize_order("order of the file", of_file));
    const bool is_by_metis = back && ordering == planrt::VertexOrdering::metis;
    if (back)
        orders.push_back(summarize_order(is_by_metis ? by_metis : "the random order", *matrix.pattern));
    if (!is_by_metis)
        if (std::optional<OrderSummary> metis = summarize_metis(of_file))
            orders.push_back(*std::move(metis));
    return orders;
}

std::string fixed(double number, int decimals) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, number);
    return buffer.data();
}

} // namespace

std::vector<MatrixSummary> summarize_matrices(const sema::Program &program, const sema::Train &train) {
    std::vector<MatrixSummary> result;
    for (const sema::Matrix &matrix : train.matrices) {
        const planrt::Pattern &pattern = *matrix.pattern;
        MatrixSummary &summary = result.emplace_back();
        summary.name = matrix.name;
        summary.rows = pattern.rows;
        summary.columns = pattern.columns;
        summary.nonzeros = summary.least_degree = pattern.nonzeros();
        for (std::int64_t row = 0; row < pattern.rows; ++row) {
            summary.least_degree = std::min(summary.least_degree, pattern.degree(row));
            summary.most_degree = std::max(summary.most_degree, pattern.degree(row));
        }
        if (pattern.rows == pattern.columns && pattern.nonzeros() > 0)
            summary.orders = summarize_orders(matrix, train, ordering_of(program, train));
    }
    return result;
}

std::string text_report(const std::vector<MatrixSummary> &matrices) {
    std::string text;
    for (const MatrixSummary &matrix : matrices) {
        const double mean =
            static_cast<double>(matrix.nonzeros) / static_cast<double>(std::max<std::int64_t>(1, matrix.rows));
        text += "\n" + matrix.name + ": " + cost::grouped(matrix.rows) + " x " + cost::grouped(matrix.columns) +
                " with " + cost::grouped(matrix.nonzeros) + " nonzeros; rows have " +
                cost::grouped(matrix.least_degree) + " to " + cost::grouped(matrix.most_degree) + ", on average " +
                fixed(mean, 1) + "\n";
        if (matrix.orders.empty() || matrix.orders.front().parts.empty())
            continue;
        text +=
            "\nRows that a product moves if the vertices are cut into P parts: all, those that are needed (as planc's\n"
            "programs do), and the least, with partial sums where these are fewer; and the largest part's nonzeros\n";
        cost::Lines lines;
        lines.row({"", "P", "all", "needed", "least", "largest part"});
        for (const OrderSummary &order : matrix.orders)
            for (const PartsSummary &parts : order.parts) {
                const double share =
                    static_cast<double>(parts.most_nonzeros) * parts.parts / static_cast<double>(matrix.nonzeros);
                lines.row({&parts == &order.parts.front() ? "  " + order.name : "", std::to_string(parts.parts),
                           cost::grouped(parts.moved.broadcast), cost::grouped(parts.moved.needed),
                           cost::grouped(parts.moved.cover), fixed(share, 2) + " of the mean"});
            }
        text += lines.text(1);
    }
    return text;
}

void write_json(const std::vector<MatrixSummary> &matrices, support::JsonWriter &json) {
    json.begin_array();
    for (const MatrixSummary &matrix : matrices) {
        json.begin_object()
            .member("name", matrix.name)
            .member("rows", matrix.rows)
            .member("columns", matrix.columns)
            .member("nonzeros", matrix.nonzeros)
            .member("least_degree", matrix.least_degree)
            .member("most_degree", matrix.most_degree)
            .key("orders")
            .begin_array();
        for (const OrderSummary &order : matrix.orders)
            for (const PartsSummary &parts : order.parts)
                json.begin_object()
                    .member("order", order.name)
                    .member("parts", parts.parts)
                    .member("broadcast", parts.moved.broadcast)
                    .member("needed", parts.moved.needed)
                    .member("cover", parts.moved.cover)
                    .member("most_nonzeros", parts.most_nonzeros)
                    .end_object();
        json.end_array().end_object();
    }
    json.end_array();
}

} // namespace planc::driver
