#include "syntax/build.h"
#include "syntax/expected.h"

#include <charconv>
#include <map>

namespace planc::syntax {

namespace {

PLANC_DIAGNOSTIC(number_out_of_range, error, "the number {0} does not fit into 64 bits");                       // L5
PLANC_DIAGNOSTIC(unknown_escape, error, "unknown escape '{0}' in a string; there are \\\\, \\\", \\n and \\t"); // L7
PLANC_DIAGNOSTIC(expected_plain_name, error, "expected a plain name before '{0}', got '{1}'");                  // P3

BinaryOperator binary_operator(std::size_t token) {
    using G = grammar::PlanParser;
    static const std::map<std::size_t, BinaryOperator> operators = {
        {G::PLUS, BinaryOperator::add},
        {G::MINUS, BinaryOperator::subtract},
        {G::STAR, BinaryOperator::multiply},
        {G::SLASH, BinaryOperator::divide},
        {G::REMAINDER, BinaryOperator::remainder},
        {G::EQUAL, BinaryOperator::equal},
        {G::NOT_EQUAL, BinaryOperator::not_equal},
        {G::LESS, BinaryOperator::less},
        {G::LESS_EQUAL, BinaryOperator::less_equal},
        {G::GREATER, BinaryOperator::greater},
        {G::GREATER_EQUAL, BinaryOperator::greater_equal},
        {G::AND, BinaryOperator::logical_and},
        {G::OR, BinaryOperator::logical_or},
    };
    return operators.at(token);
}

} // namespace

SourceRange Builder::where(const antlr4::ParserRuleContext &context) const {
    return places_.from_to(*context.start, *context.stop);
}

SourceRange Builder::where(const antlr4::ParserRuleContext *context) const {
    return context ? where(*context) : SourceRange{};
}

Name Builder::name(Grammar::NameContext &context) {
    return {context.getText(), where(context)};
}

void Builder::not_a_name(SourceRange place, const std::string &sign) {
    diagnostics_.report(expected_plain_name, place, {sign, shortened(places_.text(place))});
    throw Abandoned{};
}

Name Builder::plain_name(const Expression &expression, const std::string &sign) {
    const auto *reference = std::get_if<Reference>(&expression.node);
    if (!reference || expression.parenthesized) {
        diagnostics_.report(expected_plain_name, expression.where, {sign, std::string(places_.text(expression.where))});
        throw Abandoned{};
    }
    return {reference->name, expression.where};
}

ExpressionPtr Builder::expression_pointer(Grammar::ExpressionContext *context) {
    return context ? std::make_unique<Expression>(expression(*context)) : nullptr;
}

Expression Builder::expression(Grammar::ExpressionContext &context) {
    if (depth_ == deepest_nesting) {
        report_too_deep(where(context), diagnostics_);
        throw Abandoned{};
    }
    ++depth_;
    Expression result;
    if (context.primary()) {
        result = primary(*context.primary());
    } else if (context.LEFT_BRACKET()) {
        result.node = Index{expression_pointer(context.expression(0)), expression_pointer(context.expression(1))};
    } else if (context.expression().size() == 1) {
        const bool minus = context.operation->getType() == Grammar::MINUS;
        result.node = Unary{minus ? UnaryOperator::negate : UnaryOperator::logical_not,
                            expression_pointer(context.expression(0))};
    } else {
        result = binary(context);
    }
    --depth_;
    result.where = where(context);
    return result;
}

Expression Builder::binary(Grammar::ExpressionContext &context) {
    ExpressionPtr left = expression_pointer(context.expression(0));
    ExpressionPtr right = expression_pointer(context.expression(1));
    Expression result;
    if (context.operation->getType() == Grammar::DOTS)
        result.node = Range{std::move(left), std::move(right)};
    else
        result.node = Binary{binary_operator(context.operation->getType()), where(*context.operation), std::move(left),
                             std::move(right)};
    return result;
}

Expression Builder::primary(Grammar::PrimaryContext &context) {
    Expression result;
    if (context.number()) {
        result.node = number(*context.number());
    } else if (context.STRING()) {
        result.node = String{string(*context.STRING())};
    } else if (context.call()) {
        result = call(*context.call());
    } else if (context.list()) {
        List list;
        for (auto *child : context.list()->item())
            list.items.push_back(item(*child));
        result.node = std::move(list);
    } else if (context.choice()) {
        result = choice(*context.choice());
    } else if (context.fold()) {
        result = fold(*context.fold());
    } else if (context.expression().size() == 1) {
        result = expression(*context.expression(0));
        result.parenthesized = true;
    } else if (!context.expression().empty()) {
        Tuple tuple;
        for (auto *child : context.expression())
            tuple.items.push_back(expression_pointer(child));
        result.node = std::move(tuple);
    } else {
        result.node = Boolean{context.TRUE() != nullptr};
    }
    return result;
}

Number Builder::number(Grammar::NumberContext &context) {
    Number result;
    result.text = context.start->getText();
    result.integral = context.INTEGER() != nullptr;
    const char *first = result.text.data();
    const char *last = first + result.text.size();
    // Also as a double: before a unit, 3 and 3.0 mean the same.
    const auto decimal = std::from_chars(first, last, result.value);
    const auto whole = result.integral ? std::from_chars(first, last, result.integer) : decimal;
    if (decimal.ec != std::errc{} || whole.ec != std::errc{}) {
        diagnostics_.report(number_out_of_range, where(*context.start), {shortened(result.text)});
        throw Abandoned{};
    }
    if (context.PERCENT())
        result.unit = Name{"%", where(*context.PERCENT()->getSymbol())};
    else if (context.unit())
        result.unit = Name{context.unit()->getText(), where(*context.unit())};
    return result;
}

std::string Builder::string(antlr4::tree::TerminalNode &node) {
    const std::string text = node.getText();
    std::string value;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] != '\\') {
            value += text[i];
            continue;
        }
        const char escaped = text[++i];
        if (std::string_view("\\\"nt").find(escaped) == std::string_view::npos) {
            SourceRange place = where(*node.getSymbol());
            place.begin += static_cast<std::int32_t>(i - 1);
            place.end = place.begin + 2;
            diagnostics_.report(unknown_escape, place, {std::string("\\") + escaped});
            throw Abandoned{};
        }
        value += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped;
    }
    return value;
}

