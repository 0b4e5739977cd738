// Images that are scaled by channel, flipped and cropped: against the same in plain loops, whole and in parts.
#include "data/augmentation.h"
#include "data/batches.h"
#include "data/store.h"
#include "scratch_directory.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace planrt {
namespace {

constexpr std::int64_t height = 5;
constexpr std::int64_t width = 7;
constexpr std::int64_t channels = 3;
constexpr std::int64_t elements = height * width * channels;
constexpr Affine by_channel[] = {{0.5, -1}, {0.25, 3}, {2, 0}};

unsigned char raw(std::int64_t sample, std::int64_t element) {
    return static_cast<unsigned char>((sample * 57 + element * 11 + element * element) % 256);
}

/// The box [rows, columns, channels] of the sample in plain words: mirrored, then surrounded by padding, then a part of
/// that, then scaled.
std::vector<float> plain(std::int64_t sample, const ImageChange &change, const Box &box) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::array<double, channels>> padded; // by place
    for (std::int64_t y = 0; y < height; ++y)
        for (std::int64_t x = 0; x < width; ++x)
            for (std::int64_t c = 0; c < channels; ++c)
                padded[{y, change.flip ? width - 1 - x : x}][static_cast<std::size_t>(c)] =
                    raw(sample, (y * width + x) * channels + c);
    std::vector<float> result;
    for (std::int64_t y = box[0].begin; y < box[0].end; ++y)
        for (std::int64_t x = box[1].begin; x < box[1].end; ++x)
            for (std::int64_t c = box[2].begin; c < box[2].end; ++c) {
                const double value = padded[{y + change.down, x + change.right}][static_cast<std::size_t>(c)];
                result.push_back(static_cast<float>(value * by_channel[c].scale + by_channel[c].shift));
            }
    return result;
}

class Images : public testing::Test {
  protected:
    /// Six samples in a store that keeps whole images of these channels, as bytes or as numbers.
    FieldStore store(Range kept, bool as_bytes) {
        FieldStore result(field_, {{0, height}, {0, width}, kept}, {height, width, channels});
        std::string reason;
        for (std::int64_t sample = 0; sample < 6; ++sample) {
            std::vector<unsigned char> bytes;
            for (std::int64_t element = 0; element < elements; ++element)
                bytes.push_back(raw(sample, element));
            const std::vector<double> numbers(bytes.begin(), bytes.end());
            EXPECT_TRUE(as_bytes ? result.append(bytes.data(), reason) : result.append(numbers.data(), reason));
        }
        return result;
    }

    Dimension dimensions_[4] = {
        {"batch", 4, {}}, {"height", height, {}}, {"width", width, {}}, {"channel", channels, {}}};
    Field field_{"image",  {Type::f32, dimensions_, {}, Reduction::sum, {}, 0}, "", 0, 0, 1, 0, 0, by_channel,
                 {true, 2}};
};

TEST_F(Images, NumbersOfEveryChannel) {
    const Box all{{0, height}, {0, width}, {0, channels}};
    for (const Range kept : {Range{0, 3}, Range{1, 3}, Range{2, 3}, Range{0, 1}})
        for (const bool as_bytes : {true, false}) {
            const std::vector<std::int64_t> rows = {4, 0, 5};
            const std::size_t sample = height * width * static_cast<std::size_t>(kept.size());
            std::vector<float> got(rows.size() * sample);
            store(kept, as_bytes).copy(rows, reinterpret_cast<std::byte *>(got.data()));
            std::vector<float> wanted;
            for (const std::int64_t row : rows) {
                const std::vector<float> one = plain(row, {}, {all[0], all[1], kept});
                wanted.insert(wanted.end(), one.begin(), one.end());
            }
            EXPECT_EQ(got, wanted) << kept.begin << " to " << kept.end;
        }
}

TEST_F(Images, ChangedAsInPlainLoops) {
    const ImageChanges changes(3, 1);
    for (const Range kept : {Range{0, 3}, Range{1, 3}, Range{2, 3}})
        for (const bool as_bytes : {true, false}) {
            const FieldStore images = store(kept, as_bytes);
            for (const Augmentation augmentation :
                 {Augmentation{true, 2}, Augmentation{false, 4}, Augmentation{true, 0}})
                for (const Range rows : {Range{0, height}, Range{1, 4}, Range{4, 5}})
                    for (const Range columns : {Range{0, width}, Range{3, 7}, Range{0, 1}, Range{2, 2}})
                        for (std::int64_t sample = 0; sample < 6; ++sample) {
                            const Box box{rows, columns, kept};
                            std::vector<float> got(static_cast<std::size_t>(volume(box)));
                            images.copy_changed({&sample, 1}, changes, augmentation, box,
                                                reinterpret_cast<std::byte *>(got.data()));
                            EXPECT_EQ(got, plain(sample, changes.of(sample, augmentation), box));
                        }
        }
}

