#include "sema/layouts/layouts.h"

#include "pipeline/makers.h"
#include "pipeline/text.h"
#include "sema/layouts/batch.h"
#include "sema/layouts/cuts.h"
#include "sema/layouts/layout_rules.h"
#include "sema/layouts/places.h"
#include "sema/layouts/schedule_table.h"
#include "sema/networks/elaborate.h"
#include "sema/pipeline_schedules.h"
#include "sema/values/expect.h"
#include "sema/values/settings.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_mesh, error, "unknown mesh '{0}'");                                // P1
PLANC_DIAGNOSTIC(unknown_axis, error, "mesh '{1}' has no axis '{0}'");                      // P2
PLANC_DIAGNOSTIC(repeated_axis, error, "axis '{0}' occurs twice in one rule");              // P2
PLANC_DIAGNOSTIC(unknown_rule_dimension, error, "no layer has a dimension '{0}'");          // P2
PLANC_DIAGNOSTIC(unknown_layer, error, "'{0}' selects no layer");                           // P4
PLANC_DIAGNOSTIC(duplicate_rule, error, "dimension '{0}' has two rules in the same place"); // P5
PLANC_DIAGNOSTIC(misplaced_rule, error, "'{0}' holds for a whole layout");                  // P4
PLANC_DIAGNOSTIC(unknown_rule, error, "{0} must be {1}");                                   // P7, P9
PLANC_DIAGNOSTIC(repeated_rule, error, "'{0}' is given twice");                             // P7, P9 to P11, P15
PLANC_DIAGNOSTIC(cover_of_nothing, error,
                 "'cover' needs a product with a square sparse matrix in a training on all vertices"); // P15
PLANC_DIAGNOSTIC(too_many_parts, error, "'cover' of {0} parts of {1} rows");                           // P15
PLANC_DIAGNOSTIC(too_many_microbatches, error, "{0} micro-batches of a batch of {1}");                 // P10
PLANC_DIAGNOSTIC(unknown_layout_setting, error, "a layout has no setting '{0}'");                      // P9
PLANC_DIAGNOSTIC(chunks_not_interleaved, error, "'chunks' goes with 'schedule = interleaved'");        // P8
PLANC_DIAGNOSTIC(misplaced_accumulate, error, "'accumulate' goes with 'schedule = pipedream_2bw'");    // P8
PLANC_DIAGNOSTIC(changing_without_microbatches, error,
                 "'schedule = {0}' needs 'microbatches', on which the results depend");     // P8
PLANC_DIAGNOSTIC(forbidden_pipeline, error, "the layout forbids the pipeline that it has"); // P9
PLANC_DIAGNOSTIC(several_pipeline_axes, error, "a pipeline lies along one axis");           // P8
PLANC_DIAGNOSTIC(split_along_pipeline, error, "axis '{0}' has the stages of the pipeline"); // P8
PLANC_DIAGNOSTIC(sizes_without_pipeline, error,
                 "axis '{0}' has a size for each stage, but layout '{1}' has no pipeline"); // H5
PLANC_DIAGNOSTIC(sizes_of_stages, error,
                 "axis '{0}' has the stages of the pipeline: its size is their number"); // H5
PLANC_DIAGNOSTIC(number_of_sizes, error,
                 "axis '{0}' has {1} for the {2} positions along the pipeline's axis '{3}'"); // H5
PLANC_DIAGNOSTIC(ranks_of_table, error, "ranks of the schedule: {0}, of axis '{1}': {2}");    // P8
PLANC_DIAGNOSTIC(microbatches_of_table, error, "micro-batches of the schedule: {0}");         // P8
PLANC_DIAGNOSTIC(cut_before_first, error, "'{0}' is the first layer: no stage is before it"); // P8
PLANC_DIAGNOSTIC(cut_after_last, error, "'{0}' is the last layer: no stage is behind it");    // P8
PLANC_DIAGNOSTIC(repeated_cut, error, "this cut is the same as '{0}'");                       // P8

namespace {

class LayoutReader {
  public:
    LayoutReader(Analysis &analysis, const syntax::LayoutDeclaration &declaration, bool check_layers)
        : analysis_(analysis), context_(analysis.context), declaration_(declaration),
          unit_(analysis.declarations.unit_of(declaration.where)), check_layers_(check_layers) {
        layout_.name = declaration.name.text;
        layout_.automatic = declaration.automatic;
        layout_.where = declaration.name.where;
        collect_names();
    }

