// The ops that reduce by what a body of scalars applies.
#ifndef DOVETAIL_STABLEHLO_REDUCTIONS_H
#define DOVETAIL_STABLEHLO_REDUCTIONS_H

#include "Exporter.h"

namespace dovetail {

/// What applying an op to elements one after the other is called: the ops that do it along whole dimensions, in windows
/// and in a running reduction, and the element that it ignores. A missing op is null.
struct Reducer {
  mlir::Value (*all)(Importer &e, mlir::Value x, llvm::ArrayRef<int64_t> dims);
  mlir::Value (*windows)(Importer &e, mlir::Value x, llvm::ArrayRef<int64_t> window, llvm::ArrayRef<int64_t> strides,
                         llvm::ArrayRef<int64_t> dilations);
  mlir::Value (*running)(Importer &e, mlir::Value x, int64_t dim, bool isReverse);
  mlir::Value (*scatter)(Importer &e, mlir::Value x, mlir::Value indices, mlir::Value updates,
                         llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> window, bool isUnique);
  mlir::Value (*step)(Importer &e, mlir::Value x, mlir::Value y);
  mlir::Attribute (*neutral)(mlir::Type element);
};

extern const Reducer kSum, kProduct, kMax, kMin, kAnd, kOr, kXor;

/// The reducer by the op that a translated body applies to its two arguments; null if it does something else, or there
/// is none for that element type.
const Reducer *reducerOf(mlir::Region &body);

/// The neutral element of a reducer as a scalar; whether a value is it.
mlir::Value neutralOf(Importer &e, const Reducer &reducer, mlir::Type element);
bool isNeutral(const Reducer &reducer, mlir::Value value);

/// The reductions of windows by a reducer, in StableHLO. Lists may be empty: neither strides, dilations nor padding.
mlir::Value emitWindows(Exporter &e, mlir::Value x, const Reducer &reducer, llvm::ArrayRef<int64_t> window,
                        llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> dilations,
                        llvm::ArrayRef<int64_t> pads);

/// The counterpart of a call that reduces windows by a function, of which sizes are operands.
llvm::LogicalResult importDynamicWindows(stablehlo::CustomCallOp op, Importer &e,
                                         llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_REDUCTIONS_H
