#include "sema/elaborate.h"
#include "sema/expect.h"
#include "sema/places.h"
#include "sema/settings.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(wrong_shape, error, "{0} of {1} nodes for a machine of {2}"); // M1
PLANC_DIAGNOSTIC(not_positive, error, "{0} must be above zero");               // M1

namespace {

constexpr std::int64_t most_nodes = 1'000'000'000;

class MachineReader {
  public:
    MachineReader(Analysis &analysis, const syntax::MachineDeclaration &declaration)
        : context_(analysis.context), constants_(analysis, analysis.declarations.unit_of(declaration.where)),
          settings_(analysis.context, "machine '" + declaration.name.text + "'", declaration.name.where,
                    declaration.settings, {"nodes", "ranks_per_node", "node", "network", "inside", "allreduce"}) {
        machine_.name = declaration.name.text;
        machine_.where = declaration.name.where;
    }

    Machine read() {
        machine_.nodes = count("nodes");
        machine_.ranks_per_node = count("ranks_per_node");
        read_node(expect_call(context_, value("node"), "'node'", {"processor"}));
        machine_.network = read_link("network", true);
        if (settings_.find("inside"))
            machine_.inside = read_link("inside", false);
        if (settings_.find("allreduce"))
            machine_.allreduce = expect_word(context_, value("allreduce"), "'allreduce'",
                                             {"ring", "bucket", "rabenseifner", "recursive_doubling", "mst"});
        return machine_;
    }

  private:
    const syntax::Expression &value(const std::string &name) const { return settings_.value(settings_.require(name)); }

    std::int64_t count(const std::string &name) {
        if (!settings_.find(name))
            return 1;
        const syntax::Expression &expression = value(name);
        return expect_integer_in(context_, constants_.evaluate(expression), expression.where, "'" + name + "'", 1,
                                 most_nodes);
    }

    double quantity(const Arguments &arguments, const std::string &name, Measure measure) {
        const syntax::CallArgument &given = arguments.require(name);
        const double amount =
            expect_quantity(context_, constants_.evaluate(*given.value), given.where, arguments.what(name), measure);
        if (amount <= 0)
            context_.fail(not_positive, given.where, {arguments.what(name)});
        return amount;
    }

    void read_node(const syntax::Call &call) {
        const Arguments arguments(context_, call, {"peak", "memory_bandwidth", "memory", "gemm_block", "reduction"});
        machine_.flops_per_second = quantity(arguments, "peak", Measure::rate);
        machine_.memory_bytes_per_second = quantity(arguments, "memory_bandwidth", Measure::bandwidth);
        if (arguments.find("memory"))
            machine_.memory_bytes = quantity(arguments, "memory", Measure::memory);
        if (arguments.find("reduction"))
            machine_.reduction_flops_per_second = quantity(arguments, "reduction", Measure::rate);
        const syntax::CallArgument *block = arguments.find("gemm_block");
        if (!block)
            return;
        const Value blocks = constants_.evaluate(*block->value);
        for (const Value &size : expect_list(context_, blocks, block->where, arguments.what("gemm_block")))
            machine_.gemm_block.push_back(
                expect_integer_in(context_, size, block->where, arguments.what("gemm_block"), 1, most_nodes));
        if (machine_.gemm_block.size() != 3)
            fail_wrong_type(context_, block->where, arguments.what("gemm_block"), "a list [m, n, k] of three", blocks);
    }

    /// star(latency = …, bandwidth = …), torus(32, 32, latency = …, bandwidth = …)
    Link read_link(const std::string &name, bool between_nodes) {
        const syntax::Call &call = expect_call(context_, value(name), "'" + name + "'", {"star", "mesh", "torus"});
        Link link;
        link.topology = call.callee.text;
        std::vector<std::string> parameters;
        std::vector<std::string> shape;
        for (const syntax::CallArgument &argument : call.arguments)
            if (argument.kind == syntax::CallArgument::Kind::positional && link.topology != "star")
                shape.push_back("size of dimension " + std::to_string(shape.size() + 1));
        parameters = shape;
        parameters.insert(parameters.end(), {"latency", "bandwidth"});
        const Arguments arguments(context_, call, parameters);
        std::int64_t nodes = 1;
        for (const std::string &dimension : shape) {
            const syntax::CallArgument &given = arguments.require(dimension);
            link.shape.push_back(expect_integer_in(context_, constants_.evaluate(*given.value), given.where,
                                                   arguments.what(dimension), 1, most_nodes));
            if (__builtin_mul_overflow(nodes, link.shape.back(), &nodes))
                nodes = most_nodes + 1; // more than any machine has
        }
        const std::int64_t wanted = between_nodes ? machine_.nodes : machine_.ranks_per_node;
        if (link.topology != "star" && nodes != wanted)
            context_.fail(wrong_shape, call.callee.where,
                          {"a " + link.topology, std::to_string(nodes), std::to_string(wanted)});
        link.latency = support::Seconds(latency(arguments));
        link.bytes_per_second = quantity(arguments, "bandwidth", Measure::bandwidth);
        return link;
    }

    double latency(const Arguments &arguments) {
        const syntax::CallArgument &given = arguments.require("latency");
        return expect_quantity(context_, constants_.evaluate(*given.value), given.where, arguments.what("latency"),
                               Measure::time);
    }

    const Context &context_;
    Elaborator constants_;
    Settings settings_;
    Machine machine_;
};

} // namespace

Machine analyze_machine(const syntax::MachineDeclaration &declaration, Analysis &analysis) {
    return MachineReader(analysis, declaration).read();
}

} // namespace planc::sema
