#include "sharding/elements.h"
#include "sharding/placement.h"

#include <planrt/needed_rows.h>

#include <stdexcept>

namespace planc::sharding::reference {

namespace {

/// One result of a nest over a part of its iteration space. Tensors are given with the boxes that they cover.
struct Local {
    const Nest &nest;
    Box iterations; ///< per loop
    std::vector<Box> operand_boxes;
    std::vector<const std::vector<Element> *> operands;
    /// Of the tensors that have all loops only these elements are there, of the iterations only those are done.
    planrt::Range share = {0, INT64_MAX};

    /// `box`: of the elements that are wanted; a rank may have only some of the rows that its iterations touch.
    [[nodiscard]] std::vector<Element> result(std::size_t which, const Box &box) const {
        const bool in_shares = share.end != INT64_MAX;
        const auto size = in_shares && !box.empty() ? share.size() : volume(box);
        std::vector<Element> out(static_cast<std::size_t>(size), identity(nest.reduction));
        for_each(iterations, [&](const Index &point) {
            if (in_shares && (flat(point) < share.begin || flat(point) >= share.end))
                return;
            if (nest.sparse && nest.sparse->matrix != 0 &&
                !is_entry(point[nest.sparse->outer], point[nest.sparse->inner]))
                return;
            Element value = nest.linear ? 0 : 1;
            for (std::size_t i = 0; i < operands.size(); ++i) {
                const std::optional<Index> index = operand_index(point, i);
                if (!index)
                    return; // padding
                if (!inside(operand_boxes[i], *index))
                    throw std::logic_error("an operation touches what its rank does not have");
                const Element element = (*operands[i])[place(operand_boxes[i], *index)];
                value = nest.linear ? value + element : value * element;
            }
            Element &into = out[place(box, at(point, nest.results[which]))];
            into = combine(nest.reduction, into, value * (which + 1));
        });
        return out;
    }

    [[nodiscard]] bool is_entry(std::int64_t row, std::int64_t column) const {
        const std::int64_t columns = nest.loops[nest.sparse->inner].extent;
        return planrt::needed_rows(nest.sparse->matrix, {row, row + 1}, {0, columns}).has(column);
    }

    /// None: in the padding of a window, or, transposed, between the indices that it touches.
    [[nodiscard]] std::optional<Index> operand_index(const Index &point, std::size_t operand) const {
        Index index = at(point, nest.operands[operand]);
        for (const NestWindow &window : nest.windows) {
            if (static_cast<std::size_t>(window.operand) != operand)
                continue;
            std::int64_t &position = index[window.dimension];
            const std::int64_t inward = point[window.kernel_loop] * window.dilation - window.padding;
            if (window.transposed && (position - inward) % window.stride != 0)
                return std::nullopt;
            position = window.transposed ? (position - inward) / window.stride : position * window.stride + inward;
            if (position < 0 || position >= window.extent)
                return std::nullopt;
        }
        return index;
    }

    [[nodiscard]] Box box_of(const std::vector<int> &loops) const {
        Box box;
        for (int loop : loops)
            box.push_back(iterations[loop]);
        return box;
    }

    /// Position of a point of a flat nest, in the order of the tensors that have its loops.
    [[nodiscard]] std::int64_t flat(const Index &point) const {
        for (const auto &tensors : {nest.operands, nest.results})
            for (const std::vector<int> &loops : tensors)
                if (!loops.empty())
                    return static_cast<std::int64_t>(offset(box_of(loops), at(point, loops)));
        return 0;
    }

    [[nodiscard]] std::size_t place(const Box &box, const Index &index) const {
        return offset(box, index) - (box.empty() ? 0 : static_cast<std::size_t>(share.begin));
    }

    static Index at(const Index &point, const std::vector<int> &loops) {
        Index result;
        for (int loop : loops)
            result.push_back(point[loop]);
        return result;
    }
};

} // namespace

std::vector<Whole> compute(const Nest &nest, const std::vector<Whole> &operands) {
    Local local{nest, {}, {}, {}};
    for (const Loop &loop : nest.loops)
        local.iterations.push_back({0, loop.extent});
    for (std::size_t i = 0; i < operands.size(); ++i) {
        local.operand_boxes.emplace_back();
        for (int loop : nest.operands[i])
            local.operand_boxes.back().push_back(local.iterations[loop]);
        for (const NestWindow &window : nest.windows)
            if (static_cast<std::size_t>(window.operand) == i)
                local.operand_boxes[i][window.dimension] = {0, window.extent};
        local.operands.push_back(&operands[i]);
    }
    std::vector<Whole> results;
    for (std::size_t i = 0; i < nest.results.size(); ++i)
        results.push_back(local.result(i, local.box_of(nest.results[i])));
    return results;
}

std::vector<Distributed> compute(const Nest &nest, const Strategy &strategy, const std::vector<Distributed> &operands,
                                 const std::vector<Placement> &placements, const Mesh &mesh) {
    // The blocks of the loops are those of a tensor that has every loop as a dimension.
    Nest all = nest;
    all.windows.clear();
    all.operands.assign(1, {});
    for (std::size_t loop = 0; loop < nest.loops.size(); ++loop)
        all.operands[0].push_back(static_cast<int>(loop));
    const Placement iterations = derive(all, strategy, mesh).operands[0];

    std::vector<Distributed> results;
    for (const Placement &placement : placements)
        results.push_back({placement, std::vector<std::vector<Element>>(mesh.ranks())});
    for (int rank = 0; rank < mesh.ranks(); ++rank) {
        Local local{nest, local_box(iterations, mesh, rank), {}, {}};
        for (const Distributed &operand : operands) {
            local.operand_boxes.push_back(local_box(operand.placement, mesh, rank));
            local.operands.push_back(&operand.parts[rank]);
        }
        if (!strategy.stored.empty()) {
            Placement flat = iterations;
            flat.stored = strategy.stored;
            local.share = stored_range(flat, mesh, rank);
        }
        for (std::size_t i = 0; i < results.size(); ++i)
            results[i].parts[rank] =
                local.result(i, planrt::has_addends(placements[i]) ? local_box(placements[i], mesh, rank)
                                                                   : local.box_of(nest.results[i]));
    }
    return results;
}

namespace {

/// Runs a laid-out graph operation by operation, making each copy before its first use and not earlier.
class Runner {
  public:
    Runner(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh, Random &random)
        : graph_(graph), laid_out_(laid_out), mesh_(mesh), random_(random), whole_(graph.values.size()),
          copies_(graph.values.size()) {}

