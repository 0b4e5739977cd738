// What must hold of the readers of graphs on any file.
#pragma once

#include <planrt/graph_file.h>

#include <string>

namespace planc::fuzz {

struct GraphOutcome {
    std::string wrong; ///< empty: all promises were kept
    bool read = false;
};

/// Reads a graph: the result is a well-formed matrix of finite values, or there is one Failure of one printable line.
[[nodiscard]] GraphOutcome check_graph(const planrt::GraphFile &file, const planrt::GraphOptions &options);

} // namespace planc::fuzz
