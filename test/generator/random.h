// Random choices that are the same everywhere: the standard's distributions differ between libraries.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace planc::test {

class Random {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// In [0, 1).
    double share() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * share(); }
    /// In [low, high], both included.
    int whole(int low, int high) {
        return low + static_cast<int>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool chance(double probability) { return share() < probability; }
    template <class T> const T &pick(const std::vector<T> &from) {
        return from[static_cast<std::size_t>(whole(0, static_cast<int>(from.size()) - 1))];
    }
    template <class T> void shuffle(std::vector<T> &list) {
        for (std::size_t i = list.size(); i > 1; --i)
            std::swap(list[i - 1], list[static_cast<std::size_t>(whole(0, static_cast<int>(i) - 1))]);
    }

  private:
    std::mt19937_64 engine_;
};

} // namespace planc::test
