// Convolutions that oneDNN's own kernels do not support, because of a dilation or much padding, run by these kernels on
// images (space_to_batch.h). With AVX2 on one thread, this is 5 to 10 times as fast as oneDNN's fallback, which copies
// all windows.
#pragma once

#include "kernels/convolutions/convolution_primitive.h"
#include "kernels/convolutions/space_to_batch.h"

namespace planrt {

/// One kind of convolution for one geometry. Images lie in the kernels' scratch, after the primitive's working memory.
/// Shapes as in convolution.h.
class ConvolutionOnImages {
  public:
    /// is_possible() must be true. Errors: Failure, std::bad_alloc
    ConvolutionOnImages(ConvolutionKind kind, const Convolution &conv);

    /// Whether oneDNN has a kernel for the images. No extent may be 0.
    static bool is_possible(ConvolutionKind kind, const Convolution &conv);

    /// The primitive that is applied to a portion of images.
    [[nodiscard]] const ConvolutionPrimitive &primitive() const { return primitive_; }

    void forward(const float *x, const float *packed, float *y) const;
    void input_gradient(const float *dy, const float *packed, float *dx) const;
    /// Adds the portions in their order.
    void weight_gradient(const float *x, const float *dy, float *packed) const;

  private:
    [[nodiscard]] float *x_images() const;
    [[nodiscard]] float *y_images() const { return x_images() + images_.x_elements(); }
    [[nodiscard]] float *summand() const { return y_images() + images_.y_elements(); } ///< a portion's weights

    SpaceToBatch images_;
    ConvolutionPrimitive primitive_;
};

} // namespace planrt
