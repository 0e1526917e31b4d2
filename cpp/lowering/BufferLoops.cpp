// Structured ops on buffers as loops, for code that one thread runs.
#include "BufferLoops.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace dovetail {

/// Bytes of a vector: one register of AVX-512, or several smaller ones, which hides some latency.
constexpr int64_t kVectorBytes = 64;

namespace {

/// How an operand's elements lie along a loop.
enum class Access { Invariant, Contiguous, Strided };

class LoopNest {
public:
  LoopNest(RewriterBase &rewriter, linalg::LinalgOp op, bool useVectors)
      : b(op.getLoc(), rewriter), op(op), maps(op.getIndexingMapsArray()) {
    for (Range range : op.createLoopRanges(rewriter, op.getLoc()))
      sizes.push_back(range.size);
    ivs.resize(sizes.size());
    inner = chooseInner();
    isReduction = inner >= 0 && op.getIteratorTypesArray()[inner] == utils::IteratorType::reduction;
    width = useVectors && inner >= 0 && canUseVectors() ? vectorWidth() : 1;
  }

  void run() {
    SmallVector<int64_t> order;
    for (int64_t d = 0, count = sizes.size(); d < count; ++d)
      if (d != inner)
        order.push_back(d);
    runOuter(order);
  }

private:
  using Body = function_ref<SmallVector<Value>(ValueRange)>;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  Access access(AffineMap map, Value operand, int64_t dim) {
    if (!map.isFunctionOfDim(dim))
      return Access::Invariant;
    auto type = cast<MemRefType>(operand.getType());
    AffineExpr expr = b.getAffineDimExpr(dim);
    SmallVector<int64_t> strides;
    int64_t offset;
    bool isOnlyLast = map.getResults().back() == expr && !map.dropResult(map.getNumResults() - 1).isFunctionOfDim(dim);
    return isOnlyLast && succeeded(type.getStridesAndOffset(strides, offset)) && strides.back() == 1
               ? Access::Contiguous
               : Access::Strided;
  }

  Access access(OpOperand &operand, int64_t dim) {
    if (!isa<MemRefType>(operand.get().getType()))
      return Access::Invariant;
    return access(op.getMatchingIndexingMap(&operand), operand.get(), dim);
  }

  /// The loop along which memory is read and written in order, as far as there is one; -1 if there are no loops.
  int64_t chooseInner() {
    int64_t best = -1, bestScore = 0;
    for (int64_t d = 0, count = sizes.size(); d < count; ++d) {
      int64_t score = 0;
      for (OpOperand &operand : op->getOpOperands()) {
        Access kind = access(operand, d);
        score += kind == Access::Contiguous ? 2 + op.isDpsInit(&operand) : kind == Access::Invariant ? 1 : -3;
      }
      if (best < 0 || score >= bestScore) {
        best = d;
        bestScore = score;
      }
    }
    return best;
  }

  //===- Vectors ---------------------------------------------------------------===//

  static bool isVectorElement(Type type) { return isa<FloatType>(type) || type.isSignlessInteger(); }

  bool canUseVectors() {
    for (OpOperand &operand : op->getOpOperands())
      if (access(operand, inner) == Access::Strided || !isVectorElement(getElementTypeOrSelf(operand.get().getType())))
        return false;
    for (Operation &each : op.getBlock()->without_terminator())
      if (!isa<linalg::IndexOp>(each) && !isVectorOp(each))
        return false;
    if (!isReduction)
      // What does not vary along a parallel loop is written once.
      return llvm::all_of(op.getDpsInitsMutable(),
                          [&](OpOperand &init) { return access(init, inner) == Access::Contiguous; });
    return op.getNumDpsInits() == 1 && combiner() && access(*op.getDpsInitOperand(0), inner) == Access::Invariant;
  }

  static bool isVectorOp(Operation &each) {
    auto isFit = [](Type type) { return isVectorElement(type) || type.isIndex(); };
    return each.getNumRegions() == 0 && llvm::all_of(each.getResultTypes(), isFit) &&
           (isa<arith::ConstantOp>(each) || OpTrait::hasElementwiseMappableTraits(&each));
  }

  /// The op that adds an element to what a reduction has so far, if it is one that vectors know.
  Operation *combiner() {
    SmallVector<Operation *> ops;
    if (!matchReduction(op.getRegionOutputArgs(), 0, ops) || ops.size() != 1 || !linalg::getCombinerOpKind(ops[0]) ||
        !arith::getNeutralElement(ops[0]))
      return nullptr;
    return ops[0];
  }

