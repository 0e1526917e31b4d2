// The vocabulary of linear algebra rules: an emitter for batches of matrices.
#ifndef DOVETAIL_MATRICES_H
#define DOVETAIL_MATRICES_H

#include "Dialect.h"
#include "Pointwise.h"

namespace dovetail {

/// The last two dimensions are those of a matrix, or the last one that of a vector; the others are a batch. Null is
/// zero.
class Matrices : public Emitter {
public:
  explicit Matrices(const Emitter &e) : Emitter(e) {}

  //===- Products and transposes -------------------------------------------------===//

  mlir::Value dot(mlir::Value x, mlir::Value y);
  mlir::Value transposed(mlir::Value x);
  mlir::Value adjoint(mlir::Value x) { return conj(transposed(x)); }
  /// t v^H x, for the product 1 - v t v^H of the reflections 1 - tau v v^H with the columns of `v`.
  /// With `isAdjoint`, t^H in place of t.
  mlir::Value ofReflections(mlir::Value v, mlir::Value taus, mlir::Value x, bool isAdjoint = false);

  //===- Parts ---------------------------------------------------------------------===//

  /// The elements of `x` whose row compares with their column as in `kept`; zero for others.
  mlir::Value part(mlir::Value x, CompareDirection kept);
  mlir::Value lower(mlir::Value x) { return part(x, CompareDirection::GE); }
  mlir::Value strictlyLower(mlir::Value x) { return part(x, CompareDirection::GT); }
  mlir::Value upper(mlir::Value x) { return part(x, CompareDirection::LE); }
  mlir::Value strictlyUpper(mlir::Value x) { return part(x, CompareDirection::LT); }
  /// True for these elements, with the shape of `x`.
  mlir::Value where(mlir::Value x, CompareDirection kept);
  /// The diagonal of square matrices, as vectors.
  mlir::Value diagonal(mlir::Value x);
  /// 1 on the diagonal, of the type of `x`.
  mlir::Value identity(mlir::Value x);
  /// The Hermitian matrices whose lower triangles are those of `x`.
  mlir::Value hermitian(mlir::Value x);

  //===- Shapes ---------------------------------------------------------------------===//

  /// A size, and its value if it is `?`.
  struct Size {
    int64_t fixed;
    mlir::Value value;
  };
  Size sizeAt(mlir::Value x, int64_t fromEnd);
  Size lesser(Size a, Size b);
  /// `x` cropped to the given numbers of rows and columns, or padded with `value`.
  mlir::Value resized(mlir::Value x, Size rows, Size columns, double value = 0);
  /// Columns from `begin` on, of matrices with known sizes.
  mlir::Value columnsFrom(mlir::Value x, int64_t begin);
  mlir::Value besides(mlir::Value x, mlir::Value y);
  /// Vectors repeated as the rows, or as the columns, of matrices of the shape of `like`.
  mlir::Value asRows(mlir::Value v, mlir::Value like);
  mlir::Value asColumns(mlir::Value v, mlir::Value like);
  /// Numbers, one for each matrix, repeated in the shape of `like`, whose batch they have.
  mlir::Value asMatrices(mlir::Value number, mlir::Value like);
  /// Rows of `x` in the order of a batch of permutations.
  mlir::Value rowsAt(mlir::Value x, mlir::Value permutation);
  mlir::Value columnsAt(mlir::Value x, mlir::Value permutation) {
    return transposed(rowsAt(transposed(x), permutation));
  }

  //===- Numbers --------------------------------------------------------------------===//

  /// 1 / x, and 0 for x = 0: differences of equal eigenvalues, on which differentiable results do not depend.
  mlir::Value inverseOrZero(mlir::Value x);
  /// x converted to the element type of `like`.
  mlir::Value alike(mlir::Value x, mlir::Value like);

  static mlir::RankedTensorType typeOf(mlir::Value x) { return llvm::cast<mlir::RankedTensorType>(x.getType()); }
  static int64_t rankOf(mlir::Value x) { return typeOf(x).getRank(); }
};

} // namespace dovetail

#endif // DOVETAIL_MATRICES_H
