// The vocabulary for algorithms on one matrix: ops on arrays, and loops around them.
#ifndef DOVETAIL_LINALG_ALGEBRA_H
#define DOVETAIL_LINALG_ALGEBRA_H

#include "dialects/Dialect.h"

namespace dovetail {

/// An emitter for linear algebra. Vectors have one dimension, matrices two, numbers none; indices are numbers of i32.
/// The conjugate and the real part of a real value are the value itself.
class Algebra : public Emitter {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  explicit Algebra(const Emitter &e) : Emitter(e) {}
  Algebra(mlir::OpBuilder &builder, mlir::Location loc) : Emitter(builder, loc) {}

  //===- Types and numbers ------------------------------------------------------===//

  static mlir::RankedTensorType typeOf(mlir::Value x) { return llvm::cast<mlir::RankedTensorType>(x.getType()); }
  static mlir::Type elementOf(mlir::Value x) { return typeOf(x).getElementType(); }
  static int64_t sizeOf(mlir::Value x, int64_t dim) { return typeOf(x).getDimSize(dim); }
  static bool isComplex(mlir::Value x) { return llvm::isa<mlir::ComplexType>(elementOf(x)); }

  /// A number, with the element type of `like` or the given one.
  mlir::Value number(mlir::Value like, double value);
  mlir::Value number(mlir::Type element, double value);
  /// An index.
  mlir::Value place(int64_t value);
  /// The difference between 1 and the next number, and the smallest number whose inverse is finite, for real elements.
  static double epsilonOf(mlir::Value x);
  static double tiniestOf(mlir::Value x);

  //===- Elements ---------------------------------------------------------------===//
  // A scalar operand is broadcast to the shape of the other one.

  mlir::Value compare(CompareDirection direction, mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y) { return compare(CompareDirection::LT, x, y); }
  mlir::Value atMost(mlir::Value x, mlir::Value y) { return compare(CompareDirection::LE, x, y); }
  mlir::Value same(mlir::Value x, mlir::Value y) { return compare(CompareDirection::EQ, x, y); }
  mlir::Value either(mlir::Value p, mlir::Value q);
  mlir::Value negation(mlir::Value p);
  mlir::Value choose(mlir::Value p, mlir::Value x, mlir::Value y);
  mlir::Value choose(mlir::Value p, mlir::Value x, double y);
  mlir::Value plus(mlir::Value x, mlir::Value y);
  mlir::Value minus(mlir::Value x, mlir::Value y);
  mlir::Value times(mlir::Value x, mlir::Value y);
  mlir::Value over(mlir::Value x, mlir::Value y);
  mlir::Value greatest(mlir::Value x, mlir::Value y);
  mlir::Value least(mlir::Value x, mlir::Value y);
  mlir::Value magnitude(mlir::Value x);
  /// |x|^2, and |Re x| + |Im x|, which are cheaper; real.
  mlir::Value squareMagnitude(mlir::Value x);
  mlir::Value sumMagnitude(mlir::Value x);
  mlir::Value root(mlir::Value x);
  /// |x| with the sign of y; the sign of 0 is positive.
  mlir::Value withSignOf(mlir::Value x, mlir::Value y);
  /// A real array as one of `element`, real or complex.
  mlir::Value as(mlir::Value x, mlir::Type element);
  /// The largest power of two not above |x|; 1 if |x| is not a normal number.
  mlir::Value powerOfTwoBelow(mlir::Value x);

  //===- Shapes -----------------------------------------------------------------===//

  /// An array like `like`, whose dimension `dims[i]` is that of x.
  mlir::Value spread(mlir::Value x, llvm::ArrayRef<int64_t> dims, mlir::Value like);
  mlir::Value everywhere(mlir::Value number, mlir::Value like) { return spread(number, {}, like); }
  /// The matrix like `like` whose rows, or columns, are all equal to a vector.
  mlir::Value eachRow(mlir::Value vector, mlir::Value like) { return spread(vector, {1}, like); }
  mlir::Value eachColumn(mlir::Value vector, mlir::Value like) { return spread(vector, {0}, like); }
  mlir::Value transposed(mlir::Value x) { return transpose(x, {1, 0}); }
  mlir::Value adjoint(mlir::Value x) { return conj(transposed(x)); }
  mlir::Value backwards(mlir::Value x, llvm::ArrayRef<int64_t> dims);
  /// An array of the elements of `like`, with a static shape; with the shape of `like`.
  mlir::Value filled(mlir::Value like, llvm::ArrayRef<int64_t> shape, double value);
  mlir::Value reshaped(mlir::Value x, llvm::ArrayRef<int64_t> shape);

