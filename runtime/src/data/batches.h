// Fills the input tensors of a step with the samples of its batch.
#pragma once

#include "data/all_rows.h"
#include "data/neighbours.h"
#include "data/split.h"
#include "data/store.h"
#include "mesh/file_numbers.h"

#include <planrt/planrt.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace planrt {

class Batches {
  public:
    /// Reads the whole data set and splits it. Errors: Failure. `directory` replaces that of the .plan file unless
    /// empty. `mesh` and `rank` are those of the role.
    Batches(const Program &program, const Mesh &mesh, int rank, const std::string &directory, std::uint64_t seed,
            int role = 0);

    [[nodiscard]] std::int64_t train_samples() const { return static_cast<std::int64_t>(split_.train.size()); }
    [[nodiscard]] std::int64_t test_samples() const { return static_cast<std::int64_t>(split_.test.size()); }
    [[nodiscard]] std::int64_t validation_samples() const {
        return static_cast<std::int64_t>(split_.validation.size());
    }
    /// Whether evaluation takes all samples, in the order of the program, whatever their part: of a graph.
    [[nodiscard]] bool evaluates_all() const { return program_.data.format == DataFormat::graph; }
    /// Whether a training step does.
    [[nodiscard]] bool takes_all() const { return evaluates_all() && program_.hops.empty(); }
    /// Samples that an epoch passes over.
    [[nodiscard]] std::int64_t epoch_samples() const { return takes_all() ? program_.batch : train_samples(); }
    [[nodiscard]] std::int64_t steps_per_epoch() const {
        return takes_all() ? std::min<std::int64_t>(train_samples(), 1) : train_samples() / program_.batch;
    }
    /// The samples that evaluation takes at once, with padding.
    [[nodiscard]] std::int64_t test_batch() const { return test_batch_; }
    [[nodiscard]] std::int64_t test_batches() const {
        return evaluates_all() ? std::min<std::int64_t>(test_samples(), 1)
                               : (test_samples() + test_batch_ - 1) / test_batch_;
    }

    /// Counts and checksums of what was read: all ranks must have the same.
    [[nodiscard]] Facts facts() const;

    /// The files that were read.
    [[nodiscard]] const std::vector<std::string> &files() const { return files_; }

    /// The bytes that the samples take on this rank.
    [[nodiscard]] std::int64_t bytes() const { return stores_.bytes(); }

    /// The order of epoch `epoch`, from 0.
    void begin_epoch(std::int64_t epoch);
    /// Loads part `part` of batch `index` of the epoch into the fields of a body, in the slot of the context.
    void load_train(std::int64_t index, int body, const MicroBatch &part, const Context &context) const;
    /// Loads batch `index` of the test part into the evaluation's inputs. The last batch is padded; `valid` marks its
    /// samples.
    void load_test(std::int64_t index, std::byte *arena);
    /// Loads all vertices of a graph; `valid` marks those of the validation part.
    void load_validation(std::byte *arena);

  private:
    /// The samples `padded_` into the evaluation's inputs, and the marks `marked_`.
    void load_evaluation(std::byte *arena);
    /// Marks these vertices of a batch of all.
    void mark(std::span<const std::int64_t> part);
    void fill_valid(const Tensor &valid, std::byte *arena) const;
    /// The part `box` of a field by the trees below these vertices.
    void load_trees(const Field &field, const FieldStore *store, std::span<const std::int64_t> roots,
                    std::span<const Range> box, std::byte *to) const;

    const Program &program_;
    int role_;
    const Mesh &mesh_;
    int rank_;
    std::uint64_t seed_;
    Stores stores_;
    std::vector<std::string> files_;
    Split split_;
    std::vector<std::int64_t> order_; ///< of the training samples in this epoch
    std::optional<Neighbours> neighbours_;
    FileNumbers numbers_;
    std::optional<AllRows> all_rows_;           ///< where evaluation takes all
    std::int64_t test_batch_ = 1;               ///< samples at once; with micro-batches, fewer than Program::batch
    std::vector<std::int64_t> padded_;          ///< one batch of test samples
    std::vector<bool> marked_;                  ///< those of them that count
    ImageChanges changes_;                      ///< of this epoch
    std::vector<std::vector<Box>> train_boxes_; ///< per body and field, what this rank has of it
    std::vector<Range> test_rows_;
};

} // namespace planrt
