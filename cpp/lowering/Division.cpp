// Parts of a loop, and of ops around it, that do not depend on each other.
#include "Division.h"
#include "Masked.h"
#include "dialects/Create.h"
#include "dialects/Folding.h"
#include "dialects/Grid.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

namespace dovetail {

Division::Division(Operation *loop, bool mayAdd) : block(loop->getBlock()), mayAdd(mayAdd && loop->hasAttr(kKernel)) {
  ops.insert(loop);
  loop->walk([&](Operation *op) { addEdges(op); });
}

//===- What is divided ----------------------------------------------------------------------===//

void Division::addEdges(Operation *op) {
  auto flow = dyn_cast<FlowOpInterface>(op);
  if (!flow)
    return;
  auto link = [&](Value from, Value to, int64_t shift) {
    edges[from].push_back({to, shift});
    edges[to].push_back({from, -shift});
  };
  forEachSource(op, [&](OpOperand &source) {
    // Bodies that get the same value from outside get the same part of it.
    Value first;
    int64_t shiftOfFirst = 0;
    flow.forEachTarget(source, [&](Value target, Flow kind) {
      int64_t shift = kind == Flow::Slice ? -1 : kind == Flow::Stack ? 1 : 0;
      if (isInside(source.get()))
        return link(source.get(), target, shift);
      if (first)
        return link(first, target, shift - shiftOfFirst);
      first = target;
      shiftOfFirst = shift;
    });
  });
}

bool Division::isInside(Operation *op) const {
  Operation *around = block->findAncestorOpInBlock(*op);
  return around && ops.contains(around);
}

bool Division::isInside(Value value) const {
  Operation *maker = value.getDefiningOp();
  return isInside(maker ? maker : value.getParentBlock()->getParentOp());
}

int64_t Division::dimOf(OpOperand &operand) const {
  if (isInside(operand.get()))
    return dimOf(operand.get());
  int64_t dim = -1;
  if (auto flow = dyn_cast<FlowOpInterface>(operand.getOwner())) {
    flow.forEachTarget(operand, [&](Value target, Flow kind) {
      if (int64_t own = dimOf(target); own >= 0)
        dim = own + (kind == Flow::Slice ? 1 : kind == Flow::Stack ? -1 : 0);
    });
    return dim;
  }
  auto found = factors.find(operand.getOwner());
  if (found == factors.end())
    return -1;
  SmallVector<int64_t> ofDims = factorMap(operand.getOwner())->operands[operand.getOperandNumber()];
  const auto *place = llvm::find(ofDims, found->second);
  return place == ofDims.end() ? -1 : place - ofDims.begin();
}

bool Division::mark(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || dim < 0 || dim >= type.getRank())
    return false;
  // A dimension of another size is one that a reshape has split, or joined with others: parts of both are as many.
  int64_t common = std::gcd(type.getDimSize(dim), size);
  if (common != size && (isFound || common == 1))
    return false;
  size = common;
  auto [known, isNew] = dims.try_emplace(value, dim);
  if (isNew)
    pending.push_back(value);
  return known->second == dim;
}

bool Division::markAll() {
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    int64_t dim = dims.lookup(value);
    for (const Edge &edge : edges.lookup(value))
      if (!mark(edge.other, dim + edge.shift))
        return false;
    if (Operation *maker = value.getDefiningOp(); maker && isInside(maker) && !relate(maker))
      return false;
    for (Operation *user : value.getUsers())
      if (isInside(user) && !relate(user))
        return false;
  }
  return true;
}

static bool isSplat(Operation *op, DenseElementsAttr &elements) {
  return matchPattern(op, m_Constant(&elements)) && elements.isSplat();
}

/// Whether an op may reduce a dimension that is divided: each part of a masked loop runs as long as it has to.
static bool mayReduceParts(Operation *op) {
  auto loop = dyn_cast<WhileOp>(op->getParentOp());
  return loop && anyOfMasked(loop) == op;
}

/// Whether each part may compute all of an op's result, and take its part of that.
bool Division::computesAll(Operation *op) {
  if (!op->getParentOp()->hasAttr(kKernel) || op->getNumRegions() > 0 || op->getNumResults() != 1 || !isPure(op) ||
      llvm::any_of(op->getOperands(), [&](Value operand) { return dimOf(operand) >= 0; }))
    return false;
  whole.insert(op);
  return true;
}

/// Divides the other values of an op some of which are divided.
bool Division::relate(Operation *op) {
  if (isa<FlowOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (whole.contains(op))
    return computesAll(op);
  if (op->getNumOperands() == 0 && isPure(op)) {
    DenseElementsAttr elements;
    if (isSplat(op, elements))
      return true;
    // All parts may be alike.
    std::optional<FactorMap> map = op->getNumResults() == 1 ? factorMap(op) : std::nullopt;
    if (!map || !map->isDivisible(map->results[0][dimOf(op->getResult(0))]))
      hoisted.insert(op);
    return true;
  }
  std::optional<FactorMap> map = op->getNumRegions() == 0 && isPure(op) ? factorMap(op) : std::nullopt;
  if (!map)
    return false;
  int64_t factor = FactorMap::kNone;
  auto find = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factors) {
    for (auto [value, ofDims] : llvm::zip_equal(values, factors))
      if (int64_t dim = isInside(value) ? dimOf(value) : -1; dim >= 0) {
        if (factor != FactorMap::kNone && factor != ofDims[dim])
          return false;
        factor = ofDims[dim];
        if (factor == FactorMap::kNone)
          return false;
      }
    return true;
  };
  if (!find(op->getOperands(), map->operands) || !find(op->getResults(), map->results) || !map->isDivisible(factor) ||
      (llvm::is_contained(map->reduced, factor) && !mayReduceParts(op) &&
       !(map->combiner == FactorMap::Combiner::Sum && makeTerm(op))))
    return computesAll(op);
  factors[op] = factor;
  auto markThose = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factors) {
    for (auto [value, ofDims] : llvm::zip_equal(values, factors)) {
      const auto *found = llvm::find(ofDims, factor);
      if (found == ofDims.end())
        continue;
      if (llvm::count(ofDims, factor) > 1 || (isInside(value) && !mark(value, found - ofDims.begin())))
        return false;
    }
    return true;
  };
  return markThose(op->getOperands(), map->operands) && markThose(op->getResults(), map->results);
}

