// The cost of ops for which it does not follow from the factor map.
#ifndef DOVETAIL_COST_TD
#define DOVETAIL_COST_TD

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::dovetail";
  let description = [{
    The cost of an op that is not pointwise, and for which it does not follow from the factor map; attached by the cost
    library.
  }];
  let methods = [
    InterfaceMethod<[{
      The cost of running the op once, including all its reads and writes; `ofBody` returns that of one of its bodies.
    }], "::dovetail::Cost", "cost", (ins "::llvm::function_ref<::dovetail::Cost(::mlir::Region &)>":$ofBody)>,
  ];
}

def TrafficOpInterface : OpInterface<"TrafficOpInterface"> {
  let cppNamespace = "::dovetail";
  let description = "An op in which devices exchange data; attached by the cost library.";
  let methods = [
    InterfaceMethod<"The least that each of `devices` must receive, as a multiple of its operand's size.", "double",
      "received", (ins "int64_t":$devices)>,
    InterfaceMethod<"How often a device waits for others, one after the other.", "double", "steps", (ins "int64_t":$devices)>,
  ];
}

#endif // DOVETAIL_COST_TD
