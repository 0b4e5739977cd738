#include "sema/names/walk.h"
#include "sema/networks/elaborate.h"
#include "sema/training/data_fields.h"
#include "sema/training/training.h"
#include "sema/values/expect.h"
#include "sema/values/limits.h"
#include "sema/values/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_network, error, "unknown network '{0}'");                               // R1
PLANC_DIAGNOSTIC(not_a_network, error, "'{0}' is a layer, not a network");                       // R1
PLANC_DIAGNOSTIC(unknown_data, error, "unknown data '{0}'");                                     // R1
PLANC_DIAGNOSTIC(unknown_layout, error, "unknown layout '{0}'");                                 // R4
PLANC_DIAGNOSTIC(unused_field, warning, "the loss does not use '{0}': nothing is drawn for it"); // T13
PLANC_DIAGNOSTIC(loss_not_scalar, error, "the loss must be one number, got {0}");                // R2
PLANC_DIAGNOSTIC(loss_of_no_layer, error, "the loss depends on no layer of '{0}'");              // R2
PLANC_DIAGNOSTIC(no_duration, error, "training needs 'epochs' or 'steps'");                      // R4
PLANC_DIAGNOSTIC(two_durations, error, "training is by 'epochs' or by 'steps', not by both");    // R4
PLANC_DIAGNOSTIC(best_of_what, error, "'best' takes one word, 'accuracy' or 'loss'");            // R7
PLANC_DIAGNOSTIC(no_accuracy, error,
                 "'keep = best(accuracy)' needs an accuracy, and this loss is no 'cross_entropy' of a label");  // R7
PLANC_DIAGNOSTIC(nothing_to_validate, error, "'keep' needs a part to validate with, and data '{0}' has none");  // R7
PLANC_DIAGNOSTIC(patience_without_keep, error, "'patience' counts epochs since the best one and needs 'keep'"); // R7
PLANC_DIAGNOSTIC(sampling_without, error,
                 "'{0}' needs '{1}': a step then takes a batch of vertices and samples their "
                 "neighbours"); // R8
PLANC_DIAGNOSTIC(samples_of_graph, error,
                 "'{0}' goes with graph data; elsewhere the batch is a dimension of the "
                 "network");                                                                            // R8
PLANC_DIAGNOSTIC(empty_fanout, error, "'fanout' is empty: it has a number of neighbours for each hop"); // R8
PLANC_DIAGNOSTIC(trees_too_large, error,
                 "{0} vertices with these numbers of neighbours make a tensor of more than 2^60 bytes"); // R8
PLANC_DIAGNOSTIC(batch_above_vertices, error, "'batch' is {0}, but there are {1} vertices");             // R8
PLANC_DIAGNOSTIC(too_many_steps, error, "{0} epochs of {1} steps are more than {2} steps");              // R4

namespace {

/// Whether the result is computed from what a layer of the network computes, in a way that gradients pass.
bool depends_on_a_layer(const Network &loss) {
    std::vector<ValueId> open = loss.results;
    std::set<ValueId> seen(open.begin(), open.end());
    while (!open.empty()) {
        const Operation &operation = loss.operations[static_cast<std::size_t>(open.back())];
        open.pop_back();
        if (operation.type.element == ElementType::i32 || operation.text == "stop_gradient")
            continue; // no gradient passes
        if (operation.kind != OperationKind::input && operation.layer != "loss")
            return true;
        for (const ValueId operand : operation.operands)
            if (seen.insert(operand).second)
                open.push_back(operand);
    }
    return false;
}

class TrainReader {
  public:
    TrainReader(Analysis &analysis, const syntax::TrainDeclaration &declaration)
        : analysis_(analysis), context_(analysis.context), declaration_(declaration),
          unit_(analysis.declarations.unit_of(declaration.where)),
          settings_(analysis.context, "training", declaration.network.where, declaration.settings,
                    {"loss", "optimizer", "epochs", "steps", "seed", "layout", "keep", "patience", "batch", "fanout"}) {
        train_.network = declaration.network.text;
        train_.data = declaration.data.text;
        train_.where = declaration.where;
    }

