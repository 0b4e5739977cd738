#include "ir/edge_steps.h"

#include "ir/nest.h"
#include "ir/pointwise.h"
#include "ir/subscripts.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>

namespace planc::ir {

namespace {

using Kind = EdgeStep::Kind;

constexpr std::array<llvm::StringRef, 7> words = {"operand", "matrix", "number", "random", "call", "product", "sum"};

std::string exact(double number) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.17g", number);
    return text.data();
}

} // namespace

std::string EdgeStep::to_text() const {
    std::string result = words[static_cast<std::size_t>(kind)].str();
    if (kind == Kind::operand)
        result += " " + std::to_string(operand);
    if (kind == Kind::number)
        result += " " + exact(number);
    if (kind == Kind::random)
        result += " " + std::to_string(samples) + " " + text;
    if (kind == Kind::call)
        result += " " + text;
    for (const int argument : arguments)
        result += " " + std::to_string(argument);
    if (kind == Kind::sum || kind == Kind::random)
        result += " over";
    for (const std::string &loop : loops)
        result += " " + loop;
    return result;
}

std::optional<EdgeStep> parse_edge_step(llvm::StringRef text) {
    std::istringstream stream(text.str());
    std::string word;
    stream >> word;
    const auto known = std::find(words.begin(), words.end(), word);
    if (known == words.end())
        return std::nullopt;
    EdgeStep step;
    step.kind = static_cast<Kind>(known - words.begin());
    if (step.kind == Kind::operand && !(stream >> step.operand))
        return std::nullopt;
    if (step.kind == Kind::number && !(stream >> step.number))
        return std::nullopt;
    if (step.kind == Kind::random && !(stream >> step.samples >> step.text))
        return std::nullopt;
    if (step.kind == Kind::call && !(stream >> step.text))
        return std::nullopt;
    bool loops = false;
    while (stream >> word) {
        int argument = 0;
        if (loops)
            step.loops.push_back(word);
        else if (word == "over")
            loops = true;
        else if (std::from_chars(word.data(), word.data() + word.size(), argument).ec == std::errc{})
            step.arguments.push_back(argument);
        else
            return std::nullopt;
    }
    return step;
}

std::vector<EdgeStep> steps_of(EdgeReduceOp op) {
    std::vector<EdgeStep> steps;
    for (llvm::StringRef text : op.getSteps().getAsValueRange<mlir::StringAttr>())
        steps.push_back(*parse_edge_step(text));
    return steps;
}

std::vector<std::set<std::string>> loops_of_steps(EdgeReduceOp op) {
    const Subscripts subscripts = *parse_subscripts(op.getSubscripts());
    std::vector<std::set<std::string>> result;
    for (const EdgeStep &step : steps_of(op)) {
        std::set<std::string> loops;
        for (const int argument : step.arguments)
            loops.insert(result[static_cast<std::size_t>(argument)].begin(),
                         result[static_cast<std::size_t>(argument)].end());
        if (step.kind == Kind::operand) {
            const auto &of_operand = subscripts.operands[static_cast<std::size_t>(step.operand) + 1];
            loops.insert(of_operand.begin(), of_operand.end());
        }
        if (step.kind == Kind::matrix)
            loops.insert(subscripts.operands[0].begin(), subscripts.operands[0].end());
        for (const std::string &loop : step.loops)
            if (step.kind == Kind::sum)
                loops.erase(loop);
            else
                loops.insert(loop);
        result.push_back(std::move(loops));
    }
    return result;
}

double flops_per_point(EdgeReduceOp op) {
    const sharding::Nest nest = op.nest();
    double points = 1;
    for (const sharding::Loop &loop : nest.loops)
        points *= static_cast<double>(loop.extent);
    const auto extent = [&](const std::string &name) {
        const auto at =
            std::find_if(nest.loops.begin(), nest.loops.end(), [&](const auto &loop) { return loop.name == name; });
        return static_cast<double>(at->extent);
    };
    const std::vector<std::string> sides = parse_subscripts(op.getSubscripts())->operands[0];
    const std::vector<EdgeStep> steps = steps_of(op);
    const std::vector<std::set<std::string>> loops = loops_of_steps(op);
    double flops = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        double times = extent(sides[0]) * extent(sides[1]); // within the loop over the entries
        for (const std::string &loop : loops[i])
            if (loop != sides[0] && loop != sides[1])
                times *= extent(loop);
        if (steps[i].kind == Kind::sum)
            for (const std::string &loop : steps[i].loops)
                times *= extent(loop);
        const PointwiseFunction *function = steps[i].kind == Kind::call ? find_pointwise(steps[i].text) : nullptr;
        flops += times * (function != nullptr             ? function->flops
                          : steps[i].kind == Kind::random ? flops_of_single_random
                                                          : 1);
    }
    return nest.sparse->density * flops / points;
}

} // namespace planc::ir
