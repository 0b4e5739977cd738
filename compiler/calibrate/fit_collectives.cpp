#include "calibrate/fit_collectives.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace planc::calibrate {

using cost::Seconds;

namespace {

constexpr double most_error = 0.1; // maximum error of a range that replaces several
constexpr double fastest = 1e12;   // B/s: of what takes no longer where it is larger

struct Line {
    double latency = 0; // s
    double beta = 0;    // s/B
    [[nodiscard]] double at(double bytes) const { return latency + bytes * beta; }
};

double bytes_of(const Measurement &each) {
    return static_cast<double>(each.shape[1]);
}

/// The line through both; its latency is never below 0 and its rate is finite.
Line through(const Measurement &from, const Measurement &to) {
    Line line;
    line.beta = (to.seconds - from.seconds) / (bytes_of(to) - bytes_of(from));
    line.beta = std::clamp(line.beta, 1 / fastest, to.seconds / bytes_of(to));
    line.latency = std::max(0.0, to.seconds - line.beta * bytes_of(to));
    return line;
}

double error(const Line &line, const Measurement &each) {
    return std::abs(line.at(bytes_of(each)) / each.seconds - 1);
}

/// The rates of one collective of one group, by size.
class Ranges {
  public:
    /// `processor`: CollectiveRate::processor
    Ranges(std::vector<Measurement> sizes, double processor, Fit &result)
        : sizes_(std::move(sizes)), processor_(processor), result_(result) {
        std::ranges::sort(sizes_, {}, bytes_of);
    }

    void add() {
        const Measurement &any = sizes_.front();
        Quality quality{any.kernel + " on " + std::to_string(any.shape[0]) + " ranks", sizes_.size(), 0, 0, 0};
        std::vector<double> errors{0};
        std::vector<double> spreads;
        for (std::size_t from = 0; from + 1 < sizes_.size();) {
            const std::size_t to = longest(from);
            const Line line = through(sizes_[from], sizes_[to]);
            result_.machine.collectives.push_back({any.kernel, any.shape[0], from == 0 ? 0 : bytes_of(sizes_[from]),
                                                   Seconds(line.latency), 1 / line.beta, processor_});
            for (std::size_t i = from + 1; i <= to; ++i)
                errors.push_back(error(line, sizes_[i]));
            from = to;
        }
        for (const Measurement &each : sizes_)
            spreads.push_back(each.spread);
        std::ranges::sort(errors);
        std::ranges::sort(spreads);
        quality.median_error = errors[errors.size() / 2];
        quality.most_error = errors.back();
        quality.noise = spreads[spreads.size() / 2];
        result_.quality.push_back(quality);
    }

  private:
    [[nodiscard]] std::size_t longest(std::size_t from) const {
        std::size_t to = from + 1;
        for (std::size_t end = to + 1; end < sizes_.size(); ++end) {
            const Line line = through(sizes_[from], sizes_[end]);
            bool good = true;
            for (std::size_t i = from; i <= end; ++i)
                good = good && error(line, sizes_[i]) <= most_error;
            if (good)
                to = end;
        }
        return to;
    }

    std::vector<Measurement> sizes_;
    double processor_;
    Fit &result_;
};

/// A collective and products that run at the same time save time compared with one after the other. That saving, at
/// most the shorter of the two, is the part in which the collective leaves the processors free. Of the sizes that were
/// measured, the median is taken; 0 if there are none.
double processor_share(const Measurements &measurements, const std::string &kind, std::int64_t ranks,
                       const std::vector<Measurement> &alone) {
    std::vector<double> shares;
    for (const Measurement &products : measurements.of("products_beside"))
        for (const Measurement &both : measurements.of(kind + "_beside"))
            for (const Measurement &each : alone)
                if (products.shape[0] == ranks && both.shape == each.shape)
                    shares.push_back(1 - std::clamp((products.seconds + each.seconds - both.seconds) /
                                                        std::min(products.seconds, each.seconds),
                                                    0.0, 1.0));
    if (shares.empty())
        return 0;
    std::ranges::sort(shares);
    return std::round(100 * shares[shares.size() / 2]) / 100;
}

} // namespace

void fit_collectives(const Measurements &measurements, Fit &result) {
    for (const char *kind : {"allreduce", "reduce_scatter", "allgather", "alltoall", "exchange"}) {
        std::map<std::int64_t, std::vector<Measurement>> groups;
        for (const Measurement &each : measurements.of(kind))
            groups[each.shape[0]].push_back(each);
        for (auto &[ranks, sizes] : groups)
            if (sizes.size() > 1 && ranks > 1) {
                const double processor = processor_share(measurements, kind, ranks, sizes);
                Ranges(std::move(sizes), processor, result).add();
            }
    }
    cost::Link &link = result.machine.network();
    link.bytes_per_second = result.machine.memory_bytes_per_second / 2; // through memory: written and read
    link.latency = Seconds(1e-6);
    for (const support::CollectiveRate &rate : result.machine.collectives)
        if (rate.collective == "exchange" && rate.ranks == 2) {
            if (rate.above_bytes == 0)
                link.latency = rate.latency;
            link.bytes_per_second = rate.bytes_per_second;
            result.network_measured = true;
        }
}

} // namespace planc::calibrate
