// What a trace of a step calls its rows and events. The compiler predicts a trace (planc timeline), and a program
// measures one (--trace); both take their names from here, so that they can be laid side by side. Plain C++, no MPI.
#pragma once

#include <planrt/layout.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace planrt {

/// The part of a step that a body computes. Where a pipeline schedule splits the backward pass, it is two bodies: the
/// gradients of the input, for which the stage before waits, and those of the weights.
enum class BodyKind : std::uint8_t { forward, backward, input_gradient, weight_gradient, update };

[[nodiscard]] const char *name_of(BodyKind kind); ///< "forward", "input gradient"
[[nodiscard]] char letter_of(BodyKind kind);      ///< 'F', 'B', 'I', 'W', 'U'

/// A run of a body: "F3" on micro-batch 3, "F3.5" also with its stage, 5. Updates are of no micro-batch: "U", "U.5".
[[nodiscard]] std::string run_name(BodyKind kind, int micro_batch, std::optional<int> stage);

/// "stage 0: rank 1"; of a program with one role, for which `role` is empty, "rank 1".
[[nodiscard]] std::string row_name(std::string_view role, int rank);

/// The first three of a list that is joined by ", ": "h1, h2, h3 and 4 more".
[[nodiscard]] std::string first_ones(std::string_view list);
/// "all-reduce of h1.w, h1.b".
[[nodiscard]] std::string collective_name(CollectiveKind kind, std::string_view tensors);
/// "transfer of h to stage 1".
[[nodiscard]] std::string transfer_name(std::string_view tensor);

/// What a rank, or its network, does with a collective or a transfer.
enum class Communicating : std::uint8_t { transfers, works, waits };
/// "waits for all-reduce of h1.w"; of the network the name alone.
[[nodiscard]] std::string event_name(Communicating what, std::string_view name);

} // namespace planrt
