// Parts of a loop, and of ops around it, that do not depend on each other.
#ifndef DOVETAIL_LOWERING_DIVISION_H
#define DOVETAIL_LOWERING_DIVISION_H

#include "dialects/Control.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dovetail {

/// Marks a module in which every loop that can be divided is, also if that takes longer; for tests of divided loops.
constexpr llvm::StringLiteral kDivideLoops = "dovetail.divide_loops";

/// Marks a loop without carries whose iterations are the workgroups of a dispatch. With the mark of a kernel, too,
/// these may take any time.
constexpr llvm::StringLiteral kWorkgroups = "dovetail.workgroups";

/// A division of the ops' values into parts along one dimension each, such that a part needs parts alone. The other
/// values are the same for all parts.
class Division {
public:
  /// A division of a loop or branch, for now. With `mayAdd`, parts of a kernel may also have terms of its results,
  /// which are then added: what its ops reduce by sums along the dimension that is divided.
  explicit Division(mlir::Operation *loop, bool mayAdd = false);

  /// Divides a result of the loop along a dimension, and what has to be then. Returns false if that is not possible.
  bool find(mlir::Value seed, int64_t dim);
  /// Adds elementwise ops whose operands or results are divided, as far as that is possible.
  void grow();

  /// The dimension along which a value is divided; -1 if it is not.
  int64_t dimOf(mlir::Value value) const {
    auto found = dims.find(value);
    return found == dims.end() ? -1 : found->second;
  }
  /// The number of parts divides this.
  int64_t extent() const { return size; }
  /// Whether each part computes all of an op's result, of which it then takes its part.
  bool isWhole(mlir::Operation *op) const { return whole.contains(op); }
  bool hasWhole() const { return !whole.empty(); }
  /// The elements of the terms that each part has.
  int64_t numTermElements() const;
  /// Whether each part of what comes from outside, or goes there, is one piece of memory.
  bool isByLeadingDims() const;

  /// Emits a loop over `numParts` parts, which replaces nothing yet.
  mlir::Operation *emit(int64_t numParts);
  /// Puts that loop in place of the ops, or one whose results are reshaped to its results.
  void replace(mlir::Operation *parts) { replace(parts->getResults()); }
  void replace(mlir::ValueRange stacked);

private:
  /// What flows from a value into another, which has `shift` more dimensions before the divided one.
  struct Edge {
    mlir::Value other;
    int64_t shift;
  };

  void addEdges(mlir::Operation *op);
  bool isInside(mlir::Operation *op) const;
  bool isInside(mlir::Value value) const;
  /// The dimension along which an op takes parts of an operand; -1 if it takes all of it.
  int64_t dimOf(mlir::OpOperand &operand) const;
  bool mark(mlir::Value value, int64_t dim);
  bool markAll();
  /// Marks a value and what has to be divided then; leaves all as it was if that is not possible.
  bool divide(mlir::Value value, int64_t dim);
  bool relate(mlir::Operation *op);
  bool computesAll(mlir::Operation *op);
  bool add(mlir::Operation *op);
  bool dependsOnOps(mlir::Operation *op, llvm::SmallPtrSetImpl<mlir::Operation *> &seen) const;
  bool areResultsKept() const;

  /// A result of a kernel that is the sum of terms, one for each part, and of what the kernel gets; null if that is not
  /// added.
  struct Sum {
    mlir::Value term, start;
    /// The ops that add and reshape, which no part has.
    llvm::SmallVector<mlir::Operation *> ops;
  };
  bool makeTerm(mlir::Operation *op);
  mlir::Value added(Emitter &e, mlir::Value terms, const Sum &sum) const;

  /// The type of a part of a value that is divided along a dimension.
  mlir::Type partType(mlir::Value value, int64_t dim) const;
  void emitOp(Emitter &e, mlir::Operation &op);
  Body emitBody(Emitter &e, mlir::Region &source, llvm::ArrayRef<mlir::Operation *> constants);
  llvm::SmallVector<mlir::Operation *> hoistedIn(mlir::Operation *op) const;
  llvm::SmallVector<mlir::Operation *> inOrder() const;
  void collectOutside(llvm::ArrayRef<mlir::Operation *> sorted);
  mlir::Value partsOf(Emitter &e, mlir::Value array, int64_t dim) const;
  mlir::Value joined(Emitter &e, mlir::Value parts, mlir::RankedTensorType type, int64_t dim) const;

  mlir::Block *block;
  bool mayAdd;
  /// Whether the extent is known, and does not become smaller.
  bool isFound = false;
  int64_t size = 0, numParts = 0;
  int64_t sizeOfPart(mlir::RankedTensorType type, int64_t dim) const { return type.getDimSize(dim) / numParts; }
  /// By the results of the kernel.
  llvm::MapVector<mlir::Value, Sum> sums;
  llvm::DenseMap<mlir::Value, int64_t> dims;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Edge>> edges;
  /// The ops that are divided, of one block.
  llvm::SetVector<mlir::Operation *> ops;
  /// Constants of bodies whose parts differ.
  llvm::SetVector<mlir::Operation *> hoisted;
  /// Ops on what is not divided whose results are, although they cannot be divided.
  llvm::SetVector<mlir::Operation *> whole;
  /// The number of a part, in the loop over these.
  mlir::Value partNumber;
  llvm::SmallVector<mlir::Value> pending, results;
  /// The factors along which ops are divided.
  llvm::DenseMap<mlir::Operation *, int64_t> factors;
  llvm::DenseMap<mlir::Value, mlir::Value> parts;
  /// Values from outside, by the dimension along which they are divided: one may also be needed as a whole.
  llvm::MapVector<std::pair<mlir::Value, int64_t>, mlir::Value> outside;
};

} // namespace dovetail

#endif // DOVETAIL_LOWERING_DIVISION_H
