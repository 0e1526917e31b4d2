// Loops over the elements that a structured op on buffers computes, and the code of one.
#include "ElementLoops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dovetail {

ElementLoops::ElementLoops(RewriterBase &rewriter, linalg::LinalgOp op) : b(op.getLoc(), rewriter), op(op) {
  for (Range range : op.createLoopRanges(rewriter, op.getLoc()))
    sizes.push_back(range.size);
  ivs.resize(sizes.size());
}

Value ElementLoops::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value ElementLoops::sizeOf(int64_t dim) { return getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[dim]); }

Access ElementLoops::access(OpOperand &operand, int64_t dim) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = type ? op.getMatchingIndexingMap(&operand) : AffineMap();
  if (!type || !map.isFunctionOfDim(dim))
    return Access::Invariant;
  SmallVector<int64_t> strides;
  int64_t offset;
  // Nothing is along dimensions of size 1.
  while (map.getNumResults() > 1 && type.getDimSize(map.getNumResults() - 1) == 1 &&
         !map.getResults().back().isFunctionOfDim(dim))
    map = map.dropResult(map.getNumResults() - 1);
  int64_t last = map.getNumResults() - 1;
  bool isOnlyLast = map.getResults().back() == b.getAffineDimExpr(dim) && !map.dropResult(last).isFunctionOfDim(dim);
  return isOnlyLast && succeeded(type.getStridesAndOffset(strides, offset)) && strides[last] == 1 ? Access::Contiguous
                                                                                                  : Access::Strided;
}

int64_t ElementLoops::bestLoop(function_ref<int64_t(OpOperand &, Access)> scoreOf) {
  int64_t best = -1, bestScore = 0;
  for (int64_t d = 0, count = sizes.size(); d < count; ++d) {
    // A loop of one iteration is chosen only if there is no other.
    int64_t score = isConstantIntValue(sizes[d], 1) ? -4 * int64_t(op->getNumOperands()) : 0;
    for (OpOperand &operand : op->getOpOperands())
      score += scoreOf(operand, access(operand, d));
    if (best < 0 || score >= bestScore) {
      best = d;
      bestScore = score;
    }
  }
  return best;
}

Operation *ElementLoops::combiner(unsigned result) {
  SmallVector<Operation *> ops;
  return matchReduction(op.getRegionOutputArgs(), result, ops) && ops.size() == 1 && arith::getNeutralElement(ops[0])
             ? ops[0]
             : nullptr;
}

ElementLoops::Values ElementLoops::loop(Value from, Value to, Value step, ValueRange inits,
                                        function_ref<Values(Value, ValueRange)> body) {
  auto made =
      scf::ForOp::create(b, from, to, step, inits, [&](OpBuilder &nested, Location, Value iv, ValueRange carried) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(nested.getInsertionBlock());
        scf::YieldOp::create(b, body(iv, carried));
      });
  return llvm::to_vector_of<Value>(made.getResults());
}

//===- One element, or one vector of them --------------------------------------===//

Value ElementLoops::broadcast(Value scalar, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return vector::BroadcastOp::create(b, VectorType::get(lanes, scalar.getType()), scalar);
}

ElementLoops::Values ElementLoops::place(OpOperand &operand) {
  auto indices = affine::expandAffineMap(b, b.getLoc(), op.getMatchingIndexingMap(&operand), ivs);
  return Values(indices->begin(), indices->end());
}

Value ElementLoops::load(OpOperand &operand, int64_t lanes) {
  Value buffer = operand.get();
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type)
    return broadcast(buffer, lanes);
  if (lanes > 1 && access(operand, inner) == Access::Contiguous)
    return vector::LoadOp::create(b, VectorType::get(lanes, type.getElementType()), buffer, place(operand));
  return broadcast(memref::LoadOp::create(b, buffer, place(operand)), lanes);
}

void ElementLoops::store(Value value, OpOperand &init) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, value, init.get(), place(init));
  else
    memref::StoreOp::create(b, value, init.get(), place(init));
}

/// The loop counter, as a vector if the vector is along its loop.
Value ElementLoops::counter(int64_t dim, int64_t lanes) {
  if (lanes == 1 || dim != inner)
    return ivs[dim];
  auto type = VectorType::get(lanes, b.getIndexType());
  SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  Value step = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(steps)));
  return arith::AddIOp::create(b, broadcast(ivs[dim], lanes), step);
}

void ElementLoops::cloneOp(Operation &each, int64_t lanes, IRMapping &values) {
  if (auto position = dyn_cast<linalg::IndexOp>(each)) {
    values.map(position.getResult(), counter(position.getDim(), lanes));
    return;
  }
  if (lanes == 1 || isa<arith::ConstantOp>(each)) {
    b.clone(each, values);
    return;
  }
  OperationState state(each.getLoc(), each.getName());
  for (Value operand : each.getOperands())
    state.operands.push_back(broadcast(values.lookupOrDefault(operand), lanes));
  for (Type type : each.getResultTypes())
    state.types.push_back(VectorType::get(lanes, type));
  state.attributes = each.getAttrs();
  values.map(each.getResults(), b.create(state)->getResults());
}

ElementLoops::Values ElementLoops::element(ValueRange kept, int64_t lanes) {
  IRMapping values;
  Block *block = op.getBlock();
  for (auto [operand, argument] : llvm::zip_equal(op->getOpOperands(), block->getArguments())) {
    if (op.isDpsInit(&operand) && isKept(operand)) {
      values.map(argument, kept.front());
      kept = kept.drop_front();
    } else if (!argument.use_empty()) {
      values.map(argument, load(operand, lanes));
    }
  }
  for (Operation &each : block->without_terminator())
    cloneOp(each, lanes, values);
  Values next;
  for (auto [yielded, init] : llvm::zip_equal(block->getTerminator()->getOperands(), op.getDpsInitsMutable())) {
    Value value = broadcast(values.lookupOrDefault(yielded), lanes);
    if (isKept(init))
      next.push_back(value);
    else
      store(value, init);
  }
  return next;
}

} // namespace dovetail
