// From a schedule to plain C++20 on <planrt/planrt.h>.
//
//   std::string cpp = emit::emit_cpp(module, {.network = "classifier", .source = "digits.plan", …});
#pragma once

#include "schedule/collective_info.h"
#include "sema/program.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace planc::emit {

using schedule::CollectiveInfo;

/// What the program says about itself that is not in the IR.
struct EmitInfo {
    std::string network;
    std::string source; ///< .plan file as given
    std::string layout;
    sema::Data data;
    std::vector<sema::Matrix> matrices;             ///< its sparse fields
    std::shared_ptr<const sema::VertexOrder> order; ///< of its vertices; null: that of the file
    std::int64_t sampled_vertices = 0; ///< of which a step takes a batch, in no order, with sampled neighbours; 0: all
    std::vector<std::int64_t> fanout;  ///< of each hop
    std::map<std::string, std::int64_t> bounds;  ///< whole numbers of this field lie in [0, bound); absent: any
    std::map<std::string, std::int64_t> ignored; ///< or are this one, which counts nowhere
    std::int64_t epochs = 0;
    std::int64_t steps = 0;
    std::uint64_t seed = 1;
    sema::Keep keep = sema::Keep::last;
    std::int64_t patience = 0;
    /// A line of the .plan file for comments, without its line end; may be unset.
    std::function<std::string(const std::string &file, int line)> source_line;
    /// Predicted seconds of one run of a collective; may be unset.
    std::function<double(const CollectiveInfo &, const planrt::Role &)> seconds;
    /// Predicted seconds of a layer's computation in one phase of a step.
    struct Computation {
        std::string layer;
        std::string phase; ///< "forward", "weight gradient", …
        double seconds = 0;
    };
    std::vector<Computation> computations;
    double reference_seconds = 0; ///< of two of planrt::reference_product; 0: not measured
    /// If set, kernels are not written out; instead they take their modelled time (<planrt/simulate.h>).
    struct Modelled {
        std::function<int(mlir::Operation *)> kernel; ///< index of its row; -1: takes no time
        std::vector<std::vector<double>> seconds;     ///< by kernel, by class of ranks
        std::vector<std::string> names;               ///< by kernel: "product"
        std::vector<int> class_of_rank;
    };
    std::optional<Modelled> modelled;
};

/// `scheduled` has passed schedule::run().
[[nodiscard]] std::string emit_cpp(mlir::ModuleOp scheduled, const EmitInfo &info);

} // namespace planc::emit
