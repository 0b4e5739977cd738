// Kinds of layers with values on the entries of a sparse matrix: inner products, sums of values of both sides, softmax
// over the entries of a row, and sums and maxima weighted by them.
#pragma once

#include "graph_layers.h"

namespace planc::test {

class EdgeLayers : protected GraphLayers {
  protected:
    using GraphLayers::GraphLayers;

    // Each adds a layer.
    void attended();
    void weighted_largest();
    void sums_of_entries();

  private:
    /// Of a matrix: values of its rows and of its columns.
    struct Sides {
        GraphMatrix matrix;
        Value rows;
        Value columns;
    };
    /// Both have the same features behind their rows, in heads or not.
    Sides sides(bool heads);
    /// One number for each row, or for each of its heads.
    std::string number_of(const Value &x);
    /// A name that is bound to a value on the entries.
    std::string scores(const Sides &sides);
    std::string weights(const Sides &sides);
    void keep_flat(const std::string &expression, Dimensions dimensions);
};

} // namespace planc::test
