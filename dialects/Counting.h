// Integers of an array that count along one of its dimensions, as the indices of a batch do.
#ifndef DOVETAIL_COUNTING_H
#define DOVETAIL_COUNTING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace dovetail {

/// Integers that are `first` plus the index along a dimension, or `first` everywhere if there is no dimension. A bool
/// is 0 or 1.
struct Count {
  int64_t first = 0;
  std::optional<int64_t> dim = std::nullopt;
  /// The highest of them.
  int64_t last = 0;

  static Count everywhere(int64_t number) { return {number, std::nullopt, number}; }
  /// Those that begin at `first` along a dimension of this size.
  static Count along(int64_t dim, int64_t first, int64_t size) {
    return size > 1 ? Count{first, dim, first + size - 1} : everywhere(first);
  }
};

/// Where an array is read: for each dimension, at an index along it, or everywhere.
using Places = llvm::ArrayRef<std::optional<int64_t>>;

/// What is known of the integers that ops compute, by the rules of these (`CountOpInterface`).
class Counting {
public:
  std::optional<Count> of(mlir::Value value, Places places);
  /// The same of an operand whose dimension i is dimension `dims[i]` of the result, for dimensions of the result.
  std::optional<Count> through(mlir::Value x, llvm::ArrayRef<int64_t> dims, Places places);
  /// What x + sign * y is.
  std::optional<Count> ofSum(mlir::Value x, mlir::Value y, int64_t sign, Places places);

private:
  std::optional<Count> ofConstant(mlir::DenseIntElementsAttr elements, Places places);

  /// The number of ops that are still looked at.
  int64_t remaining = 64;
};

/// The dimension of `indices`, other than the last, along which the integers at `position` of the last dimension are
/// 0, 1, 2, …, and the same along all others; nothing if this is not known.
std::optional<int64_t> countedDim(mlir::Value indices, int64_t position);

} // namespace dovetail

#endif // DOVETAIL_COUNTING_H
