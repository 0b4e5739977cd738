#include "sema/training/check_images.h"
#include "sema/training/training.h"
#include "sema/values/limits.h"
#include "sema/values/values.h"

#include <algorithm>
#include <cmath>

namespace planc::sema {

PLANC_DIAGNOSTIC(no_batch, error, "data field '{0}' needs a batch dimension, got {1}");                     // T4
PLANC_DIAGNOSTIC(batch_mismatch, error, "data fields '{0}' and '{1}' have different batches: {2} and {3}"); // T4
PLANC_DIAGNOSTIC(column_count, error,
                 "data field '{0}' has {1} columns, but is used as {2} with {3} elements a sample"); // T4
PLANC_DIAGNOSTIC(not_characters, error,
                 "data field '{0}' is characters, used as i32 [batch, length], but here as {1}"); // T5
PLANC_DIAGNOSTIC(window_mismatch, error,
                 "data fields '{0}' and '{1}' take {2} and {3} characters a sample"); // T5
PLANC_DIAGNOSTIC(scaled_labels, error,
                 "the labels '{0}' must stay whole: a label may be shifted by a whole number only"); // T2
PLANC_DIAGNOSTIC(drawn_labels, error,
                 "'{0}' is used as whole numbers: draw them by 'tokens(n)' or 'bernoulli(p)'");     // T13
PLANC_DIAGNOSTIC(too_few_samples, error, "{0} samples for training, but a batch has {1}");          // T3
PLANC_DIAGNOSTIC(data_too_large, error, "{0} samples of synthetic data take more than 2^60 bytes"); // T1
PLANC_DIAGNOSTIC(reserved_field, error,
                 "a data field cannot be called 'valid': the mask of samples has this name");                     // T2
PLANC_DIAGNOSTIC(not_a_matrix, error, "data field '{0}' is used as a sparse matrix, but is no matrix in a file"); // T8
PLANC_DIAGNOSTIC(scaled_matrix, error, "a sparse matrix is not scaled; 'normalize' divides by sums");             // T8
PLANC_DIAGNOSTIC(
    loss_of_all_vertices, error,
    "the loss of '{0}' must have a cross_entropy, a mean_square_error or a reduce_mean over each {1}: these count "
    "only those to train on");                                       // T8
PLANC_DIAGNOSTIC(loss_without_data, error, "the loss uses no data"); // R2

namespace {

std::string text(const Dimension &dimension) {
    return dimension.role + ": " + std::to_string(dimension.extent);
}

/// Neither a column nor a matrix: of `graph` without a table.
bool is_random(const Field &field) {
    return field.first_column == field.last_column && field.file.empty() && !field.matrix;
}

void check_field(const Field &field, const Argument &argument, const Data &data, const Context &context) {
    const std::vector<Dimension> &dimensions = argument.type.dimensions;
    std::int64_t elements = 1; // the tensor's size fits 64 bits
    for (std::size_t i = 1; i < dimensions.size(); ++i)
        elements *= dimensions[i].extent;
    const std::int64_t columns = field.last_column - field.first_column;
    const bool table = data.format == "csv" || (data.format == "graph" && !field.matrix && !is_random(field));
    if (table && columns != elements)
        context.fail(column_count, argument.where,
                     {field.name, std::to_string(columns), to_string(argument.type), std::to_string(elements)},
                     {{field.where, "the columns are chosen here"}});
    if (data.format == "text" && (argument.type.element != ElementType::i32 || dimensions.size() != 2))
        context.fail(not_characters, argument.where, {field.name, to_string(argument.type)},
                     {{field.where, "the field is declared here"}});
    check_image(field, argument, data, context);
    if (argument.type.element == ElementType::i32 &&
        (field.drawn.kind == Drawn::Kind::normal || field.drawn.kind == Drawn::Kind::uniform))
        context.fail(drawn_labels, field.where, {field.name});
    const auto whole = [](const Affine &affine) {
        return affine.scale == 1 && std::floor(affine.shift) == affine.shift;
    };
    if (argument.type.element == ElementType::i32 &&
        !(whole(field.affine) && std::all_of(field.channels.begin(), field.channels.end(), whole)))
        context.fail(scaled_labels, field.where, {field.name});
}

void check_matrix(const Argument &argument, const Data &data, const Context &context) {
    const auto field = std::find_if(data.fields.begin(), data.fields.end(),
                                    [&](const Field &each) { return each.name == argument.name; });
    if (field == data.fields.end() || !field->matrix)
        context.fail(not_a_matrix, argument.where, {argument.name});
    if (field->affine.scale != 1 || field->affine.shift != 0 || !field->channels.empty())
        context.fail(scaled_matrix, field->where, {});
}

/// A batch has all samples, also those of the other parts, so the loss must be a mean that can leave them out.
void check_graph_loss(const Data &data, const Network &loss, const Context &context) {
    const std::string &sample = loss.arguments.front().type.dimensions.front().role;
    const auto has_samples = [&](const Operation &operation) {
        const TensorType &type = loss.operations[static_cast<std::size_t>(operation.operands.front())].type;
        return std::any_of(type.dimensions.begin(), type.dimensions.end(),
                           [&](const Dimension &dimension) { return dimension.role == sample; });
    };
    const bool fits = std::any_of(loss.operations.begin(), loss.operations.end(), [&](const Operation &operation) {
        const bool mean = operation.kind == OperationKind::cross_entropy ||
                          operation.kind == OperationKind::mean_square_error ||
                          (operation.kind == OperationKind::reduce && operation.text == "mean" &&
                           operation.layer == "loss" && operation.type.dimensions.empty());
        return mean && has_samples(operation);
    });
    if (!fits)
        context.fail(loss_of_all_vertices, loss.where, {data.name, sample});
}

/// Whether its rows are the samples: of graph data, tables and matrices may have rows of another kind.
bool is_of_samples(const Argument &argument, const Data &data) {
    const Field &field = field_of(data, argument.name);
    return data.format != "graph" || (field.file.empty() && !field.matrix);
}

/// Synthetic data lies in memory as a whole.
void check_size(const Data &data, const std::vector<Argument> &arguments, const Context &context) {
    double bytes = 0; // of a batch
    for (const Argument &argument : arguments) {
        double size = static_cast<double>(byte_size(argument.type.element));
        for (const Dimension &dimension : argument.type.dimensions)
            size *= static_cast<double>(dimension.extent);
        bytes += size;
    }
    const double batches =
        static_cast<double>(data.samples) / static_cast<double>(arguments.front().type.dimensions.front().extent);
    if (bytes * batches > static_cast<double>(most_bytes))
        context.fail(data_too_large, data.where, {std::to_string(data.samples)});
}

} // namespace

const Field &field_of(const Data &data, const std::string &name) {
    return *std::find_if(data.fields.begin(), data.fields.end(),
                         [&](const Field &field) { return field.name == name; });
}

double training_samples(const Data &data) {
    if (data.split == Data::Split::counts)
        return data.train;
    return data.format == "synthetic" ? data.train * static_cast<double>(data.samples) : 0;
}

void put_samples_first(const Data &data, std::vector<Argument> &arguments) {
    const auto samples = std::find_if(arguments.begin(), arguments.end(),
                                      [&](const Argument &argument) { return is_of_samples(argument, data); });
    if (samples == arguments.end() || samples->type.dimensions.empty())
        return;
    const Dimension batch = samples->type.dimensions.front();
    std::stable_partition(arguments.begin(), arguments.end(), [&](const Argument &argument) {
        return is_of_samples(argument, data) ||
               (!argument.type.dimensions.empty() && argument.type.dimensions.front() == batch);
    });
}

void check_fields(const Data &data, const Train &train, const Analysis &analysis) {
    const Context &context = analysis.context;
    if (train.loss.arguments.empty())
        context.fail(loss_without_data, train.loss.where, {});
    const Argument &first = train.loss.arguments.front();
    for (const Argument &argument : train.loss.arguments) {
        if (argument.name == "valid")
            context.fail(reserved_field, argument.where, {});
        if (argument.type.dimensions.empty())
            context.fail(no_batch, argument.where, {argument.name, to_string(argument.type)});
        const Dimension &batch = argument.type.dimensions.front();
        if (is_of_samples(argument, data) && batch != first.type.dimensions.front())
            context.fail(batch_mismatch, argument.where,
                         {first.name, argument.name, text(first.type.dimensions.front()), text(batch)});
        check_field(field_of(data, argument.name), argument, data, context);
        if (data.format == "text" && argument.type.dimensions[1].extent != first.type.dimensions[1].extent)
            context.fail(window_mismatch, argument.where,
                         {first.name, argument.name, std::to_string(first.type.dimensions[1].extent),
                          std::to_string(argument.type.dimensions[1].extent)});
    }
    for (const Argument &matrix : train.loss.matrices)
        check_matrix(matrix, data, context);
    if (data.format == "graph")
        check_graph_loss(data, train.loss, context);
    check_size(data, train.loss.arguments, context);
    check_changed_together(data, train.loss.arguments, context);
    check_same_crops(data, train.loss.arguments, context);
    const std::int64_t batch = first.type.dimensions.front().extent;
    const bool counted = data.format == "synthetic" || data.split == Data::Split::counts;
    const double samples = training_samples(data);
    if (counted && samples < static_cast<double>(batch))
        context.fail(too_few_samples, data.where,
                     {std::to_string(static_cast<std::int64_t>(samples)), std::to_string(batch)});
}

} // namespace planc::sema
