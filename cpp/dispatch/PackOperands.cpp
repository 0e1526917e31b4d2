// Transposes operands of products in the code of a dispatch.
#include "PackOperands.h"
#include "cpp/cost/Steps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace dovetail {

/// A vector of sums is as long as 16 elements of f32. The lanes of a vector of terms are added up in a few nanoseconds,
/// for each sum; moving one of the terms takes about one. The copy has as many terms as each use of it saves such
/// additions.
constexpr int64_t kFewestSums = 16, kFewestUses = 16;
/// More elements are no longer in cache when they are used again.
constexpr int64_t kMostPacked = int64_t(1) << 15;

namespace {

/// The loop of the last result of a projected permutation; -1 if there is none.
int64_t lastLoop(AffineMap map) { return map.getNumResults() == 0 ? -1 : map.getDimPosition(map.getNumResults() - 1); }

/// The operand whose elements along the last dimension of the result lie apart, while those that are added up are next
/// to each other; null if there is not just one, or if its copy takes as long as it saves.
OpOperand *operandToPack(linalg::GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return nullptr;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (!llvm::all_of(maps, [](AffineMap map) { return map.isProjectedPermutation(); }) ||
      llvm::is_contained(sizes, ShapedType::kDynamic))
    return nullptr;
  int64_t along = lastLoop(maps.back());
  if (along < 0)
    return nullptr;
  OpOperand *found = nullptr;
  int64_t uses = 1, fewest = kFewestUses;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<MemRefType>(input->get().getType()) || !map.isFunctionOfDim(along) || lastLoop(map) == along)
      continue;
    int64_t terms = lastLoop(map);
    if (found || map.getNumResults() != 2 || op.getIteratorTypesArray()[terms] != utils::IteratorType::reduction)
      return nullptr;
    found = input;
    fewest = std::max(kFewestUses, sizes[terms]);
    for (auto [loop, size] : llvm::enumerate(sizes))
      if (!map.isFunctionOfDim(loop))
        uses = times(uses, size);
  }
  auto type = found ? cast<MemRefType>(found->get().getType()) : MemRefType();
  return found && sizes[along] >= kFewestSums && uses >= fewest && type.hasStaticShape() &&
                 type.getNumElements() <= kMostPacked
             ? found
             : nullptr;
}

void pack(linalg::GenericOp op, OpOperand &operand) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto type = cast<MemRefType>(operand.get().getType());
  ArrayRef<int64_t> shape = type.getShape();
  Value packed = memref::AllocOp::create(b, MemRefType::get({shape[1], shape[0]}, type.getElementType()));
  // A loop nest, as all ops here.
  AffineMap identity = b.getMultiDimIdentityMap(2),
            swapped = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, b.getContext());
  SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
  linalg::GenericOp::create(
      b, operand.get(), packed, ArrayRef<AffineMap>{swapped, identity}, kinds,
      [](OpBuilder &inner, Location loc, ValueRange xs) { linalg::YieldOp::create(inner, loc, xs[0]); });
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand.getOperandNumber()];
  map = AffineMap::get(map.getNumDims(), 0, {map.getResult(1), map.getResult(0)}, b.getContext());
  operand.set(packed);
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
}

} // namespace

void packOperands(func::FuncOp function) {
  SmallVector<linalg::GenericOp> ops;
  function.walk([&](linalg::GenericOp op) { ops.push_back(op); });
  for (linalg::GenericOp op : ops)
    if (OpOperand *operand = operandToPack(op))
      pack(op, *operand);
}

} // namespace dovetail
