#include "transformer_layers.h"

#include <algorithm>

namespace planc::test {

std::vector<std::string> TransformerLayers::imports() const {
    std::vector<std::string> lines;
    for (const std::string &file : files_)
        lines.push_back("import \"std/" + file + ".plan\"");
    return lines;
}

std::string TransformerLayers::imported(const std::string &file, const std::string &call) {
    files_.insert(file);
    return call;
}

const Dimension *TransformerLayers::feature(const Value &x) {
    std::vector<const Dimension *> all;
    for (const Dimension &dimension : x.dimensions)
        if (dimension.role != "batch")
            all.push_back(&dimension);
    return all.empty() ? nullptr : random_.pick(all);
}

void TransformerLayers::indices(std::string &arguments, std::string &calls) {
    Dimensions dimensions{batch_};
    if (random_.chance(0.6))
        dimensions.push_back(defaults_[1]);
    arguments += ", t: i32" + words(dimensions);
    calls += ", t";
    const Dimension rows{"wide", extent()};
    const Dimension out{"hidden", random_.chance(0.5) ? extent() : declared("hidden").extent};
    const std::string table = parameter({rows, out});
    Dimensions result = dimensions;
    result.push_back(out);
    keep("e", "embedding(t, " + table + (random_.chance(0.5) ? ", over = wide)" : ")"), result);
}

void TransformerLayers::normalised() {
    const Value x = matrix();
    const std::string call = random_.pick<std::string>({"layer_norm(", "rms_norm(", "normalize("}) + x.name +
                             random_.pick<std::string>({"", ", epsilon = 0.1"}) + ")";
    keep("n", imported("norm", call), x.dimensions);
}

void TransformerLayers::activation() {
    const Value x = any();
    static const std::vector<std::string> functions{"leaky_relu", "elu",          "selu", "relu6",    "hard_tanh",
                                                    "hard_swish", "hard_sigmoid", "mish", "gelu_tanh"};
    keep("f", imported("activations", random_.pick(functions) + "(" + x.name + ")"), x.dimensions);
}

void TransformerLayers::dropped() {
    if (!options_.dropout)
        return;
    const Value x = any();
    if (random_.chance(0.7))
        keep("z", "dropout(" + x.name + ", " + random_.pick<std::string>({"0.1", "0.5", "0.75"}) + ")", x.dimensions);
    else
        keep("z",
             x.name + (random_.chance(0.5) ? " * random_uniform(" : " + 0.1 * random_normal(") + words(x.dimensions) +
                 ")",
             x.dimensions);
}

/// By comparison of values; what is compared gets no gradient.
void TransformerLayers::chosen() {
    const Value a = any();
    const Value b = any();
    if (!fit(a, b) || joined(a, b).size() != a.dimensions.size())
        return;
    const std::string sign = random_.pick<std::string>({" > ", " < ", " >= ", " <= ", " != "});
    const std::string other = random_.chance(0.5) ? "0.05" : b.name;
    const std::string otherwise = random_.pick<std::string>({"0", "0.5 * " + a.name, b.name, "-1"});
    keep("k", "select(" + a.name + sign + other + ", " + a.name + ", " + otherwise + ")", a.dimensions);
}

/// By position along one dimension.
void TransformerLayers::masked() {
    const Value x = any();
    const Dimension *along = feature(x);
    if (along == nullptr)
        return;
    const std::string plain = "iota(" + word(*along) + ")";
    const std::string moved = "concat([slice(" + plain + ", " + along->role + ": " + std::to_string(along->extent - 1) +
                              ".." + std::to_string(along->extent) + "), maximum(slice(" + plain + ", " + along->role +
                              ": 0.." + std::to_string(std::max(1, along->extent - 1)) + "), 1)], " + along->role + ")";
    const std::string number = random_.chance(0.5)                        ? plain
                               : along->extent > 1 && random_.chance(0.5) ? moved
                                                                          : "((7 - 3 * " + plain + ") % 5)";
    const std::string limit = std::to_string(random_.whole(0, along->extent));
    keep("k",
         random_.chance(0.6) ? "select(" + number + random_.pick<std::string>({" < ", " >= ", " == "}) + limit + ", " +
                                   x.name + ", " + random_.pick<std::string>({"0", "0.3 * " + x.name}) + ")"
                             : x.name + " * (1 + 0.1 * cast(" + number + "))",
         x.dimensions);
}

Value TransformerLayers::sequence() {
    const Value x = matrix();
    if (x.dimensions.size() == 3 && x.dimensions.front().role == "batch")
        return x;
    Value flat = x;
    if (x.dimensions.size() > 2)
        flat = bind("m",
                    "reduce_mean(" + x.name + ", over = " + names({x.dimensions.begin() + 1, x.dimensions.end() - 1}) +
                        ")",
                    {x.dimensions.front(), x.dimensions.back()});
    if (flat.dimensions.front().role != "batch" || flat.dimensions.back().role == "time")
        return {};
    const Dimensions spread{flat.dimensions[0], flat.dimensions[1], defaults_[1]};
    const std::string w = parameter({defaults_[1]});
    const Value value = bind("e", "tanh(" + flat.name + " * " + w + ")", spread);
    const Dimensions ordered{spread[0], spread[2], spread[1]};
    return bind("v", "transpose(" + value.name + ", " + names(ordered) + ")", ordered);
}

void TransformerLayers::positions() {
    const Value x = sequence();
    if (x.dimensions.empty())
        return;
    keep("y",
         imported("embedding",
                  random_.pick<std::string>({"position_embedding(", "sinusoidal_positions("}) + x.name + ")"),
         x.dimensions);
}

/// A table whose rows are looked up by the numbers 0, 1, 2, …
void TransformerLayers::looked_up_by_position() {
    const Value x = any();
    const Dimension *along = feature(x);
    if (along == nullptr)
        return;
    const Dimension rows{along->role == "wide" ? "head" : "wide", along->extent + random_.whole(0, 2)};
    const std::string table = parameter({rows});
    keep("y", x.name + " + embedding(iota(" + word(*along) + "), " + table + ", over = " + rows.role + ")",
         x.dimensions);
}

void TransformerLayers::attended() {
    const Value x = sequence();
    if (x.dimensions.empty() || x.find("head") != nullptr || x.find("feature") != nullptr)
        return;
    const Dimension head{"head", random_.whole(1, 3)};
    const Dimension of_head{"feature", random_.whole(1, 4)};
    if (random_.chance(0.3) && x.find("pixel") == nullptr && x.find("hidden") == nullptr)
        return attended_in_groups(x, head, of_head);
    const std::string causal = random_.chance(0.5) ? ", causal = true" : "";
    const std::string bias = random_.chance(0.3) ? ", bias = false" : "";
    const std::string rate = options_.dropout && random_.chance(0.25) ? ", rate = 0.3" : "";
    primed_.insert("key");
    keep("a",
         (random_.chance(0.6) ? x.name + " + " : "") +
             imported("attention", "attention(" + x.name + ", " + word(head) + ", " + word(of_head) + causal + bias +
                                       rate + (random_.chance(0.5) ? ", fused = true" : "") +
                                       ", weights = normal(0, 0.5))"),
         x.dimensions);
}

/// All heads share the keys and values, whose features have other extents; queries may see some keys only.
void TransformerLayers::attended_in_groups(const Value &x, const Dimension &head, const Dimension &feature) {
    const Dimension &time = x.dimensions[1];
    const Dimension key{"key", time.extent};
    const Dimension own{random_.chance(0.5) ? "pixel" : "feature", random_.whole(1, 4)};
    const auto projected = [&](const std::string &role, const Dimensions &to) {
        Dimensions of_weights{x.dimensions.back()};
        of_weights.insert(of_weights.end(), to.begin(), to.end());
        Dimensions result{x.dimensions[0], {role, time.extent}};
        result.insert(result.end(), to.begin(), to.end());
        const std::string from = role == time.role ? x.name : "rename(" + x.name + ", " + time.role + " -> key)";
        return bind("p", "einsum(" + from + ", " + parameter(of_weights) + " -> " + names(result) + ")", result);
    };
    const Value queries =
        projected(time.role, random_.chance(0.5) ? Dimensions{head, feature} : Dimensions{feature, head});
    const Value keys = projected("key", {feature});
    const Value values = projected("key", {own});
    std::string seen;
    if (random_.chance(0.6))
        seen += ", causal = " + time.role + (random_.chance(0.5) ? ", window = " + std::to_string(extent()) : "");
    if (random_.chance(0.4))
        seen += ", seen = (iota(key) % 3) < 2";
    Dimensions result = queries.dimensions;
    *std::find_if(result.begin(), result.end(), [&](const auto &each) { return each.role == feature.role; }) = own;
    primed_.insert("key");
    keep("a",
         "fused_attention(" + queries.name + ", " + keys.name + ", " + values.name + ", over = key, dot = feature" +
             seen + ")",
         result);
}

void TransformerLayers::block() {
    const Value x = sequence();
    if (x.dimensions.empty() || x.find("head") != nullptr || x.find("feature") != nullptr ||
        x.dimensions[1].role == "hidden")
        return;
    const Dimension head{"head", random_.whole(1, 2)};
    const Dimension of_head{"feature", random_.whole(1, 3)};
    const Dimension inner{"hidden", extent()};
    if (x.dimensions.back().role == "hidden")
        primed_.insert("hidden'");
    primed_.insert("key");
    keep("b",
         imported("transformer", "transformer_block(" + x.name + ", " + word(head) + ", " + word(of_head) + ", " +
                                     word(inner) + (random_.chance(0.5) ? ", causal = false" : "") +
                                     (random_.chance(0.5) ? ", fused = true" : "") +
                                     (options_.dropout && random_.chance(0.25) ? ", rate = 0.2" : "") + ")"),
         x.dimensions);
}

void TransformerLayers::sliced() {
    const Value x = any();
    const Dimension *along = feature(x);
    if (along == nullptr)
        return;
    const int first = random_.whole(0, along->extent - 1);
    const int last = random_.whole(first + 1, along->extent);
    Dimensions result = x.dimensions;
    for (Dimension &dimension : result)
        if (dimension.role == along->role)
            dimension.extent = last - first;
    keep("s", "slice(" + x.name + ", " + along->role + ": " + std::to_string(first) + ".." + std::to_string(last) + ")",
         result);
}

/// A value behind itself, squeezed, or behind a part of itself.
void TransformerLayers::concatenated() {
    const Value x = any();
    const Dimension *along = feature(x);
    if (along == nullptr || elements(x.dimensions) > 700)
        return;
    const int part = random_.whole(1, along->extent);
    const std::string second = random_.chance(0.5)
                                   ? "tanh(" + x.name + ")"
                                   : "slice(" + x.name + ", " + along->role + ": 0.." + std::to_string(part) + ")";
    Dimensions result = x.dimensions;
    for (Dimension &dimension : result)
        if (dimension.role == along->role)
            dimension.extent += second.front() == 't' ? dimension.extent : part;
    const std::string both = random_.chance(0.5) ? x.name + ", " + second : second + ", " + x.name;
    keep("c", "concat([" + both + "], " + along->role + ")", result);
}

/// The last dimension in two parts, or the last two as one.
void TransformerLayers::reshaped() {
    const Value x = matrix();
    const Dimension last = x.dimensions.back();
    Dimensions result = x.dimensions;
    result.pop_back();
    if (x.dimensions.size() > 2 && random_.chance(0.5)) {
        const Dimension before = result.back();
        result.pop_back();
        if (before.role == "batch" || x.find("wide") != nullptr)
            return;
        result.push_back({"wide", before.extent * last.extent});
    } else {
        int factor = 1;
        for (int i = 2; i <= last.extent; ++i)
            factor = last.extent % i == 0 && random_.chance(0.5) ? i : factor;
        for (const char *role : {"head", "pixel"})
            if (x.find(role) != nullptr)
                return;
        result.push_back({"head", factor});
        result.push_back({"pixel", last.extent / factor});
    }
    std::string list;
    for (const Dimension &dimension : result)
        list += (list.empty() ? "" : ", ") + (dimension.role == "batch" ? dimension.role : word(dimension));
    keep("v", "reshape(" + x.name + ", [" + list + "])", result);
}

void TransformerLayers::transposed() {
    const Value x = any();
    Dimensions result = x.dimensions;
    random_.shuffle(result);
    keep("v", "transpose(" + x.name + ", " + names(result) + ")", result);
}

void TransformerLayers::renamed() {
    const Value x = any();
    const Dimension *from = feature(x);
    std::vector<std::string> free{"hidden", "wide", "head", "pixel"};
    std::erase_if(free, [&](const std::string &role) { return x.find(role) != nullptr; });
    if (from == nullptr || free.empty())
        return;
    const std::string to = random_.pick(free);
    Dimensions result = x.dimensions;
    for (Dimension &dimension : result)
        if (dimension.role == from->role)
            dimension.role = to;
    keep("v", "rename(" + x.name + ", " + from->role + " -> " + to + ")", result);
}

} // namespace planc::test
