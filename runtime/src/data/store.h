// The samples of a data set as one rank keeps them. For each field, it keeps of all samples the elements in this rank's
// block. Images that change in training are kept whole, because a rank may need flipped or shifted places of other
// ranks' blocks. Values have the type of the input tensor; bytes (images) stay bytes, with a table that converts each
// of the 256 values in each channel.
#pragma once

#include "data/augmentation.h"
#include "support/agreement.h"
#include "support/checksum.h"

#include <planrt/planrt.h>

#include <cstddef>
#include <string>
#include <vector>

namespace planrt {

struct WeighedRow {
    std::int64_t row = 0;
    double factor = 1;
};

/// Whether the field is multiplied by a sparse matrix when it is read, once for all steps.
[[nodiscard]] inline bool is_product(const Field &field) {
    return field.factor != nullptr && field.hops < 0;
}

/// Which elements of a sample this rank keeps of one field, and the samples themselves.
class FieldStore {
  public:
    /// `kept`: this rank's box of the dimensions behind the batch, `whole` their extents.
    FieldStore(const Field &field, const Box &kept, const std::vector<std::int64_t> &whole);

    [[nodiscard]] const Field &field() const { return *field_; }
    [[nodiscard]] bool keeps(const Field &field, const Box &kept) const;
    /// Elements of a whole sample, as in the file.
    [[nodiscard]] std::int64_t sample_elements() const { return sample_elements_; }
    [[nodiscard]] std::int64_t samples() const { return samples_; }
    /// The bytes of what is kept of one sample, as a step takes it.
    [[nodiscard]] std::size_t sample_bytes() const { return static_cast<std::size_t>(kept_elements_) * element_bytes_; }
    /// The bytes that the samples take on this rank.
    [[nodiscard]] std::int64_t bytes() const {
        return static_cast<std::int64_t>(values_.capacity() + bytes_.capacity());
    }

    /// The checksum of all samples appended so far. It covers whole samples, so it is equal on all ranks that have read
    /// the same data.
    [[nodiscard]] std::string checksum() const { return sum_.digits(); }

    /// Reserves memory. Errors: std::bad_alloc.
    void reserve(std::int64_t samples);
    /// Appends one sample from its raw numbers, `sample_elements()` of them. Returns false if one is not a valid label;
    /// `reason` then says why.
    bool append(const double *raw, std::string &reason);
    /// Appends one sample of bytes. All samples of a store must be appended by the same one of these functions.
    bool append(const unsigned char *raw, std::string &reason);

    /// Copies the samples numbered `rows` one after another into `to`, in the type of the input tensor.
    void copy(std::span<const std::int64_t> rows, std::byte *to) const;
    /// Writes the sum of the samples, each times its factor. Not for bytes.
    void sum(std::span<const WeighedRow> rows, std::byte *to) const;
    /// As copy(), for images, each changed as drawn by `changes`. It copies the rows and columns of each image that lie
    /// in `box`, and everything that is kept of further dimensions. The store must keep whole images.
    void copy_changed(std::span<const std::int64_t> rows, const ImageChanges &changes, const Augmentation &augmentation,
                      std::span<const Range> box, std::byte *to) const;
    /// Errors: Failure if raw 0, with which images are padded, is not a valid label.
    void check_padding() const;

  private:
    [[nodiscard]] const Affine &affine(std::int64_t element) const {
        return affines_[affines_.size() == 1 ? 0 : static_cast<std::size_t>(element) % affines_.size()];
    }
    [[nodiscard]] bool valid(double raw, const Affine &affine, std::string &reason) const;
    void convert(double raw, const Affine &affine, std::byte *to) const;
    void fill_tables();
    template <class T> void add_up(std::span<const WeighedRow> rows, T *to) const;
    template <class Word> void look_up(std::span<const std::int64_t> rows, Word *to) const;
    template <class Word>
    void change_and_copy(std::span<const std::int64_t> rows, const ImageChanges &changes,
                         const Augmentation &augmentation, std::span<const Range> box, Word *to) const;

    const Field *field_;
    std::vector<Affine> affines_; ///< one, or one for each of the last dimension
    Box kept_;
    std::vector<Range> runs_; ///< of a sample's elements, in the order of this rank's block
    std::int64_t sample_elements_ = 1;
    std::int64_t kept_elements_ = 0;
    std::size_t element_bytes_;
    std::int64_t samples_ = 0;
    Checksum sum_;
    std::vector<std::byte> values_;      ///< converted, or
    std::vector<unsigned char> bytes_;   ///< raw
    std::vector<std::byte> table_;       ///< of bytes: 256 converted values, or as many for each channel kept
    std::int64_t tables_ = 1;            ///< that `table_` has
    std::vector<std::byte> outside_;     ///< one place of an image's padding: converted zeros
    std::vector<std::string> complaint_; ///< per channel and byte, why it is not a valid label; empty if it is valid
};

/// All fields of a program, for training and evaluation; fields that keep the same elements share a store.
class Stores {
  public:
    Stores(const Program &program, const Mesh &mesh, int rank);
    /// For these fields only, with one store for each, in order.
    Stores(std::span<const Field> fields, const Mesh &mesh, int rank);
    [[nodiscard]] std::vector<FieldStore> &all() { return stores_; }
    [[nodiscard]] const std::vector<FieldStore> &all() const { return stores_; }
    [[nodiscard]] std::int64_t bytes() const;
    /// The checksum of each field.
    [[nodiscard]] Facts facts() const;
    [[nodiscard]] const FieldStore &of_training(int body, std::size_t field) const {
        return stores_[training_[body][field]];
    }
    [[nodiscard]] const FieldStore &of_evaluation(std::size_t field) const { return stores_[evaluation_[field]]; }

  private:
    std::size_t find_or_add(const Field &field, const Mesh &mesh, int rank);
    /// Those behind the batch, and behind the hops of sampled neighbours.
    static std::span<const Dimension> dimensions_of_sample(const Field &field);
    static Box kept_of(const Field &field, const Mesh &mesh, int rank);
    void add(const Field &field, const Box &kept);
    std::vector<FieldStore> stores_;
    std::vector<std::vector<std::size_t>> training_; ///< per body; of entries of a matrix, nothing is kept
    std::vector<std::size_t> evaluation_;
};

} // namespace planrt
