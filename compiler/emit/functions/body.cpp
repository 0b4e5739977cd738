#include "emit/functions/body.h"

#include "emit/names/text.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"

#include <algorithm>
#include <cmath>

namespace planc::emit {

namespace {

// Place holders: a mark that no text contains, a letter, the number of the parameter, an end mark.
constexpr char mark = '\x01';
constexpr char end_mark = '\x02';

std::string place_holder(char kind, std::size_t number) {
    return mark + (kind + std::to_string(number)) + end_mark;
}

} // namespace

std::string type_name(mlir::Type element) {
    return element.isF32() ? "float" : element.isF64() ? "double" : "int32_t";
}

std::string literal(double value, mlir::Type element) {
    if (!element.isF32() && !element.isF64())
        return std::to_string(static_cast<std::int64_t>(value));
    if (std::isinf(value))
        return (value < 0 ? "-" : "") + ("std::numeric_limits<" + type_name(element) + ">::infinity()");
    if (std::isnan(value))
        return "std::numeric_limits<" + type_name(element) + ">::quiet_NaN()";
    return number(value) + (element.isF32() ? "F" : "");
}

std::string Body::buffer(mlir::Value value, bool written) {
    const std::int64_t offset = schedule::offset_of(value);
    const mlir::Type element = schedule::tensor(value).getElementType();
    auto at = std::find_if(buffers_.begin(), buffers_.end(), [&](const BufferParameter &parameter) {
        return parameter.offset == offset && parameter.element == element;
    });
    if (at == buffers_.end())
        at = buffers_.insert(at, {offset, element, false, value});
    at->written = at->written || written;
    if (written)
        at->value = value;
    return place_holder('p', static_cast<std::size_t>(at - buffers_.begin()));
}

std::string Body::extent_parameter(const ExtentParameter &parameter) {
    auto at = std::find(extents_.begin(), extents_.end(), parameter);
    if (at == extents_.end())
        at = extents_.insert(at, parameter);
    return place_holder('n', static_cast<std::size_t>(at - extents_.begin()));
}

std::string Body::extents(const schedule::LoopSpace &space) {
    std::vector<std::string> factors;
    for (const schedule::LoopDimension &dimension : space)
        factors.push_back(extent(dimension));
    return factors.empty() ? "1" : joined(factors, " * ");
}

std::string Body::context() {
    uses_context_ = true;
    return "context";
}

bool Body::orders(const schedule::LoopDimension &dimension) const {
    return order_ != nullptr && std::cmp_equal(dimension.extent, order_->vertices.size()) &&
           llvm::is_contained(order_->roles, dimension.role);
}

std::string Body::file_number(const schedule::LoopDimension &dimension, const std::string &index) {
    return orders(dimension) ? file_number_of_sample(index) : index;
}

std::string Body::file_number_of_sample(const std::string &index) {
    return order_ == nullptr ? index : context() + ".vertex(" + index + ")";
}

std::string Body::text_parameter(const std::string &text) {
    auto at = std::find(texts_.begin(), texts_.end(), text);
    if (at == texts_.end())
        at = texts_.insert(at, text);
    return place_holder('s', static_cast<std::size_t>(at - texts_.begin()));
}

std::string Body::collective_parameter(std::int64_t number) {
    numbers_.push_back({number, "collective", "int"});
    return place_holder('c', numbers_.size() - 1);
}

std::string Body::index_parameter(std::int64_t index) {
    numbers_.push_back({index, "first", "int64_t"});
    return place_holder('c', numbers_.size() - 1);
}

std::string Body::local(const std::string &base) {
    locals_.push_back(base + "_" + std::to_string(++next_local_));
    return locals_.back();
}

std::string Body::constant(const std::string &type, const std::string &base, const std::string &value) {
    std::string &name = constants_[type + value];
    if (name.empty()) {
        name = local(base);
        line("const " + type + " " + name + value + ";");
    }
    return name;
}

void Body::prepare(const std::string &statement) {
    preparations_.push_back(statement);
}

void Body::line(const std::string &text) {
    text_ += std::string(static_cast<std::size_t>(depth_) * 4, ' ') + text + "\n";
}

void Body::open(const std::string &text) {
    line(text);
    ++depth_;
}

void Body::close(const std::string &text) {
    --depth_;
    line(text);
}

void Body::progress() {
    line(context() + ".progress();");
}

std::string Body::key() const {
    std::string key = text_;
    for (const BufferParameter &parameter : buffers_)
        key += type_name(parameter.element) + (parameter.written ? "*" : " const*");
    return key;
}

namespace {

/// The text with names instead of placeholders.
std::string filled_in(const std::string &text, const ParameterNames &names) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != mark) {
            result += text[i];
            continue;
        }
        const std::size_t end = text.find(end_mark, i);
        const auto number = static_cast<std::size_t>(std::stoul(text.substr(i + 2, end - i - 2)));
        result += text[i + 1] == 'p'   ? names.buffers[number]
                  : text[i + 1] == 'n' ? names.extents[number]
                  : text[i + 1] == 'c' ? names.numbers[number]
                                       : names.texts[number];
        i = end;
    }
    return result;
}

} // namespace

std::string Body::text(const ParameterNames &names) const {
    return filled_in(text_, names);
}

std::vector<std::string> Body::preparations(const std::vector<std::string> &extents) const {
    std::vector<std::string> statements;
    for (const std::string &statement : preparations_)
        statements.push_back(filled_in(statement, {{}, extents, {}, {}}));
    return statements;
}

} // namespace planc::emit
