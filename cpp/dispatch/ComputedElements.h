// Elements of arrays that the code of an executable computes from those of other arrays, instead of reading them.
#ifndef DOVETAIL_DISPATCH_COMPUTEDELEMENTS_H
#define DOVETAIL_DISPATCH_COMPUTEDELEMENTS_H

#include "Executable.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace dovetail {

/// Elements of outer arrays inside an executable. What elementwise ops, reshapes and slices compute of other arrays is
/// computed there, an element at a time, from elements of these, which the executable gets in its place.
class ComputedElements {
public:
  /// `changed` is the array that the executable overwrites: what may be in its memory is not read.
  ComputedElements(mlir::ImplicitLocOpBuilder &outer, Executable &executable, mlir::Value changed)
      : outer(outer), executable(executable), changed(changed) {}

  /// Whether elements of an array can be computed, in a few steps.
  bool canCompute(mlir::Value array) { return costOf(array).has_value(); }

  /// States where the function begins whose code computes elements: there, it gets what it reads.
  void setEntry(mlir::Block *block) { entry = block; }

  /// The element with that number, in row-major order; the insertion point is that of all elements of this object, or
  /// dominated by it.
  mlir::Value element(mlir::ImplicitLocOpBuilder &b, mlir::Value array, mlir::Value number);

private:
  using Place = llvm::SmallVector<mlir::OpFoldResult>;
  /// The scalar ops and the reads of arrays that an element takes.
  struct Cost {
    int64_t steps = 0, reads = 0;
  };

  std::optional<Cost> costOf(mlir::Value array);
  std::optional<Cost> findCost(mlir::Value array);
  std::optional<Cost> costOfOp(mlir::linalg::GenericOp op);
  /// The same for an element that is computed, or else read.
  std::optional<Cost> costOfUse(mlir::Value array);
  bool canRead(mlir::Value array) const;

  mlir::Value at(mlir::ImplicitLocOpBuilder &b, mlir::Value array, const Place &place);
  mlir::Value compute(mlir::ImplicitLocOpBuilder &b, mlir::Value array, const Place &place);
  mlir::Value computeOp(mlir::ImplicitLocOpBuilder &b, mlir::linalg::GenericOp op, const Place &place);
  mlir::Value read(mlir::ImplicitLocOpBuilder &b, mlir::Value array, const Place &place);
  mlir::Value numberFromOutside(mlir::ImplicitLocOpBuilder &b, mlir::Value number);

  mlir::ImplicitLocOpBuilder &outer;
  Executable &executable;
  mlir::Value changed;
  mlir::Block *entry = nullptr;
  llvm::DenseMap<mlir::Value, std::optional<Cost>> costs;
  /// The memory of what is read, and numbers, inside the executable.
  llvm::DenseMap<mlir::Value, mlir::Value> inside;
  /// What has been computed, by its place.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Place, mlir::Value>>> known;
};

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_COMPUTEDELEMENTS_H
