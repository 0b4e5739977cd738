// What the program says of its collectives: tables for the runtime, words for comments.
#pragma once

#include "emit/emit.h"
#include "ir/placement.h"
#include "ir/plan_dialect.h"

#include <planrt/layout.h>

#include <string>
#include <vector>

namespace planc::emit {

[[nodiscard]] CollectiveInfo collective_info(ir::StartOp start, ir::MeshAttr mesh);
/// Calls and bytes of the payload of each rank; of a collective by messages also what it sends.
struct Predicted {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    std::int64_t messages = 0;
    std::int64_t sent_bytes = 0;
    friend bool operator==(const Predicted &, const Predicted &) = default;
};
[[nodiscard]] std::vector<Predicted> predicted(const CollectiveInfo &info, const planrt::Mesh &mesh);

/// "all-reduce of gradient of h.w [pixel: 6, hidden: 8 over cols] over rows: 96 bytes, predicted 3.1 us"
[[nodiscard]] std::string describe(ir::StartOp start, ir::MeshAttr mesh, const EmitInfo &info);
/// The same without names: "all-reduce of [pixel: 6, hidden: 8 over cols] over rows".
[[nodiscard]] std::string kind_and_shapes(ir::StartOp start);
/// "gradient of h.w, gradient of h.b"
[[nodiscard]] std::string tensor_names(ir::StartOp start);

} // namespace planc::emit
