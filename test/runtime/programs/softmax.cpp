// What planc emits for a softmax classifier, by hand: two columns of a CSV file to one of three classes, the batch over
// all ranks, descent with momentum, dropout of inputs.
//
// PLANRT_TEST_RANKS is the size of the mesh. PLANRT_TEST_LAYOUT=plain: both gradients in one all-reduce; zero: momentum
// in shares, gradients reduce-scattered, weights gathered; parts: the batch in two micro-batches.
// PLANRT_TEST_FAULT=hang: rank 1 leaves out a collective; nan: the loss becomes nan in step 3; growth: it is 1e20 from
// step 3 on; memory: a byte behind the arena is written; SIGTERM, SIGINT: rank 1 gets that signal in step 20.
// PLANRT_TEST_HEADER: the data begin with a line of names.
#include <planrt/planrt.h>
#include <planrt/random.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <unistd.h>
#include <utility>

namespace {

using namespace planrt;

constexpr std::int64_t batch = 7; // divides by no number of ranks
constexpr std::int64_t first_part = 4;
constexpr std::int64_t inputs = 2;
constexpr std::int64_t classes = 3;
constexpr std::int64_t weights = inputs * classes;
constexpr float rate = 0.2F;

constexpr std::int64_t x_at = 0;
constexpr std::int64_t label_at = 64;
constexpr std::int64_t valid_at = 128;
constexpr std::int64_t w_at = 192;
constexpr std::int64_t b_at = 256;
constexpr std::int64_t w_momentum_at = 320;
constexpr std::int64_t b_momentum_at = 384;
constexpr std::int64_t probability_at = 448; // also the prediction
constexpr std::int64_t w_gradient_at = 576;
constexpr std::int64_t b_gradient_at = 640;
constexpr std::int64_t loss_at = 704;
constexpr std::int64_t correct_at = 768;
constexpr std::int64_t w_share_at = 832; // of the gradient, then of the new weights
constexpr std::int64_t b_share_at = 896;
constexpr std::int64_t scratch_at = 960;
constexpr std::int64_t gradient_bytes = (weights + classes) * 4;
constexpr std::int64_t arena_bytes = scratch_at + gradient_bytes;

constexpr int cut[] = {0};
constexpr Dimension x_dimensions[] = {{"batch", batch, cut}, {"input", inputs, {}}};
constexpr Dimension batch_dimensions[] = {{"batch", batch, cut}};
constexpr Dimension probability_dimensions[] = {{"batch", batch, cut}, {"class", classes, {}}};
constexpr Dimension w_dimensions[] = {{"input", inputs, {}}, {"class", classes, {}}};
constexpr Dimension b_dimensions[] = {{"class", classes, {}}};

constexpr Tensor tensor(std::span<const Dimension> dimensions, std::int64_t offset, Type type = Type::f32) {
    return {type, dimensions, {}, Reduction::sum, {}, offset};
}
constexpr Tensor partial(Tensor tensor) {
    tensor.partial = cut;
    return tensor;
}
constexpr Tensor stored(Tensor tensor, std::int64_t offset) {
    tensor.stored = cut;
    tensor.offset = offset;
    return tensor;
}

constexpr Tensor valid = tensor(batch_dimensions, valid_at);
constexpr Tensor w = tensor(w_dimensions, w_at);
constexpr Tensor b = tensor(b_dimensions, b_at);
constexpr Tensor w_gradient = tensor(w_dimensions, w_gradient_at);
constexpr Tensor b_gradient = tensor(b_dimensions, b_gradient_at);
constexpr Tensor loss = tensor({}, loss_at);
constexpr Tensor correct = tensor({}, correct_at);

constexpr Field fields[] = {{"x", tensor(x_dimensions, x_at), "", 0, 2, 1, 0, 0},
                            {"label", tensor(batch_dimensions, label_at, Type::i32), "", 2, 3, 1, 0, classes}};
template <std::int64_t samples> constexpr Dimension x_part[] = {{"batch", samples, cut}, {"input", inputs, {}}};
template <std::int64_t samples> constexpr Dimension batch_part[] = {{"batch", samples, cut}};
template <std::int64_t samples>
constexpr Field fields_of_part[] = {
    {"x", tensor(x_part<samples>, x_at), "", 0, 2, 1, 0, 0},
    {"label", tensor(batch_part<samples>, label_at, Type::i32), "", 2, 3, 1, 0, classes}};

constexpr TrafficRow traffic_rows[] = {{"logits", "weight gradient", "gradients of logits.w, logits.b"},
                                       {"loss", "forward", "loss"},
                                       {"loss", "forward", "correct predictions"},
                                       {"logits", "update", "logits.w"}};
constexpr Collective::Member losses[] = {{partial(loss), loss}};
constexpr Collective::Member corrects[] = {{partial(correct), correct}};
constexpr Collective::Member gradients[] = {{partial(w_gradient), w_gradient}, {partial(b_gradient), b_gradient}};
constexpr Collective::Member w_shares[] = {{partial(w_gradient), stored(w, w_share_at)}};
constexpr Collective::Member b_shares[] = {{partial(b_gradient), stored(b, b_share_at)}};
constexpr Collective::Member w_wholes[] = {{stored(w, w_share_at), w}};
constexpr Collective::Member b_wholes[] = {{stored(b, b_share_at), b}};
constexpr Collective::Predicted of_scalar[] = {{1, 4}};
constexpr Collective::Predicted of_gradients[] = {{1, gradient_bytes}};
constexpr Collective::Predicted of_w[] = {{1, weights * 4}};
constexpr Collective::Predicted of_b[] = {{1, classes * 4}};
constexpr Collective evaluation_loss{CollectiveKind::all_reduce, 1, cut, losses, 0, 0, {}};
constexpr Collective evaluation_correct{CollectiveKind::all_reduce, 2, cut, corrects, 0, 0, {}};
constexpr Collective training_loss{CollectiveKind::all_reduce, 1, cut, losses, 0, 0, of_scalar};
constexpr Collective plain[] = {
    training_loss,
    {CollectiveKind::all_reduce, 0, cut, gradients, scratch_at, gradient_bytes, of_gradients},
    evaluation_loss,
    evaluation_correct};
constexpr Collective zero[] = {training_loss,
                               {CollectiveKind::reduce_scatter, 0, cut, w_shares, 0, 0, of_w},
                               {CollectiveKind::reduce_scatter, 0, cut, b_shares, 0, 0, of_b},
                               {CollectiveKind::all_gather, 3, cut, w_wholes, 0, 0, of_w},
                               {CollectiveKind::all_gather, 3, cut, b_wholes, 0, 0, of_b},
                               evaluation_loss,
                               evaluation_correct};

bool fault(const char *name) {
    const char *asked = std::getenv("PLANRT_TEST_FAULT");
    return asked != nullptr && std::strcmp(asked, name) == 0;
}

/// Probabilities of this rank's samples, of `extent` in all; returns how many there are.
std::int64_t forward(Context &context, std::int64_t extent) {
    const std::int64_t samples = context.local_extent(extent, cut);
    float *p = context.at<float>(probability_at);
    const float *bias = context.at<float>(b_at);
    for (std::int64_t i = 0; i < samples; ++i)
        std::copy(bias, bias + classes, p + i * classes);
    gemm(Op::plain, Op::plain, samples, classes, inputs, 1.0F, context.at<float>(x_at), inputs, context.at<float>(w_at),
         classes, 1.0F, p, classes);
    for (std::int64_t i = 0; i < samples; ++i) {
        float sum = 0;
        for (std::int64_t c = 0; c < classes; ++c)
            sum += std::exp(p[i * classes + c]);
        for (std::int64_t c = 0; c < classes; ++c)
            p[i * classes + c] = std::exp(p[i * classes + c]) / sum;
    }
    return samples;
}

void drop_inputs(Context &context, std::int64_t extent) {
    const Key key = key_of(context.seed(), "dropout", context.step());
    const std::int64_t begin = context.first_sample() + context.local_begin(extent, cut);
    float *x = context.at<float>(x_at);
    for (std::int64_t i = 0; i < context.local_extent(extent, cut); ++i)
        for (std::int64_t j = 0; j < inputs; ++j)
            x[i * inputs + j] *= uniform(key, begin + i, j) < 0.1F ? 0 : 1 / 0.9F;
}

/// Adds the gradients and the loss of a part of the batch to those before it.
void add_gradients(Context &context, std::int64_t extent) {
    drop_inputs(context, extent);
    const std::int64_t samples = forward(context, extent);
    float *p = context.at<float>(probability_at);
    float *b_sum = context.at<float>(b_gradient_at);
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::int32_t right = context.at<std::int32_t>(label_at)[i];
        *context.at<float>(loss_at) -= std::log(p[i * classes + right]) / batch;
        p[i * classes + right] -= 1;
        for (std::int64_t c = 0; c < classes; ++c) {
            p[i * classes + c] /= batch;
            b_sum[c] += p[i * classes + c];
        }
    }
    gemm(Op::transposed, Op::plain, inputs, classes, samples, 1.0F, context.at<float>(x_at), inputs, p, classes, 1.0F,
         context.at<float>(w_gradient_at), classes);
}

