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

#endif // DOVETAIL_COST_TD
