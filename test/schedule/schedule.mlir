// The whole row of passes, and what it prints reads back as the same.
// RUN: plan-opt %S/../emit/Inputs/hybrid.mlir --schedule > %t.once
// RUN: plan-opt %t.once > %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s < %t.once

// CHECK: plan.arena_bytes
// CHECK-SAME: plan.program = {actions = {{\[\[}}"0:0 run forward", "0:0 run backward", "0:0 run update"]]
// CHECK-LABEL: func.func private @forward
// CHECK-LABEL: func.func private @backward
// Small gradients of layer logits travel together, the others alone, while the rest is computed.
// CHECK: plan.start {{[0-9]+}} "all_reduce"({{.*}}tensors = ["gradient of logits.w", "gradient of logits.b"]
// CHECK: plan.gemm
// CHECK: plan.progress
// CHECK-LABEL: func.func private @update
// CHECK-NOT: plan.einsum
// CHECK-NOT: plan.collective
