// Lowers structured ops on buffers to sequential loops.
#include "BufferLoops.h"
#include "ElementLoops.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dovetail {

/// The bytes of a vector: one AVX-512 register, or several smaller ones, which hides some latency.
constexpr int64_t kVectorBytes = 64;
/// The number of rows and columns of vectors that are summed at once, so that sums need not wait for each other, and
/// loaded values are used several times; and the maximum number of ops in the code for one.
constexpr int64_t kRows = 4, kColumns = 2;
constexpr size_t kMaxRepeated = 8;

namespace {

class LoopNest : public ElementLoops {
public:
  LoopNest(RewriterBase &rewriter, linalg::LinalgOp op, bool useVectors) : ElementLoops(rewriter, op) {
    // That along which memory is accessed in order as far as possible.
    inner = bestLoop([&](OpOperand &operand, Access kind) -> int64_t {
      return kind == Access::Contiguous ? 2 + op.isDpsInit(&operand) : kind == Access::Invariant ? 1 : -3;
    });
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (int64_t d = 0, count = sizes.size(); d < count; ++d)
      if (kinds[d] == utils::IteratorType::reduction && sum != inner)
        sum = d;
    width = useVectors && inner >= 0 && canUseVectors() ? vectorWidth() : 1;
    if (width > 1 && sum >= 0)
      rows = chooseRows(kinds);
  }

  void run() {
    SmallVector<int64_t> order;
    for (int64_t d = 0, count = sizes.size(); d < count; ++d)
      if (d != inner && d != sum && d != rows)
        order.push_back(d);
    runOuter(order);
  }

private:
  using Step = function_ref<SmallVector<Value>(int64_t, ValueRange)>;

  //===- Vectors ---------------------------------------------------------------===//

  static bool isVectorElement(Type type) { return isa<FloatType>(type) || type.isSignlessInteger(); }

  bool canUseVectors() {
    for (OpOperand &operand : op->getOpOperands())
      if (access(operand, inner) == Access::Strided || !isVectorElement(getElementTypeOrSelf(operand.get().getType())))
        return false;
    for (Operation &each : op.getBlock()->without_terminator())
      if (!isa<linalg::IndexOp>(each) && !isVectorOp(each))
        return false;
    if (inner != sum)
      // Values that do not vary along a parallel loop are written once.
      return llvm::all_of(op.getDpsInitsMutable(),
                          [&](OpOperand &init) { return access(init, inner) == Access::Contiguous; });
    return op.getNumDpsInits() == 1 && combinerOfVectors() &&
           access(*op.getDpsInitOperand(0), inner) == Access::Invariant;
  }

  static bool isVectorOp(Operation &each) {
    auto isFit = [](Type type) { return isVectorElement(type) || type.isIndex(); };
    return each.getNumRegions() == 0 && llvm::all_of(each.getResultTypes(), isFit) &&
           (isa<arith::ConstantOp>(each) || OpTrait::hasElementwiseMappableTraits(&each));
  }

  /// The op that adds an element to the accumulator of a reduction, if vectors support it.
  Operation *combinerOfVectors() {
    Operation *combine = combiner(0);
    return combine && linalg::getCombinerOpKind(combine) ? combine : nullptr;
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
    // f16 is computed in f32.
    return kVectorBytes * 8 / std::max<int64_t>(bits, 32);
  }

  /// A loop whose iterations share loads, and have few ops.
  int64_t chooseRows(ArrayRef<utils::IteratorType> kinds) {
    if (op.getBlock()->getOperations().size() > kMaxRepeated)
      return -1;
    for (int64_t d = sizes.size() - 1; d >= 0; --d)
      if (d != inner && kinds[d] == utils::IteratorType::parallel &&
          llvm::any_of(op.getDpsInputOperands(),
                       [&](OpOperand *input) { return access(*input, d) == Access::Invariant; }))
        return d;
    return -1;
  }

  //===- Loops -----------------------------------------------------------------===//

  /// Covers a loop with blocks of as many iterations as in `counts`, as far as they fit; `body` gets the number of
  /// iterations and the carried values.
  SmallVector<Value> inBlocks(int64_t dim, ArrayRef<int64_t> counts, ValueRange inits,
                              function_ref<SmallVector<Value>(int64_t, ValueRange)> body) {
    Value size = sizeOf(dim), from = index(0);
    auto known = getConstantIntValue(sizes[dim]);
    int64_t done = 0;
    SmallVector<Value> carried(inits);
    for (int64_t count : counts) {
      if (known && *known - done < count)
        continue;
      Value end = size;
      if (known)
        end = index(done = *known - (*known - done) % count);
      else if (count > 1)
        end = arith::SubIOp::create(b, size, arith::RemUIOp::create(b, size, index(count)));
      carried = loop(from, end, index(count), carried, [&](Value iv, ValueRange values) {
        ivs[dim] = iv;
        return body(count, values);
      });
      from = end;
    }
    return carried;
  }

  /// The lengths of vectors along the inner loop, the first `repeats` times the width, the last 1.
  SmallVector<int64_t> lengths(int64_t repeats) {
    SmallVector<int64_t> result = {repeats * width, width};
    if (auto known = getConstantIntValue(sizes[inner]))
      result.push_back(*known % width);
    result.push_back(1);
    llvm::erase_if(result, [](int64_t length) { return length == 0; });
    return result;
  }

