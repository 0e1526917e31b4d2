// Turns the arrays that host loops carry, and that branches return, into buffers that are overwritten.
#include "Aliases.h"
#include "Liveness.h"
#include "Opaque.h"
#include "Ops.h"
#include "Passes.h"
#include "Uncovered.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_CARRYREFERENCESPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// Whether the op computes arrays from arrays, in a dispatch of its own or with others of its kind.
bool isComputing(Operation *op) {
  return isa<DestinationStyleOpInterface>(op) || op->getName().getDialectNamespace() == "iree_linalg_ext" ||
         op->getName().getStringRef() == "flow.dispatch";
}

/// Whether IREE may overwrite the array in a use of it. It owns an array for which it sees no later use.
bool mayWrite(OpOperand &use) {
  Operation *user = use.getOwner();
  // Host functions borrow their arguments.
  if (isa<tensor::DimOp, tensor::ExtractOp, tensor::ConcatOp, tensor::PadOp, func::CallOp>(user))
    return false;
  if (isView(user))
    return llvm::any_of(user->getResult(0).getUses(), mayWrite);
  if (auto choice = dyn_cast<scf::IfOp>(user->getParentOp()); choice && isa<scf::YieldOp>(user))
    return llvm::any_of(choice.getResult(use.getOperandNumber()).getUses(), mayWrite);
  // A loop's initial value is copied there, if necessary.
  if (isa<LoopLikeOpInterface>(user))
    return false;
  return !isComputing(user) || llvm::is_contained(destinationsOf(user), use.get());
}

bool mayBeWritten(Value array, Operation *except) {
  return llvm::any_of(array.getUses(), [&](OpOperand &use) { return use.getOwner() != except && mayWrite(use); });
}

/// Whether arrays of this type are carried by reference. Those without elements need no memory.
bool isReferable(Type type) {
  auto array = dyn_cast<RankedTensorType>(type);
  return array && !llvm::is_contained(array.getShape(), 0);
}

/// Whether an op is a host loop that can carry references. The body of a `while` must start with the arrays of its
/// condition.
bool isRewritable(Operation *op) {
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return llvm::equal(loop.getConditionOp().getArgs().getTypes(), loop.getBefore().getArgumentTypes()) &&
           llvm::all_of(llvm::zip(loop.getConditionOp().getArgs(), loop.getBeforeArguments()), [](auto pair) {
             auto [passed, given] = pair;
             return passed == given || !isReferable(passed.getType());
           });
  return isa<scf::ForOp>(op);
}

/// Whether all other ops that use an array compute values that its overwriting op needs. The latter then comes after
/// them on every device, and they are not part of its dispatch.
bool isLastUse(Value array, Operation *writer) {
  Block *block = writer->getBlock();
  return llvm::all_of(array.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<tensor::DimOp>(user))
      return true;
    if (user == writer)
      return llvm::count(writer->getOperands(), array) == 1;
    // IREE turns slices into parts of the same memory.
    if (isa<tensor::ExtractOp>(user) && user->getBlock() != block)
      user = user->getParentOp();
    return user->getBlock() == block && needs(writer, user) && !mayWrite(use) &&
           (isa<tensor::ExtractOp, linalg::LinalgOp>(user) || user->getName().getStringRef() == "flow.dispatch");
  });
}

bool isScatter(Operation *op) { return op->getName().getStringRef() == "iree_linalg_ext.scatter"; }

/// The argument of a loop's body of which an array is a new version, in the same memory, and the op that first
/// overwrites it; or nulls. IREE overwrites the operands of the ops between them, if these have no later uses.
std::pair<BlockArgument, Operation *> originOf(Value value, Block *body) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return {};
  Value old;
  if (isa<tensor::CastOp>(op) || passesOn(op))
    old = viewed(value);
  else if (!isa<LoopLikeOpInterface>(op) || isRewritable(op))
    old = previousVersion(value);
  if (!old)
    return {};
  if (auto argument = dyn_cast<BlockArgument>(old))
    return argument.getOwner() == body ? std::make_pair(argument, op) : std::pair<BlockArgument, Operation *>();
  // A barrier separates what a scatter computes from its array.
  return (isScatter(op) ? isLastUse(old, op) : isForOneUse(old)) ? originOf(old, body)
                                                                 : std::pair<BlockArgument, Operation *>();
}

/// An array that a loop carries, at one of its positions.
struct Carry {
  unsigned position;
  RankedTensorType type;
  SmallVector<Value> sizes;
};

