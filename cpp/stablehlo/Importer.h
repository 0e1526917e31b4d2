// The emitter in which counterparts of StableHLO's ops are written.
#ifndef DOVETAIL_STABLEHLO_IMPORTER_H
#define DOVETAIL_STABLEHLO_IMPORTER_H

#include "cpp/linalg/Algebra.h"
#include "cpp/stablehlo/Stablehlo.h"
#include "cpp/transforms/Functions.h"

namespace dovetail {

class Importer : public Algebra {
public:
  Importer(mlir::OpBuilder &builder, mlir::Location loc, Functions &functions)
      : Algebra(Emitter(builder, loc, &functions)), functions(functions) {}

  /// Replaces the ops of a body by their counterparts.
  llvm::LogicalResult translate(mlir::Region &body);

  /// The op of this dialect that a body of scalars only applies to its two arguments; null if it does more. The body
  /// must be translated.
  static mlir::Operation *soleOp(mlir::Region &body);
  /// The results of a body of scalars on corresponding elements of arrays of one shape. The body must be translated.
  llvm::FailureOr<Values> onElements(mlir::Region &body, mlir::ValueRange arrays);
  /// The combinations of all elements along the leading dimension, in their order, by a translated body of scalars that
  /// takes two of each. There is at least one.
  llvm::FailureOr<Values> combined(mlir::Region &body, Values arrays);

  //===- Shapes -------------------------------------------------------------------===//

  /// An array whose dimension `dims[i]` is that of x, or repeats it where x has one element.
  mlir::Value broadcastInDim(mlir::Value x, llvm::ArrayRef<int64_t> dims, mlir::RankedTensorType type,
                             mlir::ValueRange sizes);
  /// `x` with the shape of `like`, if it is a scalar.
  mlir::Value shapedLike(mlir::Value x, mlir::Value like);
  mlir::Value reshapedTo(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// `x` padded to `size`; what is outside is dropped.
  mlir::Value pad(mlir::Value x, mlir::Value value, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                  llvm::ArrayRef<int64_t> interior);
  mlir::Value slice(mlir::Value x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes,
                    llvm::ArrayRef<int64_t> strides = {});
  /// The type with those of its sizes that a vector of all sizes states and that are known, and the sizes of its `?`s.
  static mlir::RankedTensorType typeFrom(mlir::Value shape, mlir::RankedTensorType type);
  Values sizesFrom(mlir::Value shape, mlir::RankedTensorType type);
  using Algebra::slice;

  Functions &functionsOf() { return functions; }

private:
  llvm::LogicalResult translateOp(mlir::Operation *op);

  Functions &functions;
};

/// Emits the counterpart of the op of `chlo` by a name, on the operands of another op; false if there is none.
bool importNamed(llvm::StringRef name, mlir::Operation *op, Importer &e, llvm::SmallVectorImpl<mlir::Value> &results);

/// Checks an op of StableHLO: types, and what its counterpart takes for granted.
llvm::LogicalResult checkTheirs(mlir::Operation *op);

/// An element of a vector or scalar of integers, if it follows from constants.
std::optional<int64_t> knownElement(mlir::Value vector, int64_t i);
/// All elements of a vector, if they are known.
std::optional<llvm::SmallVector<int64_t>> knownElements(mlir::Value vector);

/// Replaces the calls in a program with `?`s by what they call, so that sizes which arguments state are known in them.
llvm::LogicalResult inlineCalls(mlir::func::FuncOp function);

} // namespace dovetail

namespace dovetail {
class Exporter;
} // namespace dovetail

#include "cpp/stablehlo/Translate.h.inc"

#endif // DOVETAIL_STABLEHLO_IMPORTER_H
