#include "step.h"

#include "autodiff/passes.h"
#include "ir/import.h"
#include "ir/pipeline_attribute.h"
#include "sema/analyze.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

namespace planc::test {

namespace {

std::optional<sema::Program> analyze(const std::string &text, support::SourceFiles &files,
                                     support::Diagnostics &diagnostics) {
    const support::FileId root = files.add("random.plan", text);
    return sema::analyze(root, files, diagnostics, {.stdlib_directory = PLANC_STDLIB, .dimension_overrides = {}})
        .program;
}

} // namespace

Step::Step(const std::string &text) : context_(mlir::MLIRContext::Threading::DISABLED) {
    installation_.stdlib = PLANC_STDLIB;
    context_.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    program_ = analyze(text, files_, diagnostics_);
    if (!program_)
        throw Refusal(diagnostics_.render());
    imported_ = ir::import_program(*program_, train(), files_, context_);
    if (failed(mlir::verify(*imported_)))
        throw Difference("the imported network is not well formed");
    module_ = derive({});
}

Module Step::derive(const planning::MemorySavings &savings, const pipeline::Updates &updates) {
    Module module(imported_->clone());
    driver::set_savings(*module, train().loss, savings);
    ir::set_updates(*module, updates);
    std::string message;
    const mlir::ScopedDiagnosticHandler handler(&context_, [&](mlir::Diagnostic &diagnostic) {
        message += diagnostic.str() + "\n";
        return mlir::success();
    });
    mlir::PassManager passes(&context_);
    autodiff::add_passes(passes);
    if (succeeded(passes.run(*module)))
        return module;
    if (savings.microbatches > 1)
        throw Refusal("micro-batches: " + message);
    throw Difference("the training step could not be derived: " + message);
}

planning::MemorySavings Step::savings_of(const std::string &layout) const {
    driver::Options options;
    options.layout = layout;
    return driver::savings_of(driver::layout_of(*program_, options));
}

pipeline::Updates Step::updates_of(const std::string &layout) const {
    driver::Options options;
    options.layout = layout;
    return driver::updates_of(driver::layout_of(*program_, options));
}

plan::Request Step::request(mlir::ModuleOp module, const std::string &layout) {
    driver::Options options;
    options.layout = layout;
    auto made = driver::make_request(*program_, module, options, installation_, files_, diagnostics_);
    const auto *error = std::get_if<driver::RequestError>(&made);
    if (error != nullptr && error->line.find("that computes") != std::string::npos)
        throw Refusal(error->line); // nobody takes the results of the layers before or behind a cut
    if (error != nullptr)
        throw Difference("no request: " + error->line + diagnostics_.render());
    plan::Request request = std::get<driver::PlanRequest>(std::move(made)).request;
    request.baselines = false;
    return request;
}

bool is_accepted(const std::string &text) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    return analyze(text, files, diagnostics).has_value();
}

} // namespace planc::test
