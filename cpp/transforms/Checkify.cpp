// Makes of a function with checks one that returns which of them failed.
#include "Checkify.h"
#include "CallGraph.h"
#include "Expand.h"
#include "FirstCode.h"
#include "Passes.h"
#include "dialects/Call.h"
#include "dialects/Check.h"
#include "dialects/Control.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_CHECKIFYPASS
#include "cpp/transforms/Passes.h.inc"

namespace {

class Checkify {
public:
  Checkify(Functions &functions, ArrayRef<std::string> kinds) : functions(functions), kinds(kinds) {}

  FailureOr<CheckedFunction> run(func::FuncOp function);

private:
  bool isEnabled(StringRef kind) { return llvm::is_contained(kinds, kind); }
  /// Whether an op itself can fail in a way that counts, or is a check.
  bool concerns(Operation *op);
  /// Whether anything in a function or in what it calls does.
  bool concerns(func::FuncOp function);

  /// (arguments, failure) -> (results, failure)
  FailureOr<func::FuncOp> checked(func::FuncOp function);
  /// The function without checks, for callers that need its values only; itself if it has none.
  func::FuncOp unchecked(func::FuncOp function);
  /// The failure at the end of a block, given that at its beginning.
  Value through(Block &block, Value failure);
  void check(Operation *op, Value &failure);
  Value throughCall(InlineOpInterface call, Value failure);
  Value throughBodies(ThreadOpInterface op, Value failure);
  /// Adds the failures of elements that were found to what failed before.
  Value settle(Emitter &e, Value failure);
  /// `failure`, or a new one if there is none yet and `isFailed`.
  Value first(Emitter &e, Value failure, Value isFailed, Value number, Value data);
  int64_t number(Operation *op, StringRef kind, int64_t table = -1, int64_t count = 1);

  Functions &functions;
  ArrayRef<std::string> kinds;
  SmallVector<FailureSource> sources;
  int64_t next = 0, width = 1;
  FirstCode codes;
  DenseMap<Operation *, func::FuncOp> checkedFunctions, uncheckedFunctions;
  bool hasFailed = false;
};

} // namespace

static RankedTensorType vectorType(Emitter &e, int64_t size) {
  return RankedTensorType::get({size}, e.builder.getI32Type());
}

static bool isCheck(Operation *op) {
  auto fails = dyn_cast<FailureOpInterface>(op);
  return fails && fails.isOnlyCheck();
}

bool Checkify::concerns(Operation *op) {
  if (auto fails = dyn_cast<FailureOpInterface>(op);
      fails && (fails.isOnlyCheck() || isEnabled(fails.getFailureKind())))
    return true;
  return isEnabled("nan") && !onlyHandsOn(op) && llvm::any_of(op->getResults(), hasFloats);
}

bool Checkify::concerns(func::FuncOp function) {
  FailureOr<SmallVector<func::FuncOp>> all = calleesFirst(function);
  return succeeded(all) && llvm::any_of(*all, [&](func::FuncOp one) {
           return one
               .walk([&](Operation *op) { return concerns(op) ? WalkResult::interrupt() : WalkResult::advance(); })
               .wasInterrupted();
         });
}

int64_t Checkify::number(Operation *op, StringRef kind, int64_t table, int64_t count) {
  SmallVector<int64_t> shape;
  if (op->getNumOperands())
    if (auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType()))
      shape.assign(type.getShape().begin(), type.getShape().end());
  sources.push_back({kind.str(), op->getName().stripDialect().str(), shape, op->getLoc(), table, count});
  return std::exchange(next, next + count);
}

Value Checkify::first(Emitter &e, Value failure, Value isFailed, Value number, Value data) {
  SmallVector<Value> parts = {e.reshape(number, vectorType(e, 1), {})};
  int64_t rest = width - 1;
  if (data) {
    parts.push_back(data);
    rest -= cast<RankedTensorType>(data.getType()).getDimSize(0);
  }
  if (rest)
    parts.push_back(e.zeros(vectorType(e, rest), {}));
  Value made = parts.size() == 1 ? parts[0] : e.make<ConcatenateOp>(ValueRange(parts), 0);
  Value before = e.make<SliceOp>(vectorType(e, 1), failure, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1}, ValueRange());
  before = e.reshape(before, RankedTensorType::get({}, e.builder.getI32Type()), {});
  Value isFirst = e.make<CompareOp>(CompareDirection::EQ, before, FirstCode::none(e, {}, {}));
  if (isFailed)
    isFirst = e.both(isFirst, isFailed);
  auto bools = RankedTensorType::get({width}, e.builder.getI1Type());
  return e.select(e.broadcast(isFirst, {}, bools, {}), made, failure);
}

Value Checkify::settle(Emitter &e, Value failure) {
  Value least = codes.take(e);
  return least ? first(e, failure, nullptr, least, nullptr) : failure;
}

