// Loops carry states of few components as an array for each component.
#include "Passes.h"
#include "dialects/Components.h"
#include "dialects/Control.h"
#include "dialects/Inference.h"
#include "dialects/Reduce.h"
#include "dialects/Rules.h"
#include "dialects/Shape.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SPLITSTATESPASS
#include "cpp/transforms/Passes.h.inc"

namespace {
/// More components are more ops than one array saves time; smaller ones are not worth ops of their own.
constexpr int64_t kMostComponents = 8, kFewestElements = 8;

/// What a loop's body computes component by component.
class Components {
public:
  /// `next` has, for carries, the values in the next iteration.
  Components(Block &block, llvm::MapVector<Value, Value> next) : block(block), next(std::move(next)) {
    for (auto &entry : this->next)
      carries.insert(entry.first);
    find();
  }

  /// Whether an array that is split is taken apart, and none is needed whole but to be stacked.
  bool areWorthIt() const;
  /// The dimension along which a value is split; -1 if it is not.
  int64_t dimOf(Value value) const {
    auto found = dims.find(value);
    return found == dims.end() ? -1 : found->second;
  }
  bool isSplit(Value carry) const { return next.contains(carry); }

private:
  void find();
  int64_t dimOfResult(Operation &op) const;

  /// Whether a value comes from memory in each iteration: components of it can be read.
  bool isRead(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &block && !carries.contains(value);
  }

  Block &block;
  llvm::MapVector<Value, Value> next;
  DenseSet<Value> carries;
  DenseMap<Value, int64_t> dims;
};
} // namespace

static bool isSplittable(Type type, int64_t dim) {
  auto array = dyn_cast<RankedTensorType>(type);
  if (!array || !array.hasStaticShape() || dim < 0 || dim >= array.getRank())
    return false;
  int64_t size = array.getDimSize(dim);
  return size >= 2 && size <= kMostComponents && array.getNumElements() / size >= kFewestElements;
}

/// The type of a part of an array that has size 1 along the dimension.
static RankedTensorType partOf(Type type, int64_t dim) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  shape[dim] = 1;
  return withShape(type, shape);
}

/// The type of a component, which does not have the dimension.
static RankedTensorType componentOf(Type type, int64_t dim) {
  SmallVector<int64_t> shape(cast<RankedTensorType>(type).getShape());
  shape.erase(shape.begin() + dim);
  return withShape(type, shape);
}

/// The array of these components.
static Value joined(Emitter &e, ValueRange components, Type type, int64_t dim) {
  auto parts = llvm::map_to_vector(components, [&](Value x) { return e.reshape(x, partOf(type, dim), {}); });
  return e.make<ConcatenateOp>(parts, dim);
}

/// A component of an array.
static Value sliced(Emitter &e, Value x, int64_t dim, int64_t i) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> starts(type.getRank(), 0), strides(type.getRank(), 1);
  starts[dim] = i;
  return e.reshape(e.make<SliceOp>(partOf(type, dim), x, starts, strides, ValueRange()), componentOf(type, dim), {});
}

/// The dimension along which an op joins components.
static int64_t joinedDim(Operation &op) {
  int64_t dim = joinedDimOf(&op);
  return dim >= 0 && isSplittable(op.getResult(0).getType(), dim) ? dim : -1;
}

/// The op of a value whose elements along the dimension are equal, with types of any size there; null for others.
static Operation *uniformAlong(Value value, int64_t dim) {
  Operation *op = value.getDefiningOp();
  DenseElementsAttr constant;
  if (!op || (matchPattern(op, m_Constant(&constant)) && constant.isSplat()))
    return op;
  auto repeats = dyn_cast<DimsOpInterface>(op);
  if (!repeats || op->getNumResults() != 1 || op->getNumOperands() != 1 || isa<PointwiseOpInterface>(op))
    return nullptr;
  FactorMap map = repeats.factorMap();
  int64_t factor = map.results[0][dim];
  bool isTaken = llvm::is_contained(map.operands[0], factor);
  return factor != FactorMap::kNone && !isTaken && map.isDivisible(factor) ? op : nullptr;
}

