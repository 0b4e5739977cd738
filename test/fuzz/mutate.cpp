#include "mutate.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace planc::fuzz {

namespace {

constexpr std::size_t largest_input = 200'000; // bytes: repeated doubling stays harmless

const std::vector<std::string> numbers = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "7",
                                          "4294967296",
                                          "2147483647",
                                          "9223372036854775807",
                                          "9223372036854775808",
                                          "4611686018427387904",
                                          "1000000007",
                                          "0.0",
                                          "1e-3",
                                          "1e308",
                                          "1e309",
                                          "0.1e-400",
                                          "1000000000000",
                                          "3.5"};
const std::vector<std::string> units = {"",      " ns",     " us",     " s",       " B", " KiB",    " GB", " TiB",
                                        " GB/s", " Gbit/s", " flop/s", " Gflop/s", "%",  " parsec", " m/s"};
const std::vector<std::string> pieces = {"{",
                                         "}",
                                         "(",
                                         ")",
                                         "[",
                                         "]",
                                         ",",
                                         ";",
                                         ":",
                                         "=",
                                         "->",
                                         "..",
                                         ".",
                                         "+",
                                         "-",
                                         "*",
                                         "/",
                                         "==",
                                         "<=",
                                         "\n",
                                         "\"",
                                         "//",
                                         "'",
                                         "if",
                                         "else",
                                         "fold",
                                         "for",
                                         "in",
                                         "as",
                                         "and",
                                         "not",
                                         "true",
                                         "return",
                                         "yield",
                                         "param",
                                         "state",
                                         "auto",
                                         "none",
                                         "on",
                                         "train",
                                         "layer",
                                         "import",
                                         "\xff",
                                         "é",
                                         "@",
                                         "\t",
                                         "\r",
                                         "bf16",
                                         "i32",
                                         "[..]",
                                         "recompute",
                                         "store",
                                         "rename",
                                         "slice",
                                         "select",
                                         "reshape",
                                         "concat",
                                         "iota",
                                         "embedding",
                                         "dropout",
                                         "spmm",
                                         "sparse",
                                         "graph",
                                         "matrix_market",
                                         "cosine",
                                         "warmup",
                                         "adamw",
                                         "shared",
                                         "expand",
                                         "tokens",
                                         "random_normal",
                                         "uniform",
                                         "bernoulli",
                                         "smoothing",
                                         "ignore",
                                         "weights",
                                         "cross_entropy",
                                         "convolution_transpose"};

std::size_t below(Random &random, std::size_t bound) {
    return bound == 0 ? 0 : random() % bound;
}

const std::string &any(const std::vector<std::string> &from, Random &random) {
    return from[below(random, from.size())];
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '\'';
}

/// Words, strings, and single other characters; together they are the text.
std::vector<std::string> split(const std::string &text) {
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i + 1;
        if (is_word(text[i]))
            end = static_cast<std::size_t>(std::find_if_not(text.begin() + i, text.end(), is_word) - text.begin());
        else if (text[i] == '"')
            end = std::min(text.size(), text.find_first_of("\"\n", i + 1));
        tokens.push_back(text.substr(i, end - i));
        i = end;
    }
    return tokens;
}

/// Which of the tokens are names or numbers, in code: comments are no place to change.
std::vector<std::size_t> words_among(const std::vector<std::string> &tokens) {
    std::vector<std::size_t> words;
    bool comment = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        comment = tokens[i] != "\n" && (comment || (tokens[i] == "/" && i > 0 && tokens[i - 1] == "/"));
        if (!comment && is_word(tokens[i][0]))
            words.push_back(i);
    }
    return words;
}

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t end = std::min(text.size(), text.find('\n', i)) + 1;
        lines.push_back(text.substr(i, end - i));
        i = end;
    }
    return lines;
}

std::string join(const std::vector<std::string> &parts) {
    std::string text;
    for (const std::string &part : parts)
        text += part;
    return text;
}

