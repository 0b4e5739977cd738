#include "data/store.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

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
    for (std::int64_t i = 0; i < box[depth].size(); ++i)
        add_runs(box, whole, depth + 1, base * whole[depth] + box[depth].index(i), runs);
}

} // namespace

FieldStore::FieldStore(const Field &field, const Box &kept, const std::vector<std::int64_t> &whole)
    : field_(&field), kept_(kept), element_bytes_(element_bytes(field.tensor.type)) {
    if (is_product(field)) // its reader scales before it multiplies
        affines_ = {{}};
    else if (field.channels.empty())
        affines_ = {{field.scale, field.shift}};
    else
        affines_.assign(field.channels.begin(), field.channels.end());
    add_runs(kept, whole, 0, 0, runs_);
    kept_elements_ = volume(kept);
    for (const std::int64_t extent : whole)
        sample_elements_ *= extent;
    const Range channels = kept.size() > 2 ? kept.back() : Range{0, 1};
    for (std::int64_t i = 0; i < channels.size(); ++i) {
        outside_.resize(outside_.size() + element_bytes_);
        convert(0, affine(channels.index(i)), outside_.data() + outside_.size() - element_bytes_);
    }
}

bool FieldStore::keeps(const Field &field, const Box &kept) const {
    return std::strcmp(field_->name, field.name) == 0 && field_->tensor.type == field.tensor.type && kept_ == kept;
}

void FieldStore::reserve(std::int64_t samples) {
    std::size_t bytes = element_bytes_;
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(samples), &bytes) ||
        __builtin_mul_overflow(bytes, static_cast<std::size_t>(kept_elements_), &bytes) || bytes > values_.max_size())
        throw std::bad_alloc();
    values_.reserve(bytes);
}

void FieldStore::check_padding() const {
    std::string reason;
    for (const Affine &affine : affines_)
        if (!valid(0, affine, reason))
            throw Failure(text("the padding of %s is a raw 0: ", field_->name) + reason);
}

bool FieldStore::valid(double raw, const Affine &affine, std::string &reason) const {
    if (field_->tensor.type != Type::i32) {
        if (std::isfinite(raw))
            return true;
        reason = text("expected a finite number, got %g", raw);
        return false;
    }
    const double value = raw * affine.scale + affine.shift;
    if (value != std::floor(value) || std::abs(value) > std::numeric_limits<std::int32_t>::max())
        reason = text("expected a whole number for %s, got %.9g", field_->name, value);
    else if (const Classes &classes = field_->classes; classes.count > 0 && !classes.contain(value))
        reason = text(
            "expected a %s from 0 to %lld%s, got %.9g", field_->name, static_cast<long long>(classes.count - 1),
            classes.ignored == classes.count ? "" : text(" or %lld", static_cast<long long>(classes.ignored)).c_str(),
            value);
    else
        return true;
    return false;
}

void FieldStore::convert(double raw, const Affine &affine, std::byte *to) const {
    const double value = raw * affine.scale + affine.shift;
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
        if (!valid(raw[i], affine(i), reason))
            return false;
    sum_.add(raw, static_cast<std::size_t>(sample_elements_) * sizeof *raw);
    const std::size_t before = values_.size();
    values_.resize(before + static_cast<std::size_t>(kept_elements_) * element_bytes_);
    std::byte *to = values_.data() + before;
    for (const Range &run : runs_)
        for (std::int64_t i = run.begin; i < run.end; ++i, to += element_bytes_)
            convert(raw[i], affine(i), to);
    ++samples_;
    return true;
}

void FieldStore::fill_tables() {
    const Range channels = affines_.size() == 1 ? Range{0, 1} : kept_.back();
    tables_ = channels.size();
    table_.resize(static_cast<std::size_t>(256 * tables_) * element_bytes_);
    complaint_.resize(256 * affines_.size());
    std::byte *to = table_.data();
    for (std::size_t channel = 0; channel < affines_.size(); ++channel)
        for (int byte = 0; byte < 256; ++byte) {
            const bool kept = channels.has(static_cast<std::int64_t>(channel));
            if (valid(byte, affines_[channel], complaint_[256 * channel + byte]) && kept)
                convert(byte, affines_[channel], to);
            to += kept ? element_bytes_ : 0;
        }
}

bool FieldStore::append(const unsigned char *raw, std::string &reason) {
    if (complaint_.empty())
        fill_tables();
    if (field_->tensor.type == Type::i32)
        for (std::int64_t i = 0; i < sample_elements_; ++i) {
            const std::string &complaint = complaint_[256 * (static_cast<std::size_t>(i) % affines_.size()) + raw[i]];
            if (!complaint.empty()) {
                reason = complaint;
                return false;
            }
        }
    sum_.add(raw, static_cast<std::size_t>(sample_elements_));
    for (const Range &run : runs_)
        bytes_.insert(bytes_.end(), raw + run.begin, raw + run.end);
    ++samples_;
    return true;
}

