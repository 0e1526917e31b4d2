// Loops of the host that carry references to buffers instead of arrays.
#include "Iree.h"
#include "cpp/transforms/Passes.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_CARRYREFERENCESPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

/// Whether IREE may write over the array in a use of it. What it sees no later use of is its own.
bool mayWrite(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<tensor::DimOp, tensor::ExtractOp>(user))
    return false;
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ExtractSliceOp>(user))
    return llvm::any_of(user->getResult(0).getUses(), mayWrite);
  // What a loop begins with is copied there, if need be.
  if (isa<LoopLikeOpInterface>(user))
    return false;
  auto structured = dyn_cast<DestinationStyleOpInterface>(user);
  return !structured || structured.isDpsInit(&use);
}

bool mayBeWritten(Value array, Operation *except) {
  return llvm::any_of(array.getUses(), [&](OpOperand &use) { return use.getOwner() != except && mayWrite(use); });
}

/// Whether one op alone uses the elements of an array.
bool isForOneUse(Value array) {
  return llvm::count_if(array.getUses(), [](OpOperand &use) { return !isa<tensor::DimOp>(use.getOwner()); }) == 1;
}

/// Whether arrays of this type are carried by reference. Those without elements need no memory.
bool isReferable(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && !llvm::is_contained(array.getShape(), 0);
}

bool isRewritable(Operation *op);

/// The argument of a loop's body of which an array is a new version, in the same memory, or null: IREE writes over the
/// operands of the ops between them, if nothing else uses these.
BlockArgument originOf(Value value, Block *body) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return {};
  Value old;
  StringRef name = op->getName().getStringRef();
  if (isRewritable(op))
    old = cast<LoopLikeOpInterface>(op).getInits()[cast<OpResult>(value).getResultNumber()];
  else if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
    old = insert.getDest();
  else if (isa<tensor::CastOp>(op) || name == "flow.tensor.tie_shape")
    old = op->getOperand(0);
  else if (name == "iree_linalg_ext.scatter")
    old = op->getOperands().back();
  if (!old || !isForOneUse(old))
    return {};
  auto argument = dyn_cast<BlockArgument>(old);
  if (!argument)
    return originOf(old, body);
  return argument.getOwner() == body ? argument : BlockArgument();
}

/// Whether an op is a loop of the host that can carry references. IREE takes a step's import of a buffer for its own,
/// so nothing but what the step yields for it may be written over it. A `while` must begin a step with what its
/// condition was given, and the condition must only read that.
bool isRewritable(Operation *op) {
  if (!isa<scf::ForOp, scf::WhileOp>(op))
    return false;
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    scf::ConditionOp condition = loop.getConditionOp();
    if (!llvm::equal(condition.getArgs(), loop.getBeforeArguments()) ||
        llvm::any_of(loop.getBeforeArguments(), [&](Value argument) {
          return isReferable(argument.getType()) && mayBeWritten(argument, condition);
        }))
      return false;
  }
  Block *body = &op->getRegions().back().front();
  Operation *yield = body->getTerminator();
  SmallPtrSet<Value, 8> updated;
  for (Value next : yield->getOperands())
    if (isReferable(next.getType()))
      if (BlockArgument argument = originOf(next, body))
        updated.insert(argument);
  return llvm::all_of(body->getArguments(), [&](Value argument) {
    return !isReferable(argument.getType()) || updated.contains(argument) || !mayBeWritten(argument, yield);
  });
}

/// An array that a loop carries, at one of its positions.
struct Carry {
  unsigned position;
  RankedTensorType type;
  SmallVector<Value> sizes;
};

/// How a position gets its array at the end of a step.
struct Step {
  enum Kind {
    Passed,  ///< It is what another position had: so are its buffers.
    Updated, ///< It is a new version of such an array, in the same memory, or has memory of its own.
    Written, ///< It is computed: it is written to the spare buffer, and what was read becomes the spare one.
  } kind;
  unsigned source; ///< The carry whose buffers the position gets.
};

class LoopRewriter {
public:
  explicit LoopRewriter(Operation *loop) : loop(loop), inits(cast<LoopLikeOpInterface>(loop).getInits()) {
    for (Region &region : loop->getRegions())
      blocks.push_back(&region.front());
    first = blocks.back()->getNumArguments() - inits.size();
    for (auto [position, init] : llvm::enumerate(inits))
      if (isReferable(init.getType()))
        carries.push_back({unsigned(position), cast<RankedTensorType>(init.getType()), {}});
  }

