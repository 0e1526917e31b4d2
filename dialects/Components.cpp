// Arrays that are made of components.
#include "Components.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

/// The dimension along which padding surrounds one element; -1 if there is none, or padding along others.
static int64_t paddedDim(PadOp pad) {
  auto from = pad.getX().getType(), to = pad.getType();
  int64_t padded = -1;
  for (auto [d, low, interior, size] : llvm::enumerate(pad.getLow(), pad.getInterior(), from.getShape())) {
    if (low == 0 && interior == 0 && size == to.getDimSize(d))
      continue;
    if (padded >= 0 || size != 1 || low < 0 || low >= to.getDimSize(d))
      return -1;
    padded = d;
  }
  return padded;
}

int64_t joinedDimOf(Operation *op) {
  if (auto pad = dyn_cast<PadOp>(op))
    return pad.getType().hasStaticShape() ? paddedDim(pad) : -1;
  auto joins = dyn_cast<ComponentsOpInterface>(op);
  return joins ? joins.joinedDim() : -1;
}

Value emitComponent(Emitter &e, Operation *op, int64_t index) {
  auto pad = dyn_cast<PadOp>(op);
  if (!pad)
    return op->getOperand(index);
  return pad.getLow()[paddedDim(pad)] == index ? pad.getX() : e.broadcast(pad.getValue(), {}, pad.getX().getType(), {});
}

} // namespace dovetail
