// oneDNN's primitives as the kernels use them: made once, executed on pointers, working in one piece of memory that
// they take turns in.
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
    /// Takes `description` over. Errors: Failure where oneDNN cannot make it.
    Primitive(dnnl_primitive_desc_t description, const std::array<Argument, 3> &arguments);

    [[nodiscard]] explicit operator bool() const { return primitive_ != nullptr; }
    /// What it works in: kernel_scratch(), from its beginning.
    [[nodiscard]] std::int64_t scratch_bytes() const { return scratch_bytes_; }
    /// One pointer per argument, in their order; null for those that it has not. Errors: Failure.
    void execute(const std::array<const void *, 3> &pointers) const;

  private:
    dnnl_primitive_t primitive_ = nullptr;
    std::array<dnnl_exec_arg_t, 4> arguments_{}; ///< the last: what it works in
    int count_ = 0;
    std::int64_t scratch_bytes_ = 0;
};

/// The processor.
[[nodiscard]] dnnl_engine_t processor();
/// Attributes of primitives that work in memory of ours.
[[nodiscard]] dnnl_primitive_attr_t with_own_scratch();

/// While there is one: primitives are made for, and run on, the threads of the rank.
class OnThreads {
  public:
    OnThreads();
    OnThreads(const OnThreads &) = delete;
    OnThreads &operator=(const OnThreads &) = delete;
    ~OnThreads();
};

} // namespace planrt
