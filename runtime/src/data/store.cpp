#include "data/store.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace planrt {

namespace {

/// Appends the runs of row-major element numbers that `box` covers within `whole`.
void add_runs(const Box &box, const std::vector<std::int64_t> &whole, std::size_t depth, std::int64_t base,
              std::vector<Range> &runs) {
    if (depth == box.size()) {
        if (!runs.empty() && runs.back().end == base)
            ++runs.back().end;
        else
            runs.push_back({base, base + 1});
        return;
    }
    for (std::int64_t i = box[depth].begin; i < box[depth].end; ++i)
        add_runs(box, whole, depth + 1, base * whole[depth] + i, runs);
}

} // namespace

FieldStore::FieldStore(const Field &field, const Box &kept, const std::vector<std::int64_t> &whole)
    : field_(&field), kept_(kept), element_bytes_(element_bytes(field.tensor.type)) {
    add_runs(kept, whole, 0, 0, runs_);
    kept_elements_ = volume(kept);
    for (const std::int64_t extent : whole)
        sample_elements_ *= extent;
}

bool FieldStore::keeps(const Field &field, const Box &kept) const {
    return std::strcmp(field_->name, field.name) == 0 && field_->tensor.type == field.tensor.type && kept_ == kept;
}

void FieldStore::reserve(std::int64_t samples) {
    values_.reserve(static_cast<std::size_t>(samples * kept_elements_) * element_bytes_);
}

bool FieldStore::valid(double raw, std::string &reason) const {
    if (field_->tensor.type != Type::i32) {
        if (std::isfinite(raw))
            return true;
        reason = text("expected a finite number, got %g", raw);
        return false;
    }
    const double value = raw * field_->scale + field_->shift;
    if (value != std::floor(value) || std::abs(value) > std::numeric_limits<std::int32_t>::max())
        reason = text("expected a whole number for %s, got %.9g", field_->name, value);
    else if (field_->classes > 0 && (value < 0 || value >= static_cast<double>(field_->classes)))
        reason = text("expected a %s from 0 to %lld, got %.9g", field_->name,
                      static_cast<long long>(field_->classes - 1), value);
    else
        return true;
    return false;
}

void FieldStore::convert(double raw, std::byte *to) const {
    const double value = raw * field_->scale + field_->shift;
    const auto put = [to](auto number) { std::memcpy(to, &number, sizeof number); };
    switch (field_->tensor.type) {
    case Type::f32:
        return put(static_cast<float>(value));
    case Type::f64:
        return put(value);
    case Type::i32:
        return put(static_cast<std::int32_t>(value));
    }
}

bool FieldStore::append(const double *raw, std::string &reason) {
    for (std::int64_t i = 0; i < sample_elements_; ++i) // all: a broken file is broken for every rank
        if (!valid(raw[i], reason))
            return false;
    const std::size_t before = values_.size();
    values_.resize(before + static_cast<std::size_t>(kept_elements_) * element_bytes_);
    std::byte *to = values_.data() + before;
    for (const Range &run : runs_)
        for (std::int64_t i = run.begin; i < run.end; ++i, to += element_bytes_)
            convert(raw[i], to);
    ++samples_;
    return true;
}

void FieldStore::fill_table() {
    table_.resize(256 * element_bytes_);
    complaint_.resize(256);
    for (int byte = 0; byte < 256; ++byte)
        if (valid(byte, complaint_[byte]))
            convert(byte, table_.data() + byte * element_bytes_);
}

bool FieldStore::append(const unsigned char *raw, std::string &reason) {
    if (table_.empty())
        fill_table();
    if (field_->tensor.type == Type::i32)
        for (std::int64_t i = 0; i < sample_elements_; ++i)
            if (!complaint_[raw[i]].empty()) {
                reason = complaint_[raw[i]];
                return false;
            }
    for (const Range &run : runs_)
        bytes_.insert(bytes_.end(), raw + run.begin, raw + run.end);
    ++samples_;
    return true;
}

void FieldStore::copy(std::span<const std::int64_t> rows, std::byte *to) const {
    const std::size_t sample_bytes = static_cast<std::size_t>(kept_elements_) * element_bytes_;
    if (table_.empty()) {
        for (const std::int64_t row : rows) {
            std::memcpy(to, values_.data() + static_cast<std::size_t>(row) * sample_bytes, sample_bytes);
            to += sample_bytes;
        }
        return;
    }
    const auto look_up = [&]<class Word>(Word *values) {
        const auto *table = reinterpret_cast<const Word *>(table_.data());
        for (const std::int64_t row : rows) {
            const unsigned char *raw = bytes_.data() + row * kept_elements_;
            values =
                std::transform(raw, raw + kept_elements_, values, [table](unsigned char byte) { return table[byte]; });
        }
    };
    if (element_bytes_ == sizeof(std::uint64_t))
        look_up(reinterpret_cast<std::uint64_t *>(to));
    else
        look_up(reinterpret_cast<std::uint32_t *>(to));
}

Stores::Stores(const Program &program, const Mesh &mesh, int rank) {
    for (const MicroBatch &micro_batch : program.micro_batches) {
        std::vector<std::size_t> &stores = training_.emplace_back();
        for (const Field &field : micro_batch.fields)
            stores.push_back(find_or_add(field, mesh, rank));
    }
    for (const Field &field : program.evaluation_fields)
        evaluation_.push_back(find_or_add(field, mesh, rank));
}

Stores::Stores(std::span<const Field> fields, const Mesh &mesh, int rank) {
    for (const Field &field : fields) {
        const Box box = local_box(placement_of(field.tensor), mesh, rank);
        add(field, Box(box.begin() + 1, box.end()));
    }
}

std::size_t Stores::find_or_add(const Field &field, const Mesh &mesh, int rank) {
    const Box box = local_box(placement_of(field.tensor), mesh, rank);
    const Box kept(box.begin() + 1, box.end());
    for (std::size_t i = 0; i < stores_.size(); ++i)
        if (stores_[i].keeps(field, kept))
            return i;
    add(field, kept);
    return stores_.size() - 1;
}

void Stores::add(const Field &field, const Box &kept) {
    std::vector<std::int64_t> whole;
    for (const Dimension &dimension : field.tensor.dimensions.subspan(1))
        whole.push_back(dimension.extent);
    stores_.emplace_back(field, kept, whole);
}

} // namespace planrt
