// Contractions that a library computes: which they are, and as which products of matrices.
#include "Product.h"
#include "cpp/cost/AssumedSize.h"
#include "cpp/dispatch/BlasCall.h"
#include "cpp/dispatch/OneDispatch.h"
#include "cpp/tensors/Target.h"
#include "dialects/HostFunction.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Loops of a contraction by the operands that run over them, each in the order of the dimensions.
struct Groups {
  SmallVector<int64_t> batch, rows, columns, terms;
};

/// Sizes of the loops: products of those of a group are sizes of matrices.
using Sizes = llvm::SmallDenseMap<int64_t, OpFoldResult>;

/// What loops of an operand must be in a row, without those of one step.
SmallVector<int64_t> inOrder(ArrayRef<int64_t> first, ArrayRef<int64_t> second, ArrayRef<int64_t> third) {
  SmallVector<int64_t> all(first);
  llvm::append_range(all, second);
  llvm::append_range(all, third);
  return all;
}

/// The loops of an operand that has several steps each.
SmallVector<int64_t> loopsOf(const Operand &operand) {
  auto shape = cast<RankedTensorType>(operand.value.getType()).getShape();
  SmallVector<int64_t> loops;
  for (auto [loop, size] : llvm::zip_equal(operand.loops, shape))
    if (size != 1)
      loops.push_back(loop);
  return loops;
}

/// The operand without transposes: the library reads matrices by rows and by columns.
Operand untransposed(Operand operand) {
  while (auto transpose = operand.value.getDefiningOp<linalg::TransposeOp>()) {
    SmallVector<int64_t> loops(operand.loops.size());
    for (auto [dimension, loop] : llvm::zip_equal(transpose.getPermutation(), operand.loops))
      loops[dimension] = loop;
    operand = {transpose.getInput(), loops};
  }
  return operand;
}

/// Groups the loops; the terms are in the order of the left operand. Those that are not in order are found later.
Groups groupsOf(ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs, int64_t numParallel) {
  Groups groups;
  for (int64_t loop : lhs)
    (loop >= numParallel ? groups.terms : llvm::is_contained(rhs, loop) ? groups.batch : groups.rows).push_back(loop);
  for (int64_t loop : rhs)
    if (loop < numParallel && !llvm::is_contained(lhs, loop))
      groups.columns.push_back(loop);
  return groups;
}

/// How the library gets products that are stored as they are; nothing if the operands are not matrices, one behind the
/// other.
std::optional<blas::Layout> layoutOf(const Groups &groups, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs) {
  blas::Layout layout = {};
  if (lhs != ArrayRef(inOrder(groups.batch, groups.rows, groups.terms))) {
    layout.isLeftTransposed = true;
    if (lhs != ArrayRef(inOrder(groups.batch, groups.terms, groups.rows)))
      return std::nullopt;
  }
  if (rhs != ArrayRef(inOrder(groups.batch, groups.terms, groups.columns))) {
    layout.isRightTransposed = true;
    if (rhs != ArrayRef(inOrder(groups.batch, groups.columns, groups.terms)))
      return std::nullopt;
  }
  return layout;
}

/// The sizes of the matrices as estimates take them.
struct AssumedSizes {
  int64_t batch = 1, rows = 1, columns = 1, terms = 1;
  bool areKnown = true;

  AssumedSizes(const Groups &groups, const Sizes &sizes) {
    for (auto [loops, size] : {std::pair(&groups.batch, &batch), std::pair(&groups.rows, &rows),
                               std::pair(&groups.columns, &columns), std::pair(&groups.terms, &terms)})
      for (int64_t loop : *loops) {
        std::optional<int64_t> known = getConstantIntValue(sizes.at(loop));
        areKnown &= known.has_value();
        *size *= assumedProductSize(known.value_or(ShapedType::kDynamic));
      }
  }
};

/// The operand in another order of its loops, of which those of one step come first.
Operand reordered(ImplicitLocOpBuilder &b, const Operand &operand, ArrayRef<int64_t> loops) {
  SmallVector<int64_t> order, all;
  for (auto [dimension, loop] : llvm::enumerate(operand.loops))
    if (!llvm::is_contained(loops, loop)) {
      order.push_back(dimension);
      all.push_back(loop);
    }
  for (int64_t loop : loops) {
    order.push_back(llvm::find(operand.loops, loop) - operand.loops.begin());
    all.push_back(loop);
  }
  return {transposed(b, operand.value, order), all};
}

