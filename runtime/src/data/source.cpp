#include "data/formats/readers.h"

#include "data/matrix_files.h"
#include "support/failure.h"

#include <string_view>

namespace planrt {

bool is_weight(const Field &field) {
    return std::string_view(field.name) == "valid";
}

std::int64_t same_samples(const DataSet &set, const std::vector<FieldStore> &stores) {
    if (stores.empty())
        throw Failure("internal error of the compiler: a program without input tensors");
    for (const FieldStore &store : stores)
        if (store.samples() != stores[0].samples())
            throw Failure(text("data %s: %s has %lld samples, but %s has %lld", set.name, stores[0].field().name,
                               static_cast<long long>(stores[0].samples()), store.field().name,
                               static_cast<long long>(store.samples())));
    return stores[0].samples();
}

std::vector<std::string> files_of(const DataSource &source, const std::vector<FieldStore> &stores) {
    std::vector<std::string> files;
    switch (source.set.format) {
    case DataFormat::csv:
    case DataFormat::text:
        return {source.path(source.set.path)};
    case DataFormat::idx:
    case DataFormat::npy:
        for (const FieldStore &store : stores)
            files.push_back(source.path(store.field().file));
        return files;
    case DataFormat::cifar:
        return cifar_files(source.path(source.set.path));
    case DataFormat::graph:
        if (*source.set.path != '\0')
            files.push_back(source.path(source.set.path));
        for (const FieldStore &store : stores)
            if (const MatrixFile *matrix = store.field().matrix; matrix != nullptr && is_drawn(matrix->format))
                continue;
            else if (matrix != nullptr)
                files.push_back(located(source, *matrix).path);
            else if (*store.field().file != '\0')
                files.push_back(source.path(store.field().file));
        return files;
    case DataFormat::synthetic:
        break;
    }
    return files;
}

std::int64_t read_samples(const DataSource &source, std::vector<FieldStore> &stores, SplitColumn &split_column) {
    switch (source.set.format) {
    case DataFormat::csv:
        read_csv(source, stores, split_column);
        break;
    case DataFormat::idx:
        read_idx(source, stores);
        break;
    case DataFormat::npy:
        read_npy(source, stores);
        break;
    case DataFormat::synthetic:
        make_synthetic(source, stores);
        break;
    case DataFormat::text:
        read_text(source, source.path(source.set.path), stores);
        break;
    case DataFormat::cifar:
        read_cifar(source, stores, split_column);
        break;
    case DataFormat::graph:
        read_graph_data(source, stores, split_column);
        return static_cast<std::int64_t>(split_column.size());
    }
    return same_samples(source.set, stores);
}

} // namespace planrt
