// `kernels = […]` and `collectives = […]` of a machine (M6): its measured rates.
#pragma once

#include "sema/context.h"
#include "sema/networks/elaborate.h"
#include "sema/program.h"
#include "sema/values/arguments.h"
#include "syntax/ast.h"

#include <string>
#include <vector>

namespace planc::sema {

/// An argument of this measure, above zero.
[[nodiscard]] double positive_quantity(const Context &context, Elaborator &constants, const Arguments &arguments,
                                       const std::string &name, Measure measure);

class RatesReader {
  public:
    using Items = std::vector<const syntax::Expression *>;

    RatesReader(const Context &context, Elaborator &constants) : context_(context), constants_(constants) {}

    /// [product(…), winograd(…), …], each once.
    [[nodiscard]] support::KernelRates kernels(const Items &items);
    /// [allreduce(ranks = 2, latency = …, bandwidth = …), allreduce(ranks = 2, above = 64 KiB, …), …], ascending.
    [[nodiscard]] std::vector<support::CollectiveRate> collectives(const Items &items);

  private:
    void read_kernel(const syntax::Call &call, support::KernelRates &rates);
    [[nodiscard]] support::ProductRate product(const syntax::Call &call);
    [[nodiscard]] support::PoolRate pool(const syntax::Call &call);
    [[nodiscard]] support::LoopRate loop(const syntax::Call &call);
    [[nodiscard]] double length(const Value &value, const syntax::CallArgument &given, const std::string &what) const;
    [[nodiscard]] support::CollectiveRate collective(const syntax::Call &call);
    [[nodiscard]] double positive(const Arguments &arguments, const std::string &name, Measure measure) {
        return positive_quantity(context_, constants_, arguments, name, measure);
    }
    [[nodiscard]] support::Seconds time(const Arguments &arguments, const std::string &name);

    const Context &context_;
    Elaborator &constants_;
};

} // namespace planc::sema
