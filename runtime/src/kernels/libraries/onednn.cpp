#include "kernels/libraries/onednn.h"

#include "support/failure.h"

#include <dlfcn.h>

#include <cstdlib>

namespace planrt {

namespace {

OneDnn loaded;

template <class Function> void find(void *library, const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function == nullptr)
        throw Failure(text("oneDNN has no function %s: %s", name, dlerror()));
}

void find_convolutions(void *library, OneDnn &found) {
    find(library, "dnnl_dilated_convolution_forward_desc_init", found.convolution_forward_desc_init);
    find(library, "dnnl_dilated_convolution_backward_data_desc_init", found.convolution_backward_data_desc_init);
    find(library, "dnnl_dilated_convolution_backward_weights_desc_init", found.convolution_backward_weights_desc_init);
}

void find_primitives(void *library, OneDnn &found) {
    find(library, "dnnl_primitive_attr_create", found.primitive_attr_create);
    find(library, "dnnl_primitive_attr_set_scratchpad_mode", found.primitive_attr_set_scratchpad_mode);
    find(library, "dnnl_primitive_desc_create", found.primitive_desc_create);
    find(library, "dnnl_primitive_desc_destroy", found.primitive_desc_destroy);
    find(library, "dnnl_primitive_desc_query", found.primitive_desc_query);
    find(library, "dnnl_primitive_desc_query_md", found.primitive_desc_query_md);
    find(library, "dnnl_primitive_desc_iterator_create", found.primitive_desc_iterator_create);
    find(library, "dnnl_primitive_desc_iterator_fetch", found.primitive_desc_iterator_fetch);
    find(library, "dnnl_primitive_desc_iterator_next", found.primitive_desc_iterator_next);
    find(library, "dnnl_primitive_desc_iterator_destroy", found.primitive_desc_iterator_destroy);
    find(library, "dnnl_reorder_primitive_desc_create", found.reorder_primitive_desc_create);
    find(library, "dnnl_primitive_create", found.primitive_create);
    find(library, "dnnl_primitive_execute", found.primitive_execute);
}

} // namespace

const OneDnn &onednn() {
    return loaded;
}

void load_onednn() {
    setenv("OMP_NUM_THREADS", "1", /*overwrite=*/1);       // as for OpenBLAS
    setenv("OMP_WAIT_POLICY", "passive", /*overwrite=*/0); // its threads sleep between primitives, as ours do
    void *library = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        return;
    OneDnn found;
    find(library, "dnnl_engine_create", found.engine_create);
    find(library, "dnnl_stream_create", found.stream_create);
    find(library, "dnnl_stream_wait", found.stream_wait);
    find(library, "dnnl_memory_create", found.memory_create);
    find(library, "dnnl_memory_set_data_handle", found.memory_set_data_handle);
    find(library, "dnnl_memory_desc_init_by_tag", found.memory_desc_init_by_tag);
    find(library, "dnnl_memory_desc_init_by_strides", found.memory_desc_init_by_strides);
    find(library, "dnnl_memory_desc_get_size", found.memory_desc_get_size);
    find_convolutions(library, found);
    find_primitives(library, found);
    find(library, "omp_set_num_threads", found.omp_set_num_threads); // of the OpenMP that it is linked with
    find(library, "dnnl_sgemm", found.sgemm);
    loaded = found;
}

} // namespace planrt