/// Whether nothing else needs a result that is the same for all parts.
bool Division::areResultsKept() const {
  return llvm::all_of(ops, [&](Operation *op) {
    return llvm::all_of(op->getResults(), [&](Value result) {
      return dimOf(result) >= 0 || sums.contains(result) ||
             llvm::all_of(result.getUsers(), [&](Operation *user) { return isInside(user); });
    });
  });
}

bool Division::divide(Value value, int64_t dim) {
  auto before = std::make_tuple(size, dims, factors, hoisted, whole, sums);
  if (mark(value, dim) && markAll())
    return true;
  std::tie(size, dims, factors, hoisted, whole, sums) = before;
  pending.clear();
  return false;
}

bool Division::find(Value seed, int64_t dim) {
  size = cast<RankedTensorType>(seed.getType()).getDimSize(dim);
  if (!divide(seed, dim))
    return false;
  // Carries that do not depend on each other are divided one by one.
  for (Value result : seed.getDefiningOp()->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()); type && !result.use_empty())
      for (int64_t d = 0; d < type.getRank() && dimOf(result) < 0 && !sums.contains(result); ++d)
        divide(result, d);
  isFound = true;
  if (!areResultsKept())
    return false;
  // Only these take additional arguments.
  return llvm::all_of(hoisted, [&](Operation *op) {
    for (Operation *around = op->getParentOp(); around && isInside(around); around = around->getParentOp())
      if (!isa<ScanOp, CaseOp>(around))
        return false;
    return true;
  });
}

bool Division::isByLeadingDims() const {
  auto isLeading = [](Value value, int64_t dim) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return dim < 0 || llvm::all_of(type.getShape().take_front(dim), [](int64_t size) { return size == 1; });
  };
  return llvm::all_of(ops, [&](Operation *op) {
    return llvm::all_of(op->getOpOperands(),
                        [&](OpOperand &operand) {
                          return isInside(operand.get()) || isLeading(operand.get(), dimOf(operand));
                        }) &&
           llvm::all_of(op->getResults(), [&](Value result) {
             return llvm::all_of(result.getUsers(), [&](Operation *user) { return isInside(user); }) ||
                    isLeading(result, dimOf(result));
           });
  });
}

//===- Ops around a loop ----------------------------------------------------------------------===//

bool Division::dependsOnOps(Operation *op, llvm::SmallPtrSetImpl<Operation *> &seen) const {
  if (!seen.insert(op).second || op->isBeforeInBlock(ops.front()))
    return false;
  auto dependsOn = [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return maker && maker->getBlock() == block && (ops.contains(maker) || dependsOnOps(maker, seen));
  };
  return llvm::any_of(op->getOperands(), dependsOn);
}

/// Adds an op of which a value is divided, if nothing else changes by that.
bool Division::add(Operation *op) {
  if (op->getBlock() != block || ops.contains(op) || !isPure(op) || op->getNumRegions() > 0 ||
      !(isa<PointwiseOpInterface, BroadcastOp>(op)))
    return false;
  auto before = dims;
  // An op that comes before the others has users only among them.
  SmallVector<int64_t> wanted;
  for (OpOperand &use : op->getUses())
    if (ops.contains(use.getOwner()))
      wanted.push_back(dimOf(use));
  ops.insert(op);
  auto undo = [&] {
    dims = before;
    pending.clear();
    ops.remove(op);
    factors.erase(op);
    return false;
  };
  if (!llvm::all_of(wanted, [&](int64_t dim) { return mark(op->getResult(0), dim); }))
    return undo();
  if (!relate(op) || !markAll() || !areResultsKept() || dimOf(op->getResult(0)) < 0)
    return undo();
  // What it needs must not need the others by way of ops that stay.
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *each : ops)
    for (Value operand : each->getOperands())
      if (Operation *maker = operand.getDefiningOp();
          maker && maker->getBlock() == block && !ops.contains(maker) && dependsOnOps(maker, seen))
        return undo();
  return true;
}

void Division::grow() {
  bool isAny;
  do {
    isAny = false;
    for (size_t i = 0; i < ops.size(); ++i) {
      Operation *op = ops[i];
      for (Value result : op->getResults())
        if (dimOf(result) >= 0)
          for (Operation *user : llvm::to_vector(result.getUsers()))
            isAny |= add(user);
      for (OpOperand &operand : op->getOpOperands()) {
        Operation *maker = dimOf(operand) >= 0 ? operand.get().getDefiningOp() : nullptr;
        if (maker && !matchPattern(maker, m_Constant()) &&
            llvm::all_of(maker->getUsers(), [&](Operation *user) { return isInside(user); }))
          isAny |= add(maker);
      }
    }
  } while (isAny);
}

} // namespace dovetail
