// Discharges references: threads the arrays that they hold through the program.
#include "Discharge.h"
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Body.h"
#include "dialects/Control.h"
#include "dialects/Emitter.h"
#include "dialects/Ref.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_DISCHARGEPASS
#include "cpp/transforms/Passes.h.inc"

/// The two arrays that belong to a reference.
enum class Part { Held, Echo };
static Part partOf(RefOpInterface op) { return isa<EchoOpInterface>(op.getOperation()) ? Part::Echo : Part::Held; }

static bool isRef(Value value) { return isa<RefType>(value.getType()); }
static Type arrayOf(Value ref) { return cast<RefType>(ref.getType()).getArray(); }

/// Calls `visit` with the arguments of bodies that a reference becomes.
static void forEachArgument(OpOperand &ref, function_ref<void(Value)> visit) {
  if (auto flow = dyn_cast<FlowOpInterface>(ref.getOwner()))
    flow.forEachTarget(ref, [&](Value target, Flow) { visit(target); });
}

/// Returns true if `test` holds for an op on a reference, also in bodies.
static bool isUsedBy(Value ref, function_ref<bool(RefOpInterface, Value)> test) {
  return llvm::any_of(ref.getUses(), [&](OpOperand &use) {
    auto op = dyn_cast<RefOpInterface>(use.getOwner());
    bool found = op && test(op, use.get());
    forEachArgument(use, [&](Value argument) { found |= isUsedBy(argument, test); });
    return found;
  });
}

/// Returns true if one of the arrays of a reference is written to or ended, also in bodies.
static bool isChanged(Value ref, Part part) {
  return isUsedBy(ref, [&](RefOpInterface op, Value used) {
    auto withEffects = dyn_cast<MemoryEffectOpInterface>(op.getOperation());
    if (!withEffects || partOf(op) != part)
      return false;
    SmallVector<MemoryEffects::EffectInstance> effects;
    withEffects.getEffectsOnValue(used, effects);
    return llvm::any_of(effects, [](auto &effect) { return !isa<MemoryEffects::Read>(effect.getEffect()); });
  });
}

/// Inlines calls of functions that take references: what these hold belongs to the place of the call.
static LogicalResult inlineCallsOnRefs(func::FuncOp function) {
  SmallVector<CallOpInterface> calls;
  auto collect = [&] {
    calls.clear();
    function.walk([&](CallOpInterface call) {
      if (llvm::any_of(call->getOperands(), isRef))
        calls.push_back(call);
    });
    return !calls.empty();
  };
  while (collect())
    for (CallOpInterface call : calls) {
      auto callee = dyn_cast_or_null<func::FuncOp>(call.resolveCallable());
      if (!callee)
        return call->emitOpError() << "must name a function that exists";
      if (failed(checkTransformable(callee)))
        return failure();
      OpBuilder builder(call);
      call->replaceAllUsesWith(inlineBody(builder, callee.getBody(), call.getArgOperands()));
      call->erase();
    }
  return success();
}

namespace {

/// The references of one function, while its ops are visited in order.
class Discharging {
public:
  FailureOr<Discharged> run(func::FuncOp function);

private:
  /// An array of a reference that the bodies of an op replace.
  struct Written {
    Value ref;
    Part part;
    Value before;
    /// The reference in the bodies.
    SmallVector<Value> inner;
  };

  LogicalResult visit(Block &block);
  LogicalResult visit(Operation &op);
  LogicalResult apply(RefOpInterface op);
  /// Gives a reference that is made here an echo, if a backward rule needs one.
  LogicalResult giveEcho(Operation *maker, Value ref);
  LogicalResult visitBodies(Operation *op);
  /// Gives bodies arrays instead of the references that an op has as operands; those that they write to are in
  /// `written`.
  LogicalResult enter(Operation *op, SmallVectorImpl<Written> &written);
  /// Threads what references hold through the bodies that write to them.
  LogicalResult thread(ThreadOpInterface op, ArrayRef<Written> written);
  /// Makes an argument that is a reference the array that it holds; returns the reference, a stand-in for the argument.
  Value hold(Value argument);
  /// What a reference holds, or null after an error.
  Value heldBy(Operation *user, Value ref);
  DenseMap<Value, Value> &arrays(Part part) { return part == Part::Held ? held : echoes; }

  /// What references hold now, null after their end, and their echoes.
  DenseMap<Value, Value> held, echoes;
  /// Ops that are replaced. Later ones use the references of earlier ones.
  SmallVector<Operation *> replaced;
};

} // namespace

