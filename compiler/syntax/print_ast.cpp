#include "syntax/formatter.h"
#include "syntax/operators.h"
#include "syntax/print.h"

namespace planc::syntax {

namespace {

/// One line per node, children indented by 2. The overloads of `node` are in the order of ast.h.
class Dump {
  public:
    std::string file(const File &file) {
        line("file");
        const Indent deeper(*this);
        for (const Declaration &declaration : file.declarations)
            std::visit([this](const auto &one) { node(one); }, declaration);
        return std::move(out_);
    }

  private:
    struct Indent {
        explicit Indent(Dump &dump) : depth(dump.depth_) { ++depth; }
        ~Indent() { --depth; }
        Indent(const Indent &) = delete;
        Indent &operator=(const Indent &) = delete;
        int &depth;
    };

    void line(const std::string &text) { out_.append(static_cast<std::size_t>(2 * depth_), ' ').append(text) += '\n'; }

    /// A child under a heading that names its role.
    void child(const std::string &heading, const ExpressionPtr &expression) {
        if (!expression)
            return;
        line(heading);
        const Indent deeper(*this);
        node(*expression);
    }
    static std::string words(const std::vector<Name> &names) {
        std::string text;
        for (const Name &name : names)
            text += " " + name.text;
        return text;
    }
    void children(const std::string &heading, const Block &block) {
        line(heading);
        const Indent deeper(*this);
        for (const Statement &statement : block)
            std::visit([this](const auto &one) { node(one); }, statement.node);
    }

    void node(const DimensionItem &item) {
        line((item.kind == DimensionItem::Kind::dimension ? "dimension " : "dimensions ..") + item.name.text);
        const Indent deeper(*this);
        child("extent", item.extent);
    }
    void node(const Type &type) {
        line((type.tensor ? "tensor" : "kind") + (type.word ? " " + type.word->text : ""));
        const Indent deeper(*this);
        for (const DimensionItem &item : type.dimensions)
            node(item);
    }

    void node(const Expression &expression) {
        std::visit([this](const auto &one) { node(one); }, expression.node);
    }
    void node(const Number &number) { line("number " + number.text + (number.unit ? " " + number.unit->text : "")); }
    void node(const String &string) { line("string " + quoted(string.value)); }
    void node(const Boolean &boolean) { line(boolean.value ? "true" : "false"); }
    void node(const Reference &reference) { line("reference " + reference.name); }
    void node(const List &list) {
        line("list");
        const Indent deeper(*this);
        for (const ListItem &item : list.items) {
            const std::string name = item.name ? item.name->text : "";
            if (item.kind == ListItem::Kind::value)
                node(*item.value);
            else if (item.kind == ListItem::Kind::extent)
                child("extent " + name, item.value);
            else
                line("dimensions .." + name);
        }
    }
    void node(const Range &range) {
        line("range");
        const Indent deeper(*this);
        node(*range.first);
        node(*range.last);
    }
    void node(const Tuple &tuple) {
        line("tuple");
        const Indent deeper(*this);
        for (const ExpressionPtr &item : tuple.items)
            node(*item);
    }
    void node(const Index &index) {
        line("index");
        const Indent deeper(*this);
        node(*index.list);
        node(*index.index);
    }
    void node(const CallArgument &argument) {
        switch (argument.kind) {
        case CallArgument::Kind::positional:
            node(*argument.value);
            break;
        case CallArgument::Kind::named:
            child("named " + argument.name->text, argument.value);
            break;
        case CallArgument::Kind::extent:
            child("extent " + argument.name->text, argument.value);
            break;
        case CallArgument::Kind::mapping:
            child("from", argument.value);
            child("to", argument.target);
            break;
        }
    }
    void node(const Call &call) {
        line("call " + call.callee.text);
        const Indent deeper(*this);
        for (const CallArgument &argument : call.arguments)
            node(argument);
    }
    void node(const Unary &unary) { child(unary.operation == UnaryOperator::negate ? "negate" : "not", unary.operand); }
    void node(const Binary &binary) {
        line("binary " + std::string(sign(binary.operation)));
        const Indent deeper(*this);
        node(*binary.left);
        node(*binary.right);
    }
    void node(const Choice &choice) {
        child("if", choice.condition);
        child("then", choice.then);
        child("else", choice.otherwise);
    }
    void node(const Fold &fold) {
        child("fold" + words(fold.accumulators), fold.start);
        child("for" + words(fold.variables), fold.values);
        children("body" + (fold.label ? " as " + fold.label->text : ""), fold.body);
    }

