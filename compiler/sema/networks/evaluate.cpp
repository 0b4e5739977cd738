// Evaluates expressions in the current frame.

#include "sema/names/check_names.h"
#include "sema/names/foreign_words.h"
#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <utility>

namespace planc::sema {

PLANC_DIAGNOSTIC(unknown_dimension, error, "unknown dimension '{0}'");                                             // D2
PLANC_DIAGNOSTIC(unknown_unit, error, "unknown unit '{0}'");                                                       // L6
PLANC_DIAGNOSTIC(elaboration_too_deep, error, "this is nested more than {0} levels deep once layers are inlined"); // N7
PLANC_DIAGNOSTIC(elaboration_too_long, error, "elaboration takes more than {0} steps");                            // X8
PLANC_DIAGNOSTIC(too_many_iterations, error, "a range of more than {0} numbers");                                  // X7
PLANC_DIAGNOSTIC(no_such_index, error, "there is no index {0}: the list has {1}");                                 // X9
PLANC_DIAGNOSTIC(indexed_tensor, error, "{0} is no list, so it has no index");                                     // X9
PLANC_DIAGNOSTIC(rest_outside_layer, error, "'..' has no meaning here");                                           // Y2

namespace {

constexpr int deepest = 2000;
constexpr std::int64_t longest = 2'000'000;
constexpr std::uint64_t most_iterations = 1'000'000;

} // namespace

/// Counts nesting and work, so that every program ends.
class Elaborator::Deeper {
  public:
    Deeper(Elaborator &elaborator, SourceRange where) : analysis_(elaborator.analysis_) {
        if (analysis_.depth >= deepest)
            elaborator.stop(elaboration_too_deep, where, {std::to_string(deepest)});
        elaborator.count_work(1, where);
        ++analysis_.depth;
    }
    ~Deeper() { --analysis_.depth; }
    Deeper(const Deeper &) = delete;
    Deeper &operator=(const Deeper &) = delete;

  private:
    Analysis &analysis_;
};

/// While an object exists, names are looked up with the given meaning.
class Elaborator::Meaning {
  public:
    Meaning(Elaborator &elaborator, Meant meant)
        : elaborator_(elaborator), before_(std::exchange(elaborator.meant_, meant)) {}
    ~Meaning() { elaborator_.meant_ = before_; }
    Meaning(const Meaning &) = delete;
    Meaning &operator=(const Meaning &) = delete;

