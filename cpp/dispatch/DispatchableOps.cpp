// Tells which lowered ops may be part of a dispatch that is written here.
#include "DispatchableOps.h"
#include "SequentialLoops.h"
#include "cpp/iree/Aliases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dovetail {

bool isElementOfDispatch(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  return type.isIndex() || type.isInteger(1) || type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         type.isInteger(64) || isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool canRunInOneDispatch(Operation *op) {
  auto isKnown = [](Type type) { return isElementOfDispatch(getElementTypeOrSelf(type)); };
  if (!llvm::all_of(op->getOperandTypes(), isKnown) || !llvm::all_of(op->getResultTypes(), isKnown))
    return false;
  if (isExpandable(op) || (op->getParentOp() && isExpandable(op->getParentOp())))
    return true;
  if (passesOn(op) || isa<linalg::GenericOp, linalg::FillOp, linalg::TransposeOp, linalg::CopyOp, linalg::IndexOp,
                          linalg::YieldOp, linalg::BroadcastOp>(op))
    return true;
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp, scf::YieldOp, scf::ConditionOp>(op))
    return true;
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::DimOp, tensor::EmptyOp, tensor::ExpandShapeOp,
          tensor::ExtractOp, tensor::ExtractSliceOp, tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp,
          tensor::PadOp, tensor::YieldOp>(op))
    return true;
  return isa_and_present<arith::ArithDialect, complex::ComplexDialect, math::MathDialect>(op->getDialect());
}

} // namespace dovetail
