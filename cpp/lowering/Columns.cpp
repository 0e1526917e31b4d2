// Reductions of columns that a library computes: those of one array at once.
#include "Columns.h"
#include "Product.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/tensors/Builders.h"

using namespace mlir;

namespace dovetail {

bool lowerColumns(ImplicitLocOpBuilder &b, Operation *op, IRMapping &values) {
  std::optional<ColumnReduction> reduction = columnReductionOf(op);
  if (!reduction || !mayCallLibrary(b, op))
    return false;
  std::optional<ColumnsOfMatrices> matrices =
      columnsForLibrary(cast<RankedTensorType>(reduction->array.getType()), reduction->dims);
  Value x = values.lookupOrNull(reduction->array);
  Value center = reduction->center ? values.lookupOrNull(reduction->center) : x;
  if (!matrices || !x || !center || !isInMemory(x))
    return false;
  // Those of differences to an array have another one each.
  int64_t kinds = reduction->kind;
  SmallVector<std::pair<int64_t, Value>> results = {{reduction->kind, op->getResult(0)}};
  if (!reduction->center)
    for (Operation *other : reduction->array.getUsers()) {
      std::optional<ColumnReduction> more =
          other->getBlock() == op->getBlock() ? columnReductionOf(other) : std::nullopt;
      if (!more || other == op || more->array != reduction->array || more->dims != reduction->dims ||
          more->kind == blas::kColumnSquares || values.contains(other->getResult(0)))
        continue;
      kinds |= more->kind;
      results.push_back({more->kind, other->getResult(0)});
    }
  SmallVector<Value> outs =
      callColumns(b, kinds, *matrices, x, center, cast<RankedTensorType>(op->getResult(0).getType()));
  for (auto [kind, result] : results)
    values.map(result, outs[llvm::popcount(uint64_t(kinds & (kind - 1)))]);
  return true;
}

} // namespace dovetail
