// Fields with images: CIFAR's parts, numbers per channel, flips and crops (T2, T4, T6, T7).
#include "analyzed.h"

#include <gtest/gtest.h>

namespace planc::sema {
namespace {

/// A program that trains on `data`, whose image is [height, width, channel], all of it [32, 32, 3].
std::string classifier(const std::string &data, const std::string &image = "height, width, channel") {
    return "dim batch = 8\ndim height = 32\ndim width = 32\ndim channel = 3\ndim pixel = 3072\ndim class = 10\n"
           "network n(image: f32[batch, " +
           image + "]) -> f32[batch, class] {\n    param w: [" + image +
           ", class] = zeros\n    return einsum(image, w -> [batch, class])\n}\n"
           "data photos = " +
           data +
           "\ntrain n on photos {\n    loss = cross_entropy(n(image), label)\n    optimizer = sgd(0.1)\n"
           "    epochs = 1\n}\n";
}

Data data_of(const std::string &text) {
    const Analyzed analyzed = analyze_text(text);
    EXPECT_TRUE(analyzed.program) << analyzed.report;
    return analyzed.program ? analyzed.program->data.at(0) : Data();
}

Field image_of(const std::string &expression) {
    return data_of(classifier("npy {\n image = " + expression + "\n label = file(\"labels.npy\")\n}")).fields.at(0);
}

TEST(Images, Cifar) { // T6
    const Data data = data_of(classifier("cifar(\"cifar10\") {\n image = pixels / 255\n label = label\n "
                                         "coarse = coarse_label - 1\n}"));
    EXPECT_EQ(data.format, "cifar");
    EXPECT_EQ(data.path, "cifar10");
    EXPECT_EQ(data.split, Data::Split::files);
    ASSERT_EQ(data.fields.size(), 3U);
    EXPECT_EQ(data.fields[0].part, Field::Part::pixels);
    EXPECT_DOUBLE_EQ(data.fields[0].affine.scale, 1 / 255.0);
    EXPECT_TRUE(data.fields[0].channels.empty());
    EXPECT_FALSE(data.fields[0].augmentation.any());
    EXPECT_EQ(data.fields[1].part, Field::Part::label);
    EXPECT_EQ(data.fields[2].part, Field::Part::coarse_label);
    EXPECT_DOUBLE_EQ(data.fields[2].affine.shift, -1);
}

TEST(Images, CifarMaySplitOtherwiseAndBeFlat) { // T3, T6
    const Data data = data_of(
        classifier("cifar(\"one.bin\") {\n image = pixels\n label = label\n split = train 90%, test 10%\n}", "pixel"));
    EXPECT_EQ(data.split, Data::Split::shares);
    EXPECT_DOUBLE_EQ(data.train, 0.9);
    EXPECT_DOUBLE_EQ(data.test, 0.1);
    const Data trained = data_of(classifier("cifar(\"one.bin\") {\n image = pixels\n label = label\n"
                                            " split = train 40\n}"));
    EXPECT_EQ(trained.split, Data::Split::counts);
    EXPECT_DOUBLE_EQ(trained.test, 0);
}

TEST(Images, ListsStandForTheLastDimension) { // T2
    const Field field = image_of("2 - (file(\"images.npy\") / 255 - [0.5, 0.25, 0]) / [0.5, 1, 2] * 3");
    ASSERT_EQ(field.channels.size(), 3U);
    const double deviations[] = {0.5, 1, 2};
    const double means[] = {0.5, 0.25, 0};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_DOUBLE_EQ(field.channels[i].scale, -3 / 255.0 / deviations[i]);
        EXPECT_DOUBLE_EQ(field.channels[i].shift, 2 + 3 * means[i] / deviations[i]);
    }
    const Field negative = image_of("-[1, 2, 3] * file(\"images.npy\")");
    EXPECT_DOUBLE_EQ(negative.channels.at(2).scale, -3);
    EXPECT_DOUBLE_EQ(negative.channels.at(2).shift, 0);
}

TEST(Images, FlipsAndCropsStandAnywhere) { // T7
    const Field both = image_of("random_crop(random_flip(file(\"images.npy\") / 255), padding = 4) - 0.5");
    EXPECT_EQ(both.file, "images.npy");
    EXPECT_TRUE(both.augmentation.flip);
    EXPECT_EQ(both.augmentation.padding, 4);
    EXPECT_DOUBLE_EQ(both.affine.scale, 1 / 255.0);
    EXPECT_DOUBLE_EQ(both.affine.shift, -0.5);
    const Field inverse = image_of("random_flip(random_crop(file(\"images.npy\"), 2)) * [1, 2, 3]");
    EXPECT_TRUE(inverse.augmentation.flip);
    EXPECT_EQ(inverse.augmentation.padding, 2);
    EXPECT_EQ(inverse.channels.size(), 3U);
    EXPECT_EQ(image_of("random_flip(file(\"images.npy\"))").augmentation.padding, 0);
    EXPECT_FALSE(image_of("random_crop(file(\"images.npy\"), padding = 31)").augmentation.flip);
}

TEST(Images, WhatIsUsedMustFit) { // T4, T6, T7
    const auto kind = [](const std::string &data, const std::string &image = "height, width, channel") {
        return analyze_text(classifier(data, image)).kind;
    };
    const std::string label = "\n label = label\n}";
    EXPECT_EQ(kind("cifar(\"c\") {\n image = pixels" + label, "channel, height, width"), "sample_shape");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = label" + label), "sample_shape");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = pixels\n label = pixels\n}"), "sample_shape");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = pixels / [1, 2]" + label), "number_per_channel");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = pixels / [255]" + label), "number_per_channel");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = random_flip(pixels)" + label, "pixel"), "no_images");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = random_crop(pixels, 32)" + label), "padding_too_large");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = random_crop(random_crop(pixels, 2), 2)" + label), "augmented_twice");
    EXPECT_EQ(kind("cifar(\"c\") {\n image = pixels / [1, 0, 1]" + label), "field_divided_by_zero");
}

} // namespace
} // namespace planc::sema
