// The header that an emitted program includes: the description of a program as tables, and the kernels and collectives
// that its steps call.
//
// An emitted program is one constant `planrt::Program` and a few functions; `planrt::run` does the rest: options, data,
// shuffling, training, evaluation, logs, weights, reports, errors. The header includes neither MPI nor BLAS, so that it
// compiles quickly.
//
//   int main(int argc, char **argv) { return planrt::run(program, argc, argv); }
//
// Buffers are offsets in one arena per rank, whose layout the compiler computed. Tensors are dense and row-major in the
// order of their declaration; a rank holds its block of each.
#pragma once

#include <planrt/attention.h>
#include <planrt/convolution.h>
#include <planrt/graph_file.h>
#include <planrt/kernels.h>
#include <planrt/layout.h>
#include <planrt/parallel.h>
#include <planrt/pooling.h>
#include <planrt/prefetch.h>
#include <planrt/random.h>
#include <planrt/spmm.h>
#include <planrt/steps.h>
#include <planrt/trace_names.h>
#include <planrt/vector_math.h>
#include <planrt/winograd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace planrt {

enum class Type : std::uint8_t { f32, f64, i32 };

// ---------------------------------------------------------------------------------------------------------------
// Description of a program (static tables; strings outlive the program)
// ---------------------------------------------------------------------------------------------------------------

struct Axis {
    const char *name = "";
    int size = 0;
    std::span<const int> sizes = {}; ///< of an uneven mesh: at each position along Program::uneven_along
};

/// One dimension of a tensor and the mesh axes that cut it, major first.
struct Dimension {
    const char *role = "";
    std::int64_t extent = 0;
    std::span<const int> axes = {};
    std::optional<Window> window = {}; ///< the axes cut its positions: see DimensionPlacement
};

struct Tensor {
    Type type = Type::f32;
    std::span<const Dimension> dimensions = {};
    std::span<const int> partial = {}; ///< axes along which it is a partial result; ascending
    Reduction reduction = Reduction::sum;
    std::span<const int> stored = {}; ///< axes by which the rank's local part, row-major, is cut into balanced ranges
    std::int64_t offset = 0;          ///< bytes from the start of the arena; 64-byte aligned
};

enum class Initializer : std::uint8_t { constant, uniform, normal };

/// A parameter, a running statistic, or a part of the optimizer's state. Initial values depend only on the seed, the
/// name and the global index.
struct Variable {
    const char *name = ""; ///< the layer path, as in safetensors files: "h1.w"; optimizer state "h1.w.momentum"
    Tensor tensor = {};
    bool of_model = true; ///< a parameter or a running statistic: saved and loaded; else optimizer state
    Initializer initializer = Initializer::constant;
    double a = 0;         ///< constant: the value; uniform: low; normal: mean
    double b = 0;         ///< uniform: high; normal: standard deviation
    int role = 0;         ///< index in Program::roles of the role that has it
    bool is_copy = false; ///< another role has the same variable, by this name, and saves it
    bool is_best = false; ///< what the variable before it in the table was after the best epoch
};

/// value = raw * scale + shift
struct Affine {
    double scale = 1;
    double shift = 0;
};

/// How raw images change in training; height and width are the two dimensions after the batch. The seed, the epoch and
/// the sample's number in the data set determine the changes.
struct Augmentation {
    bool flip = false; ///< along the width, with probability 1/2
    int padding = 0;   ///< then shifted by up to this many places along height and width, with raw zeros outside; 0: no
                       ///< shift
};

/// The part of a CIFAR record that a field is. CIFAR-10 has one label; `label` of CIFAR-100 is the fine one.
enum class CifarPart : std::uint8_t { pixels, label, coarse_label };

