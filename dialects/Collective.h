// Collectives.
#ifndef DOVETAIL_COLLECTIVE_H
#define DOVETAIL_COLLECTIVE_H

#include "Dialect.h"

namespace dovetail {

/// The attribute of a module that is the program of each device of a mesh, on parts of arrays: the mesh.
constexpr llvm::StringLiteral kMesh = "dovetail.mesh";
/// The attribute of a module that is to be partitioned: the mesh over whose devices.
constexpr llvm::StringLiteral kPartition = "dovetail.partition";

/// Whether an op's program is to be partitioned: of operands that ask for different shardings the first decides, so
/// that no rewrite may exchange them before.
bool isToBePartitioned(mlir::Operation *op);

/// The combination of each device's value over axes of these sizes, for every device.
mlir::Value emitAllReduce(Emitter &e, FactorMap::Combiner combiner, mlir::Value x, mlir::ArrayAttr axes,
                          llvm::ArrayRef<int64_t> sizes);

/// The element that a combination of elements ignores, all over an array; null if the type has none.
mlir::DenseElementsAttr neutralOf(FactorMap::Combiner combiner, mlir::RankedTensorType type);

} // namespace dovetail

#define GET_OP_CLASSES
#include "dialects/Collective.h.inc"

#endif // DOVETAIL_COLLECTIVE_H
