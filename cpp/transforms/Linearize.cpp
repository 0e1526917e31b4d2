// Linearization as one step, for callers that need its functions at once.
#include "Linearize.h"
#include "CallGraph.h"
#include "Expand.h"
#include "Functions.h"

using namespace mlir;

namespace dovetail {

static LogicalResult expandCalleesOf(func::FuncOp function, Functions &functions) {
  FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(function);
  if (failed(order))
    return failure();
  for (func::FuncOp callee : *order)
    if (failed(expandRequests(callee, functions)))
      return failure();
  return success();
}

FailureOr<Linearization> linearize(func::FuncOp function, ArrayRef<int64_t> wrt, bool transpose) {
  Functions functions(function->getParentOfType<ModuleOp>());
  FailureOr<llvm::SmallBitVector> mask = argumentMask(function, wrt);
  if (failed(mask) || failed(expandCalleesOf(function, functions)))
    return failure();
  auto jvp = functions.jvp(function, *mask);
  if (failed(jvp))
    return failure();
  unsigned numPrimals = function.getNumArguments(), numResults = function.getNumResults();
  llvm::SmallBitVector unknown(numPrimals + wrt.size());
  unknown.set(numPrimals, unknown.size());
  auto split = functions.split(jvp->function, unknown);
  if (failed(split))
    return failure();

  Linearization result;
  result.known = split->known;
  result.tangent = split->rest;
  // Tangents that turned out known are zero.
  result.active = jvp->activeResults;
  unsigned position = 0;
  for (unsigned i : jvp->activeResults.set_bits())
    if (!split->unknownResults.test(numResults + position++))
      result.active.reset(i);
  if (!transpose)
    return result;
  llvm::SmallBitVector linear(split->rest.getNumArguments());
  linear.set(linear.size() - wrt.size(), linear.size());
  auto transposed = functions.transpose(split->rest, linear, llvm::SmallBitVector(split->rest.getNumResults(), true));
  if (failed(transposed))
    return failure();
  result.cotangent = transposed->function;
  result.nonzero = transposed->nonzero;
  return result;
}

FailureOr<llvm::SmallBitVector> batchedResults(func::FuncOp function, ArrayRef<int64_t> dims, BatchSize size) {
  Functions functions(function->getParentOfType<ModuleOp>());
  if (failed(expandCalleesOf(function, functions)))
    return failure();
  auto batched = functions.batch(function, dims, size);
  if (failed(batched))
    return failure();
  llvm::SmallBitVector mask(batched->resultDims.size());
  for (auto [i, dim] : llvm::enumerate(batched->resultDims))
    mask[i] = dim != kUnbatched;
  return mask;
}

} // namespace dovetail
