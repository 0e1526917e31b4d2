// Loops over a batch each element of which runs as long as it has to, as `vmap` makes them.
#ifndef DOVETAIL_LOWERING_MASKED_H
#define DOVETAIL_LOWERING_MASKED_H

#include "dialects/Control.h"

namespace dovetail {

/// The op of a masked loop's condition that returns whether any element of the carried predicate holds. Null for other
/// loops.
mlir::Operation *anyOfMasked(WhileOp loop);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_MASKED_H
