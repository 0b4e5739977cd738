#include "syntax/formatter.h"

namespace planc::syntax {

Document Formatter::block(SourceRange braces, const Block &block) {
    Entries entries;
    for (const Statement &one : block)
        entries.push_back({one.where, [this, &one] { return statement(one); }});
    return body(braces, entries);
}

Document Formatter::statement(const Statement &statement) {
    if (const auto *binding = std::get_if<Binding>(&statement.node))
        return joined(binding->names) + value_stop() + " = " + expression(*binding->value);
    if (const auto *declared = std::get_if<ParameterDeclaration>(&statement.node)) {
        const Document head = (declared->trained ? "param " : "state ") + declared->name.text + ": ";
        const Document shape = type(declared->type);
        return head + shape + " = " + expression(*declared->initializer);
    }
    if (const auto *shared = std::get_if<SharedLayer>(&statement.node))
        return "shared " + shared->name.text + " = " + expression(*shared->layer);
    if (const auto *nested = std::get_if<Conditional>(&statement.node))
        return conditional(*nested);
    if (const auto *result = std::get_if<Return>(&statement.node))
        return "return " + expression(*result->value);
    return "yield " + expression(*std::get<Yield>(statement.node).value);
}

Document Formatter::conditional(const Conditional &conditional) {
    Document out = "if " + expression(*conditional.condition) + " ";
    out += block(conditional.then_braces, conditional.then);
    if (conditional.otherwise_braces.file >= 0)
        return out + " else " + block(conditional.otherwise_braces, conditional.otherwise);
    if (!conditional.otherwise.empty())
        out += " else " + statement(conditional.otherwise.front());
    return out;
}

Document Formatter::declaration(const Declaration &declaration) {
    if (const auto *import = std::get_if<Import>(&declaration))
        return "import " + quoted(import->path);
    if (const auto *dim = std::get_if<DimensionDeclaration>(&declaration))
        return "dim " + dim->name.text + value_stop() + " = " + expression(*dim->extent);
    if (const auto *declared = std::get_if<CallableDeclaration>(&declaration))
        return callable(*declared);
    if (const auto *data = std::get_if<DataDeclaration>(&declaration)) {
        const Document head = "data " + data->name.text + " = " + expression(*data->source);
        return data->braces.file < 0 ? head : head + " " + settings(data->braces, data->settings);
    }
    if (const auto *machine = std::get_if<MachineDeclaration>(&declaration))
        return "machine " + machine->name.text + " " + settings(machine->braces, machine->settings);
    if (const auto *declared = std::get_if<MeshDeclaration>(&declaration))
        return mesh(*declared);
    if (const auto *declared = std::get_if<LayoutDeclaration>(&declaration))
        return layout(*declared);
    const auto &train = std::get<TrainDeclaration>(declaration);
    return "train " + train.network.text + " on " + train.data.text + " " + settings(train.braces, train.settings);
}

Document Formatter::callable(const CallableDeclaration &callable) {
    const bool layer = callable.kind == CallableDeclaration::Kind::layer;
    Entries entries;
    for (const Parameter &parameter : callable.parameters) {
        entries.push_back({parameter.where, [this, &parameter] {
                               const Document head = parameter.name.text + ": " + type(parameter.type);
                               return parameter.fallback ? head + " = " + expression(*parameter.fallback) : head;
                           }});
    }
    SourceRange parameters = callable.name.where;
    parameters.end = callable.results_where.begin;
    Document out = (layer ? "layer " : "network ") + callable.name.text + list("(", ")", parameters, entries);
    out += " -> " + results(callable) + " ";
    return out + block(callable.braces, callable.body);
}

Document Formatter::results(const CallableDeclaration &callable) {
    if (callable.results.size() == 1)
        return type(callable.results.front());
    Entries entries;
    for (const Type &one : callable.results)
        entries.push_back({one.where, [this, &one] { return type(one); }});
    return list("(", ")", callable.results_where, entries);
}

Document Formatter::setting(const Setting &setting) {
    Document out = setting.name.text + value_stop() + " = ";
    if (setting.value) {
        out += expression(*setting.value);
        return setting.braces.file < 0 ? out : out + " " + (setting.rows.empty() ? groups(setting) : rows(setting));
    }
    for (std::size_t i = 0; i < setting.shares.size(); ++i)
        out += (i > 0 ? ", " : "") + setting.shares[i].name.text + " " + node(setting.shares[i].amount);
    return out;
}

Document Formatter::groups(const Setting &setting) {
    Entries entries;
    for (const ParameterGroup &one : setting.groups)
        entries.push_back(
            {one.where, [this, &one] { return one.selector.text + " " + settings(one.braces, one.settings); }});
    return body(setting.braces, entries);
}

Document Formatter::rows(const Setting &setting) {
    Entries entries;
    for (const ScheduleRow &one : setting.rows)
        entries.push_back({one.where, [&one] {
                               std::string text = one.rank.text + ":";
                               for (const Name &action : one.actions)
                                   text += " " + action.text;
                               return Document(text);
                           }});
    return body(setting.braces, entries);
}

Document Formatter::settings(SourceRange braces, const std::vector<Setting> &settings) {
    Entries entries;
    for (const Setting &one : settings)
        entries.push_back({one.where, [this, &one] { return setting(one); }});
    return body(braces, entries);
}

Document Formatter::axes(SourceRange where, const std::vector<MeshAxis> &axes) {
    Entries entries;
    for (const MeshAxis &axis : axes) {
        entries.push_back({axis.where, [this, &axis] {
                               return axis.size ? axis.name.text + ": " + expression(*axis.size)
                                                : Document(axis.name.text);
                           }});
    }
    return list("[", "]", where, entries);
}

Document Formatter::mesh(const MeshDeclaration &mesh) {
    Document out = "mesh " + mesh.name.text;
    if (mesh.machine)
        out += " on " + mesh.machine->text;
    out += " = ";
    return mesh.automatic ? out + "auto" : out + axes(mesh.where, mesh.axes);
}

} // namespace planc::syntax
