// Which copy of a value is made from which, given where it lies and where it is wanted: by numbers of placements, so
// that a search can ask for every combination of strategies. Copies asks for one.
#pragma once

#include "sharding/reshards.h"

#include <span>
#include <vector>

namespace planc::sharding {

/// Something that wants a value in some placement.
struct Need {
    int operation = 0; ///< operations.size(): the end of the program
    int operand = -1;  ///< of the operation
    int home = -1;     ///< at the end: the variable where it is stored; -1: wanted whole
};
/// In order of execution. A free value that nothing wants is wanted whole.
[[nodiscard]] std::vector<Need> needs(const GraphIndex &index, int value);

/// In which part of the step a copy is made. Parameters in shares are gathered for each part of the step that wants
/// them whole; all else is made once.
[[nodiscard]] Pass pass_of(const GraphIndex &index, int value, const Placement &home, const Placement &wanted,
                           int reader);

/// A copy before its steps are written down.
struct Link {
    int placement = 0;
    int source = -1;
    int first_use = 0; ///< operations.size(): the end of the program
    Pass pass = Pass::forward;
    const Reshards::Route *route = nullptr; ///< from the source; null: none
};

/// The copies of one value. Remembers nothing but memory.
class Links {
  public:
    /// Both must outlive this.
    Links(const GraphIndex &index, int value, Reshards &reshards);
    [[nodiscard]] const std::vector<Need> &needs() const { return needs_; }

    /// `origin`: where the value lies, of no matter for free ones; `wanted`: per need. Each copy's source comes before
    /// it. Valid until the next call.
    std::span<const Link> of(int origin, std::span<const int> wanted);
    /// Of the last call: which of the copies a need reads that wants the value so.
    [[nodiscard]] int read_by(std::size_t need, int wanted) const;

  private:
    [[nodiscard]] Pass pass(int origin, int wanted, int reader) const;
    void collect(int origin, std::span<const int> wanted);
    void connect(int origin);
    void make_cheapest();

    const GraphIndex &index_;
    int value_;
    Reshards &reshards_;
    std::vector<Need> needs_;
    int origin_ = -1;
    std::vector<Link> wanted_; ///< not made yet
    std::vector<Link> links_;
};

/// The copy that a link stands for, booked to a layer and a phase.
[[nodiscard]] Copy copy_of(const Graph &graph, int value, const Link &link, const Reshards &reshards);

} // namespace planc::sharding
