// IDX and .npy files.
#include "data/formats/readers.h"
#include "scratch_directory.h"

#include <zlib.h>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

namespace planrt {
namespace {

class Records : public testing::Test {
  protected:
    /// Reads a file into a store of samples of two numbers, value = raw / 2 (or labels below 3).
    std::vector<float> read(const std::string &content, DataFormat format) {
        directory_.write("file", content);
        const DataSet set{"d", format, "", directory_.path().c_str(), SplitKind::shares, 1, 0, 0, 0, 0, false};
        std::vector<FieldStore> stores;
        stores.emplace_back(field_, Box{{0, 2}}, std::vector<std::int64_t>{2});
        const DataSource source{set, directory_.path(), false};
        format == DataFormat::idx ? read_idx(source, stores) : read_npy(source, stores);
        std::vector<std::int64_t> rows;
        for (std::int64_t row = stores[0].samples(); row-- > 0;)
            rows.push_back(row);
        std::vector<float> values(2 * rows.size());
        stores[0].copy(rows, reinterpret_cast<std::byte *>(values.data()));
        return values;
    }

    std::string complaint(const std::string &content, DataFormat format) {
        const std::string message = failure_of([&] { read(content, format); });
        return message.substr(std::min(message.size(), directory_.path().size() + 1));
    }

    ScratchDirectory directory_;
    Dimension dimensions_[2] = {{"batch", 4, {}}, {"feature", 2, {}}};
    Field field_{"x", {Type::f32, dimensions_, {}, Reduction::sum, {}, 0}, "file", 0, 0, 0.5, 0, 0};
};

std::string bytes(std::initializer_list<int> values) {
    std::string result;
    for (const int value : values)
        result += static_cast<char>(value);
    return result;
}

std::string npy(const std::string &dictionary, const std::string &numbers) {
    const std::string header = dictionary + "\n";
    return "\x93NUMPY" + bytes({1, 0, static_cast<int>(header.size()), 0}) + header + numbers;
}

TEST_F(Records, IdxBytes) {
    const std::string file = bytes({0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 2, 1, 2, 3, 4, 5, 255});
    EXPECT_EQ(read(file, DataFormat::idx), (std::vector<float>{2.5, 127.5, 1.5, 2, 0.5, 1}));
}

TEST_F(Records, IdxGzip) {
    const std::string file = bytes({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 8, 6});
    gzFile out = gzopen(directory_.file("packed").c_str(), "wb");
    gzwrite(out, file.data(), static_cast<unsigned>(file.size()));
    gzclose(out);
    EXPECT_EQ(read(directory_.read("packed"), DataFormat::idx), (std::vector<float>{4, 3}));
    const std::string cut = directory_.read("packed").substr(0, 24);
    EXPECT_EQ(complaint(cut, DataFormat::idx), "file: the gzip data end too early");
}

TEST_F(Records, IdxBigEndianNumbers) {
    EXPECT_EQ(read(bytes({0, 0, 0x0B, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 255, 255}), DataFormat::idx),
              (std::vector<float>{128, -0.5}));
}

TEST_F(Records, IdxBroken) {
    EXPECT_EQ(complaint("hello", DataFormat::idx), "file: is not an IDX file: it does not begin with two zero bytes");
    EXPECT_EQ(complaint(bytes({0, 0, 7, 1}), DataFormat::idx), "file: is not an IDX file: type 0x07 is unknown");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 2, 0, 0}), DataFormat::idx), "file: ends in its header");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3}), DataFormat::idx),
              "file: ends in sample 1; its header says that there are 2");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3}), DataFormat::idx),
              "file: continues after the 1 samples of its header");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3}), DataFormat::idx),
              "file: expected samples of 2 numbers for x, got 2 × 3");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 1, 0, 0, 0, 1, 1}), DataFormat::idx),
              "file: expected samples of 2 numbers for x, got single numbers");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 2}), DataFormat::idx), "file: has no samples");
    EXPECT_EQ(complaint(bytes({0, 0, 8, 3, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 255}), DataFormat::idx),
              "file: expected samples of 2 numbers for x, got 4294967295 × 4294967295");
}

TEST_F(Records, LabelsOutOfRange) {
    field_.tensor.type = Type::i32;
    field_.scale = 1;
    field_.classes = 3;
    EXPECT_EQ(complaint(bytes({0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 2, 1, 3}), DataFormat::idx),
              "file: sample 1: expected a x from 0 to 2, got 3");
}

TEST_F(Records, NpyTypesAndOrders) {
    const float little[2] = {1.5F, -4};
    std::string numbers(sizeof little, '\0');
    std::memcpy(numbers.data(), little, sizeof little);
    EXPECT_EQ(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", numbers), DataFormat::npy),
              (std::vector<float>{0.75, -2}));
    EXPECT_EQ(
        read(npy("{'descr': '>i2', 'fortran_order': False, 'shape': (1, 2), }", bytes({1, 0, 0, 1})), DataFormat::npy),
        (std::vector<float>{128, 0.5}));
    EXPECT_EQ(read(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1, 2), }", bytes({2, 4, 6, 8})),
                   DataFormat::npy),
              (std::vector<float>{3, 4, 1, 2}));
}

