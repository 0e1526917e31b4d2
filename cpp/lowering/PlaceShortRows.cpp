// Arrays of short rows get what is along the rows as their first dimension, where that takes no copies.
#include "Passes.h"
#include "cpp/tensors/Target.h"
#include "cpp/transforms/Passes.h"
#include "dialects/Emitter.h"
#include "dialects/Inference.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PLACESHORTROWSPASS
#include "cpp/lowering/Passes.h.inc"

/// The longest rows that are short; the fewest elements along the rows that come instead, a vector's; and how many
/// times as many elements as are transposed the arrays have at least.
constexpr int64_t kLongest = 8, kFewest = 16, kWorth = 8;
/// Larger arrays of more than two dimensions, as of all pairs, are in memory only if their rows are the first
/// dimension: else the loops that reduce rows compute them (`reducedFromFewer`).
constexpr int64_t kMostOfPairs = int64_t(1) << 20;

static bool hasShortRows(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array || !array.hasStaticShape() || array.getRank() < 2 ||
      (array.getRank() > 2 && array.getNumElements() > kMostOfPairs))
    return false;
  int64_t row = array.getShape().back(), next = array.getDimSize(array.getRank() - 2);
  return row >= 2 && row <= kLongest && next >= kFewest;
}

/// The last dimension first.
static SmallVector<int64_t> placement(Type type) {
  int64_t rank = cast<RankedTensorType>(type).getRank();
  SmallVector<int64_t> permutation = {rank - 1};
  llvm::append_range(permutation, llvm::seq<int64_t>(0, rank - 1));
  return permutation;
}

