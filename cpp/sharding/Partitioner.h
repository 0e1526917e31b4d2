// Emits a body on parts of arrays.
#ifndef DOVETAIL_SHARDING_PARTITIONER_H
#define DOVETAIL_SHARDING_PARTITIONER_H

#include "ManualFunctions.h"
#include "cpp/transforms/Functions.h"
#include "dialects/Control.h"
#include "dialects/Custom.h"

namespace dovetail {

/// A device's part of an array, or a value that is no array; with `pending` axes, a term of it that is still to be
/// combined over these.
struct Part {
  mlir::Value value;
  ShardingAttr sharding;
  Axes pending = {};
  FactorMap::Combiner combiner = FactorMap::Combiner::None;
  /// Whether the program says that the sum is left to do: it is also if there are several uses.
  bool isStated = false;
};

/// Emits a body on parts of arrays.
class Partitioner {
public:
  /// Arrays of the body are parts along the `manual` axes.
  Partitioner(MeshAttr mesh, llvm::ArrayRef<AxisRefAttr> manual, Functions &functions, Body &target)
      : mesh(mesh), manual(manual), functions(functions), builder(target.builder()) {}

  void set(mlir::Value whole, mlir::Value part, ShardingAttr sharding) {
    if (!sharding || sharding.getUnreduced().empty())
      parts[whole] = {part, sharding};
    else
      parts[whole] = {part, withSums(sharding, {}, {}), Axes(sharding.getUnreduced()), FactorMap::Combiner::Sum, true};
  }
  mlir::LogicalResult visit(mlir::Operation &op);
  /// The part of an array under a sharding; the term of one over whose unreduced axes the sum is left to do.
  mlir::Value get(mlir::Value whole, ShardingAttr sharding);
  /// The sharding of the part of an array that is there.
  ShardingAttr shardingOf(mlir::Value whole);
  /// That of the part that is returned where none is asked for.
  ShardingAttr shardingOfResult(mlir::Value whole);

private:
  static mlir::RankedTensorType arrayType(mlir::Value value) {
    return llvm::cast<mlir::RankedTensorType>(value.getType());
  }
  ShardingAttr replicated(mlir::Value whole) { return replicatedAs(mesh, whole.getType()); }
  /// Those of the mesh along which arrays of the body are whole.
  Axes automaticAxes();
  llvm::SmallVector<mlir::Value> replicatedOperands(mlir::Operation &op);
  mlir::LogicalResult visitGlobal(GlobalOpInterface op, Emitter &e);
  /// What a function of parts along manual axes is on one device. Given the shardings that the op states, sets those
  /// of its operands and results along all axes.
  llvm::FailureOr<mlir::func::FuncOp> partitionManual(const ManualFunction &manual,
                                                      llvm::MutableArrayRef<ShardingAttr> operands,
                                                      llvm::MutableArrayRef<ShardingAttr> results);
  mlir::LogicalResult visitOwn(PartitionOpInterface op, Emitter &e);
  mlir::LogicalResult visitBodies(FlowOpInterface op, Emitter &e);
  void visitHostCall(mlir::Operation &op, llvm::ArrayRef<AxisRefAttr> axes, Emitter &e);
  /// `terms` are the axes over which operands are taken as terms where they are.
  void visitDivided(mlir::Operation &op, const FactorMap &map, llvm::ArrayRef<AxisRefAttr> terms, Emitter &e);
  /// The axes over which operands are stated to be terms, if an op is linear in these.
  Axes statedTerms(mlir::Operation &op);
  bool isOfTerms(mlir::Operation &op);
  bool movesTerms(mlir::Operation &op, const FactorMap &map);
  void visitTerms(mlir::Operation &op, Emitter &e);

  MeshAttr mesh;
  Axes manual;
  Functions &functions;
  mlir::OpBuilder builder;
  llvm::DenseMap<mlir::Value, Part> parts;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> resharded;
};

/// The op on parts.
mlir::Operation *onParts(mlir::Operation &op, Emitter &e, mlir::ValueRange operands, mlir::TypeRange types);

/// The sharding that is wanted of what a body returns.
using WantedOfResult = llvm::function_ref<ShardingAttr(mlir::OpOperand &, Partitioner &)>;
/// A body on parts: arguments have these shardings, and what is returned those that `wanted` gives. Its arrays are
/// already parts along the `manual` axes.
llvm::FailureOr<Body> partitionBody(mlir::Region &source, MeshAttr mesh, llvm::ArrayRef<AxisRefAttr> manual,
                                    llvm::ArrayRef<ShardingAttr> arguments, Functions &functions,
                                    WantedOfResult wanted);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_PARTITIONER_H
