// The loop over the parts of a division.
#include "Division.h"
#include "IndexedWindows.h"
#include "dialects/Create.h"
#include "dialects/Grid.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Shape.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

static bool isSplat(Operation *op, DenseElementsAttr &elements) {
  return matchPattern(op, m_Constant(&elements)) && elements.isSplat();
}

Type Division::partType(Value value, int64_t dim) const {
  if (dim < 0)
    return value.getType();
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = sizeOfPart(type, dim);
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
  } else if (whole.contains(&op)) {
    int64_t dim = dimOf(op.getResult(0));
    Value all = cloneWith(here, &op, operands, op.getResultTypes())->getResult(0);
    int64_t extent = sizeOfPart(cast<RankedTensorType>(all.getType()), dim);
    Value start = here.mul(partNumber, here.full(partNumber, extent));
    start = here.reshape(start, withShape(cast<RankedTensorType>(start.getType()), {1}), {});
    auto part = GatherOp::create(e.builder, here.loc, all, start, ArrayRef(dim), ArrayRef(extent));
    part->setAttr(kWithin, e.builder.getUnitAttr());
    results.push_back(part);
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
  shape[dim] = sizeOfPart(type, dim);
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
  if (!whole.empty()) {
    SmallVector<int32_t> numbers = llvm::to_vector(llvm::seq<int32_t>(0, numParts));
    auto type = RankedTensorType::get({numParts}, builder.getI32Type());
    loop.xs.push_back(e.make<ConstantOp>(DenseElementsAttr::get(type, ArrayRef(numbers))));
    types.push_back(RankedTensorType::get({}, builder.getI32Type()));
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
  partNumber = whole.empty() ? Value() : *next++;
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
