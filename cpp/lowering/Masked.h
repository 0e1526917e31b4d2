// Loops that run as long as any of several instances does, as `vmap` makes of loops.
#ifndef DOVETAIL_LOWERING_MASKED_H
#define DOVETAIL_LOWERING_MASKED_H

#include "dialects/Control.h"

namespace dovetail {

/// The op of a loop's condition that returns whether any element of a carried predicate holds, if an iteration changes
/// only elements for which it holds, and none becomes true again: each part of the elements may then run on its own,
/// as long as it has to. Null for other loops.
mlir::Operation *anyOfMasked(WhileOp loop);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_MASKED_H
