// The cost of a program, derived from its ops before any of it is lowered.
#ifndef DOVETAIL_COST_COST_H
#define DOVETAIL_COST_COST_H

#include "AssumedSize.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace dovetail {

/// Amounts of work, for the assumed size of each `?`. They are floats, since those of nested loops exceed any integer.
struct Cost {
  /// Arithmetic operations, including comparisons and conversions; one on complex numbers counts as one.
  double flops = 0;
  /// Elements of elementary functions.
  double transcendentals = 0;
  /// Bytes that ops read and write, each op by itself, without fusion.
  double bytes = 0;

  Cost &operator+=(const Cost &other);
  Cost operator*(double times) const;
  /// The larger of each.
  Cost max(const Cost &other) const;
};

} // namespace dovetail

#include "cpp/cost/Cost.h.inc"

namespace dovetail {

double elementsOf(mlir::Value value);
/// The size of an element in memory, where a bool takes a byte.
double bytesOf(mlir::Type element);
double bytesOf(mlir::Value value);
/// Everything that an op reads and writes, once.
double bytesOf(mlir::Operation *op);

/// The cost of running an op once. A `while` counts as one iteration, as in XLA.
Cost costOf(mlir::Operation *op);
/// The cost of the function `main` of a module, in which requests are expanded.
Cost costOf(mlir::ModuleOp module);

/// Attaches the cost models of ops.
void registerCosts(mlir::DialectRegistry &registry);

} // namespace dovetail

#endif // DOVETAIL_COST_COST_H
