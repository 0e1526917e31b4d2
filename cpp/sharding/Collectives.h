// What the passes on collectives ask of one.
#ifndef DOVETAIL_SHARDING_COLLECTIVES_H
#define DOVETAIL_SHARDING_COLLECTIVES_H

#include "mlir/IR/Operation.h"

namespace dovetail {

/// Whether each element of the result is computed of those at the same place in the operands of all devices: sums, and
/// values that another device has. Such collectives exchange elements alike, wherever these are.
bool isElementwiseCollective(mlir::Operation *op);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_COLLECTIVES_H
