// Divides loops that call the host in few iterations into a dispatch and such iterations.
#include "Passes.h"
#include "cpp/dispatch/PlanDispatches.h"
#include "cpp/tensors/Target.h"
#include "cpp/transforms/Passes.h"
#include "dialects/Callback.h"
#include "dialects/Collective.h"
#include "dialects/Control.h"
#include "dialects/HostFunction.h"
#include "dialects/Index.h"
#include "dialects/Pointwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_SUSPENDLOOPSPASS
#include "cpp/lowering/Passes.h.inc"

namespace {

/// The ops after each branch that may stop an iteration become a branch in the one before.
constexpr unsigned kMostStops = 8;

/// Whether an op runs on the host, or has effects that a dispatch does not have.
bool needsHost(Operation &op) {
  return op.hasTrait<HostOnly>() || (op.getNumRegions() == 0 && !isMemoryEffectFree(&op));
}

/// The same of an op or one in its bodies.
bool reachesHost(Operation &op) {
  return op.walk([](Operation *inner) { return needsHost(*inner) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool reachesHost(Region &body) {
  return llvm::any_of(body.getOps(), [](Operation &op) { return reachesHost(op); });
}

/// Whether these are arrays of known shapes: zeros can stand for them, and other programs take them.
bool areKnownArrays(TypeRange types) {
  return llvm::all_of(types, [](Type type) {
    auto array = dyn_cast<RankedTensorType>(type);
    return array && array.hasStaticShape();
  });
}

/// The values but that one.
SmallVector<Value> without(unsigned number, ValueRange values) {
  SmallVector<Value> rest(values);
  rest.erase(rest.begin() + number);
  return rest;
}

bool alwaysStops(Operation &op);

/// Whether each run of a body comes to an op that needs the host.
bool alwaysStops(Region &body) {
  return llvm::any_of(body.getOps(), [](Operation &op) { return alwaysStops(op); });
}

/// Whether each run of an op does, or may.
bool alwaysStops(Operation &op) {
  if (!reachesHost(op))
    return false;
  // What a branch or a slice returns that stops has the right type only.
  if (auto choice = dyn_cast<CaseOp>(op))
    return !areKnownArrays(op.getResultTypes()) ||
           llvm::all_of(choice.getBranches(), [](Region &branch) { return alwaysStops(branch); });
  if (auto loop = dyn_cast<WhileOp>(op))
    return reachesHost(loop.getCond()) || alwaysStops(loop.getBody());
  if (auto loop = dyn_cast<ScanOp>(op))
    return !areKnownArrays(op.getResultTypes()) || alwaysStops(loop.getBody());
  return true;
}

/// Copies ops such that they stop at the first that needs the host.
class Attempt {
public:
  explicit Attempt(Location loc) : loc(loc) {}

  /// A copy of a loop, on operands that may differ, which stops; an additional last carry says whether it has. In that
  /// case, the other carries are those before the iteration that stopped, if they are `kept`.
  WhileOp whileOf(OpBuilder &b, WhileOp loop, ValueRange inits, ValueRange consts, bool areKept) const {
    Emitter e(b, loc);
    SmallVector<Value> starts(inits);
    starts.push_back(flag(e, false));
    auto made = WhileOp::create(b, loc, ValueRange(starts).getTypes(), starts, consts, loop.getMaxStepsAttr());
    unsigned count = inits.size();
    SmallVector<Type> types(made->getOperandTypes());
    Body cond(loc, types), body(loc, types);
    BodyEmitter before(e, cond), within(e, body);
    Value holds = inlineBody(before.builder, loop.getCond(), without(count, cond.arguments()))[0];
    cond.results = {before.both(holds, before.make<NotOp>(cond.arguments()[count]))};
    IRMapping map;
    Block &source = loop.getBody().front();
    map.map(source.getArguments(), without(count, body.arguments()));
    body.results = untilStop(within, opsOf(source), source.getTerminator()->getOperands(), map,
                             source.getArguments().take_front(count), areKept);
    fill(made.getCond(), std::move(cond));
    fill(made.getBody(), std::move(body));
    return made;
  }

private:
  Location loc;

  static SmallVector<Operation *> opsOf(Block &block) {
    return llvm::map_to_vector(block.without_terminator(), [](Operation &op) { return &op; });
  }

  static RankedTensorType flagType(MLIRContext *context) {
    return RankedTensorType::get({}, IntegerType::get(context, 1));
  }
  static Value flag(Emitter &e, bool value) { return e.full(flagType(e.loc.getContext()), {}, value); }

  /// The values that ops of a body compute which it returns, and whether it stopped. If so, these are the values of
  /// `old`, or zeros behind these; or of the right types only, if they are not `kept`.
  ///
  /// What does not decide whether it stops comes behind that: it is not needed before, and rounding depends on which
  /// sums are in one block with their products.
  SmallVector<Value> untilStop(Emitter &e, ArrayRef<Operation *> ops, ValueRange results, IRMapping &map,
                               ValueRange old, bool areKept = false) const {
    auto stop = llvm::find_if(ops, [](Operation *op) { return reachesHost(*op); });
    if (stop != ops.end() && alwaysStops(**stop))
      return stopped(e, results, map, old);
    llvm::SmallPtrSet<Operation *, 16> decide;
    if (stop != ops.end())
      for (Operation *op : llvm::reverse(ArrayRef(ops.begin(), stop + 1)))
        if (op == *stop || llvm::any_of(op->getUsers(), [&](Operation *user) { return decide.contains(user); }))
          decide.insert(op);
    Value stops = nullptr;
    SmallVector<Operation *> rest;
    for (Operation *op : ops)
      if (stop == ops.end() || (decide.contains(op) && op != *stop))
        e.builder.clone(*op, map);
      else if (op == *stop)
        stops = stoppable(e, op, map);
      else
        rest.push_back(op);
    if (stops && (areKept || !rest.empty()))
      return unless(e, stops, rest, results, map, old, areKept);
    SmallVector<Value> all = mapped(results, map);
    all.push_back(stops ? stops : flag(e, false));
    return all;
  }

  static SmallVector<Value> mapped(ValueRange values, const IRMapping &map) {
    return llvm::map_to_vector(values, [&](Value value) { return map.lookup(value); });
  }

  static SmallVector<Value> stopped(Emitter &e, ValueRange results, const IRMapping &map, ValueRange old) {
    SmallVector<Value> all = mapped(old, map);
    for (Type type : results.drop_front(old.size()).getTypes())
      all.push_back(e.zeros(cast<RankedTensorType>(type), {}));
    all.push_back(flag(e, true));
    return all;
  }

  /// The same as branches: where `stops` holds, it has stopped before.
  SmallVector<Value> unless(Emitter &e, Value stops, ArrayRef<Operation *> ops, ValueRange results,
                            const IRMapping &map, ValueRange old, bool areKept) const {
    llvm::SetVector<Value> used(old.begin(), old.end());
    auto use = [&](Value value) {
      if (map.contains(value))
        used.insert(value);
    };
    for (Operation *op : ops)
      llvm::for_each(op->getOperands(), use);
    llvm::for_each(results, use);
    SmallVector<Type> types(results.getTypes());
    types.push_back(flagType(e.loc.getContext()));
    SmallVector<Value> args = mapped(used.getArrayRef(), map);
    auto choice = CaseOp::create(e.builder, loc, types, e.convert(stops, e.builder.getI32Type()), args, 2);
    for (Region &branch : choice.getBranches()) {
      Body body(loc, ValueRange(args).getTypes());
      BodyEmitter within(e, body);
      IRMapping inner;
      inner.map(used.getArrayRef(), body.arguments());
      bool goesOn = &branch == &choice.getBranches().front();
      body.results =
          goesOn ? untilStop(within, ops, results, inner, old, areKept) : stopped(within, results, inner, old);
      fill(branch, std::move(body));
    }
    return SmallVector<Value>(choice.getResults());
  }

  /// A copy of an op that may stop; returns whether it has.
  Value stoppable(Emitter &e, Operation *op, IRMapping &map) const {
    if (auto choice = dyn_cast<CaseOp>(op))
      return caseOf(e, choice, map);
    if (auto scan = dyn_cast<ScanOp>(op))
      return scanOf(e, scan, map);
    auto loop = cast<WhileOp>(op);
    WhileOp made = whileOf(e.builder, loop, mapped(loop.getInits(), map), mapped(loop.getConsts(), map), false);
    map.map(op->getResults(), made->getResults().drop_back());
    return made->getResults().back();
  }

  Value caseOf(Emitter &e, CaseOp choice, IRMapping &map) const {
    SmallVector<Type> types(choice.getResultTypes());
    types.push_back(flagType(e.loc.getContext()));
    auto made = CaseOp::create(e.builder, loc, types, map.lookup(choice.getIndex()), mapped(choice.getArgs(), map),
                               choice.getBranches().size());
    for (auto [source, branch] : llvm::zip_equal(choice.getBranches(), made.getBranches())) {
      Body body(loc, made.getArgs().getTypes());
      BodyEmitter within(e, body);
      IRMapping inner;
      inner.map(source.getArguments(), body.arguments());
      body.results = untilStop(within, opsOf(source.front()), returned(source), inner, {});
      fill(branch, std::move(body));
    }
    map.map(choice->getResults(), made->getResults().drop_back());
    return made->getResults().back();
  }

  /// A loop that counts its iterations runs to its end: those after the one that stops do nothing.
  Value scanOf(Emitter &e, ScanOp scan, IRMapping &map) const {
    unsigned count = scan.getInits().size();
    SmallVector<Value> inits = mapped(scan.getInits(), map);
    inits.push_back(flag(e, false));
    SmallVector<Type> types(scan.getResultTypes());
    types.insert(types.begin() + count, inits.back().getType());
    auto made =
        ScanOp::create(e.builder, loc, types, inits, mapped(scan.getXs(), map), mapped(scan.getConsts(), map),
                       scan.getCount() ? map.lookup(scan.getCount()) : Value(), scan.getLength(), scan.getReverse());
    Block &source = scan.getBody().front();
    SmallVector<Type> inside(source.getArgumentTypes());
    inside.insert(inside.begin() + count, inits.back().getType());
    Body body(loc, inside);
    BodyEmitter within(e, body);
    IRMapping inner;
    inner.map(source.getArguments(), without(count, body.arguments()));
    SmallVector<Value> results =
        unless(within, body.arguments()[count], opsOf(source), source.getTerminator()->getOperands(), inner,
               source.getArguments().take_front(count), false);
    Value stops = results.pop_back_val();
    results.insert(results.begin() + count, stops);
    body.results = results;
    fill(made.getBody(), std::move(body));
    map.map(scan->getResults(), without(count, made->getResults()));
    return made->getResult(count);
  }
};

/// A loop of known length as one that counts. Its carries are the number of the iteration, those of the loop, and what
/// it stacks; it takes the arrays of slices after its constants.
WhileOp counted(OpBuilder &b, ScanOp scan) {
  Emitter e(b, scan.getLoc());
  unsigned numInits = scan.getInits().size(), numXs = scan.getXs().size(), numConsts = scan.getConsts().size();
  auto number = RankedTensorType::get({}, b.getI32Type());
  SmallVector<Value> inits{e.full(number, {}, 0)}, consts(scan.getConsts());
  llvm::append_range(inits, scan.getInits());
  for (Value stack : scan.getResults().drop_front(numInits))
    inits.push_back(e.zeros(cast<RankedTensorType>(stack.getType()), {}));
  llvm::append_range(consts, scan.getXs());
  int64_t length = scan.getLength();
  auto loop = WhileOp::create(b, e.loc, ValueRange(inits).getTypes(), inits, consts, b.getI64IntegerAttr(length));
  SmallVector<Type> types(loop->getOperandTypes());
  Body cond(e.loc, types), body(e.loc, types);
  BodyEmitter before(e, cond), within(e, body);
  cond.results = {
      before.make<CompareOp>(CompareDirection::LT, cond.arguments()[0], before.full(number, {}, double(length)))};
  ValueRange given = body.arguments();
  Value i = given[0], at = scan.getReverse() ? within.sub(double(length - 1), i) : i;
  Value start = within.reshape(at, RankedTensorType::get({1}, number.getElementType()), {});
  SmallVector<Value> arguments(given.slice(1, numInits));
  for (auto [x, slice] : llvm::zip_equal(given.take_back(numXs), scan.getBody().getArguments().slice(numInits, numXs)))
    arguments.push_back(within.reshape(within.make<GatherOp>(x, start, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1}),
                                       cast<RankedTensorType>(slice.getType()), {}));
  llvm::append_range(arguments, given.slice(inits.size(), numConsts));
  SmallVector<Value> results = inlineBody(within.builder, scan.getBody(), arguments);
  body.results = {within.add(i, 1.0)};
  llvm::append_range(body.results, ArrayRef(results).take_front(numInits));
  for (auto [stack, slice] :
       llvm::zip_equal(given.slice(1 + numInits, results.size() - numInits), ArrayRef(results).drop_front(numInits))) {
    SmallVector<int64_t> shape(cast<RankedTensorType>(slice.getType()).getShape());
    shape.insert(shape.begin(), 1);
    Value row = within.reshape(slice, withShape(slice.getType(), shape), {});
    body.results.push_back(within.make<ScatterOp>(stack, start, row, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1}, true));
  }
  fill(loop.getCond(), std::move(cond));
  fill(loop.getBody(), std::move(body));
  return loop;
}

/// Marks a loop that stays on the host.
constexpr llvm::StringLiteral kStaysOnHost = "dovetail.stays_on_host";

/// Threads a flag through a body, which each op that needs the host sets.
SmallVector<Value> threadFlag(Block &block, ValueRange flag) {
  SmallVector<Value> now(flag);
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (!reachesHost(op))
      continue;
    OpBuilder b(&op);
    if (needsHost(op)) {
      Emitter e(b, op.getLoc());
      now = {e.full(now[0], 1)};
    } else {
      now = cast<ThreadOpInterface>(op).thread(b, now, threadFlag, [](Block &, ValueRange) {});
    }
  }
  return now;
}

/// The number of iterations on the host, after one that needs it, that take as long as to return to the dispatch, in
/// which all ops take as long as one.
int64_t idleIterationsOf(WhileOp loop) {
  // To call a program takes as long as to run dispatches of about so many ops.
  constexpr int64_t kOpsOfCall = 128;
  int64_t ops = 0;
  loop.getBody().walk([&](Operation *) { ++ops; });
  return kOpsOfCall / std::max<int64_t>(ops, 1);
}

/// The text of a program that runs iterations on the host, at least one, until few of them need it.
std::string textOfIterations(WhileOp loop) {
  Location loc = loop.getLoc();
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  auto b = OpBuilder::atBlockEnd(module->getBody());
  auto main = func::FuncOp::create(b, loc, "main", b.getFunctionType(loop->getOperandTypes(), loop.getResultTypes()));
  b.setInsertionPointToStart(main.addEntryBlock());
  Emitter e(b, loc);
  unsigned count = loop.getInits().size();
  auto number = RankedTensorType::get({}, b.getI32Type());
  SmallVector<Value> inits(main.getArguments().take_front(count));
  inits.push_back(e.full(number, {}, 0));
  auto made = WhileOp::create(b, loc, ValueRange(inits).getTypes(), inits, main.getArguments().drop_front(count),
                              loop.getMaxStepsAttr());
  made->setDiscardableAttr(kStaysOnHost, b.getUnitAttr());
  Body cond(loc, made->getOperandTypes()), body(loc, made->getOperandTypes());
  BodyEmitter before(e, cond), within(e, body);
  Value limit = before.full(number, {}, double(idleIterationsOf(loop)));
  Value isBusy = before.make<CompareOp>(CompareDirection::LE, cond.arguments()[count], limit);
  cond.results = {before.both(inlineBody(before.builder, loop.getCond(), without(count, cond.arguments()))[0], isBusy)};
  fill(made.getCond(), std::move(cond));
  Value none = within.full(RankedTensorType::get({}, b.getI1Type()), {}, 0), idle = body.arguments()[count];
  body.results = inlineBody(within.builder, loop.getBody(), without(count, body.arguments()));
  body.results.push_back(idle);
  fill(made.getBody(), std::move(body));
  // Ops that it is threaded through are replaced.
  Value needed = threadFlag(made.getBody().front(), none)[0];
  Operation *end = made.getBody().front().getTerminator();
  OpBuilder last(end);
  Emitter after(last, loc);
  end->setOperand(count, after.select(needed, after.zerosLike(idle), after.add(idle, 1.0)));
  func::ReturnOp::create(b, loc, made->getResults().drop_back());
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, OpPrintingFlags().enableDebugInfo(true, false));
  return text;
}