  void runOuter(ArrayRef<int64_t> order) {
    if (order.empty()) {
      runRows();
      return;
    }
    inBlocks(order[0], {1}, {}, [&](int64_t, ValueRange) {
      runOuter(order.drop_front());
      return SmallVector<Value>();
    });
  }

  /// One column of vectors has too few sums to hide the latency of each.
  int64_t rowsAtOnce() const {
    auto known = getConstantIntValue(sizes[inner]);
    return sum != inner && known && *known < 2 * width ? kColumns * kRows : kRows;
  }

  void runRows() {
    if (rows < 0)
      return runColumns(1);
    inBlocks(rows, {rowsAtOnce(), 1}, {}, [&](int64_t count, ValueRange) {
      runColumns(count);
      return SmallVector<Value>();
    });
  }

  void runColumns(int64_t numRows) {
    if (inner < 0 || inner == sum)
      return runBlock(numRows, 1, 1);
    inBlocks(inner, lengths(sum < 0 ? 1 : kColumns), {}, [&](int64_t count, ValueRange) {
      runBlock(numRows, count > width ? kColumns : 1, std::min(count, width));
      return SmallVector<Value>();
    });
  }

  /// Computes that many rows and columns of vectors. Accumulators stay in registers.
  void runBlock(int64_t numRows, int64_t numColumns, int64_t lanes) {
    Value row = rows < 0 ? Value() : ivs[rows], column = inner < 0 || inner == sum ? Value() : ivs[inner];
    size_t numKept = llvm::count_if(op.getDpsInitsMutable(), [&](OpOperand &init) { return isKept(init); });
    auto forEach = [&](function_ref<void(int64_t)> body) {
      for (int64_t i = 0; i < numRows * numColumns; ++i) {
        if (row)
          ivs[rows] = arith::AddIOp::create(b, row, index(i / numColumns));
        if (column)
          ivs[inner] = arith::AddIOp::create(b, column, index(i % numColumns * lanes));
        body(i * numKept);
      }
      if (row)
        ivs[rows] = row;
      if (column)
        ivs[inner] = column;
    };
    auto step = [&](int64_t length, ValueRange kept) {
      SmallVector<Value> next;
      forEach([&](int64_t at) { llvm::append_range(next, element(kept.slice(at, numKept), length)); });
      return next;
    };
    if (sum < 0)
      return forEach([&](int64_t) { element({}, lanes); });
    SmallVector<Value> kept;
    forEach([&](int64_t) {
      for (OpOperand &init : op.getDpsInitsMutable())
        if (isKept(init))
          kept.push_back(load(init, lanes));
    });
    if (sum == inner && width > 1)
      kept = runVectors(kept, step);
    else
      kept = inBlocks(sum, {1}, kept, [&](int64_t, ValueRange carried) { return step(lanes, carried); });
    forEach([&](int64_t at) {
      for (OpOperand &init : op.getDpsInitsMutable())
        if (isKept(init))
          store(kept[at++], init);
    });
  }

  /// Adds the elements along the inner loop to each of `kept`, in vectors.
  SmallVector<Value> runVectors(SmallVector<Value> kept, Step step) {
    Value size = sizeOf(inner), from = index(0);
    auto known = getConstantIntValue(sizes[inner]);
    int64_t done = 0;
    for (int64_t length : lengths(kept.size() == 1 ? kRows : 1)) {
      if (known && *known - done < length)
        continue;
      Value end = size;
      if (known)
        end = index(done = *known - (*known - done) % length);
      else if (length > 1)
        end = arith::SubIOp::create(b, size, arith::RemUIOp::create(b, size, index(length)));
      auto run = [&](ValueRange lanes) {
        return loop(from, end, index(length), lanes, [&](Value iv, ValueRange carried) {
          ivs[inner] = iv;
          return step(length, carried);
        });
      };
      kept = length == 1 ? run(kept) : reduced(kept, length, run);
      from = end;
    }
    return kept;
  }

  /// Calls `body` with neutral lanes, and combines the resulting lanes with the scalars in `kept`.
  SmallVector<Value> reduced(ValueRange kept, int64_t lanes, function_ref<SmallVector<Value>(ValueRange)> body) {
    Operation *combine = combinerOfVectors();
    Value neutral = arith::ConstantOp::create(b, *arith::getNeutralElement(combine));
    SmallVector<Value> sums = body(SmallVector<Value>(kept.size(), broadcast(neutral, lanes)));
    auto fast = isa<FloatType>(neutral.getType()) ? arith::FastMathFlags::reassoc : arith::FastMathFlags::none;
    for (auto [lanesOfOne, scalar] : llvm::zip_equal(sums, kept))
      lanesOfOne = vector::ReductionOp::create(b, *linalg::getCombinerOpKind(combine), lanesOfOne, scalar, fast);
    return sums;
  }

  bool isKept(OpOperand &init) override { return sum >= 0 && access(init, sum) == Access::Invariant; }

  /// The loop whose accumulators stay in registers; the loop of which several iterations are computed at once. -1 if
  /// there is none.
  int64_t sum = -1, rows = -1;
  int64_t width = 1;
};

} // namespace

void lowerToLoops(RewriterBase &rewriter, linalg::LinalgOp op, bool useVectors) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  LoopNest(rewriter, op, useVectors).run();
  rewriter.eraseOp(op);
}

/// A type with bytes instead of bools.
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
