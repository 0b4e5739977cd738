// Which copy of a value is made from which, given where it lies and where it is needed. Placements are numbers, so that
// a search can ask for every combination of strategies. Copies asks for one combination.
#pragma once

#include "sharding/reshards.h"

#include <span>
#include <vector>

namespace planc::sharding {

/// Something that needs a value in some placement.
struct Need {
    OperationId operation; ///< Graph::end_of_program(): at the end
    int operand = -1;      ///< of the operation
    ValueId home = {};     ///< at the end: the variable where it is stored; none: needed replicated
    bool sent = false;     ///< at the end, to another stage: needed as it lies (sent_placement())
};
/// The needs of a value, in execution order. A free value that nothing needs is needed replicated.
[[nodiscard]] std::vector<Need> needs(const GraphIndex &index, ValueId value);

/// The part of the step in which a copy is made. A sharded parameter is gathered for each part of the step that needs
/// it whole; every other copy is made once.
[[nodiscard]] Pass pass_of(const GraphIndex &index, ValueId value, const Placement &home, const Placement &wanted,
                           OperationId reader);

/// A copy before its steps are written down.
struct Link {
    int placement = 0;
    int source = -1;
    OperationId first_use; ///< Graph::end_of_program(): the end
    Pass pass = Pass::forward;
    const Reshards::Route *route = nullptr; ///< from the source; null: none
};

/// Finds the copies of one value. It has no state except reused memory.
class Links {
  public:
    /// Both must outlive this.
    Links(const GraphIndex &index, ValueId value, Reshards &reshards);
    [[nodiscard]] const std::vector<Need> &needs() const { return needs_; }

    /// A placement in which something needs the value.
    struct Wanted {
        std::size_t need = 0; ///< index
        int placement = 0;
    };
    /// `origin`: the placement of the value (ignored for free values); `wanted`: one placement per need. Each copy
    /// comes after its source. The result is valid until the next call.
    std::span<const Link> of(int origin, std::span<const int> wanted);
    /// The same for some of the needs, ascending. Needs may be left out if an earlier one in the same part of the step
    /// (GraphIndex::pass) wants the same placement: they read its copy.
    std::span<const Link> of(int origin, std::span<const Wanted> wanted);
    /// Whether the copy can be made: a sum that is wanted in parts must lie in parts.
    [[nodiscard]] bool possible(int origin, int wanted) const;
    /// For the last call: the copy that a need reads which needs the value in this placement.
    [[nodiscard]] int read_by(std::size_t need, int wanted) const;

  private:
    [[nodiscard]] Pass pass(int origin, int wanted, OperationId reader) const;
    void collect(int origin, std::span<const Wanted> wanted);
    void bring();
    void connect(int origin);
    void make_cheapest();

    const GraphIndex &index_;
    ValueId value_;
    Reshards &reshards_;
    std::vector<Need> needs_;
    int origin_ = -1;
    std::vector<Wanted> each_need_;
    std::vector<Link> wanted_; ///< not made yet
    std::vector<Link> links_;
};

/// Turns a link into a copy, booked to a layer and a phase.
[[nodiscard]] Copy copy_of(const Graph &graph, ValueId value, const Link &link, const Reshards &reshards);

} // namespace planc::sharding
