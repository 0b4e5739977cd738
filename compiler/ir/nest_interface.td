// The interface by which operations say their loop nest.

#ifndef PLANC_IR_NEST_INTERFACE
#define PLANC_IR_NEST_INTERFACE

include "mlir/IR/OpBase.td"

def Plan_NestInterface : OpInterface<"NestInterface"> {
  let cppNamespace = "::planc::ir";
  let description = "Operations that are one loop nest. All that the compiler knows about their communication follows from it.";
  let methods = [
    InterfaceMethod<"The loops, and which of them every dimension of the operands and results runs over.",
                    "::planc::sharding::Nest", "nest">
  ];
}

#endif
