// oneDNN's primitives as the kernels use them: created once, executed on pointers. They run one after another and share
// one piece of working memory.
#pragma once

#include "kernels/libraries/onednn.h"

#include <array>
#include <cstdint>

namespace planrt {

/// A primitive with three tensors. oneDNN must be loaded. Never destroyed: it lives as long as the process does.
class Primitive {
  public:
    struct Argument {
        int role; ///< DNNL_ARG_…
        const dnnl_memory_desc_t *format;
    };

    Primitive() = default;
    /// Takes ownership of `description`. Errors: Failure if oneDNN cannot create the primitive.
    Primitive(dnnl_primitive_desc_t description, const std::array<Argument, 3> &arguments);

    [[nodiscard]] explicit operator bool() const { return primitive_ != nullptr; }
    /// Its working memory: the beginning of kernel_scratch().
    [[nodiscard]] std::int64_t scratch_bytes() const { return scratch_bytes_; }
    /// One pointer for each argument, in order; null for arguments that it does not have. Errors: Failure.
    void execute(const std::array<const void *, 3> &pointers) const;

  private:
    dnnl_primitive_t primitive_ = nullptr;
    std::array<dnnl_exec_arg_t, 4> arguments_{}; ///< the last: what it works in
    int count_ = 0;
    std::int64_t scratch_bytes_ = 0;
};

/// The processor.
[[nodiscard]] dnnl_engine_t processor();
/// Attributes of primitives that use our working memory.
[[nodiscard]] dnnl_primitive_attr_t with_own_scratch();

/// While an object exists, primitives are created for, and run on, the threads of the rank.
class OnThreads {
  public:
    OnThreads();
    OnThreads(const OnThreads &) = delete;
    OnThreads &operator=(const OnThreads &) = delete;
    ~OnThreads();
};

} // namespace planrt
