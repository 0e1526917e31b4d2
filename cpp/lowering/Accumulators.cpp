// The types in which sums and other reductions accumulate.
#include "Accumulators.h"
#include "cpp/tensors/Target.h"
#include "dialects/Dialect.h"

using namespace mlir;

namespace dovetail {

Type accumulatorType(Type element) {
  auto real = dyn_cast<FloatType>(element);
  return real && real.getWidth() < 32 ? Float32Type::get(element.getContext()) : element;
}

Type sumType(Operation *op, Type element) {
  bool isWide = isa<FloatType>(element) && Target(op).isCpu();
  return isWide ? Float64Type::get(op->getContext()) : accumulatorType(element);
}

/// The most terms that are added one after the other in a narrow type.
constexpr int64_t kShort = 64;

bool isShortSum(int64_t terms) { return !ShapedType::isDynamic(terms) && terms <= kShort; }

bool isShortRow(int64_t terms) { return !ShapedType::isDynamic(terms) && terms <= kShort * kLanes; }

Type reductionType(Operation *op, Type element, int64_t terms, bool isRow) {
  bool isWide = isa<LinearOpInterface>(op) && !(isRow ? isShortRow(terms) : isShortSum(terms));
  return isWide ? sumType(op, element) : accumulatorType(element);
}

} // namespace dovetail
