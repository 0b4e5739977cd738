// Matrices made of columns of tables (T10): entries, drawn numbers, and the line of each fault.
#include <planrt/graph_file.h>

#include "graphs.h"
#include "runtime/scratch_directory.h"

#include <gtest/gtest.h>

#include <array>

namespace planrt {
namespace {

class TableColumns : public testing::Test {
  protected:
    /// The message without the directory.
    template <class Action> std::string complaint(const Action &action) {
        const std::string message = failure_of(action);
        return message.starts_with(directory_.path()) ? message.substr(directory_.path().size() + 1) : message;
    }

    ScratchDirectory directory_;
    GraphOptions options_{3, 3};
};

TEST_F(TableColumns, JoinLinesToWhatTheyNumber) {
    options_ = {3, 4};
    const std::string table = directory_.write("table", "name,number\n\"first\",3\nsecond, 0\r\n\nthird,3\n");
    EXPECT_EQ(read_graph({GraphFormat::lookup, table, "", 1, true}, options_),
              tests::pattern_at(3, 4, {{0, 3}, {1, 0}, {2, 3}}));
    options_ = {4, 3};
    EXPECT_EQ(read_graph({GraphFormat::groups, table, "", 1, true}, options_),
              tests::pattern_at(4, 3, {{3, 0}, {0, 1}, {3, 2}}));
}

TEST_F(TableColumns, NegativesAreDrawnFromWhatIsNotJoined) {
    constexpr int lines = 300;
    std::string content = "0,1\n4,0\n2,2\n"; // joined to 0: 1, 4 and itself
    for (int line = 3; line < lines; ++line)
        content += "0,\n";
    options_ = {lines, 5};
    GraphFile file{GraphFormat::lookup, directory_.write("file", content), "", 1, false, 0, 1};
    const Pattern drawn = read_graph(file, options_);
    EXPECT_EQ(std::vector<std::int32_t>(drawn.column.begin(), drawn.column.begin() + 3),
              (std::vector<std::int32_t>{1, 0, 2}));
    std::array<int, 5> count{};
    for (int line = 3; line < lines; ++line)
        ++count[static_cast<std::size_t>(drawn.column[line])];
    EXPECT_EQ(count[0] + count[1] + count[4], 0);
    EXPECT_NEAR(count[2], (lines - 3) / 2, 40);
    EXPECT_EQ(read_graph(file, options_), drawn);
    file.seed = 2;
    EXPECT_NE(read_graph(file, options_), drawn);
    options_ = {3, 2};
    file.path = directory_.write("file", "0,1\n1,\n0,\n");
    EXPECT_EQ(complaint([&] { return read_graph(file, options_); }),
              "file:2: no number is left to draw: all are joined to 1");
    file.path = directory_.write("file", "0,1\n,0\n0,1\n");
    EXPECT_EQ(complaint([&] { return read_graph(file, options_); }),
              "file:2: column 0: expected a whole number, got ''");
}

TEST_F(TableColumns, Faults) {
    options_ = {2, 3}; // groups: three lines with numbers below two
    const auto groups_complaint = [&](const std::string &content, int column = 0) {
        return complaint(
            [&] { return read_graph({GraphFormat::groups, directory_.write("file", content), "", column}, options_); });
    };
    EXPECT_EQ(groups_complaint("0\n1\n2\n"), "file:3: column 0: 2 is outside: there are 2, counted from 0");
    EXPECT_EQ(groups_complaint("0\n-1\n1\n"), "file:2: column 0: -1 is outside: there are 2, counted from 0");
    EXPECT_EQ(groups_complaint("a,b\n5,0\n5,\n", 1), "file:1: column 1: expected a whole number, got 'b'");
    EXPECT_EQ(groups_complaint("5,0\n5,\n", 1), "file:2: column 1: expected a whole number, got ''");
    EXPECT_EQ(groups_complaint("5,0\n5\n", 1), "file:2: expected at least 2 columns, got 1");
    EXPECT_EQ(groups_complaint("0\n1\n"), "file: has 2 rows; declared are 3");
    EXPECT_EQ(groups_complaint("0\n1\n0\n0\n"), "file:4: a row too many: declared are 3");
}

} // namespace
} // namespace planrt
