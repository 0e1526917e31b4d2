// How much work a program is: derived from what its ops say of themselves, before any of it is lowered.
#ifndef DOVETAIL_COST_COST_H
#define DOVETAIL_COST_COST_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Operation.h"

namespace dovetail {

/// Amounts of work. Floats, since those of nested loops are larger than any integer; a `?` counts as 1 (passes that
/// decide assume more, `Steps.h`).
struct Cost {
  /// Operations of arithmetic, comparisons and conversions among them; those on complex numbers count as one.
  double flops = 0;
  /// Elements of elementary functions.
  double transcendentals = 0;
  /// What the ops read and write, each for itself: nothing is fused.
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
double bytesOf(mlir::Value value);
/// All that an op reads and writes, if it does so once.
double bytesOf(mlir::Operation *op);

/// The cost of running an op once. Loops of unknown length count as one step.
Cost costOf(mlir::Operation *op);
/// That of the function `main` of a module, whose requests are expanded.
Cost costOf(mlir::ModuleOp module);

/// Attaches what ops say of their cost.
void registerCosts(mlir::DialectRegistry &registry);

} // namespace dovetail

#endif // DOVETAIL_COST_COST_H