    std::string run() {
        for (const ValueId v : graph_.values.ids()) {
            copies_[v].resize(laid_out_.copies[v].size());
            if (graph_.values[v].kind != ValueKind::computed)
                whole_[v] = random_whole(graph_.values[v].extents, random_);
            if (graph_.values[v].kind == ValueKind::variable)
                copies_[v][0] = distribute(whole_[v], laid_out_.copies[v][0].placement, mesh_, random_);
        }
        for (OperationId o(0); o < graph_.end_of_program() && error_.empty(); ++o) {
            make_copies(o);
            operate(o);
        }
        make_copies({});
        for (const ValueId v : graph_.values.ids())
            for (const Distributed &copy : copies_[v])
                note(copy.parts.empty() ? "a copy was never made" : difference(copy, whole_[v], mesh_),
                     graph_.values[v].name);
        check_ends();
        return error_;
    }

  private:
    void note(const std::string &error, const std::string &where) {
        if (error_.empty() && !error.empty())
            error_ = where + ": " + error;
    }

    /// `first_use`: none: the end of the program.
    void make_copies(OperationId first_use) {
        for (const ValueId v : graph_.values.ids()) {
            for (std::size_t c = 0; c < copies_[v].size(); ++c) {
                const Copy &copy = laid_out_.copies[v][c];
                if (copy.first_use != first_use || !copies_[v][c].parts.empty())
                    continue;
                if (graph_.values[v].kind == ValueKind::free)
                    copies_[v][c] = distribute(whole_[v], copy.placement, mesh_, random_);
                else if (copy.source >= 0)
                    copies_[v][c] = made(v, copy);
            }
        }
    }

    Distributed made(ValueId v, const Copy &copy) {
        Distributed tensor = copies_[v][copy.source];
        if (tensor.parts.empty())
            note("a copy is made from one that is not there", graph_.values[v].name);
        for (const Step &step : copy.steps) {
            if (!error_.empty())
                return tensor;
            Executed executed = execute(step, tensor, mesh_);
            note(executed.error, graph_.values[v].name);
            tensor = std::move(executed.tensor);
        }
        if (tensor.placement != copy.placement)
            note("steps end elsewhere than the copy lies", graph_.values[v].name);
        return tensor;
    }

    void operate(OperationId o) {
        const Operation &operation = graph_.operations[o];
        const LaidOutOperation &laid_out = laid_out_.operations[o];
        std::vector<Whole> whole;
        std::vector<Distributed> operands;
        for (std::size_t i = 0; i < operation.operands.size(); ++i) {
            const ValueId value = operation.operands[i];
            const Distributed &operand = copies_[value][laid_out.operand_copy[i]];
            if (operand.parts.empty() || operand.placement != laid_out.operands[i])
                return note("an operand is not there as wanted: " + graph_.values[value].name, operation.name);
            whole.push_back(whole_[value]);
            operands.push_back(operand);
        }
        const std::vector<Whole> results = compute(operation.nest, whole);
        std::vector<Distributed> parts = compute(operation.nest, laid_out.strategy, operands, laid_out.results, mesh_);
        for (std::size_t i = 0; i < operation.results.size(); ++i) {
            whole_[operation.results[i]] = results[i];
            copies_[operation.results[i]][0] = std::move(parts[i]);
        }
    }

    /// Outputs are whole on every rank; what is stored lies as its variable does.
    void check_ends() {
        for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
            const Placement &placement = laid_out_.copies[graph_.outputs[i]][laid_out_.output_copy[i]].placement;
            if (placement != replicated(graph_.values[graph_.outputs[i]].extents))
                note("is not whole at the end", graph_.values[graph_.outputs[i]].name);
        }
        for (const OperationId o : graph_.operations.ids())
            for (std::size_t i = 0; i < graph_.operations[o].writes.size(); ++i) {
                const ValueId variable = graph_.operations[o].writes[i];
                const ValueId value = graph_.operations[o].results[i];
                if (variable && laid_out_.copies[value][laid_out_.operations[o].result_copy[i]].placement !=
                                    laid_out_.copies[variable][0].placement)
                    note("is not stored at home", graph_.values[variable].name);
            }
    }

    const Graph &graph_;
    const LaidOut &laid_out_;
    const Mesh &mesh_;
    Random &random_;
    PerValue<Whole> whole_;
    PerValue<std::vector<Distributed>> copies_;
    std::string error_;
};

} // namespace

std::string run(const Graph &graph, const LaidOut &laid_out, const Mesh &mesh, Random &random) {
    return Runner(graph, laid_out, mesh, random).run();
}

} // namespace planc::sharding::reference
