// The result of semantic analysis: a checked program in which layers are inlined, every name is resolved and every
// extent is a number. Plain data without syntax nodes; compiler/ir turns `networks` into the plan dialect, operation by
// operation.
//
// Example: `h1 = relu(dense(image, hidden))` of digits.plan becomes, all with layer "h1":
//   %2 = parameter "h1.w" [pixel: 64, hidden: 256] glorot_uniform(fan_in 64, fan_out 256)
//   %3 = einsum %1, %2    loops batch pixel hidden, maps {0 1} {1 2} -> {0 2}
//   %4 = parameter "h1.b" [hidden: 256] constant 0
//   %5 = pointwise add %3, %4
//   %6 = pointwise relu %5
#pragma once

#include "support/rates.h"
#include "support/source.h"
#include "support/units.h"

#include <planrt/graph_file.h>
#include <planrt/vertex_order.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace planc::sema {

enum class ElementType : std::uint8_t { f32, f64, i32 };

struct Dimension {
    std::string role; ///< "hidden", or "hidden'" for the input side of a weight whose two sides have one role
    std::int64_t extent = 1;
    friend bool operator==(const Dimension &, const Dimension &) = default;
};

struct TensorType {
    ElementType element = ElementType::f32;
    std::vector<Dimension> dimensions; ///< canonical order; roles are distinct
};

// --- networks ---------------------------------------------------------------------------------------------------

enum class OperationKind : std::uint8_t {
    input,             ///< text = name of the network's argument
    parameter,         ///< text = path ("h1.w"); initializer
    constant,          ///< number, broadcast where used (type without dimensions)
    einsum,            ///< one or more operands; nest in `loops`, `operand_loops`, `result_loops`
    convolution,       ///< x, w; nest as that of an einsum; `windows` over dimensions of x, whose loops are positions
    pointwise,         ///< text = function; operands broadcast over missing dimensions; `number` where it takes one
    reduce,            ///< text = "sum" | "mean" | "max" | "min"; `roles` = dimensions that go
    softmax,           ///< roles[0] = the dimension; text = "softmax" | "log_softmax"
    cross_entropy,     ///< logits, labels (i32 without the class dimension), weights of the classes or none -> scalar:
                       ///< mean over all other dimensions; roles[0] = class; `number` = smoothing, `ignored`
    mean_square_error, ///< prediction, target -> scalar: mean over all elements
    iota,              ///< 0, 1, 2, … (i32) along its one dimension
    embedding,         ///< indices (i32), table -> rows of the table: the indices' dimensions, then the table's others;
                       ///< roles[0] = the table's dimension that is looked up
    batch_norm,        ///< x, scale, b and the running mean and variance, which are written in training; `number` =
                       ///< epsilon, `momentum`
    pool,              ///< text = "max" | "sum" over `windows`
    dropout,           ///< training: 0 with probability `number`, else x / (1 - number); text = key of its random
                       ///< numbers, unique in the network; evaluation and prediction: x
    random,            ///< numbers in [0, 1), anew in each step; text = their key, unique in the network
    slice,             ///< indices [begin, end) of dimension roles[0]
    concat,            ///< operands joined one after another along roles[0]; their other dimensions agree
    reshape,           ///< the same elements, row-major in the canonical orders, under the result's dimensions
    spmm,              ///< x -> its product with the sparse argument `text`; nest as that of an einsum whose first
                       ///< operand is the matrix: operand_loops[0] = its rows and columns, operand_loops[1] = of x
    attention, ///< queries, keys, values and perhaps a mask -> softmax(queries keys) values; roles[0] = the keys'
               ///< dimension, roles[1] = the features', roles[2] = that of the queries by which they see keys, if any;
               ///< `begin` = window
    edges      ///< the sparse argument `text` as a tensor, 0 where it has no entry; only sums over its entries
               ///< are computed. `ones`: 1 for each entry
};
// `rename` and `transpose` are an einsum of one operand whose result has other roles or another order.

