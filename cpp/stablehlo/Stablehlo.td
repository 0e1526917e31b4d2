// The dialects `stablehlo` and `chlo`, as far as text of other compilers has them: definitions, attributes and base classes.
#ifndef DOVETAIL_STABLEHLO_TD
#define DOVETAIL_STABLEHLO_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let summary = "programs that other compilers read and write";
  let description = [{
    The ops of the StableHLO specification, with its names of operands and attributes and its forms of text. They are
    translated to and from this project's own dialect, and nothing else is done with them: what an op means, and which
    programs are valid, is stated there.
  }];
  let cppNamespace = "::dovetail::stablehlo";
  let dependentDialects = ["::dovetail::chlo::ChloDialect", "::dovetail::sdy::SdyDialect"];
  let extraClassDeclaration = [{
    template <typename... Ops> void addFamily() { addOperations<Ops...>(); }
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute, ::mlir::DialectAsmPrinter &printer) const override;
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
  }];
}

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let summary = "functions that programs of StableHLO may have besides its own ops";
  let cppNamespace = "::dovetail::chlo";
  let extraClassDeclaration = "template <typename... Ops> void addFamily() { addOperations<Ops...>(); }";
}

class StablehloOp<string mnemonic, list<Trait> traits = []> : Op<Stablehlo_Dialect, mnemonic, traits>;
class ChloOp<string mnemonic, list<Trait> traits = []> : Op<Chlo_Dialect, mnemonic, traits>;

//===- Attributes ------------------------------------------------------------===//

class Choice<string className, list<I32EnumCase> cases> : I32Enum<className, "", cases> {
  let cppNamespace = "::dovetail::stablehlo";
}
class ChoiceAttr<Choice choice, string mnemonic> : EnumAttr<Stablehlo_Dialect, choice, mnemonic>;

def Comparison : Choice<"Comparison", [
  I32EnumCase<"EQ", 0>, I32EnumCase<"NE", 1>, I32EnumCase<"LT", 2>, I32EnumCase<"LE", 3>, I32EnumCase<"GT", 4>,
  I32EnumCase<"GE", 5>]>;
def ComparisonAttr : ChoiceAttr<Comparison, "comparison_direction">;
def ComparisonKind : Choice<"ComparisonKind", [
  I32EnumCase<"NOTYPE", 0>, I32EnumCase<"FLOAT", 1>, I32EnumCase<"TOTALORDER", 2>, I32EnumCase<"SIGNED", 3>,
  I32EnumCase<"UNSIGNED", 4>]>;
def ComparisonKindAttr : ChoiceAttr<ComparisonKind, "comparison_type">;
def Precision : Choice<"Precision", [
  I32EnumCase<"DEFAULT", 0>, I32EnumCase<"HIGH", 1>, I32EnumCase<"HIGHEST", 2>]>;
def PrecisionAttr : ChoiceAttr<Precision, "precision">;
def FftKind : Choice<"FftKind", [
  I32EnumCase<"FFT", 0>, I32EnumCase<"IFFT", 1>, I32EnumCase<"RFFT", 2>, I32EnumCase<"IRFFT", 3>]>;
def FftKindAttr : ChoiceAttr<FftKind, "fft_type">;
def Transposition : Choice<"Transposition", [
  I32EnumCase<"TRANSPOSE_INVALID", 0>, I32EnumCase<"NO_TRANSPOSE", 1>, I32EnumCase<"TRANSPOSE", 2>,
  I32EnumCase<"ADJOINT", 3>]>;
def TranspositionAttr : ChoiceAttr<Transposition, "transpose">;
def Generator : Choice<"Generator", [
  I32EnumCase<"DEFAULT", 0>, I32EnumCase<"THREE_FRY", 1>, I32EnumCase<"PHILOX", 2>]>;
def GeneratorAttr : ChoiceAttr<Generator, "rng_algorithm">;
def Distribution : Choice<"Distribution", [I32EnumCase<"UNIFORM", 1>, I32EnumCase<"NORMAL", 2>]>;
def DistributionAttr : ChoiceAttr<Distribution, "rng_distribution">;

/// A list of dimensions in brackets, absent if it is empty.
def Dims : OptionalArrayRefParameter<"int64_t"> {
  let parser = "::dovetail::stablehlo::parseDims($_parser)";
  let printer = "::dovetail::stablehlo::printDims($_printer, $_self)";
}

class StablehloAttr<string className, string attrMnemonic> : AttrDef<Stablehlo_Dialect, className> {
  let mnemonic = attrMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}
def GatherNumbersAttr : StablehloAttr<"GatherNumbers", "gather"> {
  let parameters = (ins Dims:$offset_dims, Dims:$collapsed_slice_dims, Dims:$operand_batching_dims,
                        Dims:$start_indices_batching_dims, Dims:$start_index_map,
                        DefaultValuedParameter<"int64_t", "0">:$index_vector_dim);
}
def ScatterNumbersAttr : StablehloAttr<"ScatterNumbers", "scatter"> {
  let parameters = (ins Dims:$update_window_dims, Dims:$inserted_window_dims, Dims:$input_batching_dims,
                        Dims:$scatter_indices_batching_dims, Dims:$scatter_dims_to_operand_dims,
                        DefaultValuedParameter<"int64_t", "0">:$index_vector_dim);
}
def DotNumbersAttr : StablehloAttr<"DotNumbers", "dot"> {
  let parameters = (ins Dims:$lhs_batching_dimensions, Dims:$rhs_batching_dimensions, Dims:$lhs_contracting_dimensions,
                        Dims:$rhs_contracting_dimensions);
}
def DotAlgorithmAttr : StablehloAttr<"DotAlgorithm", "dot_algorithm"> {
  let parameters = (ins "::mlir::Type":$lhs_precision_type, "::mlir::Type":$rhs_precision_type,
                        "::mlir::Type":$accumulation_type, "int64_t":$lhs_component_count,
                        "int64_t":$rhs_component_count, "int64_t":$num_primitive_operations,
                        "bool":$allow_imprecise_accumulation);
}
def ChannelHandleAttr : StablehloAttr<"ChannelHandle", "channel_handle"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
}
/// The dimensions of three arrays: the number of a spatial one, or kBatch or kFeature of Stablehlo.h.
def ConvNumbersAttr : AttrDef<Stablehlo_Dialect, "ConvNumbers"> {
  let mnemonic = "conv";
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhs, ArrayRefParameter<"int64_t">:$rhs,
                        ArrayRefParameter<"int64_t">:$ans);
  let hasCustomAssemblyFormat = 1;
}

#endif // DOVETAIL_STABLEHLO_TD
