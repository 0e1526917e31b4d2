// Transforms by their factors, and by the definition for prime lengths.
#include "Butterfly.h"
#include "Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace dovetail::fourier {

/// A product and a sum may become one instruction.
constexpr auto kFused = arith::FastMathFlags::contract;

Value Arithmetic::constant(double value) {
  auto element = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(vector, element));
  return arith::ConstantOp::create(b, element);
}

Value Arithmetic::add(Value x, Value y) { return arith::AddFOp::create(b, x, y, kFused); }
Value Arithmetic::sub(Value x, Value y) { return arith::SubFOp::create(b, x, y, kFused); }
Value Arithmetic::mul(Value x, Value y) { return arith::MulFOp::create(b, x, y, kFused); }
Value Arithmetic::neg(Value x) { return arith::NegFOp::create(b, x); }
Complex Arithmetic::add(Complex x, Complex y) { return {add(x.re, y.re), add(x.im, y.im)}; }
Complex Arithmetic::sub(Complex x, Complex y) { return {sub(x.re, y.re), sub(x.im, y.im)}; }
Complex Arithmetic::conj(Complex x) { return {x.re, neg(x.im)}; }

Complex Arithmetic::mul(Complex x, Complex y) {
  return {sub(mul(x.re, y.re), mul(x.im, y.im)), add(mul(x.re, y.im), mul(x.im, y.re))};
}

Complex Arithmetic::scale(Complex x, double factor) {
  if (factor == 1.0)
    return x;
  Value c = constant(factor);
  return {mul(x.re, c), mul(x.im, c)};
}

Complex Arithmetic::rotate(Complex x, int64_t k, int64_t n, bool inverse) {
  k %= n;
  if (k == 0)
    return x;
  if (4 * k % n == 0) {
    int64_t quarters = inverse ? 4 - 4 * k / n : 4 * k / n;
    // Times -i, -1 or i.
    return quarters == 1   ? Complex{x.im, neg(x.re)}
           : quarters == 2 ? Complex{neg(x.re), neg(x.im)}
                           : Complex{neg(x.im), x.re};
  }
  std::complex<long double> w = root(inverse ? n - k : k, n);
  auto re = static_cast<double>(w.real()), im = static_cast<double>(w.imag());
  if (8 * k % n == 0) {
    // Both parts have the same magnitude.
    Value c = constant(std::abs(re)), sum = add(x.re, x.im), difference = sub(x.re, x.im);
    Value first = (re > 0) == (im > 0) ? difference : sum, second = (re > 0) == (im > 0) ? sum : sub(x.im, x.re);
    Complex turned = {mul(first, c), mul(second, c)};
    return re > 0 ? turned : Complex{neg(turned.re), neg(turned.im)};
  }
  return mul(x, {constant(re), constant(im)});
}

SmallVector<Complex> Arithmetic::ofPrime(ArrayRef<Complex> x, bool inverse) {
  int64_t p = x.size(), half = p / 2;
  if (p == 2)
    return {add(x[0], x[1]), sub(x[0], x[1])};
  SmallVector<Complex> sums, differences, result(p);
  result[0] = x[0];
  for (int64_t k = 1; k <= half; ++k) {
    sums.push_back(add(x[k], x[p - k]));
    differences.push_back(sub(x[k], x[p - k]));
    result[0] = add(result[0], sums.back());
  }
  for (int64_t j = 1; j <= half; ++j) {
    Complex even = x[0], odd;
    for (int64_t k = 1; k <= half; ++k) {
      std::complex<long double> w = root(j * k, p);
      Value c = constant(static_cast<double>(w.real())), s = constant(static_cast<double>(-w.imag()));
      even = {add(even.re, mul(sums[k - 1].re, c)), add(even.im, mul(sums[k - 1].im, c))};
      Complex term = {mul(differences[k - 1].re, s), mul(differences[k - 1].im, s)};
      odd = k == 1 ? term : add(odd, term);
    }
    // even - i odd, and its counterpart.
    Complex turned = {odd.im, neg(odd.re)};
    result[inverse ? p - j : j] = add(even, turned);
    result[inverse ? j : p - j] = sub(even, turned);
  }
  return result;
}

SmallVector<Complex> Arithmetic::transform(ArrayRef<Complex> x, bool inverse) {
  int64_t n = x.size();
  if (n == 1)
    return llvm::to_vector(x);
  int64_t radix = n % 4 == 0 && n > 4 ? 4 : 2;
  while (n % radix != 0)
    ++radix;
  if (radix == n)
    return ofPrime(x, inverse);
  int64_t m = n / radix;
  SmallVector<SmallVector<Complex>> parts;
  for (int64_t a = 0; a < radix; ++a) {
    SmallVector<Complex> part;
    for (int64_t t = 0; t < m; ++t)
      part.push_back(x[a + radix * t]);
    parts.push_back(transform(part, inverse));
  }
  SmallVector<Complex> result(n);
  for (int64_t k = 0; k < m; ++k) {
    SmallVector<Complex> across;
    for (int64_t a = 0; a < radix; ++a)
      across.push_back(rotate(parts[a][k], a * k, n, inverse));
    for (auto [j, value] : llvm::enumerate(transform(across, inverse)))
      result[k + m * j] = value;
  }
  return result;
}

} // namespace dovetail::fourier
