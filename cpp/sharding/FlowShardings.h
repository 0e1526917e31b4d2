// The shardings of values that flow into bodies, and out of them.
#ifndef DOVETAIL_SHARDING_FLOW_SHARDINGS_H
#define DOVETAIL_SHARDING_FLOW_SHARDINGS_H

#include "Shardings.h"
#include "dialects/Control.h"

namespace dovetail {

/// Those that propagation has stated of an op's results and of the arguments of its bodies.
class FlowShardings {
public:
  FlowShardings(FlowOpInterface op, MeshAttr mesh);

  ShardingAttr of(mlir::Value target) const { return shardings.lookup(target); }
  /// The sharding of what flows to targets.
  ShardingAttr ofSource(mlir::OpOperand &source) const;

private:
  void add(mlir::ValueRange values, mlir::ArrayAttr stated);

  FlowOpInterface op;
  MeshAttr mesh;
  llvm::DenseMap<mlir::Value, ShardingAttr> shardings;
};

} // namespace dovetail

#endif // DOVETAIL_SHARDING_FLOW_SHARDINGS_H
