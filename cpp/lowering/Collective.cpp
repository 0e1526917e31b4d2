// Lowering of collectives: an error, since nothing has bound their axes.
#include "dialects/Collective.h"
#include "Lowering.h"

using namespace mlir;

namespace dovetail {

namespace {
template <typename Op>
struct UnboundAxes : LowerOpInterface::ExternalModel<UnboundAxes<Op>, Op> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &, ValueRange, SmallVectorImpl<Value> &) const {
    return op->emitOpError() << "axes must be bound by a vmap that names them, got: " << cast<Op>(op).getAxes();
  }
};

template <typename... Ops>
void attach(MLIRContext *context) {
  (Ops::template attachInterface<UnboundAxes<Ops>>(*context), ...);
}
} // namespace

void attachCollectiveLowerings(MLIRContext *context) {
  attach<AllGatherOp, AllReduceMaxOp, AllReduceMinOp, AllReduceSumOp, AllToAllOp, AxisIndexOp, PermuteOp,
         ReduceScatterOp>(context);
}

} // namespace dovetail