/// Deletes, doubles, swaps or moves an element.
void rearrange(std::vector<std::string> &parts, Random &random) {
    if (parts.empty())
        return;
    const std::size_t at = below(random, parts.size());
    const std::size_t other = below(random, parts.size());
    switch (below(random, 4)) {
    case 0:
        parts.erase(parts.begin() + at);
        break;
    case 1:
        parts.insert(parts.begin() + other, parts[at]);
        break;
    case 2:
        std::swap(parts[at], parts[other]);
        break;
    default: {
        const std::string moved = parts[at];
        parts.erase(parts.begin() + at);
        parts.insert(parts.begin() + std::min(other, parts.size()), moved);
    }
    }
}

} // namespace

Mutator::Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

const std::string &Mutator::any_seed(Random &random) const {
    return any(seeds_, random);
}

std::string Mutator::next(Random &random) const {
    std::string text = any_seed(random);
    const std::size_t changes = 1 + std::min(below(random, 5), below(random, 5));
    const bool words_only = below(random, 2) == 0; // most of these still parse: the analysis is tried too
    for (std::size_t i = 0; i < changes && text.size() < largest_input; ++i)
        text = words_only ? change_word(text, random) : change(text, random);
    return text;
}

std::string Mutator::change(const std::string &text, Random &random) const {
    switch (below(random, 10)) {
    case 0:
        return change_bytes(text, random);
    case 1:
    case 2:
        return change_tokens(text, random);
    case 3:
    case 4:
        return change_lines(text, random);
    case 5:
        return splice(text, random);
    default:
        return change_word(text, random);
    }
}

std::string Mutator::change_bytes(std::string text, Random &random) const {
    const std::size_t at = below(random, text.size() + 1);
    const std::size_t length = below(random, std::min<std::size_t>(text.size() - at, 50) + 1);
    switch (below(random, 5)) {
    case 0:
        if (at < text.size())
            text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
        return text;
    case 1:
        return text.insert(at, 1, static_cast<char>(below(random, 256)));
    case 2:
        return text.erase(at, length);
    case 3:
        return text.insert(at, text.substr(at, length));
    default: { // many of one sign: nesting
        const std::array<const char *, 6> nested = {"(", "[", "{", "-", "not ", "f("};
        const std::string piece = nested[below(random, nested.size())];
        const std::size_t count = std::size_t{1} << below(random, 14);
        std::string repeated;
        for (std::size_t i = 0; i < count; ++i)
            repeated += piece;
        return text.insert(at, repeated);
    }
    }
}

std::string Mutator::change_tokens(const std::string &text, Random &random) const {
    Tokens tokens = split(text);
    if (tokens.empty() || below(random, 2) == 0) {
        rearrange(tokens, random);
        return join(tokens);
    }
    const std::size_t at = below(random, tokens.size());
    const std::string &piece = any(pieces, random);
    if (below(random, 2) == 0)
        tokens[at] = piece;
    else
        tokens.insert(tokens.begin() + at, piece);
    return join(tokens);
}

/// Exchanges a name for another of the file or of another file, a number for an odd one.
std::string Mutator::change_word(const std::string &text, Random &random) const {
    Tokens tokens = split(text);
    const std::vector<std::size_t> words = words_among(tokens);
    if (words.empty())
        return text + any(pieces, random);
    std::string &word = tokens[words[below(random, words.size())]];
    const Tokens others = split(below(random, 4) == 0 ? any_seed(random) : text);
    const std::vector<std::size_t> other_words = words_among(others);
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0)
        word = any(numbers, random) + (below(random, 3) == 0 ? any(units, random) : "");
    else if (below(random, 8) == 0)
        word += "x";
    else
        word = other_words.empty() ? "" : others[other_words[below(random, other_words.size())]];
    return join(tokens);
}

std::string Mutator::change_lines(const std::string &text, Random &random) const {
    std::vector<std::string> lines = lines_of(text);
    const std::vector<std::string> others = lines_of(any_seed(random));
    if (below(random, 3) == 0 && !others.empty())
        lines.insert(lines.begin() + below(random, lines.size() + 1), any(others, random));
    else
        rearrange(lines, random);
    return join(lines);
}

std::string Mutator::splice(const std::string &text, Random &random) const {
    const std::string &other = any_seed(random);
    return text.substr(0, below(random, text.size() + 1)) + other.substr(below(random, other.size() + 1));
}

} // namespace planc::fuzz
