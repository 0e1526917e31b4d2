// Reading and writing windows at positions that are known only at run time.
#ifndef DOVETAIL_INDEX_TD
#define DOVETAIL_INDEX_TD

include "Dovetail.td"

def GatherOp : InferredOp<"gather", [DeclareOpInterfaceMethods<LinearOpInterface>,
                                     DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<PartOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "windows of an array, one for each vector of indices";
  let description = [{
    The last dimension of `indices` is a vector: the start of the window along each of `dims`. Along these, the window has
    `window` elements; along all other dimensions it has the full size. The result has the other dimensions of `indices`,
    then those of the window. A window that is not wholly within the operand reads as zeros.
  }];
  let weakOperands = ["x"];
  let arguments = (ins AnyArray:$x, Tensor<Int>:$indices, DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$window);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = "$x `,` $indices `dims` $dims `window` $window attr-dict `:` type($x) `,` type($indices)";
  let hasCanonicalizer = 1;
}

class Scatter<string mnemonic, Type element, string step, string combiner, list<Trait> traits>
    : InferredOp<mnemonic, traits # [DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<PartOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let description = [{
    Indices and windows are those of `gather`. A window that is not wholly within the operand is dropped. Windows may
    overlap unless `unique` promises that they do not; they are applied in row-major order of their indices.
  }];
  let weakOperands = ["x"];
  let arguments = (ins Tensor<element>:$x, Tensor<Int>:$indices, Tensor<element>:$updates, DenseI64ArrayAttr:$dims,
                       DenseI64ArrayAttr:$window, DefaultValuedAttr<BoolAttr, "false">:$unique);
  let results = (outs Tensor<element>:$ans);
  let assemblyFormat = [{
    $x `,` $indices `,` $updates `dims` $dims `window` $window attr-dict
    `:` type($x) `,` type($indices) `,` type($updates)
  }];
  let extraClassDeclaration = [{
    /// Whether no two windows overlap: this is promised, or there is only one.
    bool isUnique() { return getUnique() || ::dovetail::isOneWindow(getIndices()); }
    /// The new value of an element, from its old value and an update.
    static ::mlir::Value step(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value x, ::mlir::Value update) {
      return }] # step # [{;
    }
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::dovetail::inferScatter(loc, getOperationName(), adaptor.getX(), adaptor.getIndices(), adaptor.getUpdates(),
                                      adaptor.getDims(), adaptor.getWindow(), types);
    }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      ::dovetail::BatchedScatter batched = ::dovetail::batchScatter(e, operands, dims, getDims(), getWindow());
      results.push_back(e.make<$cppClass>(batched.x, batched.indices, batched.updates, batched.dims, batched.window,
                                         isUnique()));
      resultDims.push_back(0);
      return ::mlir::success();
    }
    ::mlir::Value $cppClass::resultSize(::dovetail::Emitter &e, ::mlir::ValueRange operands, unsigned, int64_t dimension) {
      return e.size(operands[0] ? operands[0] : getX(), dimension);
    }
    ::dovetail::FactorMap $cppClass::factorMap() {
      return ::dovetail::scatterFactorMap(getX(), getIndices(), getDims(), getWindow(),
                                           ::dovetail::FactorMap::Combiner::}] # combiner # [{);
    }
    ::mlir::Value $cppClass::emitPart(::dovetail::Emitter &e, ::mlir::ValueRange operands,
                                      ::llvm::ArrayRef<::dovetail::DividedFactor> factors, ::mlir::RankedTensorType) {
      ::dovetail::FactorMap map = factorMap();
      ::dovetail::IndicesOfPart part =
          ::dovetail::indicesOfPart(e, *this, operands, getDims(), getWindow(), map, factors);
      ::mlir::Value x = ::dovetail::scatteredOnce(e, operands[0], map, factors);
      return e.make<$cppClass>(x, part.indices, operands[2], getDims(), part.window, getUnique());
    }
  }];
}

def ScatterOp : Scatter<"scatter", Element, "update", "None", [DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "an array with windows replaced; where they overlap, the last one wins";
}
def ScatterAddOp : Scatter<"scatter_add", Element, "::dovetail::scalar::add(b, x, update)", "Sum",
                           [DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "an array with updates added to its windows";
  let hasCanonicalizer = 1;
}
// It is linear in the array alone, as the transpose of its derivative requires; its derivative by the updates is not.
def ScatterMulOp : Scatter<"scatter_mul", Element, "::dovetail::scalar::mul(b, x, update)", "None",
                           [DeclareOpInterfaceMethods<JvpOpInterface>, DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "an array with its windows multiplied by updates";
}
def ScatterMinOp : Scatter<"scatter_min", Element, "::dovetail::scalar::min(b, x, update)", "Min",
                           [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "an array whose windows are the minimum of element and update";
}
def ScatterMaxOp : Scatter<"scatter_max", Element, "::dovetail::scalar::max(b, x, update)", "Max",
                           [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "an array whose windows are the maximum of element and update";
}

#endif // DOVETAIL_INDEX_TD
