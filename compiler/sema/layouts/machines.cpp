#include "sema/layouts/places.h"
#include "sema/layouts/rates.h"
#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"
#include "sema/values/settings.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(wrong_shape, error, "{0} of {1} nodes for a machine of {2}");                               // M1
PLANC_DIAGNOSTIC(inside_of_one_rank, error, "'inside' joins the ranks of a node, and each node has one");    // M1
PLANC_DIAGNOSTIC(sizes_of_star, error, "a star takes {0}");                                                  // M1, M3
PLANC_DIAGNOSTIC(levels_said_twice, error, "'levels' replaces '{0}': give only one of them");                // M3
PLANC_DIAGNOSTIC(lists_nothing, error, "'{0}' is an empty list");                                            // M3, M4
PLANC_DIAGNOSTIC(not_a_plain_item, error, "'{0}' lists plain items only");                                   // M3, M4
PLANC_DIAGNOSTIC(machine_too_large, error, "a machine has at most {0} ranks");                               // M3
PLANC_DIAGNOSTIC(first_range_above, error, "the first algorithm of '{0}' is for all sizes: no 'above'");     // M4
PLANC_DIAGNOSTIC(range_without_above, error, "'{0}' needs the size above which it is used");                 // M4
PLANC_DIAGNOSTIC(ranges_not_ascending, error, "'{1}' is for smaller vectors than '{0}' before it");          // M4
PLANC_DIAGNOSTIC(hierarchical_on_one_level, error, "'hierarchical' is for machines of more than one level"); // M4

namespace {

constexpr std::int64_t most_nodes = 1'000'000'000;
constexpr std::int64_t most_links = 1'000'000;
constexpr std::int64_t unknown_units = -1; // of a level: an error is known

class MachineReader {
  public:
    MachineReader(Analysis &analysis, const syntax::MachineDeclaration &declaration)
        : context_(analysis.context), constants_(analysis, analysis.declarations.unit_of(declaration.where)),
          settings_(analysis.context, "machine '" + declaration.name.text + "'", declaration.name.where,
                    declaration.settings,
                    {"nodes", "ranks_per_node", "node", "network", "inside", "levels", "allreduce", "reduce_scatter",
                     "allgather", "broadcast", "alltoall", "kernels", "collectives"}) {
        machine_.name = declaration.name.text;
        machine_.where = declaration.name.where;
    }