static Value anyOf(Emitter &e, Value where) {
  int64_t rank = cast<RankedTensorType>(where.getType()).getRank();
  return rank == 0 ? where : e.make<ReduceOrOp>(where, range(0, rank));
}

void Checkify::check(Operation *op, Value &failure) {
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Emitter e(builder, op->getLoc());
  auto fails = dyn_cast<FailureOpInterface>(op);
  if (fails && isEnabled(fails.getFailureKind())) {
    if (Failure found = fails.emitFailure(e); found.where) {
      int64_t own = number(op, fails.getFailureKind(), fails.failureTable(), fails.numFailures());
      auto scalar = RankedTensorType::get({}, e.builder.getI32Type());
      if (found.number || found.data) {
        failure = settle(e, failure);
        Value code = e.full(scalar, {}, double(own));
        if (found.number)
          code = e.add(code, found.number);
        failure = first(e, failure, anyOf(e, found.where), code, found.data);
      } else {
        Value none = FirstCode::none(e, e.sizes(found.where), cast<RankedTensorType>(found.where.getType()).getShape());
        codes.add(op, op->getResult(0), e.select(found.where, e.full(none, double(own)), none));
      }
    }
  }
  if (isEnabled("nan") && !onlyHandsOn(op)) {
    std::optional<int64_t> own;
    for (Value result : op->getResults())
      if (hasFloats(result)) {
        if (!own)
          own = number(op, "nan");
        Value none = FirstCode::none(e, e.sizes(result), cast<RankedTensorType>(result.getType()).getShape());
        codes.add(op, result, e.select(codes.makes(e, op, result, Unwanted::NaN), e.full(none, double(*own)), none));
      }
  }
  if (fails && fails.isOnlyCheck())
    op->erase();
}

Value Checkify::throughCall(InlineOpInterface call, Value failure) {
  func::FuncOp callee = functions.lookup(call.getCalleeAttr());
  OpBuilder builder(call);
  Emitter e(builder, call.getLoc(), &functions);
  bool isConcerned = callee && concerns(callee);
  // A rule may have checks that the function lacks.
  bool isPlain = isa<CallOpInterface>(call.getOperation());
  if (isConcerned) {
    failure = settle(e, failure);
    FailureOr<func::FuncOp> made = checked(callee);
    if (failed(made)) {
      hasFailed = true;
      return failure;
    }
    SmallVector<Value> arguments = isPlain ? SmallVector<Value>(call->getOperands()) : call.inlinedArguments(builder);
    arguments.push_back(failure);
    ValueRange results = emitCall(e, *made, arguments);
    // Effects must happen once: then there is only this call, and its derivative is that of the ops.
    if (isPlain || functions.hasEffects(unchecked(callee))) {
      call->replaceAllUsesWith(results.drop_back());
      Value last = results.back();
      call->erase();
      return last;
    }
    failure = results.back();
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr name) -> std::optional<Attribute> {
    func::FuncOp function = functions.lookup(name);
    return function ? FlatSymbolRefAttr::get(unchecked(function).getSymNameAttr()) : name;
  });
  replacer.replaceElementsIn(call);
  return failure;
}

Value Checkify::throughBodies(ThreadOpInterface op, Value failure) {
  auto mayConcern = [&](Operation *inner) { return inner != op && concerns(inner); };
  bool isConcerned = op->walk([&](Operation *inner) {
                         return mayConcern(inner) ? WalkResult::interrupt() : WalkResult::advance();
                       }).wasInterrupted();
  // What bodies call may concern, too.
  op->walk([&](InlineOpInterface call) {
    func::FuncOp callee = functions.lookup(call.getCalleeAttr());
    isConcerned |= callee && concerns(callee);
  });
  if (!isConcerned)
    return failure;
  if (op->hasAttr(kRunsForAll)) {
    op->emitError()
        << "Checkify does not support batched while-loops (checkify-of-vmap-of-while), whose body also runs "
           "for elements that have finished, got: a check in a while_loop whose predicate is batched; move "
           "the vmap to the outer level, as vmap of checkify";
    hasFailed = true;
    return failure;
  }
  OpBuilder builder(op);
  Emitter e(builder, op.getLoc());
  failure = settle(e, failure);
  if (op.decidesItself([&](Operation *inner) { return concerns(inner); })) {
    // The predicate of the first iteration is computed here.
    Operation *before = op->getPrevNode();
    Block *block = op->getBlock();
    op = cast<ThreadOpInterface>(op.rotate(builder));
    Block::iterator it = before ? std::next(before->getIterator()) : block->begin();
    while (&*it != op) {
      Operation &here = *it++;
      if (auto call = dyn_cast<InlineOpInterface>(here))
        failure = throughCall(call, failure);
      else if (auto bodies = dyn_cast<ThreadOpInterface>(here))
        failure = throughBodies(bodies, failure);
      else
        check(&here, failure);
    }
    builder.setInsertionPoint(op);
    Emitter at(builder, op.getLoc());
    failure = settle(at, failure);
  }
  auto inBody = [&](Block &body, ValueRange inside) { return SmallVector<Value>{through(body, inside.front())}; };
  return op.thread(builder, failure, inBody, [](Block &, ValueRange) {}).front();
}

