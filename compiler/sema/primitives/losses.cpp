// Losses, and the fields of the data set in them: a field takes its type from its first use.

#include "sema/networks/elaborate.h"
#include "sema/values/expect.h"

#include <algorithm>
#include <limits>

namespace planc::sema {

PLANC_DIAGNOSTIC(softmax_twice, warning, "'cross_entropy' takes a softmax itself, and this is the result of one"); // O5
PLANC_DIAGNOSTIC(labels_mismatch, error, "labels of {0} must be i32 with its dimensions but one, got {1}");        // O5
PLANC_DIAGNOSTIC(weights_mismatch, error, "weights of classes have the dimension {1} alone, got {0}");             // O5
PLANC_DIAGNOSTIC(weights_count, error, "'weights' has {0} for the classes of {1}");                                // O5
PLANC_DIAGNOSTIC(prediction_mismatch, error, "'mean_square_error' of {0} and {1}: the dimensions differ");         // O5
PLANC_DIAGNOSTIC(field_of_two_types, error, "data field '{0}' is used as {1} and as {2}");                         // T4

TensorValue Elaborator::field(const FieldValue &field, const TensorType &type, SourceRange where) {
    if (const auto matrix = matrix_fields_.find(field.name); matrix != matrix_fields_.end())
        fail(field_of_two_types, where, {field.name, to_string(matrix->second), to_string(type)});
    const auto known = fields_.find(field.name);
    if (known != fields_.end()) {
        const TensorType before = type_of(known->second);
        if (before.element != type.element || before.dimensions != type.dimensions)
            fail(field_of_two_types, where, {field.name, to_string(before), to_string(type)});
        return known->second;
    }
    TensorType own = type;
    network_->arguments.push_back({field.name, own, where});
    const TensorValue tensor = input(field.name, own, where);
    fields_.emplace(field.name, tensor);
    return tensor;
}

TensorValue Elaborator::labels_of(const TensorValue &logits, std::size_t class_position, const Value &value,
                                  SourceRange where) {
    TensorValue expected = logits;
    expected.element = ElementType::i32;
    expected.dimensions.erase(expected.dimensions.begin() + static_cast<std::ptrdiff_t>(class_position));
    if (const auto *data = value.get<FieldValue>())
        return field(*data, type_of(expected), where);
    TensorValue labels = expect_tensor(value, where, "'labels' of 'cross_entropy'");
    const auto same = [](const DimensionValue &a, const DimensionValue &b) {
        return a.role == b.role && a.extent == b.extent;
    };
    if (labels.element != ElementType::i32 || !std::equal(labels.dimensions.begin(), labels.dimensions.end(),
                                                          expected.dimensions.begin(), expected.dimensions.end(), same))
        fail(labels_mismatch, where, {to_string(logits), to_string(labels)});
    return labels;
}

/// A tensor with the dimension of the classes alone, or a list with a number for each.
TensorValue Elaborator::class_weights(const TensorValue &logits, std::size_t class_position, const Value &value,
                                      SourceRange where) {
    const DimensionValue &classes = logits.dimensions[class_position];
    if (!value.get<ListValue>()) {
        TensorValue weights = expect_tensor(value, where, "'weights' of 'cross_entropy'");
        if (weights.dimensions.size() != 1 || weights.dimensions[0].role != classes.role ||
            weights.dimensions[0].extent != classes.extent)
            fail(weights_mismatch, where, {to_string(weights), to_string(classes)});
        check_same_element("cross_entropy", {logits, weights}, where);
        return weights;
    }
    const std::vector<Value> &numbers = expect_list(context(), value, where, "'weights' of 'cross_entropy'");
    if (std::ssize(numbers) != classes.extent)
        fail(weights_count, where, {count_of_values(numbers.size()), to_string(classes)});
    const auto number = [&](const Value &each) {
        return constant(expect_number(context(), each, where, "a weight"), logits.element, where);
    };
    Operation counting;
    counting.kind = OperationKind::iota;
    const TensorValue index = append(std::move(counting), {classes}, ElementType::i32, where);
    TensorValue weights = number(numbers.back());
    for (std::size_t i = numbers.size(); i-- > 0;) {
        const TensorValue here = constant(static_cast<double>(i), ElementType::i32, where);
        const TensorValue is_here = append_pointwise("equal", {index, here}, ElementType::i32, where);
        weights = append_pointwise("select", {is_here, number(numbers[i]), weights}, logits.element, where);
    }
    return weights;
}

Value Elaborator::cross_entropy(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"logits", "labels", "over", "smoothing", "ignore", "weights"});
    const syntax::CallArgument &first = arguments.require("logits");
    const TensorValue logits = expect_tensor(argument(first), first.where, arguments.what("logits"));
    check_floating("cross_entropy", logits, first.where);
    if (logits.dimensions.empty())
        fail_no_dimensions("cross_entropy", logits, first.where);
    const Operation &producer = network_->operations[static_cast<std::size_t>(logits.id)];
    if (producer.kind == OperationKind::softmax && producer.text == "softmax")
        context().report(softmax_twice, first.where, {},
                         {{producer.where, "this softmax is one too many: pass its operand instead"}});
    const syntax::CallArgument &second = arguments.require("labels");
    const Value labels_value = argument(second);
    std::size_t position = logits.dimensions.size() - 1;
    if (const syntax::CallArgument *over = arguments.find("over")) {
        position = position_over(logits, arguments, *over);
    } else if (const auto *labels = labels_value.get<TensorValue>()) {
        // The class is the dimension that the labels lack.
        for (std::size_t i = logits.dimensions.size(); i-- > 0;)
            if (std::none_of(
                    labels->dimensions.begin(), labels->dimensions.end(),
                    [&](const DimensionValue &dimension) { return dimension.role == logits.dimensions[i].role; })) {
                position = i;
                break;
            }
    }
    const TensorValue labels = labels_of(logits, position, labels_value, second.where);
    Operation operation;
    operation.kind = OperationKind::cross_entropy;
    operation.operands = {logits.id, labels.id};
    operation.roles = {logits.dimensions[position].role};
    if (const syntax::CallArgument *given = arguments.find("smoothing"))
        operation.number = expect_fraction(context(), constant_argument(*given), given->where, "'smoothing'");
    if (const syntax::CallArgument *given = arguments.find("ignore"))
        operation.ignored =
            expect_integer_in(context(), constant_argument(*given), given->where, "'ignore'",
                              std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
    if (const syntax::CallArgument *given = arguments.find("weights"))
        operation.operands.push_back(class_weights(logits, position, argument(*given), given->where).id);
    if (loss_names_ && loss_.label < 0 && logits.id == loss_.prediction) {
        loss_.label = labels.id;
        loss_.class_role = logits.dimensions[position].role;
        loss_.ignored = operation.ignored;
    }
    return {append(std::move(operation), {}, logits.element, where)};
}

Value Elaborator::mean_square_error(const syntax::Call &call, SourceRange where) {
    const Arguments arguments(context(), call, {"prediction", "target"});
    const syntax::CallArgument &first = arguments.require("prediction");
    const TensorValue prediction = expect_tensor(argument(first), first.where, arguments.what("prediction"));
    const syntax::CallArgument &second = arguments.require("target");
    const Value value = argument(second);
    const TensorValue target = value.get<FieldValue>()
                                   ? field(*value.get<FieldValue>(), type_of(prediction), second.where)
                                   : expect_tensor(value, second.where, arguments.what("target"));
    check_floating("mean_square_error", prediction, first.where);
    check_same_element("mean_square_error", {prediction, target}, where);
    const std::vector<DimensionValue> all = broadcast("mean_square_error", {prediction, target}, where);
    if (all.size() != prediction.dimensions.size() || all.size() != target.dimensions.size())
        fail(prediction_mismatch, where, {to_string(prediction), to_string(target)});
    Operation operation;
    operation.kind = OperationKind::mean_square_error;
    operation.operands = {prediction.id, target.id};
    return {append(std::move(operation), {}, prediction.element, where)};
}

} // namespace planc::sema
