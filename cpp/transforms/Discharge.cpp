// Discharges references: threads the arrays that they hold through the program.
#include "Discharge.h"
#include "CallGraph.h"
#include "Functions.h"
#include "Passes.h"
#include "dialects/Body.h"
#include "dialects/Control.h"
#include "dialects/Emitter.h"
#include "dialects/Pointwise.h"
#include "dialects/Ref.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_DISCHARGEPASS
#include "cpp/transforms/Passes.h.inc"

/// The arrays of a reference, by their depths: what it holds, then its echoes.
constexpr unsigned kHeld = 0;
static unsigned depthOf(RefOpInterface op) {
  auto onEcho = dyn_cast<EchoOpInterface>(op.getOperation());
  return onEcho ? onEcho.echoDepth() : kHeld;
}

static bool isRef(Value value) { return isa<RefType>(value.getType()); }
static Type arrayOf(Value ref) { return cast<RefType>(ref.getType()).getArray(); }

/// An array that a reference holds as floats of the type of its echo.
static Value asEcho(Emitter &e, Value held) {
  auto type = cast<RankedTensorType>(held.getType()), echo = echoType(type);
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer || integer.getWidth() <= 32)
    return e.convert(held, echo.getElementType());
  Value half = e.full(held, 32);
  Value upper = integer.isUnsigned() ? Value(e.make<ShiftRightLogicalOp>(held, half))
                                     : Value(e.make<ShiftRightArithmeticOp>(held, half));
  Type word = IntegerType::get(type.getContext(), 32, IntegerType::Unsigned), real = e.builder.getF64Type();
  return e.make<ComplexOp>(e.convert(upper, real), e.convert(e.convert(held, word), real));
}

/// Calls `visit` with the arguments of bodies that a reference becomes.
static void forEachArgument(OpOperand &ref, function_ref<void(Value)> visit) {
  if (auto flow = dyn_cast<FlowOpInterface>(ref.getOwner()))
    flow.forEachTarget(ref, [&](Value target, Flow) { visit(target); });
}

/// Calls `visit` with the ops on a reference, also in bodies, and the reference there.
static void forEachOpOn(Value ref, function_ref<void(RefOpInterface, Value)> visit) {
  for (OpOperand &use : ref.getUses()) {
    if (auto op = dyn_cast<RefOpInterface>(use.getOwner()))
      visit(op, ref);
    forEachArgument(use, [&](Value argument) { forEachOpOn(argument, visit); });
  }
}

/// The depths of the arrays of references that are written to or ended, also in bodies.
static SmallVector<unsigned> changedDepths(ValueRange refs) {
  SmallVector<unsigned> depths;
  for (Value ref : refs)
    forEachOpOn(ref, [&](RefOpInterface op, Value used) {
      SmallVector<MemoryEffects::EffectInstance> effects;
      if (auto withEffects = dyn_cast<MemoryEffectOpInterface>(op.getOperation()))
        withEffects.getEffectsOnValue(used, effects);
      if (llvm::any_of(effects, [](auto &effect) { return !isa<MemoryEffects::Read>(effect.getEffect()); }))
        depths.push_back(depthOf(op));
    });
  llvm::sort(depths);
  depths.erase(llvm::unique(depths), depths.end());
  return depths;
}

/// Returns true if a backward rule reads what an echo of the reference passes on.
static bool isReadBackward(Value ref, unsigned depth) {
  bool isRead = false;
  forEachOpOn(ref, [&](RefOpInterface op, Value) {
    auto onEcho = dyn_cast<EchoOpInterface>(op.getOperation());
    isRead |= onEcho && onEcho.readsBackward() && onEcho.echoDepth() == depth;
  });
  return isRead;
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
    unsigned depth;
    Value before;
    /// The reference in the bodies.
    SmallVector<Value> inner;
  };

  LogicalResult visit(Block &block);
  LogicalResult visit(Operation &op);
  LogicalResult apply(RefOpInterface op);
  /// Gives a reference that is made here the echoes that backward rules need.
  LogicalResult giveEchoes(Operation *maker, Value ref);
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
  /// An array of a reference, by its depth.
  Value &array(Value ref, unsigned depth) { return arrays[{ref, depth}]; }

  /// What references hold now, null after their end, and their echoes.
  DenseMap<std::pair<Value, unsigned>, Value> arrays;
  /// Ends the references that were made in a block and are read by backward rules: a backward pass begins with what
  /// they hold.
  LogicalResult end(Block &block);

  SmallVector<Value> readBackward;
  /// Ops that are replaced. Later ones use the references of earlier ones.
  SmallVector<Operation *> replaced;
};

} // namespace

Value Discharging::heldBy(Operation *user, Value ref) {
  Value held = array(ref, kHeld);
  if (!held)
    user->emitOpError() << "must not use a reference after its end, got: " << ref.getType()
                        << " after 'dovetail.freeze'";
  return held;
}

Value Discharging::hold(Value argument) {
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getParentBlock());
  Type type = argument.getType(), held = arrayOf(argument);
  auto cast = UnrealizedConversionCastOp::create(builder, argument.getLoc(), type, argument);
  Value ref = cast.getResult(0);
  argument.replaceAllUsesExcept(ref, cast);
  argument.setType(held);
  array(ref, kHeld) = argument;
  replaced.push_back(cast);
  return ref;
}

