#include "sema/training/parameter_groups.h"
#include "sema/training/schedules.h"
#include "sema/training/training.h"
#include "sema/values/expect.h"
#include "sema/values/number_arguments.h"
#include "sema/values/settings.h"

#include <algorithm>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_parameter, error, "'{0}' matches no parameter"); // R5
PLANC_DIAGNOSTIC(misplaced_adapt, error,
                 "'{0}' has no layer-wise rate that could be adapted: 'adapt' is for 'lars' and 'lamb'"); // R5

namespace {

class OptimizerReader {
  public:
    OptimizerReader(Analysis &analysis, int unit, const Train &train, KnownOfTrain known)
        : analysis_(analysis), unit_(unit), parameters_known_(known.loss) {
        length_.steps = train.steps;
        length_.known = known.duration;
        if (known.loss && !train.loss.arguments.empty() && !train.loss.arguments.front().type.dimensions.empty())
            length_.batch = train.loss.arguments.front().type.dimensions.front().extent;
        for (const Operation &operation : train.loss.operations)
            if (operation.kind == OperationKind::parameter && operation.trained)
                parameters_.push_back(operation.text);
    }

    Optimizer read(const syntax::Setting &setting) {
        const syntax::Call &call =
            expect_call(analysis_.context, *setting.value, "'optimizer'", {"sgd", "adam", "adamw", "lars", "lamb"});
        name_ = call.callee.text;
        analysis_.context.attempt([&] { read_call(call); });
        for (const syntax::ParameterGroup &group : setting.groups)
            analysis_.context.attempt([&] { optimizer_.groups.push_back(read_group(group)); });
        return std::move(optimizer_);
    }

  private:
    void read_call(const syntax::Call &call) {
        const bool moments = name_ == "adam" || name_ == "adamw" || name_ == "lamb";
        std::vector<std::string> names = {"rate"};
        if (moments)
            names.insert(names.end(), {"beta1", "beta2", "epsilon"});
        else
            names.emplace_back("momentum");
        if (name_ == "sgd")
            names.emplace_back("nesterov");
        if (name_ == "lars")
            names.emplace_back("trust");
        names.insert(names.end(), {"weight_decay", "clip_norm"});
        set_defaults();
        NumberArguments arguments(analysis_, unit_, call, names);
        optimizer_.rate = analyze_schedule(*arguments.require("rate").value, unit_, length_, analysis_);
        arguments.read("beta1", fraction, optimizer_.beta1);
        arguments.read("beta2", fraction, optimizer_.beta2);
        arguments.read("epsilon", positive, optimizer_.epsilon);
        arguments.read("momentum", fraction, optimizer_.momentum);
        arguments.read("nesterov", optimizer_.nesterov);
        arguments.read("trust", positive, optimizer_.trust);
        arguments.read("weight_decay", not_negative, optimizer_.weight_decay);
        arguments.read("clip_norm", positive, optimizer_.clip_norm);
    }

    /// As published: You, Gitman, Ginsburg 2017, section 5; Loshchilov, Hutter 2019; You et al. 2020, section 4.
    void set_defaults() {
        using Kind = Optimizer::Kind;
        optimizer_.kind = name_ == "sgd"    ? Kind::sgd
                          : name_ == "lars" ? Kind::lars
                          : name_ == "lamb" ? Kind::lamb
                                            : Kind::adam;
        if (name_ == "lars")
            optimizer_.momentum = 0.9;
        if (name_ == "lamb")
            optimizer_.epsilon = 1e-6;
        if (name_ == "adamw")
            optimizer_.weight_decay = 0.01;
        optimizer_.decoupled = name_ == "adamw" || name_ == "lamb";
    }

    ParameterGroup read_group(const syntax::ParameterGroup &group) {
        const std::string &pattern = group.selector.text;
        const auto matched = [&](const std::string &path) { return matches_parameter(pattern, path); };
        if (parameters_known_ && std::none_of(parameters_.begin(), parameters_.end(), matched))
            fail_unknown_parameter(group.selector);
        const Settings settings(analysis_.context, "a group of parameters", group.where, group.settings,
                                {"weight_decay", "rate_factor", "adapt"});
        ParameterGroup result{pattern, {}, {}, {}, group.where};
        result.weight_decay = number(settings, "weight_decay");
        result.rate_factor = number(settings, "rate_factor");
        if (const syntax::Setting *adapt = settings.find("adapt")) {
            if (name_ != "lars" && name_ != "lamb")
                analysis_.context.fail(misplaced_adapt, adapt->where, {name_});
            Elaborator constants(analysis_, unit_);
            result.adapt = expect_boolean(analysis_.context, constants.evaluate(settings.value(*adapt)),
                                          adapt->value->where, "'adapt'");
        }
        return result;
    }

    [[nodiscard]] std::optional<double> number(const Settings &settings, const char *name) {
        const syntax::Setting *setting = settings.find(name);
        if (!setting)
            return std::nullopt;
        const syntax::Call none{{"", setting->where}, {}};
        return NumberArguments(analysis_, unit_, none, {})
            .number(settings.value(*setting), setting->where, "'" + std::string(name) + "'", not_negative);
    }

    [[noreturn]] void fail_unknown_parameter(const syntax::Selector &selector) const {
        std::vector<Note> notes = Context::suggestion(selector.text, parameters_);
        const auto below = [&](const std::string &path) { return matches_parameter(selector.text + ".*", path); };
        if (std::any_of(parameters_.begin(), parameters_.end(), below))
            notes = {hint("write '" + selector.text + ".*' for the parameters of a layer")};
        if (notes.empty() && !parameters_.empty())
            notes = {hint("there are " + some_of(parameters_))};
        analysis_.context.fail(unknown_parameter, selector.where, {selector.text}, notes);
    }

    Analysis &analysis_;
    int unit_;
    TrainingLength length_;
    bool parameters_known_;
    std::string name_;
    std::vector<std::string> parameters_; ///< paths
    Optimizer optimizer_;
};

} // namespace

Optimizer analyze_optimizer(const syntax::Setting &setting, int unit, const Train &train, KnownOfTrain known,
                            Analysis &analysis) {
    return OptimizerReader(analysis, unit, train, known).read(setting);
}

} // namespace planc::sema
