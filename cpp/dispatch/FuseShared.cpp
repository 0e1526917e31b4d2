// Makes one loop of elementwise ops between which arrays have several readers.
#include "Passes.h"
#include "cpp/cost/Steps.h"
#include "cpp/tensors/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include <set>

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_FUSESHAREDPASS
#include "cpp/dispatch/Passes.h.inc"

namespace {

/// Smaller arrays stay in the nearest cache, and ops on them are merged.
constexpr int64_t kFewestElements = int64_t(1) << 13;
/// The most scalar ops of a loop, as in fusions of other ops, and the most arrays that it accesses.
constexpr int64_t kMostOps = 1024;
constexpr size_t kMostArrays = 24;
/// Fewer scalar ops take less time than to write their result and read it again.
constexpr int64_t kMostRepeated = 8;

/// Ops over the same elements, of which each but the first reads what another one computes.
struct Cluster {
  SmallVector<linalg::GenericOp> ops;
  int64_t scalarOps = 0;
  /// The ops outside that read what these compute, in order.
  std::set<std::pair<unsigned, Operation *>> readers;
};

/// Finds clusters in a block, and rewrites them.
class Fusion {
public:
  explicit Fusion(Block &block) : block(block) {
    for (Operation &op : block)
      order.insert({&op, order.size()});
  }
  bool run();

private:
  void add(linalg::GenericOp op);
  std::optional<unsigned> clusterOf(Value array) const {
    auto found = numbers.find(array.getDefiningOp());
    return found == numbers.end() ? std::nullopt : std::optional<unsigned>(found->second);
  }
  bool contains(const Cluster &cluster, Operation *op) const { return llvm::is_contained(cluster.ops, op); }
  SmallVector<Operation *> leaveFeeders(Cluster &cluster) const;
  bool isWorthIt(const Cluster &cluster) const;
  bool fuse(Cluster &cluster);

  Block &block;
  DenseMap<Operation *, unsigned> order;
  /// By op; clusters that were joined with others are empty.
  DenseMap<Operation *, unsigned> numbers;
  SmallVector<Cluster> clusters;
};

} // namespace

/// Whether a loop reads rows as they are in memory, or repeats what it reads.
static bool isInOrder(AffineMap map) {
  auto dimOf = [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); };
  return llvm::all_of(map.getResults(), [](AffineExpr expr) { return isa<AffineDimExpr>(expr); }) &&
         llvm::is_sorted(map.getResults(), [&](AffineExpr a, AffineExpr b) { return dimOf(a) < dimOf(b); });
}

/// Whether the code generator computes vectors of it.
static bool isVectorized(Operation &scalar) {
  return OpTrait::hasElementwiseMappableTraits(&scalar) || isa<linalg::IndexOp, linalg::YieldOp>(scalar) ||
         scalar.hasTrait<OpTrait::ConstantLike>();
}

/// An op on each element of arrays of known sizes.
static bool isOnEachElement(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumResults() != 1 || generic.getNumLoops() != generic.getNumParallelLoops())
    return false;
  auto type = dyn_cast<RankedTensorType>(generic->getResult(0).getType());
  return type && type.hasStaticShape() && type.getNumElements() >= kFewestElements &&
         generic.getIndexingMapMatchingResult(generic->getResult(0)).isIdentity() &&
         generic.getRegionOutputArgs()[0].use_empty() && llvm::all_of(generic.getIndexingMapsArray(), isInOrder) &&
         llvm::all_of(*generic.getBody(), isVectorized);
}

static ArrayRef<int64_t> shapeOf(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType()).getShape();
}

/// The ops of the block that read an array, or that have others which do.
static SmallVector<Operation *> readersOf(Value array, Block &block) {
  SmallVector<Operation *> readers;
  for (Operation *user : array.getUsers())
    readers.push_back(block.findAncestorOpInBlock(*user));
  return readers;
}

/// Lets an op join the clusters of its operands. It is the last op of the cluster, in whose place they will be: no
/// other reader may come before it.
void Fusion::add(linalg::GenericOp op) {
  unsigned number = clusters.size(), place = order.lookup(op);
  Cluster joined;
  joined.ops.push_back(op);
  joined.scalarOps = scalarOpsOf(op);
  for (Operation *reader : readersOf(op->getResult(0), block))
    joined.readers.insert({order.lookup(reader), reader});
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::optional<unsigned> other = clusterOf(operand->get());
    if (!other || *other == number || !op.getMatchingIndexingMap(operand).isIdentity())
      continue;
    Cluster &cluster = clusters[*other];
    bool isEarlier = llvm::any_of(
        cluster.readers, [&](auto &reader) { return reader.first < place && !contains(joined, reader.second); });
    if (isEarlier || shapeOf(cluster.ops[0]) != shapeOf(op) || joined.scalarOps + cluster.scalarOps > kMostOps)
      continue;
    joined.scalarOps += cluster.scalarOps;
    joined.readers.insert(cluster.readers.begin(), cluster.readers.end());
    joined.ops.append(cluster.ops);
    for (linalg::GenericOp member : std::exchange(cluster, {}).ops)
      numbers[member] = number;
    for (linalg::GenericOp member : joined.ops)
      joined.readers.erase({order.lookup(member), member});
  }
  numbers[op] = number;
  clusters.push_back(std::move(joined));
}

