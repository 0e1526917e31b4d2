// What a program computes of constants alone.
#ifndef DOVETAIL_IREE_CONSTANTS_H
#define DOVETAIL_IREE_CONSTANTS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

namespace dovetail {

/// The attribute of a module of which the code generator computes ahead what depends on constants alone.
constexpr llvm::StringLiteral kComputesAhead = "dovetail.computes_ahead";

/// Whether an op computes arrays, of constants alone. `known` are arrays that are computed so.
bool isOfConstants(mlir::Operation *op, const llvm::DenseSet<mlir::Value> &known);

/// Whether an op of constants alone, of a module in the code generator's ops, takes more than a few instructions for an
/// element: an iota, and a comparison of two, take few, a cosine of one takes many.
bool computesMuchOfConstants(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_IREE_CONSTANTS_H
