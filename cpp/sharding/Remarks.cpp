// Remarks on what is not divided among devices.
#include "Remarks.h"
#include "Shardings.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace dovetail {

/// The names of axes, in messages.
static std::string textOf(ArrayRef<AxisRefAttr> axes) {
  return llvm::join(llvm::map_range(axes, [](AxisRefAttr axis) { return "'" + axis.getName().getValue().str() + "'"; }),
                    ", ");
}

void remarkWhole(Operation &op, const FactorMap *map, function_ref<ShardingAttr(Value)> shardingOf) {
  if (!op.getContext()->getRemarkEngine())
    return;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    DenseElementsAttr elements;
    ShardingAttr sharding = shardingOf(operand);
    if (!sharding || (matchPattern(operand, m_Constant(&elements)) && elements.isSplat()))
      continue;
    for (auto [d, axes] : llvm::enumerate(axesOf(sharding))) {
      if (axes.empty() || (map && isDivisible(&op, *map, map->operands[i][d])))
        continue;
      remark::missed(op.getLoc(), remark::RemarkOpts::name("whole").category("sharding"))
          << remark::add("every device computes `{0}` on the whole of dimension {1} of operand {2}, which is sharded "
                         "over {3}: the op {4}",
                         op.getName().stripDialect(), d, i, textOf(axes),
                         map ? "has no rule for parts along it" : "states no factors");
    }
  }
}

} // namespace dovetail
