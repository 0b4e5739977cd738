// The samples of a data set as one rank keeps them: for each field all samples, of each sample the elements that lie in
// this rank's block; of images that change in training whole images, so that a rank can flip and move what others hold.
// Values are kept in the type of the input tensor; bytes (images) as bytes, with a table of what each of the 256
// becomes in each channel.
#pragma once

#include "data/augmentation.h"
#include "support/agreement.h"
#include "support/checksum.h"

#include <planrt/planrt.h>

#include <cstddef>
#include <string>
#include <vector>

namespace planrt {

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
    /// That the samples take on this rank.
    [[nodiscard]] std::int64_t bytes() const {
        return static_cast<std::int64_t>(values_.capacity() + bytes_.capacity());
    }

    /// Of all that has been appended, whole samples: the same on all ranks that have read the same.
    [[nodiscard]] std::string checksum() const { return sum_.digits(); }

    /// Makes room; throws std::bad_alloc where there is none.
    void reserve(std::int64_t samples);
    /// Appends one sample from its raw numbers, `sample_elements()` of them. False if one is no valid label; then
    /// `reason` says why.
    bool append(const double *raw, std::string &reason);
    /// Appends one sample of bytes; all samples of a store come in the same way.
    bool append(const unsigned char *raw, std::string &reason);

    /// Copies the samples numbered `rows` one behind the other into `to`, in the type of the input tensor.
    void copy(std::span<const std::int64_t> rows, std::byte *to) const;
    /// The same of images, each changed as `changes` has drawn for it, and of each the rows and columns in `box` (all
    /// that it keeps of further dimensions). The store must keep whole images.
    void copy_changed(std::span<const std::int64_t> rows, const ImageChanges &changes, const Augmentation &augmentation,
                      std::span<const Range> box, std::byte *to) const;
    /// Failure if raw 0, with which images are padded, is no valid label.
    void check_padding() const;

  private:
    [[nodiscard]] const Affine &affine(std::int64_t element) const {
        return affines_[affines_.size() == 1 ? 0 : static_cast<std::size_t>(element) % affines_.size()];
    }
    [[nodiscard]] bool valid(double raw, const Affine &affine, std::string &reason) const;
    void convert(double raw, const Affine &affine, std::byte *to) const;
    void fill_tables();
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
    std::vector<std::string> complaint_; ///< per channel and byte, why it is no valid label; empty strings where it is
};

/// All fields of a program, for training and evaluation; fields that keep the same elements share a store.
class Stores {
  public:
    Stores(const Program &program, const Mesh &mesh, int rank);
    /// Of these fields alone, one store each in their order.
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
    static Box kept_of(const Field &field, const Mesh &mesh, int rank);
    void add(const Field &field, const Box &kept);
    std::vector<FieldStore> stores_;
    std::vector<std::vector<std::size_t>> training_; ///< per body
    std::vector<std::size_t> evaluation_;
};

} // namespace planrt