  int64_t vectorWidth() {
    int64_t bits = 8;
    auto widen = [&](Type type) {
      Type element = getElementTypeOrSelf(type);
      bits = std::max<int64_t>(bits, element.isIndex() ? 64 : element.getIntOrFloatBitWidth());
    };
    for (Value operand : op->getOperands())
      widen(operand.getType());
    for (Operation &each : op.getBlock()->without_terminator())
      llvm::for_each(each.getResultTypes(), widen);
    // Halves are computed as f32.
    return kVectorBytes * 8 / std::max<int64_t>(bits, 32);
  }

  Value broadcast(Value scalar, int64_t lanes) {
    if (lanes == 1 || isa<VectorType>(scalar.getType()))
      return scalar;
    return vector::BroadcastOp::create(b, VectorType::get(lanes, scalar.getType()), scalar);
  }

  //===- Loops -----------------------------------------------------------------===//

  SmallVector<Value> loop(Value from, Value to, int64_t step, ValueRange inits,
                          function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto made = scf::ForOp::create(b, from, to, index(step), inits,
                                   [&](OpBuilder &nested, Location, Value iv, ValueRange carried) {
                                     OpBuilder::InsertionGuard guard(b);
                                     b.setInsertionPointToEnd(nested.getInsertionBlock());
                                     scf::YieldOp::create(b, body(iv, carried));
                                   });
    return llvm::to_vector_of<Value>(made.getResults());
  }

  void runOuter(ArrayRef<int64_t> order) {
    if (order.empty()) {
      runInner();
      return;
    }
    loop(index(0), getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[order[0]]), 1, {}, [&](Value iv, ValueRange) {
      ivs[order[0]] = iv;
      runOuter(order.drop_front());
      return SmallVector<Value>();
    });
  }

  /// The innermost loop: vectors as far as they fit, then what is left.
  void runInner() {
    if (inner < 0) {
      element(1, {});
      return;
    }
    // What a reduction has so far stays in registers.
    keptInit = isReduction && llvm::all_of(op.getDpsInitsMutable(),
                                           [&](OpOperand &init) { return access(init, inner) == Access::Invariant; });
    SmallVector<Value> kept;
    if (keptInit)
      for (OpOperand &init : op.getDpsInitsMutable())
        kept.push_back(load(init, 1));
    Value size = getValueOrCreateConstantIndexOp(b, b.getLoc(), sizes[inner]), done = index(0);
    if (width > 1)
      kept = runVectors(size, kept, done);
    if (getConstantIntValue(done) != getConstantIntValue(sizes[inner]) || !getConstantIntValue(done))
      kept = loop(done, size, 1, kept, [&](Value iv, ValueRange carried) {
        ivs[inner] = iv;
        return element(1, carried);
      });
    if (keptInit)
      for (auto [value, init] : llvm::zip_equal(kept, op.getDpsInitsMutable()))
        store(value, init);
  }

  /// Computes all elements that fill vectors, in the static case all there are. `done` becomes their number.
  SmallVector<Value> runVectors(Value size, ValueRange kept, Value &done) {
    auto known = getConstantIntValue(sizes[inner]);
    int64_t whole = known ? *known / width * width : 0, rest = known ? *known % width : 0;
    SmallVector<Value> result(kept);
    if (!known || whole > 0) {
      Value end = index(whole);
      if (!known)
        end = arith::SubIOp::create(b, size, arith::RemUIOp::create(b, size, index(width)));
      result = reduced(result, width, [&](ValueRange lanes) {
        return loop(index(0), end, width, lanes, [&](Value iv, ValueRange carried) {
          ivs[inner] = iv;
          return element(width, carried);
        });
      });
      done = end;
    }
    if (rest > 1) {
      ivs[inner] = index(whole);
      result = reduced(result, rest, [&](ValueRange lanes) { return element(rest, lanes); });
      done = index(*known);
    }
    return result;
  }

  /// Calls `body` with lanes that are neutral, and combines what it makes of them with the scalars in `kept`.
  SmallVector<Value> reduced(ValueRange kept, int64_t lanes, Body body) {
    if (kept.empty())
      return body({});
    Operation *combine = combiner();
    Value neutral = arith::ConstantOp::create(b, *arith::getNeutralElement(combine));
    Value sums = body(broadcast(neutral, lanes))[0];
    auto fast = isa<FloatType>(neutral.getType()) ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none;
    return {vector::ReductionOp::create(b, *linalg::getCombinerOpKind(combine), sums, kept[0], fast)};
  }

