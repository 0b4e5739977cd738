// All vertices of a graph, from the files of a directory. Of the data set's own table it reads the columns that the
// network takes: labels and parts may be missing. The graph must be the one for which the program was compiled.
#pragma once

#include "data/all_rows.h"
#include "data/data_source.h"
#include "data/matrix_blocks.h"
#include "data/store.h"
#include "mesh/file_numbers.h"
#include "run/engine/engine.h"
#include "run/options.h"
#include "run/prediction/inputs.h"

namespace planrt {

class GraphInputs : public PredictionInputs {
  public:
    /// Gives the engine the matrices. Errors: Failure.
    GraphInputs(Engine &engine, const Options &options);

    [[nodiscard]] std::int64_t count() const override { return program_.prediction.dimensions[0].extent; }
    [[nodiscard]] std::int64_t batch() const override { return count(); }
    [[nodiscard]] Facts facts() const override;
    [[nodiscard]] std::vector<NamedFile> files() const override;
    void load(std::int64_t first, std::byte *arena) override;

  private:
    const Engine &engine_;
    const Program &program_;
    DataSource source_;
    FileNumbers numbers_;
    Stores stores_;
    MatrixBlocks matrices_;
    AllRows rows_;
};

} // namespace planrt