/// Writes an array to a buffer. IREE 3.13 would replace the array's memory by the buffer if it sees no later use. A
/// keep-alive use at the end of its own block makes it copy the array if that is needed later. It would also fill an
/// array once for all buffers that get the same elements, constants among them, which would then be one: each is
/// written by an op of its own that depends on a number which IREE does not know.
Value copiedTo(ImplicitLocOpBuilder &b, Value array, ValueRange sizes, Value buffer) {
  llvm::for_each(neededLater(array, b.getInsertionBlock()), keepAlive);
  Operation *op = withoutReshapes(array).getDefiningOp();
  if (op && (op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::FillOp>(op)))
    array = dependent(b, array, opaqueOne(b));
  return writtenTo(b, array, sizes, buffer);
}

/// How a position gets its array at the end of an iteration.
struct Step {
  enum Kind {
    Passed,  ///< It is what another position had: so are its buffers.
    Updated, ///< It is a new version of such an array, in the same memory, or has memory of its own.
    Copied,  ///< It is a new version of a copy, which is made in the spare buffer; what was read becomes the spare one.
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

  /// Returns the loop that replaces it.
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
    // A condition with effects forwards the token of their order.
    SmallVector<Value> passed;
    if (auto repeated = dyn_cast<scf::WhileOp>(loop)) {
      llvm::append_range(passed, repeated.getConditionOp().getArgs());
      repeated.getConditionOp().getArgsMutable().clear();
    }
    for (Region &region : loop->getRegions())
      state.addRegion()->takeBody(region);
    Operation *made = b.create(state);
    for (Block *block : blocks)
      enter(block, references);
    finishStep();
    if (auto repeated = dyn_cast<scf::WhileOp>(made)) {
      llvm::append_range(passed, repeated.getBeforeArguments().drop_front(inits.size()));
      repeated.getConditionOp().getArgsMutable().assign(passed);
    }
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
  void planUpdates(function_ref<void(unsigned, Step::Kind, std::optional<unsigned>)> take);
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
  /// For each carry, whether the body overwrites its buffer, or a copy in its second one, to compute the value that it
  /// yields.
  SmallVector<bool> isOrigin;
  /// Memory for copies of other arguments that are overwritten.
  DenseMap<Value, Value> saved;
  /// For each carry, which of the spare buffers is its second one.
  SmallVector<std::optional<unsigned>> spares;
  unsigned numSpares = 0;
};

/// New versions of carried arrays are made in their own memory if nothing needs the old one later, otherwise in a copy.
void LoopRewriter::planUpdates(function_ref<void(unsigned, Step::Kind, std::optional<unsigned>)> take) {
  Block *body = blocks.back();
  Operation *yield = body->getTerminator();
  isOrigin.resize(carries.size());
  for (unsigned target = 0; target < carries.size(); ++target) {
    auto origin = originOf(yield->getOperand(carries[target].position), body);
    BlockArgument argument = origin.first;
    Operation *writer = origin.second;
    std::optional<unsigned> source = carryAt(argument);
    if (!source)
      continue;
    if (isScatter(writer) ? isLastUse(argument, writer) : isForOneUse(argument))
      take(target, Step::Updated, source);
    else if (llvm::all_of(argument.getUses(), [&](OpOperand &use) {
               return use.getOwner() == yield || mayWrite(use) == (use.getOwner() == writer);
             }))
      take(target, Step::Copied, source);
    isOrigin[*source] = isOrigin[*source] || steps[target].kind != Step::Written;
  }
}

/// Determines how positions get their arrays. Each pair of buffers goes to one position.
void LoopRewriter::plan() {
  Block *body = blocks.back();
  Operation *yield = body->getTerminator();
  SmallVector<bool> isPlanned(carries.size()), isTaken(carries.size());
  steps.resize(carries.size(), {Step::Written, 0});
  auto take = [&](unsigned target, Step::Kind kind, std::optional<unsigned> source) {
    // For unknown sizes, each position has its own pair.
    bool fits =
        source && !isTaken[*source] && !isPlanned[target] &&
        (*source == target || (carries[target].type.hasStaticShape() && carries[*source].type == carries[target].type));
    if (!fits)
      return;
    steps[target] = {kind, *source};
    isPlanned[target] = isTaken[*source] = true;
  };
  auto next = [&](unsigned target) { return yield->getOperand(carries[target].position); };
  planUpdates(take);
  for (unsigned target = 0; target < carries.size(); ++target)
    if (auto argument = dyn_cast<BlockArgument>(next(target)); argument && argument.getOwner() == body)
      take(target, Step::Passed, carryAt(argument));
  for (bool isOwn : {true, false})
    for (unsigned target = 0; target < carries.size(); ++target) {
      // The result of an inner loop or branch has a buffer of its own.
      Operation *op = next(target).getDefiningOp();
      bool isMoved = op && (isRewritable(op) || isa<scf::IfOp>(op)) && next(target).hasOneUse();
      for (unsigned source = isOwn ? target : 0; source < (isOwn ? target + 1 : carries.size()); ++source)
        take(target, isMoved ? Step::Updated : Step::Written, source);
    }
  // Pairs move around in cycles.
  spares.resize(carries.size());
  for (unsigned target = 0; target < carries.size(); ++target)
    if (steps[target].kind == Step::Written || steps[target].kind == Step::Copied)
      for (unsigned i = target; !spares[i]; i = steps[i].source)
        spares[i] = numSpares++;
}

/// The loop's initial value. Arrays that others may still read, including those of the caller, are copied.
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
    // IREE only knows the contents of a buffer through an export.
    if (!isa_and_present<tensor::EmptyOp>(op))
      reference = exportedBuffer(b, copiedTo(b, init, carry.sizes, reference), carry.sizes);
  }
  for (Block *block : blocks)
    for (auto [carry, isOrigin] : llvm::zip(carries, isOrigin)) {
      Value argument = block->getArgument(block->getNumArguments() - inits.size() + carry.position);
      if (!(block == blocks.back() && isOrigin) && mayBeWritten(argument, block->getTerminator()))
        saved[argument] = allocatedBuffer(b, carry.type, carry.sizes);
    }
  llvm::append_range(references, added);
  return references;
}

