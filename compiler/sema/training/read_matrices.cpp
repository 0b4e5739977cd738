#include "sema/training/read_matrices.h"

#include "sema/training/data_paths.h"
#include "sema/training/training.h"
#include "sema/training/vertex_order.h"

#include <algorithm>
#include <stdexcept>

namespace planc::sema {

PLANC_DIAGNOSTIC(bad_matrix_file, error, "data '{0}': {1}"); // T9

namespace {

void read(const Data &data, const Argument &argument, Train &train, const Context &context) {
    const Field &field = field_of(data, argument.name);
    Matrix matrix{argument.name, argument.type.element, *field.matrix, {}, 0, false, false};
    matrix.source.options.rows = argument.type.dimensions[0].extent;
    matrix.source.options.columns = argument.type.dimensions[1].extent;
    planrt::GraphFile file = matrix.source.file;
    file.path = data_path(data, file.path, context);
    file.targets = data_path(data, file.targets, context);
    try {
        matrix.pattern = std::make_shared<const planrt::Pattern>(planrt::read_graph(file, matrix.source.options));
    } catch (const std::runtime_error &error) {
        context.fail(bad_matrix_file, field.where, {data.name, error.what()});
    }
    matrix.fingerprint = planrt::fingerprint(*matrix.pattern);
    train.matrices.push_back(std::move(matrix));
}

} // namespace

void read_matrices(Analysis &analysis) {
    for (Train &train : analysis.program.trains) {
        const auto data = std::find_if(analysis.program.data.begin(), analysis.program.data.end(),
                                       [&](const Data &each) { return each.name == train.data; });
        bool all_read = true;
        for (const Argument &argument : train.loss.matrices)
            all_read &= analysis.context.attempt([&] { read(*data, argument, train, analysis.context); });
        if (all_read)
            analysis.context.attempt([&] { order_vertices(*data, train, analysis.context); });
    }
}

} // namespace planc::sema
