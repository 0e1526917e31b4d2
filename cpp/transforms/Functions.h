// Transforms of functions, memoized by function and request.
#ifndef DOVETAIL_TRANSFORMS_FUNCTIONS_H
#define DOVETAIL_TRANSFORMS_FUNCTIONS_H

#include "dialects/Dialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace dovetail {

class Functions : public FunctionTransforms {
public:
  using Function = mlir::func::FuncOp;
  using Mask = llvm::SmallBitVector;

  explicit Functions(mlir::ModuleOp module) : symbols(module) {}

  llvm::FailureOr<Jvp<Body>> jvp(mlir::Region &body, const Mask &active) override;
  llvm::FailureOr<Split<Body>> split(mlir::Region &body, const Mask &unknown, const Keeping &keeping) override;
  llvm::FailureOr<Transpose<Body>> transpose(mlir::Region &body, const Mask &linear, const Mask &results) override;
  llvm::FailureOr<Body> sizes(mlir::Region &body, const Mask &linear) override;
  llvm::FailureOr<Batch<Body>> batch(mlir::Region &body, llvm::ArrayRef<int64_t> dims, BatchSize size) override;

  llvm::FailureOr<Jvp<Function>> jvp(Function function, const Mask &active) override;
  llvm::FailureOr<Split<Function>> split(Function function, const Mask &unknown) override;
  llvm::FailureOr<Transpose<Function>> transpose(Function function, const Mask &linear, const Mask &results) override;
  llvm::FailureOr<Function> sizes(Function function, const Mask &linear) override;
  llvm::FailureOr<Batch<Function>> batch(Function function, llvm::ArrayRef<int64_t> dims, BatchSize size) override;

  llvm::FailureOr<Function> vary(Function function, llvm::ArrayRef<mlir::StringAttr> axes, AxesOfEach arguments,
                                 AxesOfEach results) override;
  bool names(mlir::Operation *op, mlir::StringAttr axis) override;

  using FunctionTransforms::hasEffects;
  bool hasEffects(mlir::Operation *op, EffectKind kind = EffectKind::Any) override;

  Function lookup(mlir::FlatSymbolRefAttr callee) override;
  Function add(Function source, llvm::StringRef suffix, Body body) override;
  Function add(mlir::Location loc, llvm::StringRef name, Body body) override;

private:
  /// The transpose of a body, possibly under construction, that returns `outs`.
  llvm::FailureOr<Transpose<Body>> transposeWhole(mlir::Region &source, mlir::ValueRange outs, const Mask &linear,
                                                  const Mask &results);

  /// The result for `key`, computed from the transformed body at the first request; failures are not cached.
  template <typename Result, typename Made>
  llvm::FailureOr<Result> memoised(std::map<std::string, Result> &memo, const std::string &key, Function function,
                                   llvm::function_ref<llvm::FailureOr<Made>()> transform,
                                   llvm::function_ref<Result(Made &)> finish);

  mlir::SymbolTable symbols;
  std::map<std::string, Jvp<Function>> jvps;
  std::map<std::string, Split<Function>> splits;
  std::map<std::string, Transpose<Function>> transposes;
  std::map<std::string, Function> sizeFunctions;
  std::map<std::string, Batch<Function>> batches;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::StringAttr>, bool> namedByCallee;
  KnownEffects effectsOfCallees;
};

/// A value that `op`'s rule returned, cast to `type` if its own type has other known sizes. An error if the types are
/// incompatible.
llvm::FailureOr<mlir::Value> ofType(Emitter &e, mlir::Operation *op, mlir::Value x, mlir::Type type);

/// Checks that a function is one block that ends in a return, as all transforms require.
llvm::LogicalResult checkTransformable(mlir::func::FuncOp function);
/// The same for a function's body. Other bodies are verified, or made here.
llvm::LogicalResult checkTransformable(mlir::Region &body);

/// Rejects a function with an array whose size in bytes exceeds the index type.
llvm::LogicalResult checkSizes(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_FUNCTIONS_H