void clear_gradients(Context &context) {
    *context.at<float>(loss_at) = 0;
    std::fill_n(context.at<float>(w_gradient_at), weights, 0.0F);
    std::fill_n(context.at<float>(b_gradient_at), classes, 0.0F);
}

/// to = from - rate * momentum; `gradient`, `momentum` and `to` are those of this rank's share, if there are shares.
void update(const float *from, const float *gradient, float *momentum, float *to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        momentum[i] = 0.5F * momentum[i] + gradient[i];
        to[i] = from[i] - rate * momentum[i];
    }
}

void update_shares(Context &context, std::int64_t elements, std::int64_t from, std::int64_t momentum,
                   std::int64_t share) {
    update(context.at<float>(from) + context.local_begin(elements, cut), context.at<float>(share),
           context.at<float>(momentum), context.at<float>(share), context.local_extent(elements, cut));
}

void faults_of_step(Context &context) {
    if (fault("hang") && context.rank() == 1)
        sleep(60);
    if (fault("nan") && context.step() == 2)
        *context.at<float>(loss_at) = std::numeric_limits<float>::quiet_NaN();
    if (fault("growth") && context.step() >= 2)
        *context.at<float>(loss_at) = 1e20F;
    if (context.rank() == 1 && context.step() == 19)
        for (const auto &[name, signal] : {std::pair{"SIGTERM", SIGTERM}, std::pair{"SIGINT", SIGINT}})
            if (fault(name))
                std::raise(signal);
    if (fault("memory"))
        *context.at<char>(arena_bytes) = 1;
}

