// Products and sums of floats that round alike wherever they stand.
#include "MultiplyAdd.h"
#include "Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace dovetail {

namespace {

/// LLVM adds products of narrower types in a wider one, which it rounds to theirs between.
bool isRounded(Type element) { return element.isF32() || element.isF64(); }

bool isSum(Operation *op) { return isa<arith::AddFOp, arith::SubFOp>(op); }

/// Whether the code generator contracts the product, and nothing else, with the one sum that reads it.
bool isContracted(arith::MulFOp product) {
  if (!product->hasOneUse())
    return false;
  OpOperand &use = *product->use_begin();
  Operation *sum = use.getOwner();
  if (!isSum(sum) || sum->getBlock() != product->getBlock())
    return false;
  // Of two products it would contract either.
  Operation *first = sum->getOperand(0).getDefiningOp();
  return use.getOperandNumber() == 0 || !isa_and_nonnull<arith::MulFOp>(first) || !first->hasOneUse();
}

/// Elementwise code on arrays of the same shape.
linalg::GenericOp elementwise(Value value) {
  auto op = value.getDefiningOp<linalg::GenericOp>();
  if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() > 0 ||
      !llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  return op;
}

/// The op that computes the elements, if there is one apart from constants.
Operation *onlyOp(linalg::GenericOp op) {
  Operation *only = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  bool isAlone = only && llvm::all_of(op.getBody()->without_terminator(), [&](Operation &each) {
                   return &each == only || each.hasTrait<OpTrait::ConstantLike>();
                 });
  return isAlone ? only : nullptr;
}

/// The rounded product that is all that the code of an array computes, if there is one.
math::FmaOp productIn(linalg::GenericOp op) {
  auto product = dyn_cast_if_present<math::FmaOp>(op ? onlyOp(op) : nullptr);
  return product && matchPattern(product.getC(), m_NegZeroFloat()) ? product : nullptr;
}

/// The sum with one rounding, of which an operand is the product of `x` and `y`, and `other` the other one.
Value fused(OpBuilder &b, Operation *sum, unsigned place, Value x, Value y, Value other) {
  if (isa<arith::SubFOp>(sum)) {
    Value &negative = place == 0 ? other : x;
    negative = arith::NegFOp::create(b, sum->getLoc(), negative);
  }
  return math::FmaOp::create(b, sum->getLoc(), x, y, other);
}

} // namespace

bool isArithmetic(Operation *op) { return isa<arith::ArithDialect>(op->getDialect()) || isa<math::FmaOp>(op); }

void roundProducts(Block &code) {
  for (auto product : llvm::make_early_inc_range(code.getOps<arith::MulFOp>())) {
    Type type = product.getType();
    if (!isRounded(type) || isContracted(product))
      continue;
    ImplicitLocOpBuilder b(product.getLoc(), product);
    // LLVM makes it a product that it must not contract.
    Value zero = arith::ConstantOp::create(b, b.getFloatAttr(type, -0.0));
    product.replaceAllUsesWith(math::FmaOp::create(b, product.getLhs(), product.getRhs(), zero).getResult());
    product.erase();
  }
}

void fuseMultiplyAdds(Operation *code) {
  SmallVector<arith::MulFOp> products;
  code->walk([&](arith::MulFOp product) {
    if (isRounded(getElementTypeOrSelf(product.getType())) && isContracted(product))
      products.push_back(product);
  });
  for (arith::MulFOp product : products) {
    OpOperand &use = *product->use_begin();
    Operation *sum = use.getOwner();
    OpBuilder b(sum);
    Value other = sum->getOperand(1 - use.getOperandNumber());
    sum->getResult(0).replaceAllUsesWith(
        fused(b, sum, use.getOperandNumber(), product.getLhs(), product.getRhs(), other));
    sum->erase();
    product.erase();
  }
}

Value unrounded(ImplicitLocOpBuilder &b, Value terms) {
  linalg::GenericOp op = elementwise(terms);
  if (!productIn(op))
    return terms;
  auto copy = cast<linalg::GenericOp>(b.clone(*op));
  math::FmaOp product = productIn(copy);
  OpBuilder inner(product);
  product.replaceAllUsesWith(
      arith::MulFOp::create(inner, product.getLoc(), product.getA(), product.getB()).getResult());
  Operation *zero = product.getC().getDefiningOp();
  product.erase();
  if (zero->use_empty())
    zero->erase();
  return copy.getResult(0);
}

Value roundedOnce(ImplicitLocOpBuilder &b, Value value, function_ref<bool(Value)> isReadOnce) {
  linalg::GenericOp op = elementwise(value);
  Operation *sum = op ? onlyOp(op) : nullptr;
  if (!sum || !isSum(sum))
    return value;
  auto arrayOf = [&](Value scalar) -> Value {
    auto argument = dyn_cast<BlockArgument>(scalar);
    return argument && argument.getOwner() == op.getBody() ? op.getMatchingOpOperand(argument)->get() : nullptr;
  };
  for (unsigned place : {0, 1}) {
    Value array = arrayOf(sum->getOperand(place)), other = arrayOf(sum->getOperand(1 - place));
    linalg::GenericOp product = array ? elementwise(array) : nullptr;
    Operation *constant = sum->getOperand(1 - place).getDefiningOp();
    if (!productIn(product) || !isReadOnce(array) ||
        (!other && !(constant && constant->hasTrait<OpTrait::ConstantLike>())))
      continue;
    SetVector<Value> inputs;
    inputs.insert_range(product.getDpsInputs());
    if (other)
      inputs.insert(other);
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(type.getRank()));
    Value made =
        parallelLoops(b, sizesOf(b, array), type.getElementType(), inputs.getArrayRef(), maps,
                      [&](OpBuilder &inner, Location loc, ValueRange args) -> Value {
                        auto scalarOf = [&](Value array) { return args[llvm::find(inputs, array) - inputs.begin()]; };
                        IRMapping mapping;
                        for (OpOperand *input : product.getDpsInputOperands())
                          mapping.map(product.getMatchingBlockArgument(input), scalarOf(input->get()));
                        Value left = productIn(product).getA(), right = productIn(product).getB();
                        for (Value factor : {left, right})
                          if (Operation *maker = factor.getDefiningOp())
                            inner.clone(*maker, mapping);
                        Value z = other ? scalarOf(other) : inner.clone(*constant)->getResult(0);
                        return fused(inner, sum, place, mapping.lookup(left), mapping.lookup(right), z);
                      });
    op.erase();
    return made;
  }
  return value;
}

void eraseUnusedProducts(Operation *code) {
  SmallVector<linalg::GenericOp> products;
  code->walk([&](linalg::GenericOp op) {
    if (productIn(op))
      products.push_back(op);
  });
  for (linalg::GenericOp op : llvm::reverse(products))
    if (isOpTriviallyDead(op))
      op.erase();
}

} // namespace dovetail