    Layout read() {
        const std::int64_t before = context_.failures();
        mesh_known_ = context_.attempt([&] { find_mesh(); });
        read_items(declaration_.items, "");
        context_.attempt([&] { check_pipeline_axis(); });
        if (mesh_known_ && context_.failures() == before) // else the rule of the pipeline may be missing
            context_.attempt([&] { check_sizes_by_position(); });
        context_.attempt([&] { settle_changing_weights(); });
        return std::move(layout_);
    }

  private:
    void collect_names() {
        std::set<std::string> seen;
        const auto add = [&](const Network &network) {
            for (const std::string &layer : network.layers)
                if (seen.insert(layer).second)
                    layers_.push_back(layer);
            for (const Operation &operation : network.operations)
                for (const std::string &name : loop_names(network, operation))
                    dimensions_.insert(name);
        };
        for (const Network &network : analysis_.program.networks)
            add(network);
        for (const Train &train : analysis_.program.trains)
            add(train.loss);
    }

    void find_mesh() {
        if (!declaration_.mesh) {
            mesh_ = {layout_.name, false, analyze_axes(declaration_.axes, declaration_.mesh_where, analysis_), "",
                     declaration_.mesh_where};
            analysis_.program.meshes.push_back(mesh_);
            layout_.mesh = layout_.name;
            return;
        }
        const syntax::Name &name = *declaration_.mesh;
        const auto *node = analysis_.declarations.find(&UnitNames::meshes, name.text, unit_);
        if (!node)
            analysis_.fail_unknown(unknown_mesh, name, &UnitNames::meshes, unit_);
        mesh_ = analyze_mesh(*node, analysis_);
        layout_.mesh = name.text;
    }

    void read_items(const std::vector<syntax::LayoutItem> &items, const std::string &selector) {
        std::map<std::string, SourceRange> here;
        std::map<std::string, SourceRange> said; // other than rules of dimensions
        for (const syntax::LayoutItem &item : items)
            context_.attempt([&] {
                if (const auto *rule = std::get_if<syntax::LayoutRule>(&item.node)) {
                    const auto [entry, fresh] = here.emplace(rule->dimension.text, item.where);
                    if (!fresh)
                        context_.fail(duplicate_rule, item.where, {rule->dimension.text},
                                      {{entry->second, "the first one is here"}});
                    read_rule(*rule, selector, item.where);
                } else if (const auto *selection = std::get_if<syntax::LayoutSelection>(&item.node)) {
                    read_selection(*selection, selector);
                } else {
                    read_other(item, selector, said);
                }
            });
    }

    void read_other(const syntax::LayoutItem &item, const std::string &selector,
                    std::map<std::string, SourceRange> &said) {
        const bool recompute = std::holds_alternative<syntax::RecomputeRule>(item.node);
        if (!selector.empty() && !recompute)
            context_.fail(misplaced_rule, item.where, {words(item)}, {hint("write it outside of '" + selector + "'")});
        check_once(item, said);
        if (recompute)
            layout_.recomputes.push_back({selector, item.where});
        else
            read_whole(item);
    }

    static std::string words(const syntax::LayoutItem &item) {
        if (const auto *store = std::get_if<syntax::StoreRule>(&item.node))
            return "store " + store->what.text;
        if (std::holds_alternative<syntax::PipelineRule>(item.node))
            return "pipeline";
        if (const auto *limit = std::get_if<syntax::LimitRule>(&item.node))
            return limit->what.text;
        if (const auto *forbid = std::get_if<syntax::ForbidRule>(&item.node))
            return "forbid " + forbid->what.text;
        const auto *setting = std::get_if<syntax::Setting>(&item.node);
        return setting ? setting->name.text : "recompute";
    }

    void check_once(const syntax::LayoutItem &item, std::map<std::string, SourceRange> &said) const {
        const auto [entry, fresh] = said.emplace(words(item), item.where);
        if (!fresh)
            context_.fail(repeated_rule, item.where, {words(item)}, {{entry->second, "first said here"}});
    }

    void read_rule(const syntax::LayoutRule &rule, const std::string &selector, SourceRange where) {
        const std::string &dimension = rule.dimension.text;
        const std::vector<std::string> target = axes(rule.target);
        const bool declared = !dimension.ends_with('\'') && analysis_.dimensions.find(dimension, unit_);
        const bool may_be = !analysis_.networks_complete && analysis_.dimensions.known(without_primes(dimension));
        if (check_layers_ && !dimensions_.contains(dimension) && !declared && !may_be &&
            !analysis_.declarations.may_have_failed(dimension, unit_)) {
            std::vector<std::string> candidates(dimensions_.begin(), dimensions_.end());
            context_.fail(unknown_rule_dimension, rule.dimension.where, {dimension},
                          Context::suggestion(dimension, candidates));
        }
        layout_.rules.push_back({selector, dimension, target, where});
    }

