// Makes of a function with checks one that returns which of them failed.
#ifndef DOVETAIL_TRANSFORMS_CHECKIFY_H
#define DOVETAIL_TRANSFORMS_CHECKIFY_H

#include "dialects/Dialect.h"

namespace dovetail {

/// What a number of a failure stands for, or `count` numbers from it on.
struct FailureSource {
  std::string kind;
  /// The op, and the shape of its first operand.
  std::string op;
  llvm::SmallVector<int64_t> shape;
  mlir::Location location;
  /// The number of the program's table of `count` failures, -1 if there is none.
  int64_t table, count;
};

/// (arguments) -> (failure, results), and what the numbers of failures stand for.
struct CheckedFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<FailureSource> sources;
};

/// Checks for failures of some kinds. Requests in the function are expanded first.
llvm::FailureOr<CheckedFunction> checkify(mlir::func::FuncOp function, llvm::ArrayRef<std::string> kinds);

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_CHECKIFY_H
