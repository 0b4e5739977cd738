// Convolutions and pools of random windows over one or two spatial dimensions, with groups, between layers of other
// kinds.
#pragma once

#include "transformer_layers.h"

namespace planc::test {

class ConvolutionLayers : protected TransformerLayers {
  protected:
    using TransformerLayers::TransformerLayers;

    /// [batch, height, (width,) channel], small: the dimensions of an input.
    Dimensions image();

    // Each adds a layer, or nothing where no value fits.
    void convolved();
    void transposed();
    /// Maxima or averages over windows, or the average over all of space.
    void pooled();
    /// The primitive on a weight that is used twice.
    void tied_windows();

  private:
    struct Window {
        int kernel = 1;
        int stride = 1;
        int dilation = 1;
        int before = 0;
        int behind = 0;

        [[nodiscard]] int span() const { return (kernel - 1) * dilation + 1; }
    };

    /// A value with a batch in front, channels behind and one or two dimensions between; null if there is none.
    const Value *with_space();
    /// A window that fits, with the padding "same" if `same`.
    Window window(int extent, bool same);
    /// Does it touch an element at each position?
    static bool always_touches(const Window &window, int extent);
    /// ", stride = [2, 1], …": what the windows are, but for their kernels.
    static std::string settings(const std::vector<Window> &windows, bool same);
    /// One number for all if they are equal, else a list.
    template <class Number> static std::string numbers(const std::vector<Window> &windows, Number number);
};

} // namespace planc::test
