#include "random_case.h"

#include "autodiff/passes.h"
#include "interpret/interpret.h"
#include "ir/import.h"
#include "ir/layer_builder.h"
#include "ir/nest.h"
#include "spmd/materialize.h"

#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

namespace planc::test {

using interpret::Array;
using interpret::Inputs;
using interpret::Outcome;

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

class Check {
  public:
    explicit Check(std::uint64_t seed)
        : seed_(seed), random_(static_cast<std::mt19937::result_type>(seed)), case_(random_case(random_)),
          context_(mlir::MLIRContext::Threading::DISABLED) {}

    CaseResult run() {
        const std::string difference = run_both();
        return {difference.empty() ? "" : "seed " + std::to_string(seed_) + ": " + difference, collectives_};
    }

  private:
    std::string run_both() {
        Module one = derive();
        if (!one)
            return "the training step could not be derived";
        Module many = one->clone();
        lay_out(*many);
        const std::string before = print(*many);
        if (failed(spmd::materialize(*many)) || failed(mlir::verify(*many)))
            return "the step could not be laid out:\n" + before;
        try {
            compare(*one, *many);
        } catch (const interpret::Failure &failure) {
            difference_ = failure.what();
        }
        return difference_.empty() ? "" : difference_ + "\n" + before + print(*many);
    }

    static std::string print(mlir::ModuleOp module) {
        std::string text;
        llvm::raw_string_ostream stream(text);
        module.print(stream);
        return text;
    }

    Module derive() {
        const support::SourceFiles files;
        Module module = ir::import_program(case_.program, case_.train, files, context_);
        mlir::PassManager passes(&context_);
        autodiff::add_passes(passes);
        if (failed(mlir::verify(*module)) || failed(passes.run(*module)))
            return {};
        return module;
    }

    /// Every layer: any of its loops, or none, on every axis; axes that share a loop in any order.
    void lay_out(mlir::ModuleOp module) {
        llvm::SmallVector<mlir::StringAttr> names;
        llvm::SmallVector<std::int64_t> sizes;
        for (const auto &[name, size] : case_.mesh) {
            names.push_back(mlir::StringAttr::get(&context_, name));
            sizes.push_back(size);
        }
        module->setAttr("plan.mesh", ir::MeshAttr::get(&context_, names, sizes));
        std::map<std::string, std::set<std::string>> loops;
        module.walk([&](ir::NestInterface op) {
            const auto layer = op->getAttrOfType<mlir::StringAttr>("layer");
            for (const sharding::Loop &loop : op.nest().loops)
                loops[layer ? layer.str() : ""].insert(loop.name);
        });
        std::map<std::string, sharding::LayerStrategy> strategies;
        for (const auto &[layer, all] : loops) {
            std::vector<std::string> choices(all.begin(), all.end());
            choices.emplace_back();
            sharding::LayerStrategy &strategy = strategies[layer];
            for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
                const std::size_t choice = std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random_);
                strategy.loop_of_axis.push_back(choices[choice]);
                strategy.order.push_back(static_cast<int>(axis));
            }
            std::shuffle(strategy.order.begin(), strategy.order.end(), random_);
        }
        spmd::set_strategies(module, strategies);
    }

    Array random_array(ir::TensorType type, double low, double high) {
        Array array{{type.getExtents().begin(), type.getExtents().end()}, {}};
        std::uniform_real_distribution<double> distribution(low, high);
        for (std::int64_t i = 0; i < type.elements(); ++i)
            array.elements.push_back(distribution(random_));
        return array;
    }

    /// Fresh data for the inputs of @evaluate (or of @train where there is no evaluation): a superset of all others.
    void fill_fields(mlir::ModuleOp module, Inputs &inputs) {
        auto function = module.lookupSymbol<mlir::func::FuncOp>("evaluate");
        const auto &prediction = case_.train.loss.operations[static_cast<std::size_t>(case_.train.prediction)];
        const int classes = static_cast<int>(prediction.type.dimensions.back().extent);
        for (mlir::BlockArgument argument : function.getArguments()) {
            const auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            Array array = random_array(ir::type_of(argument), -1, 1);
            for (double &element : array.elements) {
                if (name == "valid")
                    element = element > -0.5 ? 1 : 0;
                if (name == "label")
                    element = std::uniform_int_distribution(0, classes - 1)(random_);
            }
            inputs.fields[name.str()] = array;
        }
    }

    void same(const std::string &what, const Array &expected, const Array &got) {
        for (std::size_t i = 0; i < expected.elements.size(); ++i) {
            const double wanted = expected.elements[i];
            if (std::fabs(got.elements.at(i) - wanted) <= 1e-10 * std::max(1.0, std::fabs(wanted)))
                continue;
            std::ostringstream text;
            text.precision(17);
            text << what << "[" << i << "] is " << got.elements[i] << ", on one rank " << wanted;
            throw interpret::Failure(text.str());
        }
    }

    void same_results(const std::string &what, mlir::ModuleOp one, mlir::ModuleOp many, Inputs &alone, Inputs &ranks) {
        const Outcome expected = interpret::run(one, what, alone);
        const Outcome got = interpret::run(many, what, ranks);
        for (const interpret::CollectiveRecord &collective : got.collectives)
            ++collectives_[collective.kind];
        for (std::size_t i = 0; i < expected.results.size(); ++i)
            same("result " + std::to_string(i) + " of @" + what, expected.results[i], got.results.at(i));
        for (const auto &[name, array] : expected.variables)
            same(name + " after @" + what, array, got.variables.at(name));
        alone.variables = expected.variables;
        ranks.variables = got.variables;
    }

    void compare(mlir::ModuleOp one, mlir::ModuleOp many) {
        Inputs alone;
        for (auto variable : one.getOps<ir::VariableOp>()) {
            const auto type = mlir::cast<ir::TensorType>(variable.getType());
            const double range = variable.getTrained() ? 0.8 : 0;
            alone.variables[variable.getSymName().str()] = random_array(type, -range, range);
        }
        Inputs ranks = alone;
        for (int step = 0; step < 3; ++step) {
            alone.step = ranks.step = step;
            fill_fields(one, alone);
            ranks.fields = alone.fields;
            same_results("train", one, many, alone, ranks);
        }
        same_results("evaluate", one, many, alone, ranks);
        same_results("predict", one, many, alone, ranks);
    }

    std::uint64_t seed_;
    std::mt19937 random_;
    RandomCase case_;
    mlir::MLIRContext context_;
    std::string difference_;
    std::map<std::string, int> collectives_;
};

} // namespace

CaseResult check_case(std::uint64_t seed) {
    return Check(seed).run();
}

} // namespace planc::test