/// Pointwise functions by name and number of operands (the text of a `pointwise` operation):
///   one: identity neg exp log sqrt rsqrt tanh sigmoid relu abs square reciprocal sin cos gelu silu softplus
///   two: add sub mul div maximum minimum power, and the comparisons equal not_equal less less_equal greater
///        greater_equal, whose result is i32 (1 or 0)
///   three: select (condition, value where it is not 0, value where it is 0)
/// A scalar literal as an operand is a `constant` operation.
struct Initializer {
    enum class Kind : std::uint8_t { constant, uniform, normal } kind = Kind::constant;
    double a = 0; ///< constant: value; uniform: low; normal: mean
    double b = 0; ///< uniform: high; normal: standard deviation
};

struct Loop {
    std::string name;
    std::int64_t extent = 1;
};

/// A window that moves over a dimension: at position p it touches the indices p * stride - before + k * dilation for 0
/// <= k < `kernel`.
struct Window {
    std::string role; ///< of the dimension
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0; ///< padding in front of index 0
    std::int64_t behind = 0;
    int loop = -1;        ///< convolution only: of the positions, in Operation::loops
    int kernel_loop = -1; ///< convolution only: within the window
};

using ValueId = std::int32_t; ///< index of the operation that defines it

struct Operation {
    OperationKind kind = OperationKind::constant;
    std::vector<ValueId> operands;
    TensorType type; ///< of the result
    std::string text;
    double number = 0;
    std::vector<std::string> roles;
    std::int64_t begin = 0;                      ///< slice only
    std::int64_t end = 0;                        ///< slice only
    std::vector<Loop> loops;                     ///< einsum, convolution, spmm
    std::vector<std::vector<int>> operand_loops; ///< the same: per operand, per dimension, the loop
    std::vector<int> result_loops;               ///< the same
    std::vector<Window> windows;                 ///< convolution, pool
    bool transposed = false;                     ///< convolution only: its first operand has the positions
    Initializer initializer;                     ///< parameter only
    bool trained = true;                         ///< parameter only; false: state
    double momentum = 0;                         ///< batch_norm only
    bool mean = false;                           ///< spmm only: of the nonzeros of a row
    bool ones = false;                           ///< edges only
    std::optional<std::int64_t> ignored;         ///< cross_entropy only: a label that counts nowhere
    std::string layer;                           ///< path of the layer it belongs to: "h1", "block[3].attention.query"
    support::SourceRange where;
};

struct Argument {
    std::string name;
    TensorType type;
    support::SourceRange where;
};

/// A network, elaborated for the extents of its file. Operations are in execution order.
struct Network {
    std::string name;
    std::vector<Argument> arguments;
    std::vector<Argument> matrices; ///< sparse arguments: [rows, columns]
    std::vector<Operation> operations;
    std::vector<ValueId> results;
    std::vector<std::string> layers; ///< paths in order of first use; layers without operations are absent
    support::SourceRange where;
};

// --- machines and meshes ----------------------------------------------------------------------------------------

/// The network that joins the units of one level of a machine: ranks to a node, nodes to a rack, …
struct Link {
    std::int64_t units = 1;
    std::string topology = "star";   ///< star, mesh, torus
    std::vector<std::int64_t> shape; ///< torus and mesh: units per dimension
    std::int64_t links = 1;          ///< of a unit, shared by its ranks
    support::Seconds latency{};      ///< alpha, per message
    double bytes_per_second = 0;     ///< 1 / beta, of one link
};

struct AlgorithmRange {
    std::string algorithm;  ///< "ring", "rabenseifner", …
    double above_bytes = 0; ///< of the full vector; several above the same size are alternatives
    bool by_mpi = false;    ///< MPI's own, priced as the algorithm
};