/// A matrix in a file of graph data: GraphFile and GraphOptions (graph_file.h).
struct MatrixFile {
    const char *name = ""; ///< of the field
    GraphFormat format = GraphFormat::matrix_market;
    const char *path = "";
    const char *targets = ""; ///< npy: see GraphFile
    std::int64_t rows = 0;    ///< 0: of a dense field, whose tensor says them
    std::int64_t columns = 0;
    bool undirected = false;
    bool self_loops = false;
    Duplicates duplicates = Duplicates::sum;
    Normalization normalization = Normalization::none;
    std::int64_t nonzeros = -1;    ///< for which the program was compiled; -1: any
    std::uint64_t fingerprint = 0; ///< of the same
    int number = 0;                ///< of the same, in placements (Window::matrix)
    bool ordered_rows = false;     ///< whether Program::order is that of its rows, once it is read
    bool ordered_columns = false;
    int column = 0; ///< this and what follows: see GraphFile
    bool header = false;
    int negatives_of = -1;
    std::uint64_t seed = 0;
    std::int64_t edges = 0;
    int cover_parts = 0; ///< of whose minimal covers it has halves (sparse_traffic.h); 0: nobody asks for halves
    int fetched = 0;     ///< the numbers of the halves
    int sent = 0;
};

/// Which entries of a matrix (Halves in sparse_traffic.h).
enum class Half : std::uint8_t { whole, fetched, sent };

/// An order of vertices other than that of the file. Whatever the program reads, writes or draws by a vertex's number
/// goes by the number in the file, so results do not depend on the order.
struct Order {
    std::int64_t vertices = 0; ///< 0: they are in the order of the file
    /// Dimensions of these roles that have as many indices are of vertices in this order.
    std::span<const char *const> roles = {};
    const char *text = ""; ///< see order_of_text() in vertex_order.h
};

/// The block of a sparse matrix that a rank multiplies by; its data never moves.
struct MatrixBlock {
    int file = 0; ///< in Program::matrix_files
    Type type = Type::f32;
    Dimension rows = {}; ///< with the axes that cut them
    Dimension columns = {};
    bool transposed = false; ///< the block's columns are the rows of the SparseBlock
    bool mean = false;       ///< each value is divided by the number of nonzeros in its row of the whole matrix
    int role = 0;            ///< that needs it
    Half half = Half::whole;
    int staged = -1; ///< a staged gather of x in Program::collectives: the block is stored by its pieces; -1: whole
};

/// Labels must be in [0, count) or the one that is ignored. A count of 0: unchecked.
struct Classes {
    constexpr Classes(std::int64_t classes = 0) : Classes(classes, classes) {}
    constexpr Classes(std::int64_t classes, std::int64_t ignored_label) : count(classes), ignored(ignored_label) {}
    std::int64_t count;
    std::int64_t ignored; ///< `count`: none
    [[nodiscard]] bool contain(double label) const {
        return (label >= 0 && label < static_cast<double>(count)) ||
               (ignored != count && label == static_cast<double>(ignored));
    }
};

/// How values that no file has are drawn.
enum class Draw : std::uint8_t {
    automatic, ///< `normal`; labels are `tokens` below the number of classes
    normal,    ///< standard normal distribution
    uniform,   ///< in [0, 1)
    bernoulli, ///< 1 with probability `parameter`, else 0
    tokens     ///< whole numbers in [0, parameter)
};
struct Drawn {
    Draw kind = Draw::automatic;
    double parameter = 0;
};

/// How a field of the data set becomes an input tensor: value = raw * scale + shift. A field that is needed in two
/// placements is listed twice.
struct Field {
    const char *name = ""; ///< in the .plan file
    Tensor tensor = {};    ///< first dimension: the batch
    const char *file = ""; ///< idx, npy: its own file; graph: its own table; else empty
    int first_column = 0;  ///< csv: columns [first, last)
    int last_column = 0;
    double scale = 1;
    double shift = 0;
    Classes classes = 0;                   ///< labels (i32)
    std::span<const Affine> channels = {}; ///< one for each index of the last dimension, instead of scale and shift
    Augmentation augmentation = {};
    CifarPart part = CifarPart::pixels; ///< cifar
    Drawn drawn = {};                   ///< synthetic, and graph without a table
    int role = 0;                       ///< of evaluation and prediction: the role that needs it
    const MatrixFile *matrix = nullptr; ///< graph: a row for each vertex; null: columns of their table
    const MatrixFile *factor = nullptr; ///< graph: a sparse matrix by which the field is multiplied; null: none. With
                                        ///< hops: by the entries that the next hop samples
    bool mean = false;                  ///< by this factor: as in MatrixBlock
    int hops = -1;         ///< where Program::hops are sampled: how many dimensions behind the first are hops; else -1
    bool entries = false;  ///< with hops: the values of the entries of `factor` that the last hop samples
    std::int64_t rows = 0; ///< with hops: of the field's table
};

