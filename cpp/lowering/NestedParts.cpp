// Makes one loop over parts of a loop over parts of parts.
#include "NestedParts.h"
#include "Division.h"
#include "IndexedWindows.h"
#include "dialects/Create.h"
#include "dialects/Grid.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

Operation *wrapBody(ScanOp loop) {
  Block &block = loop.getBody().front();
  Operation *end = block.getTerminator();
  OpBuilder builder(end);
  Emitter e(builder, loop.getLoc());
  Body body(loop.getLoc(), block.getArgumentTypes());
  for (auto [from, to] : llvm::zip_equal(block.getArguments(), body.arguments()))
    from.replaceAllUsesWith(to);
  for (Operation &op : llvm::make_early_inc_range(opsOf(loop.getBody())))
    op.moveBefore(&body.block(), body.block().end());
  llvm::append_range(body.results, end->getOperands());
  Value index = e.zeros(RankedTensorType::get({}, builder.getI32Type()), {});
  auto kernel = CaseOp::create(builder, loop.getLoc(), end->getOperandTypes(), index, block.getArguments(),
                               /*branchesCount=*/1);
  kernel->setAttr(kKernel, builder.getUnitAttr());
  fill(kernel.getBranches()[0], std::move(body));
  end->setOperands(kernel->getResults());
  return kernel;
}

void moveReshapesOut(Operation *op) {
  Block &block = op->getRegion(0).front();
  OpBuilder builder(op);
  Emitter before(builder, op->getLoc());
  for (BlockArgument argument : block.getArguments()) {
    auto reshape = argument.hasOneUse() ? dyn_cast<ReshapeOp>(*argument.user_begin()) : nullptr;
    if (!reshape || reshape->getBlock() != &block || !reshape.getType().hasStaticShape())
      continue;
    OpOperand &operand = op->getOpOperand(argument.getArgNumber() + 1);
    operand.set(before.reshape(operand.get(), reshape.getType(), {}));
    argument.setType(reshape.getType());
    reshape.replaceAllUsesWith(Value(argument));
    reshape.erase();
  }
  builder.setInsertionPointAfter(op);
  for (OpOperand &value : block.getTerminator()->getOpOperands()) {
    OpResult result = op->getResult(value.getOperandNumber());
    auto reshape = value.get().getDefiningOp<ReshapeOp>();
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!reshape || !reshape.getType().hasStaticShape() || !reshape.getX().getType().hasStaticShape())
      continue;
    value.set(reshape.getX());
    result.setType(reshape.getX().getType());
    auto outside = ReshapeOp::create(builder, op->getLoc(), type, result, ValueRange());
    result.replaceAllUsesExcept(outside, outside);
    if (reshape.use_empty())
      reshape.erase();
  }
}

/// Whether a transposition only moves dimensions of size 1.
static bool keepsOrder(TransposeOp op) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  return llvm::is_sorted(llvm::filter_to_vector(op.getPermutation(), [&](int64_t d) { return shape[d] != 1; }));
}

