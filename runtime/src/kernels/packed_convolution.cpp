// oneDNN's convolutions, one object per kind and geometry, and the copies of weights between the language's order and
// the format that each asks for. In oneDNN's words: src = x (N, C, spatial), weights (groups, out, in, kernel), dst =
// y; activations in memory are nhwc.
#include <planrt/convolution.h>
#include <planrt/convolution_method.h>
#include <planrt/parallel.h>

#include "kernels/blas.h"
#include "kernels/primitive.h"
#include "support/failure.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace planrt {

namespace {

std::int64_t window_of(const Convolution &conv) {
    std::int64_t product = 1;
    for (const WindowBlock &window : conv.windows)
        product *= window.kernel;
    return product;
}

std::int64_t packed_elements(const Convolution &conv) {
    return packed_weights(window_of(conv), conv.groups, conv.in, conv.out);
}

std::int64_t plain_elements(const Convolution &conv) {
    return window_of(conv) * conv.groups * conv.in * conv.out;
}

/// A geometry in oneDNN's terms.
struct Geometry {
    int spatial = most_windows; ///< dimensions
    dnnl_dims_t strides{};
    dnnl_dims_t dilations{};
    dnnl_dims_t before{};
    dnnl_dims_t behind{};
    dnnl_memory_desc_t x{};
    dnnl_memory_desc_t y{};
    dnnl_memory_desc_t weights{};       ///< in the format that the primitive likes best
    dnnl_memory_desc_t plain_weights{}; ///< in the language's order

    /// `possible` is false where oneDNN has no such convolution.
    Geometry(const Convolution &conv, bool &possible) {
        while (spatial > 1 && conv.windows[spatial - 1] == WindowBlock{})
            --spatial;
        dnnl_dims_t x_dims{conv.batch, conv.groups * conv.in};
        dnnl_dims_t y_dims{conv.batch, conv.groups * conv.out};
        possible = conv.batch > 0 && conv.groups > 0 && conv.in > 0 && conv.out > 0;
        for (int d = 0; d < spatial; ++d) {
            const WindowBlock &window = conv.windows[d];
            strides[d] = window.stride;
            dilations[d] = window.dilation - 1;
            before[d] = window.padding;
            behind[d] = (window.output - 1) * window.stride + (window.kernel - 1) * window.dilation + 1 -
                        window.padding - window.input;
            x_dims[d + 2] = window.input;
            y_dims[d + 2] = window.output;
            possible = possible && window.input > 0 && window.output > 0 && window.kernel > 0 && window.padding >= 0;
        }
        const dnnl_format_tag_t channels_last = spatial == 1 ? dnnl_nwc : spatial == 2 ? dnnl_nhwc : dnnl_ndhwc;
        const OneDnn &library = onednn();
        possible = possible &&
                   library.memory_desc_init_by_tag(&x, spatial + 2, x_dims, dnnl_f32, channels_last) == dnnl_success &&
                   library.memory_desc_init_by_tag(&y, spatial + 2, y_dims, dnnl_f32, channels_last) == dnnl_success &&
                   describe_weights(conv);
    }

  private:
    bool describe_weights(const Convolution &conv) {
        dnnl_dims_t dims{};
        dnnl_dims_t element_strides{};
        int count = 0;
        const auto add = [&](std::int64_t extent, std::int64_t stride) {
            dims[count] = extent;
            element_strides[count++] = stride;
        };
        if (conv.groups > 1)
            add(conv.groups, conv.in * conv.out);
        add(conv.out, 1);
        add(conv.in, conv.out);
        std::int64_t stride = plain_elements(conv);
        for (int d = 0; d < spatial; ++d) {
            stride /= conv.windows[d].kernel;
            add(conv.windows[d].kernel, stride);
        }
        const OneDnn &library = onednn();
        return library.memory_desc_init_by_strides(&plain_weights, count, dims, dnnl_f32, element_strides) ==
                   dnnl_success &&
               library.memory_desc_init_by_tag(&weights, count, dims, dnnl_f32, dnnl_format_tag_any) == dnnl_success;
    }
};

class PackedConvolution {
  public:
    /// Without a primitive where oneDNN has none that is worth it, or none at all.
    PackedConvolution(ConvolutionKind kind, const Convolution &conv) {
        bool possible = false;
        if (!onednn().loaded())
            return;
        const Geometry geometry(conv, possible);
        if (!possible || taps_pay(kind, conv, has_avx512()))
            return;
        const OnThreads threads;
        if (dnnl_primitive_desc_t description = choose(kind, conv, geometry))
            make(kind, geometry, description);
    }

