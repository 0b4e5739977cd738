// Imports (I2, D8).
#include "analyzed.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace planc::sema {
namespace {

namespace filesystem = std::filesystem;

class Imports : public testing::Test {
  protected:
    void SetUp() override {
        directory_ = filesystem::path(testing::TempDir()) /
                     ("planc_imports_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
        filesystem::create_directories(directory_ / "deeper");
    }
    void TearDown() override { filesystem::remove_all(directory_); }

    void write(const std::string &name, const std::string &text) const { std::ofstream(directory_ / name) << text; }
    Analyzed analyze_main() const { return analyze_file((directory_ / "main.plan").string()); }

    filesystem::path directory_;
};

TEST_F(Imports, AreRelativeToTheImportingFile) {
    write("main.plan", "import \"deeper/a.plan\"\ndim batch = 2\nnetwork n(x: f32[batch]) -> f32[batch] {\n"
                       "    return twice(x)\n}\n");
    write("deeper/a.plan", "import \"b.plan\"\nlayer twice(x: [..]) -> [..] {\n    return double(x)\n}\n");
    write("deeper/b.plan", "layer double(x: [..]) -> [..] {\n    return x + x\n}\n");
    const Analyzed analyzed = analyze_main();
    EXPECT_TRUE(analyzed.program) << analyzed.report;
}

TEST_F(Imports, DoNotShowWhatTheyImportThemselves) {
    write("main.plan", "import \"deeper/a.plan\"\ndim batch = 2\nnetwork n(x: f32[batch]) -> f32[batch] {\n"
                       "    return double(x)\n}\n");
    write("deeper/a.plan", "import \"b.plan\"\n");
    write("deeper/b.plan", "layer double(x: [..]) -> [..] {\n    return x + x\n}\n");
    EXPECT_EQ(analyze_main().kind, "unknown_function");
}

TEST_F(Imports, OneFileTwiceIsFine) {
    write("main.plan", "import \"a.plan\"\nimport \"b.plan\"\nimport \"deeper/../b.plan\"\n");
    write("a.plan", "import \"b.plan\"\n");
    write("b.plan", "dim shared = 3\n");
    const Analyzed analyzed = analyze_main();
    EXPECT_TRUE(analyzed.program) << analyzed.report;
}

TEST_F(Imports, AFileThatImportsItself) {
    write("main.plan", "import \"main.plan\"\n");
    EXPECT_EQ(analyze_main().kind, "import_cycle");
}

TEST_F(Imports, BindTheOpenDimensionsOfALibrary) { // D8
    write("library.plan", "import \"std/dense.plan\"\ndim hidden = 7\n"
                          "network net(x: f32[batch, pixel]) -> f32[batch, hidden] {\n"
                          "    h = dense(x, hidden)\n    return h\n}\n");
    write("main.plan", "import \"library.plan\"\ndim batch = 2\ndim pixel = 5\ndim hidden = 99\n"
                       "data toy = synthetic(seed = 1)\n"
                       "train net on toy {\n    loss = mean_square_error(net(x), y)\n"
                       "    optimizer = sgd(rate = 1)\n    steps = 1\n}\n");
    const Analyzed analyzed = analyze_main();
    ASSERT_TRUE(analyzed.program) << analyzed.report;
    EXPECT_EQ(type_text(parameter(analyzed.program->trains.at(0).loss, "h.w").type), "[pixel: 5, hidden: 7]");
    EXPECT_TRUE(analyzed.program->networks.empty()); // the root file declares none
}

TEST_F(Imports, OpenDimensionsThatNobodyBinds) {
    write("library.plan", "network net(x: f32[batch, pixel]) -> f32[batch, pixel] {\n    return relu(x)\n}\n");
    write("main.plan", "import \"library.plan\"\ndim batch = 2\ndata toy = synthetic(seed = 1)\n"
                       "train net on toy {\n    loss = mean_square_error(net(x), y)\n"
                       "    optimizer = sgd(rate = 1)\n    steps = 1\n}\n");
    const Analyzed analyzed = analyze_main();
    EXPECT_EQ(analyzed.kind, "unknown_dimension");
}

TEST_F(Imports, FilesThatCannotBeRead) {
    EXPECT_EQ(analyze_main().kind, "cannot_read_file");
    EXPECT_EQ(analyze_file(directory_.string()).kind, "cannot_read_file");
    write("main.plan", "import \"deeper\"\n");
    EXPECT_EQ(analyze_main().kind, "cannot_read_file");
    write("main.plan", "import \"\"\n");
    EXPECT_EQ(analyze_main().kind, "cannot_read_file");
    write("main.plan", std::string((1U << 20U) + 1, ' '));
    EXPECT_EQ(analyze_main().kind, "file_too_large");
}

} // namespace
} // namespace planc::sema
