// The transforms of functions: memoisation and the making of functions.
#include "Functions.h"

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

FailureOr<FunctionTransforms::Jvp> Functions::jvp(func::FuncOp function, const llvm::SmallBitVector &active) {
  return memoised<Jvp>(jvps, keyOf(function, active), [&] { return makeJvp(function, active); });
}

FailureOr<FunctionTransforms::Split> Functions::split(func::FuncOp function, const llvm::SmallBitVector &unknown) {
  return memoised<Split>(splits, keyOf(function, unknown), [&] { return makeSplit(function, unknown); });
}

FailureOr<FunctionTransforms::Transpose> Functions::transpose(func::FuncOp function, const llvm::SmallBitVector &linear,
                                                              const llvm::SmallBitVector &results) {
  return memoised<Transpose>(transposes, keyOf(function, linear) + ' ' + text(results),
                             [&] { return makeTranspose(function, linear, results); });
}

FailureOr<func::FuncOp> Functions::sizes(func::FuncOp function, const llvm::SmallBitVector &linear) {
  return memoised<func::FuncOp>(sizeFunctions, keyOf(function, linear), [&] { return makeSizes(function, linear); });
}

FailureOr<FunctionTransforms::Batch> Functions::batch(func::FuncOp function, ArrayRef<int64_t> dims, int64_t size) {
  std::string key = function.getSymName().str() + ' ' + std::to_string(size);
  for (int64_t dim : dims)
    key += ' ' + std::to_string(dim);
  return memoised<Batch>(batches, key, [&] { return makeBatch(function, dims, size); });
}

func::FuncOp Functions::lookup(FlatSymbolRefAttr callee) { return symbols.lookup<func::FuncOp>(callee.getAttr()); }

func::FuncOp Functions::create(func::FuncOp source, StringRef suffix, ArrayRef<Type> argTypes) {
  auto function = func::FuncOp::create(source.getLoc(), (source.getSymName() + suffix).str(),
                                       FunctionType::get(source.getContext(), argTypes, {}));
  function.setPrivate();
  symbols.insert(function, std::next(source->getIterator()));
  function.addEntryBlock();
  return function;
}

void Functions::finish(func::FuncOp function, OpBuilder &builder, ValueRange results) {
  func::ReturnOp::create(builder, function.getLoc(), results);
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(), results.getTypes()));
}

std::nullopt_t Functions::discard(func::FuncOp function) {
  symbols.erase(function);
  return std::nullopt;
}

LogicalResult checkTransformable(func::FuncOp function) {
  if (!function.isExternal() && function.getBody().hasOneBlock() &&
      isa<func::ReturnOp>(function.front().getTerminator()))
    return success();
  return function.emitError() << "'" << function.getSymName()
                              << "' must have a body of one block that ends in 'func.return' to be transformed";
}

} // namespace dovetail