struct Machine {
    std::string name;
    double flops_per_second = 0;           ///< peak, per rank
    double memory_bytes_per_second = 0;    ///< per rank
    double memory_bytes = 0;               ///< per rank; 0: no limit
    std::vector<std::int64_t> gemm_block;  ///< {m_c, n_c, k_c}; empty: unblocked
    double reduction_flops_per_second = 0; ///< 0: arithmetic of reductions not priced
    std::vector<Link> levels;              ///< innermost first, at least one; the units of the first are ranks
    std::vector<AlgorithmRange> allreduce; ///< ascending, the first above 0; empty: not given; so for the others
    std::vector<AlgorithmRange> reduce_scatter;
    std::vector<AlgorithmRange> allgather;
    std::vector<AlgorithmRange> broadcast;
    std::vector<AlgorithmRange> alltoall;
    support::KernelRates kernels;                     ///< measured
    std::vector<support::CollectiveRate> collectives; ///< measured; by kind, group and size ascending
    support::SourceRange where;
};

struct MeshAxis {
    std::string name;
    std::optional<std::int64_t> size; ///< none: open, or by position
    std::vector<std::int64_t> sizes;  ///< one for each position along the axis of a pipeline
    support::SourceRange where;       ///< of the size, if there is one
};

struct Mesh {
    std::string name;
    bool automatic = false; ///< `mesh grid = auto`: axes open too
    std::vector<MeshAxis> axes;
    std::string machine; ///< empty: none bound
    support::SourceRange where;
};

// --- layouts ----------------------------------------------------------------------------------------------------

struct Rule {
    std::string selector;          ///< "" for all layers, else a path or a pattern with *: "fc*"
    std::string dimension;         ///< "batch", "hidden'"
    std::vector<std::string> axes; ///< major first; empty: none
    support::SourceRange where;
};

/// `store params -> axes`: what is sharded, in balanced ranges of each rank's local part, over the axes. Storing params
/// also stores gradients, and storing gradients also stores the optimizer's state, unless a rule of their own says
/// otherwise (ZeRO 3, 2, 1).
struct StoreRule {
    enum class What : std::uint8_t { params, gradients, optimizer } what = What::params;
    std::vector<std::string> axes; ///< major first; empty: none
    support::SourceRange where;
};

/// `recompute` in a nested body, or for all layers: the activations inside the selected layers are not kept for the
/// backward pass but recomputed.
struct RecomputeRule {
    std::string selector; ///< "" for all layers
    support::SourceRange where;
};

/// `cut before fc1`: a stage begins before the first layer that the path selects; `cut after fc1`: behind the last one.
struct Cut {
    bool after = false;
    std::string path;
    support::SourceRange where;
};

/// `pipeline -> axis { … }`: the layers lie on stages, one behind the other along the axis.
struct PipelineRule {
    std::string axis;
    std::string schedule;        ///< the name of its maker, or a table (pipeline/makers.h: made_by()); empty: not said
    std::int64_t chunks = 1;     ///< stages on each rank of the axis
    std::int64_t accumulate = 0; ///< of "pipedream_2bw": micro-batches of one update; 0: not said
    std::vector<Cut> cuts;       ///< empty: stages of about equal work
    support::SourceRange where;
    support::SourceRange schedule_where; ///< the setting, if there is one
};

struct Layout {
    std::string name;
    std::string mesh; ///< name of the mesh; an anonymous mesh has the layout's name
    bool automatic = false;
    std::vector<Rule> rules;       ///< flattened: nested selectors joined
    std::vector<StoreRule> stores; ///< at most one of each kind
    std::vector<RecomputeRule> recomputes;
    std::optional<std::int64_t> microbatches;  ///< number of parts of the batch over which gradients are accumulated
    support::SourceRange microbatches_where{}; ///< the rule
    std::optional<std::int64_t> cover;         ///< parts of the vertices between which minimal covers are moved
    support::SourceRange cover_where{};        ///< the rule
    std::optional<double> memory_limit_bytes;
    std::optional<PipelineRule> pipeline;
    bool forbid_pipeline = false;
    support::SourceRange where;
};

