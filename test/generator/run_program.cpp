#include "run_program.h"

#include "compare_runs.h"
#include "layout.h"
#include "safetensors.h"
#include "stale_step.h"
#include "step.h"

#include "interpret/whole_batch.h"
#include "ir/layer_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Program.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace planc::test {

using interpret::Array;
using interpret::Inputs;
using interpret::Outcome;

namespace {

constexpr int epochs = 3;
constexpr double tolerance = 1e-9; // the emitted program sums in another order than the interpreter
constexpr unsigned seconds_to_compile = 120;
constexpr unsigned seconds_to_run = 60;

std::string contents(const std::string &path) {
    std::ifstream stream(path);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

/// One batch to train on and some samples to test on, as fields of the network and as the lines of a CSV file.
class Samples {
  public:
    Samples(const sema::Train &train, std::int64_t test, Random &random)
        : arguments_(train.loss.arguments), batch_(arguments_.front().type.dimensions.front().extent), test_(test) {
        for (const sema::Argument &argument : arguments_) {
            std::vector<double> &numbers = numbers_[argument.name];
            for (std::int64_t i = 0; i < (batch_ + test_) * width(argument); ++i)
                numbers.push_back(argument.type.element == sema::ElementType::i32
                                      ? random.whole(0, whole_numbers_of(train, argument.name) - 1)
                                      : random.between(-1, 1));
        }
    }

    /// Every argument of the loss, for the samples to train on.
    [[nodiscard]] std::map<std::string, Array> train_fields() const { return fields(0, batch_); }
    /// For those to test on, padded with zeros; and `valid`.
    [[nodiscard]] std::map<std::string, Array> test_fields() const {
        std::map<std::string, Array> result = fields(batch_, test_);
        Array &valid = result["valid"] = {{batch_}, std::vector<double>(static_cast<std::size_t>(batch_), 0)};
        std::fill_n(valid.elements.begin(), test_, 1);
        return result;
    }

    /// `csv("data.csv") {…}`: a column that splits, then the fields.
    [[nodiscard]] std::string declaration() const {
        std::string text = "csv(\"data.csv\") {\n    split = column(0)\n";
        std::int64_t column = 1;
        for (const sema::Argument &argument : arguments_) {
            const std::string first = std::to_string(column);
            column += width(argument);
            text += "    " + argument.name + " = " +
                    (width(argument) == 1 ? "column(" + first + ")"
                                          : "columns(" + first + ".." + std::to_string(column) + ")") +
                    "\n";
        }
        return text + "}";
    }

    [[nodiscard]] std::string csv() const {
        std::ostringstream text;
        text.precision(17);
        for (std::int64_t sample = 0; sample < batch_ + test_; ++sample) {
            text << (sample < batch_ ? 0 : 1);
            for (const sema::Argument &argument : arguments_)
                for (std::int64_t i = 0; i < width(argument); ++i)
                    text << ',' << numbers_.at(argument.name)[static_cast<std::size_t>(sample * width(argument) + i)];
            text << '\n';
        }
        return text.str();
    }

    [[nodiscard]] std::int64_t tests() const { return test_; }

  private:
    /// Numbers of one sample.
    static std::int64_t width(const sema::Argument &argument) {
        std::int64_t product = 1;
        for (std::size_t d = 1; d < argument.type.dimensions.size(); ++d)
            product *= argument.type.dimensions[d].extent;
        return product;
    }

    [[nodiscard]] std::map<std::string, Array> fields(std::int64_t first, std::int64_t count) const {
        std::map<std::string, Array> result;
        for (const sema::Argument &argument : arguments_) {
            Array &field = result[argument.name];
            for (const sema::Dimension &dimension : argument.type.dimensions)
                field.extents.push_back(dimension.extent);
            const auto begin = numbers_.at(argument.name).begin() + first * width(argument);
            field.elements.assign(begin, begin + count * width(argument));
            field.elements.resize(static_cast<std::size_t>(batch_ * width(argument)), 0);
        }
        return result;
    }

    const std::vector<sema::Argument> &arguments_;
    std::int64_t batch_ = 1;
    std::int64_t test_ = 1;
    std::map<std::string, std::vector<double>> numbers_; ///< by field
};

class Check {
  public:
    Check(std::uint64_t seed, const Tools &tools)
        : tools_(tools), base_(tools.directory + "/" + std::to_string(seed)), random_(seed) {
        NetworkOptions options;
        options.element = "f64";
        options.most_layers = 5;
        if (seed % 8 == 0) { // products that fill the blocks of the kernels
            options.most_layers = 2;
            options.least_extent = 17;
            options.most_extent = 70;
        }
        options.independent_samples = random_.chance(0.5);
        options.dropout = false; // the program shuffles its samples, and masks belong to their places in the batch
        options.pipelines = tools.pipelines;
        file_ = random_file(seed, options);
        partial_batch_ = options.independent_samples; // padding may not change what the samples give
        layout_ = file_.stages() == 1 && random_.chance(0.3) ? "searched" : "rules";
    }

    ProgramResult run() {
        ProgramResult result;
        try {
            run_all();
        } catch (const Refusal &refusal) {
            result.refused = refusal.what();
        } catch (const std::runtime_error &failure) {
            result.difference = failure.what();
        }
        result.text = "// --layout " + layout_ + "\n" + file_.text();
        return result;
    }

  private:
    void run_all() {
        Step step(file_);
        const Reference reference(step.module(), step.train(), random_);
        if (!reference.finite() || !reference.stable(step.module(), step.train(), random_))
            throw Refusal("the numbers of one rank depend on rounding");
        if (file_.stages() > 1)
            plan_pipeline(step);
        const auto batch = static_cast<int>(step.train().loss.arguments.front().type.dimensions.front().extent);
        const Samples samples(step.train(), partial_batch_ ? random_.whole(1, batch) : batch, random_);
        file_.data = samples.declaration();
        if (llvm::sys::fs::create_directories(base_))
            throw std::runtime_error("cannot make " + base_);
        write(base_ + "/random.plan", file_.text());
        write(base_ + "/data.csv", samples.csv());
        execute({tools_.planc, base_ + "/random.plan", "-o", base_ + "/program", "--layout", layout_, "--keep-cpp"},
                seconds_to_compile);
        execute({tools_.mpirun, std::to_string(file_.ranks()), base_ + "/program", "--epochs", std::to_string(epochs),
                 "--log", log(), "--save-init", base_ + "/initial.safetensors", "--save", base_ + "/final.safetensors",
                 "--comm-report", base_ + "/communication.json"},
                seconds_to_run);
        if (!changes_weights_) // else the order of the samples matters, and the program shuffles them
            compare(step.module(), samples);
        if (price_)
            compare_busiest(moved(), *price_);
    }

    void plan_pipeline(Step &step) {
        const Module module = step.derive(step.savings_of(layout_), step.updates_of(layout_));
        const plan::Request request = step.request(*module, layout_);
        const plan::Plan plan = plan::make_plan(request);
        if (!plan.failure.empty())
            throw Refusal(plan.failure);
        price_ = plan.cost;
        changes_weights_ = has_several_updates(*module);
    }

    /// What each rank handed to MPI in a step, by the communication report.
    [[nodiscard]] std::vector<Moved> moved() const {
        auto parsed = llvm::json::parse(contents(base_ + "/communication.json"));
        if (!parsed) {
            llvm::consumeError(parsed.takeError());
            throw Difference("the communication report is no JSON");
        }
        std::vector<Moved> moved(static_cast<std::size_t>(file_.ranks()));
        for (const llvm::json::Value &row : *parsed->getAsObject()->getArray("collectives")) {
            const llvm::json::Array &measured = *row.getAsObject()->getArray("measured");
            for (std::size_t rank = 0; rank < moved.size(); ++rank) {
                moved[rank].bytes += *measured[rank].getAsObject()->getInteger("bytes");
                moved[rank].calls += *measured[rank].getAsObject()->getInteger("calls");
            }
        }
        for (Moved &each : moved)
            each = {each.bytes / epochs, each.calls / epochs};
        return moved;
    }

    static void write(const std::string &path, const std::string &text) {
        std::ofstream stream(path);
        stream << text;
        if (!stream.flush())
            throw std::runtime_error("cannot write " + path);
    }

    [[nodiscard]] std::string log() const { return base_ + "/log.jsonl"; }

    void execute(const std::vector<std::string> &command, unsigned seconds) const {
        const std::string output = base_ + "/output.txt";
        std::vector<llvm::StringRef> words(command.begin(), command.end());
        std::string error;
        const int code = llvm::sys::ExecuteAndWait(
            command.front(), words, std::nullopt,
            {llvm::StringRef(""), llvm::StringRef(output), llvm::StringRef(output)}, seconds, 0, &error);
        if (code != 0 && contents(output).find("planc: layout 'rules': ") != std::string::npos)
            throw Refusal(contents(output)); // a cut before a layer whose result nobody takes, say
        if (code != 0 &&
            contents(output).find("error: 'clip_norm' needs the gradients of all stages") != std::string::npos)
            throw Refusal(contents(output));
        if (code != 0)
            throw Difference(command.front() + " ends with " + std::to_string(code) + " " + error + "\n" +
                             contents(output));
    }

    /// Runs the interpreter from the program's initial weights and compares every number that the program left.
    void compare(mlir::ModuleOp module, const Samples &samples) {
        Inputs inputs;
        inputs.variables = read_safetensors(base_ + "/initial.safetensors");
        for (auto variable : module.getOps<ir::VariableOp>()) {
            const auto type = mlir::cast<ir::TensorType>(variable.getType());
            Array zeros{{type.getExtents().begin(), type.getExtents().end()}, {}};
            zeros.elements.resize(static_cast<std::size_t>(type.elements()));
            if (!variable.getTrained())
                inputs.variables.emplace(variable.getSymName().str(), zeros);
        }
        read_log();
        if (losses_.size() != epochs)
            throw Difference("the log has " + std::to_string(losses_.size()) + " steps");
        inputs.fields = samples.train_fields();
        for (int step = 0; step < epochs; ++step) {
            inputs.step = step;
            Outcome outcome = interpret::run(module, "train", inputs);
            inputs.variables = std::move(outcome.variables);
            same("loss of step " + std::to_string(step), outcome.results[0].elements[0],
                 losses_[static_cast<std::size_t>(step)]);
        }
        for (const auto &[name, array] : read_safetensors(base_ + "/final.safetensors"))
            for (std::size_t i = 0; i < array.elements.size(); ++i)
                same(name + "[" + std::to_string(i) + "]", inputs.variables.at(name).elements.at(i), array.elements[i]);
        compare_evaluation(module, inputs, samples);
    }

    void compare_evaluation(mlir::ModuleOp module, Inputs inputs, const Samples &samples) {
        auto function = module.lookupSymbol<mlir::func::FuncOp>("evaluate");
        if (!function)
            return;
        inputs.fields = samples.test_fields();
        const Outcome outcome = interpret::run(module, "evaluate", inputs);
        std::map<std::string, double> sums;
        for (const mlir::Attribute name : function->getAttrOfType<mlir::ArrayAttr>("plan.results")) {
            const std::size_t i = sums.size();
            sums[mlir::cast<mlir::StringAttr>(name).str()] = outcome.results[i].elements[0];
        }
        const auto tests = static_cast<double>(samples.tests());
        if (sums.contains("loss"))
            same("test loss", sums["loss"] / (sums.contains("loss_divisor") ? sums["loss_divisor"] : tests),
                 test_loss_);
        if (sums.contains("correct"))
            same("accuracy", sums["correct"] / (sums.contains("labels") ? sums["labels"] : tests), accuracy_,
                 1e-8); // the log has nine digits
    }

    void read_log() {
        std::istringstream lines(contents(log()));
        for (std::string line; std::getline(lines, line);) {
            auto record = llvm::json::parse(line);
            if (!record) {
                llvm::consumeError(record.takeError());
                throw Difference("the log has a line that is no JSON: " + line);
            }
            const llvm::json::Object &object = *record->getAsObject();
            if (object.getNumber("loss"))
                losses_.push_back(object.getNumber("loss").value());
            if (object.getNumber("test_loss"))
                test_loss_ = object.getNumber("test_loss").value();
            if (object.getNumber("accuracy"))
                accuracy_ = object.getNumber("accuracy").value();
        }
    }

    static void same(const std::string &what, double expected, double got, double relative = tolerance) {
        if (std::fabs(got - expected) <= relative * std::max(1.0, std::fabs(expected)))
            return;
        std::ostringstream text;
        text.precision(17);
        text << what << " is " << got << ", on the interpreter " << expected;
        throw Difference(text.str());
    }

    const Tools &tools_;
    std::string base_;
    Random random_;
    PlanFile file_;
    std::string layout_;
    bool partial_batch_ = false;
    bool changes_weights_ = false; ///< within the step
    plan::SharedCost price_;       ///< of a pipeline
    std::vector<double> losses_;
    double test_loss_ = std::nan("");
    double accuracy_ = std::nan("");
};

} // namespace

ProgramResult check_program(std::uint64_t seed, const Tools &tools) {
    return Check(seed, tools).run();
}

} // namespace planc::test
