// Factorizations of matrices and solutions of linear equations.
#ifndef DOVETAIL_LINALG_H
#define DOVETAIL_LINALG_H

#include "Alone.h"
#include "Dialect.h"
#include "HostFunction.h"

namespace dovetail {

/// The matrix dimensions of a result.
struct MatrixShape {
  /// Its elements: those of the operand, their real or complex type, or i32.
  enum Elements { Same, Real, Complex, Index };

  /// The dimensions after those of the batch: m and n are the operand's, k is min(m, n), e is max(m - 1, 0).
  const char *dims;
  Elements elements;
};
/// An attribute during inference; text that omits it is completed only later.
inline bool isSet(mlir::BoolAttr attribute, bool otherwise) { return attribute ? attribute.getValue() : otherwise; }

using MatrixShapes = llvm::SmallVector<MatrixShape, 4>;

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Linalg.h.inc"

#endif // DOVETAIL_LINALG_H
