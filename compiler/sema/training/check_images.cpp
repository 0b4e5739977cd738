#include "sema/training/check_images.h"

#include "sema/training/training.h"
#include "sema/values/values.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(sample_shape, error, "data field '{0}' has {1} a sample, but is used as {2}"); // T6
PLANC_DIAGNOSTIC(number_per_channel, error,
                 "data field '{0}' is scaled by lists of {1} numbers, but is used as {2}"); // T4
PLANC_DIAGNOSTIC(no_images, error,
                 "data field '{0}' is flipped or cropped as [batch, height, width] or [batch, height, width, channel], "
                 "but is used as {1}"); // T7
PLANC_DIAGNOSTIC(padding_too_large, error,
                 "data field '{0}' is cropped with a padding of {1}, but its images have {2} × {3}"); // T7
PLANC_DIAGNOSTIC(numbers_along_width, error,
                 "data field '{0}' is scaled by a list along its width, but is flipped or cropped there"); // T7
PLANC_DIAGNOSTIC(different_paddings, error,
                 "data fields '{0}' and '{1}' are cropped with different paddings: {2} and {3}"); // T7

PLANC_DIAGNOSTIC(changed_alone, error,
                 "data fields '{0}' and '{1}' are images of the same samples, but only '{0}' is {2}"); // T7

namespace {

std::vector<Note> at_declaration(const Field &field) {
    return {{field.where, "the field is declared here"}};
}

std::vector<std::int64_t> extents_of_sample(const Argument &argument) {
    std::vector<std::int64_t> extents;
    for (std::size_t i = 1; i < argument.type.dimensions.size(); ++i)
        extents.push_back(argument.type.dimensions[i].extent);
    return extents;
}

/// An image as [height, width, channel] or all of it in one dimension; a label as one number.
void check_cifar(const Field &field, const Argument &argument, const Context &context) {
    const std::vector<std::int64_t> extents = extents_of_sample(argument);
    const bool pixels = field.part == Field::Part::pixels;
    const bool fits =
        pixels ? extents == std::vector<std::int64_t>{32, 32, 3} || extents == std::vector<std::int64_t>{3072}
               : extents.empty();
    if (!fits)
        context.fail(sample_shape, argument.where,
                     {field.name, pixels ? "32 × 32 × 3 numbers" : "one number", to_string(argument.type)},
                     at_declaration(field));
}

void check_augmentation(const Field &field, const Argument &argument, const Context &context) {
    const std::vector<std::int64_t> extents = extents_of_sample(argument);
    if (extents.size() != 2 && extents.size() != 3)
        context.fail(no_images, argument.where, {field.name, to_string(argument.type)}, at_declaration(field));
    const std::int64_t padding = field.augmentation.padding;
    if (padding >= std::min(extents[0], extents[1]))
        context.fail(padding_too_large, argument.where,
                     {field.name, std::to_string(padding), std::to_string(extents[0]), std::to_string(extents[1])},
                     at_declaration(field));
    if (extents.size() == 2 && !field.channels.empty())
        context.fail(numbers_along_width, argument.where, {field.name}, at_declaration(field));
}

} // namespace

void check_image(const Field &field, const Argument &argument, const Data &data, const Context &context) {
    if (data.format == "cifar")
        check_cifar(field, argument, context);
    const std::vector<std::int64_t> extents = extents_of_sample(argument);
    const auto numbers = static_cast<std::int64_t>(field.channels.size());
    if (numbers > 0 && (extents.empty() || extents.back() != numbers))
        context.fail(number_per_channel, argument.where,
                     {field.name, std::to_string(numbers), to_string(argument.type)}, at_declaration(field));
    if (field.augmentation.any())
        check_augmentation(field, argument, context);
}

namespace {

/// [batch, height, width] or [batch, height, width, channel], as large as the images of `other`.
bool are_images_like(const Argument &argument, const Argument &other) {
    const std::vector<std::int64_t> extents = extents_of_sample(argument);
    const std::vector<std::int64_t> others = extents_of_sample(other);
    return (extents.size() == 2 || extents.size() == 3) &&
           std::equal(extents.begin(), extents.begin() + 2, others.begin());
}

} // namespace

void check_changed_together(const Data &data, const std::vector<Argument> &arguments, const Context &context) {
    for (const Argument &argument : arguments) {
        const Field &field = field_of(data, argument.name);
        if (!field.augmentation.any())
            continue;
        for (const Argument &beside : arguments) {
            const Field &other = field_of(data, beside.name);
            const bool flipped = field.augmentation.flip && !other.augmentation.flip;
            const bool cropped = field.augmentation.padding > 0 && other.augmentation.padding == 0;
            if ((flipped || cropped) && are_images_like(beside, argument))
                context.fail(changed_alone, other.where, {field.name, other.name, flipped ? "flipped" : "cropped"},
                             at_declaration(field));
        }
    }
}

void check_same_crops(const Data &data, const std::vector<Argument> &arguments, const Context &context) {
    const Field *first = nullptr;
    for (const Argument &argument : arguments) {
        const Field &field = field_of(data, argument.name);
        if (field.augmentation.padding == 0)
            continue;
        if (first && first->augmentation.padding != field.augmentation.padding)
            context.fail(different_paddings, field.where,
                         {first->name, field.name, std::to_string(first->augmentation.padding),
                          std::to_string(field.augmentation.padding)},
                         at_declaration(*first));
        first = first ? first : &field;
    }
}

} // namespace planc::sema
