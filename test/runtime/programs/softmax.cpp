// What planc emits for a softmax classifier, by hand: two columns of a CSV file to one of three classes, the batch over
// all ranks, both gradients in one all-reduce, plain descent.
//
// PLANRT_TEST_RANKS is the size of the mesh. PLANRT_TEST_FAULT=hang: rank 1 leaves out a collective; nan: the loss
// becomes nan in step 3.
#include <planrt/planrt.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <unistd.h>

namespace {

using namespace planrt;

constexpr std::int64_t batch = 7; // divides by no number of ranks
constexpr std::int64_t inputs = 2;
constexpr std::int64_t classes = 3;
constexpr float rate = 0.5F;

constexpr std::int64_t x_at = 0;
constexpr std::int64_t label_at = 64;
constexpr std::int64_t valid_at = 128;
constexpr std::int64_t w_at = 192;
constexpr std::int64_t b_at = 256;
constexpr std::int64_t probability_at = 320;
constexpr std::int64_t w_gradient_at = 448;
constexpr std::int64_t b_gradient_at = 512;
constexpr std::int64_t loss_at = 576;
constexpr std::int64_t correct_at = 640;
constexpr std::int64_t scratch_at = 704;
constexpr std::int64_t arena_bytes = 832;

constexpr int cut[] = {0};
constexpr Dimension x_dimensions[] = {{"batch", batch, cut}, {"input", inputs, {}}};
constexpr Dimension batch_dimensions[] = {{"batch", batch, cut}};
constexpr Dimension w_dimensions[] = {{"input", inputs, {}}, {"class", classes, {}}};
constexpr Dimension b_dimensions[] = {{"class", classes, {}}};

constexpr Tensor x{Type::f32, x_dimensions, {}, Reduction::sum, {}, x_at};
constexpr Tensor label{Type::i32, batch_dimensions, {}, Reduction::sum, {}, label_at};
constexpr Tensor valid{Type::f32, batch_dimensions, {}, Reduction::sum, {}, valid_at};
constexpr Tensor loss{Type::f32, {}, {}, Reduction::sum, {}, loss_at};
constexpr Tensor correct{Type::f32, {}, {}, Reduction::sum, {}, correct_at};

constexpr Tensor partial(Tensor tensor) {
    tensor.partial = cut;
    return tensor;
}

constexpr Tensor w_gradient{Type::f32, w_dimensions, {}, Reduction::sum, {}, w_gradient_at};
constexpr Tensor b_gradient{Type::f32, b_dimensions, {}, Reduction::sum, {}, b_gradient_at};
constexpr Collective::Member gradients[] = {{partial(w_gradient), w_gradient}, {partial(b_gradient), b_gradient}};
constexpr Collective::Member losses[] = {{partial(loss), loss}};
constexpr Collective::Member corrects[] = {{partial(correct), correct}};

constexpr std::int64_t gradient_bytes = (inputs + 1) * classes * 4;
constexpr Collective::Predicted predicted_gradients[] = {{1, gradient_bytes}};
constexpr Collective::Predicted predicted_loss[] = {{1, 4}};
constexpr TrafficRow traffic_rows[] = {{"logits", "weight gradient", "gradients of logits.w, logits.b"},
                                       {"loss", "forward", "loss"},
                                       {"loss", "forward", "correct predictions"}};
constexpr Collective collectives[] = {
    {CollectiveKind::all_reduce, 0, cut, gradients, scratch_at, 2 * gradient_bytes, predicted_gradients},
    {CollectiveKind::all_reduce, 1, cut, losses, 0, 0, predicted_loss},
    {CollectiveKind::all_reduce, 1, cut, losses, 0, 0, {}}, // of evaluation
    {CollectiveKind::all_reduce, 2, cut, corrects, 0, 0, {}}};

bool fault(const char *name) {
    const char *asked = std::getenv("PLANRT_TEST_FAULT");
    return asked != nullptr && std::strcmp(asked, name) == 0;
}

/// Probabilities of this rank's samples; returns how many there are.
std::int64_t forward(Context &context) {
    const std::int64_t samples = context.local_extent(batch, cut);
    float *p = context.at<float>(probability_at);
    const float *b = context.at<float>(b_at);
    for (std::int64_t i = 0; i < samples; ++i)
        std::copy(b, b + classes, p + i * classes);
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

void train_step(Context &context) {
    if (fault("hang") && context.rank() == 1)
        sleep(60);
    const std::int64_t samples = forward(context);
    float *p = context.at<float>(probability_at);
    float *sum = context.at<float>(loss_at);
    *sum = 0;
    float *b_sum = context.at<float>(b_gradient_at);
    std::fill(b_sum, b_sum + classes, 0.0F);
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::int32_t right = context.at<std::int32_t>(label_at)[i];
        *sum -= std::log(p[i * classes + right]) / batch;
        p[i * classes + right] -= 1;
        for (std::int64_t c = 0; c < classes; ++c) {
            p[i * classes + c] /= batch;
            b_sum[c] += p[i * classes + c];
        }
    }
    gemm(Op::transposed, Op::plain, inputs, classes, samples, 1.0F, context.at<float>(x_at), inputs, p, classes, 0.0F,
         context.at<float>(w_gradient_at), classes);
    context.start(0);
    context.collective(1);
    context.progress();
    context.wait(0);
    for (std::int64_t i = 0; i < inputs * classes; ++i)
        context.at<float>(w_at)[i] -= rate * context.at<float>(w_gradient_at)[i];
    for (std::int64_t i = 0; i < classes; ++i)
        context.at<float>(b_at)[i] -= rate * b_sum[i];
    if (fault("nan") && context.step() == 2)
        *sum = std::numeric_limits<float>::quiet_NaN();
}

void evaluate_step(Context &context) {
    const std::int64_t samples = forward(context);
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
    context.collective(2);
    context.collective(3);
}

} // namespace

int main(int argc, char **argv) {
    const char *ranks = std::getenv("PLANRT_TEST_RANKS");
    static const Axis axes[] = {{"rows", ranks == nullptr ? 1 : std::atoi(ranks)}};
    static const char *const directory = std::getenv("PLANRT_TEST_DATA");
    static const Variable variables[] = {
        {"logits.w", {Type::f32, w_dimensions, {}, Reduction::sum, {}, w_at}, true, Initializer::uniform, -0.5, 0.5},
        {"logits.b", {Type::f32, b_dimensions, {}, Reduction::sum, {}, b_at}, true, Initializer::constant, 0, 0}};
    static const Field fields[] = {{"x", x, "", 0, 2, 1, 0, 0}, {"label", label, "", 2, 3, 1, 0, classes}};
    Program program{};
    program.name = "softmax";
    program.source = "softmax.plan";
    program.layout = "data_parallel";
    program.mesh = axes;
    program.arena_bytes = arena_bytes;
    program.variables = variables;
    static const MicroBatch whole{fields, 0, batch, train_step};
    program.micro_batches = {&whole, 1};
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
                    false};
    program.traffic = traffic_rows;
    program.collectives = collectives;
    program.training_collectives = 2;
    program.batch = batch;
    program.epochs = 5;
    program.seed = 1;
    program.evaluate_step = evaluate_step;
    program.loss = loss;
    program.valid = {&valid, 1};
    program.evaluated_loss = loss;
    program.correct = correct;
    program.has_accuracy = true;
    return run(program, argc, argv);
}
