// Checks that every value is still in its place when it is read. The places are the offsets that a schedule gives to
// values: each range of the arena belongs to the value that was written there last, or to an active collective.
//
//   Buffers buffers(arena_bytes);
//   int a = buffers.write(0, 64, "h1");      int b = buffers.write(32, 64, "h2");
//   buffers.read(a)                          throws: "h1" was overwritten by "h2"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace planc::interpret {

class Buffers {
  public:
    explicit Buffers(std::int64_t bytes) : cells_(static_cast<std::size_t>(bytes / cell_bytes)) {}

    /// Records that a value of `bytes` is written at `offset`; returns its number. Throws Failure if an active
    /// collective uses the place.
    int write(std::int64_t offset, std::int64_t bytes, const std::string &name);
    /// Throws Failure if the value was overwritten, or if an active collective may write it.
    void read(int value) const;

    /// Starts a collective: from now on nothing may write its inputs, and nothing may touch its outputs and its
    /// scratch.
    void start(std::int64_t collective, const std::vector<int> &inputs, const std::vector<int> &outputs);
    void wait(std::int64_t collective);

    [[nodiscard]] std::int64_t offset(int value) const { return values_[static_cast<std::size_t>(value)].offset; }

  private:
    static constexpr std::int64_t cell_bytes = 4; ///< of the smallest element
    static constexpr std::int64_t none = -1;

    struct Value {
        std::int64_t offset = 0;
        std::int64_t bytes = 0;
        std::string name;
    };
    struct Cell {
        int owner = -1;
        std::vector<std::int64_t> read_by; ///< active collectives that read it
        std::int64_t written_by = none;    ///< active collective that writes it
    };

    struct Active {
        std::vector<int> inputs;
        std::vector<int> outputs;
    };

    template <class Visit> void for_each_cell(const Value &value, Visit visit);

    std::vector<Cell> cells_;
    std::vector<Value> values_;
    std::map<std::int64_t, Active> active_; ///< by number of the collective
};

} // namespace planc::interpret
