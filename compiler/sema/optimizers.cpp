#include "sema/elaborate.h"
#include "sema/expect.h"
#include "sema/settings.h"
#include "sema/training.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(optimizer_range, error, "{0} must be {1}"); // R3

namespace {

/// A number of an optimizer and where it has to lie.
struct Range {
    double least = 0;
    double most = 0;
    bool above = false; ///< the least itself is too small
    bool below = false; ///< the most itself is too large
    const char *words = "";
};

constexpr Range positive{0, 1e30, true, false, "above zero"};
constexpr Range not_negative{0, 1e30, false, false, "at least zero"};
constexpr Range fraction{0, 1, false, true, "at least zero and below one"};

class OptimizerReader {
  public:
    OptimizerReader(Analysis &analysis, int unit, const syntax::Call &call, const std::vector<std::string> &parameters)
        : context_(analysis.context), constants_(analysis, unit), arguments_(analysis.context, call, parameters) {}

    void read(const char *name, const Range &range, double &place) {
        const syntax::CallArgument *given = arguments_.find(name);
        if (!given)
            return;
        const double value =
            expect_number(context_, constants_.evaluate(*given->value), given->where, arguments_.what(name));
        if (value < range.least || value > range.most || (range.above && value <= range.least) ||
            (range.below && value >= range.most))
            context_.fail(optimizer_range, given->where, {arguments_.what(name), range.words});
        place = value;
    }

    void require(const char *name, const Range &range, double &place) {
        static_cast<void>(arguments_.require(name));
        read(name, range, place);
    }

  private:
    const Context &context_;
    Elaborator constants_;
    Arguments arguments_;
};

} // namespace

Optimizer analyze_optimizer(const syntax::Expression &expression, int unit, Analysis &analysis) {
    const syntax::Call &call =
        expect_call(analysis.context, expression, "'optimizer'", {"sgd", "adam", "lars", "lamb"});
    Optimizer optimizer;
    const std::string &name = call.callee.text;
    if (name == "lars" || name == "lamb") {
        analysis.context.not_lowered(call.callee.where, "the optimizer '" + name + "'");
        return optimizer;
    }
    if (name == "sgd") {
        OptimizerReader reader(analysis, unit, call, {"rate", "momentum", "weight_decay"});
        reader.require("rate", positive, optimizer.rate.peak);
        reader.read("momentum", fraction, optimizer.momentum);
        reader.read("weight_decay", not_negative, optimizer.weight_decay);
        return optimizer;
    }
    optimizer.kind = Optimizer::Kind::adam;
    OptimizerReader reader(analysis, unit, call, {"rate", "beta1", "beta2", "epsilon", "weight_decay"});
    reader.require("rate", positive, optimizer.rate.peak);
    reader.read("beta1", fraction, optimizer.beta1);
    reader.read("beta2", fraction, optimizer.beta2);
    reader.read("epsilon", positive, optimizer.epsilon);
    reader.read("weight_decay", not_negative, optimizer.weight_decay);
    return optimizer;
}

} // namespace planc::sema