// --- data and training ------------------------------------------------------------------------------------------

struct Affine {
    double scale = 1; ///< value = raw * scale + shift
    double shift = 0;
};

/// How raw images change in training; determined by the seed, the epoch and the sample.
struct Augmentation {
    bool flip = false;        ///< along the width, with probability 1/2
    std::int64_t padding = 0; ///< shifted by up to this many places along height and width, with raw zeros outside; 0:
                              ///< no shift
    [[nodiscard]] bool any() const { return flip || padding > 0; }
};

/// A sparse matrix in a file, or one that is drawn, as a field of `graph` data declares it. The extents in its options
/// are 0 until a use says them.
struct MatrixFile {
    planrt::GraphFile file;
    planrt::GraphOptions options{0, 0};
};

/// How values of a field without a file are drawn.
struct Drawn {
    enum class Kind : std::uint8_t {
        automatic, ///< normal for floating point, tokens below the bound for whole numbers
        normal,
        uniform,   ///< in [0, 1)
        bernoulli, ///< 1 with probability `parameter`, else 0
        tokens     ///< whole numbers in [0, parameter)
    } kind = Kind::automatic;
    double parameter = 0;
};

struct Field {
    std::string name;
    std::string file;              ///< idx, npy: its own file; graph: its own table
    std::int64_t first_column = 0; ///< csv: [first, last)
    std::int64_t last_column = 0;
    Affine affine;                                                  ///< text: the shift counts characters
    std::vector<Affine> channels = {};                              ///< instead: one for each of the last dimension
    enum class Part : std::uint8_t { pixels, label, coarse_label }; ///< CIFAR-10's label, CIFAR-100's fine one
    Part part = Part::pixels;                                       ///< cifar
    Augmentation augmentation = {};
    std::optional<MatrixFile> matrix = {}; ///< graph: a matrix in a file, else columns of a table
    Drawn drawn = {};                      ///< synthetic, and graph without a table
    support::SourceRange where = {};
};

/// The order of a graph's vertices, as its data set declares it.
struct OrderSetting {
    planrt::OrderRequest request;
    support::SourceRange where;
};

struct Data {
    std::string name;
    std::string format;    ///< csv, idx, npy, text, cifar, synthetic, graph
    std::string path;      ///< csv, text, graph: the table of vertices, or empty; cifar: a directory or a file
    std::string directory; ///< absolute: of the file that declares it
    std::vector<Field> fields;
    enum class Split : std::uint8_t { shares, counts, column, files } split = Split::shares;
    double train = 1;
    double test = 0;
    std::int64_t split_column = -1;
    std::int64_t samples = 0; ///< synthetic
    std::uint64_t seed = 0;   ///< synthetic; graph without a path
    bool header = false;      ///< csv, graph
    OrderSetting order = {};  ///< graph
    support::SourceRange where;
};

/// The learning rate as a function of the number of steps t done so far. During warm-up it grows linearly: at t <
/// warmup it is start + (rate - start) · (t + 1) / (warmup + 1), where rate is the value at the end of warm-up; the
/// shapes below count t - warmup.
struct Schedule {
    enum class Shape : std::uint8_t {
        constant,
        step,      ///< peak · factor^⌊t / every⌋, or at each of `milestones`
        cosine,    ///< floor + (peak - floor) · (1 + cos(π · min(t / steps, 1))) / 2
        polynomial ///< floor + (peak - floor) · (1 - min(t / steps, 1))^power; power 1: linear
    } shape = Shape::constant;
    double peak = 0.01; ///< after the linear scaling rule, if it is used (Goyal et al. 2017)
    double floor = 0;
    double factor = 0.1;
    double power = 1;
    std::int64_t every = 0;
    std::vector<std::int64_t> milestones; ///< ascending
    std::int64_t steps = 0;
    std::int64_t warmup = 0; ///< steps
    double start = 0;        ///< rate at the beginning of warm-up
};

