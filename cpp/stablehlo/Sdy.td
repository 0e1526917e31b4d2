// The dialect `sdy`, as far as programs of other compilers state shardings in it.
#ifndef DOVETAIL_STABLEHLO_SDY_TD
#define DOVETAIL_STABLEHLO_SDY_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let summary = "shardings of programs that other compilers read and write";
  let description = "The ops and attributes by which programs in StableHLO state shardings, with their forms of text.";
  let cppNamespace = "::dovetail::sdy";
  // Meshes and axes are attributes of the first; programs are in the second, whose ops are translated with these.
  let dependentDialects = ["::dovetail::DovetailDialect", "::dovetail::stablehlo::StablehloDialect"];
  let extraClassDeclaration = [{
    template <typename... Ops> void addFamily() { addOperations<Ops...>(); }
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
  }];
}

class SdyOp<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;
class SdyAttr<string className, string attrMnemonic> : AttrDef<Sdy_Dialect, className> {
  let mnemonic = attrMnemonic;
  let hasCustomAssemblyFormat = 1;
}

/// `<["x"=2, "y"=4]>`; devices may have an order of their own.
def SdyMeshAttr : SdyAttr<"SdyMesh", "mesh"> {
  let parameters = (ins "::dovetail::MeshAttr":$mesh, OptionalArrayRefParameter<"int64_t">:$device_ids);
}
/// `<@mesh, [{"x"}, {?}]>`: a sharding over a mesh that has a name, or is stated in its place.
def SdyShardingAttr : SdyAttr<"SdySharding", "sharding"> {
  let parameters = (ins "::mlir::Attribute":$mesh, OptionalArrayRefParameter<"::dovetail::DimShardingAttr">:$dims,
                        OptionalArrayRefParameter<"::dovetail::AxisRefAttr">:$replicated,
                        OptionalArrayRefParameter<"::dovetail::AxisRefAttr">:$unreduced);
}
def SdyShardingsAttr : SdyAttr<"SdyShardings", "sharding_per_value"> {
  let parameters = (ins OptionalArrayRefParameter<"::dovetail::sdy::SdyShardingAttr">:$shardings);
}
def SdyAxesAttr : SdyAttr<"SdyAxes", "manual_axes"> {
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes);
}

def SdyMeshOp : SdyOp<"mesh", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, SdyMeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}
def SdyShardingConstraintOp : SdyOp<"sharding_constraint", [Pure, AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins AnyRankedTensor:$input, SdyShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}
def SdyReshardOp : SdyOp<"reshard", [Pure, AllTypesMatch<["input", "result"]>]> {
  let arguments = (ins AnyRankedTensor:$input, SdyShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}
def SdyManualComputationOp : SdyOp<"manual_computation", [IsolatedFromAbove]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$tensors, SdyShardingsAttr:$in_shardings,
                       SdyShardingsAttr:$out_shardings, SdyAxesAttr:$manual_axes);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def SdyReturnOp : SdyOp<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
}

#endif // DOVETAIL_STABLEHLO_SDY_TD
