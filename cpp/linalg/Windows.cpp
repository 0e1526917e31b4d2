// Extreme elements of windows, by slices; for forms of programs that lack these ops.
#include "Windows.h"
#include "Algorithms.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"
#include "dialects/Window.h"

using namespace mlir;

namespace dovetail {

Algebra::Values elementsOfWindows(Algebra &e, Value x, ArrayRef<int64_t> shape, ArrayRef<int64_t> window,
                                  ArrayRef<int64_t> strides, ArrayRef<int64_t> dilations) {
  Algebra::Values parts;
  SmallVector<int64_t> at(window.size(), 0);
  int64_t count = 1;
  for (int64_t size : window)
    count *= size;
  for (int64_t i = 0; i < count; ++i) {
    // If there is no window, its elements would lie outside the array.
    SmallVector<int64_t> starts(at.size(), 0);
    if (!llvm::is_contained(shape, 0))
      for (auto [start, place, dilation] : llvm::zip(starts, at, dilations))
        start = place * dilation;
    parts.push_back(e.make<SliceOp>(withShape(x.getType(), shape), x, starts, strides, ValueRange()));
    for (int64_t d = at.size() - 1; d >= 0 && ++at[d] == window[d]; --d)
      at[d] = 0;
  }
  return parts;
}

namespace {

/// An op on the windows of its first operand, as a function of their elements.
template <typename Ours, Value (*emit)(Algebra &, Ours, RankedTensorType)>
struct Composed : DecomposeOpInterface::ExternalModel<Composed<Ours, emit>, Ours> {
  static unsigned numBatchDims(Operation *) { return 0; }
  static bool isDecomposed(Operation *) { return false; }

  static LogicalResult decompose(Operation *op, Emitter &emitter, ValueRange, SmallVectorImpl<Value> &results) {
    if (failed(requireSizes(op, op->getOperand(0))) || failed(requireSizes(op, op->getResult(0))))
      return failure();
    Algebra e(emitter);
    results.push_back(emit(e, cast<Ours>(op), cast<RankedTensorType>(op->getResult(0).getType())));
    return success();
  }
};
template <typename Ours, Value (*emit)(Algebra &, Ours, RankedTensorType)>
void attach(MLIRContext *c) {
  Ours::template attachInterface<Composed<Ours, emit>>(*c);
}

/// The index of the first extreme one among the elements of a window.
template <typename Ours, typename Arg>
Value positionOf(Algebra &e, Ours op, RankedTensorType type) {
  SmallVector<int64_t> single(type.getShape());
  single.insert(single.begin(), 1);
  Algebra::Values parts =
      elementsOfWindows(e, op.getX(), type.getShape(), op.getWindow(), op.getStrides(), op.getDilations());
  for (Value &part : parts)
    part = e.reshaped(part, single);
  return e.make<Arg>(type, e.joined(parts, 0), uint64_t(0));
}

Value taken(Algebra &e, WindowTakeOp op, RankedTensorType type) {
  Value found = e.zeros(type, {}), offsets = op.getOffsets();
  for (auto [i, part] : llvm::enumerate(
           elementsOfWindows(e, op.getX(), type.getShape(), op.getWindow(), op.getStrides(), op.getDilations())))
    found = e.select(e.equal(offsets, e.full(offsets, i)), part, found);
  return found;
}

Value put(Algebra &e, WindowPutOp op, RankedTensorType type) {
  SmallVector<int64_t> ones(type.getRank(), 1);
  auto elements = [&](Value x) {
    return elementsOfWindows(e, x, type.getShape(), op.getWindow(), ones, op.getDilations());
  };
  Algebra::Values parts = elements(op.getX()), offsets = elements(op.getOffsets());
  Value sum = e.zeros(type, {});
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value isHere = e.equal(offsets[i], e.full(offsets[i], parts.size() - 1 - i));
    sum = e.add(sum, e.select(isHere, part, e.zeros(type, {})));
  }
  return sum;
}

} // namespace

void attachWindowDecompositions(MLIRContext *context) {
  attach<WindowArgmaxOp, positionOf<WindowArgmaxOp, ArgmaxOp>>(context);
  attach<WindowArgminOp, positionOf<WindowArgminOp, ArgminOp>>(context);
  attach<WindowTakeOp, taken>(context);
  attach<WindowPutOp, put>(context);
}

} // namespace dovetail
