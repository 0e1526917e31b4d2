// The emitter in which all rules are written: it folds as it goes, and a null value is a zero tangent.
#ifndef DOVETAIL_EMITTER_H
#define DOVETAIL_EMITTER_H

#include "Rules.h"
#include "mlir/IR/Builders.h"

namespace dovetail {

/// The zero tangent.
inline const mlir::Value zero = nullptr;

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location loc, FunctionTransforms *transforms = nullptr)
      : builder(builder), loc(loc), functions(transforms) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  FunctionTransforms &transforms() { return *functions; }

  /// Emits an op, or returns the value it folds to.
  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    return builder.createOrFold<Op>(loc, std::forward<Args>(args)...);
  }

  //===- Arithmetic, in formulas of tangents; null operands are zero --------===//

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, double y);
  mlir::Value sub(double x, mlir::Value y);
  mlir::Value scale(mlir::Value x, double factor);
  /// Null if both branches are null.
  mlir::Value select(mlir::Value p, mlir::Value x, mlir::Value y);
  /// Real and imaginary part and conjugate; of a real value: itself, zero and itself.
  mlir::Value real(mlir::Value x);
  mlir::Value imag(mlir::Value x);
  mlir::Value conj(mlir::Value x);
  mlir::Value complex(mlir::Value re, mlir::Value im);
  mlir::Value convert(mlir::Value x, mlir::Type element);

  //===- Functions that occur in formulas -----------------------------------===//

  mlir::Value exp(mlir::Value x);
  mlir::Value sin(mlir::Value x);
  mlir::Value cos(mlir::Value x);
  mlir::Value sinh(mlir::Value x);
  mlir::Value cosh(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value sign(mlir::Value x);
  mlir::Value truncate(mlir::Value x);
  mlir::Value greater(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value both(mlir::Value p, mlir::Value q);
  mlir::Value integerPow(mlir::Value x, int64_t exponent);
  /// n x^(n-1)
  mlir::Value integerPowTangent(mlir::Value x, int64_t exponent);
  /// (t - s Re(conj(s) t)) / |x| for s = x/|x| of a complex x, zero at 0 and for real x.
  mlir::Value signTangent(mlir::Value t, mlir::Value x, mlir::Value s);
  /// (1 - x)(1 + x), which does not cancel near |x| = 1.
  mlir::Value oneMinusSquare(mlir::Value x);
  /// d(x^y)/dx = y x^(y-1), with 0 for y = 0 also at x = 0.
  mlir::Value powTangentOfBase(mlir::Value x, mlir::Value y);
  /// log x, with 0 in place of log 0: the factor of x^y in d(x^y)/dy, so that 0^y has derivative 0.
  mlir::Value logOrZero(mlir::Value x);
  /// The share of x in the tangent of `ans` = max or min of x and y: 1, 0, or 1/2 at a tie.
  mlir::Value shareOfMaximum(mlir::Value x, mlir::Value ans, mlir::Value y);

  //===- Shapes ---------------------------------------------------------------===//

  /// A value of `like`'s type with all elements equal.
  mlir::Value full(mlir::Value like, double value);
  mlir::Value full(mlir::RankedTensorType type, mlir::ValueRange sizes, double value);
  mlir::Value full(mlir::RankedTensorType type, mlir::ValueRange sizes, mlir::TypedAttr element);
  mlir::Value zeros(mlir::RankedTensorType type, mlir::ValueRange sizes) { return full(type, sizes, 0.0); }
  mlir::Value zerosLike(mlir::Value x) { return full(x, 0.0); }
  /// Sizes of the `?` dimensions of a value, in order.
  llvm::SmallVector<mlir::Value> sizes(mlir::Value x);
  /// (size - 1) * stride + 1: the extent of `size` elements at a distance of `stride`; 0 if there are none.
  mlir::Value spreadSize(mlir::Value size, int64_t stride);
  /// Size of one dimension.
  mlir::Value size(mlir::Value x, int64_t dimension);
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<int64_t> dims, mlir::RankedTensorType type,
                        mlir::ValueRange sizes);
  mlir::Value reshape(mlir::Value x, mlir::RankedTensorType type, mlir::ValueRange sizes);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  mlir::Value reduceSum(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  mlir::Value moveDim(mlir::Value x, int64_t from, int64_t to);

  //===- Batching ---------------------------------------------------------------===//

  /// The batch: its static size, or kDynamic and then a value.
  BatchSize batchSize;
  mlir::Value batchSizeValue;
  /// `x` with the batch at `to`, moved or broadcast there.
  mlir::Value batchAt(mlir::Value x, int64_t from, int64_t to);
  /// All `operands` with their batch dimension at the position of the first batched one; `dims` are their current
  /// positions.
  llvm::SmallVector<mlir::Value> aligned(mlir::ValueRange operands, llvm::ArrayRef<int64_t> dims, int64_t &position);
  /// The type of `x` without its batch dimension.
  static mlir::RankedTensorType unbatched(mlir::Value x, int64_t dim);
  /// `sizes` of the `?`s of `type`, with that of the batch inserted where it is dynamic, at `position`.
  llvm::SmallVector<mlir::Value> sizesWithBatch(mlir::Type type, mlir::ValueRange sizes, int64_t position);

  /// Answers `sizes` for values that exist here by type only (linear values under transposition).
  std::function<mlir::Value(mlir::Value, int64_t)> sizeOfAbsent;

private:
  FunctionTransforms *functions;
};

} // namespace dovetail

#endif // DOVETAIL_EMITTER_H
