// The transforms of functions, memoised by function and request.
#ifndef DOVETAIL_TRANSFORMS_FUNCTIONS_H
#define DOVETAIL_TRANSFORMS_FUNCTIONS_H

#include "dialects/Dialect.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace dovetail {

class Functions : public FunctionTransforms {
public:
  explicit Functions(mlir::ModuleOp module) : symbols(module) {}

  llvm::FailureOr<Jvp> jvp(mlir::func::FuncOp function, const llvm::SmallBitVector &active) override;
  llvm::FailureOr<Split> split(mlir::func::FuncOp function, const llvm::SmallBitVector &unknown) override;
  llvm::FailureOr<Transpose> transpose(mlir::func::FuncOp function, const llvm::SmallBitVector &linear,
                                       const llvm::SmallBitVector &results) override;
  llvm::FailureOr<mlir::func::FuncOp> sizes(mlir::func::FuncOp function, const llvm::SmallBitVector &linear) override;
  llvm::FailureOr<Batch> batch(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> dims, int64_t size) override;
  mlir::func::FuncOp lookup(mlir::FlatSymbolRefAttr callee) override;

private:
  /// A private function next to `source`, with an empty body.
  mlir::func::FuncOp create(mlir::func::FuncOp source, llvm::StringRef suffix, llvm::ArrayRef<mlir::Type> argTypes);
  /// Returns `results` from the function, whose type follows.
  void finish(mlir::func::FuncOp function, mlir::OpBuilder &builder, mlir::ValueRange results);
  /// Removes a function that could not be finished.
  std::nullopt_t discard(mlir::func::FuncOp function);

  /// The result for `key`, computed at the first request; a failure is not kept.
  template <typename Result>
  llvm::FailureOr<Result> memoised(std::map<std::string, Result> &memo, const std::string &key,
                                   llvm::function_ref<std::optional<Result>()> compute) {
    if (auto it = memo.find(key); it != memo.end())
      return it->second;
    std::optional<Result> result = compute();
    if (!result)
      return mlir::failure();
    return memo.emplace(key, *result).first->second;
  }

  std::optional<Jvp> makeJvp(mlir::func::FuncOp function, const llvm::SmallBitVector &active);
  std::optional<Split> makeSplit(mlir::func::FuncOp function, const llvm::SmallBitVector &unknown);
  std::optional<Transpose> makeTranspose(mlir::func::FuncOp function, const llvm::SmallBitVector &linear,
                                         const llvm::SmallBitVector &results);
  std::optional<mlir::func::FuncOp> makeSizes(mlir::func::FuncOp function, const llvm::SmallBitVector &linear);
  std::optional<Batch> makeBatch(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> dims, int64_t size);

  mlir::SymbolTable symbols;
  std::map<std::string, Jvp> jvps;
  std::map<std::string, Split> splits;
  std::map<std::string, Transpose> transposes;
  std::map<std::string, mlir::func::FuncOp> sizeFunctions;
  std::map<std::string, Batch> batches;
};

/// The operands of a body's terminator.
inline mlir::ValueRange returned(mlir::func::FuncOp function) {
  return function.front().getTerminator()->getOperands();
}

/// Checks that a function is one block that ends in a return, as all transforms need it.
llvm::LogicalResult checkTransformable(mlir::func::FuncOp function);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_FUNCTIONS_H
