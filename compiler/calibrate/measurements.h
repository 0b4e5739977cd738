// Reads what the measuring program (planrt/measure.h) writes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace planc::calibrate {

struct Measurement {
    std::string kernel;              ///< "product", "convolution", …; planrt/measure.h documents the shapes
    std::vector<std::int64_t> shape; ///< of collectives: ranks, bytes
    double seconds = 0;              ///< of one call, above 0
    double spread = 0;               ///< of the middle half of the rounds, as a share of `seconds`
};

struct Measurements {
    std::int64_t ranks = 1;
    bool avx512 = true;
    std::vector<Measurement> all;

    [[nodiscard]] std::vector<Measurement> of(const std::string &kernel) const;
};

/// The measurements, or a text that says what is wrong with the JSON.
[[nodiscard]] std::variant<Measurements, std::string> read_measurements(const std::string &json);

} // namespace planc::calibrate
