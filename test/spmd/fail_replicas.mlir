// Schedules with two replicas of the stages are not lowered.
// RUN: not plan-opt --split-stages %s 2>&1 | FileCheck %s

// CHECK: error: schedule 'chimera' has several replicas of the weights, which are not lowered
module attributes {plan.mesh = #plan.mesh<stage: 2>, plan.microbatches = 2 : i64,
                   plan.pipeline = {axis = "stage", chunks = 1 : i64, schedule = "chimera", stages = 2 : i64,
                                    layers = {h = 0 : i64, y = 1 : i64}}} {
}
