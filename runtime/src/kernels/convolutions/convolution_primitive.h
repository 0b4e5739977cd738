// oneDNN's convolutions, one object for each kind and geometry, with the reorder of weights between the language's
// order and oneDNN's format. In oneDNN's terms: src = x (N, C, spatial), weights (groups, out, in, kernel), dst = y;
// activations in memory are nhwc.
#pragma once

#include "kernels/convolutions/primitive.h"

#include <planrt/convolution.h>

namespace planrt {

/// The number of elements of the weights, in the language's order and in a buffer for packed ones.
[[nodiscard]] std::int64_t plain_elements(const Convolution &conv);
[[nodiscard]] std::int64_t packed_elements(const Convolution &conv);

class ConvolutionPrimitive {
  public:
    /// No primitive.
    ConvolutionPrimitive() = default;
    /// Chooses, for the threads of the rank, oneDNN's first implementation that is not its reference loop and whose
    /// weights fit, if there is one. Errors: Failure, std::bad_alloc
    ConvolutionPrimitive(ConvolutionKind kind, const Convolution &conv);

    /// What oneDNN offers: one of its own kernels, or its fallback, which copies all windows and multiplies matrices
    /// and is several times slower.
    enum class Offer : std::uint8_t { none, fallback, kernel };
    [[nodiscard]] static Offer offer(ConvolutionKind kind, const Convolution &conv);

    [[nodiscard]] explicit operator bool() const { return static_cast<bool>(primitive_); }
    /// oneDNN's name of it, a constant of the library.
    [[nodiscard]] const char *name() const { return name_; }
    /// Its working memory: the beginning of kernel_scratch().
    [[nodiscard]] std::int64_t scratch_bytes() const { return primitive_.scratch_bytes(); }

    /// (x, weights, y), (dy, weights, dx) or (x, dy, weights). Errors: Failure
    void execute(const float *a, const float *b, float *c) const { run(primitive_, {a, b, c}); }
    /// Converts between the plain order and the packed format, in the direction of the kind. Errors: Failure
    void reorder(const float *from, float *to) const { run(reorder_, {from, to, nullptr}); }

  private:
    static void run(const Primitive &primitive, const std::array<const void *, 3> &pointers) {
        const OnThreads threads;
        primitive.execute(pointers);
    }

    const char *name_ = "";
    Primitive primitive_;
    Primitive reorder_;
};

} // namespace planrt
