// The emitter in which the counterparts of this dialect's ops in StableHLO are written.
#ifndef DOVETAIL_STABLEHLO_EXPORTER_H
#define DOVETAIL_STABLEHLO_EXPORTER_H

#include "Importer.h"

namespace dovetail {

/// Ops of this dialect that a counterpart consists of are translated in turn.
class Exporter : public Importer {
public:
  Exporter(mlir::OpBuilder &builder, mlir::Location loc, Functions &functions) : Importer(builder, loc, functions) {}

  /// Replaces the ops of a body by their counterparts.
  llvm::LogicalResult translate(mlir::Region &body);

  /// An op of StableHLO with one result.
  template <typename Op, typename... Args>
  mlir::Value theirs(mlir::Type type, Args &&...args) {
    return Op::create(builder, loc, type, std::forward<Args>(args)...)->getResult(0);
  }

  using BodyOf = llvm::function_ref<Values(Exporter &, mlir::ValueRange arguments)>;
  /// Gives an op of StableHLO a body.
  void fillBody(mlir::Region &region, mlir::TypeRange arguments, BodyOf emit);

  /// All sizes of an array as a vector of i32: those of the `?`s are given, or asked of the array.
  mlir::Value shapeVector(mlir::RankedTensorType type, mlir::ValueRange sizes);
  mlir::Value shapeVector(mlir::Value x);
  /// A vector of i32.
  mlir::Value vector(llvm::ArrayRef<int64_t> elements);

private:
  llvm::LogicalResult translateOp(mlir::Operation *op);
};

/// Fails, with an error that says so, if a size of an operand or a result is not known.
llvm::LogicalResult requireSizes(mlir::Operation *op);
/// Arithmetic on sizes, which are numbers of i32 in StableHLO; null if there is no counterpart.
mlir::Value exportSize(mlir::Operation *op, Exporter &e);

} // namespace dovetail

#endif // DOVETAIL_STABLEHLO_EXPORTER_H
