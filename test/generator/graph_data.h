// Random graphs as files, and the data set that names them: adjacencies of any direction, weight and normalisation,
// with isolated vertices or without any edge; rectangular matrices; tables that join vertices to edges and to groups.
#pragma once

#include "plan_file.h"
#include "random.h"

#include <string>
#include <utility>
#include <vector>

namespace planc::test {

/// A sparse argument. Rows and columns are named by their roles without apostrophes.
struct GraphMatrix {
    std::string name;
    std::string rows;
    std::string columns;
    std::string source; ///< `edges("a.csv", self_loops = true)`

    [[nodiscard]] bool is_square() const { return rows == columns; }
};

/// A field that is no matrix: `width` numbers for each row.
struct GraphField {
    std::string name;
    std::string rows;
    int width = 1;
    int classes = 0; ///< whole numbers below this; 0: real numbers
};

class GraphData {
  public:
    /// `joined`: the vertices also with words, edges and groups, and by a second matrix.
    GraphData(Random &random, bool joined);

    [[nodiscard]] const std::vector<GraphMatrix> &matrices() const { return matrices_; }
    /// Kinds of rows: `vertex`, and `word`, `edge` and `group`, each of which has matrices from and to the vertices.
    [[nodiscard]] bool has(const std::string &role) const { return extent(role) > 0; }
    [[nodiscard]] int extent(const std::string &role) const;

    /// The data set; `samples`: the role of the rows with labels. Writes the files that it names.
    [[nodiscard]] std::string declaration(const std::string &samples, const std::vector<GraphField> &fields,
                                          std::vector<DataFile> &files);

  private:
    using Edge = std::pair<int, int>; ///< row, column

    void add_adjacency(const std::string &name);
    void add_words();
    void add_edges();
    void add_groups();
    [[nodiscard]] std::vector<Edge> draw_edges(int rows, int columns, bool triangle);
    [[nodiscard]] std::string settings(bool is_square, bool &positive);
    [[nodiscard]] std::string write_matrix(const std::string &name, int rows, int columns, bool undirected,
                                           const std::string &settings, bool positive);
    void write_edge_list(const std::string &file, const std::vector<Edge> &edges, bool positive);
    void write_matrix_market(const std::string &file, int rows, int columns, const std::vector<Edge> &edges,
                             bool positive);
    [[nodiscard]] std::string number(bool positive);

    Random &random_;
    int vertices_;
    int words_ = 0;
    int edges_ = 0;
    int groups_ = 0;
    bool header_ = false; ///< of tables
    std::vector<GraphMatrix> matrices_;
    std::vector<DataFile> files_;
};

} // namespace planc::test