/// Neighbours that a training step samples of each vertex that it has so far: those in its row of the matrix. Along a
/// dimension of a hop, index 0 is the vertex itself, and its neighbours follow; an input of entries is without index 0.
/// What is behind the neighbours that there are repeats the vertex, with an entry of 0.
struct Hop {
    const MatrixFile *matrix = nullptr;
    int fanout = 0;
};

/// text: a file of characters. Sample i of a field is the characters [i · length + shift, …), where `length` is the
/// extent of the field's second dimension; each is its index in the sorted list of the characters that occur in the
/// file. cifar: the binary version of CIFAR-10 or CIFAR-100, a directory with its published files or one of them.
/// graph: a batch is all samples, vertices or whole graphs, in the order of the program; the table (CSV) has a line
/// for each. Fields of other tables have as many rows as these, and all of them. Without a path, there are no tables:
/// fields that are no matrices have random values, as synthetic ones have.
enum class DataFormat : std::uint8_t { csv, idx, npy, synthetic, text, cifar, graph };
/// files: there are separate files for training and for tests.
enum class SplitKind : std::uint8_t { shares, counts, column, files };

struct DataSet {
    const char *name = "";
    DataFormat format = DataFormat::csv;
    const char *path = "";      ///< csv, text, graph: the file; cifar: or a directory; relative to `directory`
    const char *directory = ""; ///< absolute, of the .plan file; --data replaces it
    SplitKind split = SplitKind::shares;
    double train = 0; ///< share of 0..1, number of samples, or value of the column (files: 0, and 1 for tests)
    double test = 0;
    int split_column = 0;
    std::int64_t samples = 0; ///< synthetic: how many there are
    std::uint64_t seed = 0;   ///< synthetic; graph without a path
    bool header = false;      ///< csv, graph: first line is a header
};

/// One row of the communication report: a collective of one layer in one phase.
struct TrafficRow {
    const char *layer = "";  ///< "h1"; a bucket: the layers joined by ", "
    const char *phase = "";  ///< "forward", "input gradient", "weight gradient", "loss", "update"
    const char *tensor = ""; ///< what travels, in the user's names
};

/// A step of a reshard, executed by start()/wait(). Several members: one fused call (all_reduce only).
struct Collective {
    CollectiveKind kind = CollectiveKind::slice;
    int row = 0;                    ///< index in Program::traffic
    std::span<const int> axes = {}; ///< mesh axes of the group
    struct Member {
        Tensor from = {};
        Tensor to = {}; ///< may share from's buffer for all_reduce
    };
    std::span<const Member> members = {};
    std::int64_t scratch_offset = 0; ///< arena bytes for packing, 64-byte aligned
    std::int64_t scratch_bytes = 0;  ///< at least what <planrt/scratch.h> says
    /// Predicted for each rank, for a whole training step with all its micro-batches: {calls, bytes}; a single entry
    /// holds for every rank. Calls and bytes are the payload: under every algorithm one call with the same bytes.
    struct Predicted {
        std::int64_t calls = 0;
        std::int64_t bytes = 0;
        std::int64_t messages = 0;   ///< by messages: how many the rank sends
        std::int64_t sent_bytes = 0; ///< in these
    };
    std::span<const Predicted> predicted = {};
    double seconds = 0; ///< predicted for a whole training step; for evaluation and prediction: for each run
    Algorithm algorithm = Algorithm::mpi; ///< not of exchanges and all-to-alls
    std::span<const int> shape = {};      ///< Method::shape; empty for MPI's own
    int role = 0;                         ///< the role that takes part; of an exchange between roles: the sender
    /// Of an exchange between roles: the receiver, which may be the same role where it has several stages of a
    /// pipeline. -1: any other step of a reshard.
    int to_role = -1;
    std::int64_t to_scratch_offset = 0; ///< of an exchange between roles: the receiver's; the other is the sender's
    bool staged = false;                ///< a gather whose result arrives in pieces (staged.h): see Context::piece()
};

