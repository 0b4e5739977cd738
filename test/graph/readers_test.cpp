// The readers: what they accept, and the line that they give for each fault.
#include <planrt/graph_file.h>

#include "graphs.h"
#include "runtime/scratch_directory.h"

#include <zlib.h>

#include <gtest/gtest.h>

namespace planrt {
namespace {

using tests::dense;

class GraphReaders : public testing::Test {
  protected:
    Pattern read(GraphFormat format, const std::string &content) {
        return read_graph({format, directory_.write("file", content)}, options_);
    }
    Pattern matrix(const std::string &content) { return read(GraphFormat::matrix_market, content); }
    Pattern edges(const std::string &content) { return read(GraphFormat::edge_list, content); }

    /// The message without the directory.
    template <class Action> std::string complaint(const Action &action) {
        std::string message = failure_of(action);
        const std::string path = directory_.path() + "/";
        for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path))
            message.erase(at, path.size());
        return message;
    }
    std::string matrix_complaint(const std::string &content) {
        return complaint([&] { return matrix(content); });
    }
    std::string edges_complaint(const std::string &content) {
        return complaint([&] { return edges(content); });
    }

    ScratchDirectory directory_;
    GraphOptions options_{3, 3};
};

std::string packed(const ScratchDirectory &directory, const std::string &content) {
    gzFile out = gzopen(directory.file("packing").c_str(), "wb");
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    gzclose(out);
    return directory.read("packing");
}

constexpr const char *pattern_header = "%%MatrixMarket matrix coordinate pattern general\n";
constexpr const char *real_header = "%%MatrixMarket matrix coordinate real general\n";

TEST_F(GraphReaders, MatrixMarketRowThenColumn) {
    options_ = {2, 3};
    const Pattern pattern = matrix(std::string(real_header) + "2 3 2\n2 1 0.5\n1 3 -2e1\n");
    EXPECT_EQ(dense(pattern), (std::vector<double>{0, 0, -20, 0.5, 0, 0}));
}

TEST_F(GraphReaders, MatrixMarketCommentsAndLineEnds) {
    const Pattern pattern = matrix("%%matrixmarket MATRIX Coordinate Integer GENERAL\r\n% a comment\r\n\r\n%\r\n"
                                   "3 3 2\r\n\r\n 1\t2  +7 \r\n% another\r\n3 3 7");
    EXPECT_EQ(dense(pattern), (std::vector<double>{0, 7, 0, 0, 0, 0, 0, 0, 7}));
    EXPECT_TRUE(pattern.values.empty());
}

TEST_F(GraphReaders, MatrixMarketGzip) {
    const std::string content = packed(directory_, std::string(pattern_header) + "3 3 1\n3 2\n");
    EXPECT_EQ(matrix(content), tests::pattern_at(3, 3, {{2, 1}}));
    EXPECT_EQ(matrix_complaint(content.substr(0, content.size() - 9)), "file: the gzip data end too early");
    std::string damaged = content;
    damaged[content.size() - 8] ^= 1; // of the checksum
    EXPECT_EQ(matrix_complaint(damaged), "file: incorrect data check");
}

TEST_F(GraphReaders, MatrixMarketSymmetric) {
    const Pattern pattern = matrix("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5\n2 1 4\n3 2 6\n");
    EXPECT_EQ(dense(pattern), (std::vector<double>{5, 4, 0, 4, 0, 6, 0, 6, 0}));
}

TEST_F(GraphReaders, MatrixMarketSkewHasTheOppositeSignAboveTheDiagonal) {
    const std::string header = "%%MatrixMarket matrix coordinate integer skew-symmetric\n";
    EXPECT_EQ(dense(matrix(header + "3 3 2\n2 1 4\n3 2 4\n")), (std::vector<double>{0, -4, 0, 4, 0, -4, 0, 4, 0}));
    EXPECT_EQ(matrix_complaint(header + "3 3 1\n2 2 0\n"),
              "file:3: a skew-symmetric matrix has nothing on its diagonal");
}

