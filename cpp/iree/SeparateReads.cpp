// Inserts barriers after arrays that one op reads along several of its loops.
#include "Aliases.h"
#include "Ops.h"
#include "Passes.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SEPARATEREADSPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// A loop of the op that starts a dispatch, or none.
constexpr int kNoLoop = -1;
/// An array that depends on several such ops is read from behind a barrier.
constexpr size_t kMostRoots = 16;

/// For each op that may start a dispatch, and in whose dispatch an array may be computed: along which of its loops each
/// dimension of the array is.
using Origins = llvm::SmallMapVector<Operation *, SmallVector<int>, 2>;

class Reads {
public:
  Reads(Block &block, const Target &target) : target(target) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
    for (Operation *root : separated)
      separate(root);
    hasBarriers |= !separated.empty();
  }

  bool hasBarriers = false;

private:
  void visit(Operation *op);
  void visitElementwise(linalg::LinalgOp op);
  void visitView(Operation *op);
  void begin(Operation *op);
  void separate(Operation *root);

  const Target &target;
  DenseMap<Value, Origins> origins;
  llvm::SetVector<Operation *> separated;
};

} // namespace

static bool isSizeOne(Value array, unsigned dimension) {
  return cast<RankedTensorType>(array.getType()).getDimSize(dimension) == 1;
}

void Reads::begin(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    auto loops = llvm::to_vector(llvm::seq<int>(0, type.getRank()));
    if (structured)
      for (auto [dimension, expr] : llvm::enumerate(structured.getIndexingMapMatchingResult(result).getResults()))
        loops[dimension] = isa<AffineDimExpr>(expr) ? cast<AffineDimExpr>(expr).getPosition() : kNoLoop;
    origins[result].insert({op, SmallVector<int>(loops)});
  }
}

/// Whether an op's loops that are along those of a dispatch's first op come first, in the same order.
static bool areLeading(linalg::LinalgOp op, ArrayRef<int> loops) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int last = kNoLoop;
  bool isRest = false;
  for (auto [loop, extent] : llvm::zip_equal(loops, extents)) {
    if (loop != kNoLoop && (isRest || loop < last))
      return false;
    isRest |= loop == kNoLoop && extent != 1;
    last = std::max(last, loop);
  }
  return true;
}

/// Whether an op reads elements of arrays as its loops and its operands say.
static bool readsByLoops(linalg::LinalgOp op) {
  bool reads = false, hasIndices = false;
  op.getBlock()->walk([&](Operation *inner) {
    reads |= isa<tensor::ExtractOp>(inner);
    hasIndices |= isa<linalg::IndexOp>(inner);
  });
  return reads && hasIndices;
}

void Reads::visitElementwise(linalg::LinalgOp op) {
  llvm::SmallMapVector<Operation *, SmallVector<int>, 4> loopsOf;
  llvm::SmallPtrSet<Operation *, 4> apart;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto found = origins.find(operand->get());
    if (found == origins.end())
      continue;
    size_t numOthers = llvm::count_if(found->second, [&](auto &origin) { return !loopsOf.contains(origin.first); });
    if (loopsOf.size() + numOthers > kMostRoots) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      operand->set(computeBarrier(b, operand->get()));
      hasBarriers = true;
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(operand);
    for (auto &[root, dimensions] : found->second) {
      SmallVector<int> &loops = loopsOf.insert({root, SmallVector<int>(op.getNumLoops(), kNoLoop)}).first->second;
      for (auto [dimension, expr, loop] : llvm::enumerate(map.getResults(), dimensions)) {
        if (loop == kNoLoop || isSizeOne(operand->get(), dimension))
          continue;
        auto own = dyn_cast<AffineDimExpr>(expr);
        // If two loops of the root are along one loop of the op, IREE sees that they do not match.
        if (!own || (loops[own.getPosition()] != kNoLoop && loops[own.getPosition()] != loop)) {
          apart.insert(root);
          continue;
        }
        loops[own.getPosition()] = loop;
      }
    }
  }
  bool isLookUp = target.isVulkan() && readsByLoops(op);
  for (auto &[root, loops] : loopsOf) {
    llvm::SmallDenseSet<int> seen;
    for (int loop : loops)
      if (loop != kNoLoop && !seen.insert(loop).second)
        separated.insert(root);
    if ((target.isGpu() && !areLeading(op, loops)) || isLookUp)
      separated.insert(root);
    if (apart.contains(root) || separated.contains(root))
      continue;
    for (OpResult result : op->getResults()) {
      SmallVector<int> dimensions;
      for (AffineExpr expr : op.getIndexingMapMatchingResult(result).getResults())
        dimensions.push_back(isa<AffineDimExpr>(expr) ? loops[cast<AffineDimExpr>(expr).getPosition()] : kNoLoop);
      origins[result].insert({root, std::move(dimensions)});
    }
  }
}

void Reads::visitView(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  auto found = origins.find(from);
  if (found == origins.end())
    return;
  Origins reshaped;
  for (auto &origin : found->second) {
    const auto &dimensions = origin.second;
    SmallVector<int> loops(cast<RankedTensorType>(to.getType()).getRank(), kNoLoop);
    auto move = [&](ArrayRef<ReassociationIndices> groups, bool expands) {
      for (auto [one, several] : llvm::enumerate(groups)) {
        bool isFirst = true;
        for (int64_t each : several) {
          int64_t source = expands ? one : each, target = expands ? each : one;
          if (isSizeOne(from, source) || isSizeOne(to, target))
            continue;
          // The first part of a split or joined dimension represents all of it: IREE splits the loop, too.
          if (isFirst)
            loops[target] = dimensions[source];
          isFirst = false;
        }
      }
    };
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      move(expand.getReassociationIndices(), true);
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      move(collapse.getReassociationIndices(), false);
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      llvm::SmallBitVector dropped = slice.getDroppedDims();
      loops.clear();
      for (auto [dimension, loop] : llvm::enumerate(dimensions))
        if (!dropped.test(dimension))
          loops.push_back(loop);
    } else
      loops = dimensions;
    reshaped.insert({origin.first, std::move(loops)});
  }
  origins[to] = std::move(reshaped);
}

void Reads::visit(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
    if (isa<linalg::FillOp>(op) || !structured.hasPureTensorSemantics())
      return;
    return structured.getNumReductionLoops() == 0 ? visitElementwise(structured) : begin(op);
  }
  if (isView(op) || op->getName().getStringRef() == "flow.tensor.tie_shape")
    return visitView(op);
  if (op->getName().getDialectNamespace() == "iree_linalg_ext")
    begin(op);
}

void Reads::separate(Operation *root) {
  ImplicitLocOpBuilder b(root->getLoc(), root->getContext());
  b.setInsertionPointAfter(root);
  for (Value result : root->getResults()) {
    if (!isa<RankedTensorType>(result.getType()) || result.use_empty())
      continue;
    Value behind = computeBarrier(b, result);
    result.replaceUsesWithIf(behind, [&](OpOperand &use) {
      return use.getOwner() != behind.getDefiningOp() && !isa<tensor::DimOp>(use.getOwner());
    });
  }
}

namespace {
struct SeparateReadsPass : impl::SeparateReadsPassBase<SeparateReadsPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Block *block) { blocks.push_back(block); });
    bool isAny = false;
    Target target(getOperation());
    for (Block *block : blocks)
      isAny |= Reads(*block, target).hasBarriers;
    if (!isAny)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
