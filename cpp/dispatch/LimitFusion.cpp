// Puts barriers where IREE would fuse too many ops.
#include "Passes.h"
#include "cpp/iree/Aliases.h"
#include "cpp/iree/Ops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_LIMITFUSIONPASS
#include "cpp/dispatch/Passes.h.inc"

namespace {

/// So many scalar ops are fused at most, of more than one op on arrays. A further pass over memory costs no more than
/// a tenth of what so many compute.
constexpr size_t kMostOps = 512;

/// The ops on arrays of one block that the code generator may fuse, in clusters.
class Clusters {
public:
  /// Has an op join the clusters of what it reads, as far as they are small enough together, and puts barriers behind
  /// the others.
  void add(linalg::LinalgOp op);

private:
  /// The op that computes an array, if it can be fused with one that reads it.
  Operation *makerOf(Value array) const;
  Operation *clusterOf(Operation *op) const { return clusters.getLeaderValue(op); }

  llvm::EquivalenceClasses<Operation *> clusters;
  /// How many scalar ops a cluster has, by what stands for it.
  DenseMap<Operation *, size_t> sizes;
  /// The barriers there are. Who reads an array later reads what is behind its barrier, so that the parts of a chain
  /// that repeats itself are alike, and compiled once.
  DenseMap<Value, Value> barriers;
};

} // namespace

Operation *Clusters::makerOf(Value array) const {
  Operation *maker = array.getDefiningOp();
  while (maker && isReshape(maker))
    maker = maker->getOperand(0).getDefiningOp();
  return maker && clusters.contains(maker) ? maker : nullptr;
}

static size_t scalarOpsOf(Operation *op) {
  size_t count = 0;
  op->walk([&](Operation *inner) { count += inner != op && !inner->hasTrait<OpTrait::ConstantLike>(); });
  return count;
}

void Clusters::add(linalg::LinalgOp op) {
  size_t size = scalarOpsOf(op);
  clusters.insert(op);
  // What reduces ends the cluster of what it reads; if it is that which is fused, it is small.
  SmallVector<OpOperand *> read;
  if (op.getNumReductionLoops() == 0)
    llvm::append_range(read, op.getDpsInputOperands());
  for (OpOperand *operand : read) {
    Value array = operand->get();
    Operation *maker = makerOf(array);
    if (!maker || clusterOf(maker) == clusterOf(op))
      continue;
    Value &barrier = barriers[array];
    if (size_t joined = sizes.lookup(clusterOf(maker)); !barrier && size + joined <= kMostOps) {
      clusters.unionSets(maker, op);
      size += joined;
      continue;
    }
    if (!barrier) {
      ImplicitLocOpBuilder b(array.getLoc(), op.getContext());
      b.setInsertionPointAfterValue(array);
      barrier = computeBarrier(b, array);
    }
    operand->set(barrier);
  }
  sizes[clusterOf(op)] = size;
}

namespace {
struct LimitFusionPass : impl::LimitFusionPassBase<LimitFusionPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      Clusters clusters;
      for (Operation &op : llvm::make_early_inc_range(*block))
        // A constant in another form is no array that is computed.
        if (auto structured = dyn_cast<linalg::LinalgOp>(op); structured && !isa<linalg::FillOp>(op))
          clusters.add(structured);
    }
  }
};
} // namespace

} // namespace dovetail