Value shapedFrom(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto transpose = dyn_cast<TransposeOp>(op);
    if (!isa<ReshapeOp>(op) && !(transpose && keepsOrder(transpose)))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

RankedTensorType withLeading(int64_t size, RankedTensorType type) {
  SmallVector<int64_t> shape = {size};
  llvm::append_range(shape, type.getShape());
  return RankedTensorType::get(shape, type.getElementType());
}

/// What the body of the loop under construction computes an operand of the inner loop from.
struct Source {
  enum Kind { Slice, OfOuter, OfInner, Whole, Constant } kind;
  /// The operand of the loop, and what it is in the body.
  Value array, inside;
};

class Flattening {
public:
  Flattening(ScanOp outer, ScanOp inner) : outer(outer), inner(inner) {}

  SmallVector<Value> run() {
    if (!outer.getInits().empty() || !inner.getInits().empty() || !findResults() || !areOnlyShapes())
      return {};
    OpBuilder builder(outer);
    Emitter e(builder, outer.getLoc());
    e.batchSize = BatchSize(numEntries());
    if (!findSources(e))
      return {};
    return emit(e);
  }

private:
  int64_t numEntries() { return outer.getLength(); }
  int64_t numParts() { return inner.getLength(); }

  struct Result {
    /// The result of the inner loop.
    unsigned number = 0;
    /// From the last one on, the ops that make the outer loop's result of the terms of parts.
    SmallVector<Operation *> sum;
    BlockArgument start;
  };

  bool areOnlyShapes() {
    return llvm::all_of(opsOf(outer.getBody()), [&](Operation &op) {
      return &op == inner || op.getNumOperands() == 0 || isa<ReshapeOp>(op) || isOfSum(&op) ||
             (isa<TransposeOp>(op) && keepsOrder(cast<TransposeOp>(op)));
    });
  }

  bool isOfSum(Operation *op) {
    return llvm::any_of(results, [&](const Result &result) { return llvm::is_contained(result.sum, op); });
  }

  bool findResults() {
    for (Value value : returned(outer.getBody())) {
      Result result;
      Value from = shapedFrom(value);
      // What adds terms of all parts, and something from outside of the loop to them.
      if (Operation *op = from.getDefiningOp(); op && op != inner)
        for (from = value; (op = from.getDefiningOp()) && op != inner;) {
          auto reduce = dyn_cast<ReduceSumOp>(op);
          if (auto add = dyn_cast<AddOp>(op); add && !result.start && isa<BlockArgument>(add.getX()))
            result.start = cast<BlockArgument>(add.getX());
          else if (!isa<ReshapeOp>(op) && !(reduce && reduce.getDims() == ArrayRef<int64_t>{0}))
            return false;
          result.sum.push_back(op);
          from = op->getOperand(isa<AddOp>(op) ? 1 : 0);
          if (reduce) {
            from = shapedFrom(from);
            break;
          }
        }
      auto found = dyn_cast<OpResult>(from);
      if (!found || found.getOwner() != inner || (!result.sum.empty() && !isa<ReduceSumOp>(result.sum.back())))
        return false;
      result.number = found.getResultNumber();
      results.push_back(result);
    }
    return true;
  }

  /// The sums of all entries, from the terms of all parts of all entries.
  Value added(Emitter &e, Value terms, const Result &result) {
    RankedTensorType own = withoutLeading(typeOf(inner.getResult(result.number)));
    Value value = e.reshape(terms, withLeading(numEntries(), withLeading(numParts(), own)), {});
    for (Operation *op : llvm::reverse(result.sum)) {
      auto type = withLeading(numEntries(), typeOf(op->getResult(0)));
      if (isa<ReduceSumOp>(op))
        value = e.reduceSum(value, {1});
      else if (isa<ReshapeOp>(op))
        value = e.reshape(value, type, {});
      else
        value = e.add(startOf(e, result.start, type), value);
    }
    return value;
  }

  /// The argument of the outer loop's body for all entries.
  Value startOf(Emitter &e, BlockArgument start, RankedTensorType type) {
    Value array = outer->getOperand(start.getArgNumber());
    return start.getArgNumber() < outer.getXs().size() ? array : e.batchAt(array, kUnbatched, 0);
  }

  bool findSources(Emitter &e) {
    size_t numXs = inner.getXs().size(), numOuterXs = outer.getXs().size();
    for (auto [i, operand] : llvm::enumerate(inner->getOperands())) {
      bool isSliced = i < numXs;
      Value from = shapedFrom(operand);
      if (Operation *maker = from.getDefiningOp()) {
        if (maker->getNumOperands() > 0 || (isSliced && maker->getNumResults() != 1))
          return false;
        if (isSliced)
          sources.push_back(
              {Source::OfInner, e.reshape(e.builder.clone(*maker)->getResult(0), typeOf(operand), {}), {}});
        else
          sources.push_back({Source::Constant, from, {}});
        continue;
      }
      size_t number = cast<BlockArgument>(from).getArgNumber();
      Value array = outer->getOperand(number);
      bool isOfOuter = number < numOuterXs;
      if (isSliced && isOfOuter)
        sources.push_back(
            {Source::Slice,
             e.reshape(array, withLeading(numEntries() * numParts(), withoutLeading(typeOf(operand))), {}),
             {}});
      else if (isSliced)
        sources.push_back({Source::OfInner, e.reshape(array, typeOf(operand), {}), {}});
      else
        sources.push_back({isOfOuter ? Source::OfOuter : Source::Whole, array, {}});
    }
    return true;
  }

  static RankedTensorType withoutLeading(RankedTensorType type) {
    return RankedTensorType::get(type.getShape().drop_front(), type.getElementType());
  }

  /// For each iteration, the number of the entry, or that of the part.
  Value numbers(Emitter &e, bool isOfEntry) {
    SmallVector<int32_t> values;
    for (int64_t i = 0, n = numEntries() * numParts(); i < n; ++i)
      values.push_back(isOfEntry ? i / numParts() : i % numParts());
    auto type = RankedTensorType::get({int64_t(values.size()), 1}, e.builder.getI32Type());
    return e.make<ConstantOp>(DenseElementsAttr::get(type, ArrayRef(values)));
  }

  /// The part of an array at a number, which is within it.
  static Value chosen(Emitter &e, Value array, Value number) {
    auto gather = GatherOp::create(e.builder, e.loc, array, number, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
    gather->setAttr(kWithin, e.builder.getUnitAttr());
    return gather;
  }

  SmallVector<Value> emit(Emitter &e) {
    Loop loop;
    loop.length = numEntries() * numParts();
    loop.reverse = false;
    SmallVector<Type> types;
    auto add = [&](bool isSliced, Value array) {
      (isSliced ? loop.xs : loop.consts).push_back(array);
      types.push_back(isSliced ? Type(withoutLeading(typeOf(array))) : array.getType());
    };
    auto hasKind = [&](Source::Kind kind) {
      return llvm::any_of(sources, [&](const Source &source) { return source.kind == kind; });
    };
    bool hasEntries = hasKind(Source::OfOuter), hasParts = hasKind(Source::OfInner);
    for (const Source &source : sources)
      if (source.kind == Source::Slice)
        add(true, source.array);
    for (bool isOfEntry : {true, false})
      if (isOfEntry ? hasEntries : hasParts)
        add(true, numbers(e, isOfEntry));
    for (const Source &source : sources)
      if (source.kind != Source::Slice && source.kind != Source::Constant)
        add(false, source.array);
    Body body(e.loc, types);
    BodyEmitter within(e, body);
    auto *next = body.arguments().begin();
    for (Source &source : sources)
      if (source.kind == Source::Slice)
        source.inside = *next++;
    Value entry = hasEntries ? *next++ : Value(), part = hasParts ? *next++ : Value();
    for (Source &source : sources)
      if (source.kind != Source::Slice && source.kind != Source::Constant)
        source.inside = *next++;
    SmallVector<Value> arguments;
    for (auto [source, argument] : llvm::zip_equal(sources, inner.getBody().getArguments())) {
      Value value = source.inside;
      if (source.kind == Source::Constant)
        value = within.builder.clone(*source.array.getDefiningOp())->getResult(0);
      else if (source.kind == Source::OfOuter || source.kind == Source::OfInner)
        value = chosen(within, value, source.kind == Source::OfOuter ? entry : part);
      arguments.push_back(within.reshape(value, typeOf(argument), {}));
    }
    llvm::append_range(body.results, inlineBody(within.builder, inner.getBody(), arguments));
    ValueRange stacked = loop.emit(e, std::move(body));
    stacked.front().getDefiningOp()->setAttr(kWorkgroups, e.builder.getUnitAttr());
    SmallVector<Value> values;
    for (auto [own, result] : llvm::zip_equal(results, outer->getResults()))
      values.push_back(
          e.reshape(own.sum.empty() ? stacked[own.number] : added(e, stacked[own.number], own), typeOf(result), {}));
    return values;
  }

  ScanOp outer, inner;
  /// The results of the outer loop.
  SmallVector<Result> results;
  SmallVector<Source> sources;
};

} // namespace

SmallVector<Value> groupIterations(ScanOp loop, int64_t numGroups) {
  OpBuilder builder(loop);
  Emitter e(builder, loop.getLoc());
  int64_t length = int64_t(loop.getLength()) / numGroups;
  Loop groups;
  groups.length = numGroups;
  groups.reverse = false;
  groups.consts = llvm::to_vector_of<Value>(loop.getConsts());
  SmallVector<Type> types;
  for (Value x : loop.getXs()) {
    types.push_back(withDim(typeOf(loop.getBody().getArgument(types.size())), 0, length));
    groups.xs.push_back(e.reshape(x, withDim(types.back(), 0, numGroups), {}));
  }
  llvm::append_range(types, loop.getConsts().getTypes());
  Body body(e.loc, types);
  BodyEmitter inner(e, body);
  ValueRange arguments = body.arguments();
  Loop each;
  each.length = length;
  each.reverse = false;
  each.xs = llvm::to_vector_of<Value>(arguments.take_front(groups.xs.size()));
  each.consts = llvm::to_vector_of<Value>(arguments.drop_front(groups.xs.size()));
  llvm::append_range(body.results, each.emit(inner, copyOf(loop.getBody())));
  ValueRange stacked = groups.emit(e, std::move(body));
  stacked.front().getDefiningOp()->setAttr(kWorkgroups, builder.getUnitAttr());
  return llvm::map_to_vector(llvm::zip_equal(stacked, loop.getResults()), [&](auto pair) -> Value {
    return e.reshape(std::get<0>(pair), typeOf(std::get<1>(pair)), {});
  });
}

SmallVector<Value> flattenLoops(ScanOp outer, ScanOp inner) { return Flattening(outer, inner).run(); }

} // namespace dovetail