  private:
    Elaborator &elaborator_;
    Meant before_;
};

void Elaborator::count_work(std::int64_t steps, SourceRange where) {
    analysis_.work += steps;
    if (analysis_.work > longest)
        stop(elaboration_too_long, where, {std::to_string(longest)});
}

Value Elaborator::evaluate(const syntax::Expression &expression, Meant meant) {
    const Meaning meaning(*this, meant);
    return evaluate(expression);
}

Value Elaborator::evaluate(const syntax::Expression &expression) {
    const Deeper deeper(*this, expression.where);
    struct Visitor {
        Elaborator &self;
        SourceRange where;

        Value operator()(const syntax::Number &number) const {
            if (!number.unit)
                return number.integral ? Value{number.integer} : Value{number.value};
            const std::optional<Unit> unit = parse_unit(number.unit->text);
            if (!unit) {
                const std::string other = counterpart_of_unit(number.unit->text);
                self.fail(unknown_unit, number.unit->where, {number.unit->text},
                          other.empty() ? Context::suggestion(number.unit->text, unit_words())
                                        : std::vector<Note>{hint("it is written '" + other + "' here")});
            }
            return self.quantity({number.value * unit->factor, unit->measure}, where);
        }
        Value operator()(const syntax::String &string) const { return {string.value}; }
        Value operator()(const syntax::Boolean &boolean) const { return {boolean.value}; }
        Value operator()(const syntax::Reference &reference) const { return self.reference(reference.name, where); }
        Value operator()(const syntax::List &list) const { return self.list(list); }
        Value operator()(const syntax::Range &range) const { return self.range(range, where); }
        Value operator()(const syntax::Tuple &tuple) const {
            std::vector<Value> items;
            for (const syntax::ExpressionPtr &item : tuple.items)
                items.push_back(self.evaluate(*item));
            return list_of(std::move(items));
        }
        Value operator()(const syntax::Index &index) const { return self.index(index); }
        Value operator()(const syntax::Call &call) const {
            const Meaning meaning(self, Meant::any); // each argument says for itself
            return self.call(call, where);
        }
        Value operator()(const syntax::Unary &unary) const { return self.unary(unary, where); }
        Value operator()(const syntax::Binary &binary) const { return self.binary(binary, where); }
        Value operator()(const syntax::Choice &choice) const { return self.choice(choice); }
        Value operator()(const syntax::Fold &fold) const { return self.fold(fold); }
    };
    return std::visit(Visitor{*this, expression.where}, expression.node);
}

std::int64_t Elaborator::extent(const syntax::Expression &expression, const std::string &role) {
    const Value value = evaluate(expression, Meant::dimension);
    // The extent of another dimension may be meant: `dim query = key`.
    const auto *dimension = value.get<DimensionValue>();
    const std::int64_t result =
        dimension ? expect_dimension(context(), value, expression.where, "an extent").extent
                  : expect_integer(context(), value, expression.where, "the extent of '" + role + "'");
    check_extent(context(), result, expression.where, role);
    return result;
}

const Value *Elaborator::local(const std::string &name) const {
    for (auto scope = frame_->scopes.rbegin(); scope != frame_->scopes.rend(); ++scope)
        if (const auto found = scope->find(name); found != scope->end()) {
            if (found->second.failed || found->second.layer) // check_names() has reported a layer that is no value
                context().give_up();
            return &found->second.value;
        }
    return nullptr;
}

Value Elaborator::reference(const std::string &name, SourceRange where) {
    if (meant_ == Meant::dimension)
        return dimension_reference(name, where);
    const Value *value = local(name);
    return value ? *value : global_reference(name, where);
}

/// A name where only a dimension can stand does not mean a tensor of that name.
Value Elaborator::dimension_reference(const std::string &name, SourceRange where) {
    const Value *value = local(name);
    if (!value)
        return global_reference(name, where);
    const bool dimension = frame_->bound.contains(name) || analysis_.dimensions.known(without_primes(name)) ||
                           analysis_.dimensions.find(name, frame_->unit);
    return value->get<TensorValue>() && dimension ? global_reference(name, where) : *value;
}

Value Elaborator::global_reference(const std::string &name, SourceRange where) {
    if (const auto bound = frame_->bound.find(name); bound != frame_->bound.end()) {
        if (bound->second.size() == 1)
            return {bound->second.front()};
        return list_of(bound->second);
    }
    if (name == "zeros" || name == "ones")
        return {Initializer{Initializer::Kind::constant, name == "ones" ? 1.0 : 0.0, 0}};
    if (const auto dimension = analysis_.dimensions.find(name, frame_->unit))
        return {*dimension};
    const auto may_have_failed = [&](const std::string &role) { // here, or where a file is imported that leaves it open
        int unit = frame_->unit;
        while (unit >= 0 && !analysis_.declarations.may_have_failed(role, unit))
            unit = analysis_.declarations.units[static_cast<std::size_t>(unit)].importer;
        return unit >= 0;
    };
    if (analysis_.dimensions.known(without_primes(name)) && may_have_failed(name))
        context().give_up();
    if (analysis_.dimensions.known(without_primes(name)))
        return {DimensionValue{name, DimensionValue::open, DimensionValue::by_role, where}};
    std::vector<std::string> candidates = analysis_.dimensions.roles();
    for (const Scope &scope : frame_->scopes)
        for (const auto &[local, value] : scope)
            candidates.push_back(local);
    for (const auto &[bound, value] : frame_->bound)
        candidates.push_back(bound);
    if (!loss_names_ || !loss_names_->failed.contains(std::string()))
        report_unknown_name(analysis_, name, where, frame_->unit, candidates);
    context().give_up();
}

Value Elaborator::list(const syntax::List &list) {
    std::vector<Value> items;
    for (const syntax::ListItem &item : list.items)
        append_item(item, items);
    return list_of(std::move(items));
}

void Elaborator::append_item(const syntax::ListItem &item, std::vector<Value> &items) {
    using Kind = syntax::ListItem::Kind;
    std::vector<DimensionValue> several;
    if (item.kind == Kind::rest)
        several = rest(item.where);
    if (item.kind == Kind::spread)
        several = spread(*item.name);
    if (item.kind == Kind::extent)
        several = {extent_on_the_spot(*item.name, *item.value)};
    for (const DimensionValue &dimension : several)
        items.push_back({dimension});
    if (item.kind != Kind::value)
        return;
    const auto *name = std::get_if<syntax::Reference>(&item.value->node);
    const bool tensor = meant_ == Meant::tensor && name && local(name->name) && local(name->name)->get<TensorValue>();
    if (name && !tensor && frame_->bound.contains(name->name)) {
        for (const DimensionValue &dimension : frame_->bound.at(name->name))
            items.push_back({dimension});
        return;
    }
    items.push_back(evaluate(*item.value));
}

std::vector<DimensionValue> Elaborator::rest(SourceRange where) {
    const auto bound = frame_->bound.find("..");
    if (bound == frame_->bound.end())
        fail(rest_outside_layer, where, {},
             {hint("it stands for dimensions only in a layer whose signature has a '..'")});
    return bound->second;
}

std::vector<DimensionValue> Elaborator::spread(const syntax::Name &name) {
    const Value value = dimension_reference(name.text, name.where);
    return expect_dimensions(context(), value, name.where, "'" + name.text + "' after '..'");
}

std::vector<DimensionValue> Elaborator::dimension(const syntax::Name &name) {
    if (const auto bound = frame_->bound.find(name.text); bound != frame_->bound.end())
        return bound->second;
    const Value value = dimension_reference(name.text, name.where);
    const auto *open = value.get<DimensionValue>();
    if (open && open->extent == DimensionValue::open) {
        if (!context().is_first(missing_extent(name.text)))
            context().give_up();
        std::vector<Note> notes =
            Context::suggestion(name.text, analysis_.declarations.visible(&UnitNames::dimensions, frame_->unit));
        if (notes.empty())
            notes = {hint(extent_hint(name.text))};
        fail(unknown_dimension, name.where, {name.text}, notes);
    }
    return {expect_dimension(context(), value, name.where, "'" + name.text + "'")};
}

DimensionValue Elaborator::extent_on_the_spot(const syntax::Name &name, const syntax::Expression &expression) {
    std::string role = name.text;
    const auto bound = frame_->bound.find(role);
    if (bound != frame_->bound.end() && bound->second.size() == 1)
        role = bound->second.front().role;
    return {role, extent(expression, name.text), DimensionValue::by_role, name.where};
}

std::vector<DimensionValue> Elaborator::dimensions(std::span<const syntax::DimensionItem> items) {
    using Kind = syntax::DimensionItem::Kind;
    std::vector<DimensionValue> all;
    for (const syntax::DimensionItem &item : items) {
        std::vector<DimensionValue> some;
        if (item.kind == Kind::rest)
            some = rest(item.where);
        else if (item.kind == Kind::spread)
            some = spread(item.name);
        else if (item.extent)
            some = {extent_on_the_spot(item.name, *item.extent)};
        else
            some = dimension(item.name);
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

Value Elaborator::range(const syntax::Range &range, SourceRange where) {
    const auto bound = [&](const syntax::Expression &expression, const char *what) {
        return expect_integer(context(), evaluate(expression, Meant::dimension), expression.where, what);
    };
    const std::int64_t first = bound(*range.first, "the start of a range");
    const std::int64_t last = bound(*range.last, "the end of a range");
    const bool any = first < last;
    if (any && static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) > most_iterations)
        fail(too_many_iterations, where, {std::to_string(most_iterations)});
    std::vector<Value> items;
    for (std::int64_t i = first; i < last; ++i)
        items.push_back(whole(i));
    return list_of(std::move(items));
}

Value Elaborator::index(const syntax::Index &index) {
    const Value values = evaluate(*index.list);
    if (const auto *tensor = values.get<TensorValue>())
        fail(indexed_tensor, index.list->where, {to_string(*tensor)},
             {hint("'slice(x, dimension: 0..1)' takes a part of a tensor")});
    const std::vector<Value> &items = expect_list(context(), values, index.list->where, "what is before '['");
    const std::int64_t at =
        expect_integer(context(), evaluate(*index.index, Meant::dimension), index.index->where, "an index");
    if (at < 0 || at >= static_cast<std::int64_t>(items.size()))
        fail(no_such_index, index.index->where, {std::to_string(at), count_of_values(items.size())});
    return items[static_cast<std::size_t>(at)];
}

/// X5: only the branch taken is elaborated.
Value Elaborator::choice(const syntax::Choice &choice) {
    const Value condition = evaluate(*choice.condition, Meant::dimension);
    const bool chosen = expect_boolean(context(), condition, choice.condition->where, "a condition");
    return evaluate(chosen ? *choice.then : *choice.otherwise);
}

/// While an object exists, the names of the frame are those of one iteration: "block[3]".
class Elaborator::Iteration {
  public:
    Iteration(Frame &frame, const std::string &path) : frame_(frame), path_(frame.path), layer_(frame.layer) {
        frame.path = path;
        if (frame.names_layers)
            frame.layer = path;
        frame.scopes.emplace_back();
    }
    ~Iteration() {
        frame_.scopes.pop_back();
        frame_.path = path_;
        frame_.layer = layer_;
    }
    Iteration(const Iteration &) = delete;
    Iteration &operator=(const Iteration &) = delete;

  private:
    Frame &frame_;
    std::string path_;
    std::string layer_;
};

Value Elaborator::fold(const syntax::Fold &fold) {
    Value accumulator = evaluate(*fold.start);
    const Value values = evaluate(*fold.values);
    const std::vector<Value> &items = expect_list(context(), values, fold.values->where, "the values of a fold");
    std::string path = site_.path;
    if (fold.label) {
        path = join(frame_->path, fold.label->text);
        if (frame_->names_layers)
            register_layer(path, *fold.label);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Iteration iteration(*frame_, path + "[" + std::to_string(i) + "]");
        accumulator = iterate(fold, accumulator, items[i], fold.values->where);
    }
    return accumulator;
}

Value Elaborator::iterate(const syntax::Fold &fold, const Value &accumulator, const Value &item, SourceRange where) {
    define(fold.accumulators, accumulator, fold.start->where);
    define(fold.variables, item, where);
    Flow flow = execute(fold.body);
    if (!flow.result) // check_bodies() has seen to it that every way yields, unless something did not parse
        context().give_up();
    return *std::move(flow.result);
}

} // namespace planc::sema