/// The number of ops that may stop an iteration, and whether others refer to functions.
bool areFewStops(Operation *loop) {
  unsigned stops = 0;
  bool refers = loop->walk([&](Operation *op) {
                      stops += needsHost(*op);
                      for (NamedAttribute attribute : op->getAttrs())
                        if (isa<SymbolRefAttr>(attribute.getValue()))
                          return WalkResult::interrupt();
                      return WalkResult::advance();
                    })
                    .wasInterrupted();
  return !refers && stops <= kMostStops;
}

/// The loop as one that runs as a dispatch until an iteration needs the host, in one that calls these; null if that is
/// not one dispatch, and then nothing has changed.
WhileOp suspended(OpBuilder &b, WhileOp loop) {
  Emitter e(b, loop.getLoc());
  WhileOp inner = Attempt(e.loc).whileOf(b, loop, loop.getInits(), loop.getConsts(), /*areKept=*/true);
  ImplicitLocOpBuilder at(e.loc, inner);
  if (!isForOneDispatch(inner, at)) {
    inner.erase();
    return nullptr;
  }
  unsigned count = loop.getInits().size();
  auto flag = RankedTensorType::get({}, b.getI1Type());
  // In the outer loop, a carry says whether iterations are left.
  SmallVector<Value> inits(loop.getInits());
  inits.push_back(e.full(flag, {}, 1));
  auto outer = WhileOp::create(b, e.loc, ValueRange(inits).getTypes(), inits, loop.getConsts(), nullptr);
  SmallVector<Type> types(outer->getOperandTypes());
  Body cond(e.loc, types), body(e.loc, types);
  BodyEmitter within(e, body);
  cond.results = {cond.arguments()[count]};
  SmallVector<Value> given(body.arguments().begin(), body.arguments().end());
  given[count] = within.full(flag, {}, 0);
  inner->moveBefore(&body.block(), body.block().end());
  inner->setOperands(given);
  Value stops = inner->getResults().back();
  SmallVector<Value> args(inner->getResults().drop_back());
  llvm::append_range(args, body.arguments().drop_front(count + 1));
  auto choice =
      CaseOp::create(within.builder, e.loc, loop.getResultTypes(), within.convert(stops, b.getI32Type()), args, 2);
  for (Region &branch : choice.getBranches()) {
    Body then(e.loc, ValueRange(args).getTypes());
    BodyEmitter inBranch(e, then);
    if (&branch == &choice.getBranches().front())
      llvm::append_range(then.results, then.arguments().take_front(count));
    else
      llvm::append_range(then.results, LateCallOp::create(inBranch.builder, e.loc, loop.getResultTypes(),
                                                          b.getStringAttr(textOfIterations(loop)), then.arguments())
                                           .getResults());
    fill(branch, std::move(then));
  }
  body.results.assign(choice->result_begin(), choice->result_end());
  body.results.push_back(stops);
  fill(outer.getCond(), std::move(cond));
  fill(outer.getBody(), std::move(body));
  return outer;
}