void finish_plain(Context &context) {
    context.start(1);
    context.collective(0);
    context.progress();
    context.wait(1);
    update(context.at<float>(w_at), context.at<float>(w_gradient_at), context.at<float>(w_momentum_at),
           context.at<float>(w_at), weights);
    update(context.at<float>(b_at), context.at<float>(b_gradient_at), context.at<float>(b_momentum_at),
           context.at<float>(b_at), classes);
    faults_of_step(context);
}

void train_plain(Context &context) {
    clear_gradients(context);
    add_gradients(context, batch);
    finish_plain(context);
}

void accumulate(Context &context) {
    clear_gradients(context);
    add_gradients(context, first_part);
}

void train_rest(Context &context) {
    add_gradients(context, batch - first_part);
    finish_plain(context);
}

void train_zero(Context &context) {
    clear_gradients(context);
    add_gradients(context, batch);
    context.start(1);
    context.start(2);
    context.collective(0);
    context.wait(1);
    context.wait(2);
    update_shares(context, weights, w_at, w_momentum_at, w_share_at);
    update_shares(context, classes, b_at, b_momentum_at, b_share_at);
    context.start(3);
    context.collective(4);
    context.wait(3);
}

template <int first_collective> void evaluate_step(Context &context) {
    const std::int64_t samples = forward(context, batch);
    const float *p = context.at<float>(probability_at);
    float *sum = context.at<float>(loss_at);
    float *right = context.at<float>(correct_at);
    *sum = 0;
    *right = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
        const float *row = p + i * classes;
        const std::int32_t wanted = context.at<std::int32_t>(label_at)[i];
        const float counted = context.at<float>(valid_at)[i];
        *sum -= counted * std::log(row[wanted]);
        *right += counted * (std::max_element(row, row + classes) - row == wanted ? 1.0F : 0.0F);
    }
    context.collective(first_collective);
    context.collective(first_collective + 1);
}

