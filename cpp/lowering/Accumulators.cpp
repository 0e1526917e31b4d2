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

bool isShortSum(int64_t terms) {
  constexpr int64_t most = 64;
  return !ShapedType::isDynamic(terms) && terms <= most;
}

Type reductionType(Operation *op, Type element, int64_t terms) {
  bool isWide = isa<LinearOpInterface>(op) && !isShortSum(terms);
  return isWide ? sumType(op, element) : accumulatorType(element);
}

} // namespace dovetail