/// What a layer computes in a part of the training step; several layers if their loops are fused.
struct Work {
    const char *layer = ""; ///< joined by ", "
    const char *part = "";  ///< "forward", "backward", "update"
    double seconds = 0;     ///< predicted for a whole training step
};

/// Bytes of the arena that are 0 when a step begins: a sum over its micro-batches.
struct Sum {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    int role = 0;
};

class Context;

/// Samples of the global batch.
struct MicroBatch {
    std::int64_t first = 0;
    std::int64_t samples = 0;
    int update = 0; ///< which update of the step takes its gradients
};

/// Micro-batches of one size. They follow one another in the batch.
struct MicroBatches {
    int count = 0;
    std::int64_t samples = 0; ///< of each
};

/// Code of a training step, for one micro-batch at a time.
struct Body {
    void (*run)(Context &) = nullptr;
    /// The fields of the micro-batch, which are loaded first. Dimension 0 counts samples. Of graph data, the field
    /// `valid` is the weight of each sample in the loss: N / n for the n of N samples to train on, else 0.
    std::span<const Field> fields = {};
    BodyKind kind = BodyKind::forward;
    int stage = 0; ///< of a pipeline
};

enum class ActionKind : std::uint8_t {
    run,      ///< runs a body
    start,    ///< begins a receive
    wait,     ///< waits until the sent data has left
    send,     ///< begins an exchange between roles at the sending side
    receive,  ///< begins the receive if `start` did not, and completes it
    progress, ///< lets active exchanges and collectives advance
    move,     ///< an exchange from one stage of the role to another, from beginning to end
};

struct Action {
    ActionKind kind = ActionKind::run;
    int index = 0; ///< run: in Program::bodies; progress: 0; else in Program::collectives
    int micro_batch = 0;
    int slot = 0; ///< the slot with the buffers of the micro-batch
};

/// Actions that run several times, one time after another. Each time, the micro-batch of every one is so much greater,
/// and its slot so much further on, modulo the number of slots.
struct Repeat {
    int first = 0;   ///< index of the first action
    int actions = 0; ///< how many follow one another
    int times = 1;
    int micro_batches = 0;
    int slots = 0;
};

/// A role: ranks that run the same actions in a step.
struct RoleProgram {
    const char *name = "";
    std::span<const Range> ranks = {}; ///< a range of coordinates per axis of the mesh; empty: all
    std::span<const Action> actions = {};
    std::span<const Repeat> repeats = {}; ///< in the order of their actions; other actions run once
    std::int64_t arena_bytes = 0;         ///< of its ranks; 0: as the program says
    /// From byte `slot_offset` on, the arena contains `slots` slots of `slot_bytes` each. Offsets in tables and
    /// functions refer to slot 0; in slot s, the same buffer is s * slot_bytes further on.
    int slots = 1;
    std::int64_t slot_offset = 0;
    std::int64_t slot_bytes = 0;
};

/// The extents m, n, k of the reference product. The time of two such products indicates a processor's clock.
constexpr std::int64_t reference_product = 256;

/// The epoch whose weights a run ends with: the last one, or the best one on the validation part.
enum class Keep : std::uint8_t { last, best_accuracy, best_loss };

