// Lists and ranges on the command line: "1,2,8", and "1..1000", which doubles: 1, 2, 4, …, 512, 1000.
#pragma once

#include "driver/options/machine_settings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace planc::driver {

/// Wrong usage, as one line. It is thrown while the command line is read; parse_options() returns it as its result.
struct WrongUsage {
    std::string text;
};

[[nodiscard]] std::int64_t whole_number(const std::string &option, std::string_view text, std::int64_t most);
/// "0.25"
[[nodiscard]] double factor(const std::string &option, std::string_view text);
/// "1,2,4..1024"; distinct.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(const std::string &option, std::string_view text,
                                                      std::int64_t most);
[[nodiscard]] std::vector<std::string> words(const std::string &option, std::string_view text);

struct Extents {
    std::string name;
    std::vector<std::int64_t> values;
};
/// "batch=64,128,hidden=256": an item without a name belongs to the previous name.
[[nodiscard]] std::vector<Extents> extent_lists(const std::string &option, std::string_view text, std::int64_t most);
/// "latency=1us..8us,bandwidth=10Gbit/s,100Gbit/s"
[[nodiscard]] std::vector<MachineSetting> machine_settings(const std::string &option, std::string_view text);

} // namespace planc::driver