Value Checkify::through(Block &block, Value failure) {
  FirstCode outer = std::exchange(codes, {});
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    if (auto bodies = dyn_cast<ThreadOpInterface>(op))
      failure = throughBodies(bodies, failure);
    else if (auto call = dyn_cast<InlineOpInterface>(op))
      failure = throughCall(call, failure);
    else
      check(&op, failure);
  }
  OpBuilder builder(block.getTerminator());
  Emitter e(builder, block.getTerminator()->getLoc());
  failure = settle(e, failure);
  codes = std::move(outer);
  return failure;
}

FailureOr<func::FuncOp> Checkify::checked(func::FuncOp function) {
  if (func::FuncOp made = checkedFunctions.lookup(function))
    return made;
  if (failed(checkTransformable(function)))
    return failure();
  Body body(function.getLoc(), function.getArgumentTypes());
  OpBuilder builder = body.builder();
  SmallVector<Value> results = inlineBody(builder, function.getBody(), body.arguments());
  auto type = RankedTensorType::get({width}, builder.getI32Type());
  Value failure = body.block().addArgument(type, function.getLoc());
  // Ops are replaced, and with them the results; a terminator has uses of them.
  auto end = func::ReturnOp::create(builder, function.getLoc(), results);
  failure = through(body.block(), failure);
  body.results = llvm::to_vector(end.getOperands());
  end.erase();
  body.results.push_back(failure);
  func::FuncOp made = functions.add(function, ".checked", std::move(body));
  checkedFunctions[function] = made;
  if (hasFailed)
    return mlir::failure();
  return made;
}

func::FuncOp Checkify::unchecked(func::FuncOp function) {
  if (func::FuncOp made = uncheckedFunctions.lookup(function))
    return made;
  FailureOr<SmallVector<func::FuncOp>> all = calleesFirst(function);
  bool hasChecks =
      succeeded(all) && llvm::any_of(*all, [](func::FuncOp one) {
        return one.walk([](Operation *op) { return isCheck(op) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
      });
  if (!hasChecks)
    return uncheckedFunctions[function] = function;
  Body body(function.getLoc(), function.getArgumentTypes());
  OpBuilder builder = body.builder();
  body.results = inlineBody(builder, function.getBody(), body.arguments());
  func::FuncOp made = functions.add(function, ".unchecked", std::move(body));
  uncheckedFunctions[function] = made;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr name) -> std::optional<Attribute> {
    func::FuncOp other = functions.lookup(name);
    return other ? FlatSymbolRefAttr::get(unchecked(other).getSymNameAttr()) : name;
  });
  made.walk([&](Operation *op) {
    if (isCheck(op))
      op->erase();
    else if (op != made)
      replacer.replaceElementsIn(op);
  });
  return made;
}

FailureOr<CheckedFunction> Checkify::run(func::FuncOp function) {
  if (failed(expandCalleesOf(function, functions)))
    return failure();
  FailureOr<SmallVector<func::FuncOp>> all = calleesFirst(function);
  if (failed(all))
    return failure();
  for (func::FuncOp one : *all)
    one.walk([&](FailureOpInterface op) {
      if (isEnabled(op.getFailureKind()))
        width = std::max(width, 1 + op.numFailureData());
    });
  FailureOr<func::FuncOp> made = checked(function);
  if (failed(made))
    return failure();
  Body body(function.getLoc(), function.getArgumentTypes());
  OpBuilder builder = body.builder();
  Emitter e(builder, function.getLoc(), &functions);
  Value none = e.reshape(FirstCode::none(e, {}, {}), vectorType(e, 1), {});
  if (width > 1)
    none = e.make<ConcatenateOp>(ValueRange{none, e.zeros(vectorType(e, width - 1), {})}, 0);
  SmallVector<Value> arguments(body.arguments());
  arguments.push_back(none);
  ValueRange results = emitCall(e, *made, arguments);
  body.results.push_back(results.back());
  llvm::append_range(body.results, results.drop_back());
  return CheckedFunction{functions.add(function, ".checkify", std::move(body)), std::move(sources)};
}

FailureOr<CheckedFunction> checkify(func::FuncOp function, ArrayRef<std::string> kinds) {
  Functions functions(function->getParentOfType<ModuleOp>());
  return Checkify(functions, kinds).run(function);
}

namespace {
struct CheckifyPass : impl::CheckifyPassBase<CheckifyPass> {
  using CheckifyPassBase::CheckifyPassBase;
  void runOnOperation() override {
    FailureOr<func::FuncOp> target = findFunction(getOperation(), function);
    if (failed(target) || failed(checkify(*target, llvm::to_vector(ArrayRef<std::string>(kinds)))))
      signalPassFailure();
  }
};
} // namespace

} // namespace dovetail
