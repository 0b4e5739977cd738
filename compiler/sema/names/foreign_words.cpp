#include "sema/names/foreign_words.h"

#include "sema/values/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace planc::sema {
namespace {

struct Entry {
    const char *word; ///< in small letters, without underscores
    std::vector<const char *> ours;
};

const std::vector<Entry> &entries() {
    static const std::vector<Entry> all = {
        // optimizers and schedules
        {"lr", {"rate", "peak"}},
        {"learningrate", {"rate", "peak"}},
        {"alpha", {"rate"}},
        {"eta", {"rate"}},
        {"maxlr", {"peak"}},
        {"baselr", {"peak", "rate"}},
        {"initiallearningrate", {"peak", "rate"}},
        {"minlr", {"floor"}},
        {"etamin", {"floor"}},
        {"tmax", {"steps"}},
        {"decaysteps", {"steps"}},
        {"warmupsteps", {"steps"}},
        {"stepsize", {"every"}},
        {"milestones", {"at"}},
        {"gamma", {"factor", "scale"}},
        {"betas", {"beta1"}},
        {"b1", {"beta1"}},
        {"b2", {"beta2"}},
        {"eps", {"epsilon"}},
        {"wd", {"weight_decay"}},
        {"decay", {"weight_decay"}},
        {"l2", {"weight_decay"}},
        {"weightdecayrate", {"weight_decay"}},
        {"clip", {"clip_norm"}},
        {"gradclip", {"clip_norm"}},
        {"gradclipnorm", {"clip_norm"}},
        {"maxgradnorm", {"clip_norm"}},
        {"maxnorm", {"clip_norm"}},
        {"globalclipnorm", {"clip_norm"}},
        {"trustcoefficient", {"trust"}},
        // layers
        {"filters", {"out", "channel"}},
        {"outchannels", {"out", "channel"}},
        {"units", {"out"}},
        {"features", {"out"}},
        {"outfeatures", {"out"}},
        {"hiddensize", {"out"}},
        {"kernelsize", {"kernel", "window"}},
        {"poolsize", {"kernel", "window"}},
        {"filtersize", {"kernel", "window"}},
        {"strides", {"stride"}},
        {"pad", {"padding"}},
        {"dilationrate", {"dilation"}},
        {"usebias", {"bias"}},
        {"axis", {"over"}},
        {"axes", {"over"}},
        {"dim", {"over"}},
        {"dims", {"over"}},
        {"p", {"rate"}},
        {"prob", {"rate"}},
        {"dropout", {"rate"}},
        {"dropoutrate", {"rate"}},
        {"numheads", {"head", "heads"}},
        {"nhead", {"head", "heads"}},
        {"std", {"deviation"}},
        {"stddev", {"deviation"}},
        {"minval", {"low"}},
        {"maxval", {"high"}},
        {"input", {"x"}},
        {"inputs", {"x"}},
        {"target", {"target", "labels"}},
        {"targets", {"target", "labels"}},
        {"label", {"labels"}},
        // training and data
        {"numepochs", {"epochs"}},
        {"nepochs", {"epochs"}},
        {"maxepochs", {"epochs"}},
        {"epoch", {"epochs"}},
        {"iterations", {"steps"}},
        {"maxsteps", {"steps"}},
        {"numsteps", {"steps"}},
        {"maxiters", {"steps"}},
        {"criterion", {"loss"}},
        {"lossfn", {"loss"}},
        {"objective", {"loss"}},
        {"optim", {"optimizer"}},
        {"randomseed", {"seed"}},
        {"file", {"path"}},
        {"filename", {"path"}},
        // machines
        {"gpus", {"ranks_per_node"}},
        {"cores", {"ranks_per_node"}},
        {"procspernode", {"ranks_per_node"}},
        {"tasks", {"ranks_per_node"}},
        {"numnodes", {"nodes"}},
        {"hosts", {"nodes"}},
        {"interconnect", {"network"}},
        {"flops", {"peak"}},
        {"ram", {"memory"}},
        {"microbatchsize", {"microbatches"}},
        {"gradientaccumulationsteps", {"microbatches"}},
        {"accumulationsteps", {"microbatches"}},
        // functions
        {"linear", {"dense"}},
        {"fc", {"dense"}},
        {"fullyconnected", {"dense"}},
        {"conv2d", {"conv"}},
        {"maxpool2d", {"max_pool"}},
        {"maxpooling2d", {"max_pool"}},
        {"avgpool2d", {"average_pool"}},
        {"averagepooling2d", {"average_pool"}},
        {"globalaveragepooling2d", {"global_average_pool"}},
        {"adaptiveavgpool2d", {"global_average_pool"}},
        {"batchnorm2d", {"batch_norm"}},
        {"batchnormalization", {"batch_norm"}},
        {"layernormalization", {"layer_norm"}},
        {"groupnormalization", {"group_norm"}},
        {"multiheadattention", {"attention", "self_attention", "multi_head_attention"}},
        {"flatten", {"reshape"}},
        {"view", {"reshape"}},
        {"permute", {"transpose"}},
        {"cat", {"concat"}},
        {"concatenate", {"concat"}},
        {"where", {"select"}},
        {"convtranspose", {"conv_transpose"}},
        {"convtranspose2d", {"conv_transpose"}},
        {"conv2dtranspose", {"conv_transpose"}},
        {"deconv", {"conv_transpose"}},
        {"scaleddotproductattention", {"fused_attention"}},
        {"flashattention", {"fused_attention"}},
        {"dotproductattention", {"fused_attention"}},
        {"detach", {"stop_gradient"}},
        {"rand", {"random_uniform"}},
        {"randn", {"random_normal"}},
        {"randnlike", {"random_normal"}},
        {"gaussian", {"random_normal"}},
        {"broadcastto", {"expand"}},
        {"expandas", {"expand"}},
        {"repeat", {"expand"}},
        {"tile", {"expand"}},
        {"arange", {"iota"}},
        {"matmul", {"einsum"}},
        {"mm", {"einsum"}},
        {"bmm", {"einsum"}},
        {"dot", {"einsum"}},
        {"pow", {"power"}},
        {"max", {"maximum", "reduce_max"}},
        {"min", {"minimum", "reduce_min"}},
        {"sum", {"reduce_sum"}},
        {"mean", {"reduce_mean"}},
        {"swish", {"silu"}},
        {"mse", {"mean_square_error"}},
        {"mseloss", {"mean_square_error"}},
        {"meansquarederror", {"mean_square_error"}},
        {"crossentropyloss", {"cross_entropy"}},
        {"softmaxcrossentropy", {"cross_entropy"}},
        {"sparsecategoricalcrossentropy", {"cross_entropy"}},
        {"categoricalcrossentropy", {"cross_entropy"}},
        {"nllloss", {"cross_entropy"}},
        {"momentumsgd", {"sgd"}},
        {"cosineannealing", {"cosine"}},
        {"cosineannealinglr", {"cosine"}},
        {"cosinedecay", {"cosine"}},
        {"steplr", {"step_decay"}},
        {"multisteplr", {"step_decay"}},
        {"linearwarmup", {"warmup"}},
        {"xavieruniform", {"glorot_uniform"}},
        {"xaviernormal", {"glorot_normal"}},
        {"kaiminguniform", {"he_uniform"}},
        {"kaimingnormal", {"he_normal"}},
    };
    return all;
}

char small(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// "learning_rate", "learningRate" and "LearningRate" are one word.
std::string plain(std::string_view word) {
    std::string text;
    for (const char c : word)
        if (c != '_')
            text += small(c);
    return text;
}

} // namespace

std::string counterpart(std::string_view word, const std::vector<std::string> &known) {
    const std::string wanted = plain(word);
    for (const std::string &name : known) // beta_1, LayerNorm
        if (name != word && plain(name) == wanted)
            return name;
    for (const Entry &entry : entries())
        if (wanted == entry.word)
            for (const char *ours : entry.ours)
                if (ours != word && std::find(known.begin(), known.end(), ours) != known.end())
                    return ours;
    return {};
}

std::string counterpart_of_unit(std::string_view word) {
    static const std::map<std::string, const char *> times = {
        {"sec", "s"},   {"secs", "s"},  {"second", "s"},        {"seconds", "s"},       {"msec", "ms"},
        {"usec", "us"}, {"nsec", "ns"}, {"milliseconds", "ms"}, {"microseconds", "us"}, {"nanoseconds", "ns"}};
    std::string text(word);
    if (const auto time = times.find(plain(text)); time != times.end())
        return time->second;
    const bool bits = text.ends_with("bps") || text.ends_with("b/s") || text.ends_with("bits/s");
    if (text.ends_with("ps") && !plain(text).ends_with("flops"))
        text.replace(text.size() - 2, 2, "/s");
    std::string wanted = plain(text);
    if (wanted.ends_with("flops"))
        wanted.replace(wanted.size() - 1, 1, "/s");
    else if (wanted.ends_with("flops/s"))
        wanted.erase(wanted.size() - 3, 1);
    else if (wanted.ends_with("bits/s"))
        wanted.erase(wanted.size() - 3, 1);
    else if (bits && !wanted.ends_with("bit/s"))
        wanted.replace(wanted.size() - 3, 3, "bit/s");
    if (wanted == plain(word)) // only the case differs
        return {};
    const std::vector<std::string> units = unit_words();
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const std::string &one) { return plain(one) == wanted; });
    return unit == units.end() || *unit == word ? std::string() : *unit;
}

} // namespace planc::sema
