// What an op says of its cost, where that does not follow from its factor map.
#ifndef DOVETAIL_COST_TD
#define DOVETAIL_COST_TD

include "mlir/IR/OpBase.td"

def CostOpInterface : OpInterface<"CostOpInterface"> {
  let cppNamespace = "::dovetail";
  let description = [{
    The work of an op that is neither pointwise nor says it by its factor map; attached by the cost library.
  }];
  let methods = [
    InterfaceMethod<[{
      The cost of running the op once, all that it reads and writes included; `ofBody` gives that of one of its bodies.
    }], "::dovetail::Cost", "cost", (ins "::llvm::function_ref<::dovetail::Cost(::mlir::Region &)>":$ofBody)>,
  ];
}

#endif // DOVETAIL_COST_TD