TEST_F(Images, OfOneChannelInDoubles) {
    const Affine affine{0.5, 1};
    field_.channels = {};
    field_.scale = affine.scale;
    field_.shift = affine.shift;
    field_.tensor.type = Type::f64;
    field_.tensor.dimensions = {dimensions_, 3};
    FieldStore images(field_, {{0, height}, {0, width}}, {height, width});
    std::vector<unsigned char> bytes;
    for (std::int64_t element = 0; element < height * width; ++element)
        bytes.push_back(raw(0, element));
    std::string reason;
    ASSERT_TRUE(images.append(bytes.data(), reason));
    const ImageChange change{true, 2, -1};
    for (std::int64_t epoch = 0;; ++epoch) { // until one draws this change
        ASSERT_LT(epoch, 10000);
        const ImageChanges changes(1, epoch);
        const ImageChange drawn = changes.of(0, {true, 2});
        if (drawn.flip != change.flip || drawn.down != change.down || drawn.right != change.right)
            continue;
        std::vector<double> got(bytes.size());
        const std::int64_t sample = 0;
        const Box box{{0, height}, {0, width}};
        images.copy_changed({&sample, 1}, changes, {true, 2}, box, reinterpret_cast<std::byte *>(got.data()));
        EXPECT_EQ(got[0], 1);                                      // left of the image
        EXPECT_EQ(got[1], bytes[2 * width + width - 1] * 0.5 + 1); // row 2 from its right end on
        EXPECT_EQ(got[width - 1], bytes[2 * width + 1] * 0.5 + 1);
        EXPECT_EQ(got[3 * width + 1], 1); // below the image
        return;
    }
}

TEST(ImageChanges, AreEvenAndOfSeedEpochAndSample) {
    const ImageChanges changes(1, 0);
    const Augmentation both{true, 4};
    int flips = 0;
    std::map<std::int64_t, int> down;
    std::map<std::int64_t, int> right;
    int repeated = 0;
    for (std::int64_t sample = 0; sample < 9000; ++sample) {
        const ImageChange change = changes.of(sample, both);
        flips += change.flip ? 1 : 0;
        ++down[change.down];
        ++right[change.right];
        const ImageChange later = ImageChanges(1, 1).of(sample, both);
        repeated += change.flip == later.flip && change.down == later.down && change.right == later.right ? 1 : 0;
        EXPECT_EQ(changes.of(sample, {true, 0}).flip, change.flip) << "another field of the sample flips alike";
        EXPECT_EQ(changes.of(sample, {false, 4}).down, change.down);
        EXPECT_FALSE(changes.of(sample, {false, 4}).flip);
    }
    EXPECT_NEAR(flips, 4500, 5 * 47.4); // five standard deviations
    EXPECT_NEAR(repeated, 9000 / 162.0, 5 * 7.5);
    for (const auto &offsets : {down, right}) {
        ASSERT_EQ(offsets.size(), 9U);
        EXPECT_EQ(offsets.begin()->first, -4);
        for (const auto &[offset, count] : offsets)
            EXPECT_NEAR(count, 1000, 5 * 29.8) << offset;
    }
}

/// Images in a file, read by programs on several ranks.
class AugmentedData : public testing::Test {
  protected:
    AugmentedData() {
        std::string file{0, 0, 8, 4, 0, 0, 0, 8, 0, 0, 0, height, 0, 0, 0, width, 0, 0, 0, channels};
        for (std::int64_t sample = 0; sample < 8; ++sample)
            for (std::int64_t element = 0; element < elements; ++element)
                file += static_cast<char>(raw(sample, element));
        directory_.write("images", file);
        field_ = {"image",  {Type::f32, dimensions_, {}, Reduction::sum, {}, 0}, "images", 0, 0, 1, 0, 0, by_channel,
                  {true, 2}};
        plain_ = field_;
        plain_.augmentation = {};
        body_ = {nullptr, {&field_, 1}};
        program_.bodies = {&body_, 1};
        program_.evaluation_fields = {&plain_, 1};
        program_.valid = {&valid_, 1};
        program_.batch = 4;
        program_.data = {"photos", DataFormat::idx, "", directory_.path().c_str(), SplitKind::counts, 8, 0};
    }

    /// The first batch that the rank loads after `epoch` epochs, or (of tests) its first batch for evaluation.
    std::vector<float> load(const Mesh &mesh, int rank, std::int64_t epoch, bool tests = false) {
        const Box box = local_box(box_placement(), mesh, rank);
        std::vector<float> arena(4 * elements + 64);
        Batches batches(program_, mesh, rank, "", 5);
        batches.begin_epoch(epoch);
        if (tests)
            batches.load_test(0, reinterpret_cast<std::byte *>(arena.data()));
        else
            batches.load_train(0, 0, MicroBatch{}, Context(reinterpret_cast<std::byte *>(arena.data())));
        arena.resize(static_cast<std::size_t>(volume(box)));
        return arena;
    }

