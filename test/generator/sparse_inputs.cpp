#include "sparse_inputs.h"

#include <algorithm>

namespace planc::test {

using interpret::Array;

namespace {

constexpr const char *times = " * ";
const std::string mean = "mean ";

Array dense_matrix(const planrt::Pattern &pattern) {
    Array array{{pattern.rows, pattern.columns}, {}};
    array.elements.resize(static_cast<std::size_t>(pattern.rows * pattern.columns));
    std::int64_t nonzero = 0;
    for (std::int64_t row = 0; row < pattern.rows; ++row)
        for (const std::int32_t column : pattern.columns_of(row))
            array.elements[static_cast<std::size_t>(row * pattern.columns + column)] = pattern.value_of(nonzero++);
    return array;
}

} // namespace

std::map<std::string, Array> dense_matrices(const sema::Train &train) {
    std::map<std::string, Array> all;
    for (const sema::Matrix &matrix : train.matrices)
        all.emplace(matrix.name, dense_matrix(*matrix.pattern));
    return all;
}

bool is_product(const std::string &input) {
    return input.find(times) != std::string::npos;
}

Array product(const std::string &input, const interpret::Inputs &inputs) {
    const bool is_mean = input.starts_with(mean);
    const std::size_t begin = is_mean ? mean.size() : 0;
    const std::size_t end = input.find(times);
    const Array &a = inputs.matrices.at(input.substr(begin, end - begin));
    const Array &x = inputs.fields.at(input.substr(end + std::string(times).size()));
    const auto columns = static_cast<std::size_t>(a.extents[1]);
    const std::size_t width = x.elements.size() / columns;
    Array y{x.extents, std::vector<double>(x.elements.size(), 0)};
    for (std::size_t row = 0; row < columns; ++row) { // it is square
        const auto values = a.elements.begin() + static_cast<std::ptrdiff_t>(row * columns);
        const auto zeros = std::count(values, values + static_cast<std::ptrdiff_t>(columns), 0.0);
        const double divisor = is_mean ? std::max(1.0, static_cast<double>(columns) - static_cast<double>(zeros)) : 1;
        for (std::size_t column = 0; column < columns; ++column)
            for (std::size_t i = 0; i < width; ++i)
                y.elements[row * width + i] +=
                    a.elements[row * columns + column] * x.elements[column * width + i] / divisor;
    }
    return y;
}

} // namespace planc::test