  /// For each element its index along a dimension, and for each position of a dimension that index.
  mlir::Value placesIn(mlir::Value like, int64_t dim);
  mlir::Value places(mlir::Value like, int64_t dim);
  mlir::Value places(int64_t count);
  /// True where row - column is in [from, to].
  mlir::Value isBetween(mlir::Value like, int64_t from, int64_t to);
  mlir::Value lowerPart(mlir::Value x, int64_t offset = 0);
  mlir::Value upperPart(mlir::Value x, int64_t offset = 0);
  mlir::Value identityLike(mlir::Value x);
  mlir::Value diagonalOf(mlir::Value x);
  /// The matrix like `like` with the given diagonal, at the offset below the main one.
  mlir::Value diagonal(mlir::Value vector, mlir::Value like, int64_t offset = 0);

  //===- Parts ------------------------------------------------------------------===//

  mlir::Value slice(mlir::Value x, int64_t dim, int64_t begin, int64_t size);
  /// For static arrays: zeros, or the given number, appended to x up to a shape.
  mlir::Value padded(mlir::Value x, llvm::ArrayRef<int64_t> shape, double value = 0, llvm::ArrayRef<int64_t> low = {});
  /// The elements at `start` along `dim`: as many as `count`, or, without it, one, whose dimension is dropped.
  mlir::Value at(mlir::Value x, int64_t dim, mlir::Value start);
  mlir::Value at(mlir::Value x, int64_t dim, mlir::Value start, int64_t count);
  mlir::Value row(mlir::Value x, mlir::Value i) { return at(x, 0, i); }
  mlir::Value column(mlir::Value x, mlir::Value i) { return at(x, 1, i); }
  mlir::Value element(mlir::Value x, mlir::Value i) { return at(x, 0, i); }
  mlir::Value element(mlir::Value x, mlir::Value i, mlir::Value j) { return at(at(x, 0, i), 0, j); }
  /// x[indices] along a dimension.
  mlir::Value take(mlir::Value x, int64_t dim, mlir::Value places);
  /// x with another value at one index along a dimension.
  mlir::Value with(mlir::Value x, int64_t dim, mlir::Value i, mlir::Value part);
  mlir::Value exchanged(mlir::Value x, int64_t dim, mlir::Value i, mlir::Value j);
  mlir::Value joined(mlir::ValueRange parts, int64_t dim);

  //===- Sums and products --------------------------------------------------------===//

  mlir::Value sum(mlir::Value x);
  mlir::Value maximum(mlir::Value x);
  mlir::Value any(mlir::Value p);
  mlir::Value all(mlir::Value p) { return negation(any(negation(p))); }
  /// The dot product along a dimension of each operand, without conjugation.
  mlir::Value dot(mlir::Value x, int64_t dimOfX, mlir::Value y, int64_t dimOfY);
  mlir::Value product(mlir::Value x, mlir::Value y) { return dot(x, typeOf(x).getRank() - 1, y, 0); }
  /// The columns of x times y's elements in rows.
  mlir::Value outer(mlir::Value x, mlir::Value y, mlir::Value like);
  /// The root of a sum of squared magnitudes, without overflow or underflow.
  mlir::Value norm(mlir::Value x);
  /// `x` if all elements of `checked` are finite, otherwise NaN.
  mlir::Value nanUnlessFinite(mlir::Value x, mlir::Value isFinite);
  mlir::Value isAllFinite(mlir::Value x);
  /// The permutation that sorts a vector.
  mlir::Value orderOf(mlir::Value keys);

  //===- Loops --------------------------------------------------------------------===//
  // Values from outside that bodies use are passed to them.

  using Step = llvm::function_ref<Values(Algebra &, mlir::ValueRange carries, mlir::ValueRange slices)>;
  using Predicate = llvm::function_ref<mlir::Value(Algebra &, mlir::ValueRange carries)>;
  using Update = llvm::function_ref<Values(Algebra &, mlir::ValueRange carries)>;

  /// A scan over the slices of `xs`; `step` returns the next carries, followed by the values to stack.
  Values scan(mlir::ValueRange inits, mlir::ValueRange xs, Step step, bool reverse = false);
  /// Iterates as long as the predicate holds.
  Values repeat(mlir::ValueRange inits, Predicate predicate, Update update);
  /// The results, of these types, of the branch that an index selects.
  Values branch(mlir::Value index, mlir::TypeRange types, unsigned count,
                llvm::function_ref<Values(Algebra &, unsigned number)> emit);
  /// Makes values from outside that a body uses its last arguments, and returns them.
  static Values capture(Body &body);
};

/// The transpose of a vector or matrix of real rotations that act on neighbouring rows; see Rotations.cpp.
mlir::Value rotateRows(Algebra &e, mlir::Value x, mlir::Value c, mlir::Value s);

} // namespace dovetail

#endif // DOVETAIL_LINALG_ALGEBRA_H
