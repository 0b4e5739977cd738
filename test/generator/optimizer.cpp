#include "optimizer.h"

#include <vector>

namespace planc::test {

namespace {

/// `size`: the rate that the shapes begin with.
std::string schedule(const std::string &size, Random &random, bool warm = true) {
    switch (random.whole(0, warm ? 7 : 4)) {
    case 0:
        return "cosine(" + size + ", steps = 2)";
    case 1:
        return "step_decay(" + size + ", every = 1, factor = 0.5)";
    case 2:
        return "step_decay(" + size + ", at = [1, 2])";
    case 3:
        return "polynomial(" + size + ", floor = 0.001, power = " + random.pick<std::string>({"1", "2"}) + ")";
    case 4:
        return "linear_scaling(" + size + ", batch = 8)";
    case 5:
        return "warmup(steps = 1, start = 0.01, then = " + schedule(size, random, false) + ")";
    default:
        return size;
    }
}

std::string groups(bool adapts, Random &random) {
    std::vector<std::string> settings{"weight_decay = 0", "weight_decay = 0.02", "rate_factor = 0.5",
                                      "weight_decay = 0; rate_factor = 2"};
    if (adapts)
        settings.insert(settings.end(), {"adapt = false", "adapt = false; weight_decay = 0", "adapt = false"});
    std::string text;
    for (const char *pattern : {"*", "logits1.*", "*.w"})
        if (random.chance(0.4))
            text += std::string(" ") + pattern + " { " + random.pick(settings) + " };";
    if (text.empty())
        return "";
    text.pop_back();
    return " {" + text + " }";
}

} // namespace

std::string random_optimizer(Random &random) {
    const std::string decay = random.chance(0.4) ? ", weight_decay = 0.01" : "";
    const std::string clip =
        random.chance(0.3) ? ", clip_norm = " + random.pick<std::string>({"0.05", "0.5", "100"}) : "";
    const std::string rest = decay + clip + ")";
    const int kind = random.whole(0, 8);
    const std::string own = groups(kind >= 6, random);
    switch (kind) {
    case 0:
        return "sgd(rate = " + schedule("0.05", random) + rest + own;
    case 1:
    case 2:
        return "sgd(rate = " + schedule("0.05", random) + ", momentum = 0.9" +
               (random.chance(0.4) ? ", nesterov = true" : "") + rest + own;
    case 3:
    case 4:
        return "adam(rate = " + schedule("0.01", random) + ", epsilon = 0.001" + rest + own;
    case 5:
        return "adamw(rate = " + schedule("0.01", random) + ", epsilon = 0.001" + rest + own;
    case 6:
        return "lars(rate = " + schedule("0.5", random) + ", trust = 0.1" + rest + own;
    default:
        return "lamb(rate = " + schedule("0.02", random) + ", epsilon = 0.001" + rest + own;
    }
}

} // namespace planc::test
