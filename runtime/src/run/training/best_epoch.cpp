#include "run/training/best_epoch.h"

#include "mesh/tensors.h"
#include "support/failure.h"

#include <cmath>
#include <cstring>

namespace planrt {

BestEpoch::BestEpoch(Engine &engine, const RunState *resumed) : engine_(engine), program_(engine.program()) {
    if (resumed != nullptr)
        best_ = resumed->best;
    else
        copy(Way::keep);
}

bool BestEpoch::is_better(const Score &score) const {
    const double loss = score.loss.value_or(0);
    const double accuracy = score.accuracy.value_or(0);
    if (!std::isfinite(loss))
        return false;
    if (best_.epoch == 0)
        return true;
    if (program_.keep == Keep::best_accuracy && accuracy != best_.accuracy)
        return accuracy > best_.accuracy;
    return loss < best_.loss;
}

void BestEpoch::after(std::int64_t epoch, const Score &score) {
    int better = is_better(score) ? 1 : 0;
    check_mpi(MPI_Bcast(&better, 1, MPI_INT, 0, MPI_COMM_WORLD), "the best epoch");
    if (better == 0)
        return;
    best_ = {epoch, score.accuracy.value_or(0), score.loss.value_or(0)};
    copy(Way::keep);
}

bool BestEpoch::waited_enough(std::int64_t epochs_done) const {
    return program_.patience > 0 && epochs_done - best_.epoch >= program_.patience;
}

void BestEpoch::restore() {
    copy(Way::restore);
}

void BestEpoch::copy(Way way) {
    const std::span<const Variable> variables = program_.variables;
    for (std::size_t i = 1; i < variables.size(); ++i) {
        if (!variables[i].is_best || variables[i].role != engine_.role())
            continue;
        std::byte *now = engine_.arena() + variables[i - 1].tensor.offset;
        std::byte *best = engine_.arena() + variables[i].tensor.offset;
        const auto bytes = static_cast<std::size_t>(local_volume(placement_of(variables[i].tensor), engine_.role_mesh(),
                                                                 engine_.role_rank())) *
                           element_bytes(variables[i].tensor.type);
        std::memcpy(way == Way::keep ? best : now, way == Way::keep ? now : best, bytes);
    }
}

} // namespace planrt
