// Lowering of dovetail ops to linalg on tensors.
#ifndef DOVETAIL_LOWERING_LOWERING_H
#define DOVETAIL_LOWERING_LOWERING_H

#include "cpp/transforms/Passes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Marks a module of which every loop is to run on the host, with dispatches for the ops inside: for tests of that way.
constexpr llvm::StringLiteral kHostLoops = "dovetail.host_loops";

/// Marks an argument of a function whose memory results may take, and, in its reflection, results that share memory.
constexpr llvm::StringLiteral kDonated = "dovetail.donated", kSharing = "dovetail.sharing",
                              kHandedBack = "dovetail.handed_back";

/// All dialects that programs go through, with the lowerings of our ops attached.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Attach the lowerings of one family each.
void attachBarrierLowerings(mlir::MLIRContext *context);
void attachCallbackLowerings(mlir::MLIRContext *context);
void attachCollectiveLowerings(mlir::MLIRContext *context);
void attachControlLowerings(mlir::MLIRContext *context);
void attachConvLowerings(mlir::MLIRContext *context);
void attachCreateLowerings(mlir::MLIRContext *context);
void attachCumulativeLowerings(mlir::MLIRContext *context);
void attachDotLowerings(mlir::MLIRContext *context);
void attachFftLowerings(mlir::MLIRContext *context);
void attachGatherLowerings(mlir::MLIRContext *context);
void attachRandomLowerings(mlir::MLIRContext *context);
void attachReduceLowerings(mlir::MLIRContext *context);
void attachScatterLowerings(mlir::MLIRContext *context);
void attachShapeLowerings(mlir::MLIRContext *context);
void attachSizeLowerings(mlir::MLIRContext *context);
void attachSortLowerings(mlir::MLIRContext *context);
void attachWindowLowerings(mlir::MLIRContext *context);

/// The lowered ops of a body on lowered arguments, where the builder is.
llvm::LogicalResult lowerBody(mlir::ImplicitLocOpBuilder &b, mlir::Region &body, mlir::ValueRange arguments,
                              llvm::SmallVectorImpl<mlir::Value> &results);

/// One `linalg.generic` for any pointwise op, and the same with a reduction loop for any reduction.
mlir::Value lowerPointwise(mlir::ImplicitLocOpBuilder &b, PointwiseOpInterface op, mlir::ValueRange operands);
mlir::Value lowerReduce(mlir::ImplicitLocOpBuilder &b, ReduceOpInterface op, mlir::Value x);

/// An element and its index.
struct Indexed {
  mlir::Value value, index;
};
/// The more extreme of two, and its index. They may be visited in any order: of equal elements the lesser index counts.
llvm::SmallVector<mlir::Value, 2> extremeOf(scalar::ScalarBuilder &b, bool isMaximum, Indexed best, Indexed candidate);

//===- Vocabulary of the lowerings -------------------------------------------===//

/// The type after lowering: integers without sign.
mlir::Type loweredType(mlir::Type type);

/// The sizes of all dimensions, as attributes where static.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
/// The sizes of a type whose `?`s are given as values.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::ImplicitLocOpBuilder &b, mlir::Type type, mlir::ValueRange dynamic);

mlir::Value empty(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element);
mlir::Value filled(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);
/// Whether this is complex<f64>, whose 128 bits the code generator neither stores as a constant nor fills with, unless
/// it fuses that into an op that writes over it.
bool isWideComplex(mlir::Type element);
/// `part` makes the real and the imaginary part of an array of a complex type; they are joined.
mlir::Value joined(mlir::ImplicitLocOpBuilder &b, mlir::ComplexType element,
                   llvm::function_ref<mlir::Value(bool isImaginary)> part);
/// What `filled` gives, where it is a result of its own: not by a fill, of which IREE 3.13 loses the size where it is
/// summed.
mlir::Value filledAlone(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// `body` computes an element of the result from the elements of `inputs`, all loops parallel.
mlir::Value parallelLoops(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type element,
                          mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> maps,
                          llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)> body);

/// `x` with `body` applied to each element.
mlir::Value mapElements(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type element,
                        llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::Value)> body);

/// A size as a value.
mlir::Value asValue(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult size);
/// `count` elements of `x` along a dimension, from the one at `from` on.
mlir::Value sliced(mlir::ImplicitLocOpBuilder &b, mlir::Value x, int64_t dim, int64_t from, int64_t count);
/// `x`, which is to get more dimensions: IREE 3.13 moves these up to the slices that a single element is computed of,
/// and dies of what becomes of them.
mlir::Value expandable(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The element of `x` at that place; of a slice, that of the array it is part of, since the code generator cannot look
/// up what lies apart in memory.
mlir::Value elementAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, llvm::ArrayRef<mlir::Value> place);

/// `x` with its dimensions in another order, and `x` backwards along some.
mlir::Value transposed(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> order);
mlir::Value reversed(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> dims);
/// `x`, whose dialect element type is `from`, with elements of the dialect's type `to`.
mlir::Value converted(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Type from, mlir::Type to);

/// A number of dialect element type `element` as an index, in scalar code.
mlir::Value indexOf(mlir::ImplicitLocOpBuilder &b, mlir::Value number, mlir::Type element);
/// Whether 0 <= start <= last.
mlir::Value isWithin(mlir::ImplicitLocOpBuilder &b, mlir::Value start, mlir::Value last);
/// The last index at which a window still fits, along each of `dims`.
llvm::SmallVector<mlir::Value> lastStarts(mlir::ImplicitLocOpBuilder &b, mlir::Value x, llvm::ArrayRef<int64_t> dims,
                                          llvm::ArrayRef<int64_t> window);

/// How many windows of `window` elements, `dilation` apart, fit at a distance of `stride` in `size` elements.
mlir::OpFoldResult windowCount(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult size, mlir::OpFoldResult window,
                               int64_t stride, int64_t dilation);

/// Whether the code generator carries arrays of this type through loops: IREE 3.13 loses where in its buffer a dynamic
/// array begins that it reshapes there.
bool canLoopsCarry(mlir::RankedTensorType type);
/// How often 1 must be doubled to be `size` at least.
mlir::Value doublings(mlir::ImplicitLocOpBuilder &b, mlir::Value size);

/// The type in which sums and products of elements of this type are accumulated.
mlir::Type accumulatorType(mlir::Type element);
/// The type in which an op of the program adds many elements of this type. On a CPU floats are added in f64: that costs
/// no time where memory is what is waited for, and the error does not grow with the number of elements.
mlir::Type sumType(mlir::Operation *op, mlir::Type element);
/// Whether so few elements are added, of a dimension's size, that `accumulatorType` loses a few units in the last
/// place.
bool isShortSum(int64_t terms);
/// The type in which a reduction takes in `terms` elements: `sumType` where it adds many, as those do that are linear,
/// and `accumulatorType` otherwise.
mlir::Type reductionType(mlir::Operation *op, mlir::Type element, int64_t terms);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_LOWERING_H
