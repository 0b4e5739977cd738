// What an editor needs: symbols, also where there are errors, and files that are not saved.
#include "sema/analyze.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace planc::sema {
namespace {

/// The program has mistakes: a name, a statement and a declaration that do not parse, an unknown layer.
const std::string text = R"(import "std/dense.plan"
dim batch = 8
dim hidden = 16
dim broken 3
layer own(x: [.., in], out: dim, scale: float = 1) -> [.., out] {
    y = dense(x, out) * scale
    return y
}
network n(image: f32[batch, pixel: 4]) -> f32[batch, hidden] {
    h1 = own(image, hidden, scale = 2)
    h2 = relu(h1 h1
    h3 = unknown(h1)
    return relu(h1)
}
data d = csv("x.csv") {
    image = columns(0..4)
    label = column(4)
}
mesh grid = [rows]
layout best on grid { hidden -> rows }
train n on d {
    loss = cross_entropy(n(image), label)
    optimizer = sgd(rate = nothing)
    layout = best
    epochs = 1
}
)";

class Symbols : public testing::Test {
  protected:
    Symbols() : id(files.add("test.plan", text)) {
        outcome = analyze(id, files, diagnostics, {.stdlib_directory = PLANC_SOURCE_DIR "/stdlib"});
    }

    using SourceRange = support::SourceRange;

    /// A place in the n-th occurrence of the text.
    SourceRange at(const std::string &words, int n = 1) const {
        std::size_t offset = text.find(words);
        for (; n > 1; --n)
            offset = text.find(words, offset + 1);
        EXPECT_NE(offset, std::string::npos) << words;
        return {id, static_cast<std::int32_t>(offset), static_cast<std::int32_t>(offset)};
    }
    std::string definition(SourceRange where) const {
        const Symbol *symbol = symbol_at(outcome.symbols, where);
        if (!symbol)
            return "nothing";
        const support::SourceFile &file = files.file(symbol->declared.file);
        return std::filesystem::path(file.path).filename().string() + ":" +
               std::to_string(files.locate(symbol->declared.file, symbol->declared.begin).line);
    }
    std::string detail(SourceRange where) const {
        const Symbol *symbol = symbol_at(outcome.symbols, where);
        return symbol ? symbol->detail : "nothing";
    }

    support::SourceFiles files;
    support::Diagnostics diagnostics{files};
    support::FileId id;
    Outcome outcome;
};

TEST_F(Symbols, AreThereThoughThereAreErrors) {
    EXPECT_EQ(diagnostics.errors(), 4) << diagnostics.render();
    EXPECT_FALSE(outcome.program);
    EXPECT_EQ(definition(at("own(image")), "test.plan:5");
    EXPECT_EQ(definition(at("dense(x")).substr(0, 11), "dense.plan:");
    EXPECT_EQ(definition(at("image, hidden")), "test.plan:9");
    EXPECT_EQ(definition(at("image), label")), "test.plan:16");
    EXPECT_EQ(definition(at("hidden -> rows")), "test.plan:3");
    EXPECT_EQ(definition(at("rows }")), "test.plan:19");
    EXPECT_EQ(definition(at("scale = 2")), "test.plan:5");
    EXPECT_EQ(definition(at("out) * scale")), "test.plan:5");
    EXPECT_EQ(definition(at("h1)\n    return")), "test.plan:10");
    EXPECT_EQ(definition(at("best\n    epochs")), "test.plan:20");
    EXPECT_EQ(definition(at("d {\n    loss")), "test.plan:15");
    EXPECT_EQ(definition(at("unknown(")), "nothing");
}

TEST_F(Symbols, KnowTheirUses) {
    const Symbol *hidden = symbol_at(outcome.symbols, at("hidden = 16"));
    ASSERT_NE(hidden, nullptr);
    EXPECT_EQ(hidden->uses.size(), 3U);
    for (const support::SourceRange use : hidden->uses)
        EXPECT_EQ(files.text(use), "hidden");
}

TEST_F(Symbols, AreDescribed) {
    EXPECT_EQ(detail(at("hidden = 16")), "dim hidden = 16");
    EXPECT_EQ(detail(at("h1 = own")), "h1: f32[batch: 8, hidden: 16]");
    EXPECT_EQ(detail(at("own(x")), "layer own(x: [.., in], out: dim, scale: float = 1) -> [.., out]");
    EXPECT_EQ(detail(at("image = columns")), "image = columns(0..4)");
}

TEST_F(Symbols, AreVisibleInTheirBodies) {
    const auto names = [&](SourceRange where) {
        std::vector<std::string> result;
        for (const Symbol *symbol : visible_at(outcome.symbols, where))
            result.push_back(symbol->name);
        return result;
    };
    const auto has = [](const std::vector<std::string> &all, const char *name) {
        return std::find(all.begin(), all.end(), name) != all.end();
    };
    const auto here = names(at("unknown("));
    for (const char *name : {"h1", "h2", "image", "own", "dense", "hidden"})
        EXPECT_TRUE(has(here, name)) << name;
    for (const char *name : {"y", "scale", "rows"})
        EXPECT_FALSE(has(here, name)) << name;
}

TEST(Overlay, StandsForFilesOnTheDisk) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "planc_overlay";
    std::filesystem::create_directories(folder);
    const std::string root = (folder / "root.plan").string();
    std::ofstream(root) << "import \"part.plan\"\n";
    std::ofstream(folder / "part.plan") << "dim a = 0\n";
    const auto errors = [&](const support::Overlay &overlay) {
        support::SourceFiles files;
        support::Diagnostics diagnostics(files);
        Options options;
        options.overlay = &overlay;
        static_cast<void>(analyze(root, files, diagnostics, options));
        return diagnostics.errors();
    };
    support::Overlay overlay;
    EXPECT_EQ(errors(overlay), 1);
    overlay.set((folder / "." / "part.plan").string(), "dim a = 1\n");
    EXPECT_EQ(errors(overlay), 0);
    overlay.set(root, "import \"part.plan\"\nimport \"unsaved.plan\"\n");
    EXPECT_EQ(errors(overlay), 1);
    overlay.set((folder / "unsaved.plan").string(), "dim b = 1\n"); // that is nowhere on the disk
    EXPECT_EQ(errors(overlay), 0);
    overlay.remove((folder / "part.plan").string());
    EXPECT_EQ(errors(overlay), 1);
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace planc::sema