    [[nodiscard]] bool has_primitive() const { return static_cast<bool>(primitive_); }
    [[nodiscard]] const char *name() const { return name_; }

    void execute(const float *a, const float *b, float *c) const {
        const OnThreads threads;
        primitive_.execute({a, b, c});
    }

    /// Between the plain order and the packed format, in the kind's direction.
    void reorder(const float *from, float *to) const {
        const OnThreads threads;
        reorder_.execute({from, to, nullptr});
    }

  private:
    /// The forward's description, which gradients want for a hint.
    static dnnl_primitive_desc_t forward_hint(const Geometry &geometry) {
        dnnl_convolution_desc_t wish{};
        dnnl_primitive_desc_t description = nullptr;
        if (describe(ConvolutionKind::forward, geometry, wish))
            onednn().primitive_desc_create(&description, &wish, with_own_scratch(), processor(), nullptr);
        return description;
    }

    static bool describe(ConvolutionKind kind, const Geometry &geometry, dnnl_convolution_desc_t &wish) {
        const OneDnn &library = onednn();
        switch (kind) {
        case ConvolutionKind::forward:
            return library.convolution_forward_desc_init(&wish, dnnl_forward_training, dnnl_convolution_direct,
                                                         &geometry.x, &geometry.weights, nullptr, &geometry.y,
                                                         geometry.strides, geometry.dilations, geometry.before,
                                                         geometry.behind) == dnnl_success;
        case ConvolutionKind::input_gradient:
            return library.convolution_backward_data_desc_init(
                       &wish, dnnl_convolution_direct, &geometry.x, &geometry.weights, &geometry.y, geometry.strides,
                       geometry.dilations, geometry.before, geometry.behind) == dnnl_success;
        case ConvolutionKind::weight_gradient:
            return library.convolution_backward_weights_desc_init(
                       &wish, dnnl_convolution_direct, &geometry.x, &geometry.weights, nullptr, &geometry.y,
                       geometry.strides, geometry.dilations, geometry.before, geometry.behind) == dnnl_success;
        }
        return false;
    }

    /// The first of oneDNN's implementations that is no plain loop and whose weights fit; null: none.
    static dnnl_primitive_desc_t choose(ConvolutionKind kind, const Convolution &conv, const Geometry &geometry) {
        const OneDnn &library = onednn();
        const bool forward = kind == ConvolutionKind::forward;
        dnnl_primitive_desc_t hint = forward ? nullptr : forward_hint(geometry);
        if (!forward && hint == nullptr)
            return nullptr;
        dnnl_convolution_desc_t wish{};
        dnnl_primitive_desc_iterator_t iterator = nullptr;
        dnnl_primitive_desc_t chosen = nullptr;
        if (describe(kind, geometry, wish) &&
            library.primitive_desc_iterator_create(&iterator, &wish, with_own_scratch(), processor(), hint) ==
                dnnl_success) {
            do {
                dnnl_primitive_desc_t next = library.primitive_desc_iterator_fetch(iterator);
                if (is_suitable(kind, conv, next)) {
                    chosen = next;
                    break;
                }
                library.primitive_desc_destroy(next);
            } while (library.primitive_desc_iterator_next(iterator) == dnnl_success);
            library.primitive_desc_iterator_destroy(iterator);
        }
        if (hint != nullptr)
            library.primitive_desc_destroy(hint);
        return chosen;
    }

    static const dnnl_memory_desc_t *weights_format(ConvolutionKind kind, const_dnnl_primitive_desc_t description) {
        return onednn().primitive_desc_query_md(
            description, kind == ConvolutionKind::weight_gradient ? dnnl_query_diff_weights_md : dnnl_query_weights_md,
            0);
    }

    static const char *name_of(const_dnnl_primitive_desc_t description) {
        const char *name = "";
        onednn().primitive_desc_query(description, dnnl_query_impl_info_str, 0, static_cast<void *>(&name));
        return name;
    }