/// Gives a block references instead of arrays, and imports them, with ownership if they are overwritten. An overwritten
/// array is a copy, unless nothing needs it later: in an array that it owns, IREE copies slices in place. What the
/// first update writes over is not copied.
void LoopRewriter::enter(Block *block, ValueRange references) {
  unsigned skipped = block->getNumArguments() - inits.size();
  for (Value added : references.drop_front(inits.size()))
    block->addArgument(added.getType(), loop->getLoc());
  ImplicitLocOpBuilder b = ImplicitLocOpBuilder::atBlockBegin(loop->getLoc(), block);
  for (unsigned number = 0; number < carries.size(); ++number) {
    Carry &carry = carries[number];
    BlockArgument argument = block->getArgument(skipped + carry.position);
    Value memory = saved.lookup(argument);
    if (block == blocks.back() &&
        llvm::any_of(steps, [&](Step step) { return step.kind == Step::Copied && step.source == number; }))
      memory = bodyArgument(inits.size() + *spares[number]);
    SmallVector<OpOperand *> writes, reads;
    for (OpOperand &use : argument.getUses()) {
      bool isWrite = memory && use.getOwner() != block->getTerminator() && mayWrite(use);
      (isWrite ? writes : reads).push_back(&use);
    }
    argument.setType(references[carry.position].getType());
    if (argument.use_empty())
      continue;
    Value array = importedArray(b, argument, carry.type, carry.sizes);
    for (OpOperand *use : reads)
      use->set(array);
    auto own = [&](Value imported) { imported.getDefiningOp()->setAttr("consume", b.getUnitAttr()); };
    if (block == blocks.back() && isOrigin[number] && !memory)
      own(array);
    if (writes.empty())
      continue;
    auto update = dyn_cast<tensor::InsertSliceOp>(writes.front()->getOwner());
    bool isOne = update && writes.size() == 1 && writes.front() == &update.getDestMutable();
    auto parts = isOne ? uncoveredBy(update) : std::nullopt;
    Value copy = memory;
    if (!parts)
      copy = exportedBuffer(b, copiedTo(b, array, carry.sizes, memory), carry.sizes);
    Value written = importedArray(b, copy, carry.type, carry.sizes);
    own(written);
    if (parts)
      written = withParts(b, written, array, *parts);
    for (OpOperand *use : writes)
      use->set(written);
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
      array = copiedTo(b, array, carry.sizes, spareOf(step.source));
    next[carry.position] = step.kind == Step::Passed ? bufferOf(step.source) : exportedBuffer(b, array, carry.sizes);
    if (spare)
      next[inits.size() + *spare] =
          step.kind == Step::Written || step.kind == Step::Copied ? bufferOf(step.source) : spareOf(step.source);
  }
  yield->setOperands(next);
  for (Operation &op : llvm::make_early_inc_range(*body))
    if (isArrayImport(&op) && op.use_empty())
      op.erase();
}