bool suspend(Operation *op) {
  if (op->hasAttr(kStaysOnHost) || alwaysStops(*op) || !areFewStops(op) || !areKnownArrays(op->getOperandTypes()) ||
      !areKnownArrays(op->getResultTypes()))
    return false;
  OpBuilder b(op);
  if (auto loop = dyn_cast<WhileOp>(op)) {
    WhileOp made = suspended(b, loop);
    if (!made)
      return false;
    op->replaceAllUsesWith(made->getResults().drop_back());
    op->erase();
    return true;
  }
  auto scan = cast<ScanOp>(op);
  // Nothing has a slice, or the numbers of its iterations do not fit.
  if (int64_t length = scan.getLength(); length < 1 || length > std::numeric_limits<int32_t>::max())
    return false;
  WhileOp loop = counted(b, scan), made = suspended(b, loop);
  if (made) {
    op->replaceAllUsesWith(made->getResults().drop_front().drop_back());
    op->erase();
  }
  loop.erase();
  return made != nullptr;
}

struct SuspendLoopsPass : impl::SuspendLoopsPassBase<SuspendLoopsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module->hasAttr(kHostFunctions) || module->hasAttr(kMesh) || !Target(module).isCpu())
      return markAllAnalysesPreserved();
    bool changed = false;
    // Outer loops first: what is in one that is suspended is in its program, which is lowered on its own.
    std::function<void(Region &)> visit = [&](Region &region) {
      for (Block &block : region)
        for (Operation &op : llvm::make_early_inc_range(block)) {
          if (!op.getNumRegions() || !reachesHost(op))
            continue;
          if (isa<WhileOp, ScanOp>(op) && suspend(&op)) {
            changed = true;
            continue;
          }
          for (Region &inner : op.getRegions())
            visit(inner);
        }
    };
    visit(module.getBodyRegion());
    if (!changed)
      return markAllAnalysesPreserved();
    OpPassManager passes(ModuleOp::getOperationName());
    passes.addPass(createSimplifyPass());
    if (failed(runPipeline(passes, module)))
      signalPassFailure();
  }
};

} // namespace

} // namespace dovetail
