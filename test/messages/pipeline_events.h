// Step programs of pipelines, as outline_bodies would make them, without code: for each stage its bodies, what they
// send to other stages, and collectives and exchanges among the ranks of a stage.
#pragma once

#include "messages/of_program.h"
#include "pipeline/schedule.h"
#include "program/program.h"

#include <random>

namespace planc::messages {

struct PipelineSizes {
    int rows = 1;        ///< ranks of each role
    int collectives = 0; ///< in each body
    bool varied = false; ///< random collectives, exchanges, pairs of ranks and sizes, instead of all-reduces and rows
};

struct PipelineProgram {
    program::Program program;
    planrt::Mesh mesh; ///< [stage, row]
    Communication communication;

    [[nodiscard]] Events events() const { return events_of(program, mesh, communication); }
};

/// Of a schedule with one replica.
[[nodiscard]] PipelineProgram pipeline_program(const pipeline::Schedule &schedule, const PipelineSizes &sizes,
                                               std::mt19937 &random);

} // namespace planc::messages