TEST_F(GraphReaders, MatrixMarketWithoutEdges) {
    options_.self_loops = true;
    options_.normalization = Normalization::symmetric;
    EXPECT_EQ(dense(matrix(std::string(pattern_header) + "3 3 0\n")), (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
    options_.self_loops = false;
    EXPECT_EQ(matrix(std::string(pattern_header) + "3 3 0\n"), tests::pattern_at(3, 3, {}));
}

TEST_F(GraphReaders, MatrixMarketHeaderFaults) {
    EXPECT_EQ(matrix_complaint(""), "file: is not a Matrix Market file: it does not begin with %%MatrixMarket");
    EXPECT_EQ(matrix_complaint("3 3 0\n"), "file: is not a Matrix Market file: it does not begin with %%MatrixMarket");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket vector coordinate real general\n"),
              "file:1: expected a matrix, got 'vector'");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix array real general\n"),
              "file:1: expected the format coordinate, got 'array'");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate complex general\n"),
              "file:1: expected pattern, integer or real, got 'complex'");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate real hermitian\n"),
              "file:1: expected general, symmetric or skew-symmetric, got 'hermitian'");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate pattern skew-symmetric\n"),
              "file:1: a skew-symmetric matrix has signs, which a pattern has not");
}

TEST_F(GraphReaders, MatrixMarketSizeFaults) {
    const std::string header = real_header;
    EXPECT_EQ(matrix_complaint(header), "file: ends before its size line, 'rows columns nonzeros'");
    EXPECT_EQ(matrix_complaint(header + "3 3\n"),
              "file:2: expected three numbers, rows, columns and nonzeros, got fewer");
    EXPECT_EQ(matrix_complaint(header + "3 3 1 1\n"),
              "file:2: expected three numbers, rows, columns and nonzeros, got more: '1'");
    EXPECT_EQ(matrix_complaint(header + "%\n3 3 -1\n"),
              "file:3: expected three numbers, rows, columns and nonzeros, got '-1'");
    EXPECT_EQ(matrix_complaint(header + "4 3 0\n"), "file:2: expected 3 rows and 3 columns, as declared, got 4 and 3");
    EXPECT_EQ(matrix_complaint(header + "3 2 0\n"), "file:2: expected 3 rows and 3 columns, as declared, got 3 and 2");
    options_ = {2, 3};
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n"),
              "file:2: a symmetric matrix has as many rows as columns");
}

TEST_F(GraphReaders, MatrixMarketEntryFaults) {
    const std::string start = std::string(real_header) + "3 3 1\n";
    EXPECT_EQ(matrix_complaint(start + "4 1 1\n"), "file:3: row 4 is outside: rows are 1 to 3");
    EXPECT_EQ(matrix_complaint(start + "1 0 1\n"), "file:3: column 0 is outside: columns are 1 to 3");
    EXPECT_EQ(matrix_complaint(start + "x 0 1\n"), "file:3: expected the number of a row, got 'x'");
    EXPECT_EQ(matrix_complaint(start + "99999999999999999999 0 1\n"),
              "file:3: expected the number of a row, got '99999999999999999999'");
    EXPECT_EQ(matrix_complaint(start + "1\n"), "file:3: expected a row and a column and a value, got fewer words");
    EXPECT_EQ(matrix_complaint(start + "1 1\n"), "file:3: expected a row and a column and a value, got fewer words");
    EXPECT_EQ(matrix_complaint(start + "1 1 nan\n"), "file:3: expected a number, got 'nan'");
    EXPECT_EQ(matrix_complaint(start + "1 1 1e999\n"), "file:3: expected a number, got '1e999'");
    EXPECT_EQ(matrix_complaint(start + "1 1 1 1\n"), "file:3: expected the end of the line, got '1'");
    EXPECT_EQ(matrix_complaint(start + "1 1 1\n1 2 1\n"), "file:4: continues after the 1 nonzeros of its size line");
    EXPECT_EQ(matrix_complaint(std::string(pattern_header) + "3 3 3000000000\n1 1\n"),
              "file: ends after 1 nonzeros; its size line says that there are 3000000000");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate integer general\n3 3 1\n1 1 1.5\n"),
              "file:3: expected a whole number, got '1.5'");
    EXPECT_EQ(matrix_complaint("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 2\n"),
              "file:3: row 1, column 2 is above the diagonal; a symmetric file has only the lower half");
}

TEST_F(GraphReaders, Duplicates) {
    const std::string content = std::string(real_header) + "3 3 3\n1 2 1\n% a comment\n2 2 1\n1 2 4\n";
    EXPECT_EQ(dense(matrix(content))[1], 5);
    options_.duplicates = Duplicates::error;
    EXPECT_EQ(matrix_complaint(content),
              "file:6: row 1, column 2 is there already, in line 3; duplicates = sum adds them up");
    EXPECT_EQ(edges_complaint("0,1\n\n2,1\n0,1\n2,1\n"),
              "file:4: the edge from 0 to 1 is there already, in line 1; duplicates = sum adds them up");
    options_.duplicates = Duplicates::sum;
    EXPECT_EQ(matrix_complaint(std::string(real_header) + "3 3 2\n1 1 1e308\n1 1 1e308\n"),
              "file: the sum of an entry's duplicates is too large");
}

