#include "analyzed.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace planc::sema {
namespace {

template <class Source> Analyzed run(const std::map<std::string, std::int64_t> &overrides, const Source &source) {
    support::SourceFiles files;
    support::Diagnostics diagnostics(files);
    Options options;
    options.stdlib_directory = PLANC_SOURCE_DIR "/stdlib";
    options.dimension_overrides = overrides;
    Analyzed result;
    result.program = source(files, diagnostics, options);
    result.report = diagnostics.render();
    for (const support::Diagnostic &diagnostic : diagnostics.all())
        result.errors += diagnostic.kind->severity == support::Severity::error ? 1 : 0;
    if (!diagnostics.all().empty())
        result.kind = diagnostics.all().front().kind->name;
    EXPECT_EQ(result.errors, result.program ? 0 : 1) << result.report;
    return result;
}

const char *words(const Operation &operation) {
    switch (operation.kind) {
    case OperationKind::input:
        return "input";
    case OperationKind::parameter:
        return "parameter";
    case OperationKind::constant:
        return "constant";
    case OperationKind::einsum:
        return "einsum";
    case OperationKind::convolution:
        return "convolution";
    case OperationKind::softmax:
    case OperationKind::pointwise:
    case OperationKind::reduce:
        return operation.text.c_str();
    case OperationKind::cross_entropy:
        return "cross_entropy";
    case OperationKind::mean_square_error:
        return "mean_square_error";
    case OperationKind::iota:
        return "iota";
    case OperationKind::attention:
        return "attention";
    case OperationKind::embedding:
        return "embedding";
    case OperationKind::pool:
        return operation.text == "max" ? "max_pool" : "sum_pool";
    case OperationKind::batch_norm:
        return "batch_norm";
    case OperationKind::dropout:
        return "dropout";
    case OperationKind::random:
        return "random";
    case OperationKind::slice:
        return "slice";
    case OperationKind::concat:
        return "concat";
    case OperationKind::reshape:
        return "reshape";
    case OperationKind::spmm:
        return "spmm";
    case OperationKind::edges:
        return "edges";
    }
    return "";
}

} // namespace

Analyzed analyze_file(const std::string &path, const std::map<std::string, std::int64_t> &overrides) {
    return run(overrides, [&](auto &files, auto &diagnostics, const Options &options) {
        return analyze(path, files, diagnostics, options).program;
    });
}

Analyzed analyze_text(const std::string &text, const std::map<std::string, std::int64_t> &overrides) {
    return run(overrides, [&](auto &files, auto &diagnostics, const Options &options) {
        return analyze(files.add("test.plan", text), files, diagnostics, options).program;
    });
}

Network network_of(const std::string &text) {
    const Analyzed analyzed = analyze_text(text);
    EXPECT_TRUE(analyzed.program) << analyzed.report;
    if (!analyzed.program || analyzed.program->networks.empty())
        throw std::runtime_error("no network: " + analyzed.report);
    return analyzed.program->networks.front();
}

std::string type_text(const TensorType &type) {
    std::string text = "[";
    for (const Dimension &dimension : type.dimensions)
        text += (text.size() > 1 ? ", " : "") + dimension.role + ": " + std::to_string(dimension.extent);
    return text + "]";
}

std::vector<std::string> summary(const Network &network) {
    std::vector<std::string> lines;
    for (const Operation &operation : network.operations)
        if (operation.kind != OperationKind::input)
            lines.push_back(std::string(words(operation)) + " " + type_text(operation.type) + " (" + operation.layer +
                            ")");
    return lines;
}

std::string loops(const Operation &operation) {
    std::string text;
    for (const Loop &loop : operation.loops)
        text += (text.empty() ? "" : " ") + loop.name + ":" + std::to_string(loop.extent);
    const auto add = [&](const std::vector<int> &places) {
        text += " {";
        for (const int place : places)
            text += std::to_string(place);
        text += "}";
    };
    for (const std::vector<int> &operand : operation.operand_loops)
        add(operand);
    text += " ->";
    add(operation.result_loops);
    return text;
}

std::vector<std::string> parameters(const Network &network) {
    std::vector<std::string> names;
    for (const Operation &operation : network.operations)
        if (operation.kind == OperationKind::parameter)
            names.push_back(operation.text);
    return names;
}

const Operation &parameter(const Network &network, const std::string &name) {
    for (const Operation &operation : network.operations)
        if (operation.kind == OperationKind::parameter && operation.text == name)
            return operation;
    throw std::runtime_error("no parameter " + name);
}

} // namespace planc::sema
