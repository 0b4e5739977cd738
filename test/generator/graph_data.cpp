#include "graph_data.h"

#include <planrt/vertex_order.h>

#include <algorithm>
#include <set>

namespace planc::test {

namespace {

/// A table (CSV), column by column.
class Table {
  public:
    explicit Table(int rows) : lines_(static_cast<std::size_t>(rows)) {}

    /// Returns `columns(2..5)`; `cell` makes the text of one.
    template <class Cell> std::string add(int width, Cell cell) {
        const int first = columns_;
        columns_ += width;
        for (std::string &line : lines_)
            for (int i = 0; i < width; ++i)
                line += (line.empty() ? "" : ",") + cell();
        return width == 1 ? "column(" + std::to_string(first)
                          : "columns(" + std::to_string(first) + ".." + std::to_string(columns_);
    }

    [[nodiscard]] std::string text(bool header) const {
        std::string text;
        for (int i = 0; header && i < columns_; ++i)
            text += (i == 0 ? "c" : ",c") + std::to_string(i);
        text += header ? "\n" : "";
        for (const std::string &line : lines_)
            text += line + "\n";
        return text;
    }

  private:
    std::vector<std::string> lines_;
    int columns_ = 0;
};

} // namespace

GraphData::GraphData(Random &random, bool joined)
    : random_(random), vertices_(random.chance(0.2) ? random.whole(1, 3) : random.whole(1, 12)),
      header_(random.chance(0.5)) {
    add_adjacency("a");
    if (!joined)
        return;
    if (random.chance(0.25))
        add_adjacency("b");
    if (random.chance(0.3))
        add_words();
    if (random.chance(0.3))
        add_edges();
    if (random.chance(0.3))
        add_groups();
}

int GraphData::extent(const std::string &role) const {
    return role == "vertex" ? vertices_ : role == "word" ? words_ : role == "edge" ? edges_ : groups_;
}

std::string GraphData::number(bool positive) {
    const double size = random_.between(0.2, 1.5);
    return std::to_string(positive || random_.chance(0.5) ? size : -size);
}

/// `triangle`: none above the diagonal. Often some rows and columns have none.
std::vector<GraphData::Edge> GraphData::draw_edges(int rows, int columns, bool triangle) {
    const int used_rows = random_.chance(0.4) ? random_.whole(1, rows) : rows;
    const int used_columns = random_.chance(0.4) ? random_.whole(1, columns) : columns;
    const int count = random_.chance(0.1) ? 0 : random_.whole(1, 3 * std::max(rows, columns));
    std::set<Edge> edges;
    for (int i = 0; i < count; ++i) {
        const Edge edge{random_.whole(0, used_rows - 1), columns - 1 - random_.whole(0, used_columns - 1)};
        if (!triangle || edge.first >= edge.second)
            edges.insert(edge);
    }
    std::vector<Edge> list(edges.begin(), edges.end());
    random_.shuffle(list);
    return list;
}

/// `positive`: sums of the values are divided by, so they must not cancel.
std::string GraphData::settings(bool is_square, bool &positive) {
    std::string text;
    if (is_square && random_.chance(0.4))
        text += ", self_loops = true";
    positive = random_.chance(0.5);
    if (positive)
        text += random_.pick<std::string>({", normalize = row", is_square ? ", normalize = symmetric" : "", ""});
    return text;
}

void GraphData::write_edge_list(const std::string &file, const std::vector<Edge> &edges, bool positive) {
    const bool weighted = random_.chance(0.7);
    std::string text = weighted ? "source,target,weight\n" : "source,target\n";
    for (const auto &[row, column] : edges)
        text += std::to_string(column) + "," + std::to_string(row) + (weighted ? "," + number(positive) : "") + "\n";
    files_.push_back({file, text});
}

void GraphData::write_matrix_market(const std::string &file, int rows, int columns, const std::vector<Edge> &edges,
                                    bool positive) {
    const bool weighted = random_.chance(0.7);
    std::string text = std::string("%%MatrixMarket matrix coordinate ") + (weighted ? "real" : "pattern") +
                       " general\n" + std::to_string(rows) + " " + std::to_string(columns) + " " +
                       std::to_string(edges.size()) + "\n";
    for (const auto &[row, column] : edges)
        text += std::to_string(row + 1) + " " + std::to_string(column + 1) + (weighted ? " " + number(positive) : "") +
                "\n";
    files_.push_back({file, text});
}

std::string GraphData::write_matrix(const std::string &name, int rows, int columns, bool undirected,
                                    const std::string &settings, bool positive) {
    std::vector<Edge> edges = draw_edges(rows, columns, undirected);
    if (!edges.empty() && !undirected && random_.chance(0.2)) // their values are added
        edges.push_back(edges.front());
    if (random_.chance(0.5)) {
        write_edge_list(name + ".csv", edges, positive);
        return "edges(\"" + name + ".csv\"" + settings + ")";
    }
    write_matrix_market(name + ".mtx", rows, columns, edges, positive);
    return "matrix_market(\"" + name + ".mtx\"" + settings + ")";
}

void GraphData::add_adjacency(const std::string &name) {
    bool positive = false;
    std::string text = settings(true, positive);
    const bool undirected = random_.chance(0.3);
    text += undirected ? ", undirected = true" : "";
    const int most = vertices_ * (vertices_ - 1) / 4; // a drawn graph fills at most half of the places
    const bool drawn = most > 0 && random_.chance(0.15);
    const std::string source =
        drawn ? "synthetic_graph(kind = uniform, edges = " + std::to_string(random_.whole(1, most)) + ", seed = 3" +
                    text + ")"
              : write_matrix(name, vertices_, vertices_, undirected, text, positive);
    matrices_.push_back({name, "vertex", "vertex", source});
}

void GraphData::add_words() {
    words_ = random_.whole(1, 7);
    const auto add = [&](const char *name, const char *rows, const char *columns) {
        bool positive = false;
        const std::string text = settings(false, positive);
        matrices_.push_back(
            {name, rows, columns, write_matrix(name, extent(rows), extent(columns), false, text, positive)});
    };
    add("words", "vertex", "word");
    add("uses", "word", "vertex");
}

/// Messages that are stored edge by edge.
void GraphData::add_edges() {
    edges_ = random_.whole(1, 10);
    Table table(edges_);
    const auto vertex = [&] { return std::to_string(random_.whole(0, vertices_ - 1)); };
    const std::string source = "(\"links.csv\", " + table.add(1, vertex).replace(0, 7, "column = ") + ")";
    const std::string target = "(\"links.csv\", " + table.add(1, vertex).replace(0, 7, "column = ") + ")";
    files_.push_back({"links.csv", table.text(header_)});
    matrices_.push_back({"from", "edge", "vertex", "lookup" + source});
    matrices_.push_back({"to", "edge", "vertex", "lookup" + target});
    matrices_.push_back({"into", "vertex", "edge", "groups" + target});
}

/// Each vertex belongs to a group; some groups may be empty.
void GraphData::add_groups() {
    groups_ = random_.whole(1, 5);
    Table table(vertices_);
    const std::string column =
        table.add(1, [&] { return std::to_string(random_.whole(0, groups_ - 1)); }).replace(0, 7, "column = ");
    files_.push_back({"members.csv", table.text(header_)});
    matrices_.push_back({"g", "group", "vertex", "groups(\"members.csv\", " + column + ")"});
    matrices_.push_back({"of", "vertex", "group", "lookup(\"members.csv\", " + column + ")"});
}

std::string GraphData::declaration(const std::string &samples, const std::vector<GraphField> &fields,
                                   std::vector<DataFile> &files) {
    const bool only_samples =
        std::ranges::all_of(fields, [&](const GraphField &field) { return field.rows == samples; });
    const bool drawn = only_samples && !header_ && random_.chance(0.7); // fields without a table are random
    std::string order;
    if (random_.chance(0.4))
        order = ", order = random(seed = " + std::to_string(random_.whole(0, 99)) + ")";
    else if (random_.chance(0.3) && planrt::has_metis())
        order = ", order = metis";
    std::string text =
        drawn ? "graph(seed = 1" + order + ") {\n"
              : std::string("graph(\"samples.csv\", header = ") + (header_ ? "true" : "false") + order + ") {\n";
    for (const GraphMatrix &matrix : matrices_)
        text += "    " + matrix.name + " = " + matrix.source + "\n";
    files = files_;
    Table table(extent(samples));
    for (const GraphField &field : fields) {
        if (drawn)
            break;
        const auto cell = [&] {
            return field.classes > 0 ? std::to_string(random_.whole(0, field.classes - 1)) : number(false);
        };
        const bool is_label = &field == &fields.back(); // without one of its own the first table has no samples
        if (field.rows == samples && (is_label || random_.chance(0.8))) {
            text += "    " + field.name + " = " + table.add(field.width, cell) + ")\n";
            continue;
        }
        Table other(extent(field.rows));
        text += "    " + field.name + " = " + other.add(field.width, cell) + ", table = \"" + field.name + ".csv\")\n";
        files.push_back({field.name + ".csv", other.text(header_)});
    }
    if (!drawn) {
        bool any = false; // to train on
        text += "    split = " + table.add(1, [&] {
            const int part = std::exchange(any, true) ? random_.whole(0, 3) : 0;
            return std::to_string(part);
        }) + ")\n";
        files.push_back({"samples.csv", table.text(header_)});
    }
    return text + "}";
}

} // namespace planc::test