static int64_t numElements(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

/// The element of a constant that repeats it; null for others.
static TypedAttr repeated(Value value) {
  DenseElementsAttr constant;
  bool isSplat = matchPattern(value, m_Constant(&constant)) && constant.isSplat();
  return isSplat ? constant.getSplatValue<TypedAttr>() : TypedAttr();
}

/// A pointwise op whose result has short rows.
static bool isComputed(Operation *op) {
  return isa<PointwiseOpInterface>(op) && hasShortRows(op->getResult(0).getType());
}

/// A reduction of an array of short rows.
static ReduceOpInterface reductionOf(Operation *op) {
  auto reduces = dyn_cast<ReduceOpInterface>(op);
  bool isPlain = reduces && op->getNumOperands() == 1 && op->getNumResults() == 1;
  return isPlain && hasShortRows(op->getOperand(0).getType()) ? reduces : ReduceOpInterface();
}

/// The elements that an op reads or returns along short rows of an array, and along other dimensions of it.
static int64_t numTransposed(Operation *op) {
  bool isMade = isa<PermuteOpInterface>(op);
  FactorMap map = *factorMap(op);
  int64_t row = isMade ? map.results[0].back() : map.operands[0].back(), sum = 0;
  auto count = [&](ArrayRef<int64_t> factors, Value value) {
    sum += factors.size() > 1 && llvm::is_contained(factors, row) ? numElements(value) : 0;
  };
  if (!isMade)
    count(map.results[0], op->getResult(0));
  else
    for (auto [factors, operand] : llvm::zip(map.operands, op->getOperands()))
      count(factors, operand);
  return sum;
}

namespace {
/// The arrays of a block that pointwise ops compute from each other.
class ShortRows {
public:
  explicit ShortRows(Block &block);
  /// Returns whether there were arrays to place.
  bool place();

private:
  struct Group {
    int64_t numPlaced = 0, numTransposed = 0;
    bool isReduced = false, canMove = true;
  };
  void look(Value value, Group &group);
  Value placed(Emitter &e, Value value);
  void reduce(ReduceOpInterface op);

  Block &block;
  llvm::EquivalenceClasses<Value> arrays;
  /// What is placed, and then its new value.
  llvm::MapVector<Value, Value> of;
};

struct PlaceShortRowsPass : impl::PlaceShortRowsPassBase<PlaceShortRowsPass> {
  void runOnOperation() override;
};
} // namespace

ShortRows::ShortRows(Block &block) : block(block) {
  for (Operation &op : block)
    if (isComputed(&op)) {
      arrays.insert(op.getResult(0));
      for (Value operand : op.getOperands())
        if (!repeated(operand))
          arrays.unionSets(op.getResult(0), operand);
    }
  llvm::DenseMap<Value, Group> groups;
  for (Operation &op : block) {
    // In the order of the program, so that what comes of it does not depend on addresses.
    SmallVector<Value> values = llvm::to_vector(op.getOperands());
    llvm::append_range(values, op.getResults());
    for (Value value : values)
      if (arrays.contains(value) && of.try_emplace(value).second)
        look(value, groups[arrays.getLeaderValue(value)]);
  }
  of.remove_if([&](auto &entry) {
    const Group &group = groups[arrays.getLeaderValue(entry.first)];
    return !group.canMove || !group.isReduced || group.numTransposed * kWorth > group.numPlaced;
  });
}

/// Adds an array to its group.
void ShortRows::look(Value value, Group &group) {
  group.numPlaced += numElements(value);
  Operation *op = value.getDefiningOp();
  bool isMade = op && isa<PermuteOpInterface>(op);
  if (isMade)
    group.numTransposed += numTransposed(op);
  group.canMove &= op && (isMade || (op->getBlock() == &block && isComputed(op)));
  for (Operation *user : value.getUsers()) {
    if (user->getBlock() == &block && isComputed(user))
      continue;
    auto reduces = user->getBlock() == &block ? reductionOf(user) : ReduceOpInterface();
    group.isReduced |= static_cast<bool>(reduces);
    // Others read an array as it was made.
    group.canMove &= isMade || reduces;
    if (reduces)
      group.numTransposed += numTransposed(user);
  }
}

Value ShortRows::placed(Emitter &e, Value value) {
  SmallVector<int64_t> permutation = placement(value.getType());
  if (TypedAttr element = repeated(value))
    return e.full(permuted(value.getType(), permutation), {}, element);
  Value &result = of[value];
  if (!result) {
    OpBuilder builder(value.getDefiningOp());
    Emitter here(builder, value.getLoc());
    result = cast<PermuteOpInterface>(value.getDefiningOp()).emitPermuted(here, permutation);
  }
  return result;
}

void ShortRows::reduce(ReduceOpInterface op) {
  OpBuilder builder(op);
  Emitter e(builder, op.getLoc());
  SmallVector<int64_t> permutation = placement(op->getOperand(0).getType()), dims, kept;
  for (auto [i, dim] : llvm::enumerate(permutation)) {
    if (llvm::is_contained(op.getDims(), dim))
      dims.push_back(i);
    else
      kept.push_back(dim);
  }
  Value result = op.emitOver(e, placed(e, op->getOperand(0)), dims);
  SmallVector<int64_t> back = llvm::to_vector(llvm::seq<int64_t>(0, kept.size()));
  llvm::sort(back, [&](int64_t a, int64_t b) { return kept[a] < kept[b]; });
  op->getResult(0).replaceAllUsesWith(e.transpose(result, back));
  op->erase();
}

bool ShortRows::place() {
  if (of.empty())
    return false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isComputed(&op) && of.contains(op.getResult(0))) {
      OpBuilder builder(&op);
      Emitter e(builder, op.getLoc());
      auto operands = llvm::map_to_vector(op.getOperands(), [&](Value operand) { return placed(e, operand); });
      Type type = permuted(op.getResult(0).getType(), placement(op.getResult(0).getType()));
      of[op.getResult(0)] = cloneWith(e, &op, operands, type)->getResult(0);
    } else if (auto reduces = reductionOf(&op); reduces && of.contains(op.getOperand(0))) {
      reduce(reduces);
    }
  }
  return true;
}

void PlaceShortRowsPass::runOnOperation() {
  if (!Target(getOperation()).isCpu())
    return markAllAnalysesPreserved();
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) { blocks.push_back(block); });
  bool changed = false;
  for (Block *block : blocks)
    changed |= ShortRows(*block).place();
  if (!changed)
    return markAllAnalysesPreserved();
  OpPassManager passes(ModuleOp::getOperationName());
  passes.addPass(createSimplifyPass());
  if (failed(runPipeline(passes, getOperation())))
    signalPassFailure();
}

} // namespace dovetail