TEST_F(GraphReaders, EdgeListSourceThenTarget) {
    options_ = {2, 3};
    EXPECT_EQ(edges("2,0\n0,1\n"), tests::pattern_at(2, 3, {{0, 2}, {1, 0}}));
    EXPECT_EQ(edges("source,target\n2,0\n0,1"), tests::pattern_at(2, 3, {{0, 2}, {1, 0}}));
    EXPECT_EQ(edges("\xEF\xBB\xBF\"2\", 0\r\n0 ,1\r\n\r\n"), tests::pattern_at(2, 3, {{0, 2}, {1, 0}}));
    EXPECT_EQ(dense(edges("from,to,weight\n2,0,0.5\n0,1,3\n")), (std::vector<double>{0, 0, 0.5, 3, 0, 0}));
    EXPECT_EQ(edges(""), tests::pattern_at(2, 3, {}));
}

TEST_F(GraphReaders, EdgeListFaults) {
    EXPECT_EQ(edges_complaint("0,1\n1,3\n"), "file:2: target 3 is outside: there are 3, counted from 0");
    EXPECT_EQ(edges_complaint("-1,1\n"), "file:1: source -1 is outside: there are 3, counted from 0");
    EXPECT_EQ(edges_complaint("0\n"), "file:1: expected source, target and perhaps a weight, got one column");
    EXPECT_EQ(edges_complaint("0,1,1,1\n"), "file:1: expected source, target and perhaps a weight, got 4 columns");
    EXPECT_EQ(edges_complaint("0,1\n0,1,2\n"), "file:2: expected 2 columns as above, got 3 columns");
    EXPECT_EQ(edges_complaint("0,1,1\n0,1\n"), "file:2: expected 3 columns as above, got 2 columns");
    EXPECT_EQ(edges_complaint("0,a\n"), "file:1: expected the number of a target, got 'a'");
    EXPECT_EQ(edges_complaint("a,b\nc,d\n"), "file:2: expected the number of a source, got 'c'");
    EXPECT_EQ(edges_complaint("0.5,1\n"), "file:1: expected the number of a source, got '0.5'");
    EXPECT_EQ(edges_complaint("0,1,\n"), "file:1: expected a weight, got ''");
    EXPECT_EQ(edges_complaint("0\t1\n"), "file:1: expected source, target and perhaps a weight, got one column");
}

std::string npy(const std::string &type, const std::string &shape, const std::string &numbers) {
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + numbers;
}

TEST_F(GraphReaders, NpyArray) {
    const std::string content = npy("|u1", "(2, 3)", {0, 1, 2, 1, 2, 0});
    EXPECT_EQ(read(GraphFormat::npy, content), tests::pattern_at(3, 3, {{1, 0}, {2, 1}, {0, 2}}));
    EXPECT_EQ(read(GraphFormat::npy, packed(directory_, content)), read(GraphFormat::npy, content));
    const auto big = npy(">i2", "(2, 1)", {0, 2, 0, 1});
    EXPECT_EQ(read(GraphFormat::npy, big), tests::pattern_at(3, 3, {{1, 2}}));
}

TEST_F(GraphReaders, NpyPair) {
    const std::string sources = directory_.write("sources", npy("<i4", "(2,)", {2, 0, 0, 0, 0, 0, 0, 0}));
    const std::string targets = directory_.write("targets", npy("|i1", "(2,)", {0, 1}));
    EXPECT_EQ(read_graph({GraphFormat::npy, sources, targets}, options_), tests::pattern_at(3, 3, {{0, 2}, {1, 0}}));
    const std::string three = directory_.write("three", npy("|i1", "(3,)", {0, 1, 1}));
    EXPECT_EQ(complaint([&] { return read_graph({GraphFormat::npy, sources, three}, options_); }),
              "three: has 3 targets, but sources has 2 sources");
}