    /// Reads each part if the parts on which it depends are known.
    void read() {
        const std::int64_t before = context_.failures();
        Data *data = nullptr;
        const bool network_known = context_.attempt([&] { find_network(); });
        context_.attempt([&] { data = &find_data(); });
        const bool loss_known = network_known && data && context_.attempt([&] { read_loss(*data); });
        const bool duration_known = context_.attempt([&] { read_duration(); });
        context_.attempt([&] {
            if (settings_.find("seed"))
                train_.seed = static_cast<std::uint64_t>(number("seed", 0, std::numeric_limits<std::int64_t>::max()));
        });
        context_.attempt([&] {
            if (settings_.find("layout"))
                read_layout();
        });
        context_.attempt([&] {
            if (loss_known) {
                finish_data(*data);
                put_samples_first(*data, train_.loss.arguments);
                read_sampling(*data);
                check_fields(*data, train_, analysis_);
                check_steps(*data);
            }
        });
        context_.attempt([&] {
            if (loss_known)
                read_keep(*data);
        });
        context_.attempt([&] {
            const syntax::Setting &optimizer = settings_.require("optimizer");
            static_cast<void>(settings_.value(optimizer, Settings::Braces::groups));
            train_.optimizer = analyze_optimizer(optimizer, unit_, train_, {loss_known, duration_known}, analysis_);
        });
        if (loss_known) // also if another part has failed: layouts are checked against it
            analysis_.program.trains.push_back(std::move(train_));
        else
            mark_failed(network_known);
        analysis_.networks_complete = analysis_.networks_complete && context_.failures() == before;
    }

  private:
    /// Marks the layers that are missing: of a network of this file only those of the loss, otherwise all.
    void mark_failed(bool network_known) {
        const syntax::CallableDeclaration *network =
            analysis_.declarations.in_unit(&UnitNames::callables, declaration_.network.text, unit_);
        analysis_.failed_layers.emplace_back(network_known && network && unit_ == 0 ? "loss" : "*");
    }

    const syntax::Expression &value(const char *name) const { return settings_.value(settings_.require(name)); }

    std::int64_t number(const char *name, std::int64_t least, std::int64_t most) {
        const syntax::Expression &expression = value(name);
        Elaborator constants(analysis_, unit_);
        return expect_integer_in(context_, constants.evaluate(expression), expression.where,
                                 "'" + std::string(name) + "'", least, most);
    }

    void find_network() {
        const syntax::Name &name = declaration_.network;
        const auto *callable = analysis_.declarations.find(&UnitNames::callables, name.text, unit_);
        if (!callable)
            analysis_.fail_unknown(unknown_network, name, &UnitNames::callables, unit_);
        if (callable->kind != syntax::CallableDeclaration::Kind::network)
            context_.fail(not_a_network, name.where, {name.text}, {{callable->name.where, "declared here"}});
        for (const syntax::Parameter &parameter : callable->parameters)
            arguments_.push_back(parameter.name.text);
    }

    Data &find_data() {
        const syntax::Name &name = declaration_.data;
        for (Data &data : analysis_.program.data)
            if (data.name == name.text)
                return data;
        analysis_.fail_unknown(unknown_data, name, &UnitNames::data, unit_);
    }

    /// The names that the loss may use: the fields of the data set; where fields are drawn, all names that it uses.
    std::vector<std::pair<std::string, SourceRange>> fields(const Data &data, const syntax::Expression &loss) const {
        std::vector<std::pair<std::string, SourceRange>> all;
        for (const Field &field : data.fields)
            all.emplace_back(field.name, field.where);
        if (draws_fields(data))
            add_references(loss, all);
        return all;
    }

