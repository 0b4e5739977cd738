// The plan dialect in C++: types, attributes, operations. Generated from plan_dialect.td and plan_ops.td.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/matrix_loops.h"
#include "sharding/nest.h"

#include "ir/nest_interface.h.inc"
#include "ir/plan_dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/plan_attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/plan_types.h.inc"

#define GET_OP_CLASSES
#include "ir/plan_ops.h.inc"
