// What a library computes in less time than the code generator's code.
#include "Library.h"
#include "AssumedSize.h"
#include "cpp/blas/Call.h"
#include "dialects/Pointwise.h"
#include "dialects/Reduce.h"
#include "dialects/Shape.h"

using namespace mlir;

namespace dovetail {

bool isProductForLibrary(Type element, int64_t batch, int64_t rows, int64_t columns, int64_t terms) {
  double work = double(rows) * columns * terms;
  int64_t narrow = std::min(rows, columns);
  // With few rows or columns, all time goes into reading the other operand.
  if (narrow < 16)
    return std::max(rows, columns) >= 32 && terms >= 16 && work / narrow >= (1 << 14) && work * batch >= (1 << 16);
  if (element.isF32()) {
    // Only the code generator fuses what follows, which counts if the result is the largest array.
    bool isResultLarge = rows * columns >= terms * (rows + columns);
    // Its tiles have 16 rows and columns, and what is left over is computed by slow loops.
    bool isUneven = rows % 16 != 0 || columns % 16 != 0;
    if (isUneven && (isResultLarge ? rows * columns < (1 << 19) && terms >= 16 && work * batch >= (1 << 20)
                                   : work >= (1 << 12) && work * batch >= (1 << 16)))
      return true;
    bool isLarge = isResultLarge ? work >= (1 << 23) : work >= (1 << 17) && work * batch >= (1 << 21);
    return terms >= 32 && narrow >= 32 && isLarge;
  }
  return work >= (1 << 16);
}

/// What is squared, or null.
static Value rootOf(Value x) {
  if (auto power = x.getDefiningOp<IntegerPowOp>())
    return power.getExponent() == 2 ? power.getX() : Value();
  auto product = x.getDefiningOp<MulOp>();
  return product && product.getX() == product.getY() ? product.getX() : Value();
}

std::optional<ColumnReduction> columnReductionOf(Operation *op) {
  if (isa<ReduceMaxOp, ReduceMinOp>(op)) {
    auto dims = cast<ReduceOpInterface>(op).getDims();
    return ColumnReduction{isa<ReduceMaxOp>(op) ? blas::kColumnMaxima : blas::kColumnMinima,
                           op->getOperand(0),
                           {},
                           SmallVector<int64_t>(dims)};
  }
  auto sum = dyn_cast<ReduceSumOp>(op);
  if (!sum)
    return std::nullopt;
  ColumnReduction reduction = {blas::kColumnSums, sum.getX(), {}, SmallVector<int64_t>(sum.getDims())};
  Value root = rootOf(sum.getX());
  auto difference = root ? root.getDefiningOp<SubOp>() : SubOp();
  auto center = difference ? difference.getY().getDefiningOp<BroadcastOp>() : BroadcastOp();
  if (!center || llvm::any_of(center.getDims(), [&](int64_t dim) { return llvm::is_contained(sum.getDims(), dim); }) ||
      center.getDims().size() + sum.getDims().size() != size_t(sum.getX().getType().getRank()) ||
      cast<RankedTensorType>(center.getX().getType()).getShape() != sum.getType().getShape())
    return reduction;
  reduction.kind = blas::kColumnSquares;
  reduction.array = difference.getX();
  reduction.center = center.getX();
  return reduction;
}

std::optional<ColumnsOfMatrices> columnsForLibrary(RankedTensorType type, ArrayRef<int64_t> dims) {
  constexpr int64_t leastElements = 1 << 17, leastRows = 16, leastColumns = 128;
  Type element = type.getElementType();
  if (dims.empty() || !type.hasStaticShape() || !(element.isF32() || element.isF64()))
    return std::nullopt;
  SmallVector<int64_t> sorted(dims);
  llvm::sort(sorted);
  if (sorted.back() - sorted.front() + 1 != int64_t(sorted.size()))
    return std::nullopt;
  ColumnsOfMatrices matrices = {1, 1, 1};
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    (int64_t(d) < sorted.front()  ? matrices.outer
     : int64_t(d) > sorted.back() ? matrices.columns
                                  : matrices.rows) *= size;
  bool isLarge = type.getNumElements() >= leastElements && matrices.rows >= leastRows;
  return isLarge && matrices.columns >= leastColumns ? std::optional(matrices) : std::nullopt;
}

std::optional<TransposeForLibrary> transposeForLibrary(RankedTensorType type, ArrayRef<int64_t> order) {
  constexpr int64_t leastBytes = 1 << 18, leastSize = 16;
  auto complex = dyn_cast<ComplexType>(type.getElementType());
  Type element = complex ? complex.getElementType() : type.getElementType();
  if (!type.hasStaticShape() || !element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  int64_t bytes = int64_t(element.getIntOrFloatBitWidth() / 8) * (complex ? 2 : 1);
  if (!llvm::isPowerOf2_64(bytes) || bytes > 16 || type.getNumElements() * bytes < leastBytes)
    return std::nullopt;
  SmallVector<int64_t> from(type.getRank(), 1);
  for (int64_t d = type.getRank() - 1; d > 0; --d)
    from[d - 1] = from[d] * type.getDimSize(d);
  // From the last dimension of the result on; those that stay next to each other are one.
  SmallVector<blas::Moved> moved;
  int64_t to = 1;
  for (int64_t dim : llvm::reverse(order)) {
    int64_t size = type.getDimSize(dim);
    if (size == 1)
      continue;
    if (!moved.empty() && from[dim] == moved.back().from * moved.back().size)
      moved.back().size *= size;
    else
      moved.push_back({size, from[dim], to});
    to *= size;
  }
  if (moved.size() < 2 || moved.size() > 4 || moved.front().from == 1)
    return std::nullopt;
  TransposeForLibrary ans = {bytes, {{1, 0, 0}, {1, 0, 0}}, moved.front(), {}};
  int64_t outer = 2;
  for (const blas::Moved &each : ArrayRef(moved).drop_front())
    if (each.from == 1)
      ans.columns = each;
    else if (outer > 0)
      ans.outer[--outer] = each;
  if (ans.rows.size < leastSize || ans.columns.size < leastSize)
    return std::nullopt;
  return ans;
}

std::optional<TransposeForLibrary> transposeForLibrary(Operation *op) {
  auto transpose = dyn_cast<TransposeOp>(op);
  if (!transpose || transpose.getPermutation().empty() ||
      llvm::any_of(op->getUsers(), [](Operation *user) { return !isa<func::ReturnOp>(user); }))
    return std::nullopt;
  return transposeForLibrary(transpose.getX().getType(), transpose.getPermutation());
}

bool isProductForLibrary(Operation *op) {
  std::optional<FactorMap> map = op->getNumRegions() == 0 ? factorMap(op) : std::nullopt;
  if (!map || map->reduced.empty() || op->getNumOperands() != 2 || op->getNumResults() != 1)
    return false;
  Type element = getElementTypeOrSelf(op->getResult(0));
  Type real = isa<ComplexType>(element) ? cast<ComplexType>(element).getElementType() : element;
  if (!(real.isF32() || real.isF64()))
    return false;
  // The numbers of elements by which operands have a factor: both, the left, the right.
  int64_t batch = 1, rows = 1, columns = 1, terms = 1;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getElementType() != element)
      return false;
    for (auto [factor, size] : llvm::zip_equal(map->operands[i], type.getShape())) {
      if (factor == FactorMap::kNone)
        return false;
      bool isInBoth = llvm::is_contained(map->operands[1 - i], factor);
      int64_t &group = llvm::is_contained(map->reduced, factor) ? terms : isInBoth ? batch : i == 0 ? rows : columns;
      if (i == 0 || !isInBoth)
        group *= assumedProductSize(size);
    }
  }
  return isProductForLibrary(element, batch, rows, columns, terms);
}

} // namespace dovetail