    void add_references(const syntax::Expression &expression,
                        std::vector<std::pair<std::string, SourceRange>> &all) const {
        if (const auto *reference = std::get_if<syntax::Reference>(&expression.node)) {
            const bool argument = std::find(arguments_.begin(), arguments_.end(), reference->name) != arguments_.end();
            const bool is_there =
                std::any_of(all.begin(), all.end(), [&](const auto &field) { return field.first == reference->name; });
            if (!is_there && (argument || !analysis_.dimensions.known(reference->name)))
                all.emplace_back(reference->name, expression.where);
        }
        for_each_child(expression, [&](const syntax::Expression &child) { add_references(child, all); });
    }

    void read_loss(const Data &data) {
        const syntax::Expression &expression = value("loss");
        const Elaborator::LossNames names{train_.network, fields(data, expression), analysis_.failed_fields[data.name]};
        train_.loss.name = train_.network;
        train_.loss.where = expression.where;
        const Elaborator::Loss loss = Elaborator(analysis_, train_.loss).elaborate_loss(expression, names, unit_);
        if (!loss.loss.dimensions.empty())
            context_.fail(loss_not_scalar, expression.where, {to_string(loss.loss)},
                          {hint("reduce it with 'reduce_mean' or 'reduce_sum'")});
        if (!depends_on_a_layer(train_.loss))
            context_.fail(loss_of_no_layer, expression.where, {train_.network});
        train_.prediction = loss.prediction;
        train_.label = loss.label;
        train_.class_role = loss.class_role;
        train_.ignored = loss.ignored;
    }

    void read_duration() {
        const syntax::Setting *epochs = settings_.find("epochs");
        const syntax::Setting *steps = settings_.find("steps");
        if (!epochs && !steps)
            context_.fail(no_duration, declaration_.network.where, {});
        if (epochs && steps)
            context_.fail(two_durations, steps->where, {}, {{epochs->where, "the other is here"}});
        (epochs ? train_.epochs : train_.steps) = number(epochs ? "epochs" : "steps", 1, most_steps);
    }

    /// Checks the number of steps if the number of samples is known at compile time.
    void check_steps(const Data &data) const {
        const std::int64_t all = train_.loss.arguments.front().type.dimensions.front().extent;
        const std::int64_t batch = train_.batch_vertices > 0 ? train_.batch_vertices : all;
        const double steps = std::ceil(training_samples(data) / static_cast<double>(batch));
        if (static_cast<double>(train_.epochs) * steps > static_cast<double>(most_steps))
            context_.fail(too_many_steps, value("epochs").where,
                          {std::to_string(train_.epochs), std::to_string(static_cast<std::int64_t>(steps)),
                           std::to_string(most_steps)});
    }

    void read_sampling(const Data &data) {
        const syntax::Setting *batch = settings_.find("batch");
        const syntax::Setting *fanout = settings_.find("fanout");
        if (!batch && !fanout)
            return;
        const syntax::Setting &given = batch ? *batch : *fanout;
        if (data.format != "graph")
            context_.fail(samples_of_graph, given.where, {given.name.text});
        if (!batch || !fanout)
            context_.fail(sampling_without, given.where, {given.name.text, batch ? "fanout" : "batch"});
        train_.sampling_where = fanout->where;
        constexpr std::int64_t most_neighbours = 1 << 20;
        train_.batch_vertices = number("batch", 1, std::numeric_limits<std::int32_t>::max());
        const std::int64_t vertices = train_.loss.arguments.front().type.dimensions.front().extent;
        if (train_.batch_vertices > vertices)
            context_.fail(batch_above_vertices, value("batch").where,
                          {std::to_string(train_.batch_vertices), std::to_string(vertices)});
        const syntax::Expression &list = value("fanout");
        Elaborator constants(analysis_, unit_);
        const Value values = constants.evaluate(list);
        for (const Value &each : expect_list(context_, values, list.where, "'fanout'"))
            train_.fanout.push_back(
                expect_integer_in(context_, each, list.where, "a number of 'fanout'", 1, most_neighbours));
        if (train_.fanout.empty())
            context_.fail(empty_fanout, list.where, {});
        check_trees(vertices, list.where);
    }

