// Parts of a loop, and of ops around it, that do not depend on each other.
#include "Division.h"
#include "Masked.h"
#include "dialects/Create.h"
#include "dialects/Folding.h"
#include "dialects/Grid.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

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
  if (!type || !type.hasStaticShape() || dim < 0 || dim >= type.getRank() || type.getDimSize(dim) != size)
    return false;
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

/// Divides the other values of an op some of which are divided.
bool Division::relate(Operation *op) {
  if (isa<FlowOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (op->getNumOperands() == 0 && isPure(op)) {
    DenseElementsAttr elements;
    if (!isSplat(op, elements))
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
    return false;
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
  auto before = std::make_tuple(dims, factors, hoisted, sums);
  if (mark(value, dim) && markAll())
    return true;
  std::tie(dims, factors, hoisted, sums) = before;
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

//===- The loop over parts ----------------------------------------------------------------------===//

Type Division::partType(Value value, int64_t dim) const {
  if (dim < 0)
    return value.getType();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size / numParts;
  return withShape(type, shape);
}

/// The constants of an op's bodies that become its operands.
SmallVector<Operation *> Division::hoistedIn(Operation *op) const {
  return llvm::filter_to_vector(hoisted, [&](Operation *each) { return op->isProperAncestor(each); });
}

Body Division::emitBody(Emitter &e, Region &source, ArrayRef<Operation *> constants) {
  SmallVector<Type> types;
  for (Value argument : source.getArguments())
    types.push_back(partType(argument, dimOf(argument)));
  for (Operation *constant : constants)
    types.push_back(partType(constant->getResult(0), dimOf(constant->getResult(0))));
  Body body(e.loc, types);
  BodyEmitter inner(e, body);
  for (auto [argument, to] : llvm::zip(source.getArguments(), body.arguments()))
    parts[argument] = to;
  for (auto [constant, to] : llvm::zip_equal(constants, body.arguments().take_back(constants.size())))
    parts[constant->getResult(0)] = to;
  for (Operation &op : opsOf(source))
    emitOp(inner, op);
  for (Value value : returned(source))
    body.results.push_back(parts.lookup(value));
  return body;
}

void Division::emitOp(Emitter &e, Operation &op) {
  if (hoisted.contains(&op))
    return;
  Emitter here(e.builder, op.getLoc());
  SmallVector<Value> operands, results;
  for (OpOperand &operand : op.getOpOperands())
    operands.push_back(isInside(operand.get()) ? parts.lookup(operand.get())
                                               : outside.lookup({operand.get(), dimOf(operand)}));
  SmallVector<Type> types;
  for (Value result : op.getResults())
    types.push_back(partType(result, dimOf(result)));
  if (op.hasAttr(kKernel)) {
    Region &body = op.getRegion(0);
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), ArrayRef(operands).drop_front()))
      parts[argument] = operand;
    auto isOfSum = [&](Operation *inner) {
      return llvm::any_of(sums, [&](auto &entry) { return llvm::is_contained(entry.second.ops, inner); });
    };
    for (Operation &inner : opsOf(body))
      if (!isOfSum(&inner))
        emitOp(e, inner);
    for (auto [result, value] : llvm::zip_equal(op.getResults(), returned(body)))
      parts[result] = parts.lookup(sums.contains(result) ? sums.lookup(result).term : value);
    return;
  }
  SmallVector<Operation *> constants = hoistedIn(&op);
  DenseElementsAttr elements;
  if (auto scan = dyn_cast<ScanOp>(op); scan && !constants.empty()) {
    auto inherited = llvm::map_to_vector(constants, [&](Operation *each) { return parts.lookup(each->getResult(0)); });
    ValueRange all = operands;
    size_t numInits = scan.getInits().size(), numXs = scan.getXs().size(), numConsts = scan.getConsts().size();
    Loop loop;
    loop.inits = all.take_front(numInits);
    loop.xs = all.slice(numInits, numXs);
    loop.consts = all.slice(numInits + numXs, numConsts);
    llvm::append_range(loop.consts, inherited);
    loop.count = scan.getCount() ? operands.back() : Value();
    loop.length = scan.getLength();
    loop.reverse = scan.getReverse();
    results = loop.emit(here, emitBody(here, scan.getBody(), constants));
    for (auto [constant, value] : llvm::zip_equal(constants, inherited))
      parts[constant->getResult(0)] = value;
  } else if (isa<FlowOpInterface>(op)) {
    SmallVector<Body> bodies;
    auto inherited = llvm::map_to_vector(constants, [&](Operation *each) { return parts.lookup(each->getResult(0)); });
    for (Region &region : op.getRegions())
      bodies.push_back(emitBody(here, region, constants));
    for (auto [constant, value] : llvm::zip_equal(constants, inherited))
      parts[constant->getResult(0)] = value;
    llvm::append_range(operands, inherited);
    Operation *made = cloneWith(here, &op, operands, types);
    for (auto [region, body] : llvm::zip_equal(made->getRegions(), bodies))
      fill(region, std::move(body));
    results = made->getResults();
  } else if (op.getNumResults() == 1 && dimOf(op.getResult(0)) >= 0 && isSplat(&op, elements)) {
    results.push_back(here.make<ConstantOp>(elements.resizeSplat(cast<ShapedType>(types[0]))));
  } else {
    results = cloneWith(here, &op, operands, types)->getResults();
  }
  for (auto [all, own] : llvm::zip_equal(op.getResults(), results))
    parts[all] = own;
}