    std::vector<std::string> axes(const syntax::AxisList &list) {
        std::vector<std::string> names;
        if (!mesh_known_)
            return names;
        for (const syntax::Name &axis : list.axes) {
            std::vector<std::string> known;
            for (const MeshAxis &other : mesh_.axes)
                known.push_back(other.name);
            if (std::find(known.begin(), known.end(), axis.text) == known.end()) {
                std::vector<Note> notes = Context::suggestion(axis.text, known);
                if (mesh_.automatic)
                    notes = {{mesh_.where, "its axes are chosen by the planner and have no names"}};
                context_.fail(unknown_axis, axis.where, {axis.text, mesh_.name}, notes);
            }
            if (std::find(names.begin(), names.end(), axis.text) != names.end())
                context_.fail(repeated_axis, axis.where, {axis.text});
            names.push_back(axis.text);
        }
        return names;
    }

    std::string checked_selector(const std::string &outer, const syntax::Selector &selector) const {
        const std::string path = outer.empty() ? selector.text : outer + "." + selector.text;
        const bool found =
            std::any_of(layers_.begin(), layers_.end(), [&](const std::string &layer) { return selects(path, layer); });
        if (check_layers_ && !found && !may_have_failed(path)) {
            std::vector<Note> notes = Context::suggestion(path, layers_);
            if (notes.empty() && !layers_.empty())
                notes = {hint("there are " + some_of(layers_))};
            context_.fail(unknown_layer, selector.where, {path}, notes);
        }
        return path;
    }

    /// Whether the selector could select a layer that is missing because it has failed.
    bool may_have_failed(const std::string &path) const {
        return std::any_of(analysis_.failed_layers.begin(), analysis_.failed_layers.end(),
                           [&](const std::string &failed) { return may_select_within(path, failed); });
    }

    void read_selection(const syntax::LayoutSelection &selection, const std::string &outer) {
        read_items(selection.items, checked_selector(outer, selection.selector));
    }

    void read_whole(const syntax::LayoutItem &item) {
        if (const auto *store = std::get_if<syntax::StoreRule>(&item.node)) {
            read_store(*store, item.where);
        } else if (const auto *pipeline = std::get_if<syntax::PipelineRule>(&item.node)) {
            read_pipeline(*pipeline, item.where);
        } else if (const auto *limit = std::get_if<syntax::LimitRule>(&item.node)) {
            expect("a limit", limit->what, {"memory"});
            Elaborator constants(analysis_, unit_);
            layout_.memory_limit_bytes = expect_quantity(context_, constants.evaluate(*limit->bound),
                                                         limit->bound->where, "the limit", Measure::memory);
        } else if (const auto *forbid = std::get_if<syntax::ForbidRule>(&item.node)) {
            expect("the word after 'forbid'", forbid->what, {"pipeline"});
            layout_.forbid_pipeline = true;
        } else if (const auto *setting = std::get_if<syntax::Setting>(&item.node)) {
            read_setting(*setting);
        }
    }

    void expect(const char *what, const syntax::Name &name, const std::vector<std::string> &words) const {
        if (std::find(words.begin(), words.end(), name.text) == words.end())
            context_.fail(unknown_rule, name.where, {what, one_of(words)}, Context::suggestion(name.text, words));
    }

    void read_store(const syntax::StoreRule &store, SourceRange where) {
        using What = StoreRule::What;
        expect("the word after 'store'", store.what, {"params", "gradients", "optimizer"});
        const What what = store.what.text == "params"      ? What::params
                          : store.what.text == "gradients" ? What::gradients
                                                           : What::optimizer;
        layout_.stores.push_back({what, axes(store.target), where});
    }

    void read_setting(const syntax::Setting &setting) {
        if (setting.name.text == "cover")
            read_cover(*setting.value, setting.where);
        else if (setting.name.text == "microbatches")
            read_microbatches(*setting.value, setting.where);
        else
            context_.fail(unknown_layout_setting, setting.name.where, {setting.name.text},
                          Context::suggestion(setting.name.text, {"cover", "microbatches"}));
    }

