// Shuffles of vectors.
#include "Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dovetail::fourier {

static Value shuffled(ImplicitLocOpBuilder &b, Value x, Value y, int64_t count, function_ref<int64_t(int64_t)> source) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < count; ++lane)
    mask.push_back(source(lane));
  return vector::ShuffleOp::create(b, x, y, mask);
}

static int64_t widthOf(Value x) { return cast<VectorType>(x.getType()).getDimSize(0); }

/// Interleaves the lanes of x and y, of their first halves or all of them.
static Value interleaved(ImplicitLocOpBuilder &b, Value x, Value y, int64_t first, int64_t count) {
  int64_t width = widthOf(x);
  return shuffled(b, x, y, count, [&](int64_t lane) { return first + lane / 2 + (lane % 2) * width; });
}

static Value twice(ImplicitLocOpBuilder &b, Value place) {
  return arith::MulIOp::create(b, place, arith::ConstantIndexOp::create(b, 2));
}

static Value next(ImplicitLocOpBuilder &b, Value place) {
  return arith::AddIOp::create(b, place, arith::ConstantIndexOp::create(b, 1));
}

Complex loadComplex(Arithmetic arithmetic, Value memory, Value place, Parts parts) {
  ImplicitLocOpBuilder &b = arithmetic.b;
  auto vector = dyn_cast<VectorType>(arithmetic.type);
  if (parts == Parts::real) {
    Value re = vector ? vector::LoadOp::create(b, vector, memory, place).getResult()
                      : memref::LoadOp::create(b, memory, place).getResult();
    return {re, arithmetic.constant(0.0)};
  }
  place = twice(b, place);
  if (!vector)
    return {memref::LoadOp::create(b, memory, place), memref::LoadOp::create(b, memory, next(b, place))};
  int64_t width = vector.getDimSize(0);
  auto both = VectorType::get({2 * width}, vector.getElementType());
  Value pairs = vector::LoadOp::create(b, both, memory, place);
  return {shuffled(b, pairs, pairs, width, [](int64_t lane) { return 2 * lane; }),
          shuffled(b, pairs, pairs, width, [](int64_t lane) { return 2 * lane + 1; })};
}

void storeComplex(Arithmetic arithmetic, Complex x, Value memory, Value place, Parts parts) {
  ImplicitLocOpBuilder &b = arithmetic.b;
  bool isVector = isa<VectorType>(arithmetic.type);
  auto store = [&](Value value, Value at) {
    if (isVector)
      vector::StoreOp::create(b, value, memory, at);
    else
      memref::StoreOp::create(b, value, memory, at);
  };
  if (parts == Parts::real)
    return store(x.re, place);
  place = twice(b, place);
  if (isVector)
    return store(interleaved(b, x.re, x.im, 0, 2 * widthOf(x.re)), place);
  store(x.re, place);
  store(x.im, next(b, place));
}

Value backwards(ImplicitLocOpBuilder &b, Value x) {
  if (!isa<VectorType>(x.getType()))
    return x;
  int64_t width = widthOf(x);
  return shuffled(b, x, x, width, [&](int64_t lane) { return width - 1 - lane; });
}

SmallVector<Value> transposed(ImplicitLocOpBuilder &b, ArrayRef<Value> rows) {
  // Interleaving the two halves of the rows rotates the bits of (row, lane) by one.
  int64_t width = rows.size();
  SmallVector<Value> current(rows);
  for (int64_t done = 1; done < width; done *= 2) {
    SmallVector<Value> following;
    for (int64_t i = 0; i < width / 2; ++i)
      for (int64_t first : {int64_t(0), width / 2})
        following.push_back(interleaved(b, current[i], current[i + width / 2], first, width));
    current = following;
  }
  return current;
}

} // namespace dovetail::fourier
