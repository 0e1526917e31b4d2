// What the passes on collectives ask of one.
#include "Collectives.h"
#include "dialects/Dialect.h"

using namespace mlir;

namespace dovetail {

bool isElementwiseCollective(Operation *op) {
  if (!isa<NamedAxesOpInterface>(op) || isa<VaryingOpInterface>(op) || op->getNumOperands() != 1 ||
      op->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || type != op->getResult(0).getType())
    return false;
  std::optional<FactorMap> map = factorMap(op);
  return map && map->operands == map->results && map->reduced.empty() &&
         llvm::all_of(map->operands[0], [&](int64_t factor) { return map->isDivisible(factor); });
}

} // namespace dovetail
