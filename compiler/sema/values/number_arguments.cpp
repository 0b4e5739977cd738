#include "sema/values/number_arguments.h"

#include "sema/values/expect.h"
#include "sema/values/limits.h"

#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(optimizer_range, error, "{0} must be {1}"); // R3, R6

double NumberArguments::number(const syntax::Expression &expression, SourceRange where, const std::string &what,
                               const NumberRange &range) {
    const double value = expect_number(context_, constants_.evaluate(expression), expression.where, what);
    if (value > range.most && !range.limited)
        context_.fail(optimizer_range, where, {what, "at most 1e30"});
    if (value < range.least || value > range.most || (range.above && value <= range.least) ||
        (range.below && value >= range.most))
        context_.fail(optimizer_range, where, {what, range.words});
    return value;
}

void NumberArguments::read(const char *name, const NumberRange &range, double &place) {
    if (const syntax::CallArgument *given = arguments_.find(name))
        place = number(*given->value, given->where, arguments_.what(name), range);
}

void NumberArguments::read(const char *name, bool &place) {
    if (const syntax::CallArgument *given = arguments_.find(name))
        place = expect_boolean(context_, constants_.evaluate(*given->value), given->where, arguments_.what(name));
}

std::optional<std::int64_t> NumberArguments::count(const char *name) {
    const syntax::CallArgument *given = arguments_.find(name);
    if (!given)
        return std::nullopt;
    return expect_integer_in(context_, constants_.evaluate(*given->value), given->where, arguments_.what(name), 1,
                             most_steps);
}

std::vector<std::int64_t> NumberArguments::ascending(const char *name) {
    const syntax::CallArgument &given = arguments_.require(name);
    const Value list = constants_.evaluate(*given.value);
    std::vector<std::int64_t> numbers;
    for (const Value &item : expect_list(context_, list, given.where, arguments_.what(name))) {
        const std::int64_t number = expect_integer_in(context_, item, given.where, arguments_.what(name),
                                                      std::numeric_limits<std::int64_t>::min(), most_steps);
        if (number <= (numbers.empty() ? 0 : numbers.back()))
            context_.fail(optimizer_range, given.where,
                          {arguments_.what(name), "whole numbers above zero, each larger than the one before it"});
        numbers.push_back(number);
    }
    return numbers;
}

} // namespace planc::sema
