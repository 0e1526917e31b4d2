// The devices among which collectives of a program exchange values, and how groups of them lie on a mesh.
#ifndef DOVETAIL_STABLEHLO_DEVICES_H
#define DOVETAIL_STABLEHLO_DEVICES_H

#include "Sdy.h"

namespace dovetail {

/// The devices of a function of parts.
struct Devices {
  MeshAttr mesh;
  /// The axes along which collectives may go.
  llvm::SmallVector<mlir::StringAttr> axes;
  /// The position on the mesh of each device by its number; empty if that is the number.
  llvm::SmallVector<int64_t> positions;
};

/// Those of the function of parts that an op is in, or of a module that is the program of each device; an error if
/// there are none.
llvm::FailureOr<Devices> devicesOf(mlir::Operation *op);

/// A sharding over a mesh of this dialect; null if it is on one device. An error if it does not fit the op or the mesh.
llvm::FailureOr<ShardingAttr> shardingFrom(mlir::Operation *op, sdy::SdyShardingAttr stated, mlir::Type type);
/// The inverse: a module has each mesh by a name.
sdy::SdyShardingAttr shardingTo(mlir::ModuleOp module, ShardingAttr sharding);

constexpr llvm::StringLiteral kTheirSharding = "sdy.sharding";
/// Replaces shardings that are stated as tiles of numbered devices by those over a mesh, whose axes are `axis_0` and so
/// on. Programs in which there are no such axes keep them.
void nameTiles(mlir::ModuleOp module);
/// The shardings that attributes of a program's arguments and results state, as attributes of the other dialect.
llvm::LogicalResult importShardings(mlir::ModuleOp module, mlir::func::FuncOp function);
void exportShardings(mlir::ModuleOp module, mlir::func::FuncOp function);

/// The numbers of devices that differ along `axes` only, a row for each group, in row-major order of the axes.
llvm::SmallVector<llvm::SmallVector<int64_t>> groupsOver(MeshAttr mesh, llvm::ArrayRef<mlir::StringAttr> axes);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_DEVICES_H
