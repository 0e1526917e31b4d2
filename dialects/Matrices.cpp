// The vocabulary of linear algebra rules: an emitter for batches of matrices.
#include "Matrices.h"
#include "Create.h"
#include "Dot.h"
#include "Index.h"
#include "Linalg.h"
#include "Reduce.h"
#include "Shape.h"

using namespace mlir;

namespace dovetail {

//===- Products and transposes ---------------------------------------------------===//

Value Matrices::dot(Value x, Value y) {
  if (!x || !y)
    return zero;
  int64_t rank = rankOf(x);
  SmallVector<int64_t> batch = range(0, rank - 2);
  return make<DotGeneralOp>(x, y, batch, batch, ArrayRef<int64_t>{rank - 1}, ArrayRef<int64_t>{rank - 2}, TypeAttr());
}

Value Matrices::transposed(Value x) { return x ? moveDim(x, rankOf(x) - 1, rankOf(x) - 2) : x; }

/// The inverse of t has 1 / tau on its diagonal and v^H v above it (Puglisi, "Modification of the Householder method
/// based on the compact WY representation", 1992). It is solved for times taus, which may be zero.
Value Matrices::ofReflections(Value v, Value taus, Value x, bool isAdjoint) {
  Value overlaps = dot(adjoint(v), v), image = dot(adjoint(v), x);
  Value inner = mul(asColumns(taus, overlaps), strictlyUpper(overlaps));
  if (isAdjoint) {
    Value solved = make<TriangularSolveOp>(inner, image, /*left=*/true, /*lower=*/false, /*transpose=*/true,
                                           /*conjugate=*/true, /*unit_diagonal=*/true);
    return mul(conj(asColumns(taus, image)), solved);
  }
  return make<TriangularSolveOp>(inner, mul(asColumns(taus, image), image), /*left=*/true, /*lower=*/false,
                                 /*transpose=*/false, /*conjugate=*/false, /*unit_diagonal=*/true);
}

//===- Parts -----------------------------------------------------------------------===//

Value Matrices::where(Value x, CompareDirection kept) {
  int64_t rank = rankOf(x);
  RankedTensorType type = withElement(x.getType(), boolElement(getElementTypeOrSelf(x)));
  auto counted = RankedTensorType::get(type.getShape().take_back(2), builder.getI32Type());
  SmallVector<Value> dynamic;
  for (int64_t d : {rank - 2, rank - 1})
    if (type.isDynamicDim(d))
      dynamic.push_back(size(x, d));
  Value mask = make<CompareOp>(kept, make<IotaOp>(counted, 0, dynamic), make<IotaOp>(counted, 1, dynamic));
  return broadcast(mask, {rank - 2, rank - 1}, type, sizes(x));
}

Value Matrices::part(Value x, CompareDirection kept) { return x ? select(where(x, kept), x, zero) : x; }

Value Matrices::diagonal(Value x) { return reduceSum(part(x, CompareDirection::EQ), {rankOf(x) - 1}); }

Value Matrices::identity(Value x) { return part(full(x, 1), CompareDirection::EQ); }

Value Matrices::hermitian(Value x) {
  if (!x)
    return x;
  Value below = strictlyLower(x), onDiagonal = alike(real(part(x, CompareDirection::EQ)), x);
  return add(add(below, adjoint(below)), onDiagonal);
}

//===- Shapes ----------------------------------------------------------------------===//

Matrices::Size Matrices::sizeAt(Value x, int64_t fromEnd) {
  int64_t dim = rankOf(x) - fromEnd, fixed = typeOf(x).getDimSize(dim);
  return {fixed, ShapedType::isDynamic(fixed) ? size(x, dim) : Value()};
}

Matrices::Size Matrices::lesser(Size a, Size b) {
  if (!a.value && !b.value)
    return {std::min(a.fixed, b.fixed), Value()};
  auto asValue = [&](Size s) -> Value { return s.value ? s.value : make<arith::ConstantIndexOp>(s.fixed); };
  return {ShapedType::kDynamic, make<arith::MinSIOp>(asValue(a), asValue(b))};
}

Value Matrices::resized(Value x, Size rows, Size columns, double value) {
  int64_t rank = rankOf(x);
  SmallVector<int64_t> shape(typeOf(x).getShape());
  SmallVector<Value> dynamic;
  for (int64_t d = 0; d < rank - 2; ++d)
    if (typeOf(x).isDynamicDim(d))
      dynamic.push_back(size(x, d));
  shape[rank - 2] = rows.fixed;
  shape[rank - 1] = columns.fixed;
  for (const Size &size : {rows, columns})
    if (size.value)
      dynamic.push_back(size.value);
  RankedTensorType type = withShape(x.getType(), shape);
  if (type == x.getType() && dynamic.empty())
    return x;
  Value padding = full(RankedTensorType::get({}, type.getElementType()), {}, value);
  SmallVector<int64_t> none(rank, 0);
  return make<PadOp>(type, x, padding, none, none, dynamic);
}

Value Matrices::columnsFrom(Value x, int64_t begin) {
  int64_t rank = rankOf(x);
  SmallVector<int64_t> shape(typeOf(x).getShape()), starts(rank, 0), strides(rank, 1);
  shape.back() -= begin;
  starts.back() = begin;
  RankedTensorType type = withShape(x.getType(), shape);
  return make<SliceOp>(type, x, starts, strides, sizes(x));
}

Value Matrices::besides(Value x, Value y) { return make<ConcatenateOp>(ValueRange{x, y}, rankOf(x) - 1); }

/// `x`, whose dimensions are those of `like` but for the one at `missing`, repeated along that.
static Value repeated(Emitter &e, Value x, Value like, int64_t missing) {
  SmallVector<int64_t> dims;
  auto type = cast<RankedTensorType>(like.getType());
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (d != missing)
      dims.push_back(d);
  return e.broadcast(x, dims, withElement(type, getElementTypeOrSelf(x)), e.sizes(like));
}

Value Matrices::asRows(Value v, Value like) { return repeated(*this, v, like, rankOf(like) - 2); }
Value Matrices::asColumns(Value v, Value like) { return repeated(*this, v, like, rankOf(like) - 1); }

Value Matrices::asMatrices(Value number, Value like) {
  RankedTensorType type = withElement(like.getType(), getElementTypeOrSelf(number));
  return broadcast(number, range(0, rankOf(number)), type, sizes(like));
}

Value Matrices::rowsAt(Value x, Value permutation) {
  int64_t numBatch = rankOf(permutation) - 1;
  RankedTensorType column = withDim(permutation.getType(), numBatch + 1, 1);
  SmallVector<Value> dynamic = sizes(permutation), coordinates;
  for (int64_t d = 0; d < numBatch; ++d)
    coordinates.push_back(make<IotaOp>(column, d, dynamic));
  coordinates.push_back(reshape(permutation, column, dynamic));
  Value indices = numBatch ? make<ConcatenateOp>(coordinates, numBatch + 1) : coordinates[0];
  Value windows = make<GatherOp>(x, indices, range(0, numBatch + 1), SmallVector<int64_t>(numBatch + 1, 1));
  SmallVector<int64_t> shape(typeOf(permutation).getShape());
  shape.push_back(typeOf(x).getShape().back());
  if (ShapedType::isDynamic(shape.back()))
    dynamic.push_back(size(x, rankOf(x) - 1));
  return reshape(windows, withShape(x.getType(), shape), dynamic);
}

//===- Numbers ---------------------------------------------------------------------===//

Value Matrices::inverseOrZero(Value x) {
  Value isZero = equal(x, full(x, 0)), one = full(x, 1);
  return select(isZero, zero, div(one, select(isZero, one, x)));
}

Value Matrices::alike(Value x, Value like) { return convert(x, getElementTypeOrSelf(like)); }

} // namespace dovetail
