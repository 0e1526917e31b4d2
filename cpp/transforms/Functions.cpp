// Transforms of functions, memoized by function and request.
#include "Functions.h"
#include "Vary.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dovetail {

static std::string text(const llvm::SmallBitVector &bits) {
  std::string text;
  for (unsigned i = 0; i < bits.size(); ++i)
    text += bits.test(i) ? '1' : '0';
  return text;
}

static std::string keyOf(func::FuncOp function, const llvm::SmallBitVector &bits) {
  return function.getSymName().str() + ' ' + text(bits);
}

template <typename Result, typename Made>
FailureOr<Result> Functions::memoised(std::map<std::string, Result> &memo, const std::string &key, Function function,
                                      function_ref<FailureOr<Made>()> transform, function_ref<Result(Made &)> finish) {
  if (auto it = memo.find(key); it != memo.end())
    return it->second;
  if (failed(checkTransformable(function)))
    return failure();
  FailureOr<Made> made = transform();
  if (failed(made))
    return failure();
  return memo.emplace(key, finish(*made)).first->second;
}

FailureOr<Functions::Jvp<func::FuncOp>> Functions::jvp(Function function, const Mask &active) {
  return memoised<Jvp<Function>, Jvp<Body>>(
      jvps, keyOf(function, active), function, [&] { return jvp(function.getBody(), active); },
      [&](Jvp<Body> &made) {
        return Jvp<Function>{add(function, ".jvp", std::move(made.function)), made.activeResults};
      });
}

FailureOr<Functions::Split<func::FuncOp>> Functions::split(Function function, const Mask &unknown) {
  return memoised<Split<Function>, Split<Body>>(
      splits, keyOf(function, unknown), function,
      [&] { return split(function.getBody(), unknown, Mask(unknown.size(), true)); },
      [&](Split<Body> &made) {
        Function known = add(function, ".known", std::move(made.known));
        return Split<Function>{known, add(function, ".rest", std::move(made.rest)), made.unknownResults};
      });
}

FailureOr<Functions::Transpose<func::FuncOp>> Functions::transpose(Function function, const Mask &linear,
                                                                   const Mask &results) {
  return memoised<Transpose<Function>, Transpose<Body>>(
      transposes, keyOf(function, linear) + ' ' + text(results), function,
      [&] { return transpose(function.getBody(), linear, results); },
      [&](Transpose<Body> &made) {
        return Transpose<Function>{add(function, ".transpose", std::move(made.function)), made.nonzero};
      });
}

FailureOr<func::FuncOp> Functions::sizes(Function function, const Mask &linear) {
  return memoised<Function, Body>(
      sizeFunctions, keyOf(function, linear), function, [&] { return sizes(function.getBody(), linear); },
      [&](Body &made) { return add(function, ".sizes", std::move(made)); });
}

FailureOr<Functions::Batch<func::FuncOp>> Functions::batch(Function function, ArrayRef<int64_t> dims, BatchSize size) {
  std::string key = function.getSymName().str() + ' ' + std::to_string(size.size);
  for (int64_t dim : dims)
    key += ' ' + std::to_string(dim);
  if (size.axis)
    key += ' ' + size.axis.getValue().str();
  if (size.meshAxes)
    for (Attribute axis : size.meshAxes)
      key += '/' + cast<StringAttr>(axis).getValue().str();
  return memoised<Batch<Function>, Batch<Body>>(
      batches, key, function, [&] { return batch(function.getBody(), dims, size); },
      [&](Batch<Body> &made) {
        return Batch<Function>{add(function, ".batch", std::move(made.function)), made.resultDims};
      });
}

FailureOr<func::FuncOp> Functions::vary(Function function, ArrayRef<StringAttr> axes, AxesOfEach arguments,
                                        AxesOfEach results) {
  FailureOr<VaryingFunction> made = dovetail::vary(function, axes, arguments, results);
  if (failed(made))
    return failure();
  // It and its callees are new.
  symbols = SymbolTable(function->getParentOfType<ModuleOp>());
  return made->function;
}

bool Functions::hasEffects(Operation *op, EffectKind kind) {
  return dovetail::hasEffects(op, kind, [&](FlatSymbolRefAttr callee) { return lookup(callee); }, effectsOfCallees);
}

func::FuncOp Functions::lookup(FlatSymbolRefAttr callee) { return symbols.lookup<func::FuncOp>(callee.getAttr()); }

/// A private function, built from a body.
static func::FuncOp made(Location loc, StringRef name, Body body) {
  OpBuilder builder = body.builder();
  func::ReturnOp::create(builder, loc, body.results);
  auto type = builder.getFunctionType(body.block().getArgumentTypes(), ValueRange(body.results).getTypes());
  auto function = func::FuncOp::create(loc, name, type);
  function.setPrivate();
  function.getBody().takeBody(*body.region);
  return function;
}

func::FuncOp Functions::add(Function source, StringRef suffix, Body body) {
  Function function = made(source.getLoc(), (source.getSymName() + suffix).str(), std::move(body));
  symbols.insert(function, std::next(source->getIterator()));
  return function;
}

func::FuncOp Functions::add(Location loc, StringRef name, Body body) {
  Function function = made(loc, name, std::move(body));
  symbols.insert(function);
  return function;
}

FailureOr<Value> ofType(Emitter &e, Operation *op, Value x, Type type) {
  if (x.getType() == type)
    return x;
  auto from = dyn_cast<RankedTensorType>(x.getType()), to = dyn_cast<RankedTensorType>(type);
  if (!from || !to || from.getElementType() != to.getElementType() || failed(verifyCompatibleShape(from, to)))
    return op->emitError() << "a rule of '" << op->getName() << "' gives " << x.getType() << " for a value of type "
                           << type;
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (to.isDynamicDim(d))
      sizes.push_back(e.size(x, d));
  return e.reshape(x, to, sizes);
}

LogicalResult checkTransformable(func::FuncOp function) {
  if (function.isExternal() || !function.getBody().hasOneBlock() ||
      !isa<func::ReturnOp>(function.front().getTerminator()))
    return function.emitError() << "'" << function.getSymName()
                                << "' must have a body of one block that ends in 'func.return' to be transformed";
  // Transforms move ops to other functions, with the operands that they state.
  for (Operation &op : function.front()) {
    bool isClosed = true;
    visitUsedValuesDefinedAbove(op.getRegions(), [&](OpOperand *) { isClosed = false; });
    if (!isClosed)
      return op.emitError() << "a body in a function that is transformed must use no values from outside, got: '"
                            << op.getName() << "'";
  }
  return success();
}

LogicalResult checkTransformable(Region &body) {
  auto function = dyn_cast_or_null<func::FuncOp>(body.getParentOp());
  return function ? checkTransformable(function) : success();
}

static LogicalResult checkSize(Operation *op, Type type) {
  constexpr int64_t largestElement = 16;
  auto array = dyn_cast<RankedTensorType>(type);
  int64_t bytes = largestElement;
  for (int64_t size : array ? array.getShape() : ArrayRef<int64_t>())
    if (!ShapedType::isDynamic(size) && size > 0 && llvm::MulOverflow(bytes, size, bytes))
      return op->emitError() << "an array of type " << type << " has more bytes than an index can count";
  return success();
}

LogicalResult checkSizes(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (failed(checkSize(function, type)))
      return failure();
  WalkResult result = function.walk([](Operation *op) {
    for (Type type : op->getResultTypes())
      if (failed(checkSize(op, type)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace dovetail