/// Replaces the previous results of an op, `old`, which were arrays if these are references, by these.
void replaceResults(ImplicitLocOpBuilder &b, ValueRange old, ValueRange results) {
  Operation *terminator = b.getInsertionBlock()->getTerminator();
  KeepAliveUses uses;
  for (auto [before, result] : llvm::zip_equal(old, results)) {
    // An array that is used twice is not overwritten while slices of it are read, which IREE does not see.
    bool isUsedHere = llvm::all_of(before.getUsers(), [&](Operation *op) { return op->getBlock() == b.getBlock(); });
    if (isArrayImport(result.getDefiningOp()) && mayBeWritten(before, terminator) &&
        !(isForOneUse(before) && isUsedHere))
      uses.insert(result);
    before.replaceAllUsesWith(result);
  }
  uses.emit();
}

void LoopRewriter::leave(ImplicitLocOpBuilder &b, Operation *made) {
  // IREE 3.13 assumes that the two regions of a `while` have the same arguments, and drops one that is not used, or no
  // longer once it has simplified the body.
  if (isa<scf::WhileOp>(made)) {
    ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockBegin(loop->getLoc(), blocks.back());
    for (BlockArgument argument : blocks.back()->getArguments())
      inner.create(OperationState(loop->getLoc(), "util.optimization_barrier", argument, argument.getType()));
  }
  SmallVector<Value> results(made->getResults().take_front(inits.size()));
  for (const Carry &carry : carries)
    results[carry.position] = importedArray(b, results[carry.position], carry.type, carry.sizes);
  replaceResults(b, loop->getResults(), results);
  loop->erase();
}

/// Makes the branches of a choice return references to buffers, each result its own: IREE 3.13 assigns no owner to a
/// value that one branch computes and another forwards.
Operation *rewriteChoice(scf::IfOp choice) {
  if (llvm::none_of(choice.getResultTypes(), isReferable))
    return choice;
  ImplicitLocOpBuilder b(choice.getLoc(), choice);
  SmallVector<SmallVector<Value>> yielded;
  for (Region &region : choice->getRegions()) {
    Operation *yield = region.front().getTerminator();
    ImplicitLocOpBuilder inner(choice.getLoc(), yield);
    SmallVector<Value> &values = yielded.emplace_back(), sizes;
    for (Value value : yield->getOperands()) {
      values.push_back(value);
      if (!isReferable(value.getType()))
        continue;
      SmallVector<Value> own = dynamicSizes(inner, value);
      Operation *op = value.getDefiningOp();
      if (isArrayImport(op) && op->getBlock() == yield->getBlock() && isForOneUse(value))
        values.back() = op->getOperand(0);
      else
        values.back() = exportedBuffer(
            inner, copiedTo(inner, value, own, allocatedBuffer(inner, cast<RankedTensorType>(value.getType()), own)),
            own);
      llvm::append_range(sizes, own);
    }
    llvm::append_range(values, sizes);
    yield->setOperands(values);
  }
  auto made = scf::IfOp::create(b, ValueRange(yielded.front()).getTypes(), choice.getCondition(),
                                /*addThenBlock=*/false, /*addElseBlock=*/false);
  for (auto [from, to] : llvm::zip_equal(choice->getRegions(), made->getRegions()))
    to.takeBody(from);
  b.setInsertionPointAfter(made);
  ValueRange sizes = made.getResults().drop_front(choice.getNumResults());
  SmallVector<Value> results(made.getResults().take_front(choice.getNumResults()));
  for (auto [result, old] : llvm::zip_equal(results, choice.getResults()))
    if (isReferable(old.getType())) {
      auto type = cast<RankedTensorType>(old.getType());
      result = importedArray(b, result, type, sizes.take_front(type.getNumDynamicDims()));
      sizes = sizes.drop_front(type.getNumDynamicDims());
    }
  replaceResults(b, choice.getResults(), results);
  choice.erase();
  return made;
}

/// Outer loops come first, so that their imports are known to the inner ones; for branches, inner ones come first,
/// since the outer ones forward their buffers.
void carryReferences(Region &region) {
  for (Block &block : region)
    for (Operation *op = block.empty() ? nullptr : &block.front(); op; op = op->getNextNode()) {
      if (isRewritable(op))
        op = LoopRewriter(op).rewrite();
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        for (Region &inner : op->getRegions())
          carryReferences(inner);
      if (auto choice = dyn_cast<scf::IfOp>(op))
        op = rewriteChoice(choice);
    }
}

struct CarryReferencesPass : impl::CarryReferencesPassBase<CarryReferencesPass> {
  using CarryReferencesPassBase::CarryReferencesPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      carryReferences(function.getBody());
    }
  }
};

} // namespace

} // namespace dovetail
