// Inserts barriers where IREE would fuse too many ops, or ops on too many arrays, or repeat or reorder too many.
#include "Passes.h"
#include "cpp/cost/Steps.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_LIMITFUSIONPASS
#include "cpp/dispatch/Passes.h.inc"

namespace {

/// The maximum number of scalar ops in a fusion of several ops on arrays. Another pass over memory costs no more than a
/// tenth of the time of that many, if the arrays fit in caches, and as much as half of them otherwise.
constexpr size_t kMostOps = 512, kMostOpsOnLarge = 1024;
/// The number of iterations from which on arrays are large.
constexpr int64_t kLarge = 1 << 20;
/// The maximum number of arrays that a dispatch accesses: IREE's runtime takes 32. Its compiler observes this limit for
/// arrays with elements, but fuses any number of scalars.
constexpr size_t kMostArrays = 28;

/// The number of scalar ops that take as long as a dispatch of their own.
constexpr int64_t kMostRepeated = 1 << 22;

/// The number of multiplications from which on an array is worth a dispatch of its own for its transposition.
constexpr int64_t kFewestProducts = 1 << 19;

/// Clusters of the ops on arrays of one block that the code generator may fuse.
class Clusters {
public:
  /// Lets an op join the clusters of its operands, as far as these are small enough together, and inserts barriers
  /// after the others.
  void add(linalg::LinalgOp op);

  bool hasBarriers() const {
    return llvm::any_of(barriers, [](auto &barrier) { return barrier.second != nullptr; });
  }

private:
  /// The contents of a cluster, and the arrays that it accesses.
  struct Extent {
    size_t scalarOps = 0;
    /// Whether it is loops of many iterations.
    bool isLarge = false;
    /// The arrays that it reads from outside, and the dimensions that may be read there.
    llvm::SmallSetVector<Value, 8> arrays;
    /// Whether it is the loops of a reduction, which the code generator runs once.
    bool hasReduction = false;
    /// Whether it is those of a large product of arrays.
    bool hasProduct = false;
  };

  /// Adds one extent to another, if they are small enough together.
  static bool join(Extent &extent, const Extent &other);
  /// Whether the ops that compute an operand would run too often if they were fused with the op, which reads each
  /// element in many of its iterations.
  bool areRepeated(linalg::LinalgOp op, OpOperand *operand) const;
  /// Whether a product would be computed in the order in which the op reads it, with other inner loops than its own:
  /// the code generator's blocks are those of the inner loops.
  bool isReordered(linalg::LinalgOp op, OpOperand *operand) const;
  /// The op that computes an array, if it can be fused with one that reads it.
  Operation *makerOf(Value array) const;
  Operation *clusterOf(Operation *op) const { return clusters.getLeaderValue(op); }

  llvm::EquivalenceClasses<Operation *> clusters;
  /// By the op that represents the cluster.
  DenseMap<Operation *, Extent> extents;
  /// The existing barriers. Later readers of an array read it from behind its barrier, so that the parts of a
  /// repetitive chain are alike, and compiled once.
  DenseMap<Value, Value> barriers;
};

} // namespace

Operation *Clusters::makerOf(Value array) const {
  Operation *maker = withoutReshapes(array).getDefiningOp();
  return maker && clusters.contains(maker) ? maker : nullptr;
}

/// Whether an op may be fused with the producers of its operands.
static bool isElementwise(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  return structured && structured.getNumReductionLoops() == 0;
}

bool Clusters::join(Extent &extent, const Extent &other) {
  bool isLarge = extent.isLarge || other.isLarge;
  if (extent.scalarOps + other.scalarOps > (isLarge ? kMostOpsOnLarge : kMostOps))
    return false;
  auto arrays = extent.arrays;
  arrays.insert_range(other.arrays);
  if (arrays.size() > kMostArrays)
    return false;
  extent = {extent.scalarOps + other.scalarOps, isLarge, std::move(arrays), extent.hasReduction || other.hasReduction,
            extent.hasProduct || other.hasProduct};
  return true;
}

bool Clusters::areRepeated(linalg::LinalgOp op, OpOperand *operand) const {
  const Extent &extent = extents.at(clusterOf(makerOf(operand->get())));
  auto elements = [](ArrayRef<int64_t> sizes) { return product(llvm::map_to_vector(sizes, assumedSize)); };
  int64_t read = elements(op.getShape(operand)), iterations = elements(op.getStaticLoopRanges());
  return !extent.hasReduction && iterations > read && times(iterations - read, extent.scalarOps) > kMostRepeated;
}

bool Clusters::isReordered(linalg::LinalgOp op, OpOperand *operand) const {
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!extents.at(clusterOf(makerOf(operand->get()))).hasProduct || map.getNumResults() < 3 ||
      !map.isProjectedPermutation())
    return false;
  unsigned inner = map.getNumDims() - 2;
  return llvm::any_of(map.getResults().take_back(2),
                      [&](AffineExpr dim) { return cast<AffineDimExpr>(dim).getPosition() < inner; });
}

void Clusters::add(linalg::LinalgOp op) {
  Extent extent;
  extent.scalarOps = scalarOpsOf(op);
  extent.hasReduction = !isElementwise(op);
  int64_t iterations = product(llvm::map_to_vector(op.getStaticLoopRanges(), assumedSize));
  extent.isLarge = iterations >= kLarge;
  extent.hasProduct = linalg::isaContractionOpInterface(op) && iterations >= kFewestProducts;
  for (Value result : op->getResults())
    if (!llvm::all_of(result.getUsers(), isElementwise))
      extent.arrays.insert(result);
  for (Value array : op.getDpsInputs())
    if (Operation *maker = array.getDefiningOp();
        !maker || !(makerOf(array) || maker->hasTrait<OpTrait::ConstantLike>()))
      extent.arrays.insert(array);
  clusters.insert(op);
  // A reduction ends the cluster of its operands; if the reduction itself is fused, it is small.
  SmallVector<OpOperand *> read;
  if (isElementwise(op))
    llvm::append_range(read, op.getDpsInputOperands());
  for (OpOperand *operand : read) {
    Value array = operand->get();
    Operation *maker = makerOf(array);
    if (!maker || clusterOf(maker) == clusterOf(op))
      continue;
    Value &barrier = barriers[array];
    if (!barrier && !areRepeated(op, operand) && !isReordered(op, operand) && join(extent, extents[clusterOf(maker)])) {
      clusters.unionSets(maker, op);
      continue;
    }
    if (!barrier) {
      ImplicitLocOpBuilder b(array.getLoc(), op.getContext());
      b.setInsertionPointAfterValue(array);
      barrier = computeBarrier(b, array);
    }
    operand->set(barrier);
    extent.arrays.insert(barrier);
  }
  extents[clusterOf(op)] = std::move(extent);
}

namespace {
struct LimitFusionPass : impl::LimitFusionPassBase<LimitFusionPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    bool isAny = false;
    for (Block *block : blocks) {
      Clusters clusters;
      for (Operation &op : llvm::make_early_inc_range(*block))
        // A constant in another form is not a computed array.
        if (auto structured = dyn_cast<linalg::LinalgOp>(op); structured && !isa<linalg::FillOp>(op))
          clusters.add(structured);
      isAny |= clusters.hasBarriers();
    }
    if (!isAny)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
