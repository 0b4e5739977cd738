#include "support/source.h"
#include "support/utf8.h"

#include <gtest/gtest.h>

namespace planc::support {
namespace {

TEST(SourceFiles, locates_bytes_by_line_and_column) {
    SourceFiles files;
    const FileId id = files.add("a.plan", "one\ntwo\r\n\nlast");
    EXPECT_EQ(files.locate(id, 0).line, 1);
    EXPECT_EQ(files.locate(id, 3).column, 4); // the line end belongs to its line
    EXPECT_EQ(files.locate(id, 4).line, 2);
    EXPECT_EQ(files.locate(id, 9).line, 3);
    EXPECT_EQ(files.locate(id, 10).line, 4);
    EXPECT_EQ(files.locate(id, 99).column, 5); // clamped to the end
}

TEST(SourceFiles, gives_lines_without_their_ends) {
    SourceFiles files;
    const FileId id = files.add("a.plan", "one\ntwo\r\n\nlast");
    EXPECT_EQ(files.line(id, 1), "one");
    EXPECT_EQ(files.line(id, 2), "two");
    EXPECT_EQ(files.line(id, 3), "");
    EXPECT_EQ(files.line(id, 4), "last");
    EXPECT_EQ(files.line(id, 5), "");
    EXPECT_EQ(files.line(id, 0), "");
}

TEST(SourceFiles, gives_the_text_of_a_range) {
    SourceFiles files;
    const FileId id = files.add("a.plan", "one two");
    EXPECT_EQ(files.text({id, 4, 7}), "two");
    EXPECT_EQ(files.text({id, 4, 70}), "two");
    EXPECT_EQ(files.text({-1, 0, 3}), "");
}

TEST(Utf8, accepts_exactly_what_is_valid) {
    EXPECT_EQ(decode_utf8("a", 0).code, U'a');
    EXPECT_EQ(decode_utf8("é", 0).code, U'é');
    EXPECT_EQ(decode_utf8("€", 0).length, 3U);
    EXPECT_EQ(decode_utf8("😀", 0).code, U'😀');
    for (const char *broken :
         {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"}) {
        EXPECT_FALSE(decode_utf8(broken, 0).valid) << broken;
        EXPECT_EQ(decode_utf8(broken, 0).length, 1U);
    }
}

} // namespace
} // namespace planc::support