    void node(const Binding &binding) { child("binding" + words(binding.names), binding.value); }
    void node(const ParameterDeclaration &declared) {
        line((declared.trained ? "param " : "state ") + declared.name.text);
        const Indent deeper(*this);
        node(declared.type);
        node(*declared.initializer);
    }
    void node(const SharedLayer &shared) { child("shared " + shared.name.text, shared.layer); }
    void node(const Conditional &conditional) {
        child("if", conditional.condition);
        children("then", conditional.then);
        children("else", conditional.otherwise);
    }
    void node(const Return &result) { child("return", result.value); }
    void node(const Yield &result) { child("yield", result.value); }

    void node(const Import &import) { line("import " + quoted(import.path)); }
    void node(const DimensionDeclaration &dim) { child("dim " + dim.name.text, dim.extent); }
    void node(const Parameter &parameter) {
        line("parameter " + parameter.name.text);
        const Indent deeper(*this);
        node(parameter.type);
        child("default", parameter.fallback);
    }
    void node(const CallableDeclaration &callable) {
        const bool layer = callable.kind == CallableDeclaration::Kind::layer;
        line((layer ? "layer " : "network ") + callable.name.text);
        const Indent deeper(*this);
        for (const Parameter &parameter : callable.parameters)
            node(parameter);
        for (const Type &result : callable.results)
            node(result);
        children("body", callable.body);
    }
    void node(const Setting &setting) {
        child("setting " + setting.name.text, setting.value);
        for (const ParameterGroup &group : setting.groups) {
            const Indent deeper(*this);
            line("group " + group.selector.text);
            all(group.settings);
        }
        for (const ScheduleRow &row : setting.rows) {
            const Indent deeper(*this);
            line("row " + row.rank.text + words(row.actions));
        }
        if (setting.value)
            return;
        line("setting " + setting.name.text);
        const Indent deeper(*this);
        for (const Share &share : setting.shares) {
            line("share " + share.name.text);
            const Indent inside(*this);
            node(share.amount);
        }
    }
    template <class Items> void all(const Items &items) {
        const Indent deeper(*this);
        for (const auto &item : items)
            node(item);
    }
    void node(const DataDeclaration &data) {
        child("data " + data.name.text, data.source);
        all(data.settings);
    }
    void node(const MachineDeclaration &machine) {
        line("machine " + machine.name.text);
        all(machine.settings);
    }
    void node(const MeshAxis &axis) {
        line("axis " + axis.name.text);
        const Indent deeper(*this);
        child("size", axis.size);
    }
    void node(const MeshDeclaration &mesh) {
        line("mesh " + mesh.name.text + (mesh.machine ? " on " + mesh.machine->text : "") +
             (mesh.automatic ? " = auto" : ""));
        all(mesh.axes);
    }

    static std::string text(const AxisList &target) {
        std::string axes;
        for (const Name &axis : target.axes)
            axes += " " + axis.text;
        return " ->" + (axes.empty() ? " none" : axes);
    }
    void node(const LayoutItem &item) {
        std::visit([this](const auto &one) { node(one); }, item.node);
    }
    void node(const LayoutRule &rule) { line("rule " + rule.dimension.text + text(rule.target)); }
    void node(const LayoutSelection &selection) {
        line("select " + selection.selector.text);
        all(selection.items);
    }
    void node(const StoreRule &rule) { line("store " + rule.what.text + text(rule.target)); }
    void node(const PipelineRule &rule) {
        line("pipeline" + text(rule.target));
        all(rule.settings);
        const Indent deeper(*this);
        for (const Cut &cut : rule.cuts) {
            for (const Selector &layer : cut.layers)
                line((cut.after ? "cut after " : "cut before ") + layer.text);
        }
    }
    void node(const LimitRule &limit) { child("limit " + limit.what.text, limit.bound); }
    void node(const RecomputeRule &) { line("recompute"); }
    void node(const ForbidRule &forbid) { line("forbid " + forbid.what.text); }
    void node(const LayoutDeclaration &layout) {
        line("layout " + layout.name.text + (layout.mesh ? " on " + layout.mesh->text : "") +
             (layout.automatic ? " = auto" : ""));
        all(layout.axes);
        all(layout.items);
    }
    void node(const TrainDeclaration &train) {
        line("train " + train.network.text + " on " + train.data.text);
        all(train.settings);
    }

    std::string out_;
    int depth_ = 0;
};

} // namespace

std::string print_ast(const File &file) {
    return Dump().file(file);
}

} // namespace planc::syntax
