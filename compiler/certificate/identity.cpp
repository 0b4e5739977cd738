#include "certificate/certificate.h"
#include "certificate/pipelines.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <array>
#include <charconv>
#include <concepts>
#include <cstdlib>
#include <map>
#include <optional>
#include <type_traits>

namespace planc::certificate {

namespace {

/// Hashes all fields of plain data, one after another. Structures are decomposed by name, so that a new field that is
/// not listed does not compile.
class Digest {
  public:
    template <class... Fields> Digest &add(const Fields &...fields) {
        (put(fields), ...);
        return *this;
    }
    [[nodiscard]] std::string hash() const {
        llvm::SHA256 hash;
        hash.update(text_);
        return llvm::toHex(hash.final(), true);
    }

  private:
    /// Numbers of matrices depend on what else was numbered before, so they count in the order in which they appear.
    int in_order(int matrix) {
        if (matrix == 0)
            return 0;
        const int number =
            matrices_.try_emplace(std::abs(matrix), static_cast<int>(matrices_.size()) + 1).first->second;
        return matrix < 0 ? -number : number;
    }
    void put(const std::string &text) { text_ += std::to_string(text.size()) + ":" + text; }
    void put(double number) {
        std::array<char, 32> buffer{};
        text_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr);
        text_ += ' ';
    }
    template <class T>
        requires(std::integral<T> || std::is_enum_v<T>)
    void put(T number) {
        text_ += std::to_string(static_cast<std::int64_t>(number)) + " ";
    }
    void put(support::Seconds seconds) { put(seconds.value); }
    void put(support::Bytes bytes) { put(bytes.value); }
    template <class Kind> void put(support::Id<Kind> id) { put(id.number()); }
    template <class T> void put(const std::vector<T> &list) { put_list(list); }
    template <class Id, class T> void put(const support::Indexed<Id, T> &list) { put_list(list); }
    template <class List> void put_list(const List &list) {
        put(list.size());
        for (const auto &each : list)
            put(each);
    }
    void put(const planrt::AxisList &axes) { put(std::vector<int>(axes.begin(), axes.end())); }
    template <class T> void put(const std::optional<T> &optional) { put_optional(optional); }
    template <class T> void put(const planrt::Boxed<T> &optional) { put_optional(optional); }
    template <class Optional> void put_optional(const Optional &optional) {
        put(optional.has_value());
        if (optional)
            put(*optional);
    }

    void put(const planrt::Window &window) {
        const auto &[positions, kernel, stride, dilation, padding, transposed, part, matrix, row_cuts, addends] =
            window;
        add(positions, kernel, stride, dilation, padding, transposed, part, in_order(matrix), row_cuts, addends);
    }
    void put(const planrt::DimensionPlacement &dimension) {
        const auto &[extent, axes, window] = dimension;
        add(extent, axes, window);
    }
    void put(const planrt::Placement &placement) {
        const auto &[dimensions, partial, reduction, stored] = placement;
        add(dimensions, partial, reduction, stored);
    }
    void put(const sharding::Loop &loop) {
        const auto &[name, extent, kind] = loop;
        add(name, extent, kind);
    }
    void put(const sharding::NestWindow &window) {
        const auto &[operand, dimension, kernel, extent, stride, dilation, padding, transposed, blocks] = window;
        add(operand, dimension, kernel, extent, stride, dilation, padding, transposed, blocks);
    }
    void put(const sharding::Nest &nest) {
        const auto &[loops, operands, results, reduction, linear, windows, sparse] = nest;
        add(loops, operands, results, reduction, linear, windows);
        if (sparse)
            add(sparse->outer, sparse->inner, sparse->density, in_order(sparse->matrix), sparse->lists_rows,
                sparse->exchanged);
    }
    void put(const sharding::Value &value) {
        const auto &[name, roles, extents, bytes, kind, producer, layer, home] = value;
        add(name, roles, extents, bytes, kind, producer, layer, home);
    }
    void put(const sharding::Operation &operation) {
        const auto &[name, layer, phase, kernel, nest, operands, results, flops, writes, parameter, accumulates, once,
                     level, replica, matrix, original] = operation;
        add(name, layer, phase, kernel, nest, operands, results, flops, writes, parameter, accumulates, once, level,
            replica, original);
        if (!matrix.empty())
            add(matrix);
    }
    void put(const sharding::Part::Tensor &tensor) {
        const auto &[bytes, in_memory, reuse, of] = tensor;
        add(bytes, in_memory, reuse, of);
    }
    void put(const sharding::Part &part) {
        const auto &[kernel, nest, flops, operands, results, own_rows, weight_format, loops] = part;
        add(kernel, nest, flops, operands, results, own_rows, weight_format, loops);
    }
    void put(const sharding::Work &work) {
        const auto &[parts, without_product, cuts] = work;
        add(parts, without_product, cuts);
    }
    void put(const sharding::SharedWork &work) { put(work.get()); }
    void put(const sharding::Layer &layer) {
        const auto &[name] = layer;
        add(name);
    }
    void put(const sharding::Graph &graph) {
        const auto &[values, operations, layers, outputs, sent, microbatches, slots, weights, work] = graph;
        add(values, operations, layers, outputs, sent, microbatches, slots, weights.updates, weights.stashed,
            weights.versions, work);
    }
    void put(const plan::LargerMicroBatches &larger) {
        const auto &[graph, count] = larger;
        add(graph, count);
    }