TEST_F(GraphReaders, NpyFaults) {
    const auto npy_complaint = [&](const std::string &content) {
        return complaint([&] { return read(GraphFormat::npy, content); });
    };
    EXPECT_EQ(npy_complaint("hello"), "file: is not a .npy file: it does not begin with \\x93NUMPY");
    EXPECT_EQ(npy_complaint(npy("<f4", "(2, 1)", "12345678")), "file: expected whole numbers, got floating point");
    EXPECT_EQ(npy_complaint(npy("|u1", "(3, 2)", "123456")),
              "file: expected an array of 2 × edges, sources and targets; got 3 × 2");
    EXPECT_EQ(npy_complaint(npy("|u1", "(2, 2)", {0, 1, 3, 0})),
              "file: edge 0: target 3 is outside: there are 3, counted from 0");
    EXPECT_EQ(npy_complaint(npy("|i1", "(2, 2)", {0, -1, 0, 0})),
              "file: edge 1: source -1 is outside: there are 3, counted from 0");
    EXPECT_EQ(npy_complaint(npy("|u1", "(2, 4000000000)", {0, 1, 0})),
              "file: ends in the source of edge 3; its header says that there are 4000000000");
    EXPECT_EQ(npy_complaint(npy("|u1", "(2, 1)", {0, 1, 0})), "file: continues after the edges of its header");
    options_.duplicates = Duplicates::error;
    EXPECT_EQ(npy_complaint(npy("|u1", "(2, 2)", {0, 0, 1, 1})),
              "file: edge 1: the edge from 0 to 1 is there already, as edge 0; duplicates = sum adds them up");
    EXPECT_EQ(complaint([&] {
                  const std::string sources = directory_.write("sources", npy("|u1", "(2, 1)", {0, 1}));
                  return read_graph({GraphFormat::npy, sources, sources}, options_);
              }),
              "sources: expected an array of one dimension, the sources of the edges; got 2 × 1");
}

TEST_F(GraphReaders, OgbFolder) {
    const auto read_folder = [&] { return read_graph({GraphFormat::ogb, directory_.path()}, options_); };
    EXPECT_EQ(complaint(read_folder), "cannot read num-node-list.csv: No such file or directory");
    directory_.write("num-node-list.csv.gz", packed(directory_, "3\n"));
    directory_.write("edge.csv.gz", packed(directory_, "0,1\n1,2\n"));
    EXPECT_EQ(read_folder(), tests::pattern_at(3, 3, {{1, 0}, {2, 1}}));
    directory_.write("num-edge-list.csv", "2\n");
    EXPECT_EQ(read_folder().nonzeros(), 2);
    directory_.write("num-edge-list.csv", "3\n");
    EXPECT_EQ(complaint(read_folder), "num-edge-list.csv:1: 3 edges, but 2 are in edge.csv");
    directory_.write("num-node-list.csv", "4\n");
    EXPECT_EQ(complaint(read_folder), "num-node-list.csv:1: 4 vertices, but 3 are declared");
    directory_.write("num-node-list.csv", "3\n5\n");
    EXPECT_EQ(complaint(read_folder), "num-node-list.csv:2: expected one graph, got several");
    directory_.write("num-node-list.csv", "\n");
    EXPECT_EQ(complaint(read_folder), "num-node-list.csv: has no number of vertices");
    directory_.write("num-node-list.csv", "three\n");
    EXPECT_EQ(complaint(read_folder), "num-node-list.csv:1: expected the number of vertices, got 'three'");
}

TEST_F(GraphReaders, EdgesWithAColumnOfWeights) {
    const auto weighted = [&](const std::string &content) {
        return read_graph({GraphFormat::edge_list, directory_.write("file", content), "", 3}, options_);
    };
    EXPECT_EQ(dense(weighted("from,to,kind,length\n0,1,single,0.5\n2,1,double,-2\n")),
              (std::vector<double>{0, 0, 0, 0.5, 0, -2, 0, 0, 0}));
    EXPECT_EQ(complaint([&] { return weighted("0,1,2\n"); }), "file:1: expected at least 4 columns, got 3");
    EXPECT_EQ(complaint([&] { return weighted("0,1,2,3,4\n0,1,2,3\n"); }),
              "file:2: expected 5 columns as above, got 4 columns");
    EXPECT_EQ(complaint([&] { return weighted("0,1,2,long\n"); }), "file:1: expected a weight, got 'long'");
}

TEST_F(GraphReaders, MessagesAreOneLine) {
    EXPECT_EQ(edges_complaint("a\r\x1b,1\n"), "file:1: expected the number of a source, got 'a\\r\\x1b'");
    EXPECT_EQ(edges_complaint("0," + std::string(100, 'x')),
              "file:1: expected the number of a target, got '" + std::string(40, 'x') + "'");
}

} // namespace
} // namespace planrt
