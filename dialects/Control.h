// Control flow: loops, branches, and the shared parts of their rules.
#ifndef DOVETAIL_CONTROL_H
#define DOVETAIL_CONTROL_H

#include "Dialect.h"

namespace dovetail {

/// How a value that flows into a body, or out of it, becomes another.
enum class Flow {
  /// It is the other.
  Same,
  /// The other is a slice of it along its leading dimension.
  Slice,
  /// It is a slice of the other along the other's leading dimension.
  Stack,
};

} // namespace dovetail

#include "dialects/ControlInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Control.h.inc"

namespace dovetail {

/// Marks a loop over a batch whose body also runs for elements that have finished.
constexpr llvm::StringLiteral kRunsForAll = "dovetail.runs_for_all";

/// Marks a loop over a batch of which each element runs as long as its predicate holds, which is carried: an iteration
/// changes nothing of the others, and none runs again. Each part of the batch may then run on its own, as long as it
/// has to. What is carried in addition does not keep to that.
constexpr llvm::StringLiteral kMasked = "dovetail.masked";

/// Calls `visit` with each operand of an op and of the terminators of its bodies.
void forEachSource(mlir::Operation *op, llvm::function_ref<void(mlir::OpOperand &)> visit);

/// Ends the body with a `yield` of its results and gives it to the region of an op.
void fill(mlir::Region &region, Body body);

/// A copy of a body that belongs to an op.
Body copyOf(mlir::Region &source);

/// An emitter at the end of a body, for the same batch as `e`.
class BodyEmitter : public Emitter {
public:
  BodyEmitter(Emitter &e, const Body &body) : Emitter(atEnd, e.loc, &e.transforms()), atEnd(body.builder()) {
    batchSize = e.batchSize;
  }
  /// Takes the size of the batch from one of the body's arguments, if it is not static.
  void findBatchSize(mlir::ValueRange arguments, llvm::ArrayRef<int64_t> dims);

private:
  mlir::OpBuilder atEnd;
};

/// What `ThreadOpInterface` calls with a body and the values that are threaded through it, or that it sees.
using ThroughBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Block &, mlir::ValueRange)>;
using SeenByBody = llvm::function_ref<void(mlir::Block &, mlir::ValueRange)>;

/// Adds arguments of the values' types to a block, the first at `position`.
llvm::SmallVector<mlir::Value> addArguments(mlir::Block &block, unsigned position, mlir::ValueRange values);
/// Threads values through a body, as the arguments and the results that begin at these indices.
void threadBody(mlir::Region &body, unsigned argument, unsigned result, mlir::ValueRange values, ThroughBody through);
/// Replaces an op by one with `count` additional results, the first at `position`, which are returned.
llvm::SmallVector<mlir::Value> replaceThreaded(mlir::Operation *op, mlir::Operation *made, unsigned position,
                                               unsigned count);

//===- Lists of values in groups ------------------------------------------------===//

llvm::SmallVector<mlir::Value> pick(mlir::ValueRange values, llvm::ArrayRef<unsigned> numbers);
/// The values that are marked.
llvm::SmallVector<mlir::Value> pick(mlir::ValueRange values, const llvm::SmallBitVector &mask);
/// Sets the marked ones of `all` to `some`.
void scatterTo(mlir::ValueRange some, const llvm::SmallBitVector &mask, llvm::MutableArrayRef<mlir::Value> all);
/// Marks the values that are not null.
llvm::SmallBitVector present(mlir::ValueRange values);
llvm::SmallVector<mlir::Value> presentOf(mlir::ValueRange values);
/// The bits `from` to `from + count`.
llvm::SmallBitVector bitsOf(const llvm::SmallBitVector &mask, unsigned from, unsigned count);

/// Grows `mask` until `step` marks no new values: `step` returns those of the first values that the carries of the next
/// iteration mark.
llvm::LogicalResult
growCarries(llvm::SmallBitVector &mask,
            llvm::function_ref<llvm::FailureOr<llvm::SmallBitVector>(const llvm::SmallBitVector &)> step);

