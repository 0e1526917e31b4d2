// The programs of a grid at once: the values of all of them, and the rules of the ops between them.
#ifndef DOVETAIL_VECTORIZING_H
#define DOVETAIL_VECTORIZING_H

#include "GridDependences.h"
#include "Shape.h"

namespace dovetail {

/// How a value of one program is part of a value of all programs.
struct Lanes {
  /// The dimension along which programs differ, or kUnbatched if they do not.
  int64_t dim = kUnbatched;
  /// Whether the programs' values are one after the other along that dimension, instead of along a new one.
  bool isJoined = false;

  explicit operator bool() const { return dim != kUnbatched; }
  bool operator==(const Lanes &other) const { return dim == other.dim && isJoined == other.isJoined; }
};

/// The number of elements that an array of all programs may have in any case.
constexpr int64_t kAlwaysKept = 1 << 24;

class Vectorizing {
public:
  Vectorizing(Emitter &e, ScanOp loop) : transforms(e.transforms()), loop(loop), size(loop.getLength()) {}

  llvm::LogicalResult run(Emitter &e, llvm::SmallVectorImpl<mlir::Value> &results);

private:
  llvm::LogicalResult findCounter();
  //===- Values -------------------------------------------------------------------------===//

  mlir::Value valueAs(Emitter &e, mlir::Value value, Lanes to);
  mlir::RankedTensorType typeAs(mlir::Type type, Lanes lanes);
  void set(mlir::Value value, mlir::Value as, Lanes is = {}) {
    made[value] = as;
    if (is)
      lanes[value] = is;
    else
      lanes.erase(value);
  }
  /// Whether arrays of all programs take much more memory than the loop does.
  bool isTooLarge(mlir::Operation &op);
  bool isVarying(mlir::Operation &op) {
    return llvm::any_of(op.getOperands(),
                        [&](mlir::Value operand) { return static_cast<bool>(lanes.lookup(operand)); });
  }
  bool touchesPassed(mlir::Operation &op) {
    return llvm::any_of(op.getOperands(), [&](mlir::Value operand) { return passed->contains(operand); });
  }
  /// How much an index grows from program to program, if that is known.
  std::optional<int64_t> strideOf(const AffineIndex &index);
  /// The value of a symbol in the first program.
  mlir::Value firstOf(Emitter &e, mlir::Value symbol);

  //===- Ops --------------------------------------------------------------------------------===//

  llvm::LogicalResult visit(Emitter &e, mlir::Block &block);
  llvm::LogicalResult visit(Emitter &e, mlir::Operation &op);
  /// With `isSum`, the programs' results are added up.
  bool join(Emitter &e, mlir::Operation &op, bool isSum = false);
  llvm::LogicalResult batch(Emitter &e, mlir::Operation &op);
  bool joinWindows(Emitter &e, const Windows &windows, llvm::ArrayRef<AffineIndex> indices, mlir::Value result);
  mlir::Value startsOfFirst(Emitter &e, const Windows &windows, llvm::ArrayRef<AffineIndex> indices);
  bool visitWindows(Emitter &e, const Windows &windows);
  mlir::Value addWindows(Emitter &e, const AddedWindow &added, mlir::Value x);
  bool visitSlice(Emitter &e, SliceOp op);
  llvm::LogicalResult visitLoop(Emitter &e, ScanOp op);
  llvm::LogicalResult visitBranches(Emitter &e, CaseOp op);

  /// The integers of a body that programs count differently, and the arguments that have those of the first program.
  llvm::SmallVector<unsigned> countedArguments(mlir::Block &block);

  FunctionTransforms &transforms;
  ScanOp loop;
  int64_t size, first = 0;
  mlir::BlockArgument counter;
  llvm::DenseMap<mlir::Value, mlir::Value> made, firsts;
  llvm::DenseMap<mlir::Value, Lanes> lanes;
  std::optional<PassedArrays> passed;
  /// What programs add to a carry, and the sums of all of them.
  llvm::DenseMap<mlir::Value, mlir::Value> sums;
  /// What programs only add to windows of carries, by what they return for these.
  llvm::DenseMap<mlir::Value, AddedWindow> addedWindows;
};

} // namespace dovetail

#endif // DOVETAIL_VECTORIZING_H
