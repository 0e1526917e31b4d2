// Builders of linalg on tensors.
#include "Builders.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

Type loweredType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return withElement(tensor, scalar::lowered(tensor.getElementType()));
  return type;
}

SmallVector<OpFoldResult> sizesOf(ImplicitLocOpBuilder &b, Value x) { return tensor::getMixedSizes(b, b.getLoc(), x); }

SmallVector<OpFoldResult> sizesOf(ImplicitLocOpBuilder &b, Type type, ValueRange dynamic) {
  return getMixedValues(cast<RankedTensorType>(type).getShape(), dynamic, b);
}

Value empty(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, sizes, element);
}

Value filled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Value scalar) {
  return linalg::FillOp::create(b, scalar, empty(b, sizes, scalar.getType())).getResult(0);
}

Value parallelLoops(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes, Type element, ValueRange inputs,
                    ArrayRef<AffineMap> maps, function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  Value init = empty(b, sizes, element);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(b, init.getType(), inputs, init, allMaps, loops,
                                           [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             linalg::YieldOp::create(inner, loc, body(inner, loc, args.drop_back()));
                                           });
  return generic.getResult(0);
}

Value mapElements(ImplicitLocOpBuilder &b, Value x, Type element,
                  function_ref<Value(OpBuilder &, Location, Value)> body) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x);
  return parallelLoops(b, sizes, element, x, b.getMultiDimIdentityMap(sizes.size()),
                       [&](OpBuilder &inner, Location loc, ValueRange args) { return body(inner, loc, args[0]); });
}

Value joined(ImplicitLocOpBuilder &b, ComplexType element, function_ref<Value(bool)> part) {
  Value re = part(false), im = part(true);
  SmallVector<OpFoldResult> sizes = sizesOf(b, re);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(sizes.size()));
  return parallelLoops(b, sizes, element, {re, im}, maps, [&](OpBuilder &inner, Location loc, ValueRange args) {
    return complex::CreateOp::create(inner, loc, element, args[0], args[1]);
  });
}

Value asValue(ImplicitLocOpBuilder &b, OpFoldResult size) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
}

Value sliced(ImplicitLocOpBuilder &b, Value x, int64_t dim, int64_t from, int64_t count) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, x), starts(sizes.size(), b.getIndexAttr(0));
  if (getConstantIntValue(sizes[dim]) == count)
    return x;
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  starts[dim] = b.getIndexAttr(from);
  sizes[dim] = b.getIndexAttr(count);
  return tensor::ExtractSliceOp::create(b, x, starts, sizes, ones);
}

Value transposed(ImplicitLocOpBuilder &b, Value x, ArrayRef<int64_t> order) {
  if (llvm::is_sorted(order))
    return x;
  SmallVector<OpFoldResult> from = sizesOf(b, x);
  auto sizes = llvm::map_to_vector(order, [&](int64_t dim) { return from[dim]; });
  Value init = empty(b, sizes, getElementTypeOrSelf(x));
  return linalg::TransposeOp::create(b, x, init, order)->getResult(0);
}

Value converted(ImplicitLocOpBuilder &b, Value x, Type from, Type to) {
  if (from == to)
    return x;
  return mapElements(b, x, scalar::lowered(to), [&](OpBuilder &inner, Location loc, Value value) {
    scalar::ScalarBuilder builder(loc, inner, from);
    return scalar::convert(builder, value, to);
  });
}

OpFoldResult productOf(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes) {
  OpFoldResult product = b.getIndexAttr(1);
  for (OpFoldResult size : sizes) {
    auto left = getConstantIntValue(product), right = getConstantIntValue(size);
    if (left && right)
      product = b.getIndexAttr(*left * *right);
    else if (left == 1)
      product = size;
    else
      product = arith::MulIOp::create(b, asValue(b, product), asValue(b, size)).getResult();
  }
  return product;
}

} // namespace dovetail
