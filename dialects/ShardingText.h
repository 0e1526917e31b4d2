// The text of meshes and shardings, which is the same in other dialects.
#ifndef DOVETAIL_SHARDING_TEXT_H
#define DOVETAIL_SHARDING_TEXT_H

#include "Dialect.h"

namespace dovetail {

/// `["x" = 2, "y" = 4]`
mlir::ParseResult parseMeshAxes(mlir::AsmParser &parser, MeshAttr &mesh);
void printMeshAxes(mlir::AsmPrinter &printer, MeshAttr mesh);

/// What a sharding states of its mesh: `[{"x"}, {}, {"y", ?}], replicated = {"z"}, unreduced = {"w"}`.
mlir::ParseResult parseShardingAxes(mlir::AsmParser &parser, llvm::SmallVectorImpl<DimShardingAttr> &dims,
                                    llvm::SmallVectorImpl<AxisRefAttr> &replicated,
                                    llvm::SmallVectorImpl<AxisRefAttr> &unreduced);
void printShardingAxes(mlir::AsmPrinter &printer, llvm::ArrayRef<DimShardingAttr> dims,
                       llvm::ArrayRef<AxisRefAttr> replicated, llvm::ArrayRef<AxisRefAttr> unreduced);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_TEXT_H