Value Discharging::heldBy(Operation *user, Value ref) {
  Value array = held.lookup(ref);
  if (!array)
    user->emitOpError() << "must not use a reference after its end, got: " << ref.getType()
                        << " after 'dovetail.freeze'";
  return array;
}

Value Discharging::hold(Value argument) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getParentBlock());
  Type type = argument.getType(), array = arrayOf(argument);
  auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(), type, argument);
  Value ref = cast.getResult(0);
  argument.replaceAllUsesExcept(ref, cast);
  argument.setType(array);
  held[ref] = argument;
  replaced.push_back(cast);
  return ref;
}

LogicalResult Discharging::giveEcho(Operation *maker, Value ref) {
  if (!isChanged(ref, Part::Echo))
    return success();
  // Nothing follows the last rule that uses it, so that what it holds at its end does not come back.
  if (isUsedBy(ref, [](RefOpInterface op, Value) {
        auto onEchoes = dyn_cast<EchoOpInterface>(op.getOperation());
        return onEchoes && onEchoes.readsBackward();
      }))
    return maker->emitError()
           << "a backward rule must not read a reference that the differentiated function makes, got: " << ref.getType()
           << "; make it outside of the function";
  OpBuilder builder(maker);
  Emitter e(builder, maker->getLoc());
  auto array = cast<RankedTensorType>(arrayOf(ref));
  if (!array.hasStaticShape())
    return maker->emitError() << "a reference that a backward rule writes to must have a known shape, got: " << array;
  echoes[ref] = e.zeros(echoType(array), {});
  return success();
}

LogicalResult Discharging::apply(RefOpInterface op) {
  DenseMap<Value, Value> &current = arrays(partOf(op));
  SmallVector<Value> before(op->getNumOperands()), results;
  for (auto [array, operand] : llvm::zip_equal(before, op->getOperands())) {
    if (!isRef(operand))
      continue;
    if (!heldBy(op, operand))
      return failure();
    array = current.lookup(operand);
  }
  op.discharge(op->getOperands(), before, results);
  for (auto [array, operand] : llvm::zip_equal(before, op->getOperands()))
    if (isRef(operand))
      current[operand] = array;
  for (auto [array, result] : llvm::zip_equal(results, op->getResults())) {
    if (isRef(result)) {
      held[result] = array;
      if (failed(giveEcho(op, result)))
        return failure();
    } else
      result.replaceAllUsesWith(array);
  }
  replaced.push_back(op);
  return success();
}

LogicalResult Discharging::enter(Operation *op, SmallVectorImpl<Written> &written) {
  llvm::SmallDenseSet<Value> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    Value ref = operand.get();
    if (!isRef(ref))
      continue;
    if (!seen.insert(ref).second)
      return op->emitOpError() << "must take a reference once, got: it twice, as operand #"
                               << operand.getOperandNumber() << " again";
    Value array = heldBy(op, ref);
    if (!array)
      return failure();
    SmallVector<Part> changed;
    SmallVector<Value> inner;
    forEachArgument(operand, [&](Value argument) { inner.push_back(argument); });
    for (Part part : {Part::Held, Part::Echo})
      if (llvm::any_of(inner, [&](Value argument) { return isChanged(argument, part); }))
        changed.push_back(part);
    for (Value &argument : inner)
      argument = hold(argument);
    operand.set(array);
    for (Part part : changed)
      written.push_back({ref, part, arrays(part).lookup(ref), inner});
  }
  return success();
}

LogicalResult Discharging::thread(ThreadOpInterface op, ArrayRef<Written> written) {
  LogicalResult result = success();
  // What the references hold at the end of a block at whose beginning they hold `values`.
  auto through = [&](Block &block, ValueRange values) {
    SmallVector<std::pair<Part, Value>> refs;
    SmallVector<Value> last(values);
    for (auto [ref, value] : llvm::zip_equal(written, values))
      for (Value inner : ref.inner)
        if (inner.getParentBlock() == &block) {
          arrays(ref.part)[inner] = value;
          refs.push_back({ref.part, inner});
        }
    if (failed(visit(block))) {
      result = failure();
      return last;
    }
    for (auto [ref, value] : llvm::zip_equal(refs, last)) {
      Value array = arrays(ref.first).lookup(ref.second);
      if (!array)
        result = block.getTerminator()->emitError() << "a loop or branch must not end a reference from outside of it";
      else
        value = array;
    }
    return last;
  };
  auto seen = [&](Block &block, ValueRange values) {
    if (through(block, values) != SmallVector<Value>(values) && succeeded(result))
      result = block.getTerminator()->emitError()
               << "the predicate of a loop must not write to a reference, got: one that does; write to it in the body";
  };
  SmallVector<Value> before = llvm::map_to_vector(written, [](const Written &ref) { return ref.before; });
  OpBuilder builder(op);
  SmallVector<Value> after = op.thread(builder, before, through, seen);
  for (auto [ref, value] : llvm::zip_equal(written, after))
    arrays(ref.part)[ref.ref] = value;
  return result;
}