/// Takes out the ops that only others than elementwise ones read, into which the code generator fuses them. Returns
/// them in order: what they read may be computed later now.
SmallVector<Operation *> Fusion::leaveFeeders(Cluster &cluster) const {
  SmallVector<Operation *> feeders;
  for (bool changed = true; changed;) {
    changed = false;
    for (linalg::GenericOp op : cluster.ops) {
      auto readers = readersOf(op->getResult(0), block);
      bool isOutside = llvm::none_of(readers, [&](Operation *reader) { return contains(cluster, reader); });
      bool isFused = llvm::all_of(readers, [](Operation *reader) { return isa<linalg::LinalgOp>(reader); });
      if (!isOutside || !isFused)
        continue;
      feeders.push_back(op);
      llvm::erase(cluster.ops, op);
      changed = true;
      break;
    }
  }
  llvm::sort(feeders, [&](Operation *a, Operation *b) { return order.lookup(a) < order.lookup(b); });
  return feeders;
}

/// Whether an array between the ops has several readers: other ones the code generator fuses itself.
bool Fusion::isWorthIt(const Cluster &cluster) const {
  return llvm::any_of(cluster.ops, [&](linalg::GenericOp op) {
    auto readers = readersOf(op->getResult(0), block);
    llvm::sort(readers);
    readers.erase(llvm::unique(readers), readers.end());
    return readers.size() > 1 && llvm::any_of(readers, [&](Operation *reader) { return contains(cluster, reader); });
  });
}

/// Replaces the ops by one in the place of the last.
bool Fusion::fuse(Cluster &cluster) {
  if (cluster.ops.size() < 2)
    return false;
  llvm::sort(cluster.ops, [&](Operation *a, Operation *b) { return order.lookup(a) < order.lookup(b); });
  Operation *last = cluster.ops.back();
  SmallVector<Operation *> feeders = leaveFeeders(cluster);
  if (cluster.ops.size() < 2 || !isWorthIt(cluster))
    return false;
  llvm::MapVector<std::pair<Value, AffineMap>, unsigned> inputs;
  SmallVector<linalg::GenericOp> outputs;
  for (linalg::GenericOp op : cluster.ops) {
    for (OpOperand *operand : op.getDpsInputOperands())
      if (!contains(cluster, operand->get().getDefiningOp()))
        inputs.insert({{operand->get(), op.getMatchingIndexingMap(operand)}, unsigned(inputs.size())});
    if (llvm::any_of(readersOf(op->getResult(0), block), [&](Operation *reader) { return !contains(cluster, reader); }))
      outputs.push_back(op);
  }
  if (inputs.size() + outputs.size() > kMostArrays)
    return false;
  ImplicitLocOpBuilder b(last->getLoc(), last);
  SmallVector<Value> arrays, inits;
  SmallVector<AffineMap> maps;
  for (auto &[input, number] : inputs) {
    arrays.push_back(input.first);
    maps.push_back(input.second);
  }
  for (linalg::GenericOp op : outputs) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    inits.push_back(tensor::EmptyOp::create(b, type.getShape(), type.getElementType()));
    maps.push_back(b.getMultiDimIdentityMap(type.getRank()));
  }
  SmallVector<utils::IteratorType> iterators(shapeOf(last).size(), utils::IteratorType::parallel);
  auto fused = linalg::GenericOp::create(
      b, TypeRange(ValueRange(inits)), arrays, inits, maps, iterators,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        IRMapping values;
        DenseMap<Value, Value> computed;
        for (linalg::GenericOp op : cluster.ops) {
          for (auto [operand, argument] : llvm::zip(op.getDpsInputOperands(), op.getRegionInputArgs())) {
            auto inside = computed.find(operand->get());
            values.map(argument, inside != computed.end()
                                     ? inside->second
                                     : arguments[inputs.lookup({operand->get(), op.getMatchingIndexingMap(operand)})]);
          }
          for (Operation &scalar : op.getBody()->without_terminator())
            body.clone(scalar, values);
          computed[op->getResult(0)] = values.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
        }
        linalg::YieldOp::create(body, loc, llvm::map_to_vector(outputs, [&](linalg::GenericOp op) {
                                  return computed.lookup(op->getResult(0));
                                }));
      });
  for (auto [op, result] : llvm::zip_equal(outputs, fused->getResults()))
    op->getResult(0).replaceAllUsesWith(result);
  Operation *after = fused;
  for (Operation *feeder : feeders) {
    feeder->moveAfter(after);
    after = feeder;
  }
  for (linalg::GenericOp op : llvm::reverse(cluster.ops))
    op->erase();
  return true;
}

