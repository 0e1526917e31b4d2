// The interfaces by which ops state their counterparts in the other dialect; attached family by family.
#ifndef DOVETAIL_STABLEHLO_TRANSLATE_TD
#define DOVETAIL_STABLEHLO_TRANSLATE_TD

include "mlir/IR/OpBase.td"

def FromStablehloOpInterface : OpInterface<"FromStablehloOpInterface"> {
  let description = "An op of StableHLO that has a counterpart in ops of `dovetail`.";
  let cppNamespace = "::dovetail";
  let methods = [
    InterfaceMethod<[{
      Emits the counterpart, on this op's operands, and appends its results. Bodies are still in StableHLO: `e.translate`
      translates those that the counterpart takes.
    }], "::llvm::LogicalResult", "importTo",
      (ins "::dovetail::Importer &":$e, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

def ToStablehloOpInterface : OpInterface<"ToStablehloOpInterface"> {
  let description = "An op of `dovetail` that has a counterpart in StableHLO.";
  let cppNamespace = "::dovetail";
  let methods = [
    InterfaceMethod<[{
      Emits the counterpart, on this op's operands, and appends its results. Bodies are still in this dialect:
      `e.translate` copies them.
    }], "::llvm::LogicalResult", "exportTo",
      (ins "::dovetail::Exporter &":$e, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

#endif // DOVETAIL_STABLEHLO_TRANSLATE_TD
