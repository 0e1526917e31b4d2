// Loops over a batch each element of which runs as long as it has to.
#include "Masked.h"

using namespace mlir;

namespace dovetail {

Operation *anyOfMasked(WhileOp loop) {
  if (!loop->hasAttr(kMasked))
    return nullptr;
  Operation *any = returned(loop.getCond()).front().getDefiningOp();
  auto carried =
      isa_and_nonnull<ReduceOpInterface>(any) ? dyn_cast<BlockArgument>(any->getOperand(0)) : BlockArgument();
  bool isCarried = carried && carried.getOwner() == &loop.getCond().front();
  return isCarried && carried.getArgNumber() < loop.getInits().size() ? any : nullptr;
}

} // namespace dovetail
