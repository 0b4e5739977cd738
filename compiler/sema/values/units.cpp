#include "sema/values/units.h"

#include <array>

namespace planc::sema {
namespace {

struct Entry {
    const char *word;
    Measure measure;
    double factor;
};

constexpr double kibi = 1024;
constexpr std::array entries = {
    Entry{"ns", Measure::time, 1e-9},
    Entry{"us", Measure::time, 1e-6},
    Entry{"ms", Measure::time, 1e-3},
    Entry{"s", Measure::time, 1},
    Entry{"B", Measure::memory, 1},
    Entry{"KB", Measure::memory, 1e3},
    Entry{"MB", Measure::memory, 1e6},
    Entry{"GB", Measure::memory, 1e9},
    Entry{"TB", Measure::memory, 1e12},
    Entry{"KiB", Measure::memory, kibi},
    Entry{"MiB", Measure::memory, kibi *kibi},
    Entry{"GiB", Measure::memory, kibi *kibi *kibi},
    Entry{"TiB", Measure::memory, kibi *kibi *kibi *kibi},
    Entry{"bit/s", Measure::bandwidth, 0.125},
    Entry{"Kbit/s", Measure::bandwidth, 0.125e3},
    Entry{"Mbit/s", Measure::bandwidth, 0.125e6},
    Entry{"Gbit/s", Measure::bandwidth, 0.125e9},
    Entry{"Tbit/s", Measure::bandwidth, 0.125e12},
    Entry{"flop", Measure::work, 1},
    Entry{"Kflop", Measure::work, 1e3},
    Entry{"Mflop", Measure::work, 1e6},
    Entry{"Gflop", Measure::work, 1e9},
    Entry{"Tflop", Measure::work, 1e12},
    Entry{"Pflop", Measure::work, 1e15},
    Entry{"%", Measure::share, 0.01},
};

} // namespace

std::optional<Unit> parse_unit(std::string_view text) {
    for (const Entry &entry : entries)
        if (text == entry.word)
            return Unit{entry.measure, entry.factor};
    if (text.size() > 2 && text.substr(text.size() - 2) == "/s") {
        const std::optional<Unit> amount = parse_unit(text.substr(0, text.size() - 2));
        if (amount && amount->measure == Measure::memory)
            return Unit{Measure::bandwidth, amount->factor};
        if (amount && amount->measure == Measure::work)
            return Unit{Measure::rate, amount->factor};
    }
    return std::nullopt;
}

std::vector<std::string> unit_words() {
    std::vector<std::string> words;
    for (const Entry &entry : entries) {
        words.emplace_back(entry.word);
        if (entry.measure == Measure::memory || entry.measure == Measure::work)
            words.push_back(std::string(entry.word) + "/s");
    }
    return words;
}

std::string describe(Measure measure) {
    switch (measure) {
    case Measure::none:
        return "a plain number";
    case Measure::time:
        return "a time (such as 'us')";
    case Measure::memory:
        return "an amount of memory (such as 'GiB')";
    case Measure::bandwidth:
        return "a bandwidth (such as 'GB/s' or 'Gbit/s')";
    case Measure::work:
        return "an amount of work (such as 'Gflop')";
    case Measure::rate:
        return "a rate of arithmetic (such as 'Gflop/s')";
    case Measure::share:
        return "a share (such as '80%')";
    }
    return "a number";
}

} // namespace planc::sema
