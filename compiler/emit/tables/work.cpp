#include "emit/tables/work.h"

#include "schedule/functions.h"

#include <algorithm>
#include <tuple>

namespace planc::emit {

WorkRows::WorkRows(const Step &step, const EmitInfo &info) {
    std::vector<mlir::Operation *> kernels;
    for (mlir::func::FuncOp function : step.bodies().functions())
        for (mlir::Operation &op : function.getBody().front())
            if (schedule::is_kernel(&op) || mlir::isa<ir::LoopsOp, ir::WriteOp>(op))
                kernels.push_back(&op);
    for (mlir::Operation *kernel : kernels) {
        add({schedule::layer_of(kernel), schedule::part_of(kernel)});
        kernel->walk([&](mlir::Operation *op) {
            if (op->hasAttr("layer") && schedule::part_of(op) == schedule::part_of(kernel))
                add({schedule::layer_of(op), schedule::part_of(op)});
        });
    }
    const std::size_t own = places_.size();
    for (mlir::Operation *kernel : kernels)
        join(kernel, own);
    for (const EmitInfo::Computation &predicted : info.computations)
        if (predicted.seconds > 0)
            seconds_[static_cast<std::size_t>(add({predicted.layer, schedule::part_of_phase(predicted.phase)}))] +=
                predicted.seconds;
    make_rows();
}

int WorkRows::add(const Place &place) {
    const auto [known, added] = numbers_.try_emplace(place, static_cast<int>(places_.size()));
    if (added) {
        places_.push_back(place);
        seconds_.push_back(0);
        joined_to_.push_back(known->second);
        layers_.try_emplace(place.first, static_cast<int>(layers_.size()));
    }
    return known->second;
}

int WorkRows::root(int place) const {
    while (joined_to_[static_cast<std::size_t>(place)] != place)
        place = joined_to_[static_cast<std::size_t>(place)];
    return place;
}

/// Everything in a fused loop is in the row of the loop, except values that it recomputes from another part of the
/// step: masks of attention are computed forward and backward.
void WorkRows::join(mlir::Operation *loops, std::size_t own) {
    const schedule::Part part = schedule::part_of(loops);
    const int outer = add({schedule::layer_of(loops), part});
    loops->walk([&](mlir::Operation *op) {
        if (!op->hasAttr("layer"))
            return;
        const int place = add({schedule::layer_of(op), schedule::part_of(op)});
        if (schedule::part_of(op) != part && static_cast<std::size_t>(place) < own)
            return;
        const int a = root(outer);
        const int b = root(place);
        joined_to_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    });
}

void WorkRows::make_rows() {
    std::vector<int> roots;
    for (int place = 0; place < static_cast<int>(places_.size()); ++place)
        if (root(place) == place)
            roots.push_back(place);
    const auto order = [this](int place) {
        const auto &[layer, part] = places_[static_cast<std::size_t>(place)];
        return std::tuple(layers_.at(layer), part);
    };
    std::ranges::sort(roots, {}, order);
    row_of_.resize(places_.size());
    for (std::size_t row = 0; row < roots.size(); ++row)
        row_of_[static_cast<std::size_t>(roots[row])] = static_cast<int>(row);
    rows_.resize(roots.size());
    for (std::size_t place = 0; place < places_.size(); ++place) {
        const auto &[layer, part] = places_[place];
        row_of_[place] = row_of_[static_cast<std::size_t>(root(static_cast<int>(place)))];
        Row &row = rows_[static_cast<std::size_t>(row_of_[place])];
        if (row.layers.empty())
            row.part = part;
        if (!llvm::is_contained(row.layers, layer))
            row.layers.push_back(layer);
        row.seconds += seconds_[place];
    }
}

int WorkRows::of(mlir::Operation *op) const {
    return row_of_[static_cast<std::size_t>(numbers_.at({schedule::layer_of(op), schedule::part_of(op)}))];
}

} // namespace planc::emit
