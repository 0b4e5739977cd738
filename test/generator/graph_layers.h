// Kinds of layers with sparse products. Every value has rows of one kind (vertices, words, edges, groups) as
// its first dimension, and one dimension of features behind it.
#pragma once

#include "graph_data.h"
#include "transformer_layers.h"

namespace planc::test {

class GraphLayers : protected TransformerLayers {
  protected:
    /// `sampled`: a step takes a batch of vertices and samples their neighbours.
    GraphLayers(Random &random, const NetworkOptions &options, bool sampled, GraphData data);

    // Each adds a layer, or nothing where no value fits.
    void summed();
    void propagated();
    void convolved();
    void sampled_means();
    void largest();
    void isomorphism();
    void spread();
    void attended_heads();
    void pooled();
    void messages();
    void scores_of_links();
    void turned();
    void looked_up_words();
    void places();
    void dense_layer();
    void function();
    void residual();
    void joined_values();
    void softmax();
    void centred_rows();

    static const std::string &rows_of(const Value &x) { return x.dimensions.front().role; }
    /// The rows with this number of features.
    [[nodiscard]] Dimensions shape(const std::string &rows, const Dimension &features) const;
    /// A matrix that sums over rows of this kind, any of them; there always is one.
    const GraphMatrix &matrix_over(const std::string &rows);
    /// Any value, at the vertices.
    Value of_vertices();
    /// The value itself, or its sum, mean or maximum at each of other rows.
    Value at(const Value &x, const std::string &rows);
    std::string square_matrix();
    /// Features of a new value.
    Dimension features_for(const Value &x);
    Dimension features(const std::string &role);

    bool sampled_;
    GraphData data_;
};

} // namespace planc::test