struct Program {
    const char *name = "";   ///< network
    const char *source = ""; ///< .plan file name, as given
    const char *layout = "";
    std::span<const Axis> mesh = {};
    int uneven_along = -1;        ///< as in planrt::Mesh
    std::int64_t arena_bytes = 0; ///< high-water mark of all buffers: the end of the last one, of the largest role
    std::span<const Variable> variables = {};
    std::span<const Field> evaluation_fields = {}; ///< of evaluate_step
    DataSet data = {};
    Order order = {};
    std::span<const MatrixFile> matrix_files = {};
    std::span<const MatrixBlock> matrix_blocks = {};
    std::span<const Hop> hops = {}; ///< of a training step on a batch of a graph's vertices; none: it takes all
    std::int64_t matrix_bytes = 0;  ///< of all blocks, on the rank that has most; 0: planc did not read the matrices
    std::span<const TrafficRow> traffic = {};
    std::span<const Collective> collectives = {}; ///< of the training step, then of evaluation, then of prediction
    int training_collectives = 0;                 ///< the number of those of the training step
    std::span<const Work> work = {};              ///< of the training step
    double reference_seconds = 0;                 ///< of two reference_products if the machine was measured; 0 if not
    std::int64_t batch = 0;                       ///< global samples a step
    std::int64_t epochs = 0;                      ///< 0: by steps
    std::int64_t steps = 0;                       ///< 0: by epochs
    std::uint64_t seed = 0;
    Keep keep = Keep::last;
    std::int64_t patience = 0;           ///< epochs without a better one after which a run ends; 0: it does not
    void (*set_up)(Context &) = nullptr; ///< once, after the arena exists
    std::span<const Body> bodies = {};   ///< of the training step
    std::span<const MicroBatches> micro_batches = {}; ///< of one training step
    int micro_batches_of_update = 0;         ///< with several updates in a step: how many each takes; 0: there is one
    std::span<const RoleProgram> roles = {}; ///< of the training step; each rank of the mesh has one of them
    void (*evaluate_step)(Context &) = nullptr; ///< one batch of the test part; null: no evaluation
    std::span<const Sum> sums = {};
    Tensor loss = {};                   ///< scalar after the step: the loss of the global batch
    int loss_slot = 0;                  ///< the slot with the loss, if the role has slots
    int loss_role = 0;                  ///< the role that has the loss
    int evaluation_role = 0;            ///< the role that has `valid` and the results of evaluate_step
    std::span<const Tensor> valid = {}; ///< of evaluate_step, [batch]: 1 for a sample, 0 for padding of the last batch
    // Scalars after evaluate_step:
    std::optional<Tensor> evaluated_loss = {}; ///< sum over valid samples; none: no loss is reported
    std::optional<Tensor> loss_divisor = {};   ///< what that sum is divided by; none: the number of samples
    std::optional<Tensor> correct = {};        ///< number of labels predicted correctly; none: no accuracy is reported
    std::optional<Tensor> labels = {};         ///< number of labels that count; none: the number of samples
    std::span<const Field> prediction_fields = {}; ///< of predict_step: the network's inputs
    /// One batch of a data file, or all vertices of a graph; null: the result has no row for each sample.
    void (*predict_step)(Context &) = nullptr;
    Tensor prediction = {};  ///< after predict_step, not partial; the first dimension is the batch, of a graph any one
    int prediction_role = 0; ///< the role that has it
};

/// Runs the program under MPI and returns the exit code: 0 done, 1 run-time failure, 2 wrong usage, 3 the measured
/// communication or memory differs from the predicted one, 128 + N stopped by signal N.
int run(const Program &program, int argc, char **argv);

// ---------------------------------------------------------------------------------------------------------------
// What steps call
// ---------------------------------------------------------------------------------------------------------------

/// A part of a gathered tensor along one dimension, dense.
template <class T> struct Piece {
    const T *data;
    std::int64_t begin; ///< the index along this dimension, counted from where the rank's part of the tensor begins
    std::int64_t size;  ///< indices
};

/// One rank's state while the program runs. Owned by run().
class Context {
  public:
    Context() = default;
    explicit Context(std::byte *arena) : arena_(arena) {}