/// How an op combines the components of its operand, if that is all it does.
static FactorMap::Combiner combinerAlong(Operation *op, int64_t dim) {
  auto reduces = dyn_cast<ReduceOpInterface>(op);
  return reduces && reduces.getDims() == ArrayRef<int64_t>(dim) ? factorMap(op)->combiner : FactorMap::Combiner::None;
}

void Components::find() {
  // Carries are split like the first array of their type that is joined; those that turn out not to be are dropped.
  DenseMap<Type, int64_t> joined;
  for (Operation &op : block)
    if (int64_t dim = joinedDim(op); dim >= 0)
      joined.try_emplace(op.getResult(0).getType(), dim);
  next.remove_if([&](auto &entry) { return !joined.contains(entry.first.getType()); });
  size_t before;
  do {
    before = next.size();
    dims.clear();
    for (auto [carry, value] : next)
      dims[carry] = joined.lookup(carry.getType());
    for (Operation &op : block)
      if (int64_t dim = dimOfResult(op); dim >= 0)
        dims[op.getResult(0)] = dim;
    next.remove_if([&](auto &entry) { return dimOf(entry.second) != dims.lookup(entry.first); });
  } while (next.size() != before);
}

int64_t Components::dimOfResult(Operation &op) const {
  if (int64_t dim = joinedDim(op); dim >= 0 || !isa<PointwiseOpInterface>(op))
    return dim;
  int64_t dim = -1;
  for (Value operand : op.getOperands())
    dim = std::max(dim, dimOf(operand));
  auto isAlike = [&](Value operand) { return dimOf(operand) == dim || uniformAlong(operand, dim) || isRead(operand); };
  return dim >= 0 && llvm::all_of(op.getOperands(), isAlike) ? dim : -1;
}

bool Components::areWorthIt() const {
  bool isTakenApart = false;
  for (auto [value, dim] : dims)
    for (Operation *user : value.getUsers()) {
      auto takes = dyn_cast<ComponentsOpInterface>(user);
      bool isTaken = takes && takes.indexAlong(dim) >= 0;
      isTakenApart |= isTaken;
      bool isSplit = user->getNumResults() == 1 && dimOf(user->getResult(0)) == dim && isa<PointwiseOpInterface>(user);
      bool isCombined = combinerAlong(user, dim) != FactorMap::Combiner::None;
      if (!isTaken && !isSplit && !isCombined && user != block.getTerminator())
        return false;
    }
  return isTakenApart && !next.empty();
}

namespace {
/// Rewrites a body, or what else sees the carries.
class Splitting {
public:
  Splitting(Block &block, const Components &components) : block(block), components(components) {}

  /// Makes an array of components the meaning of a value of the body.
  void define(Value value, int64_t dim, ValueRange parts) {
    of[value].assign(parts.begin(), parts.end()), at[value] = dim;
  }
  /// Rewrites all ops; what is not needed any more stays.
  void run();
  SmallVector<Value> partsOf(Value value) const { return of.lookup(value); }

private:
  void split(Operation &op, int64_t dim);
  Value component(Emitter &e, Value value, int64_t dim, int64_t i);

  Block &block;
  const Components &components;
  DenseMap<Value, SmallVector<Value>> of;
  DenseMap<Value, int64_t> at;
};

/// A loop's carry: its first value, the body's argument, the body's last value, and the loop's result.
struct Carry {
  Value init;
  BlockArgument argument;
  Value last, result;
};

struct SplitStatesPass : impl::SplitStatesPassBase<SplitStatesPass> {
  void runOnOperation() override;
};
} // namespace

