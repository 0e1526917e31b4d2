// Shared parts of the rules of ops with several callees.
#ifndef DOVETAIL_CUSTOMRULES_H
#define DOVETAIL_CUSTOMRULES_H

#include "Call.h"
#include "Control.h"
#include "Custom.h"

namespace dovetail {

/// Checks that a rule is a function from the types of `arguments`.
llvm::FailureOr<mlir::func::FuncOp> findRule(mlir::Operation *op, llvm::StringRef what, mlir::FlatSymbolRefAttr name,
                                             mlir::TypeRange arguments, mlir::SymbolTableCollection &symbols);

/// Functions over a batch whose results must carry it in the same places.
class BatchedTogether {
public:
  explicit BatchedTogether(Emitter &e) : e(e) {}

  llvm::LogicalResult add(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> dims) {
    if (!function.getBody().hasOneBlock())
      return function.emitError() << "'" << function.getSymName() << "' must have a body of one block to be batched";
    auto made = e.transforms().batch(function.getBody(), dims, e.batchSize);
    if (mlir::failed(made))
      return mlir::failure();
    parts.push_back({function, std::move(*made), llvm::SmallVector<int64_t>(dims)});
    return mlir::success();
  }

  /// Moves the batch dimension of result `number` of part `part` to position `to`.
  void align(unsigned part, unsigned number, int64_t to) {
    auto &[function, made, dims] = parts[part];
    if (to == kUnbatched || made.resultDims[number] == to)
      return;
    BodyEmitter inner(e, made.function);
    inner.findBatchSize(made.function.arguments(), dims);
    made.function.results[number] = inner.batchAt(made.function.results[number], made.resultDims[number], to);
    made.resultDims[number] = to;
  }

  /// The sum over the batch of a result.
  void sum(unsigned part, unsigned number) {
    auto &[function, made, dims] = parts[part];
    int64_t &dim = made.resultDims[number];
    if (dim == kUnbatched)
      return;
    BodyEmitter inner(e, made.function);
    made.function.results[number] = inner.reduceSum(made.function.results[number], dim);
    dim = kUnbatched;
  }

  llvm::ArrayRef<int64_t> resultDims(unsigned part) const { return parts[part].made.resultDims; }

  mlir::func::FuncOp finish(unsigned part) {
    return e.transforms().add(parts[part].source, ".batch", std::move(parts[part].made.function));
  }

private:
  struct Part {
    mlir::func::FuncOp source;
    FunctionTransforms::Batch<Body> made;
    llvm::SmallVector<int64_t> dims;
  };
  Emitter &e;
  llvm::SmallVector<Part, 3> parts;
};

} // namespace dovetail

#endif // DOVETAIL_CUSTOMRULES_H
