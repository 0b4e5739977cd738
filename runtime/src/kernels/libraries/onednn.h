// oneDNN, loaded at run time; it is optional. Its products of f32 are 5 to 30% faster than OpenBLAS's with AVX-512, and
// so are small ones with AVX2; emitted programs use its convolutions.
#pragma once

#include <oneapi/dnnl/dnnl.h>

namespace planrt {

/// The C functions that the kernels use, under their own names; null before load_onednn() and if oneDNN is missing.
struct OneDnn {
    decltype(&dnnl_sgemm) sgemm = nullptr;
    decltype(&dnnl_engine_create) engine_create = nullptr;
    decltype(&dnnl_stream_create) stream_create = nullptr;
    decltype(&dnnl_stream_wait) stream_wait = nullptr;
    decltype(&dnnl_memory_create) memory_create = nullptr;
    decltype(&dnnl_memory_set_data_handle) memory_set_data_handle = nullptr;
    decltype(&dnnl_memory_desc_init_by_tag) memory_desc_init_by_tag = nullptr;
    decltype(&dnnl_memory_desc_init_by_strides) memory_desc_init_by_strides = nullptr;
    decltype(&dnnl_memory_desc_get_size) memory_desc_get_size = nullptr;
    decltype(&dnnl_primitive_attr_create) primitive_attr_create = nullptr;
    decltype(&dnnl_primitive_attr_set_scratchpad_mode) primitive_attr_set_scratchpad_mode = nullptr;
    decltype(&dnnl_dilated_convolution_forward_desc_init) convolution_forward_desc_init = nullptr;
    decltype(&dnnl_dilated_convolution_backward_data_desc_init) convolution_backward_data_desc_init = nullptr;
    decltype(&dnnl_dilated_convolution_backward_weights_desc_init) convolution_backward_weights_desc_init = nullptr;
    decltype(&dnnl_primitive_desc_create) primitive_desc_create = nullptr;
    decltype(&dnnl_primitive_desc_destroy) primitive_desc_destroy = nullptr;
    decltype(&dnnl_primitive_desc_query) primitive_desc_query = nullptr;
    decltype(&dnnl_primitive_desc_query_md) primitive_desc_query_md = nullptr;
    decltype(&dnnl_primitive_desc_iterator_create) primitive_desc_iterator_create = nullptr;
    decltype(&dnnl_primitive_desc_iterator_fetch) primitive_desc_iterator_fetch = nullptr;
    decltype(&dnnl_primitive_desc_iterator_next) primitive_desc_iterator_next = nullptr;
    decltype(&dnnl_primitive_desc_iterator_destroy) primitive_desc_iterator_destroy = nullptr;
    decltype(&dnnl_reorder_primitive_desc_create) reorder_primitive_desc_create = nullptr;
    decltype(&dnnl_primitive_create) primitive_create = nullptr;
    decltype(&dnnl_primitive_execute) primitive_execute = nullptr;
    /// Sets the number of threads on which its primitives run; products run on the calling thread (one thread unless
    /// set otherwise).
    void (*omp_set_num_threads)(int) = nullptr;

    [[nodiscard]] bool loaded() const { return sgemm != nullptr; }
};
[[nodiscard]] const OneDnn &onednn();

/// Loads it if it is installed. Errors: Failure if a function is missing.
void load_onednn();

} // namespace planrt
