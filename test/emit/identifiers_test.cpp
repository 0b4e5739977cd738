#include "emit/names/identifiers.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace planc::emit {

namespace {

TEST(Identifier, KeepsWhatItCan) {
    EXPECT_EQ(identifier("h1.w"), "h1_w");
    EXPECT_EQ(identifier("block[3].attention.query"), "block_3_attention_query");
    EXPECT_EQ(identifier("hidden'"), "hidden_in");
    EXPECT_EQ(identifier("gradient of h1.w"), "gradient_of_h1_w");
}

TEST(Identifier, AvoidsWhatCppReserves) {
    EXPECT_EQ(identifier("for"), "for_");
    EXPECT_EQ(identifier("EOF"), "EOF_");
    EXPECT_EQ(identifier("EOF_"), "EOF_");
    EXPECT_EQ(identifier("__FILE__"), "FILE_");
    EXPECT_EQ(identifier("PRIu32"), "PRIu32_");
    EXPECT_EQ(identifier("stdin"), "stdin_");
    EXPECT_EQ(identifier("_x"), "x");
    EXPECT_EQ(identifier("a__b"), "a_b");
    EXPECT_EQ(identifier("3d"), "n3d");
    EXPECT_EQ(identifier("'"), "in");
    EXPECT_EQ(identifier("größe"), "gr_e");
    EXPECT_EQ(identifier(""), "unnamed");
    EXPECT_EQ(identifier("context"), "context_");
}

TEST(UniqueNames, NumbersRepetitions) {
    UniqueNames names({"taken"});
    EXPECT_EQ(names.add("a.b"), "a_b");
    EXPECT_EQ(names.add("a b"), "a_b_2");
    EXPECT_EQ(names.add("a_b_2"), "a_b_2_2");
    EXPECT_EQ(names.add("taken"), "taken_2");
    EXPECT_EQ(names.add("new"), "new_");
    EXPECT_EQ(names.add("new"), "new_2");
    EXPECT_EQ(names.add("M_PI"), "M_PI_");
    EXPECT_EQ(names.add("M.PI"), "M_PI_2_"); // M_PI_2 is a macro, too
}

/// A name of a few of the characters that make a difference.
std::string random_name(std::mt19937 &random) {
    static const std::vector<std::string> parts{"a", "b", "A", "Z", "_",   "2",   "3",  ".",
                                                "[", "]", "'", " ", "for", "EOF", "in", "n"};
    std::string name;
    for (int length = std::uniform_int_distribution(1, 5)(random); length > 0; --length)
        name += parts[std::uniform_int_distribution<std::size_t>(0, parts.size() - 1)(random)];
    return name;
}

TEST(Identifier, IsOneOfCppThatNoMacroHas) {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const std::string name = random_name(random);
        const std::string result = identifier(name);
        EXPECT_EQ(result.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"),
                  std::string::npos)
            << name;
        EXPECT_EQ(result.find("__"), std::string::npos) << name;
        const bool capital = result.front() >= 'A' && result.front() <= 'Z';
        EXPECT_TRUE(capital || (result.front() >= 'a' && result.front() <= 'z')) << name;
        EXPECT_TRUE(!capital || result.back() == '_') << name << " is " << result;
    }
}

/// Names without separators: each has an identifier of its own, whatever C++ reserves.
TEST(Identifier, DiffersWhereNamesDiffer) {
    std::mt19937 random(2);
    std::map<std::string, std::string> names; // identifier -> name
    for (int i = 0; i < 20'000; ++i) {
        std::string name = random_name(random);
        std::erase_if(name, [](char c) { return c == '.' || c == '[' || c == ']' || c == '\'' || c == ' '; });
        if (name.empty() || name.back() == '_' || name.front() == '_' || std::isdigit(name.front()) != 0 ||
            name.find("__") != std::string::npos)
            continue;
        const auto [entry, fresh] = names.emplace(identifier(name), name);
        EXPECT_EQ(entry->second, name) << identifier(name);
    }
    EXPECT_GT(names.size(), 500U);
}

TEST(UniqueNames, AreDifferentWhateverIsAdded) {
    std::mt19937 random(3);
    UniqueNames names({"taken", "a_2", "for_3"});
    std::set<std::string> seen{"taken", "a_2", "for_3"};
    for (int i = 0; i < 2'000; ++i) {
        const std::string name = random_name(random);
        const std::string result = names.add(name);
        EXPECT_TRUE(seen.insert(result).second) << name << " is " << result;
        EXPECT_EQ(result.find("__"), std::string::npos) << name;
        EXPECT_TRUE(result.front() > 'Z' || result.back() == '_') << name << " is " << result;
    }
}

} // namespace

} // namespace planc::emit
