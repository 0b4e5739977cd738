// Names of layers: `fc1 = …` is the layer fc1; parameters are named after the binding whose call owns them.

#include "sema/networks/elaborate.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(unnamed_parameters, error, "'{0}' owns parameters, which need a name"); // N5
PLANC_DIAGNOSTIC(reserved_layer_name, error, "'{0}' cannot name a layer");               // N5
PLANC_DIAGNOSTIC(duplicate_layer, error, "two layers are named '{0}'");                  // N5

std::string Elaborator::join(const std::string &path, const std::string &name) {
    return path.empty() ? name : path + "." + name;
}

void Elaborator::register_layer(const std::string &path, const syntax::Name &name) {
    if (path == "loss" || path == "output")
        fail(reserved_layer_name, name.where, {name.text},
             {hint("the operations of the loss are the layer 'loss', those of a network's result the layer "
                   "'output'")});
    const auto [entry, fresh] = layer_names_.emplace(path, name.where);
    if (!fresh)
        fail(duplicate_layer, name.where, {path}, {{entry->second, "the first one is named here"}});
}

Elaborator::Site Elaborator::site_of_binding(const syntax::Binding &binding) {
    const std::string path = join(frame_->path, binding.names.front().text);
    if (!frame_->names_layers)
        return {frame_->layer, path, true, 0, {}, {}};
    register_layer(path, binding.names.front());
    return named_site(path, *binding.value);
}

/// The value that a fold yields has the name of the iteration.
Elaborator::Site Elaborator::site_of_yield(const syntax::Yield &yield) {
    return frame_->names_layers ? named_site(frame_->layer, *yield.value) : site_outside_bindings();
}

Elaborator::Site Elaborator::named_site(const std::string &path, const syntax::Expression &expression) {
    const auto callee_of_shared = [&](const std::string &name) {
        const Local *shared = shared_layer(name);
        return shared ? analysis_.ownership.callee(*shared->layer->layer) : nullptr;
    };
    Site site{path, path, true, 0, analysis_.ownership.owning_calls(expression, callee_of_shared), {}};
    for (const auto &[callee, count] : site.totals)
        site.owning += count;
    return site;
}

Elaborator::Site Elaborator::site_outside_bindings() const {
    return {frame_->layer, frame_->layer, false, 0, {}, {}};
}

std::string Elaborator::call_path(const syntax::CallableDeclaration &callable, const syntax::Name &name,
                                  SourceRange where) {
    const std::string &callee = name.text;
    if (!analysis_.ownership.owns(callable))
        return site_.layer;
    if (!site_.named && loss_names_ && frame_ == &outermost_)
        fail(unnamed_parameters, where, {callee}, {hint("a loss can name none: call '" + callee + "' in the network")});
    if (!site_.named)
        fail(unnamed_parameters, where, {callee}, {hint("bind the call to a name first: 'name = " + callee + "(…)'")});
    if (site_.owning == 1)
        return site_.layer;
    const std::string path = join(site_.layer, callee);
    if (site_.totals[callee] == 1)
        return path;
    return path + "[" + std::to_string(site_.next[callee]++) + "]";
}

} // namespace planc::sema