    [[nodiscard]] Placement box_placement() const {
        Placement placement;
        for (const Dimension &dimension : dimensions_)
            placement.dimensions.push_back(
                {dimension.extent, {dimension.axes.begin(), dimension.axes.end()}, dimension.window});
        return placement;
    }

    /// The box of what one rank has.
    static std::vector<float> part(const std::vector<float> &whole, const Box &box) {
        std::vector<float> result;
        for (std::int64_t n = box[0].begin; n < box[0].end; ++n)
            for (std::int64_t y = box[1].begin; y < box[1].end; ++y)
                for (std::int64_t x = box[2].begin; x < box[2].end; ++x)
                    for (std::int64_t c = box[3].begin; c < box[3].end; ++c)
                        result.push_back(
                            whole[static_cast<std::size_t>(((n * height + y) * width + x) * channels + c)]);
        return result;
    }

    void expect_parts_of_one_rank() {
        std::map<std::pair<std::int64_t, bool>, std::vector<float>> whole;
        Dimension cut[4];
        std::copy(dimensions_, dimensions_ + 4, cut);
        for (Dimension &dimension : dimensions_)
            dimension = {dimension.role, dimension.extent, {}};
        for (const std::int64_t epoch : {0, 3}) {
            whole[{epoch, false}] = load(one_rank_, 0, epoch);
            whole[{epoch, true}] = load(one_rank_, 0, epoch, true);
        }
        EXPECT_NE((whole[{0, false}]), (whole[{3, false}]));
        EXPECT_EQ((whole[{0, true}]), (whole[{3, true}]));
        std::copy(cut, cut + 4, dimensions_);
        const Mesh mesh{{2, 2}};
        for (int rank = 0; rank < 4; ++rank)
            for (const auto &[what, values] : whole)
                EXPECT_EQ(load(mesh, rank, what.first, what.second),
                          part(values, local_box(box_placement(), mesh, rank)))
                    << "rank " << rank << ", epoch " << what.first;
    }

    Mesh one_rank_; // outlives the batches
    ScratchDirectory directory_;
    int rows_[1] = {0};
    int cols_[1] = {1};
    int both_[2] = {0, 1};
    Dimension dimensions_[4] = {
        {"batch", 4, {}}, {"height", height, {}}, {"width", width, {}}, {"channel", channels, {}}};
    Dimension batch_[1] = {{"batch", 4, {}}};
    Tensor valid_{Type::f32, batch_, {}, Reduction::sum, {}, 4 * 4 * elements};
    Field field_;
    Field plain_;
    Body body_;
    Program program_;
};

TEST_F(AugmentedData, BatchAndPixelsMayBeSplit) {
    program_.data.train = 4;
    program_.data.test = 4;
    dimensions_[0].axes = rows_;
    dimensions_[2].axes = cols_;
    expect_parts_of_one_rank();
    dimensions_[0].axes = {};
    dimensions_[1].axes = both_;
    dimensions_[2].axes = {};
    expect_parts_of_one_rank();
    dimensions_[1].axes = cols_;
    dimensions_[3].axes = rows_;
    expect_parts_of_one_rank();
}

TEST_F(AugmentedData, RanksMayHaveHalos) {
    program_.data.train = 4;
    program_.data.test = 4;
    dimensions_[1] = {"height", height, rows_, Window{height, 3, 1, 1, 1}};
    dimensions_[2] = {"width", width, cols_, Window{3, 3, 2, 1, 0}};
    expect_parts_of_one_rank();
}

TEST_F(AugmentedData, MicroBatchesChangeNothing) {
    const std::vector<float> wanted = load(one_rank_, 0, 2);
    const MicroBatch halves[2] = {{0, 2}, {2, 2}};
    program_.evaluation_fields = {};
    dimensions_[0].extent = 2;
    Batches batches(program_, one_rank_, 0, "", 5);
    batches.begin_epoch(2);
    for (const std::size_t half : {0, 1}) {
        std::vector<float> got(2 * elements);
        batches.load_train(0, 0, halves[half], Context(reinterpret_cast<std::byte *>(got.data())));
        EXPECT_TRUE(
            std::equal(got.begin(), got.end(), wanted.begin() + static_cast<std::ptrdiff_t>(half * got.size())));
    }
}

TEST_F(AugmentedData, PaddingOfLabelsIsChecked) {
    const Affine shifted[] = {{1, 0}, {1, 1}, {1, -1}};
    field_.tensor.type = Type::i32;
    field_.channels = shifted;
    field_.classes = 300;
    EXPECT_EQ(failure_of([this] { Batches(program_, one_rank_, 0, "", 5); }),
              "the padding of image is a raw 0: expected a image from 0 to 299, got -1");
}

} // namespace
} // namespace planrt
