// Checks that all ranks agree on facts, before any of them waits for another one.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace planrt {

/// What a rank has, by name: {"--steps", "20"}. A rank may lack what another one has.
using Facts = std::vector<std::pair<std::string, std::string>>;

/// Compares the facts of all ranks with those of rank 0. If they differ, the lowest rank with other facts reports
/// "COMPLAINT: NAME: VALUE on rank 0, VALUE on rank R", and all ranks throw CommonFailure. Collective over the world.
void agree(const Facts &facts, const std::string &complaint, int exit_code);

} // namespace planrt
