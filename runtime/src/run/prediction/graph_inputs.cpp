#include "run/prediction/graph_inputs.h"

#include "data/formats/readers.h"
#include "mesh/tensors.h"

namespace planrt {

namespace {

Stores read(const Engine &engine, const DataSource &source) {
    Stores stores(engine.program().prediction_fields, engine.role_mesh(), engine.role_rank());
    SplitColumn parts;
    read_samples(source, stores.all(), parts);
    return stores;
}

} // namespace

GraphInputs::GraphInputs(Engine &engine, const Options &options)
    : engine_(engine), program_(engine.program()), source_(data_source(program_.data, options.predict)),
      numbers_(program_.order), stores_(read(engine, source_)),
      matrices_(
          program_, source_, engine.role(),
          [&engine](const Dimension &dimension) { return engine.local_range(dimension); },
          [&engine](int collective) { return engine.piece_ranges(collective); }),
      rows_(numbers_, stores_.all()) {
    engine.set_matrices(matrices_.all());
    engine.set_vertices(numbers_.vertices().data());
}

Facts GraphInputs::facts() const {
    Facts facts = stores_.facts();
    facts.insert(facts.end(), matrices_.facts().begin(), matrices_.facts().end());
    return facts;
}

std::vector<NamedFile> GraphInputs::files() const {
    std::vector<NamedFile> files;
    for (const std::vector<std::string> &read : {files_of(source_, stores_.all()), matrices_.files()})
        for (const std::string &file : read)
            files.push_back({"--predict", file});
    return files;
}

void GraphInputs::load(std::int64_t /*first*/, std::byte *arena) {
    for (std::size_t i = 0; i < program_.prediction_fields.size(); ++i) {
        const Field &field = program_.prediction_fields[i];
        if (field.role == engine_.role())
            rows_.load(field, stores_.all()[i],
                       local_box(placement_of(field.tensor), engine_.role_mesh(), engine_.role_rank())[0], arena);
    }
}

} // namespace planrt