/// The dimensions of an array of `rank` whose dimension `dim` is split in two, the first of which comes first.
static SmallVector<int64_t> numberFirst(int64_t rank, int64_t dim) {
  SmallVector<int64_t> order = {dim};
  for (int64_t d = 0; d <= rank; ++d)
    if (d != dim)
      order.push_back(d);
  return order;
}

/// An array as one of its parts.
Value Division::partsOf(Emitter &e, Value array, int64_t dim) const {
  auto type = cast<RankedTensorType>(array.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size / numParts;
  shape.insert(shape.begin() + dim, numParts);
  Value split = e.reshape(array, withShape(type, shape), {});
  return dim == 0 ? split : e.transpose(split, numberFirst(type.getRank(), dim));
}

Value Division::joined(Emitter &e, Value parts, RankedTensorType type, int64_t dim) const {
  if (dim > 0)
    parts = e.transpose(parts, invertPermutationVector(numberFirst(type.getRank(), dim)));
  return e.reshape(parts, type, {});
}

void Division::collectOutside(ArrayRef<Operation *> sorted) {
  for (Operation *op : sorted)
    for (OpOperand &operand : op->getOpOperands())
      if (!isInside(operand.get()))
        outside.insert({{operand.get(), dimOf(operand)}, Value()});
}

SmallVector<Operation *> Division::inOrder() const {
  SmallVector<Operation *> sorted(ops.getArrayRef());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

Operation *Division::emit(int64_t number) {
  numParts = number;
  SmallVector<Operation *> sorted = inOrder();
  collectOutside(sorted);
  OpBuilder builder(sorted.back());
  Emitter e(builder, sorted.front()->getLoc());
  DenseElementsAttr elements;
  auto isFilled = [&](auto &entry) {
    Operation *maker = entry.first.first.getDefiningOp();
    return entry.first.second >= 0 && maker && isSplat(maker, elements);
  };
  Loop loop;
  loop.length = numParts;
  loop.reverse = false;
  SmallVector<Type> types;
  for (auto &entry : outside)
    if (auto [value, dim] = entry.first; dim >= 0 && !isFilled(entry)) {
      loop.xs.push_back(partsOf(e, value, dim));
      types.push_back(partType(value, dim));
    }
  for (Operation *constant : hoisted) {
    Value value = constant->getResult(0);
    loop.xs.push_back(partsOf(e, builder.clone(*constant)->getResult(0), dimOf(value)));
    types.push_back(partType(value, dimOf(value)));
  }
  for (auto &entry : outside)
    if (auto [value, dim] = entry.first; dim < 0) {
      loop.consts.push_back(value);
      types.push_back(value.getType());
    }
  Body body(e.loc, types);
  BodyEmitter inner(e, body);
  auto *next = body.arguments().begin();
  for (auto &entry : outside)
    if (isFilled(entry))
      entry.second = inner.make<ConstantOp>(
          elements.resizeSplat(cast<ShapedType>(partType(entry.first.first, entry.first.second))));
    else if (entry.first.second >= 0)
      entry.second = *next++;
  for (Operation *constant : hoisted)
    parts[constant->getResult(0)] = *next++;
  for (auto &entry : outside)
    if (entry.first.second < 0)
      entry.second = *next++;
  for (Operation *op : sorted) {
    emitOp(inner, *op);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isInside(user); })) {
        results.push_back(result);
        body.results.push_back(parts.lookup(result));
      }
  }
  ValueRange stacked = loop.emit(e, std::move(body));
  Operation *made = stacked.front().getDefiningOp();
  made->setAttr(kWorkgroups, builder.getUnitAttr());
  return made;
}

void Division::replace(ValueRange stacked) {
  OpBuilder builder(stacked.back().getContext());
  builder.setInsertionPointAfterValue(stacked.back());
  Emitter e(builder, stacked.back().getLoc());
  for (auto [result, parts] : llvm::zip_equal(results, stacked))
    result.replaceUsesWithIf(sums.contains(result)
                                 ? added(e, parts, sums.lookup(result))
                                 : joined(e, parts, cast<RankedTensorType>(result.getType()), dimOf(result)),
                             [&](OpOperand &use) { return !isInside(use.getOwner()); });
  SmallVector<Operation *> sorted = inOrder();
  for (Operation *op : llvm::reverse(sorted))
    op->erase();
  sortTopologically(block);
}

} // namespace dovetail
