// Statements in order, in which consecutive alike layers share a function. It is called once for each row of a table,
// which contains what differs between them.
//
//   void layers_like_block_1_forward(Context &context, const char *layer, int64_t w, int64_t relu) {
//       const int64_t b = w + 4096; // block[1].b [hidden: 256]
//       block_1_forward(256, context.at<float>(w), context.at<float>(b), context.at<float>(relu));
//   }
//   …
//       static constexpr struct { const char *layer; int64_t w, relu; } rows[] = {{"block[1]", 8192, 65536}, …};
//       for (const auto &row : rows)
//           layers_like_block_1_forward(context, row.layer, row.w, row.relu);
//
// Only the statements are examined: neither operations nor names of layers decide what is alike.
#pragma once

#include "emit/layers_alike/repeats.h"
#include "emit/layers_alike/statement.h"
#include "emit/names/identifiers.h"

#include <map>
#include <string>
#include <vector>

namespace planc::emit {

class LayersAlike {
  public:
    /// `parameter`: what the statements refer to, "Context &context"; `argument`: its name. `named`: texts may be made
    /// from the layer's name at run time, by `argument`.in_layer(). `functions`: names that are already in use.
    LayersAlike(std::string parameter, std::string argument, bool named, UniqueNames &functions)
        : parameter_(std::move(parameter)), argument_(std::move(argument)), named_(named), functions_(functions) {}

    /// The statements as the body of a function; `what`: "forward".
    std::string write(const std::vector<Statement> &statements, const std::string &what);
    /// The functions that layers share, each once.
    [[nodiscard]] const std::string &definitions() const { return definitions_; }

    /// Whether any part of it repeats.
    [[nodiscard]] static bool any(const std::vector<Statement> &statements);
    /// The text of a statement without its comment.
    [[nodiscard]] static std::string alone(const Statement &statement);

  private:
    std::string parameter_;
    std::string argument_;
    bool named_;
    UniqueNames &functions_;
    std::map<std::string, std::string> names_; ///< key of a function -> its name
    std::string definitions_;
};

} // namespace planc::emit
