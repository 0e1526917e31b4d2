// Propagates shardings along the factors of ops.
#ifndef DOVETAIL_SHARDING_PROPAGATION_H
#define DOVETAIL_SHARDING_PROPAGATION_H

#include "ManualFunctions.h"
#include "dialects/Control.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace dovetail {

/// What is known of a value's sharding.
struct KnownSharding {
  AxesOfEach dims;
  /// Whether a dimension may be divided further.
  llvm::SmallVector<bool> open;
  /// From which round on a dimension is divided so. Before, others do not see it, and do not divide it either.
  llvm::SmallVector<int64_t> priority;
  /// The axes over which a sum is left to do.
  Axes unreduced = {};
  /// Axes that divide what a dimension's elements come from, but not its size. Where they come to divide one, it has
  /// them.
  AxesOfEach lost = {};
  /// Axes that are to divide nothing.
  Axes barred = {};

  bool uses(AxisRefAttr axis) const {
    return llvm::is_contained(unreduced, axis) || llvm::is_contained(barred, axis) ||
           llvm::any_of(dims, [&](const Axes &axes) { return llvm::is_contained(axes, axis); });
  }
};

/// Propagates shardings in a function, and in the functions that its ops apply to parts.
class Propagation {
public:
  /// `isEager` if ops are applied by themselves, and `isForward` if one after the other.
  Propagation(MeshAttr mesh, bool isEager, bool isForward) : mesh(mesh), isEager(isEager), isForward(isForward) {}

  void run(mlir::func::FuncOp main);

private:
  static mlir::RankedTensorType arrayType(mlir::Value value) {
    return llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  }
  /// Without elements, there is nothing to divide, and nothing that decides how other arrays are.
  static bool isEmpty(mlir::Value value) { return llvm::is_contained(arrayType(value).getShape(), 0); }
  static bool isConstant(mlir::Value value) {
    mlir::Operation *source = value.getDefiningOp();
    return (source && source->hasTrait<mlir::OpTrait::ConstantLike>()) || (arrayType(value) && isEmpty(value));
  }
  KnownSharding &stateOf(mlir::Value value);
  /// The axes of a dimension, as far as known in this round.
  Axes axesOf(mlir::Value value, int64_t dim);
  /// Gives the value the axes of its own sharding.
  void state(mlir::Value value, ShardingAttr sharding);
  /// Gives the value, in its round, the axes of a sharding that it is to have where it is used.
  void stateUse(mlir::Value value, ShardingAttr sharding);
  void propagate();
  void propagateForward(mlir::Block &body);
  void insertAll(mlir::Operation *root);
  void visitPending(bool onlyPlain);
  void changed(mlir::Value value);
  /// Whether what other ops make of the value does not matter, or has been found.
  bool isSettled(mlir::Value value) const;
  /// Divides a dimension further, as `axes` say; not over axes that its array uses elsewhere.
  void extend(mlir::Value value, int64_t dim, llvm::ArrayRef<AxisRefAttr> axes);
  /// The same with axes of a dimension whose elements are moved there, as far as the size divides.
  void carry(mlir::Value value, int64_t dim, Axes axes);
  /// Notes the axes that a dimension loses.
  void lose(mlir::Value value, int64_t dim, const Axes &axes);
  /// Passes lost axes on along the factors of an op, forward.
  void passLost(mlir::Operation *op, const FactorMap &map);
  void visit(mlir::Operation *op, bool onlyPlain);
  /// The same for dimensions that have elements of operands', at other places or changed together.
  void visitCarried(mlir::Operation *op, const FactorMap &map);
  /// Of what is divided over several axes, each dimension that it becomes has its own.
  void visitRegrouping(mlir::Value from, mlir::Value to);
  /// The values between bodies and their op are one, or a slice of the other.
  void visitFlow(FlowOpInterface op);
  /// Between arrays and their parts in functions, axes follow that are not manual.
  void visitManual(const ManualFunction &manual);
  /// Passes on what is known of an array and of its parts.
  void pass(const ManualFunction &manual, ShardingAttr sharding, mlir::Value whole, mlir::Value part);
  /// Notes the ops of a body that are to be visited.
  void collect(mlir::Region &body);
  /// What terms of sums flow to are terms: known first, since their axes divide nothing.
  void passTerms();
  /// Values that the same value flows to have one sharding.
  void join(FlowOpInterface op);
  const std::optional<FactorMap> &mapOf(mlir::Operation *op);
  void annotate(mlir::func::FuncOp function);

  /// A sharding that is wanted of a value somewhere.
  struct Use {
    mlir::Value value;
    ShardingAttr sharding;
  };

  MeshAttr mesh;
  bool isEager, isForward;
  /// The ops of `main` whose results are to be found, or which have the ops with them in their bodies.
  llvm::SmallPtrSet<mlir::Operation *, 4> current;
  llvm::SmallVector<mlir::Operation *> ops, flows;
  llvm::SmallVector<GlobalOpInterface> globals;
  mlir::func::FuncOp main;
  /// The functions of parts, by the op that applies each; and these ops, by the function.
  llvm::MapVector<mlir::Operation *, ManualFunction> manuals;
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> appliedBy;
  int64_t round = 0;
  llvm::SmallVector<Use> uses;
  /// The priorities of all dimensions.
  llvm::SmallSetVector<int64_t, 4> rounds;
  /// By the leader of each class.
  llvm::DenseMap<mlir::Value, KnownSharding> states;
  llvm::EquivalenceClasses<mlir::Value> classes;
  llvm::DenseMap<mlir::Operation *, std::optional<FactorMap>> maps;
  llvm::SetVector<mlir::Operation *> pending;
  /// Ops with bodies, visited when nothing else is pending: much may have changed by then.
  llvm::SetVector<mlir::Operation *> pendingFlows;
};

} // namespace dovetail

#endif // DOVETAIL_SHARDING_PROPAGATION_H
