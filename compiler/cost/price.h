// price(): what a laid-out training step costs on a machine, as a table by layer.
//
// The table is additive: the seconds of the step are the sum over layers (computation and collectives), over reshards
// between layers, and over buckets. Each row is that of the rank which is busiest in this row; the total of bytes is
// the sum of the rank that is busiest overall. Every row counts what planrt::traffic counts, so the emitted program
// moves exactly these bytes.
//
//   price(graph, laid_out, {{2, 4}}, {"rows", "cols"}, machine, layers)
#pragma once

#include "cost/collectives/collectives.h"
#include "cost/collectives/step_price.h"
#include "cost/kernels/compute.h"
#include "cost/kernels/work.h"
#include "cost/machine.h"
#include "cost/memory.h"
#include "sharding/bucket.h"
#include "sharding/lay_out.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

using sharding::CollectiveKind;
using sharding::Graph;
using sharding::LaidOut;
using sharding::LayerId;
using sharding::LayerStrategies;
using sharding::Mesh;
using sharding::PerLayer;
using sharding::Phase;
using sharding::Storage;

inline constexpr int phases = 6;

/// One step of one reshard.
struct CollectiveRow {
    CollectiveKind kind = CollectiveKind::all_reduce;
    std::vector<int> axes;
    Phase phase = Phase::forward;
    LayerId layer;           ///< the layer to which it is booked
    LayerId from_layer;      ///< of a reshard between layers: the producer's
    std::string tensor;      ///< in the user's terms
    std::int64_t calls = 0;  ///< calls of MPI on the busiest rank; 0 for a member of a bucket, whose call is the
                             ///< bucket's
    Bytes payload{};         ///< handed to MPI, busiest rank (planrt::traffic)
    bool joined = false;     ///< travels in the call of another row of its layer (sharding/joint_sums.h)
    int bucket = -1;         ///< index in CostTable::buckets; -1: travels alone
    std::int64_t ranks = 1;  ///< of the group
    double vector_bytes = 0; ///< n of the formula
    Algorithm algorithm = Algorithm::ring;
    bool by_mpi = true; ///< the program calls MPI, and this is priced as the algorithm; else the program sends the
                        ///< messages
    std::optional<support::CollectiveRate> rate; ///< of MPI's call on the machine, if measured
    bool halo = false;                           ///< an exchange between neighbours
    int times = 1;                               ///< how often it runs in a step; calls, payload and price are those of
                                                 ///< all runs together
    Price price;                                 ///< for a member of a bucket without the latency, which is the
                                                 ///< bucket's
    int position = 0;                            ///< of the group's ranks, along the axis of a pipeline
    std::string from;                            ///< layouts in words: "batch over rows, partial over cols"
    std::string to;
};

/// Gradients, or norms for the update, that are reduced in one call.
struct BucketRow {
    Phase phase = Phase::weight_gradient;
    std::vector<int> axes;
    std::vector<LayerId> layers; ///< of the members, ascending, each once
    Bytes payload{};             ///< of all members; it is booked to their layers, not to the bucket
    std::int64_t calls = 1;
    std::int64_t ranks = 1;
    Price price; ///< the latency only
};

/// A loop of a layer in the words of the tables.
struct SplitRow {
    int axis = 0;
    std::string loop; ///< "batch", "hidden'"
    std::string role; ///< LayerRoles::word()
};

struct LayerRow {
    std::string name;
    std::vector<SplitRow> split; ///< axes that split a loop of the layer
    std::array<Seconds, phases> compute{};
    std::vector<CollectiveRow> collectives;

    [[nodiscard]] Seconds compute_seconds() const;
    [[nodiscard]] Seconds seconds() const; ///< including its collectives
    [[nodiscard]] Bytes payload() const;
};

/// What a stage passes on at one time: all messages are received together.
struct PassedOn {
    Seconds seconds{};
    Seconds latency{}; ///< a part of it, that of the slowest message

    /// Returns how much longer it takes.
    Seconds add(const Price &message) {
        const Seconds before = seconds;
        seconds += message.seconds() - message.latency;
        if (message.latency > latency) {
            seconds += message.latency - latency;
            latency = message.latency;
        }
        return seconds - before;
    }
};