    static bool is_suitable(ConvolutionKind kind, const Convolution &conv, const_dnnl_primitive_desc_t description) {
        const std::string_view name = name_of(description);
        const auto room = static_cast<std::size_t>(packed_elements(conv)) * sizeof(float);
        return name.find("ref") == std::string_view::npos &&
               onednn().memory_desc_get_size(weights_format(kind, description)) <= room;
    }

    void make(ConvolutionKind kind, const Geometry &geometry, dnnl_primitive_desc_t description) {
        const dnnl_memory_desc_t packed = *weights_format(kind, description); // outlives the description
        const bool unpacks = kind == ConvolutionKind::weight_gradient;
        const dnnl_memory_desc_t *from = unpacks ? &packed : &geometry.plain_weights;
        const dnnl_memory_desc_t *to = unpacks ? &geometry.plain_weights : &packed;
        dnnl_primitive_desc_t copy = nullptr;
        if (onednn().reorder_primitive_desc_create(&copy, from, processor(), to, processor(), with_own_scratch()) !=
            dnnl_success) {
            onednn().primitive_desc_destroy(description);
            return;
        }
        name_ = name_of(description);
        reorder_ = Primitive(copy, {{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {0, nullptr}}});
        switch (kind) {
        case ConvolutionKind::forward:
            primitive_ = Primitive(
                description, {{{DNNL_ARG_SRC, &geometry.x}, {DNNL_ARG_WEIGHTS, &packed}, {DNNL_ARG_DST, &geometry.y}}});
            break;
        case ConvolutionKind::input_gradient:
            primitive_ = Primitive(
                description,
                {{{DNNL_ARG_DIFF_DST, &geometry.y}, {DNNL_ARG_WEIGHTS, &packed}, {DNNL_ARG_DIFF_SRC, &geometry.x}}});
            break;
        case ConvolutionKind::weight_gradient:
            primitive_ = Primitive(
                description,
                {{{DNNL_ARG_SRC, &geometry.x}, {DNNL_ARG_DIFF_DST, &geometry.y}, {DNNL_ARG_DIFF_WEIGHTS, &packed}}});
            break;
        }
    }

    const char *name_ = "taps"; ///< oneDNN's are constants of the library
    Primitive primitive_;
    Primitive reorder_;
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

/// The end of a buffer whose format may take less.
void touch_end(const Convolution &conv, float *packed) {
    if (const std::int64_t elements = packed_elements(conv); elements > plain_elements(conv))
        packed[elements - 1] = 0;
}

} // namespace

void prepare(ConvolutionKind kind, const Convolution &conv) {
    static_cast<void>(find(kind, conv));
}

const char *implementation(ConvolutionKind kind, const Convolution &conv) {
    return find(kind, conv).name();
}

void pack_weights(ConvolutionKind kind, const Convolution &conv, const float *w, float *packed) {
    touch_end(conv, packed);
    if (const PackedConvolution &made = find(kind, conv); made.has_primitive())
        made.reorder(w, packed);
    else
        std::copy_n(w, plain_elements(conv), packed);
}

void unpack_weights(const Convolution &conv, const float *packed, float *dw) {
    if (const PackedConvolution &made = find(ConvolutionKind::weight_gradient, conv); made.has_primitive())
        made.reorder(packed, dw);
    else
        std::copy_n(packed, plain_elements(conv), dw);
}

void packed_convolution(const Convolution &conv, const float *x, const float *packed, float *y) {
    if (const PackedConvolution &made = find(ConvolutionKind::forward, conv); made.has_primitive())
        made.execute(x, packed, y);
    else
        convolution(conv, x, packed, y);
}

void packed_convolution_input_gradient(const Convolution &conv, const float *dy, const float *packed, float *dx) {
    if (const PackedConvolution &made = find(ConvolutionKind::input_gradient, conv); made.has_primitive())
        made.execute(dy, packed, dx);
    else
        convolution_input_gradient(conv, dy, packed, dx);
}

void packed_convolution_weight_gradient(const Convolution &conv, const float *x, const float *dy, float *packed) {
    touch_end(conv, packed);
    if (const PackedConvolution &made = find(ConvolutionKind::weight_gradient, conv); made.has_primitive())
        made.execute(x, dy, packed);
    else
        convolution_weight_gradient(conv, x, dy, packed);
}

} // namespace planrt
