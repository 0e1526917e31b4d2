// Finds the least code of elements of values, as passes do that look for the first op with a fault.
#include "FirstCode.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

/// The number of codes reduced at once: a dispatch of IREE 3.13 reads at most 32 arrays, and each code is computed from
/// a few.
constexpr size_t kTogether = 8;

bool hasFloats(Value value) {
  auto array = dyn_cast<RankedTensorType>(value.getType());
  return array && isa<FloatType>(realElement(array.getElementType()));
}

bool onlyHandsOn(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || (isa<CheapOpInterface>(op) && !isa<PointwiseOpInterface>(op));
}

Value FirstCode::none(Emitter &e, ValueRange sizes, ArrayRef<int64_t> shape) {
  return e.full(RankedTensorType::get(shape, e.builder.getI32Type()), sizes, kNone);
}

Value FirstCode::has(Emitter &e, Value array, Unwanted kind) {
  if (!hasFloats(array))
    return nullptr;
  Value &found = known[{array, unsigned(kind)}];
  if (found)
    return found;
  SmallVector<Value, 2> parts = {e.real(array)};
  if (Value imaginary = e.imag(array))
    parts.push_back(imaginary);
  Value any;
  for (Value part : parts) {
    bool isNaN = kind == Unwanted::NaN;
    Value here = e.make<CompareOp>(isNaN ? CompareDirection::NE : CompareDirection::EQ, part, part);
    if (!isNaN)
      here = e.both(here, e.make<NotOp>(e.make<IsFiniteOp>(part)));
    any = any ? e.make<OrOp>(any, here) : here;
  }
  return known[{array, unsigned(kind)}] = any;
}

Value FirstCode::makes(Emitter &e, Operation *op, Value result, Unwanted kind) {
  Value made = has(e, result, kind);
  if (isa<PointwiseOpInterface>(op))
    for (Value operand : op->getOperands())
      if (Value had = has(e, operand, kind))
        made = e.both(made, e.make<NotOp>(had));
  return made;
}

void FirstCode::add(Operation *op, Value result, Value array) {
  void *key = result.getAsOpaquePointer();
  groups.insert(key);
  if (isa<PointwiseOpInterface>(op))
    for (Value operand : op->getOperands())
      if (operand.getParentBlock() == op->getBlock() && hasFloats(operand))
        groups.unionSets(key, operand.getAsOpaquePointer());
  if (array)
    codes[key].push_back(array);
}

/// The minimum of each element.
static Value leastOf(Emitter &e, ArrayRef<Value> codes) {
  Value least = codes.front();
  for (Value code : codes.drop_front())
    least = e.make<MinOp>(least, code);
  return least;
}

Value FirstCode::take(Emitter &e) {
  llvm::MapVector<void *, SmallVector<Value>> together;
  for (auto &[result, arrays] : codes)
    llvm::append_range(together[groups.getLeaderValue(result)], arrays);
  groups = llvm::EquivalenceClasses<void *>();
  codes.clear();
  SmallVector<Value> found;
  for (auto &[group, arrays] : together)
    for (ArrayRef<Value> rest = arrays; !rest.empty(); rest = rest.drop_front(std::min(rest.size(), kTogether))) {
      Value least = leastOf(e, rest.take_front(kTogether));
      int64_t rank = cast<RankedTensorType>(least.getType()).getRank();
      found.push_back(rank == 0 ? least : e.make<ReduceMinOp>(least, range(0, rank)));
    }
  return found.empty() ? Value() : leastOf(e, found);
}

} // namespace dovetail
