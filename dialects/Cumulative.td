// Running reductions along one dimension, which keep its size, and the linear recurrence that is their derivative.
#ifndef DOVETAIL_CUMULATIVE_TD
#define DOVETAIL_CUMULATIVE_TD

include "Dovetail.td"

/// Results are like the operands, and each depends on those before it along `dimension`.
class Running<string mnemonic, list<Trait> traits = []>
    : InferredOp<mnemonic, traits # [DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>,
                                     DeclareOpInterfaceMethods<PartOpInterface>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>]>;

/// The neutral element and one step are functions of `cpp/scalar`; `pointwise` is the op for such steps.
class Cumulative<string mnemonic, Type element, string neutral, string step, string pointwise, list<Trait> traits>
    : Running<mnemonic, traits> {
  let summary = "result element i combines the operand's elements up to i, or from i on with `reverse`";
  let arguments = (ins Tensor<element>:$x, I64Attr:$dimension, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Tensor<element>:$ans);
  let assemblyFormat = "$x `,` $dimension (`reverse` `=` $reverse^)? attr-dict `:` type($x)";
  let extraClassDeclaration = [{
    /// The neutral element, of the lowered type of element type `b.elementType`, and one step.
    static ::mlir::Value emitNeutral(::dovetail::scalar::ScalarBuilder &b);
    static ::mlir::Value emitStep(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value accumulator, ::mlir::Value x);
    /// The neutral element as an array; null for element types that have none.
    static ::mlir::DenseElementsAttr neutral(::mlir::RankedTensorType type);
    /// One step for each element of two arrays.
    static ::mlir::Value combine(::dovetail::Emitter &e, ::mlir::Value x, ::mlir::Value y);
  }];
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::emitNeutral(::dovetail::scalar::ScalarBuilder &b) { return ::dovetail::scalar::}] # neutral # [{(b); }
    ::mlir::Value $cppClass::emitStep(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value accumulator, ::mlir::Value x) {
      return ::dovetail::scalar::}] # step # [{(b, accumulator, x);
    }
    ::mlir::DenseElementsAttr $cppClass::neutral(::mlir::RankedTensorType type) { return ::dovetail::splats::}] # neutral # [{(type); }
    ::mlir::Value $cppClass::combine(::dovetail::Emitter &e, ::mlir::Value x, ::mlir::Value y) {
      return e.make<}] # pointwise # [{>(x, y);
    }
    ::mlir::Value $cppClass::emitPart(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<::dovetail::DividedFactor> factors, ::mlir::RankedTensorType) {
      return ::dovetail::emitPartOfCumulative(e, *this, operands[0], factors[getDimension()]);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::dovetail::inferRunning(loc, getOperationName(), adaptor.getOperands(), adaptor.getDimension(), types);
    }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      return ::dovetail::batchRunning(e, *this, operands, dims, results, resultDims);
    }
    ::dovetail::FactorMap $cppClass::factorMap() {
      auto type = ::llvm::cast<::mlir::RankedTensorType>(getAns().getType());
      bool isDivided = static_cast<bool>(neutral(::dovetail::withShape(type, {})));
      return ::dovetail::runningFactorMap(*this, getDimension(), isDivided);
    }
    ::mlir::Value $cppClass::resultSize(::dovetail::Emitter &e, ::mlir::ValueRange, unsigned, int64_t dimension) {
      return e.size(getX(), dimension);
    }
  }];
}

def CumsumOp : Cumulative<"cumsum", Number, "zero", "add", "AddOp", [DeclareOpInterfaceMethods<LinearOpInterface>]>;
def CumprodOp : Cumulative<"cumprod", Number, "one", "mul", "MulOp", [DeclareOpInterfaceMethods<JvpOpInterface>]>;
def CummaxOp : Cumulative<"cummax", Number, "lowest", "max", "MaxOp", [DeclareOpInterfaceMethods<JvpOpInterface>]>;
def CumminOp : Cumulative<"cummin", Number, "highest", "min", "MinOp", [DeclareOpInterfaceMethods<JvpOpInterface>]>;
def CumlogsumexpOp : Cumulative<"cumlogsumexp", Float, "lowest", "logAddExp", "LogaddexpOp",
                                [DeclareOpInterfaceMethods<JvpOpInterface>]>;

def LinearRecurrenceOp : Running<"linear_recurrence", [DeclareOpInterfaceMethods<JvpOpInterface>,
                                                       DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "ans[i] = factor[i] * ans[i - 1] + x[i] along one dimension, or ans[i + 1] with `reverse`, starting from 0";
  let description = [{
    The derivatives of all running reductions have this form, as do those of the recurrence itself.
  }];
  let arguments = (ins Tensor<Number>:$factor, Tensor<Number>:$x, I64Attr:$dimension,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Tensor<Number>:$ans);
  let assemblyFormat = "$factor `,` $x `,` $dimension (`reverse` `=` $reverse^)? attr-dict `:` type($factor) `,` type($x)";
}

#endif // DOVETAIL_CUMULATIVE_TD