void predict_step(Context &context) {
    forward(context, batch);
}

constexpr Body bodies[] = {{train_plain, fields},
                           {train_zero, fields},
                           {accumulate, fields_of_part<first_part>},
                           {train_rest, fields_of_part<batch - first_part>}};
constexpr MicroBatches whole[] = {{1, batch}};
constexpr MicroBatches two_parts[] = {{1, first_part}, {1, batch - first_part}};
constexpr Action run_plain[] = {{ActionKind::run, 0, 0, 0}};
constexpr Action run_zero[] = {{ActionKind::run, 1, 0, 0}};
constexpr Action run_parts[] = {{ActionKind::run, 2, 0, 0}, {ActionKind::run, 3, 1, 0}};
constexpr RoleProgram plain_role[] = {{"all", {}, run_plain}};
constexpr RoleProgram zero_role[] = {{"all", {}, run_zero}};
constexpr RoleProgram parts_role[] = {{"all", {}, run_parts}};

void choose_layout(Program &program, const std::string &layout) {
    const bool shares = layout == "zero";
    static const Variable variables[] = {
        {"logits.w", w, true, Initializer::uniform, -0.5, 0.5},
        {"logits.b", b, true, Initializer::constant, 0, 0},
        {"logits.w.momentum", shares ? stored(w, w_momentum_at) : tensor(w_dimensions, w_momentum_at), false},
        {"logits.b.momentum", shares ? stored(b, b_momentum_at) : tensor(b_dimensions, b_momentum_at), false}};
    program.layout = shares ? "zero" : "data_parallel";
    program.variables = variables;
    program.bodies = bodies;
    program.micro_batches = whole;
    program.roles = shares ? zero_role : plain_role;
    if (layout == "parts") {
        program.micro_batches = two_parts;
        program.roles = parts_role;
    }
    program.collectives = shares ? std::span(zero) : std::span<const Collective>(plain);
    program.training_collectives = shares ? 5 : 2;
    program.evaluate_step = shares ? evaluate_step<5> : evaluate_step<2>;
    // zero packs nothing: its last buffer is that of the bias.
    const std::int64_t largest_share = (classes + program.mesh[0].size - 1) / program.mesh[0].size;
    program.arena_bytes = shares ? b_share_at + largest_share * 4 : arena_bytes;
}

} // namespace

int main(int argc, char **argv) {
    const char *ranks = std::getenv("PLANRT_TEST_RANKS");
    static const Axis axes[] = {{"rows", ranks == nullptr ? 1 : std::atoi(ranks)}};
    const char *directory = std::getenv("PLANRT_TEST_DATA");
    const char *layout = std::getenv("PLANRT_TEST_LAYOUT");
    Program program{};
    program.name = "softmax";
    program.source = "softmax.plan";
    program.mesh = axes;
    choose_layout(program, layout == nullptr ? "plain" : layout);
    program.evaluation_fields = fields;
    program.data = {"points",
                    DataFormat::csv,
                    "points.csv",
                    directory == nullptr ? "." : directory,
                    SplitKind::shares,
                    0.8,
                    0.2,
                    0,
                    0,
                    0,
                    std::getenv("PLANRT_TEST_HEADER") != nullptr && *std::getenv("PLANRT_TEST_HEADER") != '\0'};
    program.matrix_bytes = fault("matrices") ? 1 : 0;
    program.traffic = traffic_rows;
    program.batch = batch;
    program.epochs = 5;
    program.seed = 1;
    program.loss = loss;
    program.valid = {&valid, 1};
    program.evaluated_loss = loss;
    program.correct = correct;
    program.prediction_fields = std::span(fields).first(1);
    program.predict_step = predict_step;
    program.prediction = tensor(probability_dimensions, probability_at);
    return run(program, argc, argv);
}
