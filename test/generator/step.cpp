#include "step.h"

#include "data_directory.h"

#include "autodiff/passes.h"
#include "ir/import.h"
#include "ir/pipeline_attribute.h"
#include "sema/analyze.h"

#include "mlir/IR/Verifier.h"

namespace planc::test {

namespace {

std::optional<sema::Program> analyze(const std::string &text, const std::string &data_directory,
                                     support::SourceFiles &files, support::Diagnostics &diagnostics) {
    const support::FileId root = files.add("random.plan", text);
    return sema::analyze(root, files, diagnostics, {.stdlib_directory = PLANC_STDLIB, .data_directory = data_directory})
        .program;
}

} // namespace

Step::Step(const PlanFile &file) : Step(file.text(), DataDirectory(file).path()) {}

Step::Step(const std::string &text, const std::string &data_directory)
    : context_(mlir::MLIRContext::Threading::DISABLED) {
    installation_.stdlib = PLANC_STDLIB;
    context_.loadDialect<ir::PlanDialect, mlir::func::FuncDialect>();
    program_ = analyze(text, data_directory, files_, diagnostics_);
    if (!program_)
        throw Refusal(diagnostics_.render());
    imported_ = ir::import_program(*program_, train(), files_, context_);
    if (failed(mlir::verify(*imported_)))
        throw Difference("the imported network is not well formed");
    module_ = derive({});
}

Module Step::derive(const planning::MemorySavings &savings, const pipeline::Updates &updates) {
    Module module(imported_->clone());
    driver::set_savings(*module, train(), savings);
    ir::set_updates(*module, updates);
    std::string message;
    mlir::PassManager passes(&context_);
    autodiff::add_passes(passes);
    if (run(passes, *module, message))
        return module;
    if (savings.microbatches > 1)
        throw Refusal("micro-batches: " + message);
    throw Difference("the training step could not be derived: " + message);
}

Module Step::as_written() {
    Module module(imported_->clone());
    std::string message;
    mlir::PassManager passes(&context_);
    passes.addPass(autodiff::createDecomposeComposites());
    passes.addPass(autodiff::createDeriveTrainingStep());
    if (!run(passes, *module, message))
        throw Difference("the training step as it is written could not be derived: " + message);
    return module;
}

bool Step::run(mlir::PassManager &passes, mlir::ModuleOp module, std::string &message) {
    const mlir::ScopedDiagnosticHandler handler(&context_, [&](mlir::Diagnostic &diagnostic) {
        message += diagnostic.str() + "\n";
        return mlir::success();
    });
    return succeeded(passes.run(module));
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

bool is_accepted(const PlanFile &file) {
    const DataDirectory data(file);
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    return analyze(file.text(), data.path(), files, diagnostics).has_value();
}

} // namespace planc::test
