// Convolutions on packed weights. The implementation for each kind and geometry is chosen once and cached.
#include <planrt/convolution.h>
#include <planrt/convolution_method.h>
#include <planrt/parallel.h>

#include "kernels/convolutions/convolution_primitive.h"
#include "kernels/libraries/blas.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <unordered_map>

namespace planrt {

namespace {

bool is_empty(const Convolution &conv) {
    return conv.batch <= 0 || conv.groups <= 0 || conv.in <= 0 || conv.out <= 0 ||
           std::any_of(std::begin(conv.windows), std::end(conv.windows), [](const WindowBlock &window) {
               return window.input <= 0 || window.output <= 0 || window.kernel <= 0;
           });
}

/// Whether oneDNN's fallback is slower than products by taps, which leave the channels in place.
bool is_slow_as_fallback(const Convolution &conv) {
    constexpr std::int64_t enough = 4;
    return std::min(conv.in, conv.out) >= enough || (conv.in == 1 && conv.out == 1);
}

/// The implementation for one kind and one geometry.
class PackedConvolution {
  public:
    PackedConvolution(ConvolutionKind kind, const Convolution &conv) {
        using Offer = ConvolutionPrimitive::Offer;
        if (is_empty(conv) || taps_pay(kind, conv, has_avx512()))
            return;
        const Offer offer = ConvolutionPrimitive::offer(kind, conv);
        if (offer == Offer::kernel || (offer == Offer::fallback && !is_slow_as_fallback(conv)))
            primitive_ = ConvolutionPrimitive(kind, conv);
    }

    /// Null: the convolution by taps, with weights in the language's order.
    [[nodiscard]] const ConvolutionPrimitive *primitive() const { return primitive_ ? &primitive_ : nullptr; }

  private:
    ConvolutionPrimitive primitive_;
};

struct Key {
    ConvolutionKind kind;
    Convolution conv;
    int threads; ///< that it is made for
    friend bool operator==(const Key &, const Key &) = default;
};

struct Hash {
    std::size_t operator()(const Key &key) const {
        std::size_t hash = static_cast<std::size_t>(key.kind);
        const auto add = [&hash](std::int64_t number) {
            hash = (hash ^ static_cast<std::size_t>(number)) * 1099511628211U; // FNV-1a, by numbers
        };
        for (const std::int64_t number :
             {std::int64_t{key.threads}, key.conv.batch, key.conv.groups, key.conv.in, key.conv.out})
            add(number);
        for (const WindowBlock &window : key.conv.windows)
            for (const std::int64_t number :
                 {window.input, window.output, window.kernel, window.stride, window.dilation, window.padding})
                add(number);
        return hash;
    }
};

const PackedConvolution &find(ConvolutionKind kind, const Convolution &conv) {
    static std::unordered_map<Key, std::unique_ptr<PackedConvolution>, Hash> made;
    std::unique_ptr<PackedConvolution> &place = made[{kind, conv, thread_count()}];
    if (place == nullptr)
        place = std::make_unique<PackedConvolution>(kind, conv);
    return *place;
}

/// Writes the end of a buffer whose format may need less.
void touch_end(const Convolution &conv, float *packed) {
    if (const std::int64_t elements = packed_elements(conv); elements > plain_elements(conv))
        packed[elements - 1] = 0;
}

} // namespace

void prepare(ConvolutionKind kind, const Convolution &conv) {
    static_cast<void>(find(kind, conv));
}

const char *implementation(ConvolutionKind kind, const Convolution &conv) {
    const ConvolutionPrimitive *primitive = find(kind, conv).primitive();
    return primitive == nullptr ? "taps" : primitive->name();
}

void pack_weights(ConvolutionKind kind, const Convolution &conv, const float *w, float *packed) {
    touch_end(conv, packed);
    if (const ConvolutionPrimitive *primitive = find(kind, conv).primitive())
        primitive->reorder(w, packed);
    else
        std::copy_n(w, plain_elements(conv), packed);
}

void unpack_weights(const Convolution &conv, const float *packed, float *dw) {
    if (const ConvolutionPrimitive *primitive = find(ConvolutionKind::weight_gradient, conv).primitive())
        primitive->reorder(packed, dw);
    else
        std::copy_n(packed, plain_elements(conv), dw);
}

void packed_convolution(const Convolution &conv, const float *x, const float *packed, float *y) {
    if (const ConvolutionPrimitive *primitive = find(ConvolutionKind::forward, conv).primitive())
        primitive->execute(x, packed, y);
    else
        convolution(conv, x, packed, y);
}

void packed_convolution_input_gradient(const Convolution &conv, const float *dy, const float *packed, float *dx) {
    if (const ConvolutionPrimitive *primitive = find(ConvolutionKind::input_gradient, conv).primitive())
        primitive->execute(dy, packed, dx);
    else
        convolution_input_gradient(conv, dy, packed, dx);
}

void packed_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *packed) {
    touch_end(conv, packed);
    if (const ConvolutionPrimitive *primitive = find(ConvolutionKind::weight_gradient, conv).primitive())
        primitive->execute(x, dy, packed);
    else
        convolution_weight_gradient(conv, x, dy, packed);
}

} // namespace planrt