    /// Every tensor may have a tree for each vertex of the batch.
    void check_trees(std::int64_t vertices, const SourceRange &where) const {
        double growth = static_cast<double>(train_.batch_vertices) / static_cast<double>(vertices);
        for (const std::int64_t neighbours : train_.fanout)
            growth *= static_cast<double>(1 + neighbours);
        for (const Operation &operation : train_.loss.operations) {
            double bytes = 8;
            for (const Dimension &dimension : operation.type.dimensions)
                bytes *= static_cast<double>(dimension.extent);
            if (bytes * growth > 0x1p60)
                context_.fail(trees_too_large, where, {std::to_string(train_.batch_vertices)});
        }
    }

    void read_keep(const Data &data) {
        if (!settings_.find("keep")) {
            if (settings_.find("patience"))
                context_.fail(patience_without_keep, value("patience").where, {},
                              {hint("write 'keep = best(accuracy)' or 'keep = best(loss)'")});
            return;
        }
        const syntax::Expression &keep = value("keep");
        const syntax::Call &best = expect_call(context_, keep, "'keep'", {"best"});
        if (best.arguments.size() != 1 || best.arguments[0].name)
            context_.fail(best_of_what, keep.where, {});
        const syntax::Expression &by = *best.arguments[0].value;
        const bool by_accuracy = expect_word(context_, by, "what is best", {"accuracy", "loss"}) == "accuracy";
        if (by_accuracy && train_.label < 0)
            context_.fail(no_accuracy, by.where, {}, {hint("'keep = best(loss)' needs none")});
        if (data.format != "graph" || data.split != Data::Split::column)
            context_.fail(nothing_to_validate, keep.where, {data.name},
                          {hint("a graph has one where 'split = column(…)' says 'validation'")});
        train_.keep = by_accuracy ? Keep::best_accuracy : Keep::best_loss;
        if (settings_.find("patience"))
            train_.patience = number("patience", 1, most_steps);
    }

    void read_layout() {
        const syntax::Expression &expression = value("layout");
        const auto *reference = std::get_if<syntax::Reference>(&expression.node);
        const std::string name = reference ? reference->name : "";
        if (reference && analysis_.declarations.may_have_failed(name, unit_) &&
            !analysis_.declarations.find(&UnitNames::layouts, name, unit_))
            context_.give_up();
        if (!reference || !analysis_.declarations.find(&UnitNames::layouts, name, unit_))
            context_.fail(unknown_layout, expression.where,
                          {reference ? name : std::string(context_.files.text(expression.where))},
                          Context::suggestion(name, analysis_.declarations.visible(&UnitNames::layouts, unit_)));
        train_.layout = name;
    }

    /// Gives data whose fields are drawn the fields that the loss uses.
    void finish_data(Data &data) {
        if (!draws_fields(data))
            return;
        for (const Argument &argument : train_.loss.arguments) {
            const bool there = std::any_of(data.fields.begin(), data.fields.end(),
                                           [&](const Field &field) { return field.name == argument.name; });
            if (!there)
                data.fields.emplace_back().name = argument.name;
        }
        for (const Field &field : data.fields)
            if (field.drawn.kind != Drawn::Kind::automatic &&
                std::ranges::none_of(train_.loss.arguments,
                                     [&](const Argument &argument) { return argument.name == field.name; }))
                context_.report(unused_field, field.where, {field.name});
        constexpr std::int64_t default_batches = 16;
        for (const Argument &argument : train_.loss.arguments)
            if (data.format == "synthetic" && data.samples == 0 && !argument.type.dimensions.empty())
                data.samples = default_batches * argument.type.dimensions.front().extent; // a tensor has at most 2^60
    }

    Analysis &analysis_;
    const Context &context_;
    const syntax::TrainDeclaration &declaration_;
    int unit_;
    Settings settings_;
    Train train_;
    std::vector<std::string> arguments_; ///< of the network
};

} // namespace

void analyze_train(const syntax::TrainDeclaration &declaration, Analysis &analysis) {
    TrainReader(analysis, declaration).read();
}

} // namespace planc::sema