  //===- One element, or one vector of them --------------------------------------===//

  SmallVector<Value> place(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto indices = affine::expandAffineMap(b, b.getLoc(), map, ivs);
    return SmallVector<Value>(indices->begin(), indices->end());
  }

  Value load(OpOperand &operand, int64_t lanes) {
    Value buffer = operand.get();
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type)
      return broadcast(buffer, lanes);
    if (lanes > 1 && access(operand, inner) == Access::Contiguous)
      return vector::LoadOp::create(b, VectorType::get(lanes, type.getElementType()), buffer, place(operand));
    return broadcast(memref::LoadOp::create(b, buffer, place(operand)), lanes);
  }

  void store(Value value, OpOperand &init) {
    if (isa<VectorType>(value.getType()))
      vector::StoreOp::create(b, value, init.get(), place(init));
    else
      memref::StoreOp::create(b, value, init.get(), place(init));
  }

  /// The loop counter, along the vector if that is its loop.
  Value counter(int64_t dim, int64_t lanes) {
    if (lanes == 1 || dim != inner)
      return ivs[dim];
    auto type = VectorType::get(lanes, b.getIndexType());
    SmallVector<int64_t> steps = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
    Value step = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(steps)));
    return arith::AddIOp::create(b, broadcast(ivs[dim], lanes), step);
  }

  void cloneOp(Operation &each, int64_t lanes, IRMapping &values) {
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

  /// Computes elements from those that are `kept`, if they are, and else from memory. What is not kept is stored.
  SmallVector<Value> element(int64_t lanes, ValueRange kept) {
    IRMapping values;
    Block *block = op.getBlock();
    for (auto [operand, argument] : llvm::zip_equal(op->getOpOperands(), block->getArguments())) {
      bool isKept = keptInit && op.isDpsInit(&operand);
      if (isKept)
        values.map(argument, kept[operand.getOperandNumber() - op.getNumDpsInputs()]);
      else if (!argument.use_empty())
        values.map(argument, load(operand, lanes));
    }
    for (Operation &each : block->without_terminator())
      cloneOp(each, lanes, values);
    SmallVector<Value> yielded;
    for (Value value : block->getTerminator()->getOperands())
      yielded.push_back(broadcast(values.lookupOrDefault(value), lanes));
    if (keptInit)
      return yielded;
    for (auto [value, init] : llvm::zip_equal(yielded, op.getDpsInitsMutable()))
      store(value, init);
    return {};
  }

  ImplicitLocOpBuilder b;
  linalg::LinalgOp op;
  SmallVector<AffineMap> maps;
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> ivs;
  int64_t inner = -1, width = 1;
  bool isReduction = false, keptInit = false;
};

} // namespace

void lowerToLoops(RewriterBase &rewriter, linalg::LinalgOp op, bool useVectors) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LoopNest(rewriter, op, useVectors).run();
  rewriter.eraseOp(op);
}

/// A type with bytes for bools.
static Type bytesForBools(Type type) {
  if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.getElementType().isInteger(1))
    return shaped.clone(IntegerType::get(type.getContext(), 8));
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

void storeBoolsAsBytes(Operation *root) {
  IRRewriter rewriter(root->getContext());
  auto isBools = [](Value buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    return type && type.getElementType().isInteger(1);
  };
  SmallVector<Operation *> loads, stores;
  root->walk([&](Operation *op) {
    if (isa<memref::LoadOp, vector::LoadOp>(op) && isBools(op->getOperand(0)))
      loads.push_back(op);
    if (isa<memref::StoreOp, vector::StoreOp>(op) && isBools(op->getOperand(1)))
      stores.push_back(op);
  });
  for (Operation *op : loads) {
    Value result = op->getResult(0);
    Type type = result.getType();
    rewriter.setInsertionPointAfter(op);
    result.setType(bytesForBools(type));
    auto narrow = arith::TruncIOp::create(rewriter, op->getLoc(), type, result);
    rewriter.replaceAllUsesExcept(result, narrow, narrow);
  }
  for (Operation *op : stores) {
    rewriter.setInsertionPoint(op);
    Value value = op->getOperand(0);
    op->setOperand(0, arith::ExtUIOp::create(rewriter, op->getLoc(), bytesForBools(value.getType()), value));
  }
  root->walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isBools(result))
        result.setType(bytesForBools(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (isBools(argument))
            argument.setType(bytesForBools(argument.getType()));
  });
}

} // namespace dovetail