LogicalResult Discharging::visitBodies(Operation *op) {
  SmallVector<Written> written;
  auto threads = dyn_cast<ThreadOpInterface>(op);
  if (llvm::any_of(op->getOperands(), isRef)) {
    if (!threads || !isa<FlowOpInterface>(op))
      return op->emitOpError() << "must not take references, got: one";
    if (failed(enter(op, written)))
      return failure();
  }
  if (!written.empty())
    return thread(threads, written);
  for (Region &body : op->getRegions())
    for (Block &block : body)
      if (failed(visit(block)))
        return failure();
  return success();
}

LogicalResult Discharging::visit(Operation &op) {
  if (auto onRefs = dyn_cast<RefOpInterface>(op))
    return apply(onRefs);
  if (op.getNumRegions() != 0 && failed(visitBodies(&op)))
    return failure();
  return success();
}

LogicalResult Discharging::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool hasRefs = llvm::any_of(op.getOperands(), isRef);
    if (hasRefs && op.hasTrait<OpTrait::IsTerminator>())
      return op.emitOpError() << "must not return a reference, which would leave its scope, got: "
                              << op.getOperandTypes() << "; return what it holds";
    if (hasRefs && op.getNumRegions() == 0 && !isa<RefOpInterface>(op))
      return op.emitOpError() << "must not take references, got: " << op.getOperandTypes()
                              << "; only loops, branches and calls do";
    if (failed(visit(op)))
      return failure();
  }
  return success();
}

FailureOr<Discharged> Discharging::run(func::FuncOp function) {
  if (failed(checkTransformable(function)) || failed(inlineCallsOnRefs(function)))
    return failure();
  Block &block = function.front();
  Discharged result;
  for (BlockArgument argument : block.getArguments()) {
    if (!isRef(argument))
      continue;
    if (isChanged(argument, Part::Held))
      result.written.push_back(argument.getArgNumber());
    if (isChanged(argument, Part::Echo))
      result.echoed.push_back(argument.getArgNumber());
  }
  SmallVector<Value> refs;
  for (BlockArgument argument : block.getArguments())
    refs.push_back(isRef(argument) ? hold(argument) : argument);
  for (unsigned number : result.echoed)
    echoes[refs[number]] =
        block.addArgument(echoType(cast<RankedTensorType>(arrayOf(refs[number]))), refs[number].getLoc());
  if (failed(visit(block)))
    return failure();
  Operation *end = block.getTerminator();
  for (unsigned number : result.written) {
    Value array = held.lookup(refs[number]);
    if (!array)
      return function.emitError() << "'" << function.getSymName()
                                  << "' must not end a reference that it takes, got: 'dovetail.freeze' of argument "
                                  << number;
    end->insertOperands(end->getNumOperands(), array);
  }
  for (unsigned number : result.echoed)
    end->insertOperands(end->getNumOperands(), echoes.lookup(refs[number]));
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  function.setFunctionType(FunctionType::get(function.getContext(), block.getArgumentTypes(), end->getOperandTypes()));
  return result;
}

FailureOr<Discharged> discharge(func::FuncOp function) { return Discharging().run(function); }

namespace {
struct DischargePass : impl::DischargePassBase<DischargePass> {
  void runOnOperation() override {
    bool hasRefs = false;
    // Callers first: a call on references is replaced by the callee as it was written.
    FailureOr<SmallVector<func::FuncOp>> order = calleesFirst(getOperation());
    if (failed(order))
      return signalPassFailure();
    for (func::FuncOp function : llvm::reverse(*order)) {
      bool isOnRefs = function
                          .walk([](Block *block) {
                            bool found = llvm::any_of(block->getArguments(), isRef);
                            for (Operation &op : *block)
                              found |= isa<RefOpInterface>(op) || llvm::any_of(op.getOperands(), isRef);
                            return found ? WalkResult::interrupt() : WalkResult::advance();
                          })
                          .wasInterrupted();
      hasRefs |= isOnRefs;
      if (isOnRefs && failed(discharge(function)))
        return signalPassFailure();
    }
    if (!hasRefs)
      return markAllAnalysesPreserved();
    eraseUncalled(getOperation());
  }
};
} // namespace

} // namespace dovetail
