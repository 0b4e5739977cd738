#include "kernels/convolutions/convolution_primitive.h"

#include <string_view>

namespace planrt {

namespace {

std::int64_t window_of(const Convolution &conv) {
    std::int64_t product = 1;
    for (const WindowBlock &window : conv.windows)
        product *= window.kernel;
    return product;
}

/// The geometry in oneDNN's terms.
struct Geometry {
    int spatial = most_windows; ///< dimensions
    dnnl_dims_t strides{};
    dnnl_dims_t dilations{};
    dnnl_dims_t before{};
    dnnl_dims_t behind{};
    dnnl_memory_desc_t x{};
    dnnl_memory_desc_t y{};
    dnnl_memory_desc_t weights{};       ///< in the format that the primitive prefers
    dnnl_memory_desc_t plain_weights{}; ///< in the language's order

    bool possible = false; ///< whether oneDNN has such a convolution

    explicit Geometry(const Convolution &conv) {
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

const dnnl_memory_desc_t *weights_format(ConvolutionKind kind, const_dnnl_primitive_desc_t description) {
    return onednn().primitive_desc_query_md(
        description, kind == ConvolutionKind::weight_gradient ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
}

const char *name_of(const_dnnl_primitive_desc_t description) {
    const char *name = "";
    onednn().primitive_desc_query(description, dnnl_query_impl_info_str, 0, static_cast<void *>(&name));
    return name;
}

/// oneDNN 2.7's copy without strides, for weight gradients of windows with one element, fills vectors of channels
/// although it has requested memory for fewer.
bool leaves_its_scratch(ConvolutionKind kind, const Convolution &conv, std::string_view name) {
    constexpr std::int64_t longest_vector = 16;
    bool is_strided = false;
    for (const WindowBlock &window : conv.windows)
        is_strided = is_strided || window.stride > 1;
    return kind == ConvolutionKind::weight_gradient && is_strided && conv.in < longest_vector &&
           name.find("1x1") != std::string_view::npos;
}

bool is_suitable(ConvolutionKind kind, const Convolution &conv, const_dnnl_primitive_desc_t description) {
    const std::string_view name = name_of(description);
    const auto room = static_cast<std::size_t>(packed_elements(conv)) * sizeof(float);
    return name.find("ref") == std::string_view::npos && !leaves_its_scratch(kind, conv, name) &&
           onednn().memory_desc_get_size(weights_format(kind, description)) <= room;
}

bool describe(ConvolutionKind kind, const Geometry &geometry, dnnl_convolution_desc_t &wish) {
    const OneDnn &library = onednn();
    switch (kind) {
    case ConvolutionKind::forward:
        return library.convolution_forward_desc_init(
                   &wish, dnnl_forward_training, dnnl_convolution_direct, &geometry.x, &geometry.weights, nullptr,
                   &geometry.y, geometry.strides, geometry.dilations, geometry.before, geometry.behind) == dnnl_success;
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

/// The description of the forward convolution, which gradients need as a hint.
dnnl_primitive_desc_t forward_hint(const Geometry &geometry) {
    dnnl_convolution_desc_t wish{};
    dnnl_primitive_desc_t description = nullptr;
    if (describe(ConvolutionKind::forward, geometry, wish))
        onednn().primitive_desc_create(&description, &wish, with_own_scratch(), processor(), nullptr);
    return description;
}

/// The first of oneDNN's implementations that is not its reference loop and whose weights fit; null if there is none.
dnnl_primitive_desc_t choose(ConvolutionKind kind, const Convolution &conv, const Geometry &geometry) {
    if (!geometry.possible)
        return nullptr;
    const OneDnn &library = onednn();
    const bool forward = kind == ConvolutionKind::forward;
    dnnl_primitive_desc_t hint = forward ? nullptr : forward_hint(geometry);
    if (!forward && hint == nullptr)
        return nullptr;
    dnnl_convolution_desc_t wish{};
    dnnl_primitive_desc_iterator_t iterator = nullptr;
    dnnl_primitive_desc_t chosen = nullptr;
    if (describe(kind, geometry, wish) && library.primitive_desc_iterator_create(&iterator, &wish, with_own_scratch(),
                                                                                 processor(), hint) == dnnl_success) {
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

} // namespace

std::int64_t plain_elements(const Convolution &conv) {
    return window_of(conv) * conv.groups * conv.in * conv.out;
}

std::int64_t packed_elements(const Convolution &conv) {
    return packed_weights(window_of(conv), conv.groups, conv.in, conv.out);
}

ConvolutionPrimitive::ConvolutionPrimitive(ConvolutionKind kind, const Convolution &conv) {
    if (!onednn().loaded())
        return;
    const OnThreads threads;
    const Geometry geometry(conv);
    dnnl_primitive_desc_t description = choose(kind, conv, geometry);
    if (description == nullptr)
        return;
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

ConvolutionPrimitive::Offer ConvolutionPrimitive::offer(ConvolutionKind kind, const Convolution &conv) {
    if (!onednn().loaded())
        return Offer::none;
    const OnThreads threads;
    dnnl_primitive_desc_t description = choose(kind, conv, Geometry(conv));
    if (description == nullptr)
        return Offer::none;
    const bool multiplies = std::string_view(name_of(description)).find(":gemm:") != std::string_view::npos;
    onednn().primitive_desc_destroy(description);
    return multiplies ? Offer::fallback : Offer::kernel;
}

} // namespace planrt