template <class Word> void FieldStore::look_up(std::span<const std::int64_t> rows, Word *to) const {
    const auto *table = reinterpret_cast<const Word *>(table_.data());
    for (const std::int64_t row : rows) {
        const unsigned char *raw = bytes_.data() + row * kept_elements_;
        if (tables_ == 1) {
            to = std::transform(raw, raw + kept_elements_, to, [table](unsigned char byte) { return table[byte]; });
            continue;
        }
        for (const unsigned char *end = raw + kept_elements_; raw < end;)
            for (std::int64_t channel = 0; channel < tables_; ++channel)
                *to++ = table[256 * channel + *raw++];
    }
}

void FieldStore::copy(std::span<const std::int64_t> rows, std::byte *to) const {
    if (!complaint_.empty()) { // bytes
        if (element_bytes_ == sizeof(std::uint64_t))
            look_up(rows, reinterpret_cast<std::uint64_t *>(to));
        else
            look_up(rows, reinterpret_cast<std::uint32_t *>(to));
        return;
    }
    for (const std::int64_t row : rows)
        to = std::copy_n(values_.data() + static_cast<std::size_t>(row) * sample_bytes(), sample_bytes(), to);
}

template <class T> void FieldStore::add_up(std::span<const WeighedRow> rows, T *to) const {
    std::fill_n(to, kept_elements_, T(0));
    for (const WeighedRow &each : rows) {
        const auto *values = reinterpret_cast<const T *>(values_.data()) + each.row * kept_elements_;
        const T factor = static_cast<T>(each.factor);
        for (std::int64_t i = 0; i < kept_elements_; ++i)
            to[i] += factor * values[i];
    }
}

void FieldStore::sum(std::span<const WeighedRow> rows, std::byte *to) const {
    if (field_->tensor.type == Type::f32)
        add_up(rows, reinterpret_cast<float *>(to));
    else
        add_up(rows, reinterpret_cast<double *>(to));
}

Stores::Stores(const Program &program, const Mesh &mesh, int rank) {
    for (const Body &body : program.bodies) {
        std::vector<std::size_t> &stores = training_.emplace_back();
        for (const Field &field : body.fields)
            stores.push_back(field.entries ? 0 : find_or_add(field, mesh, rank));
    }
    for (const Field &field : program.evaluation_fields)
        evaluation_.push_back(find_or_add(field, mesh, rank));
}

Stores::Stores(std::span<const Field> fields, const Mesh &mesh, int rank) {
    for (const Field &field : fields)
        add(field, kept_of(field, mesh, rank));
}

/// The bytes that the rank reads. Images that change count in full, because a change moves their places.
std::int64_t Stores::bytes() const {
    std::int64_t bytes = 0;
    for (const FieldStore &store : stores_)
        bytes += store.bytes();
    return bytes;
}

Facts Stores::facts() const {
    Facts facts; // by field: which of them share a store is up to the rank
    for (const FieldStore &store : stores_) {
        const std::string name = text("checksum of %s", store.field().name);
        if (std::ranges::find(facts, name, &Facts::value_type::first) == facts.end())
            facts.emplace_back(name, store.checksum());
    }
    return facts;
}

std::span<const Dimension> Stores::dimensions_of_sample(const Field &field) {
    return field.tensor.dimensions.subspan(1 + static_cast<std::size_t>(std::max(field.hops, 0)));
}

Box Stores::kept_of(const Field &field, const Mesh &mesh, int rank) {
    const Box box = local_box(placement_of(field.tensor), mesh, rank);
    Box kept(box.end() - std::ssize(dimensions_of_sample(field)), box.end());
    if (is_augmented(field))
        for (std::size_t i = 0; i < 2; ++i)
            kept[i] = {0, field.tensor.dimensions[1 + i].extent};
    return kept;
}

std::size_t Stores::find_or_add(const Field &field, const Mesh &mesh, int rank) {
    const Box kept = kept_of(field, mesh, rank);
    const auto same = std::ranges::find_if(stores_, [&](const FieldStore &store) { return store.keeps(field, kept); });
    const auto index = static_cast<std::size_t>(same - stores_.begin());
    if (same == stores_.end())
        add(field, kept);
    if (field.augmentation.padding > 0)
        stores_[index].check_padding();
    return index;
}

void Stores::add(const Field &field, const Box &kept) {
    std::vector<std::int64_t> whole;
    for (const Dimension &dimension : dimensions_of_sample(field))
        whole.push_back(dimension.extent);
    stores_.emplace_back(field, kept, whole);
}

} // namespace planrt
