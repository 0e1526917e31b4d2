// Integers that are affine functions of the counters of loops, as starts of windows are.
#ifndef DOVETAIL_AFFINE_H
#define DOVETAIL_AFFINE_H

#include "Emitter.h"

namespace dovetail {

/// constant + sum of coefficient * symbol. Symbols are integer arguments of one element of the block that uses them.
struct AffineIndex {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> terms;

  int64_t coefficientOf(mlir::Value symbol) const;
  AffineIndex &add(const AffineIndex &other, int64_t factor = 1);
  bool operator==(const AffineIndex &other) const;
};

/// The lowest and the highest value of an index; neither is known of most symbols.
struct IndexRange {
  static constexpr int64_t kUnknown = int64_t(1) << 40;
  int64_t lowest = -kUnknown, highest = kUnknown;
};

/// The elements of an integer of rank 0, or of a short vector of them; nothing if one is not known to be affine.
std::optional<llvm::SmallVector<AffineIndex>> affineIndices(mlir::Value value);

/// Returns the range of a symbol: the counter of a loop of known length, or an argument whose operand has a range.
IndexRange rangeOf(mlir::Value symbol);
IndexRange rangeOf(const AffineIndex &index);

/// The number that an array of one element has for all values of the symbols, if it is known: an index, or a
/// comparison.
std::optional<int64_t> decidedNumber(mlir::Value value);

/// The operand of an op with bodies that an argument of one of them always equals, or null.
mlir::Value passedAs(mlir::BlockArgument argument);

/// A vector of indices of an integer type: `valueOf` has the values of the symbols, integers of rank 0.
mlir::Value emitIndices(Emitter &e, llvm::ArrayRef<AffineIndex> indices, mlir::Type element,
                        llvm::function_ref<mlir::Value(mlir::Value)> valueOf);

} // namespace dovetail

#endif // DOVETAIL_AFFINE_H