    void read_cover(const syntax::Expression &value, SourceRange where) {
        if (layout_.cover)
            context_.fail(repeated_rule, where, {"cover"}, {{layout_.cover_where, "first said here"}});
        const std::int64_t parts = expect_count(value, "'cover'");
        std::int64_t most = 0;                                           // of the squares' rows
        if (const std::vector<Train> &trains = analysis_.program.trains; // of which the last one is compiled
            !trains.empty() && trains.back().batch_vertices == 0)
            for (const Argument &matrix : trains.back().loss.matrices)
                if (is_square(matrix.type))
                    most = std::max(most, matrix.type.dimensions[0].extent);
        if (most == 0)
            context_.fail(cover_of_nothing, where, {});
        if (parts > most)
            context_.fail(too_many_parts, where, {std::to_string(parts), std::to_string(most)});
        layout_.cover = parts;
        layout_.cover_where = where;
    }

    void read_microbatches(const syntax::Expression &value, SourceRange where) {
        if (layout_.microbatches)
            context_.fail(repeated_rule, where, {"microbatches"}, {{layout_.microbatches_where, "first said here"}});
        set_microbatches(expect_count(value, "'microbatches'"), where);
    }

    void set_microbatches(std::int64_t count, SourceRange where) {
        for (const Train &train : analysis_.program.trains)
            if (const std::optional<std::int64_t> batch = batch_of(train); !batch)
                context_.give_up();
            else if (count > *batch)
                context_.fail(too_many_microbatches, where, {std::to_string(count), std::to_string(*batch)});
        layout_.microbatches = count;
        layout_.microbatches_where = where;
    }

    std::int64_t expect_count(const syntax::Expression &value, const std::string &what) {
        Elaborator constants(analysis_, unit_);
        return expect_integer_in(context_, constants.evaluate(value), value.where, what, 1,
                                 std::numeric_limits<std::int32_t>::max());
    }

    /// P8
    void read_pipeline(const syntax::PipelineRule &rule, SourceRange where) {
        PipelineRule pipeline;
        pipeline.where = where;
        const std::vector<std::string> along = axes(rule.target);
        if (mesh_known_ && along.size() != 1)
            context_.fail(several_pipeline_axes, where, {});
        if (mesh_known_)
            pipeline.axis = along.front();
        const Settings settings(context_, "a pipeline", where, rule.settings,
                                {"schedule", "microbatches", "chunks", "accumulate"});
        if (const syntax::Setting *count = settings.find("microbatches"))
            read_microbatches(settings.value(*count), count->where);
        if (const syntax::Setting *schedule = settings.find("schedule")) {
            pipeline.schedule_where = schedule->where;
            pipeline.schedule = expect_word(context_, settings.value(*schedule, Settings::Braces::table), "'schedule'",
                                            {"gpipe", "one_f_one_b", "interleaved", "zero_bubble", "zb_v", "table",
                                             "chimera", "pipedream", "pipedream_2bw"});
            if (pipeline.schedule == "table")
                read_table(*schedule, pipeline);
            else
                static_cast<void>(settings.value(*schedule)); // without actions
        }
        if (pipeline.schedule == "zb_v")
            pipeline.chunks = 2;
        if (const syntax::Setting *count = settings.find("chunks")) {
            pipeline.chunks = expect_count(settings.value(*count), "'chunks'");
            if (pipeline.schedule != "interleaved")
                context_.fail(chunks_not_interleaved, count->where, {});
        }
        if (const syntax::Setting *count = settings.find("accumulate")) {
            pipeline.accumulate = expect_count(settings.value(*count), "'accumulate'");
            if (pipeline.schedule != "pipedream_2bw")
                context_.fail(misplaced_accumulate, count->where, {});
        }
        for (const syntax::Cut &cut : rule.cuts)
            for (const syntax::Selector &layer : cut.layers)
                read_cut({cut.after, checked_selector("", layer), layer.where}, pipeline.cuts);
        layout_.pipeline = std::move(pipeline);
    }

    /// The table tells ranks, stages and micro-batches.
    void read_table(const syntax::Setting &setting, PipelineRule &rule) {
        const pipeline::Schedule table = read_schedule_table(context_, setting);
        for (const MeshAxis &axis : mesh_.axes)
            if (mesh_known_ && axis.name == rule.axis && axis.size && *axis.size != table.ranks)
                context_.fail(ranks_of_table, setting.braces,
                              {std::to_string(table.ranks), axis.name, std::to_string(*axis.size)});
        rule.schedule = pipeline::text(table);
        rule.chunks = std::max(1, table.stages / table.ranks);
        if (layout_.microbatches && *layout_.microbatches != table.micro_batches)
            context_.fail(microbatches_of_table, layout_.microbatches_where, {std::to_string(table.micro_batches)});
        if (!layout_.microbatches)
            set_microbatches(table.micro_batches, setting.braces);
    }

