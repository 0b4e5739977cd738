#include "kernels/convolutions/primitive.h"

#include "support/failure.h"

#include <planrt/convolution.h>
#include <planrt/parallel.h>

#include <cstdlib>
#include <memory>
#include <new>

namespace planrt {

namespace {

void check(dnnl_status_t status, const char *what) {
    if (status == dnnl_out_of_memory)
        throw std::bad_alloc();
    if (status != dnnl_success)
        throw Failure(text("oneDNN: %s failed (status %d)", what, static_cast<int>(status)));
}

/// The working memory of all kernels: the largest request.
struct Scratch {
    struct Free {
        void operator()(void *block) const { std::free(block); }
    };
    std::unique_ptr<void, Free> memory;
    std::size_t bytes = 0;

    void reserve(std::size_t wanted) {
        constexpr std::size_t page = 4096;
        if (wanted <= bytes)
            return;
        memory.reset();
        bytes = 0;
        memory.reset(std::aligned_alloc(page, (wanted + page - 1) / page * page));
        if (memory == nullptr)
            throw std::bad_alloc();
        bytes = wanted;
    }
};
Scratch scratch;

dnnl_stream_t stream() {
    static dnnl_stream_t the_stream = nullptr;
    if (the_stream == nullptr)
        check(onednn().stream_create(&the_stream, processor(), dnnl_stream_default_flags), "making a stream");
    return the_stream;
}

} // namespace

dnnl_engine_t processor() {
    static dnnl_engine_t engine = nullptr;
    if (engine == nullptr)
        check(onednn().engine_create(&engine, dnnl_cpu, 0), "making an engine");
    return engine;
}

dnnl_primitive_attr_t with_own_scratch() {
    static dnnl_primitive_attr_t attributes = nullptr;
    if (attributes == nullptr) {
        check(onednn().primitive_attr_create(&attributes), "making attributes");
        check(onednn().primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user), "making attributes");
    }
    return attributes;
}

std::int64_t primitive_scratch_bytes() {
    return static_cast<std::int64_t>(scratch.bytes);
}

void reserve_kernel_scratch(std::int64_t bytes) {
    scratch.reserve(static_cast<std::size_t>(bytes));
}

void *kernel_scratch() {
    return scratch.memory.get();
}

OnThreads::OnThreads() {
    onednn().omp_set_num_threads(thread_count());
}

OnThreads::~OnThreads() {
    onednn().omp_set_num_threads(1);
}

Primitive::Primitive(dnnl_primitive_desc_t description, const std::array<Argument, 3> &arguments) {
    const OneDnn &library = onednn();
    const auto add = [&](int role, const dnnl_memory_desc_t *format) {
        arguments_[count_].arg = role;
        check(library.memory_create(&arguments_[count_].memory, format, processor(), DNNL_MEMORY_NONE),
              "making a tensor");
        ++count_;
    };
    for (const Argument &argument : arguments)
        if (argument.format != nullptr)
            add(argument.role, argument.format);
    const dnnl_memory_desc_t *work = library.primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
    if (const std::size_t bytes = work == nullptr ? 0 : library.memory_desc_get_size(work); bytes > 0) {
        scratch.reserve(bytes);
        scratch_bytes_ = static_cast<std::int64_t>(bytes);
        add(DNNL_ARG_SCRATCHPAD, work);
    }
    const dnnl_status_t made = library.primitive_create(&primitive_, description);
    check(library.primitive_desc_destroy(description), "freeing a description");
    check(made, "making a primitive");
}

void Primitive::execute(const std::array<const void *, 3> &pointers) const {
    const OneDnn &library = onednn();
    int next = 0;
    for (int i = 0; i < count_; ++i) {
        const bool works = arguments_[i].arg == DNNL_ARG_SCRATCHPAD;
        void *pointer = works ? scratch.memory.get() : const_cast<void *>(pointers[next++]);
        check(library.memory_set_data_handle(arguments_[i].memory, pointer), "passing a tensor");
    }
    check(library.primitive_execute(primitive_, stream(), count_, arguments_.data()), "a primitive");
    check(library.stream_wait(stream()), "a primitive");
}

} // namespace planrt
