// Ops of IREE's own dialects, which this compiler writes without knowing their classes.
#ifndef DOVETAIL_LOWERING_IREE_H
#define DOVETAIL_LOWERING_IREE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dovetail {

/// Registers the dialects, so that their ops verify and print in generic form.
void registerIreeDialects(mlir::DialectRegistry &registry);

/// `x`, computed before anything that uses the result: the code generator fuses nothing across.
mlir::Value computeBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_IREE_H
