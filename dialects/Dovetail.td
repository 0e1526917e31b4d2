// The dovetail dialect itself: its definition, its type constraints and the base classes of its ops.
#ifndef DOVETAIL_TD
#define DOVETAIL_TD

include "Interfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Dovetail_Dialect : Dialect {
  let name = "dovetail";
  let summary = "array programs, closed under differentiation and batching";
  let description = [{
    Values are builtin ranked tensors; any dimension may be `?`. There is no implicit broadcasting and no implicit
    conversion. Signedness is part of integer types: `i8` … `i64` are signed, `ui8` … `ui64` unsigned, `i1` is bool.
    An op that creates a shape takes one `index` operand for each `?` of its result.
    A reference, `!dovetail.ref<2x3xf32>`, holds an array that changes; `discharge` turns references into arrays.
  }];
  let cppNamespace = "::dovetail";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Lets each family of ops register its own.
    template <typename... Ops> void addFamily() { addOperations<Ops...>(); }
  }];
}

//===- Element types -------------------------------------------------------===//

def Bool : TypeAlias<I1, "bool">;
def SignedInt : AnyTypeOf<[I<2>, I<4>, I8, I16, I32, I64], "signed integer">;
def UnsignedInt : AnyTypeOf<[UI<2>, UI<4>, UI8, UI16, UI32, UI64], "unsigned integer">;
def SmallFloat : AnyTypeOf<[F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3FN, F8E4M3FNUZ, F8E4M3B11FNUZ, F8E5M2,
                            F8E5M2FNUZ, F8E8M0FNU], "float of 8 bits or less">;
def Float : AnyTypeOf<[SmallFloat, BF16, F16, F32, F64], "float">;
def Cplx : AnyTypeOf<[Complex<F32>, Complex<F64>], "complex">;

def Int : AnyTypeOf<[SignedInt, UnsignedInt], "integer">;
def IntOrBool : AnyTypeOf<[Bool, SignedInt, UnsignedInt], "integer or bool">;
def FloatOrCplx : AnyTypeOf<[Float, Cplx], "float or complex">;
def SignedNumber : AnyTypeOf<[SignedInt, Float, Cplx], "signed integer, float or complex">;
def RealNumber : AnyTypeOf<[Int, Float], "integer or float">;
def Ordered : AnyTypeOf<[Bool, Int, Float], "bool, integer or float">;
def Number : AnyTypeOf<[Int, Float, Cplx], "integer, float or complex">;
def Element : AnyTypeOf<[Bool, Int, Float, Cplx], "bool, integer, float or complex">;

def HasNoEncoding : CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">;
class Tensor<Type element> : RankedTensorOf<[element], [HasNoEncoding], "tensor without encoding">;
def AnyArray : Tensor<Element>;
def Sizes : Variadic<Index>;

//===- Base classes --------------------------------------------------------===//

/// An op whose reference function compiled code may call: see HostFunction.h.
def HostFunction : NativeOpTrait<"HostFunction"> { let cppNamespace = "::dovetail"; }
def FoldsSplats : NativeOpTrait<"FoldsSplats"> { let cppNamespace = "::dovetail"; }
def HostOnly : NativeOpTrait<"HostOnly"> { let cppNamespace = "::dovetail"; }
def HidesOperands : NativeOpTrait<"HidesOperands"> { let cppNamespace = "::dovetail"; }
/// How an op that is applied by itself is divided: see Alone.h.
def WholeAlone : NativeOpTrait<"WholeAlone"> { let cppNamespace = "::dovetail"; }
def ReplicatedAlone : NativeOpTrait<"ReplicatedAlone"> { let cppNamespace = "::dovetail"; }
class DecidesDimsAlone<int number> : ParamNativeOpTrait<"DecidesDimsAlone", !cast<string>(number)> {
  let cppNamespace = "::dovetail";
}
class DecidesAlone<int number> : ParamNativeOpTrait<"DecidesAlone", !cast<string>(number)> {
  let cppNamespace = "::dovetail";
}

class DovetailOp<string mnemonic, list<Trait> traits = []> : Op<Dovetail_Dialect, mnemonic, traits> {
  /// What Python functions need in addition to operands and attributes; tools/op_functions reads it.
  ///
  /// The operands that must all be weakly typed for results to be. If unset: all of them, or, for several results, the
  /// operand of the same number.
  list<string> weakOperands = ?;
  /// Whether the caller states the result's element type.
  bit statesElement = 0;
}

/// Infers result types from an adaptor. Inference from the text of an op runs before verification: operands that are not
/// arrays are rejected here, for all ops.
def InferTypes : TraitList<[
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  NativeOpTrait<"InferTypeOpAdaptor", [], [{
        static ::llvm::LogicalResult
        inferReturnTypes(::mlir::MLIRContext *context,
                                std::optional<::mlir::Location> location,
                                Adaptor adaptor,
                                ::llvm::SmallVectorImpl<::mlir::Type> &inferredReturnTypes);
  }], [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, std::optional<::mlir::Location> location, ::mlir::ValueRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      if (::mlir::failed(::dovetail::verifyArrays(location, getOperationName(), operands)))
        return ::mlir::failure();
      return inferReturnTypes(context, location, Adaptor(operands, attributes, properties, regions), types);
    }
  }]>
]>;

/// An op that infers its result types from operands and attributes; Python never states them.
class InferredOp<string mnemonic, list<Trait> traits = []>
    : DovetailOp<mnemonic, traits # [Pure, InferTypes]>;

/// An op that has the side effects of the functions that it names: see Effects.h.
def CalleeEffects : NativeOpTrait<"CalleeEffects"> { let cppNamespace = "::dovetail"; }

/// An op on the function that `callee` names.
class OnFunction<string mnemonic, list<Trait> traits>
    : DovetailOp<mnemonic, traits # [CalleeEffects, MemoryEffectsOpInterface,
                                     DeclareOpInterfaceMethods<SymbolUserOpInterface>]>;

/// An op that applies that function.
class ApplyOp<string mnemonic, list<Trait> traits = []>
    : OnFunction<mnemonic, traits # [DeclareOpInterfaceMethods<JvpOpInterface>,
                                     DeclareOpInterfaceMethods<LinearOpInterface>,
                                     DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<SplitOpInterface>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>,
                                     DeclareOpInterfaceMethods<VaryingOpInterface>]> {
  let results = (outs Variadic<AnyType>:$outs);
}

#endif // DOVETAIL_TD
