// Extends live ranges that IREE misses: of arguments, across iterations of loops, and across barriers.
#include "Aliases.h"
#include "Donation.h"
#include "Liveness.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_KEEPALIVEPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// Keeps arguments alive that belong to the caller and that an op might overwrite.
void keepArguments(func::FuncOp function, KeepAliveUses &uses) {
  Aliases aliases(function);
  DenseSet<const void *> written;
  forEachDestination(function, [&](Operation *, Value destination) { written.insert(aliases.classOf(destination)); });
  for (BlockArgument argument : function.getArguments())
    if (!isDonated(function, argument) && written.contains(aliases.classOf(argument)))
      uses.insert(argument);
}

/// Keeps arrays alive that an op might overwrite, if they are needed in the next iteration of a loop or on the other
/// side of a barrier.
void keepShared(func::FuncOp function, KeepAliveUses &uses) {
  forEachDestination(function, [&](Operation *op, Value destination) {
    for (Value array : neededLater(destination, op->getBlock()))
      uses.insert(array);
  });
  for (Value array : writtenArrays(function))
    if (isSharedByBarrier(array))
      uses.insert(array);
}

struct KeepAlivePass : impl::KeepAlivePassBase<KeepAlivePass> {
  using KeepAlivePassBase::KeepAlivePassBase;

  void runOnOperation() override {
    bool isAny = false;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function.isPublic())
        continue;
      KeepAliveUses uses;
      keepArguments(function, uses);
      keepShared(function, uses);
      isAny |= uses.emit();
    }
    if (!isAny)
      markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail
