// Reductions over windows that slide along an array, and the ops of their derivatives.
#ifndef DOVETAIL_WINDOW_TD
#define DOVETAIL_WINDOW_TD

include "Dovetail.td"

class Windowed<string mnemonic, list<Trait> traits>
    : InferredOp<mnemonic, traits # [DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>]>;

/// Along dimension d, a window has `window[d]` elements that are `dilations[d]` apart, and the next window starts
/// `strides[d]` further. Only windows within the operand count; pad it for others.
class OverWindows<string mnemonic, Type element, Type ansElement, string resultElement, list<Trait> traits>
    : Windowed<mnemonic, traits # [DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let arguments = (ins Tensor<element>:$x, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs Tensor<ansElement>:$ans);
  let assemblyFormat = "$x `window` $window `strides` $strides `dilations` $dilations attr-dict `:` type($x)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        ::std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::dovetail::inferWindows(loc, getOperationName(), adaptor.getX(), ::dovetail::windowsOf(adaptor),
                                      }] # resultElement # [{, types);
    }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      ::dovetail::Windows batched = ::dovetail::windowsOf(*this).batched(dims[0]);
      results.push_back(e.make<$cppClass>(operands[0], batched.window, batched.strides, batched.dilations));
      resultDims.push_back(dims[0]);
      return ::mlir::success();
    }
    ::dovetail::FactorMap $cppClass::factorMap() { return ::dovetail::windowsOf(*this).factorMap(*this); }
    ::mlir::Value $cppClass::resultSize(::dovetail::Emitter &e, ::mlir::ValueRange, unsigned, int64_t dimension) {
      return ::dovetail::windowsOf(*this).count(e, e.size(getX(), dimension), dimension);
    }
  }];
}

class ReduceWindow<string mnemonic, Type element, string neutral, string step, Trait derivative>
    : OverWindows<mnemonic, element, element, "::mlir::getElementTypeOrSelf(adaptor.getX())", [derivative]> {
  let extraClassDeclaration = [{
    /// The neutral element, of the lowered type of element type `b.elementType`, and one step.
    static ::mlir::Value emitNeutral(::dovetail::scalar::ScalarBuilder &b) {
      return ::dovetail::scalar::}] # neutral # [{(b);
    }
    static ::mlir::Value emitStep(::dovetail::scalar::ScalarBuilder &b, ::mlir::Value accumulator, ::mlir::Value x) {
      return ::dovetail::scalar::}] # step # [{(b, accumulator, x);
    }
  }];
}

def ReduceWindowSumOp : ReduceWindow<"reduce_window_sum", Number, "zero", "add",
                                     DeclareOpInterfaceMethods<LinearOpInterface>> {
  let summary = "the sum of each window";
}
def ReduceWindowMaxOp : ReduceWindow<"reduce_window_max", Ordered, "lowest", "max",
                                     DeclareOpInterfaceMethods<JvpOpInterface>> {
  let summary = "the largest element of each window";
}
def ReduceWindowMinOp : ReduceWindow<"reduce_window_min", Ordered, "highest", "min",
                                     DeclareOpInterfaceMethods<JvpOpInterface>> {
  let summary = "the smallest element of each window";
}

class WindowArgReduce<string mnemonic>
    : OverWindows<mnemonic, Ordered, I32, "::mlir::IntegerType::get(context, 32)", []> {
  let summary = "the offset of the first extreme element of each window; a NaN is more extreme than any number";
  let description = "The offset of an element is the number of elements of the window before it, in row-major order.";
  let weakOperands = [];
}
def WindowArgmaxOp : WindowArgReduce<"window_argmax">;
def WindowArgminOp : WindowArgReduce<"window_argmin">;

// These two give extreme elements derivatives of any order: each is the other's transpose.

def WindowTakeOp : Windowed<"window_take", [DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "the element of each window at the window's offset, or zero if there is none";
  let weakOperands = ["x"];
  let arguments = (ins AnyArray:$x, Tensor<I32>:$offsets, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = [{
    $x `,` $offsets `window` $window `strides` $strides `dilations` $dilations attr-dict `:` type($x) `,` type($offsets)
  }];
}

def WindowPutOp : Windowed<"window_put", [DeclareOpInterfaceMethods<LinearOpInterface>,
                                          DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "the sum over each window of the elements whose offset, counted from the window's end, is their position in it";
  let description = [{
    If `x` and `offsets` belong to the windows over an array, padded by the extent of the windows, then these are the
    elements that fall on each position of that array.
  }];
  let weakOperands = ["x"];
  let arguments = (ins Tensor<Number>:$x, Tensor<I32>:$offsets, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$dilations);
  let results = (outs Tensor<Number>:$ans);
  let assemblyFormat = "$x `,` $offsets `window` $window `dilations` $dilations attr-dict `:` type($x) `,` type($offsets)";
}

#endif // DOVETAIL_WINDOW_TD