void Splitting::split(Operation &op, int64_t dim) {
  Value result = op.getResult(0);
  OpBuilder builder(&op);
  Emitter e(builder, op.getLoc());
  RankedTensorType type = componentOf(result.getType(), dim);
  SmallVector<Value> parts;
  int64_t size = cast<RankedTensorType>(result.getType()).getDimSize(dim);
  if (joinedDim(op) == dim) {
    for (int64_t i = 0; i < size; ++i)
      parts.push_back(e.reshape(emitComponent(e, &op, i), type, {}));
    return define(result, dim, parts);
  }
  for (int64_t i = 0; i < size; ++i) {
    IRMapping values;
    for (Value operand : op.getOperands())
      if (!values.contains(operand))
        values.map(operand, component(e, operand, dim, i));
    Operation *part = builder.clone(op, values);
    part->getResult(0).setType(type);
    parts.push_back(part->getResult(0));
  }
  define(result, dim, parts);
}

Value Splitting::component(Emitter &e, Value value, int64_t dim, int64_t i) {
  if (auto found = of.find(value); found != of.end())
    return found->second[i];
  Operation *op = uniformAlong(value, dim);
  RankedTensorType type = componentOf(value.getType(), dim);
  if (!op)
    return sliced(e, value, dim, i);
  DenseElementsAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return e.full(type, {}, constant.getSplatValue<TypedAttr>());
  Operation *part = e.builder.clone(*op);
  part->getResult(0).setType(partOf(value.getType(), dim));
  return e.reshape(part->getResult(0), type, {});
}

void Splitting::run() {
  auto join = [&](OpBuilder &builder, Value value) {
    Emitter e(builder, value.getLoc());
    return joined(e, of[value], value.getType(), at[value]);
  };
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() == 1 && op.getBlock() == &block)
      if (int64_t dim = components.dimOf(op.getResult(0)); dim >= 0) {
        split(op, dim);
        continue;
      }
    auto takes = dyn_cast<ComponentsOpInterface>(op);
    if (takes && of.contains(op.getOperand(0)))
      if (Value x = op.getOperand(0); takes.indexAlong(at[x]) >= 0) {
        OpBuilder builder(&op);
        Emitter e(builder, op.getLoc());
        Value part = e.reshape(of[x][takes.indexAlong(at[x])], partOf(x.getType(), at[x]), {});
        op.getResult(0).replaceAllUsesWith(takes.emitFromComponent(e, part, at[x]));
        op.erase();
        continue;
      }
    if (op.getNumOperands() == 1 && of.contains(op.getOperand(0))) {
      ArrayRef<Value> parts = of[op.getOperand(0)];
      if (auto combiner = combinerAlong(&op, at[op.getOperand(0)]); combiner != FactorMap::Combiner::None) {
        OpBuilder builder(&op);
        Emitter e(builder, op.getLoc());
        Value all = parts.front();
        for (Value part : parts.drop_front())
          all = emitCombined(e, combiner, all, part);
        op.getResult(0).replaceAllUsesWith(all);
        op.erase();
        continue;
      }
    }
    // Needed whole: stacked, or by a predicate. What becomes of carries is not changed here.
    for (OpOperand &operand : op.getOpOperands())
      if (of.contains(operand.get()) && !(op.hasTrait<OpTrait::IsTerminator>() && isa<BlockArgument>(operand.get()))) {
        OpBuilder builder(&op);
        operand.set(join(builder, operand.get()));
      }
  }
}

/// The carries of a loop: what its body returns that is an argument in the next iteration, and in the end a result.
static SmallVector<Carry> carriesOf(ThreadOpInterface op, FlowOpInterface flow) {
  SmallVector<Carry> carries;
  DenseMap<Value, Value> inits;
  forEachSource(op, [&](OpOperand &source) {
    Carry carry;
    flow.forEachTarget(source, [&](Value target, Flow how) {
      auto argument = dyn_cast<BlockArgument>(target);
      if (how != Flow::Same)
        return;
      if (source.getOwner() == op && argument)
        inits.try_emplace(argument, source.get());
      else if (argument && argument.getOwner() == source.getOwner()->getBlock())
        carry.argument = argument;
      else if (isa<OpResult>(target))
        carry.result = target;
    });
    carry.last = source.get();
    if (source.getOwner() != op && carry.argument && carry.result)
      carries.push_back(carry);
  });
  llvm::erase_if(carries, [&](Carry &carry) { return !(carry.init = inits.lookup(carry.argument)); });
  return carries;
}

