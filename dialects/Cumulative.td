// Running reductions along one dimension, which keep its size, and the linear recurrence that is their derivative.
#ifndef DOVETAIL_CUMULATIVE_TD
#define DOVETAIL_CUMULATIVE_TD

include "Dovetail.td"

/// Results are like the operands, and each depends on those before it along `dimension`.
class Running<string mnemonic, list<Trait> traits = []>
    : InferredOp<mnemonic, traits # [DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>]>;

class Cumulative<string mnemonic, Type element, string neutral, string step, list<Trait> traits>
    : Running<mnemonic, traits> {
  let summary = "result element i combines the operand's elements up to i, or from i on with `reverse`";
  let arguments = (ins Tensor<element>:$x, I64Attr:$dimension, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Tensor<element>:$ans);
  let assemblyFormat = "$x `,` $dimension (`reverse` `=` $reverse^)? attr-dict `:` type($x)";
  let extraClassDeclaration = [{
    /// The neutral element, of the lowered type of element type `b.elementType`, and one step.
    static ::mlir::Value emitNeutral(::dovetail::scalar::ScalarBuilder &b);
    static ::mlir::Value emitStep(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value accumulator, ::mlir::Value x);
  }];
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::emitNeutral(::dovetail::scalar::ScalarBuilder &b) { return ::dovetail::scalar::}] # neutral # [{(b); }
    ::mlir::Value $cppClass::emitStep(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value accumulator, ::mlir::Value x) {
      return ::dovetail::scalar::}] # step # [{(b, accumulator, x);
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
    ::dovetail::FactorMap $cppClass::factorMap() { return ::dovetail::runningFactorMap(*this, getDimension()); }
    ::mlir::Value $cppClass::resultSize(::dovetail::Emitter &e, ::mlir::ValueRange, unsigned, int64_t dimension) {
      return e.size(getX(), dimension);
    }
  }];
}

def CumsumOp : Cumulative<"cumsum", Number, "zero", "add", [DeclareOpInterfaceMethods<LinearOpInterface>]>;
def CumprodOp : Cumulative<"cumprod", Number, "one", "mul", [DeclareOpInterfaceMethods<JvpOpInterface>]>;
def CummaxOp : Cumulative<"cummax", Number, "lowest", "max", [DeclareOpInterfaceMethods<JvpOpInterface>]>;
def CumminOp : Cumulative<"cummin", Number, "highest", "min", [DeclareOpInterfaceMethods<JvpOpInterface>]>;
def CumlogsumexpOp : Cumulative<"cumlogsumexp", Float, "lowest", "logAddExp",
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