    /// Typed pointer into the arena.
    template <class T> [[nodiscard]] T *at(std::int64_t offset) const {
        return reinterpret_cast<T *>(arena_ + placed(offset));
    }
    /// Converts an offset in slot 0 to the offset of the same buffer in the slot of the current micro-batch.
    [[nodiscard]] std::int64_t placed(std::int64_t offset) const {
        const bool in_slots =
            static_cast<std::uint64_t>(offset - slot_offset_) < static_cast<std::uint64_t>(slot_bytes_);
        return in_slots ? offset + slot_ * slot_bytes_ : offset;
    }
    [[nodiscard]] int rank() const { return rank_; }
    /// The role of the rank: index in Program::roles.
    [[nodiscard]] int role() const { return role_; }
    /// Local extent of a dimension of `extent` cut by `axes`, and the global index at which it begins.
    [[nodiscard]] std::int64_t local_extent(std::int64_t extent, std::span<const int> axes) const;
    [[nodiscard]] std::int64_t local_begin(std::int64_t extent, std::span<const int> axes) const;
    /// The same for a dimension that is read through windows whose positions the axes cut: the range that they touch.
    [[nodiscard]] std::int64_t local_extent(std::int64_t extent, std::span<const int> axes, const Window &window) const;
    [[nodiscard]] std::int64_t local_begin(std::int64_t extent, std::span<const int> axes, const Window &window) const;
    /// Updates of the weights that come before that of the current micro-batch: training steps done before this one,
    /// where each has one update; 0 in the first.
    [[nodiscard]] std::int64_t step() const { return step_; }
    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// This rank's part of block `index` of Program::matrix_blocks.
    template <class T> [[nodiscard]] const SparseBlock<T> &matrix(int index) const {
        return *static_cast<const SparseBlock<T> *>(matrices_[index]);
    }
    /// The part of such a block, stored by pieces, that is multiplied by a piece of x.
    template <class T> [[nodiscard]] const SparseBlock<T> &matrix(int index, int piece) const {
        return static_cast<const SparseBlock<T> *>(matrices_[index])[piece];
    }
    /// The first sample of the current micro-batch within the global batch: random numbers count global samples.
    [[nodiscard]] std::int64_t first_sample() const { return first_sample_; }

    /// The number in the file of vertex `index` of Program::order, which is not that of the file.
    [[nodiscard]] std::int64_t vertex(std::int64_t index) const { return vertices_[index]; }

    /// Starts collective `index` of Program::collectives and returns at once. The input must be complete. Until
    /// wait(index), the input may be read but not written, and the output must not be touched.
    void start(int index);
    void wait(int index);
    void collective(int index) {
        start(index);
        wait(index);
    }
    /// The pieces of a staged gather, which is started as any collective, and then used piece by piece in this order,
    /// instead of being waited for.
    [[nodiscard]] int pieces(int index) const;
    /// Waits for the piece. Those before are no longer there.
    template <class T> [[nodiscard]] Piece<T> piece(int index, int number) {
        const Piece<std::byte> piece = arrived(index, number);
        return {reinterpret_cast<const T *>(piece.data), piece.begin, piece.size};
    }
    /// The following computation belongs to row `index` of Program::work; its time is booked there if times are
    /// measured.
    void work(int index) {
        if (clock_ != nullptr)
            book(index);
    }
    /// Lets started collectives advance, which MPI does not do by itself. Called between kernels.
    void progress();

  private:
    friend class Engine;
    void book(int index);
    [[nodiscard]] Piece<std::byte> arrived(int index, int number);
    std::byte *arena_ = nullptr;
    int rank_ = 0;
    int role_ = 0;
    std::int64_t step_ = 0;
    std::uint64_t seed_ = 0;
    std::int64_t first_sample_ = 0;
    std::int64_t slot_ = 0;
    std::int64_t slot_offset_ = 0;
    std::int64_t slot_bytes_ = 0;           ///< 0: there are no slots
    const void *const *matrices_ = nullptr; ///< by block, a SparseBlock of its type
    const std::int32_t *vertices_ = nullptr;
    class Engine *engine_ = nullptr;
    class StepClock *clock_ = nullptr; ///< null: times are not measured
};

} // namespace planrt
