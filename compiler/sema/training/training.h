// Data sets and training: the data and the loss with which a network is trained, and the settings.
#pragma once

#include "sema/analysis.h"

namespace planc::sema {

[[nodiscard]] Data analyze_data(const syntax::DataDeclaration &declaration, Analysis &analysis);

/// Appends the training to the program. The data sets of the program must be there; a synthetic one gets the fields
/// that the loss uses.
void analyze_train(const syntax::TrainDeclaration &declaration, Analysis &analysis);

/// The parts of a training on which an optimizer may depend; errors in the others were reported.
struct KnownOfTrain {
    bool loss = true;
    bool duration = true;
};

/// `optimizer = …` of a training.
[[nodiscard]] Optimizer analyze_optimizer(const syntax::Setting &setting, int unit, const Train &train,
                                          KnownOfTrain known, Analysis &analysis);

/// The field of that name, which must exist.
[[nodiscard]] const Field &field_of(const Data &data, const std::string &name);

/// The training samples of an epoch, if their number is known at compile time; else 0.
[[nodiscard]] double training_samples(const Data &data);

/// Orders the arguments of a loss such that those with the samples' dimension come first: of graph data, that of the
/// data set's own table. Everything that asks for the batch looks at the first argument.
void put_samples_first(const Data &data, std::vector<Argument> &arguments);

/// Checks fields against the loss that uses them (T4): one batch, as many columns as elements, whole labels, enough
/// samples.
void check_fields(const Data &data, const Train &train, const Analysis &analysis);

} // namespace planc::sema
