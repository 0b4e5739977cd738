// A mesh with sizes by position is printed as it is read; sizes that are all the same are one.
// RUN: plan-opt %s --split-input-file | plan-opt --split-input-file | FileCheck %s

// CHECK: plan.mesh = #plan.mesh<stage: 2, rows: [1, 3] along stage, cols: 2>
module attributes {plan.mesh = #plan.mesh<stage: 2, rows: [1, 3] along stage, cols: 2>} {}

// -----

// CHECK: plan.mesh = #plan.mesh<rows: [4, 1, 2] along stage, stage: 3, cols: [1, 2, 1] along stage>
module attributes {plan.mesh = #plan.mesh<rows: [4, 1, 2] along stage, stage: 3, cols: [1, 2, 1] along stage>} {}

// -----

// CHECK: plan.mesh = #plan.mesh<stage: 2, rows: 3>
module attributes {plan.mesh = #plan.mesh<stage: 2, rows: [3, 3] along stage>} {}
