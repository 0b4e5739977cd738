// --predict: the network alone, on the samples of a file or all vertices of a graph.
#pragma once

#include "run/engine/engine.h"
#include "run/options.h"

namespace planrt {

/// Reads weights and samples, writes the results. Returns the exit code. Collective over the world. Errors:
/// CommonFailure.
int predict(Engine &engine, const Options &options);

} // namespace planrt