LogicalResult Discharging::giveEchoes(Operation *maker, Value ref) {
  auto held = cast<RankedTensorType>(arrayOf(ref));
  OpBuilder builder(maker);
  Emitter e(builder, maker->getLoc());
  for (unsigned depth : changedDepths(ref)) {
    if (depth == kHeld)
      continue;
    // Only of the first echo is it known what the backward pass begins with (`end`).
    if (depth > 1 && isReadBackward(ref, depth))
      return maker->emitError() << "a rule of a backward rule must not read a reference that the differentiated "
                                   "function makes, got: "
                                << ref.getType() << "; make it outside of the function";
    if (!held.hasStaticShape())
      return maker->emitError() << "a reference that a backward rule writes to must have a known shape, got: " << held;
    // Its value means nothing; made of what the reference holds, it has the same batch.
    array(ref, depth) = e.make<StopGradientOp>(asEcho(e, array(ref, kHeld)));
    if (depth == 1 && isReadBackward(ref, depth))
      readBackward.push_back(ref);
  }
  return success();
}

LogicalResult Discharging::apply(RefOpInterface op) {
  unsigned depth = depthOf(op);
  SmallVector<Value> now(op->getNumOperands()), results;
  for (auto [value, operand] : llvm::zip_equal(now, op->getOperands())) {
    if (!isRef(operand))
      continue;
    if (!heldBy(op, operand))
      return failure();
    value = array(operand, depth);
  }
  op.discharge(op->getOperands(), now, results);
  for (auto [value, operand] : llvm::zip_equal(now, op->getOperands()))
    if (isRef(operand))
      array(operand, depth) = value;
  for (auto [value, result] : llvm::zip_equal(results, op->getResults())) {
    if (isRef(result)) {
      array(result, kHeld) = value;
      if (failed(giveEchoes(op, result)))
        return failure();
    } else
      result.replaceAllUsesWith(value);
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
    Value held = heldBy(op, ref);
    if (!held)
      return failure();
    SmallVector<Value> inner;
    forEachArgument(operand, [&](Value argument) { inner.push_back(argument); });
    SmallVector<unsigned> changed = changedDepths(inner);
    for (Value &argument : inner)
      argument = hold(argument);
    operand.set(held);
    for (unsigned depth : changed)
      written.push_back({ref, depth, array(ref, depth), inner});
  }
  return success();
}

LogicalResult Discharging::thread(ThreadOpInterface op, ArrayRef<Written> written) {
  LogicalResult result = success();
  // What the references hold at the end of a block at whose beginning they hold `values`.
  auto through = [&](Block &block, ValueRange values) {
    SmallVector<std::pair<unsigned, Value>> refs;
    SmallVector<Value> last(values);
    for (auto [ref, value] : llvm::zip_equal(written, values))
      for (Value inner : ref.inner)
        if (inner.getParentBlock() == &block) {
          array(inner, ref.depth) = value;
          refs.push_back({ref.depth, inner});
        }
    if (failed(visit(block))) {
      result = failure();
      return last;
    }
    for (auto [ref, value] : llvm::zip_equal(refs, last)) {
      Value now = array(ref.second, ref.first);
      if (!now)
        result = block.getTerminator()->emitError() << "a loop or branch must not end a reference from outside of it";
      else
        value = now;
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
    array(ref.ref, ref.depth) = value;
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

LogicalResult Discharging::end(Block &block) {
  Operation *last = block.getTerminator();
  OpBuilder builder(last);
  Emitter e(builder, last->getLoc());
  for (Value ref : readBackward) {
    if (ref.getParentBlock() != &block)
      continue;
    Value now = array(ref, kHeld);
    if (!now)
      return ref.getDefiningOp()->emitError()
             << "a reference that a backward rule reads must not be frozen by the differentiated function, got: "
             << ref.getType() << "; return what it holds";
    SmallVector<OpOperand *> results;
    SmallVector<Value> values;
    for (OpOperand &operand : last->getOpOperands())
      if (isDifferentiable(operand.get().getType())) {
        results.push_back(&operand);
        values.push_back(operand.get());
      }
    if (values.empty())
      continue;
    auto ended =
        EchoEndOp::create(builder, e.loc, ValueRange(values).getTypes(), asEcho(e, now), array(ref, 1), values);
    for (auto [operand, value] : llvm::zip_equal(results, ended.getOuts()))
      operand->set(value);
  }
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
  return end(block);
}

FailureOr<Discharged> Discharging::run(func::FuncOp function) {
  if (failed(checkTransformable(function)) || failed(inlineCallsOnRefs(function)))
    return failure();
  Block &block = function.front();
  Discharged result;
  for (BlockArgument argument : block.getArguments()) {
    if (!isRef(argument))
      continue;
    for (unsigned depth : changedDepths(argument))
      if (depth == kHeld)
        result.written.push_back(argument.getArgNumber());
      else
        result.echoed.push_back({argument.getArgNumber(), depth, isReadBackward(argument, depth)});
  }
  llvm::stable_sort(result.echoed, [](auto &a, auto &b) { return a.depth < b.depth; });
  SmallVector<Value> refs;
  for (BlockArgument argument : block.getArguments())
    refs.push_back(isRef(argument) ? hold(argument) : argument);
  for (auto [number, depth, isRead] : result.echoed) {
    Value ref = refs[number];
    array(ref, depth) = block.addArgument(echoType(cast<RankedTensorType>(arrayOf(ref))), ref.getLoc());
  }
  if (failed(visit(block)))
    return failure();
  Operation *end = block.getTerminator();
  for (unsigned number : result.written) {
    Value last = array(refs[number], kHeld);
    if (!last)
      return function.emitError() << "'" << function.getSymName()
                                  << "' must not end a reference that it takes, got: 'dovetail.freeze' of argument "
                                  << number;
    end->insertOperands(end->getNumOperands(), last);
  }
  for (auto [number, depth, isRead] : result.echoed)
    end->insertOperands(end->getNumOperands(), array(refs[number], depth));
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