/// Whether an array is made of smaller ones: the code generator computes it where it is read.
static bool isOfSmaller(Value array, int64_t size) {
  auto maker = array.getDefiningOp<linalg::GenericOp>();
  return maker && isOnEachElement(maker) && llvm::all_of(maker.getDpsInputs(), [&](Value input) {
           auto type = dyn_cast<RankedTensorType>(input.getType());
           return !type || (type.hasStaticShape() && type.getNumElements() < size);
         });
}

/// The number of arrays in memory that an op reads which have as many elements as its result; none if one is larger.
static std::optional<int64_t> numWholeArrays(linalg::GenericOp op) {
  int64_t size = product(shapeOf(op)), count = 0;
  for (Value array : op.getDpsInputs()) {
    auto type = dyn_cast<RankedTensorType>(array.getType());
    if (type && (!type.hasStaticShape() || type.getNumElements() > size))
      return std::nullopt;
    count += type && type.getNumElements() == size && !isOfSmaller(array, size);
  }
  return count;
}

/// Makes a copy of an op part of its only reader, so that no other copy replaces it.
static void fuseInto(linalg::GenericOp reader, Operation *copy) {
  if (!copy->hasOneUse())
    return;
  OpOperand *operand = &*copy->use_begin();
  IRRewriter rewriter(reader->getContext());
  rewriter.setInsertionPoint(reader);
  if (!linalg::areElementwiseOpsFusable(operand))
    return;
  FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
  if (failed(fused))
    return;
  for (auto [before, after] : fused->replacements)
    rewriter.replaceAllUsesWith(before, after);
  rewriter.eraseOp(reader);
  if (copy->use_empty())
    rewriter.eraseOp(copy);
}

/// Computes an array of few scalar ops anew in each reader: that is quicker than to write and to read it, and needs no
/// memory. Returns whether there are such readers.
static bool repeat(linalg::GenericOp op, DenseMap<Operation *, int64_t> &costs) {
  Value array = op->getResult(0);
  int64_t cost = scalarOpsOf(op) + costs.lookup(op);
  std::optional<int64_t> numWhole = numWholeArrays(op);
  if (!numWhole || *numWhole > 1 || cost > kMostRepeated)
    return false;
  SmallVector<Operation *> readers;
  for (OpOperand &use : array.getUses()) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || reader->getBlock() != op->getBlock() || !reader.isDpsInput(&use) ||
        !reader.getMatchingIndexingMap(&use).isIdentity() ||
        product(reader.getStaticLoopRanges()) != product(shapeOf(op)))
      return false;
    if (!llvm::is_contained(readers, reader))
      readers.push_back(reader);
  }
  if (readers.size() < 2)
    return false;
  for (Value operand : op.getDpsInputs())
    if (Operation *maker = operand.getDefiningOp())
      costs[maker] = std::max(costs.lookup(maker), cost);
  for (Operation *reader : readers) {
    OpBuilder builder(reader);
    Operation *copy = builder.clone(*op);
    reader->replaceUsesOfWith(array, copy->getResult(0));
    costs.erase(reader);
    fuseInto(cast<linalg::GenericOp>(reader), copy);
  }
  costs.erase(op);
  op->erase();
  return true;
}

bool Fusion::run() {
  for (Operation &op : block)
    if (isOnEachElement(&op))
      add(cast<linalg::GenericOp>(op));
  bool isChanged = false;
  for (Cluster &cluster : clusters)
    isChanged |= fuse(cluster);
  SmallVector<linalg::GenericOp> ops;
  for (Operation &op : block)
    if (isOnEachElement(&op))
      ops.push_back(cast<linalg::GenericOp>(op));
  // What an op reads has more readers if it is repeated.
  DenseMap<Operation *, int64_t> costs;
  for (linalg::GenericOp op : llvm::reverse(ops))
    isChanged |= repeat(op, costs);
  return isChanged;
}

namespace {
struct FuseSharedPass : impl::FuseSharedPassBase<FuseSharedPass> {
  void runOnOperation() override {
    if (!Target(getOperation()).isCpu())
      return markAllAnalysesPreserved();
    SmallVector<Block *> blocks;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<ModuleOp, func::FuncOp, scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        return WalkResult::skip();
      if (!isa<ModuleOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
      return WalkResult::advance();
    });
    bool isChanged = false;
    for (Block *block : blocks)
      isChanged |= Fusion(*block).run();
    if (!isChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail
