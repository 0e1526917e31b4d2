// Tables of roots of unity.
#include "Roots.h"
#include "Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace dovetail::fourier {

/// Above this number of roots, there are two tables.
constexpr int64_t kLargestTable = 1024;

Floats sharedTable(ImplicitLocOpBuilder &b, FloatType element, ArrayRef<std::complex<long double>> values) {
  SmallVector<APFloat> floats;
  for (std::complex<long double> value : values)
    for (long double part : {value.real(), value.imag()}) {
      // Rounded once.
      if (element.isF32())
        floats.emplace_back(static_cast<float>(part));
      else
        floats.emplace_back(static_cast<double>(part));
    }
  auto size = static_cast<int64_t>(floats.size());
  auto type = RankedTensorType::get({size}, element);
  Value array = arith::ConstantOp::create(b, DenseElementsAttr::get(type, floats));
  return {type, {}, size, array, /*isShared=*/true};
}

Complex tableEntry(Arithmetic &arithmetic, Value table, Value place) {
  ImplicitLocOpBuilder &b = arithmetic.b;
  Complex entry = loadComplex({b, getElementTypeOrSelf(arithmetic.type)}, table, place);
  if (auto vector = dyn_cast<VectorType>(arithmetic.type))
    return {vector::BroadcastOp::create(b, vector, entry.re), vector::BroadcastOp::create(b, vector, entry.im)};
  return entry;
}

int64_t Roots::spacing() const {
  int64_t size = 1;
  while (n > kLargestTable && size * size < n)
    size *= 2;
  return size;
}

Floats Roots::table(ImplicitLocOpBuilder &b, FloatType element) const {
  int64_t step = spacing();
  SmallVector<std::complex<long double>> values;
  auto addRoot = [&](int64_t k) { values.push_back(root(inverse ? n - k : k, n)); };
  for (int64_t k = 0; step > 1 && k < step; ++k)
    addRoot(k);
  for (int64_t k = 0; k < n; k += step)
    addRoot(k);
  return sharedTable(b, element, values);
}

static Value index(ImplicitLocOpBuilder &b, int64_t value) { return arith::ConstantIndexOp::create(b, value); }

/// The position of the coarse one of two factors of root k.
static Value coarsePlace(ImplicitLocOpBuilder &b, Value k, int64_t step) {
  return arith::AddIOp::create(b, arith::DivUIOp::create(b, k, index(b, step)), index(b, step));
}

Complex Roots::at(Arithmetic &arithmetic, Value table, Value k) const {
  int64_t step = spacing();
  if (step == 1)
    return tableEntry(arithmetic, table, k);
  ImplicitLocOpBuilder &b = arithmetic.b;
  Arithmetic scalar = {b, getElementTypeOrSelf(arithmetic.type)};
  Complex fine = tableEntry(scalar, table, arith::RemUIOp::create(b, k, index(b, step)));
  Complex w = scalar.mul(fine, tableEntry(scalar, table, coarsePlace(b, k, step)));
  if (auto vector = dyn_cast<VectorType>(arithmetic.type))
    return {vector::BroadcastOp::create(b, vector, w.re), vector::BroadcastOp::create(b, vector, w.im)};
  return w;
}

Complex Roots::from(Arithmetic &arithmetic, Value table, Value k) const {
  int64_t step = spacing();
  if (step == 1)
    return loadComplex(arithmetic, table, k);
  ImplicitLocOpBuilder &b = arithmetic.b;
  // No vector extends past the end of the fine table, whose size is a multiple of its width.
  Complex fine = loadComplex(arithmetic, table, arith::RemUIOp::create(b, k, index(b, step)));
  return arithmetic.mul(fine, tableEntry(arithmetic, table, coarsePlace(b, k, step)));
}

} // namespace dovetail::fourier