TEST_F(Records, NpyHeadersAsPythonHasThem) {
    for (const char *header : {
             R"({"descr": "|u1", "fortran_order": False, "shape": (2, 2)})",
             R"( { 'shape' :(2,2 ,) ,'fortran_order':False,'descr':'|u1' } )",
             R"({'descr': u'u1', 'fortran_order': False, 'shape': (2L, 2L), })",
             "{'descr': '''|u1''', # of bytes\n 'fortran_order': False,\n 'shape': (0x2, 0_2,)}",
             R"({'descr': '\x7cu1', 'fortran_order': False, 'shape': (2, 2), 'more': [None, True, {}, ()]})",
         })
        EXPECT_EQ(read(npy(header, bytes({2, 4, 6, 8})), DataFormat::npy), (std::vector<float>{3, 4, 1, 2})) << header;
    EXPECT_EQ(read(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (1, 2)}", bytes({0, 1})), DataFormat::npy),
              (std::vector<float>{0, 0.5}));
    EXPECT_EQ(
        read(npy("{'descr': '=i2', 'fortran_order': False, 'shape': (1, 2)}", bytes({1, 0, 2, 0})), DataFormat::npy),
        (std::vector<float>{0.5, 1}));
}

TEST_F(Records, NpyHeadersThatAreNone) {
    const auto told = [this](const std::string &dictionary) {
        const std::string message = complaint(npy(dictionary, bytes({2, 4})), DataFormat::npy);
        return message.substr(std::min(message.size(), std::string("file: ").size()));
    };
    const std::string none = "is not a .npy file: its header";
    EXPECT_EQ(told("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)"),
              none + ": expected ',' or '}' at byte 57");
    EXPECT_EQ(told("{'descr: 1"), none + ": expected the end of a string at byte 10");
    EXPECT_EQ(told("('descr',)"), none + " is not a dictionary");
    EXPECT_EQ(told("{'descr': '|u1', 'fortran_order': False, 'shape': (2)}"), none + " has no shape");
    EXPECT_EQ(told("{'descr': '|u1', 'fortran_order': 'False', 'shape': (1, 2)}"), none + " has no fortran_order");
    EXPECT_EQ(told("{'descr': '|u1', 'fortran_order': False, 'shape': (1, -2)}"),
              "is not a .npy file: its shape has an extent that is not a whole number");
    EXPECT_EQ(told("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 99999999999999999999)}"),
              none + ": a number that is too large at byte 74");
    EXPECT_EQ(told("{'descr': [('a', '<f4'), ('b', '<f4')], 'fortran_order': False, 'shape': (1,)}"),
              "expected numbers, got the type a structure of several");
    EXPECT_EQ(told("{'descr': '\\n\\x1b[2J', 'fortran_order': False, 'shape': (1, 2)}"),
              "expected numbers, got the type '\n\x1b[2J'"); // say_error() escapes it
    EXPECT_EQ(told("{'shape': " + std::string(60, '(') + "}"), none + ": nested too deeply at byte 42");
    EXPECT_EQ(complaint("\x93NUMPY" + bytes({2, 0, 0, 0, 0, 127}), DataFormat::npy),
              "file: is not a .npy file: a header of 2130706432 bytes is longer than any");
    EXPECT_EQ(complaint("\x93NUMPY" + bytes({9, 0, 0, 0}), DataFormat::npy),
              "file: is of version 9 of .npy; expected 1 to 3");
}

TEST_F(Records, PipesAreNotWaitedFor) {
    ASSERT_EQ(mkfifo(directory_.file("file").c_str(), 0666), 0);
    const DataSet set{"d", DataFormat::idx, "", directory_.path().c_str(), SplitKind::shares, 1, 0, 0, 0, 0, false};
    std::vector<FieldStore> stores;
    stores.emplace_back(field_, Box{{0, 2}}, std::vector<std::int64_t>{2});
    EXPECT_EQ(failure_of([&] { read_idx({set, directory_.path(), false}, stores); }),
              "cannot read " + directory_.file("file") + ": it is a pipe, not a file");
}

TEST_F(Records, NpyBroken) {
    EXPECT_EQ(complaint("PK", DataFormat::npy), "file: is not a .npy file: it does not begin with \\x93NUMPY");
    EXPECT_EQ(complaint("\x93NUMPY" + bytes({1, 0, 200, 0}) + "{'descr'", DataFormat::npy), "file: ends in its header");
    EXPECT_EQ(complaint(npy("{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2), }", ""), DataFormat::npy),
              "file: expected numbers, got the type '<c8'");
    EXPECT_EQ(complaint(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", ""), DataFormat::npy),
              "file: is in column-major order; save it with numpy.ascontiguousarray");
    EXPECT_EQ(complaint(npy("{'descr': '<f4', 'fortran_order': False}", ""), DataFormat::npy),
              "file: is not a .npy file: its header has no shape");
}

} // namespace
} // namespace planrt
