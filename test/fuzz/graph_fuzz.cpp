// graph_fuzz [--count N] [--seed S|today] [--first I] [--print]
//
// Runs the readers of graphs on N mutated files of every format, under random options, some of them compressed
// (harness.h). A broken promise of graph_check.h is a failure.
#include "graph_check.h"
#include "harness.h"
#include "mutate.h"

#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace planc::fuzz {
namespace {

using planrt::GraphFormat;

constexpr std::int64_t vertices = 7; ///< of all seeds

std::string npy(const std::string &type, const std::string &shape, const std::string &numbers) {
    const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}\n";
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + numbers;
}

/// Files of one kind, and how they are read.
struct Kind {
    GraphFormat format;
    const char *file; ///< its name in the folder
    std::vector<std::string> seeds;
};

/// Half of the files have only other digits, so that many are still graphs.
std::string mutated(const std::vector<std::string> &seeds, Random &random) {
    if (random() % 2 == 0)
        return Mutator(seeds).next(random);
    std::string content = seeds[random() % seeds.size()];
    for (char &letter : content)
        if (letter >= '0' && letter <= '7' && random() % 8 == 0)
            letter = static_cast<char>('0' + random() % 8);
    return content;
}

std::vector<Kind> kinds() {
    const std::string edges = "0,1\n1,2\n5,2\n3,3\n1,6\n0,1\n";
    std::vector<Kind> result;
    result.push_back({GraphFormat::matrix_market,
                      "matrix.mtx",
                      {"%%MatrixMarket matrix coordinate real general\n% a comment\n7 7 4\n1 2 0.5\n2 1 -3e2\n7 "
                       "7 1e-300\n4 5 1e308\n",
                       "%%MatrixMarket matrix coordinate integer symmetric\r\n7 7 3\r\n2 1 5\r\n4 4 1\r\n7 2 "
                       "5\r\n",
                       "%%MatrixMarket matrix coordinate real skew-symmetric\n7 7 2\n2 1 5\n4 3 1.5\n",
                       "%%MatrixMarket matrix coordinate pattern general\n7 7 5\n1 1\n2 3\n3 2\n7 1\n1 7\n",
                       "%%MatrixMarket matrix coordinate pattern symmetric\n%\n%\n7 7 2\n3 1\n6 2\n"}});
    result.push_back({GraphFormat::edge_list,
                      "edges.csv",
                      {edges, "source,target,weight\n0,1,0.5\n1,0,0.5\n6,2,1e308\n2,2,-1\n",
                       "\xEF\xBB\xBF\"from\",\"to\"\r\n\"1\",\"2\"\r\n3 , 4\r\n\r\n"}});
    const std::vector<std::string> arrays = {
        npy("|u1", "(2, 3)", {0, 1, 2, 6, 2, 0}), npy("<i2", "(2, 2)", {0, 0, 1, 0, 6, 0, 3, 0}),
        npy(">i8", "(2, 1)", {0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6}), npy("|i1", "(3,)", {3, 4, 5})};
    result.push_back({GraphFormat::npy, "edges.npy", arrays});
    result.push_back({GraphFormat::npy, "targets.npy", arrays});
    result.push_back({GraphFormat::ogb, "edge.csv", {edges}});
    result.push_back({GraphFormat::ogb, "num-node-list.csv", {"7\n", "7"}});
    const std::vector<std::string> tables = {"0\n6\n3\n3\n3\n1\n2\n", "\"5\",x\r\n+1,y\r\n\r\n2\n0\n0\n0\n6,,\n",
                                             "0,1\n5,\n2,2\n3,\n3,4\n1,\n6,\n"};
    result.push_back({GraphFormat::lookup, "table.csv", tables});
    result.push_back({GraphFormat::groups, "table.csv", tables});
    return result;
}

std::string packed(const std::string &text) {
    std::string result(compressBound(text.size()) + 64, '\0');
    z_stream stream = {};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) // 16: gzip
        throw std::runtime_error("no memory for zlib");
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(result.data());
    stream.avail_out = static_cast<uInt>(result.size());
    deflate(&stream, Z_FINISH);
    result.resize(stream.total_out);
    deflateEnd(&stream);
    return result;
}

void damage(std::string &bytes, Random &random) {
    const std::size_t at = random() % bytes.size();
    if (random() % 3 == 0)
        bytes.resize(at);
    else
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
}

void write(const std::filesystem::path &path, const std::string &content) {
    std::filesystem::remove(path); // ext4 would flush a file that is cut off and written again
    std::ofstream(path, std::ios::binary) << content;
}

planrt::GraphOptions any_options(Random &random) {
    planrt::GraphOptions options{vertices, vertices};
    options.undirected = random() % 4 == 0;
    options.self_loops = random() % 4 == 0;
    options.duplicates = random() % 4 == 0 ? planrt::Duplicates::error : planrt::Duplicates::sum;
    options.normalization = std::array{planrt::Normalization::none, planrt::Normalization::row,
                                       planrt::Normalization::symmetric}[random() % 3];
    if (random() % 8 == 0)
        options.rows += static_cast<std::int64_t>(random() % 3) - 1;
    return options;
}

/// The folder in which each input is written; it goes with the program.
class Folder {
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / ("graph_fuzz." + std::to_string(getpid()))) {
        std::filesystem::create_directory(path_);
        write(path_ / "num-node-list.csv", "7\n");
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    [[nodiscard]] std::string file(const char *name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

/// Writes a mutated file into the folder; what else its kind needs is intact. Returns what is to be read.
planrt::GraphFile write_input(const Kind &kind, const Folder &folder, Random &random, bool print) {
    std::string content = mutated(kind.seeds, random);
    if (print)
        std::cout << kind.file << ":\n" << content << std::flush;
    if (random() % 4 == 0) {
        content = packed(content);
        if (random() % 2 == 0)
            damage(content, random);
    }
    if (kind.format == GraphFormat::ogb) {
        write(folder.file("num-node-list.csv"), "7\n");
        write(folder.file("edge.csv"), "0,1\n6,2\n");
        write(folder.file(kind.file), content);
        return {kind.format, folder.file("")};
    }
    write(folder.file(kind.file), content);
    if (std::string_view(kind.file) == "table.csv" && random() % 2 == 0)
        return {kind.format, folder.file(kind.file), "", 1, random() % 2 == 0, 0, random()};
    if (std::string_view(kind.file) != "targets.npy")
        return {kind.format, folder.file(kind.file)};
    write(folder.file("sources.npy"), npy("|u1", "(3,)", {0, 6, 2}));
    return {kind.format, folder.file("sources.npy"), folder.file(kind.file)};
}

int run(const Options &options) {
    const std::vector<Kind> all = kinds();
    const Folder folder;
    std::uint64_t read = 0;
    const auto check = [&](Random &random, bool print) {
        const planrt::GraphFile file = write_input(all[random() % all.size()], folder, random, print);
        const GraphOutcome outcome = check_graph(file, any_options(random));
        read += outcome.read ? 1 : 0;
        return outcome.wrong;
    };
    if (!all_well("graph_fuzz", options, check))
        return 1;
    std::cout << "graph_fuzz: " << options.count << " inputs of seed " << options.seed << ", all well; " << read
              << " are graphs\n";
    return 0;
}

} // namespace
} // namespace planc::fuzz

int main(int count, char **arguments) {
    return planc::fuzz::main_of("graph_fuzz", count, arguments, planc::fuzz::run);
}