/// Parameters whose path a selector matches (patterns as in layouts: "*.b", "norm*"); the last match wins per setting.
struct ParameterGroup {
    std::string selector;
    std::optional<double> weight_decay;
    std::optional<double> rate_factor; ///< multiplies the scheduled rate
    std::optional<bool> adapt;         ///< LARS, LAMB: scale by the layer's trust ratio
    support::SourceRange where;
};

struct Optimizer {
    enum class Kind : std::uint8_t {
        sgd,  ///< momentum, nesterov
        adam, ///< Kingma and Ba 2015; decoupled: AdamW (Loshchilov and Hutter 2019)
        lars, ///< You, Gitman, Ginsburg 2017
        lamb  ///< You et al. 2020
    } kind = Kind::sgd;
    Schedule rate;
    double momentum = 0;
    bool nesterov = false;
    double weight_decay = 0;
    bool decoupled = false; ///< weight decay acts on the weights, not through the gradient
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double trust = 0.001; ///< LARS: η
    double clip_norm = 0; ///< global norm to which all gradients together are clipped; 0: not
    std::vector<ParameterGroup> groups;
};

/// A sparse argument of a loss, as it was read from its file.
struct Matrix {
    std::string name;
    ElementType element = ElementType::f32;
    MatrixFile source;
    std::shared_ptr<const planrt::Pattern> pattern; ///< with its vertices in the order of the training
    std::uint64_t fingerprint = 0;                  ///< in the order of the file
    bool ordered_rows = false;                      ///< whether they are vertices in Train::order
    bool ordered_columns = false;
};

/// An order of vertices other than that of the file.
struct VertexOrder {
    std::vector<std::string> roles;     ///< dimensions whose indices are vertices in this order
    std::vector<std::int32_t> vertices; ///< the number of each in the file
};

/// The epoch whose weights a training ends with.
enum class Keep : std::uint8_t {
    last,          ///< the last one
    best_accuracy, ///< the one with the highest accuracy on the validation part
    best_loss      ///< the one with the least loss there
};

struct Train {
    std::string network;
    std::string data;
    /// The loss as a separate network. Its arguments are the data fields that it uses (inputs, then labels). The
    /// network's operations come first, with their layers; the loss itself has the layer "loss". Its result is the
    /// scalar.
    Network loss;
    ValueId prediction = -1;                  ///< in `loss`: the network's result
    ValueId label = -1;                       ///< in `loss`: the i32 labels; -1: no accuracy
    std::string class_role;                   ///< dimension of the prediction over which the argmax is taken
    std::optional<std::int64_t> ignored;      ///< a label that counts nowhere
    std::vector<Matrix> matrices;             ///< of `loss`, in its order
    std::shared_ptr<const VertexOrder> order; ///< null: that of the file
    Optimizer optimizer;
    std::int64_t epochs = 0;
    std::int64_t steps = 0;
    std::uint64_t seed = 1;
    Keep keep = Keep::last;
    std::int64_t patience = 0;        ///< epochs without a better one after which the training ends; 0: it does not
    std::int64_t batch_vertices = 0;  ///< of a graph, in a step; 0: all
    std::vector<std::int64_t> fanout; ///< with batch_vertices: neighbours that are sampled, by hops from the batch
    support::SourceRange sampling_where{};
    std::string layout;
    support::SourceRange where;
};

struct Program {
    std::string file;
    std::map<std::string, std::int64_t> dimensions;
    std::vector<Network> networks;
    std::vector<Machine> machines;
    std::vector<Mesh> meshes;
    std::vector<Layout> layouts;
    std::size_t layouts_of_file = 0; ///< the number of `layouts` that come from Options::layout_file; they come first,
                                     ///< as do its machines and meshes
    std::vector<Data> data;
    std::vector<Train> trains;
};

} // namespace planc::sema