static bool splitStates(ThreadOpInterface op) {
  auto flow = dyn_cast<FlowOpInterface>(op.getOperation());
  SmallVector<Carry> carries = flow ? carriesOf(op, flow) : SmallVector<Carry>();
  if (carries.empty())
    return false;
  Block &body = *carries[0].argument.getOwner();
  llvm::MapVector<Value, Value> next;
  for (Carry &carry : carries)
    next[carry.argument] = carry.last;
  Components components(body, std::move(next));
  llvm::erase_if(carries, [&](Carry &carry) { return !components.isSplit(carry.argument); });
  if (!components.areWorthIt())
    return false;
  OpBuilder builder(op);
  Emitter e(builder, op.getLoc());
  auto dimOf = [&](const Carry &carry) { return components.dimOf(carry.argument); };
  auto sizeOf = [&](const Carry &carry) {
    return cast<RankedTensorType>(carry.init.getType()).getDimSize(dimOf(carry));
  };
  SmallVector<Value> inits;
  for (Carry &carry : carries)
    for (int64_t i = 0; i < sizeOf(carry); ++i)
      inits.push_back(sliced(e, carry.init, dimOf(carry), i));
  // Calls `visit` with each carry and its part of the values.
  auto forEachPart = [&](ValueRange values, auto visit) {
    for (Carry &carry : carries) {
      visit(carry, values.take_front(sizeOf(carry)));
      values = values.drop_front(sizeOf(carry));
    }
  };
  auto rewrite = [&](Block &block, ValueRange values) {
    Splitting splitting(block, components);
    forEachPart(values, [&](Carry &carry, ValueRange parts) {
      splitting.define(block.getArgument(carry.argument.getArgNumber()), dimOf(carry), parts);
    });
    splitting.run();
    SmallVector<Value> parts;
    for (Carry &carry : carries)
      llvm::append_range(parts, splitting.partsOf(carry.last));
    return parts;
  };
  // The op is replaced; its carries keep their numbers.
  SmallVector<unsigned> numbers =
      llvm::map_to_vector(carries, [](Carry &carry) { return cast<OpResult>(carry.result).getResultNumber(); });
  // Components of an element stay as they are where it does.
  bool isMasked = op->hasAttr(kMasked);
  SmallVector<Value> after =
      op.thread(builder, inits, rewrite, [&](Block &block, ValueRange values) { rewrite(block, values); });
  Operation *made = after[0].getDefiningOp();
  if (isMasked)
    made->setDiscardableAttr(kMasked, builder.getUnitAttr());
  builder.setInsertionPointAfter(made);
  unsigned i = 0;
  forEachPart(after, [&](Carry &carry, ValueRange parts) {
    made->getResult(numbers[i++]).replaceAllUsesWith(joined(e, parts, carry.init.getType(), dimOf(carry)));
  });
  return true;
}

void SplitStatesPass::runOnOperation() {
  SmallVector<ThreadOpInterface> loops;
  getOperation().walk([&](ThreadOpInterface op) { loops.push_back(op); });
  bool changed = false;
  for (ThreadOpInterface op : loops)
    changed |= splitStates(op);
  if (!changed)
    return markAllAnalysesPreserved();
  OpPassManager passes(ModuleOp::getOperationName());
  passes.addPass(createSimplifyPass());
  if (failed(runPipeline(passes, getOperation())))
    signalPassFailure();
}

} // namespace dovetail
