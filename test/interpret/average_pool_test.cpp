// Averages of windows, from the language to their numbers: with the padding counted and without.
#include "conv_network.h"
#include "interpret/interpret.h"

#include "ir/import.h"
#include "sema/analyze.h"
#include "support/diagnostics.h"
#include "support/source.h"

#include <gtest/gtest.h>

#include <numeric>

namespace planc::interpret {

namespace {

Array run_network(const std::string &text, const Array &x) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    const auto program = sema::analyze(files.add("test.plan", text), files, diagnostics, {}).program;
    if (!program)
        throw std::runtime_error(diagnostics.render());
    mlir::MLIRContext context;
    const auto module = ir::import_networks(*program, files, context);
    Inputs inputs;
    inputs.fields["x"] = x;
    return run(*module, "n", inputs).results[0];
}

} // namespace

TEST(AveragePool, counts_what_it_is_told_to) {
    Random random(1);
    for (int trial = 0; trial < 200; ++trial) {
        const ConvWindow window = random_window(random, "time", uniform(random, 1, 9));
        Array x{{window.extent}, {}};
        for (std::int64_t i = 0; i < window.extent; ++i)
            x.elements.push_back(uniform(random, -9, 9));
        std::vector<double> all;
        std::vector<double> own; ///< means over the elements of x
        for (std::int64_t p = 0; p < window.positions(); ++p) {
            std::vector<double> touched;
            for (std::int64_t k = 0; k < window.kernel; ++k)
                if (const std::int64_t at = p * window.stride - window.before + k * window.dilation;
                    at >= 0 && at < window.extent)
                    touched.push_back(x.elements[static_cast<std::size_t>(at)]);
            const double sum = std::accumulate(touched.begin(), touched.end(), 0.0);
            all.push_back(sum / static_cast<double>(window.kernel));
            if (!touched.empty())
                own.push_back(sum / static_cast<double>(touched.size()));
        }
        for (const bool count_padding : {true, false}) {
            if (!count_padding && own.size() < all.size())
                continue; // refused
            const auto number = [](std::int64_t value) { return std::to_string(value); };
            const std::string text =
                "network n(x: f64[time: " + number(window.extent) + "]) -> f64[time: " + number(window.positions()) +
                "] {\n    y = average_pool(x, kernel = " + number(window.kernel) +
                ", stride = " + number(window.stride) + ", dilation = " + number(window.dilation) + ", padding = [[" +
                number(window.before) + ", " + number(window.behind) + "]], spatial = [time]" +
                (count_padding ? "" : ", count_padding = false") + ")\n    return y\n}\n";
            const std::vector<double> got = run_network(text, x).elements;
            const std::vector<double> &expected = count_padding ? all : own;
            ASSERT_EQ(got.size(), expected.size()) << text;
            for (std::size_t p = 0; p < got.size(); ++p)
                EXPECT_NEAR(got[p], expected[p], 1e-12) << text << "at " << p;
        }
    }
}

} // namespace planc::interpret
