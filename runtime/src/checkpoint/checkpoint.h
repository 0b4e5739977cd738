// Weights in safetensors files: whole tensors under their layer paths, whatever the layout that trains them.
#pragma once

#include <planrt/planrt.h>

#include <string>

namespace planrt {

/// Gathers every trained variable at rank 0, which writes the file; it appears when it is complete. Collective over the
/// world. Errors: CommonFailure, already reported.
void save_weights(const Program &program, const Mesh &mesh, int rank, const std::byte *arena, const std::string &path);

/// Reads this rank's block of every trained variable. Errors: Failure, where the file is broken, lacks a variable, has
/// one that the program lacks, or has another shape or type.
void load_weights(const Program &program, const Mesh &mesh, int rank, std::byte *arena, const std::string &path);

} // namespace planrt
