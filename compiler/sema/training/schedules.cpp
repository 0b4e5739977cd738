#include "sema/training/schedules.h"

#include "sema/primitives/primitives.h"
#include "sema/values/number_arguments.h"
#include "sema/values/settings.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(schedule_without_steps, error, "'{0}' needs 'steps' where training is by epochs"); // R6
PLANC_DIAGNOSTIC(warmup_too_long, error, "a warm-up of {0} steps in a training of {1}");            // R6
PLANC_DIAGNOSTIC(decay_without_steps, error, "'step_decay' needs either 'every' or 'at'");          // R6
PLANC_DIAGNOSTIC(floor_above_peak, error, "the floor of '{0}' is above its peak");                  // R6

namespace {

const syntax::Call *call_of(const syntax::Expression &expression) {
    const auto *call = std::get_if<syntax::Call>(&expression.node);
    return call && !is_primitive(call->callee.text) ? call : nullptr;
}

class ScheduleReader {
  public:
    ScheduleReader(Analysis &analysis, int unit, const TrainingLength &length)
        : analysis_(analysis), unit_(unit), length_(length) {}

    Schedule read(const syntax::Expression &expression) {
        const syntax::Call *call = call_of(expression);
        if (!call || call->callee.text == "linear_scaling") {
            Schedule constant;
            constant.peak = rate(expression, expression.where, "'rate'");
            return constant;
        }
        std::vector<std::string> shapes = {"cosine", "step_decay", "polynomial", "linear_scaling"};
        if (!warming_up_)
            shapes.emplace_back("warmup");
        const std::string &name = expect_call(analysis_.context, expression, "a schedule", shapes).callee.text;
        if (name == "warmup")
            return warmup(*call);
        return name == "step_decay" ? step_decay(*call) : decay(*call);
    }

  private:
    /// A number, or the linear scaling rule: a rate for a batch of one size, times the batch that there is
    /// (Goyal et al. 2017, section 2.1).
    double rate(const syntax::Expression &expression, SourceRange where, const std::string &what) {
        const syntax::Call *call = call_of(expression);
        if (!call || call->callee.text != "linear_scaling") {
            const syntax::Call none{{"", expression.where}, {}};
            return NumberArguments(analysis_, unit_, none, {}).number(expression, where, what, positive);
        }
        NumberArguments arguments(analysis_, unit_, *call, {"rate", "batch"});
        double base = 0;
        static_cast<void>(arguments.require("rate"));
        arguments.read("rate", positive, base);
        static_cast<void>(arguments.require("batch"));
        return base * static_cast<double>(length_.batch) / static_cast<double>(*arguments.count("batch"));
    }

    double peak(NumberArguments &arguments, const std::string &name) {
        const syntax::CallArgument &given = arguments.require("peak");
        return rate(*given.value, given.where, "'peak' of '" + name + "'");
    }

    Schedule warmup(const syntax::Call &call) {
        NumberArguments arguments(analysis_, unit_, call, {"steps", "then", "start"});
        const syntax::CallArgument &steps = arguments.require("steps");
        const std::int64_t count = *arguments.count("steps");
        if (length_.steps > 0 && count >= length_.steps)
            analysis_.context.fail(warmup_too_long, steps.where,
                                   {std::to_string(count), std::to_string(length_.steps)});
        if (length_.steps > 0)
            length_.steps -= count;
        warming_up_ = true;
        Schedule schedule = read(*arguments.require("then").value);
        schedule.warmup = count;
        arguments.read("start", not_negative, schedule.start);
        return schedule;
    }

    Schedule step_decay(const syntax::Call &call) {
        NumberArguments arguments(analysis_, unit_, call, {"peak", "every", "at", "factor"});
        Schedule schedule;
        schedule.shape = Schedule::Shape::step;
        schedule.peak = peak(arguments, "step_decay");
        if ((arguments.find("every") != nullptr) == (arguments.find("at") != nullptr))
            analysis_.context.fail(decay_without_steps, call.callee.where, {});
        if (arguments.find("every"))
            schedule.every = *arguments.count("every");
        else
            schedule.milestones = arguments.ascending("at");
        arguments.read("factor", share, schedule.factor);
        return schedule;
    }

    Schedule decay(const syntax::Call &call) {
        const bool cosine = call.callee.text == "cosine";
        std::vector<std::string> names = {"peak", "steps", "floor"};
        if (!cosine)
            names.emplace_back("power");
        NumberArguments arguments(analysis_, unit_, call, names);
        Schedule schedule;
        schedule.shape = cosine ? Schedule::Shape::cosine : Schedule::Shape::polynomial;
        schedule.peak = peak(arguments, call.callee.text);
        if (!arguments.find("steps") && length_.steps == 0 && !length_.known)
            analysis_.context.give_up();
        if (!arguments.find("steps") && length_.steps == 0)
            analysis_.context.fail(schedule_without_steps, call.callee.where, {call.callee.text});
        schedule.steps = arguments.count("steps").value_or(length_.steps);
        arguments.read("floor", not_negative, schedule.floor);
        if (schedule.floor > schedule.peak)
            analysis_.context.fail(floor_above_peak, arguments.require("floor").where, {call.callee.text});
        if (!cosine)
            arguments.read("power", positive, schedule.power);
        return schedule;
    }

    Analysis &analysis_;
    int unit_;
    TrainingLength length_;
    bool warming_up_ = false;
};

} // namespace

Schedule analyze_schedule(const syntax::Expression &expression, int unit, const TrainingLength &length,
                          Analysis &analysis) {
    return ScheduleReader(analysis, unit, length).read(expression);
}

} // namespace planc::sema