//===- Loops ----------------------------------------------------------------------===//

/// The forward-mode derivative of a loop whose operands come in groups, carries first.
struct LoopJvp {
  Body body;
  /// The operands by group, primals then tangents.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> operands;
  /// The index, among the body's arguments, of argument i of the loop's regions.
  llvm::SmallVector<unsigned> positions;

  /// Unpacks the results of the new loop.
  void unpack(mlir::ValueRange values, llvm::SmallVectorImpl<mlir::Value> &results,
              llvm::SmallVectorImpl<mlir::Value> &resultTangents) const;

  llvm::SmallVector<unsigned> resultOrder;
  llvm::SmallBitVector activeResults;
};
llvm::FailureOr<LoopJvp> jvpOfLoop(Emitter &e, mlir::Region &body, llvm::ArrayRef<unsigned> groupSizes,
                                   mlir::ValueRange primals, llvm::ArrayRef<mlir::Value> tangents);

/// The attribute of a loop of a program that is looked at: the number of steps that its iterations have once it runs.
inline constexpr llvm::StringLiteral kUnroll = "unroll";

/// A loop with a given number of iterations, in the form of `ScanOp`.
struct Loop {
  llvm::SmallVector<mlir::Value> inits, xs, consts;
  mlir::Value count;
  int64_t length;
  bool reverse;
  mlir::Attribute unroll;

  /// The loop with that body; its results.
  mlir::ValueRange emit(Emitter &e, Body body) const;
};

/// The body of a loop that runs for more iterations than it counts: in the additional ones, its carries stay unchanged,
/// and it stacks zeros. It takes the iteration number after the slices, and the count after the constants.
Body masked(Emitter &e, mlir::Region &source, unsigned numInits, unsigned numXs,
            const llvm::SmallBitVector &tangents = {});

/// The values of its body that a loop can save, if the body takes carries and slices before constants. All arguments
/// except the carries are available anyway; only arrays of the same size in every iteration can be stacked.
Keeping keepingOfLoop(unsigned numCarries, unsigned numXs, unsigned count);
/// Emits the part of a loop that does not need the operands in `unknown`, which for its carries holds in every
/// iteration, then the part that does, from those of its body; appends one entry per result.
llvm::LogicalResult splitLoop(Emitter &e, const Loop &loop, FunctionTransforms::Split<Body> parts,
                              const llvm::SmallBitVector &unknown, llvm::SmallVectorImpl<mlir::Value> &results);

/// The sizes of the `?`s of some values of a body (or the values themselves, if they are sizes), as a body with the
/// same arguments, except that arguments marked in `absent` are replaced by their sizes, at the end.
llvm::FailureOr<Body> sizesIn(Emitter &e, Body &body, mlir::ValueRange values, const llvm::SmallBitVector &absent);
/// Sizes of the `?`s of an operand, or of a slice of it along its leading dimension.
llvm::SmallVector<mlir::Value> sizesOfSlice(Emitter &e, mlir::Value operand, bool isSliced);
/// The size of a `?` in a body's result, computed from those arguments that are not arrays, followed by the sizes of
/// all `?`s of those that are; null after an error.
mlir::Value sizeOfBodyResult(Emitter &e, mlir::Operation *op, mlir::Region &body, mlir::ValueRange arguments,
                             unsigned result, int64_t dimension);

/// `x` where `p` holds, whose dimensions are the leading ones of `x`; elsewhere `y`.
mlir::Value selectLeading(Emitter &e, mlir::Value p, mlir::Value x, mlir::Value y);

/// Checks that a body may run more often than the program states, for elements of a batch that do not take part in it.
llvm::LogicalResult checkRunsForAll(Emitter &e, mlir::Operation *op, llvm::StringRef what, mlir::Region &body);

/// The largest of a batch's iteration counts; 0 for an empty batch.
mlir::Value mostSteps(Emitter &e, mlir::Value counts);

} // namespace dovetail

#endif // DOVETAIL_CONTROL_H
