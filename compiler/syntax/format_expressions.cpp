#include "syntax/formatter.h"
#include "syntax/operators.h"

namespace planc::syntax {

std::string quoted(const std::string &value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '\n' || c == '\t')
            text += c == '\n' ? "\\n" : "\\t";
        else
            text += (c == '"' || c == '\\') ? std::string{'\\', c} : std::string{c};
    }
    return text + '"';
}

std::string joined(const std::vector<Name> &names) {
    std::string text;
    for (const Name &name : names)
        text += (text.empty() ? "" : ", ") + name.text;
    return text;
}

Document Formatter::expression(const Expression &expression) {
    const SourceRange outer = expression_where_;
    expression_where_ = expression.where;
    Document result = std::visit([this](const auto &one) { return node(one); }, expression.node);
    expression_where_ = outer;
    return expression.parenthesized ? "(" + result + ")" : result;
}

Document Formatter::node(const Number &number) {
    if (!number.unit)
        return number.text;
    return number.text + (number.unit->text == "%" ? "" : " ") + number.unit->text;
}

Document Formatter::node(const String &string) {
    return quoted(string.value);
}
Document Formatter::node(const Boolean &boolean) {
    return boolean.value ? "true" : "false";
}
Document Formatter::node(const Reference &reference) {
    return reference.name;
}

Document Formatter::node(const List &list) {
    Entries entries;
    for (const ListItem &item : list.items)
        entries.push_back({item.where, [this, &item] { return list_item(item); }});
    return this->list("[", "]", expression_where_, entries);
}

Document Formatter::list_item(const ListItem &item) {
    Document out;
    if (item.kind == ListItem::Kind::rest || item.kind == ListItem::Kind::spread)
        out += "..";
    if (item.name)
        out += item.name->text;
    if (item.kind == ListItem::Kind::extent)
        out += ": ";
    return item.value ? out + expression(*item.value) : out;
}

Document Formatter::node(const Range &range) {
    return expression(*range.first) + ".." + expression(*range.last);
}

Document Formatter::node(const Tuple &tuple) {
    Entries entries;
    for (const ExpressionPtr &item : tuple.items)
        entries.push_back({item->where, [this, &item] { return expression(*item); }});
    return list("(", ")", expression_where_, entries);
}

Document Formatter::node(const Index &index) {
    return expression(*index.list) + "[" + expression(*index.index) + "]";
}

Document Formatter::node(const Call &call) {
    Entries entries;
    for (const CallArgument &one : call.arguments)
        entries.push_back({one.where, [this, &one] { return argument(one); }});
    return call.callee.text + list("(", ")", expression_where_, entries);
}

Document Formatter::argument(const CallArgument &argument) {
    Document out;
    if (argument.name)
        out += argument.name->text + (argument.kind == CallArgument::Kind::named ? " = " : ": ");
    out += expression(*argument.value);
    return argument.target ? out + " -> " + expression(*argument.target) : out;
}

Document Formatter::node(const Unary &unary) {
    return (unary.operation == UnaryOperator::negate ? "-" : "not ") + expression(*unary.operand);
}

Document Formatter::node(const Binary &binary) {
    const Document left = expression(*binary.left);
    if (binary.operation == BinaryOperator::remainder) // at the end of a line, `5 %` would be a share
        return group(left + nest(line() + "% " + expression(*binary.right)));
    return group(left + " " + sign(binary.operation) + nest(line() + expression(*binary.right)));
}

Document Formatter::node(const Choice &choice) {
    Document out = "if " + expression(*choice.condition) + " {";
    out += nest(line() + expression(*choice.then)) + line() + "} else ";
    if (const auto *next = std::get_if<Choice>(&choice.otherwise->node); next && !choice.otherwise->parenthesized)
        out += node(*next);
    else
        out += "{" + nest(line() + expression(*choice.otherwise)) + line() + "}";
    return group(out);
}

Document Formatter::node(const Fold &fold) {
    const auto together = [](const std::vector<Name> &names) {
        return names.size() == 1 ? names.front().text : "(" + joined(names) + ")";
    };
    Document out = "fold " + together(fold.accumulators) + " = " + expression(*fold.start) + " for ";
    out += together(fold.variables) + " in " + expression(*fold.values);
    if (fold.label)
        out += " as " + fold.label->text;
    return out + " " + block(fold.braces, fold.body);
}

Document Formatter::dimension(const DimensionItem &item) {
    Document out = item.kind == DimensionItem::Kind::dimension ? "" : "..";
    out += item.name.text;
    return item.extent ? out + ": " + expression(*item.extent) : out;
}

Document Formatter::type(const Type &type) {
    const std::string word = type.word ? type.word->text : "";
    if (!type.tensor)
        return word;
    Entries entries;
    for (const DimensionItem &item : type.dimensions)
        entries.push_back({item.where, [this, &item] { return dimension(item); }});
    return word + list("[", "]", type.where, entries);
}

} // namespace planc::syntax