Expression Builder::call(Grammar::CallContext &context) {
    Expression result;
    result.where = where(context);
    Name callee = name(*context.name());
    if (context.arguments())
        result.node = Call{std::move(callee), arguments(*context.arguments())};
    else
        result.node = Reference{std::move(callee.text)};
    return result;
}

std::vector<CallArgument> Builder::arguments(Grammar::ArgumentsContext &context) {
    std::vector<CallArgument> result;
    for (auto *child : context.argument())
        result.push_back(argument(*child));
    return result;
}

CallArgument Builder::argument(Grammar::ArgumentContext &context) {
    CallArgument result;
    result.where = where(context);
    ExpressionPtr first = expression_pointer(context.expression(0));
    ExpressionPtr second = expression_pointer(context.expression(1));
    if (!second) {
        result.value = std::move(first);
    } else if (context.ARROW()) {
        result.kind = CallArgument::Kind::mapping;
        result.value = std::move(first);
        result.target = std::move(second);
    } else {
        const bool extent = context.COLON() != nullptr;
        result.kind = extent ? CallArgument::Kind::extent : CallArgument::Kind::named;
        result.name = plain_name(*first, extent ? ":" : "=");
        result.value = std::move(second);
    }
    return result;
}

ListItem Builder::item(Grammar::ItemContext &context) {
    ListItem result;
    result.where = where(context);
    if (context.DOTS()) {
        result.kind = context.name() ? ListItem::Kind::spread : ListItem::Kind::rest;
        if (context.name())
            result.name = name(*context.name());
        return result;
    }
    ExpressionPtr first = expression_pointer(context.expression(0));
    if (context.COLON()) {
        result.kind = ListItem::Kind::extent;
        result.name = plain_name(*first, ":");
        result.value = expression_pointer(context.expression(1));
    } else {
        result.value = std::move(first);
    }
    return result;
}

Expression Builder::choice(Grammar::ChoiceContext &context) {
    Choice result;
    result.condition = expression_pointer(context.expression(0));
    result.then = expression_pointer(context.expression(1));
    result.otherwise = context.choice() ? std::make_unique<Expression>(choice(*context.choice()))
                                        : expression_pointer(context.expression(2));
    Expression expression;
    expression.where = where(context);
    expression.node = std::move(result);
    return expression;
}

Expression Builder::fold(Grammar::FoldContext &context) {
    Fold result;
    for (auto *accumulator : context.accumulators)
        result.accumulators.push_back(name(*accumulator));
    result.start = expression_pointer(context.initial);
    for (auto *variable : context.variables)
        result.variables.push_back(name(*variable));
    result.values = expression_pointer(context.values);
    if (context.label)
        result.label = name(*context.label);
    result.body = block(*context.block());
    result.braces = where(context.block());
    Expression expression;
    expression.where = where(context);
    expression.node = std::move(result);
    return expression;
}

} // namespace planc::syntax