    Machine read() {
        context_.attempt([&] { read_node(expect_call(context_, value("node"), "'node'", {"processor"})); });
        levels_known_ = context_.attempt([&] {
            if (settings_.find("levels"))
                read_levels();
            else
                read_nodes();
        });
        const std::vector<std::string> by_messages = {"mpi", "auto"};
        read_algorithms("allreduce", {"ring", "bucket", "rabenseifner", "recursive_doubling", "mst", "hierarchical"},
                        by_messages, machine_.allreduce);
        read_algorithms("reduce_scatter", {"ring", "bucket", "recursive_halving"}, by_messages,
                        machine_.reduce_scatter);
        read_algorithms("allgather", {"ring", "bucket", "recursive_doubling"}, by_messages, machine_.allgather);
        read_algorithms("broadcast", {"binomial", "scatter_allgather"}, {}, machine_.broadcast);
        read_algorithms("alltoall", {"pairwise"}, {}, machine_.alltoall);
        RatesReader rates(context_, constants_);
        context_.attempt([&] {
            if (settings_.find("kernels"))
                machine_.kernels = rates.kernels(items("kernels"));
        });
        context_.attempt([&] {
            if (settings_.find("collectives"))
                machine_.collectives = rates.collectives(items("collectives"));
        });
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
        return positive_quantity(context_, constants_, arguments, name, measure);
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

    /// `nodes`, `ranks_per_node`, `network`, `inside`: one level or two.
    void read_nodes() {
        std::int64_t nodes = unknown_units;
        std::int64_t ranks = unknown_units;
        context_.attempt([&] { nodes = count("nodes"); });
        context_.attempt([&] { ranks = count("ranks_per_node"); });
        if (nodes > 0 && ranks > 0)
            check_size(ranks, nodes, machine_.where);
        Link network;
        const bool joined = context_.attempt([&] { network = read_link(value("network"), "'network'", nodes); });
        if (settings_.find("inside")) {
            if (ranks == 1)
                context_.fail(inside_of_one_rank, settings_.require("inside").name.where, {});
            machine_.levels.push_back(read_link(value("inside"), "'inside'", ranks));
        } else if (ranks > 1) {
            machine_.levels.push_back({ranks, "star", {}, 1, network.latency, network.bytes_per_second});
        }
        machine_.levels.push_back(network);
        if (nodes < 0 || ranks < 0 || !joined)
            context_.give_up();
    }

    /// [star(8, …), star(16, …), torus(4, 4, …)]: innermost first, each with how many units of the one before it joins.
    void read_levels() {
        for (const char *other : {"nodes", "ranks_per_node", "inside", "network"})
            if (const syntax::Setting *setting = settings_.find(other))
                context_.fail(levels_said_twice, settings_.require("levels").name.where, {other},
                              {{setting->name.where, "'" + std::string(other) + "' is set here"}});
        std::int64_t ranks = 1;
        for (const syntax::Expression *level : items("levels")) {
            machine_.levels.push_back(read_link(*level, "'levels'", 0));
            check_size(ranks, machine_.levels.back().units, level->where);
            ranks *= machine_.levels.back().units;
        }
    }

    void check_size(std::int64_t ranks, std::int64_t units, SourceRange where) const {
        if (units > most_nodes / ranks)
            context_.fail(machine_too_large, where, {std::to_string(most_nodes)});
    }

    /// star(latency = …, bandwidth = …), torus(32, 32, latency = …, bandwidth = …, links = 2). If `units` is 0, the
    /// sizes give the number of units, also for a star.
    Link read_link(const syntax::Expression &expression, const std::string &what, std::int64_t units) {
        const syntax::Call &call = expect_call(context_, expression, what, topologies);
        Link link;
        link.topology = call.callee.text;
        link.units = units;
        const bool sized = link.topology != "star" || units == 0;
        std::vector<std::string> sizes;
        for (const syntax::CallArgument &argument : call.arguments) {
            if (argument.kind != syntax::CallArgument::Kind::positional)
                continue;
            if (link.topology == "star" && (units != 0 || !sizes.empty()))
                context_.fail(sizes_of_star, argument.where,
                              {units != 0 ? "no size: " + what + " joins all units"
                                          : "one size, the number of units that it joins"});
            sizes.push_back(size_word(link, sizes.size()));
        }
        if (sizes.empty() && sized)
            sizes.push_back(size_word(link, 0));
        std::vector<std::string> parameters = sizes;
        parameters.insert(parameters.end(), {"latency", "bandwidth", "links"});
        const Arguments arguments(context_, call, parameters);
        read_sizes(call, arguments, sizes, link);
        link.latency = support::Seconds(latency(arguments));
        link.bytes_per_second = quantity(arguments, "bandwidth", Measure::bandwidth);
        if (const syntax::CallArgument *links = arguments.find("links"))
            link.links = expect_integer_in(context_, constants_.evaluate(*links->value), links->where,
                                           arguments.what("links"), 1, most_links);
        return link;
    }

    static std::string size_word(const Link &link, std::size_t index) {
        return link.topology == "star" ? "units" : "size of dimension " + std::to_string(index + 1);
    }

    void read_sizes(const syntax::Call &call, const Arguments &arguments, const std::vector<std::string> &sizes,
                    Link &link) {
        if (sizes.empty())
            return;
        std::int64_t product = 1;
        for (const std::string &dimension : sizes) {
            const syntax::CallArgument &given = arguments.require(dimension);
            link.shape.push_back(expect_integer_in(context_, constants_.evaluate(*given.value), given.where,
                                                   arguments.what(dimension), 1, most_nodes));
            if (__builtin_mul_overflow(product, link.shape.back(), &product))
                product = most_nodes + 1; // more than any machine has
        }
        if (link.units > 0 && product != link.units)
            context_.fail(wrong_shape, call.callee.where,
                          {"a " + link.topology, std::to_string(product), std::to_string(link.units)});
        link.units = product;
        if (link.topology == "star")
            link.shape.clear();
    }

    double latency(const Arguments &arguments) {
        const syntax::CallArgument &given = arguments.require("latency");
        return expect_quantity(context_, constants_.evaluate(*given.value), given.where, arguments.what("latency"),
                               Measure::time);
    }

    /// One word, or a list: `[recursive_doubling, ring(above = 64 KiB)]`. `others`: words beside the `known`
    /// algorithms.
    void read_algorithms(const std::string &name, const std::vector<std::string> &known,
                         const std::vector<std::string> &others, std::vector<AlgorithmRange> &ranges) {
        context_.attempt([&] {
            if (settings_.find(name))
                for (const syntax::Expression *each : items(name))
                    add_range(name, *each, known, others, ranges);
        });
    }

    void add_range(const std::string &name, const syntax::Expression &expression, const std::vector<std::string> &known,
                   const std::vector<std::string> &others, std::vector<AlgorithmRange> &ranges) {
        std::vector<std::string> words = known;
        words.insert(words.end(), others.begin(), others.end());
        const auto *call = std::get_if<syntax::Call>(&expression.node);
        const std::string word = call != nullptr
                                     ? expect_call(context_, expression, "'" + name + "'", words).callee.text
                                     : expect_word(context_, expression, "'" + name + "'", words);
        AlgorithmRange range{word == "mpi" ? known.front() : word, 0, word == "mpi"};
        const bool has_above = call != nullptr && read_arguments(*call, known, range);
        check_order(name, expression.where, has_above, word, range, ranges);
        if (word != "auto") {
            add_alternative(expression.where, range, ranges);
            return;
        }
        for (const std::string &each : known) // all of them, each once
            if (each != "bucket" && (each != "hierarchical" || machine_.levels.size() > 1))
                ranges.push_back({each, range.above_bytes, false});
    }

    /// Reads the arguments of `ring(above = 64 KiB)` and `mpi(ring, above = 64 KiB)`. Returns whether the size, which
    /// may be missing, is given.
    bool read_arguments(const syntax::Call &call, const std::vector<std::string> &known, AlgorithmRange &range) {
        const std::vector<std::string> parameters =
            range.by_mpi ? std::vector<std::string>{"algorithm", "above"} : std::vector<std::string>{"above"};
        const Arguments arguments(context_, call, parameters);
        if (range.by_mpi) {
            if (const syntax::CallArgument *priced = arguments.find("algorithm"))
                range.algorithm = expect_word(context_, *priced->value, arguments.what("algorithm"), known);
            if (arguments.find("above") == nullptr)
                return false;
        }
        range.above_bytes = quantity(arguments, "above", Measure::memory);
        return true;
    }

    void check_order(const std::string &name, SourceRange where, bool has_above, const std::string &word,
                     const AlgorithmRange &range, const std::vector<AlgorithmRange> &ranges) const {
        if (has_above && ranges.empty())
            context_.fail(first_range_above, where, {name});
        if (!ranges.empty() && !has_above && ranges.back().above_bytes > 0)
            context_.fail(range_without_above, where, {word});
        if (!ranges.empty() && range.above_bytes < ranges.back().above_bytes)
            context_.fail(ranges_not_ascending, where, {ranges.back().algorithm, word});
    }

    void add_alternative(SourceRange where, const AlgorithmRange &range, std::vector<AlgorithmRange> &ranges) const {
        if (range.algorithm == "hierarchical" && levels_known_ && machine_.levels.size() == 1)
            context_.fail(hierarchical_on_one_level, where, {});
        ranges.push_back(range);
    }

    /// The items of a setting that is a list, or its value as the only item.
    std::vector<const syntax::Expression *> items(const std::string &name) const {
        const syntax::Expression &expression = value(name);
        const auto *list = std::get_if<syntax::List>(&expression.node);
        if (list == nullptr)
            return {&expression};
        if (list->items.empty())
            context_.fail(lists_nothing, expression.where, {name});
        std::vector<const syntax::Expression *> result;
        for (const syntax::ListItem &item : list->items) {
            if (item.kind != syntax::ListItem::Kind::value)
                context_.fail(not_a_plain_item, item.where, {name});
            result.push_back(&*item.value);
        }
        return result;
    }

    inline static const std::vector<std::string> topologies{"star", "mesh", "torus"};

    const Context &context_;
    Elaborator constants_;
    Settings settings_;
    Machine machine_;
    bool levels_known_ = false; ///< else an error is known
};

} // namespace

Machine analyze_machine(const syntax::MachineDeclaration &declaration, Analysis &analysis) {
    return MachineReader(analysis, declaration).read();
}

} // namespace planc::sema
