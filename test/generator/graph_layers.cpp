#include "graph_layers.h"

#include <algorithm>

namespace planc::test {

namespace {

constexpr int most_features = 5;

/// What `dim` declares; the vertices first.
Dimensions declared_dimensions(const GraphData &data, Random &random) {
    Dimensions dimensions;
    for (const char *role : {"vertex", "word", "edge", "group"})
        if (data.has(role))
            dimensions.push_back({role, data.extent(role)});
    for (const char *role : {"feature", "hidden", "wide", "head", "part", "class"})
        dimensions.push_back({role, random.whole(1, most_features)});
    return dimensions;
}

} // namespace

GraphLayers::GraphLayers(Random &random, const NetworkOptions &options, bool sampled, GraphData data)
    : TransformerLayers(random, options, declared_dimensions(data, random)), sampled_(sampled), data_(std::move(data)) {
}

Dimensions GraphLayers::shape(const std::string &rows, const Dimension &features) const {
    return {declared(rows), features};
}

Dimension GraphLayers::features(const std::string &role) {
    return {role, random_.chance(0.5) ? random_.whole(1, most_features) : declared(role).extent};
}

Dimension GraphLayers::features_for(const Value &x) {
    const Dimension out = features(random_.pick<std::string>({"hidden", "hidden", "wide"}));
    if (x.dimensions.back().role == out.role)
        primed_.insert(out.role + "'");
    return out;
}

const GraphMatrix &GraphLayers::matrix_over(const std::string &rows) {
    std::vector<const GraphMatrix *> fitting;
    for (const GraphMatrix &matrix : data_.matrices())
        if (matrix.columns == rows)
            fitting.push_back(&matrix);
    return *random_.pick(fitting);
}

std::string GraphLayers::square_matrix() {
    return data_.matrices().size() > 1 && data_.matrices()[1].is_square() && random_.chance(0.4) ? "b" : "a";
}

Value GraphLayers::at(const Value &x, const std::string &rows) {
    if (rows_of(x) == rows)
        return x;
    if (rows != "vertex" && rows_of(x) != "vertex")
        return at(at(x, "vertex"), rows);
    std::vector<std::string> fitting;
    for (const GraphMatrix &matrix : data_.matrices())
        if (matrix.columns == rows_of(x) && matrix.rows == rows)
            fitting.push_back(matrix.name);
    Dimensions dimensions = x.dimensions;
    dimensions.front() = declared(rows);
    const std::string reduction = random_.pick<std::string>({"", ", reduce = mean", ", reduce = max"});
    return bind("m", "spmm(" + random_.pick(fitting) + ", " + x.name + reduction + ")", dimensions);
}

Value GraphLayers::of_vertices() {
    return at(any(), "vertex");
}

void GraphLayers::summed() {
    const Value x = any();
    const GraphMatrix &matrix = matrix_over(rows_of(x));
    std::vector<std::string> reductions{"", ", reduce = sum", ", reduce = mean"};
    if (!sampled_)
        reductions.emplace_back(", reduce = max");
    const std::string reduction = random_.pick(reductions);
    keep("s", "spmm(" + matrix.name + ", " + x.name + reduction + ")", shape(matrix.rows, x.dimensions.back()));
}

/// A product with weights within, whose order the compiler chooses.
void GraphLayers::propagated() {
    const Value x = any();
    const GraphMatrix &matrix = matrix_over(rows_of(x));
    const Dimension out = features_for(x);
    std::string product;
    if (x.dimensions.back().role == out.role) { // a weight has both
        product = dense(x, out);
    } else {
        const std::string w = parameter({x.dimensions.back(), out});
        product = "einsum(" + x.name + ", " + w + " -> " + names(shape(rows_of(x), out)) + ")";
    }
    const std::string reduction = random_.pick<std::string>({"", "", ", reduce = mean"});
    keep("p", smooth("spmm(" + matrix.name + ", " + product + reduction + ")"), shape(matrix.rows, out));
}

void GraphLayers::convolved() {
    const Value x = any();
    const GraphMatrix &matrix = matrix_over(rows_of(x));
    const Dimension out = features_for(x);
    const std::string bias = random_.chance(0.3) ? ", bias = false)" : ")";
    keep("h", unary(imported("graph", "gcn(" + matrix.name + ", " + x.name + ", " + word(out) + bias)),
         shape(matrix.rows, out));
}

void GraphLayers::sampled_means() {
    const Value x = of_vertices();
    const Dimension out = features_for(x);
    keep("h", smooth(imported("graph", "sage(" + square_matrix() + ", " + x.name + ", " + word(out) + ")")),
         shape("vertex", out));
}

void GraphLayers::largest() {
    const Value x = of_vertices();
    const Dimension out = features_for(x);
    keep("h",
         imported("graph", "sage_max(" + square_matrix() + ", " + x.name + ", " + word(out) +
                               ", part: " + std::to_string(random_.whole(1, 4)) + ")"),
         shape("vertex", out));
}

void GraphLayers::isomorphism() {
    const Value x = of_vertices();
    keep("h", imported("graph", "gin(" + square_matrix() + ", " + x.name + ")"), x.dimensions);
}

void GraphLayers::spread() {
    const Value x = of_vertices();
    keep("h",
         imported("graph", "appnp(" + square_matrix() + ", " + x.name +
                               ", steps = " + std::to_string(random_.whole(1, 3)) + ", teleport = 0.2)"),
         x.dimensions);
}

/// Layers with several heads.
void GraphLayers::attended_heads() {
    const Value x = of_vertices();
    const std::string a = square_matrix();
    const int heads = random_.whole(1, 3);
    const int part = random_.whole(1, 3);
    const std::string drop = random_.pick<std::string>({"", "", ", drop = 0.3"});
    const Dimension out{x.dimensions.back().role == "hidden" ? "wide" : "hidden", heads * part};
    if (random_.chance(0.6)) {
        const bool average = random_.chance(0.4);
        return keep("h",
                    imported("graph", "gat(" + a + ", " + x.name + ", " + word(out) + ", heads = " +
                                          std::to_string(heads) + (average ? ", average = true" : "") + drop + ")"),
                    shape("vertex", out));
    }
    const Value y =
        bind("h",
             imported("graph", random_.pick<std::string>({"gat_heads(", "gatv2_heads("}) + a + ", " + x.name +
                                   ", head: " + std::to_string(heads) + ", part: " + std::to_string(part) + drop + ")"),
             {declared("vertex"), {"head", heads}, {"part", part}});
    keep("r", "reshape(" + y.name + ", " + "[vertex, " + word(out) + "])", shape("vertex", out));
}

void GraphLayers::pooled() {
    const Value x = any();
    const GraphMatrix &matrix = matrix_over(rows_of(x));
    keep("o", imported("graph", "attention_pool(" + matrix.name + ", " + x.name + ")"),
         shape(matrix.rows, x.dimensions.back()));
}

/// Of each vertex along its edges, which have values of their own.
void GraphLayers::messages() {
    if (!data_.has("edge"))
        return;
    const Value x = of_vertices();
    const Value f = at(any(), "edge");
    const Value g = bind("d", dense(f, x.dimensions.back()), shape("edge", x.dimensions.back()));
    if (random_.chance(0.5))
        return keep("h", imported("graph", "gine(from, into, " + x.name + ", " + g.name + ")"), x.dimensions);
    const std::string reduction = random_.pick<std::string>({"", ", reduce = mean", ", reduce = max"});
    keep("h", "spmm(into, " + smooth("spmm(from, " + x.name + ")") + " * " + g.name + reduction + ")", x.dimensions);
}

void GraphLayers::scores_of_links() {
    if (!data_.has("edge"))
        return;
    const Value x = of_vertices();
    keep("l", imported("graph", "link_logits(from, to, " + x.name + ", class: 2)"), shape("edge", {"class", 2}));
}

/// A product whose rows lie between other dimensions.
void GraphLayers::turned() {
    const Value x = any();
    const GraphMatrix &matrix = matrix_over(rows_of(x));
    const Dimension head{"head", random_.whole(1, 3)};
    const Dimension part{"part", random_.whole(1, 3)};
    const Value y = bind("y", "dense(" + x.name + ", [" + word(head) + ", " + word(part) + "])",
                         {x.dimensions.front(), head, part});
    const Value t =
        bind("t", "transpose(" + y.name + ", [head, " + rows_of(x) + ", part])", {head, x.dimensions.front(), part});
    const std::string reduction = random_.pick<std::string>({"", ", reduce = mean", ", reduce = max"});
    const Value s =
        bind("s", "spmm(" + matrix.name + ", " + t.name + reduction + ")", {head, declared(matrix.rows), part});
    keep("v", "reduce_mean(" + s.name + ", over = [head])", shape(matrix.rows, part));
}

/// Sparse features: a row of weights for each word.
void GraphLayers::looked_up_words() {
    if (!data_.has("word"))
        return;
    const Dimension out = features(random_.pick<std::string>({"hidden", "wide"}));
    const std::string table = parameter({declared("word"), out});
    if (random_.chance(0.3))
        return keep("w", smooth(table), shape("word", out));
    const std::string reduction = random_.pick<std::string>({"", ", reduce = mean", ", reduce = max"});
    keep("w", "spmm(words, " + table + reduction + ")", shape("vertex", out));
}

/// Weights of each row.
void GraphLayers::places() {
    const Value x = any();
    const std::string w = parameter(x.dimensions);
    keep("g", x.name + random_.pick<std::string>({" * ", " + "}) + w, x.dimensions);
}

void GraphLayers::dense_layer() {
    const Value x = any();
    const Dimension out = features_for(x);
    const std::string y = dense(x, out);
    keep("h", random_.chance(0.3) ? y : unary(y), with_last(x.dimensions, out));
}

void GraphLayers::function() {
    const Value x = any();
    keep("f", unary(x.name), x.dimensions);
}

void GraphLayers::residual() {
    const Value x = any();
    keep("r", x.name + " + " + smooth(dense(x, x.dimensions.back())), x.dimensions);
}

void GraphLayers::joined_values() {
    const Value a = any();
    const Value b = at(any(), rows_of(a));
    const Dimension out = b.dimensions.back();
    const std::string c =
        a.dimensions.back().role == out.role && a.dimensions.back().extent == out.extent ? a.name : dense(a, out);
    keep("j", c + random_.pick<std::string>({" + ", " - ", " * "}) + "tanh(" + b.name + ")", b.dimensions);
}

void GraphLayers::softmax() {
    const Value x = any();
    keep("q", "softmax(" + x.name + ")", x.dimensions);
}

/// By the mean or the largest of all rows.
void GraphLayers::centred_rows() {
    const Value x = any();
    const std::string kind = random_.pick<std::string>({"mean", "mean", "max"});
    keep("n", x.name + " - reduce_" + kind + "(" + x.name + ", over = [" + rows_of(x) + "])", x.dimensions);
}

} // namespace planc::test
