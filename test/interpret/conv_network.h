// Training steps of random convolutional networks, as text of the plan dialect.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace planc::interpret {

using Random = std::mt19937_64;
[[nodiscard]] int uniform(Random &random, int low, int high); ///< both inclusive

/// One spatial dimension of one layer or pool.
struct ConvWindow {
    std::string role;
    std::int64_t extent = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;
    std::int64_t behind = 0;
    [[nodiscard]] std::int64_t positions() const {
        return (extent + before + behind - (kernel - 1) * dilation - 1) / stride + 1;
    }
};

struct ConvLayer {
    std::string name;
    std::int64_t batch = 1;
    std::int64_t groups = 0; ///< 0: without that dimension
    std::int64_t in = 1;     ///< of a group
    std::int64_t out = 1;
    std::string in_role; ///< the layer's channels
    std::string out_role;
    std::vector<ConvWindow> windows;
    std::string pool = {}; ///< behind the layer, as "max_pool1" of "conv1": "max", "sum"; empty: none
    std::vector<ConvWindow> pool_windows = {};

    [[nodiscard]] std::string input_type() const;
    [[nodiscard]] std::string weight_type() const;
    [[nodiscard]] std::string output_type() const;
    /// `plan.conv` of a kind on two values, without the result's name.
    [[nodiscard]] std::string operation(const std::string &kind, const std::string &first,
                                        const std::string &second) const;
    [[nodiscard]] std::string pooled_type(const std::string &element = "f64") const; ///< the output without a pool
    [[nodiscard]] std::string pool_name() const { return pool + "_pool" + name.substr(4); }
    /// `plan.pool` of a kind, without the result's name.
    [[nodiscard]] std::string pool_operation(const std::string &kind, const std::string &operands) const;
};

[[nodiscard]] ConvWindow random_window(Random &random, const std::string &role, std::int64_t extent);
[[nodiscard]] std::vector<ConvLayer> random_chain(Random &random);

/// Parameters "conv1.w", … and @train: layers with a square and the pool behind each, the sum as loss, w <- w - dw. All
/// f64; the input is "x".
[[nodiscard]] std::string training_step(const std::vector<ConvLayer> &chain);

} // namespace planc::interpret
