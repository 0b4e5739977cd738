#include "data/all_rows.h"

#include <algorithm>
#include <numeric>

namespace planrt {

std::span<const std::int64_t> rows_of(std::span<const std::int64_t> batch, const Range &rows,
                                      std::vector<std::int64_t> &listed) {
    if (rows.listed == nullptr)
        return batch.subspan(rows.begin, rows.size());
    for (std::int64_t i = 0; i < rows.size(); ++i)
        listed.push_back(batch[rows.index(i)]);
    return listed;
}

AllRows::AllRows(const FileNumbers &numbers, const std::vector<FieldStore> &stores, std::int64_t least)
    : numbers_(numbers) {
    for (const FieldStore &store : stores)
        least = std::max(least, store.samples());
    in_order_.resize(static_cast<std::size_t>(least));
    std::iota(in_order_.begin(), in_order_.end(), 0);
    vertices_ = in_order_;
    if (!numbers.vertices().empty())
        vertices_.assign(numbers.vertices().begin(), numbers.vertices().end());
}

std::span<const std::int64_t> AllRows::of(const Field &field) const {
    return numbers_.differ(field.tensor.dimensions[0]) ? vertices_ : in_order_;
}

void AllRows::load(const Field &field, const FieldStore &store, const Range &rows, std::byte *arena) const {
    std::vector<std::int64_t> listed;
    store.copy(rows_of(of(field), rows, listed), arena + field.tensor.offset);
}

} // namespace planrt
