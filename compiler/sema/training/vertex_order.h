// The order of a graph's vertices (T11): equal parts of a good order have few edges between them, so ranks fetch few
// rows.
//
//   data cora = graph("vertices.csv", order = metis) { … }
#pragma once

#include "sema/networks/elaborate.h"

#include <string>

namespace planc::sema {

/// file, random(seed) or metis. `what`: for messages. `constants`: of the file that declares the data.
[[nodiscard]] OrderSetting read_order(const syntax::Expression &order, const std::string &what, Elaborator &constants,
                                      const Context &context);

/// Fills Train::order and puts its matrices, which have been read, in this order. That a network depends on the order
/// is an error.
void order_vertices(const Data &data, Train &train, const Context &context);

} // namespace planc::sema
