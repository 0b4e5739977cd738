// Checks of fields with images at their use: CIFAR's sizes, numbers per channel, flips and crops.
#pragma once

#include "sema/context.h"
#include "sema/program.h"

namespace planc::sema {

/// Checks one field against the argument of the loss that it becomes (T4, T6, T7).
void check_image(const Field &field, const Argument &argument, const Data &data, const Context &context);

/// Checks that all fields of one sample are cropped at the same place (T7), that is, by the same padding, and that
/// images of one sample are flipped and cropped together or not at all.
void check_changed_together(const Data &data, const std::vector<Argument> &arguments, const Context &context);
void check_same_crops(const Data &data, const std::vector<Argument> &arguments, const Context &context);

} // namespace planc::sema