    void put(const cost::Link &link) {
        const auto &[latency, rate, shape, count] = link;
        add(latency, rate, shape, count);
    }
    void put(const cost::Level &level) {
        const auto &[units, link] = level;
        add(units, link);
    }
    void put(const cost::GemmBlock &block) {
        const auto &[m, n, k] = block;
        add(m, n, k);
    }
    void put(const cost::AlgorithmRange &range) {
        const auto &[algorithm, above, by_mpi] = range;
        add(algorithm, above, by_mpi);
    }
    void put(const cost::Algorithms &algorithms) {
        const auto &[allreduce, reduce_scatter, allgather, broadcast, alltoall] = algorithms;
        add(allreduce, reduce_scatter, allgather, broadcast, alltoall);
    }
    void put(const support::ProductRate &rate) {
        const auto &[flops, half, call] = rate;
        add(flops, half[0], half[1], half[2], call);
    }
    void put(const support::WinogradRate &rate) {
        const auto &[bytes, weight_bytes, call] = rate;
        add(bytes, weight_bytes, call);
    }
    void put(const support::LoopRate &rate) {
        const auto &[flops, call, rest, summed_rest] = rate;
        add(flops, call, rest, summed_rest);
    }
    void put(const support::PoolRate &rate) {
        const auto &[flops, half, call] = rate;
        add(flops, half, call);
    }
    void put(const support::CacheRate &rate) {
        const auto &[bytes, rate_of_cache] = rate;
        add(bytes, rate_of_cache);
    }
    void put(const support::KernelRates &rates) {
        const auto &[product, convolution, weight_gradient, winograd, pool, pool_gradient, tiled_pool_gradient, loops,
                     cache, reference, wide] = rates;
        // The reference prices nothing.
        static_cast<void>(reference);
        add(product, convolution, weight_gradient, winograd, pool, pool_gradient, tiled_pool_gradient, loops, cache,
            wide);
    }
    void put(const support::CollectiveRate &rate) {
        const auto &[collective, ranks, above, latency, bytes, processor] = rate;
        static_cast<void>(processor); // what it takes beside computation prices nothing either
        add(collective, ranks, above, latency, bytes);
    }
    void put(const cost::Machine &machine) {
        const auto &[name, flops, bytes, memory, block, reduction, levels, algorithms, kernels, collectives] = machine;
        add(flops, bytes, memory, block, reduction, levels, algorithms, kernels, collectives); // whatever its name
    }

    void put(const plan::MeshAxis &axis) {
        const auto &[name, size, sizes] = axis;
        add(name, size, sizes);
    }
    void put(const plan::Pin &pin) {
        const auto &[loop, axes, text] = pin;
        add(loop, axes);
    }
    void put(const plan::StorageRules &rules) {
        const auto &[parameters, gradients, optimizer, texts] = rules;
        add(parameters, gradients, optimizer);
    }
    void put(const plan::PipelineRequest &pipeline) {
        const auto &[wanted, any_depth, axis, schedule, chunks, layers, cuts] = pipeline;
        add(wanted, any_depth, axis, schedule, chunks, layers, cuts);
    }
    void put(const plan::MeshRequest &mesh) {
        const auto &[automatic, axes] = mesh;
        add(automatic, automatic ? std::vector<plan::MeshAxis>{} : axes);
    }

    std::map<int, int> matrices_; ///< the number of each in this text
    std::string text_;
};

} // namespace

Asked asked(const plan::Request &request) {
    Digest rules;
    rules.add(request.mesh, request.pins, request.storage, request.search);
    if (wants_pipeline(request))
        rules.add(*request.pipeline);
    return {Digest().add(request.graph, request.larger).hash(), Digest().add(request.machine).hash(), rules.hash(),
            request.ranks, byte_limit(request)};
}

double byte_limit(const plan::Request &request) {
    return request.memory_limit_bytes > 0 || !request.search ? request.memory_limit_bytes
                                                             : request.machine.memory_bytes;
}

} // namespace planc::certificate
