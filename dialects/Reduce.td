// Reductions over whole dimensions, which they remove.
#ifndef DOVETAIL_REDUCE_TD
#define DOVETAIL_REDUCE_TD

include "Dovetail.td"

class Reduce<string mnemonic, Type element, string neutral, string step, list<Trait> traits = [], string combiner = "None">
    : InferredOp<mnemonic, traits # [DeclareOpInterfaceMethods<ReduceOpInterface, ["emitNeutral", "emitStep", "emitOver"]>,
                                     DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let arguments = (ins Tensor<element>:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Tensor<element>:$ans);
  let assemblyFormat = "$x $dims attr-dict `:` type($x)";
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::emitNeutral(::dovetail::scalar::ScalarBuilder &b) { return }] # neutral # [{; }
    ::mlir::Value $cppClass::emitStep(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value accumulator, ::mlir::Value x) {
      return ::dovetail::scalar::}] # step # [{(b, accumulator, x);
    }
    ::mlir::Value $cppClass::emitOver(::dovetail::Emitter &e, ::mlir::Value x, ::llvm::ArrayRef<int64_t> dims) {
      return e.make<$cppClass>(x, dims);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::dovetail::inferReduce(loc, getOperationName(), adaptor.getX(), adaptor.getDims(), types);
    }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      return ::dovetail::batchReduce(e, *this, operands, dims, results, resultDims);
    }
    ::dovetail::FactorMap $cppClass::factorMap() {
      return ::dovetail::reduceFactorMap(*this, getDims(), ::dovetail::FactorMap::Combiner::}] # combiner # [{);
    }
  }];
}

def ReduceSumOp : Reduce<"reduce_sum", Number, "::dovetail::scalar::zero(b)", "add",
                         [DeclareOpInterfaceMethods<LinearOpInterface>], "Sum"> { let hasFolder = 1; }
def ReduceProdOp : Reduce<"reduce_prod", Number, "::dovetail::scalar::one(b)", "mul",
                          [DeclareOpInterfaceMethods<JvpOpInterface>], "Prod">;
def ReduceMaxOp : Reduce<"reduce_max", Ordered, "::dovetail::scalar::lowest(b)", "max",
                         [DeclareOpInterfaceMethods<JvpOpInterface>], "Max">;
def ReduceMinOp : Reduce<"reduce_min", Ordered, "::dovetail::scalar::highest(b)", "min",
                         [DeclareOpInterfaceMethods<JvpOpInterface>], "Min">;
def ReduceAndOp : Reduce<"reduce_and", IntOrBool, "::dovetail::scalar::allOnes(b)", "bitAnd", [], "And">;
def ReduceOrOp : Reduce<"reduce_or", IntOrBool, "::dovetail::scalar::zero(b)", "bitOr", [], "Or">;
def ReduceXorOp : Reduce<"reduce_xor", IntOrBool, "::dovetail::scalar::zero(b)", "bitXor", [], "Xor">;

class ArgReduce<string mnemonic>
    : DovetailOp<mnemonic, [Pure, DeclareOpInterfaceMethods<BatchOpInterface>,
                            DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "index of the first extreme element along one dimension; a NaN is more extreme than any number";
  let arguments = (ins Tensor<Ordered>:$x, I64Attr:$dimension);
  let weakOperands = [];
  let statesElement = 1;
  let results = (outs Tensor<Int>:$ans);
  let assemblyFormat = "$x `,` $dimension attr-dict `:` type($x) `->` type($ans)";
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::dovetail::verifyArgReduce(*this, getX(), getDimension(), getAns()); }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      return ::dovetail::batchArgReduce(e, *this, operands, dims, results, resultDims);
    }
    ::dovetail::FactorMap $cppClass::factorMap() { return ::dovetail::reduceFactorMap(*this, {int64_t(getDimension())}); }
  }];
}
def ArgmaxOp : ArgReduce<"argmax">;
def ArgminOp : ArgReduce<"argmin">;

#endif // DOVETAIL_REDUCE_TD
