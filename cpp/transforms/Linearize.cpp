// Linearizes a function: its JVP, split into primal and linear part.
#include "Linearize.h"
#include "CallGraph.h"
#include "Expand.h"
#include "Functions.h"
#include "dialects/Call.h"

using namespace mlir;

namespace dovetail {

//===- Sizes between functions ---------------------------------------------------===//

static bool isSize(Type type) { return isa<IndexType>(type); }

/// Callers only know arrays: a size enters and leaves functions as that of an array without elements.
static RankedTensorType carrierType(MLIRContext *context) {
  return RankedTensorType::get({ShapedType::kDynamic, 0}, IntegerType::get(context, 1));
}

/// A function that also returns `sizesOf` its arguments, with all sizes as arrays.
static func::FuncOp returningArrays(Functions &functions, func::FuncOp function, ArrayRef<int64_t> sizesOf) {
  Body body(function.getLoc(), function.getArgumentTypes());
  OpBuilder builder = body.builder();
  Emitter e(builder, function.getLoc(), &functions);
  body.results = llvm::to_vector(emitCall(e, function, body.arguments()));
  for (int64_t number : sizesOf)
    llvm::append_range(body.results, e.sizes(body.arguments()[number]));
  for (Value &result : body.results)
    if (isSize(result.getType()))
      result = e.zeros(carrierType(function.getContext()), result);
  return functions.add(function, ".arrays", std::move(body));
}

/// A function that takes all sizes as arrays.
static func::FuncOp takingArrays(Functions &functions, func::FuncOp function) {
  auto types = llvm::map_to_vector(function.getArgumentTypes(), [](Type type) -> Type {
    return isSize(type) ? carrierType(type.getContext()) : type;
  });
  Body body(function.getLoc(), types);
  OpBuilder builder = body.builder();
  Emitter e(builder, function.getLoc(), &functions);
  SmallVector<Value> args;
  for (auto [argument, type] : llvm::zip_equal(body.arguments(), function.getArgumentTypes()))
    args.push_back(isSize(type) ? e.size(argument, 0) : argument);
  body.results = llvm::to_vector(emitCall(e, function, args));
  return functions.add(function, ".arrays", std::move(body));
}

/// Makes the functions exchange only arrays.
static void exchangeArrays(Functions &functions, Linearization &made, ArrayRef<int64_t> wrt) {
  func::FuncOp &linear = made.cotangent ? made.cotangent : made.tangent;
  if (llvm::none_of(linear.getArgumentTypes(), isSize))
    return;
  made.known = returningArrays(functions, made.known, made.cotangent ? wrt : ArrayRef<int64_t>());
  linear = takingArrays(functions, linear);
}

/// A function without `count` of its results.
static func::FuncOp droppingResults(Functions &functions, func::FuncOp function, unsigned first, unsigned count) {
  Body body(function.getLoc(), function.getArgumentTypes());
  OpBuilder builder = body.builder();
  Emitter e(builder, function.getLoc(), &functions);
  body.results = llvm::to_vector(emitCall(e, function, body.arguments()));
  body.results.erase(body.results.begin() + first, body.results.begin() + first + count);
  return functions.add(function, ".point", std::move(body));
}

FailureOr<Linearization> linearize(func::FuncOp function, ArrayRef<int64_t> wrt, bool transpose) {
  Functions functions(function->getParentOfType<ModuleOp>());
  FailureOr<llvm::SmallBitVector> mask = argumentMask(function, wrt);
  if (failed(mask) || failed(expandCalleesOf(function, functions)))
    return failure();
  auto jvp = functions.jvp(function, *mask);
  if (failed(jvp))
    return failure();
  unsigned numPrimals = function.getNumArguments(), numResults = function.getNumResults();
  llvm::SmallBitVector unknown(numPrimals + wrt.size());
  unknown.set(numPrimals, unknown.size());
  auto split = functions.split(jvp->function, unknown);
  if (failed(split))
    return failure();

  Linearization result;
  result.known = split->known;
  result.tangent = split->rest;
  // Tangents that turned out to be known are zero; they have no users.
  result.active = jvp->activeResults;
  unsigned position = 0;
  for (unsigned i : jvp->activeResults.set_bits())
    if (!split->unknownResults.test(numResults + position++))
      result.active.reset(i);
  if (unsigned numZero = jvp->activeResults.count() - result.active.count())
    result.known = droppingResults(functions, result.known, numResults, numZero);
  if (!transpose) {
    exchangeArrays(functions, result, wrt);
    return result;
  }
  llvm::SmallBitVector linear(split->rest.getNumArguments());
  linear.set(linear.size() - wrt.size(), linear.size());
  auto transposed = functions.transpose(split->rest, linear, llvm::SmallBitVector(split->rest.getNumResults(), true));
  if (failed(transposed))
    return failure();
  result.cotangent = transposed->function;
  result.nonzero = transposed->nonzero;
  exchangeArrays(functions, result, wrt);
  return result;
}

FailureOr<Linearization> requestLinearization(func::FuncOp function, ArrayRef<int64_t> wrt, bool transpose) {
  Functions functions(function->getParentOfType<ModuleOp>());
  FailureOr<llvm::SmallBitVector> mask = argumentMask(function, wrt);
  if (failed(mask))
    return failure();
  unsigned numPrimals = function.getNumArguments(), numResults = function.getNumResults();
  Linearization result;
  result.active.resize(numResults);
  SmallVector<int64_t> of;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (isDifferentiable(type)) {
      result.active.set(i);
      of.push_back(i);
    }
  result.nonzero.resize(wrt.size(), true);

  Body known(function.getLoc(), function.getArgumentTypes());
  OpBuilder atKnown = known.builder();
  Emitter emitter(atKnown, function.getLoc(), &functions);
  known.results = llvm::to_vector(emitCall(emitter, function, known.arguments()));
  llvm::append_range(known.results, known.arguments());
  result.known = functions.add(function, ".known", std::move(known));

  SmallVector<Type> types(function.getArgumentTypes()), outs(function.getResultTypes());
  SmallVector<Type> ofWrt = llvm::map_to_vector(wrt, [&](int64_t i) { return types[i]; });
  SmallVector<Type> ofActive = llvm::map_to_vector(of, [&](int64_t i) { return outs[i]; });
  llvm::append_range(types, transpose ? ofActive : ofWrt);
  llvm::append_range(outs, transpose ? ofWrt : ofActive);
  Body linear(function.getLoc(), types);
  OpBuilder builder = linear.builder();
  ValueRange primals = linear.arguments().take_front(numPrimals), others = linear.arguments().drop_front(numPrimals);
  Operation *request =
      transpose
          ? VjpOp::create(builder, function.getLoc(), outs, function.getSymName(), wrt, of, primals, others)
                .getOperation()
          : JvpOp::create(builder, function.getLoc(), outs, function.getSymName(), wrt, primals, others).getOperation();
  linear.results = llvm::to_vector_of<Value>(request->getResults().drop_front(numResults));
  (transpose ? result.cotangent : result.tangent) =
      functions.add(function, transpose ? ".cotangent" : ".tangent", std::move(linear));
  return result;
}

FailureOr<Linearization> transposeLinear(func::FuncOp function, ArrayRef<int64_t> linear) {
  Functions functions(function->getParentOfType<ModuleOp>());
  FailureOr<llvm::SmallBitVector> mask = argumentMask(function, linear, /*takesIntegers=*/true);
  if (failed(mask) || failed(expandCalleesOf(function, functions)))
    return failure();
  llvm::SmallBitVector active(function.getNumResults(), true);
  auto transposed = functions.transpose(function, *mask, active);
  if (failed(transposed))
    return failure();
  Body body(function.getLoc(), function.getArgumentTypes());
  OpBuilder builder = body.builder();
  Emitter e(builder, function.getLoc(), &functions);
  body.results = llvm::to_vector(emitCall(e, function, body.arguments()));
  for (auto [number, argument] : llvm::enumerate(body.arguments()))
    if (!mask->test(number))
      body.results.push_back(argument);
  Linearization result;
  result.known = functions.add(function, ".known", std::move(body));
  result.cotangent = transposed->function;
  result.active = active;
  result.nonzero = transposed->nonzero;
  exchangeArrays(functions, result, linear);
  return result;
}

void keepResiduals(func::FuncOp known, unsigned numPrimals, unsigned numResults) {
  llvm::DenseSet<Value> dependent;
  dependent.insert_range(known.getArguments().take_front(numPrimals));
  SmallVector<Operation *> effects;
  // An op depends on what the ops in it take: where one of them does, so do all values in it.
  for (Operation &op : known.front().without_terminator()) {
    bool depends = op.walk([&](Operation *inner) {
                       return llvm::any_of(inner->getOperands(), [&](Value value) { return dependent.contains(value); })
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    if (!depends)
      continue;
    dependent.insert_range(op.getResults());
    op.walk([&](Operation *inner) {
      if (inner->getNumResults() == 0 && !inner->hasTrait<OpTrait::IsTerminator>())
        effects.push_back(inner);
    });
  }
  for (Operation *op : effects)
    op->erase();
  Operation *end = known.front().getTerminator();
  end->eraseOperands(0, numResults);
  known.setFunctionType(FunctionType::get(known.getContext(), known.getArgumentTypes(), end->getOperandTypes()));
  if (ArrayAttr attributes = known.getAllResultAttrs())
    known.setAllResultAttrs(attributes.getValue().drop_front(numResults));
}

/// Whether a function or what it calls has requests.
static bool hasRequests(ArrayRef<func::FuncOp> functions) {
  return llvm::any_of(functions, [](func::FuncOp function) {
    return function.walk([](RequestOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
  });
}

FailureOr<llvm::SmallBitVector> batchedResults(func::FuncOp function, ArrayRef<int64_t> dims, BatchSize size) {
  FailureOr<SmallVector<func::FuncOp>> callees = calleesFirst(function);
  if (failed(callees))
    return failure();
  // A question changes nothing: what requests expand to may depend on what is not known of the function yet.
  OwningOpRef<ModuleOp> copy;
  if (hasRequests(*callees)) {
    copy = function->getParentOfType<ModuleOp>().clone();
    function = copy->lookupSymbol<func::FuncOp>(function.getSymName());
  }
  Functions functions(function->getParentOfType<ModuleOp>());
  if (failed(expandCalleesOf(function, functions)))
    return failure();
  auto batched = functions.batch(function, dims, size);
  if (failed(batched))
    return failure();
  llvm::SmallBitVector mask(batched->resultDims.size());
  for (auto [i, dim] : llvm::enumerate(batched->resultDims))
    mask[i] = dim != kUnbatched;
  return mask;
}

} // namespace dovetail