/// Transposes operands in memory that are not matrices, one behind the other. Where sizes are known, only if the result
/// is not the largest array: the code generator fuses what follows with it.
std::optional<blas::Layout> transposeForProduct(ImplicitLocOpBuilder &b, const Groups &groups,
                                                const AssumedSizes &assumed, Operand &lhs, Operand &rhs) {
  if (assumed.areKnown && assumed.rows * assumed.columns > assumed.terms * (assumed.rows + assumed.columns))
    return std::nullopt;
  SmallVector<int64_t> left = inOrder(groups.batch, groups.rows, groups.terms),
                       right = inOrder(groups.batch, groups.terms, groups.columns);
  SmallVector<int64_t> leftByColumns = inOrder(groups.batch, groups.terms, groups.rows),
                       rightByColumns = inOrder(groups.batch, groups.columns, groups.terms);
  SmallVector<int64_t> lhsLoops = loopsOf(lhs), rhsLoops = loopsOf(rhs);
  if (lhsLoops != left && lhsLoops != leftByColumns)
    lhs = reordered(b, lhs, left);
  if (rhsLoops != right && rhsLoops != rightByColumns)
    rhs = reordered(b, rhs, right);
  return layoutOf(groups, loopsOf(lhs), loopsOf(rhs));
}

} // namespace

bool mayCallLibrary(ImplicitLocOpBuilder &b, Operation *op) {
  auto program = op->getParentOfType<ModuleOp>();
  return program->hasAttr(kHostFunctions) && !Target(program).isGpu() && !isInDispatch(b);
}

bool isInMemory(Value x) {
  Operation *op = x.getDefiningOp();
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
    x = op->getOperand(0);
    op = x.getDefiningOp();
  }
  return !op || op->getName().getStringRef() == "flow.dispatch";
}

bool mayCallProducts(ImplicitLocOpBuilder &b, Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  bool isUniform = llvm::all_of(op->getOperands(), [&](Value x) { return getElementTypeOrSelf(x) == element; });
  return mayCallLibrary(b, op) && isUniform && hasProducts(element);
}

Value lowerProduct(ImplicitLocOpBuilder &b, Operation *op, const Operand &left, const Operand &right,
                   int64_t numParallel) {
  Type element = getElementTypeOrSelf(op->getResult(0));
  if (!mayCallProducts(b, op))
    return {};
  Operand lhs = untransposed(left), rhs = untransposed(right);
  SmallVector<int64_t> lhsLoops = loopsOf(lhs), rhsLoops = loopsOf(rhs);
  Groups groups = groupsOf(lhsLoops, rhsLoops, numParallel);
  if (!llvm::is_sorted(inOrder(groups.batch, groups.rows, groups.columns)))
    return {};

  Sizes sizes;
  for (const Operand *operand : {&lhs, &rhs})
    for (auto [loop, size] : llvm::zip_equal(operand->loops, sizesOf(b, operand->value)))
      sizes[loop] = size;
  AssumedSizes assumed(groups, sizes);
  // The library counts in 32 bits.
  if (std::max({assumed.batch, assumed.rows, assumed.columns, assumed.terms}) > std::numeric_limits<int32_t>::max() ||
      !isProductForLibrary(element, assumed.batch, assumed.rows, assumed.columns, assumed.terms))
    return {};
  std::optional<blas::Layout> layout = layoutOf(groups, lhsLoops, rhsLoops);
  if (!layout)
    layout = transposeForProduct(b, groups, assumed, lhs, rhs);
  if (!layout)
    return {};
  auto product = [&](ArrayRef<int64_t> loops) {
    return productOf(b, llvm::map_to_vector(loops, [&](int64_t loop) { return sizes[loop]; }));
  };
  ProductCall call = {*layout, product(groups.batch), product(groups.rows), product(groups.columns),
                      product(groups.terms)};
  auto resultSizes = llvm::map_to_vector(llvm::seq<int64_t>(0, numParallel), [&](int64_t loop) { return sizes[loop]; });
  auto [shape, dynamic] = decomposeMixedValues(resultSizes);
  return callProduct(b, call, lhs.value, rhs.value, RankedTensorType::get(shape, element), dynamic);
}

} // namespace dovetail
