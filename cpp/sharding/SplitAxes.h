// Axes of a mesh in parts, for dimensions that are divided over less than a whole axis.
#ifndef DOVETAIL_SHARDING_SPLITAXES_H
#define DOVETAIL_SHARDING_SPLITAXES_H

#include "Shardings.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace dovetail {

/// The attribute of a module whose mesh has axes in parts: the mesh with the whole axes.
constexpr llvm::StringLiteral kWholeMesh = "dovetail.whole_mesh";

/// Limits the shardings of the arguments and results of `main` to whole axes of the mesh: callers know no others.
void keepWholeAxes(mlir::func::FuncOp main, MeshAttr whole);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_SPLITAXES_H