    /// The results of these schedules depend on the micro-batches, so the compiler does not choose them. By default,
    /// two updates take a batch: then results do not depend on the number of stages.
    void settle_changing_weights() {
        if (!layout_.pipeline || !changes_weights(layout_.pipeline->schedule))
            return;
        PipelineRule &rule = *layout_.pipeline;
        if (!layout_.microbatches)
            context_.fail(changing_without_microbatches, rule.schedule_where, {rule.schedule});
        if (rule.schedule == "pipedream_2bw")
            rule.schedule = pipeline::two_versions_name(
                static_cast<int>(rule.accumulate > 0 ? rule.accumulate : (*layout_.microbatches + 1) / 2));
    }

    void read_cut(const Cut &cut, std::vector<Cut> &cuts) const {
        const bool trained = !analysis_.program.trains.empty(); // else nobody knows which layers are behind the network
        const std::vector<std::string> &layers = trained ? analysis_.program.trains.back().loss.layers : layers_;
        const std::optional<std::size_t> place = place_of(cut, layers);
        if (place == 0)
            context_.fail(cut_before_first, cut.where, {cut.path});
        if (trained && place == layers.size())
            context_.fail(cut_after_last, cut.where, {cut.path});
        for (const Cut &other : cuts)
            if (place ? place == place_of(other, layers) : text(cut) == text(other))
                context_.fail(repeated_cut, cut.where, {text(other)}, {{other.where, "the other cut is here"}});
        cuts.push_back(cut);
    }

    void check_pipeline_axis() const {
        if (!layout_.pipeline)
            return;
        if (layout_.forbid_pipeline)
            context_.fail(forbidden_pipeline, layout_.pipeline->where, {});
        const auto check = [&](const std::vector<std::string> &axes, SourceRange where) {
            if (std::find(axes.begin(), axes.end(), layout_.pipeline->axis) != axes.end())
                context_.fail(split_along_pipeline, where, {layout_.pipeline->axis},
                              {{layout_.pipeline->where, "the pipeline is here"}});
        };
        for (const Rule &rule : layout_.rules)
            check(rule.axes, rule.where);
        for (const StoreRule &rule : layout_.stores)
            check(rule.axes, rule.where);
    }

    /// H5
    void check_sizes_by_position() const {
        std::int64_t positions = 0; // open
        for (const MeshAxis &axis : mesh_.axes)
            if (layout_.pipeline && axis.name == layout_.pipeline->axis)
                positions = axis.size.value_or(0);
        for (const MeshAxis &axis : mesh_.axes) {
            if (axis.sizes.empty())
                continue;
            if (!layout_.pipeline)
                context_.fail(sizes_without_pipeline, declaration_.mesh_where, {axis.name, layout_.name},
                              {{axis.where, "the sizes are here"}});
            if (axis.name == layout_.pipeline->axis)
                context_.fail(sizes_of_stages, axis.where, {axis.name},
                              {{layout_.pipeline->where, "the pipeline is here"}});
            const auto count = static_cast<std::int64_t>(axis.sizes.size());
            if (positions == 0)
                positions = count;
            if (count != positions)
                context_.fail(number_of_sizes, axis.where,
                              {axis.name, std::to_string(count) + (count == 1 ? " size" : " sizes"),
                               std::to_string(positions), layout_.pipeline->axis});
        }
    }

    Analysis &analysis_;
    const Context &context_;
    const syntax::LayoutDeclaration &declaration_;
    int unit_;
    bool check_layers_;
    Layout layout_;
    Mesh mesh_;
    bool mesh_known_ = false;
    std::vector<std::string> layers_;
    std::set<std::string> dimensions_;
};

} // namespace

void analyze_layout(const syntax::LayoutDeclaration &declaration, bool check_layers, Analysis &analysis) {
    const bool known = check_layers && !(analysis.program.networks.empty() && analysis.program.trains.empty());
    const std::int64_t before = analysis.context.failures();
    Layout layout = LayoutReader(analysis, declaration, known).read();
    if (check_layers && analysis.context.failures() == before)
        check_axes(layout, analysis);
    analysis.program.layouts.push_back(std::move(layout));
}

} // namespace planc::sema
