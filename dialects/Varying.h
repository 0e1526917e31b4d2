// The manual axes of a mesh along which values vary, as stated by ops with bodies and callees.
#ifndef DOVETAIL_VARYING_H
#define DOVETAIL_VARYING_H

#include "Dialect.h"

namespace dovetail {

/// Analyzes functions of parts of arrays and, unless it only tries, rewrites them: `vary` is inserted where a value
/// that is the same along an axis meets one that varies.
class VaryingAnalysis {
public:
  virtual ~VaryingAnalysis() = default;

  /// The axes along which the results of a body vary, given those of its arguments. Changes nothing.
  virtual llvm::FailureOr<llvm::SmallVector<AxisSet>> analyze(mlir::Region &body,
                                                              llvm::ArrayRef<AxisSet> arguments) = 0;
  /// The same, and rewrites the body such that its results vary at least along the axes in `results`.
  virtual llvm::FailureOr<llvm::SmallVector<AxisSet>> rewrite(mlir::Region &body, llvm::ArrayRef<AxisSet> arguments,
                                                              llvm::ArrayRef<AxisSet> results) = 0;
  /// The same for the function that an attribute of the op names; then the attribute names the rewritten one. `results`
  /// may be empty.
  virtual llvm::FailureOr<llvm::SmallVector<AxisSet>> rewriteCallee(mlir::Operation *op, mlir::StringAttr attribute,
                                                                    llvm::ArrayRef<AxisSet> arguments,
                                                                    llvm::ArrayRef<AxisSet> results = {}) = 0;
  /// Calls `visit` where the axes are manual: with values that vary along them distinguished, or, if the op that binds
  /// them is not `checked`, not distinguished.
  virtual llvm::LogicalResult within(mlir::ArrayAttr axes, bool checked,
                                     llvm::function_ref<llvm::LogicalResult()> visit) = 0;
  /// The axes as a set; new ones get numbers.
  virtual AxisSet setOf(mlir::ArrayAttr axes) = 0;
  /// The axes along which the cotangent of a value varies.
  virtual AxisSet ofCotangent(AxisSet ofValue) { return ofValue; }
};

/// The names of the axes in a set, whose numbers are their places in `axes`.
llvm::SmallVector<mlir::StringAttr> namesIn(AxisSet set, llvm::ArrayRef<mlir::StringAttr> axes);

} // namespace dovetail

#endif // DOVETAIL_VARYING_H
