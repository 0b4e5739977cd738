// What `plan.storage` may not say.
// RUN: not plan-opt --materialize-layouts -split-input-file %s 2>&1 | FileCheck %s

// CHECK: error: plan.storage.parameters names "depth", which is no axis of the mesh
module attributes {plan.mesh = #plan.mesh<rows: 2>, plan.storage = {parameters = ["depth"]}} {}

// -----

// CHECK: error: plan.storage.optimizer names "rows" twice
module attributes {plan.mesh = #plan.mesh<rows: 2>, plan.storage = {optimizer = ["rows", "rows"]}} {}
