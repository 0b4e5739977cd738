#include "syntax/operators.h"

namespace planc::syntax {

const char *sign(BinaryOperator operation) {
    switch (operation) {
    case BinaryOperator::add:
        return "+";
    case BinaryOperator::subtract:
        return "-";
    case BinaryOperator::multiply:
        return "*";
    case BinaryOperator::divide:
        return "/";
    case BinaryOperator::remainder:
        return "%";
    case BinaryOperator::equal:
        return "==";
    case BinaryOperator::not_equal:
        return "!=";
    case BinaryOperator::less:
        return "<";
    case BinaryOperator::less_equal:
        return "<=";
    case BinaryOperator::greater:
        return ">";
    case BinaryOperator::greater_equal:
        return ">=";
    case BinaryOperator::logical_and:
        return "and";
    case BinaryOperator::logical_or:
        return "or";
    }
    return "";
}

} // namespace planc::syntax