  /// Returns the loop that stands in its place.
  Operation *rewrite() {
    if (carries.empty())
      return loop;
    ImplicitLocOpBuilder b(loop->getLoc(), loop);
    plan();
    SmallVector<Value> references = start(b);
    OperationState state(loop->getLoc(), loop->getName());
    state.addOperands(loop->getOperands().drop_back(inits.size()));
    state.addOperands(references);
    state.addTypes(ValueRange(references).getTypes());
    state.addAttributes(loop->getAttrs());
    if (auto made = dyn_cast<scf::WhileOp>(loop))
      made.getConditionOp().getArgsMutable().clear();
    for (Region &region : loop->getRegions())
      state.addRegion()->takeBody(region);
    Operation *made = b.create(state);
    for (Block *block : blocks)
      enter(block, references);
    finishStep();
    if (auto repeated = dyn_cast<scf::WhileOp>(made))
      repeated.getConditionOp().getArgsMutable().assign(repeated.getBeforeArguments());
    b.setInsertionPointAfter(made);
    leave(b, made);
    return made;
  }

private:
  BlockArgument bodyArgument(unsigned number) const { return blocks.back()->getArgument(first + number); }

  std::optional<unsigned> carryAt(BlockArgument argument) const {
    if (!argument || argument.getArgNumber() < first)
      return std::nullopt;
    auto found =
        llvm::find_if(carries, [&](const Carry &carry) { return carry.position == argument.getArgNumber() - first; });
    return found == carries.end() ? std::nullopt : std::optional<unsigned>(found - carries.begin());
  }

  void plan();
  SmallVector<Value> start(ImplicitLocOpBuilder &b);
  void enter(Block *block, ValueRange references);
  void finishStep();
  void leave(ImplicitLocOpBuilder &b, Operation *made);

  Operation *loop;
  SmallVector<Value> inits;
  /// The loop's blocks, the body last, and the number of the body's arguments before those that it carries.
  SmallVector<Block *> blocks;
  unsigned first;
  SmallVector<Carry> carries;
  SmallVector<Step> steps;
  /// For each carry, which of the spare buffers is its second one.
  SmallVector<std::optional<unsigned>> spares;
  unsigned numSpares = 0;
};

/// Finds out how positions get their arrays. Each pair of buffers goes to one position.
void LoopRewriter::plan() {
  Block *body = blocks.back();
  Operation *yield = body->getTerminator();
  SmallVector<bool> isPlanned(carries.size()), isTaken(carries.size());
  steps.resize(carries.size(), {Step::Written, 0});
  auto take = [&](unsigned target, Step::Kind kind, std::optional<unsigned> source) {
    // Of unknown sizes each position has its own.
    bool fits =
        source && !isTaken[*source] && !isPlanned[target] &&
        (*source == target || (carries[target].type.hasStaticShape() && carries[*source].type == carries[target].type));
    if (!fits)
      return;
    steps[target] = {kind, *source};
    isPlanned[target] = isTaken[*source] = true;
  };
  auto next = [&](unsigned target) { return yield->getOperand(carries[target].position); };
  for (unsigned target = 0; target < carries.size(); ++target)
    take(target, Step::Updated, carryAt(originOf(next(target), body)));
  for (unsigned target = 0; target < carries.size(); ++target)
    if (auto argument = dyn_cast<BlockArgument>(next(target));
        argument && argument.getOwner() == body && !mayBeWritten(argument, yield))
      take(target, Step::Passed, carryAt(argument));
  for (bool isOwn : {true, false})
    for (unsigned target = 0; target < carries.size(); ++target) {
      // What an inner loop gives has a buffer of its own.
      Operation *op = next(target).getDefiningOp();
      bool isMoved = op && isRewritable(op) && next(target).hasOneUse();
      for (unsigned source = isOwn ? target : 0; source < (isOwn ? target + 1 : carries.size()); ++source)
        take(target, isMoved ? Step::Updated : Step::Written, source);
    }
  // Pairs go around in cycles.
  spares.resize(carries.size());
  for (unsigned target = 0; target < carries.size(); ++target)
    if (steps[target].kind == Step::Written)
      for (unsigned i = target; !spares[i]; i = steps[i].source)
        spares[i] = numSpares++;
}

