// The cost of ops: pointwise ones, those with a factor map, calls, and those with a cost model of their own.
#include "Cost.h"
#include "dialects/Dialect.h"

using namespace mlir;

namespace dovetail {

#include "cpp/cost/Cost.cpp.inc"

Cost &Cost::operator+=(const Cost &other) {
  flops += other.flops;
  transcendentals += other.transcendentals;
  bytes += other.bytes;
  return *this;
}

Cost Cost::operator*(double times) const { return {flops * times, transcendentals * times, bytes * times}; }

Cost Cost::max(const Cost &other) const {
  return {std::max(flops, other.flops), std::max(transcendentals, other.transcendentals), std::max(bytes, other.bytes)};
}

double elementsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  double elements = 1;
  for (int64_t size : type ? type.getShape() : ArrayRef<int64_t>())
    elements *= assumedSize(size);
  return elements;
}

double bytesOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOf(complex.getElementType());
  if (!element.isIntOrFloat())
    return 0;
  unsigned width = element.getIntOrFloatBitWidth();
  return width == 1 ? 1 : width / 8.0;
}

double bytesOf(Value value) { return elementsOf(value) * bytesOf(getElementTypeOrSelf(value)); }

double bytesOf(Operation *op) {
  double bytes = 0;
  for (Value operand : op->getOperands())
    bytes += bytesOf(operand);
  for (Value result : op->getResults())
    bytes += bytesOf(result);
  return bytes;
}

/// The number of times that the innermost body of an op's loops runs.
static double pointsOf(Operation *op, const FactorMap &map) {
  DenseMap<int64_t, double> sizes;
  auto add = [&](ValueRange values, ArrayRef<SmallVector<int64_t>> factors) {
    for (auto [value, dims] : llvm::zip(values, factors))
      for (auto [dim, factor] : llvm::enumerate(dims)) {
        if (factor == FactorMap::kNone)
          continue;
        int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
        double &known = sizes.try_emplace(factor, kAssumedSize).first->second;
        if (!ShapedType::isDynamic(size))
          known = size;
      }
  };
  add(op->getOperands(), map.operands);
  add(op->getResults(), map.results);
  double points = 1;
  for (auto [factor, size] : sizes)
    points *= size;
  return points;
}

/// A reduction adds the elements that it reads; a contraction adds products, each counted together with its sum.
static double flopsOfReduction(Operation *op, const FactorMap &map) {
  double points = pointsOf(op, map);
  if (op->getNumOperands() > 1)
    return points * op->getNumOperands();
  return std::max(0.0, points - elementsOf(op->getResult(0)));
}

static Cost costOfBody(Region &body) {
  Cost cost;
  for (Operation &op : opsOf(body))
    cost += costOf(&op);
  return cost;
}

Cost costOf(Operation *op) {
  if (auto stated = dyn_cast<CostOpInterface>(op))
    return stated.cost(costOfBody);
  if (auto inlined = dyn_cast<InlineOpInterface>(op)) {
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, inlined.getCalleeAttr());
    return callee ? costOfBody(callee.getBody()) : Cost();
  }
  Cost cost;
  cost.bytes = bytesOf(op);
  if (isa<PointwiseOpInterface>(op)) {
    auto cheap = dyn_cast<CheapOpInterface>(op);
    (!cheap || cheap.isCheap() ? cost.flops : cost.transcendentals) = elementsOf(op->getResult(0));
  } else if (std::optional<FactorMap> map = factorMap(op); map && !map->reduced.empty()) {
    cost.flops = flopsOfReduction(op, *map);
  }
  return cost;
}

Cost costOf(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return main ? costOfBody(main.getBody()) : Cost();
}

} // namespace dovetail
