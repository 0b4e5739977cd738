// Data sets and training: what a network is trained on, by which loss, and how.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

[[nodiscard]] Data analyze_data(const syntax::DataDeclaration &declaration, Analysis &analysis);

/// Appends the training to the program. The data sets of the program must be there; a synthetic one gets the fields
/// that the loss uses.
void analyze_train(const syntax::TrainDeclaration &declaration, Analysis &analysis);

/// Which parts of a training an optimizer may rest on; of the others an error is known.
struct KnownOfTrain {
    bool loss = true;
    bool duration = true;
};

/// `optimizer = …` of a training.
[[nodiscard]] Optimizer analyze_optimizer(const syntax::Setting &setting, int unit, const Train &train,
                                          KnownOfTrain known, Analysis &analysis);

/// A field that is there.
[[nodiscard]] const Field &field_of(const Data &data, const std::string &name);

/// Of an epoch, where they are counted when the program is compiled; else 0.
[[nodiscard]] double training_samples(const Data &data);

/// Fields against the loss that uses them (T4): one batch, as many columns as elements, whole labels, enough samples.
void check_fields(const Data &data, const Train &train, const Analysis &analysis);

} // namespace planc::sema
