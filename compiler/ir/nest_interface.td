// The interface through which operations describe their loop nest.

#ifndef PLANC_IR_NEST_INTERFACE
#define PLANC_IR_NEST_INTERFACE

include "mlir/IR/OpBase.td"

def Plan_NestInterface : OpInterface<"NestInterface"> {
  let cppNamespace = "::planc::ir";
  let description = "Operations that are one loop nest. The compiler derives all of their communication from it.";
  let methods = [
    InterfaceMethod<"The loops, and for each dimension of the operands and results the loop that it runs over.",
                    "::planc::sharding::Nest", "nest">
  ];
}

#endif
