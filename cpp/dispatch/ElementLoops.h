// Loops over the elements that a structured op on buffers computes, and the code of one.
#ifndef DOVETAIL_DISPATCH_ELEMENTLOOPS_H
#define DOVETAIL_DISPATCH_ELEMENTLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace dovetail {

/// The layout of an operand's elements along a loop.
enum class Access { Invariant, Contiguous, Strided };

/// What is common to the ways to run an op: how its operands are accessed, and the code of an element, or of a vector
/// of them along the inner loop.
class ElementLoops {
public:
  ElementLoops(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);
  virtual ~ElementLoops() = default;

protected:
  using Values = llvm::SmallVector<mlir::Value>;

  mlir::Value index(int64_t value);
  mlir::Value sizeOf(int64_t dim);

  Access access(mlir::OpOperand &operand, int64_t dim);
  /// The loop with the highest score, of which that of an operand is `scoreOf`; the last of several, and -1 if there
  /// are no loops.
  int64_t bestLoop(llvm::function_ref<int64_t(mlir::OpOperand &, Access)> scoreOf);

  /// The op that adds an element to an accumulator, if it is one that has a neutral element; null otherwise.
  mlir::Operation *combiner(unsigned result);

  /// A loop that carries values; `body` gets its counter and them, and returns the next ones.
  Values loop(mlir::Value from, mlir::Value to, mlir::Value step, mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);

  mlir::Value broadcast(mlir::Value scalar, int64_t lanes);
  mlir::Value load(mlir::OpOperand &operand, int64_t lanes = 1);
  void store(mlir::Value value, mlir::OpOperand &init);

  /// Whether the operand's accumulator stays in registers: a fused op may also write elements along the loop.
  virtual bool isKept(mlir::OpOperand &init) = 0;

  /// Computes elements from the accumulators in `kept` and from memory. Returns the new accumulators; stores the rest.
  Values element(mlir::ValueRange kept, int64_t lanes = 1);

  mlir::ImplicitLocOpBuilder b;
  mlir::linalg::LinalgOp op;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
  /// The counters of the loops.
  Values ivs;
  /// The loop of vectors; -1 if there is none.
  int64_t inner = -1;

private:
  Values place(mlir::OpOperand &operand);
  mlir::Value counter(int64_t dim, int64_t lanes);
  void cloneOp(mlir::Operation &each, int64_t lanes, mlir::IRMapping &values);
};

} // namespace dovetail

#endif // DOVETAIL_DISPATCH_ELEMENTLOOPS_H
