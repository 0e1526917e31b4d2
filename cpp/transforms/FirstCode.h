// Finds the least code of elements of values, as passes do that look for the first op with a fault.
#ifndef DOVETAIL_TRANSFORMS_FIRSTCODE_H
#define DOVETAIL_TRANSFORMS_FIRSTCODE_H

#include "dialects/Dialect.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

namespace dovetail {

/// The values to detect, in the order of the offset that they add to twice an op's number.
enum class Unwanted { NaN, Infinity };

/// Codes of elements, which are numbers of ops in order of execution, since the last op with regions.
class FirstCode {
public:
  /// The code for no op.
  static constexpr int32_t kNone = std::numeric_limits<int32_t>::max();

  /// Adds an array of codes of the elements of an op's result; null for none.
  void add(mlir::Operation *op, mlir::Value result, mlir::Value codes);
  /// The least code so far, null if there are none. Begins anew.
  mlir::Value take(Emitter &e);
  /// An array without codes.
  static mlir::Value none(Emitter &e, mlir::ValueRange sizes, llvm::ArrayRef<int64_t> shape);

  /// True where an element of an array has the value; null if none can have it.
  mlir::Value has(Emitter &e, mlir::Value array, Unwanted kind);
  /// True where an element of an op's result has the value and, if it is pointwise, no operand does.
  mlir::Value makes(Emitter &e, mlir::Operation *op, mlir::Value result, Unwanted kind);

private:
  /// Groups values of one shape that are computed from each other.
  llvm::EquivalenceClasses<void *> groups;
  /// The codes of one value.
  llvm::MapVector<void *, llvm::SmallVector<mlir::Value>> codes;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> known;
};

/// Whether the elements of a value may be NaN or infinite.
bool hasFloats(mlir::Value value);

/// Whether a NaN or infinity in the op's results can only come from its operands or from the program's text.
bool onlyHandsOn(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_FIRSTCODE_H