/// What the loop begins with. Arrays that others may still read, those of the caller among them, are copied.
SmallVector<Value> LoopRewriter::start(ImplicitLocOpBuilder &b) {
  SmallVector<Value> references(inits), added(numSpares);
  for (auto [carry, spare] : llvm::zip(carries, spares)) {
    Value init = inits[carry.position], &reference = references[carry.position];
    carry.sizes = dynamicSizes(b, init);
    if (spare)
      added[*spare] = allocatedBuffer(b, carry.type, carry.sizes);
    Operation *op = init.getDefiningOp();
    if (isArrayImport(op) && op->getBlock() == loop->getBlock() && isForOneUse(init)) {
      reference = op->getOperand(0);
      continue;
    }
    reference = allocatedBuffer(b, carry.type, carry.sizes);
    // IREE knows only of an export what is in a buffer.
    if (!isa_and_present<tensor::EmptyOp>(op))
      reference = exportedBuffer(b, writtenTo(b, init, carry.sizes, reference), carry.sizes);
  }
  llvm::append_range(references, added);
  return references;
}

/// Gives a block references instead of arrays, which it imports.
void LoopRewriter::enter(Block *block, ValueRange references) {
  unsigned skipped = block->getNumArguments() - inits.size();
  for (Value added : references.drop_front(inits.size()))
    block->addArgument(added.getType(), loop->getLoc());
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(loop->getLoc(), block);
  for (const Carry &carry : carries) {
    BlockArgument argument = block->getArgument(skipped + carry.position);
    argument.setType(references[carry.position].getType());
    if (argument.use_empty())
      continue;
    Value array = importedArray(b, argument, carry.type, carry.sizes);
    argument.replaceAllUsesExcept(array, array.getDefiningOp());
  }
}

void LoopRewriter::finishStep() {
  Block *body = blocks.back();
  Operation *yield = body->getTerminator();
  ImplicitLocOpBuilder b(loop->getLoc(), yield);
  auto bufferOf = [&](unsigned carry) -> Value { return bodyArgument(carries[carry].position); };
  auto spareOf = [&](unsigned carry) -> Value { return bodyArgument(inits.size() + *spares[carry]); };
  SmallVector<Value> next(yield->getOperands());
  next.resize(inits.size() + numSpares);
  for (auto [carry, step, spare] : llvm::zip(carries, steps, spares)) {
    Value array = next[carry.position];
    if (step.kind == Step::Written)
      array = writtenTo(b, array, carry.sizes, spareOf(step.source));
    next[carry.position] = step.kind == Step::Passed ? bufferOf(step.source) : exportedBuffer(b, array, carry.sizes);
    if (spare)
      next[inits.size() + *spare] = step.kind == Step::Written ? bufferOf(step.source) : spareOf(step.source);
  }
  yield->setOperands(next);
  for (Operation &op : llvm::make_early_inc_range(*body))
    if (isArrayImport(&op) && op.use_empty())
      op.erase();
}

void LoopRewriter::leave(ImplicitLocOpBuilder &b, Operation *made) {
  Operation *terminator = made->getBlock()->getTerminator();
  SmallVector<Value> results(made->getResults().take_front(inits.size())), kept;
  for (const Carry &carry : carries) {
    Value &result = results[carry.position];
    result = importedArray(b, result, carry.type, carry.sizes);
    // An array that is used twice is not written over while slices of it are read, which IREE does not see.
    Value old = loop->getResult(carry.position);
    bool isUsedHere = llvm::all_of(old.getUsers(), [&](Operation *op) { return op->getBlock() == made->getBlock(); });
    if (mayBeWritten(old, terminator) && !(isForOneUse(old) && isUsedHere))
      kept.push_back(result);
  }
  loop->replaceAllUsesWith(results);
  loop->erase();
  if (kept.empty())
    return;
  b.setInsertionPoint(terminator);
  optimizationBarrier(b, kept);
}

/// Outer loops come first, so that what they import is known to the inner ones.
void carryReferences(Region &region) {
  for (Block &block : region)
    for (Operation *op = block.empty() ? nullptr : &block.front(); op; op = op->getNextNode()) {
      if (isRewritable(op))
        op = LoopRewriter(op).rewrite();
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        for (Region &inner : op->getRegions())
          carryReferences(inner);
    }
}

struct CarryReferencesPass : impl::CarryReferencesPassBase<CarryReferencesPass> {
  using CarryReferencesPassBase::CarryReferencesPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      carryReferences(function.getBody());
  }
};

} // namespace

} // namespace dovetail
