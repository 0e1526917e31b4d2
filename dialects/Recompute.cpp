// Recomputed values, without effects.
#include "Recompute.h"

using namespace mlir;

namespace dovetail {

LogicalResult dropEffects(FunctionTransforms &transforms, Operation *op) {
  if (!transforms.hasEffects(op))
    return success();
  op->walk([&](Operation *inner) {
    if (inner != op && inner->getNumResults() == 0 && inner->getNumRegions() == 0 && transforms.hasEffects(inner))
      inner->erase();
  });
  if (!transforms.hasEffects(op))
    return success();
  return op->emitError() << "what a derivative computes a second time, here the steps of a while loop, must not depend "
                            "on callbacks with effects; use lax.scan or forward mode, or keep the callback out of it";
}

} // namespace dovetail
