// An axis of a plot: the position of each value, and round ticks.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace planc::report {

enum class Scale : unsigned char { linear, logarithmic };

struct AxisOptions {
    std::string title;
    Scale scale = Scale::logarithmic;
    std::function<std::string(double)> label; ///< of a tick
};

class Axis {
  public:
    /// From a round number at or below `least` to one at or above `most`. Linear axes begin at 0; logarithmic axes need
    /// numbers above 0.
    Axis(Scale scale, double least, double most);

    [[nodiscard]] double place(double value) const; ///< 0 at the beginning of the axis, 1 at its end
    [[nodiscard]] const std::vector<double> &ticks() const { return ticks_; }
    [[nodiscard]] const std::vector<double> &minor_ticks() const { return minor_ticks_; } ///< without labels

  private:
    void add_linear_ticks(double most);
    void add_logarithmic_ticks(double least, double most);

    Scale scale_;
    double begin_ = 0;
    double end_ = 1;
    std::vector<double> ticks_;
    std::vector<double> minor_ticks_;
};

/// Labels of ticks: "1000", "20,000"; "500 us", "2 s"; "20 %" for 0.2; "25 GB/s" for 2.5e10.
[[nodiscard]] std::string number_label(double value);
[[nodiscard]] std::string seconds_label(double value);
[[nodiscard]] std::string percent_label(double value);
/// The label of a quantity in base units: "25 GB/s" for 2.5e10 and "B/s".
[[nodiscard]] std::string metric_label(double value, const std::string &unit);

} // namespace planc::report