/// What a stage of a pipeline takes.
struct StageRow {
    std::vector<LayerId> layers;
    Seconds forward{}; ///< of one micro-batch, with its collectives
    Seconds input_gradients{};
    Seconds weight_gradients{};
    Seconds update{};                   ///< of a step, which may have several updates
    std::vector<Seconds> update_levels; ///< parts of it: what waits for no other stage, what waits for that, …
    Seconds sends{};                    ///< of one micro-batch to other stages, which may compute meanwhile
    PassedOn to_next;                   ///< of a micro-batch to the stage behind
    PassedOn to_previous;               ///< to the stage before
    Seconds late{};                     ///< longer if the stage receives message by message, for its forward pass
    Seconds late_back{};                ///< and for its backward pass
    Seconds sums{};                     ///< once a step to other stages: sums of gradients, norms, the loss
    Bytes sent{};                       ///< by one rank in a step
    Memory memory;                      ///< of a rank
    int micro_batches{};                ///< in flight at most

    [[nodiscard]] Seconds backward() const { return input_gradients + weight_gradients; }
};

/// What the update of a stage takes from another one. Stages of replicas of the weights have numbers of their own
/// (pipeline::Schedule::part_of()).
struct UpdateTransfer {
    int from = 0;
    int from_level = -1; ///< of StageRow::update_levels, after which it leaves; -1: after the last backward pass
    int to = 0;
    int to_level = 0; ///< that waits for it
    Seconds seconds{};
    Seconds latency{}; ///< a part of it, which passes at the same time for all that is received together
};

/// A step of a pipeline: stages work at the same time, so its time is that of the schedule, not a sum.
struct PipelineCost {
    std::string axis;
    std::string schedule;
    std::vector<StageRow> stages;
    std::vector<UpdateTransfer> update_transfers; ///< in the order in which they arrive
    int updates = 1;                              ///< of a step
    std::vector<double> sizes;                    ///< of micro-batches, relative to their mean; empty: all are equal
    Seconds with_barrier{};                       ///< the step begins and ends on all ranks together
    Seconds back_to_back{};                       ///< a stage begins its next step when it is done with this one
    Seconds work{};                               ///< of the busiest stage
};

struct CostTable {
    std::vector<std::string> axes;
    Mesh mesh;
    PerLayer<LayerRow> layers;
    std::vector<CollectiveRow> reshards;
    std::vector<BucketRow> buckets;
    Storage storage;
    int microbatches = 1;
    Memory memory;
    Seconds compute{};
    Seconds communication{};
    Seconds chain{}; ///< cost/longest_chain.h
    Bytes payload{}; ///< of the busiest rank: its own sum over all rows
    int busiest_rank = 0;
    std::int64_t calls = 0;               ///< of that rank
    std::optional<PipelineCost> pipeline; ///< none: all ranks work on all layers

    /// Of a step: the sum of all rows; in a pipeline, the time of its schedule.
    [[nodiscard]] Seconds seconds() const { return pipeline ? pipeline->with_barrier : compute + communication; }
    /// The part of the communication in which links or processors are busy (support/rates.h), whichever is longer; the
    /// rest is latency and the arithmetic of reductions.
    [[nodiscard]] Seconds carried() const;
    /// A lower bound on the time of a step with perfect overlap: links and processors each do one thing at a time, and
    /// parts that depend on one another do not overlap. Computation counts only on the critical path, because a
    /// schedule may save some of it.
    [[nodiscard]] Seconds at_least() const;
};

/// Facts about the graph that prices need and that do not depend on the layout.
struct GraphFacts {
    GraphFacts(const Graph &graph, const Machine &machine);
    sharding::PerOperation<sharding::SharedWork> work;
    sharding::PerValue<Residence> residences;
    sharding::PerValue<Life> lives;
    sharding::PerValue<sharding::ValueId> companions; ///< sharding/joint_sums.h
};

/// The micro-batches that have one more sample than the others, if the batch does not divide evenly: their graph, laid
/// out with the same strategies and homes, and their number (`count` of Graph::microbatches). Layers correspond by
/// name.
struct LargerMicroBatches {
    const Graph &graph;
    const LaidOut &laid_out;
    int count = 0;
};

/// `axes`: names of the mesh axes; `layers`, `storage`: the arguments that produced `laid_out`; `facts`: of the graph.
[[nodiscard]] CostTable price(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh,
                              const std::vector<std::string> &axes, const Machine &machine,
                              const LayerStrategies &layers, const Storage &storage = {},
                              const LargerMicroBatches *larger = nullptr);
class StepPrices;
/// The same for many of them: `prices` are those that are known on this mesh. `by_rank` gets what each rank hands to
/// MPI, if someone asks: calls and bytes.
[[nodiscard]] CostTable price(const Graph &graph, const GraphFacts &facts, const LaidOut &laid_out, const Mesh &mesh,
                              const std::vector<std::string> &axes, const Machine &machine,
                              const LayerStrategies &layers, const Storage &storage, StepPrices &prices,
                              const LargerMicroBatches *larger = nullptr,
                              std::vector<planrt::Traffic> *by_rank = nullptr);

} // namespace planc::cost
