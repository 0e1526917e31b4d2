// Transforms of complex and real numbers by steps, and those of lengths with large prime factors.
#include "Transforms.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail::fourier {

Memory Transforms::rowsOf(int64_t size) const {
  auto known = getConstantIntValue(rows);
  Memory memory = {RankedTensorType::get({known.value_or(ShapedType::kDynamic), size}, ComplexType::get(element)), {}};
  if (!known)
    memory.sizes.push_back(cast<Value>(rows));
  return memory;
}

Value Transforms::complex(Value x, int64_t length, int64_t inner, bool inverse, double scale, const Memory &result,
                          Parts from, Parts to) {
  if (isSmooth(length))
    return bySteps(x, length, inner, inverse, scale, result, from, to);
  assert(inner == 1 && "only transforms by steps have elements of several numbers");
  return byConvolution(x, length, inverse, scale, result, from, to);
}

Value Transforms::bySteps(Value x, int64_t length, int64_t inner, bool inverse, double scale, const Memory &result,
                          Parts from, Parts to) {
  SmallVector<Step> steps = stepsOf(element, rows, length, inner, inverse, scale, kernels.isForCpu());
  steps.front().from = from;
  steps.back().to = to;
  for (const Step &step : steps)
    x = runStep(b, kernels, step, x, &step == &steps.back() ? result : rowsOf(length * inner));
  return x;
}

//===- Large prime factors -----------------------------------------------------===//

// With c[k] = exp(-i pi k^2 / n) it is ans[j] = c[j] (sum over k of x[k] c[k] conj(c[j - k])): a convolution, for which
// any longer transforms do (L. I. Bluestein, A linear filtering approach to the computation of discrete Fourier
// transform, 1970).

/// Up to this size what the other factor transforms to is a constant.
constexpr int64_t kLargestFilter = 8192;

/// c[k].
static Complex chirp(Elements &at, const Roots &roots, Value table, Value k, bool isForCpu) {
  ImplicitLocOpBuilder &b = at.arithmetic.b;
  // An index of other devices than CPUs has 32 bits.
  constexpr int64_t largestSquare = int64_t(1) << 32;
  if (isForCpu || roots.n * roots.n / 4 < largestSquare) {
    Value square = arith::MulIOp::create(b, k, k);
    return roots.at(at.arithmetic, table, arith::RemUIOp::create(b, square, at.index(roots.n)));
  }
  Value wide = arith::IndexCastOp::create(b, b.getI64Type(), k), square = arith::MulIOp::create(b, wide, wide);
  Value period = arith::ConstantOp::create(b, b.getI64IntegerAttr(roots.n));
  Value place = arith::RemUIOp::create(b, square, period);
  return roots.at(at.arithmetic, table, arith::IndexCastOp::create(b, b.getIndexType(), place));
}

static Value isLess(Elements &at, Value x, int64_t y) {
  return arith::CmpIOp::create(at.arithmetic.b, arith::CmpIPredicate::ult, x, at.index(y));
}

/// The transform of conj(c) with as many zeros between its sides as there is room, over the size.
Floats Transforms::filter(int64_t length, int64_t size, bool inverse) {
  Roots roots = {2 * length, !inverse};
  if (size <= kLargestFilter) {
    std::vector<std::complex<long double>> values(size);
    for (int64_t k = 0; k < length; ++k) {
      int64_t place = k * k % roots.n;
      values[k] = root(roots.inverse ? roots.n - place : place, roots.n);
      values[(size - k) % size] = values[k];
    }
    values = transform(std::move(values));
    for (std::complex<long double> &value : values)
      value /= static_cast<long double>(size);
    return sharedTable(b, element, values);
  }
  Transforms one = {b, kernels, element, b.getIndexAttr(1)};
  std::string name = "fft_chirp_" + std::to_string(length) + (inverse ? "_inverse" : "");
  Value chirps = runElements(b, kernels, name, element, one.rows, size, {}, roots.table(b, element), one.rowsOf(size),
                             Parts::complex, [&](Elements &at) {
                               ImplicitLocOpBuilder &inner = at.arithmetic.b;
                               Value mirrored = arith::SubIOp::create(inner, at.index(size), at.k),
                                     isLeft = isLess(at, at.k, length);
                               Value place = arith::SelectOp::create(inner, isLeft, at.k, mirrored);
                               Value isInside = isLess(at, place, length), zero = at.arithmetic.constant(0.0);
                               Value known = arith::SelectOp::create(inner, isInside, place, at.index(0));
                               Complex c = chirp(at, roots, at.table(0), known, kernels.isForCpu());
                               return Complex{arith::SelectOp::create(inner, isInside, c.re, zero),
                                              arith::SelectOp::create(inner, isInside, c.im, zero)};
                             });
  Value spectrum = one.complex(chirps, size, 1, false, 1.0 / static_cast<double>(size), one.rowsOf(size));
  return {cast<RankedTensorType>(spectrum.getType()), {}, 2 * size, spectrum, /*isShared=*/true};
}

Value Transforms::byConvolution(Value x, int64_t length, bool inverse, double scale, const Memory &result, Parts from,
                                Parts to) {
  int64_t size = quickLength(2 * length - 1);
  Roots roots = {2 * length, inverse};
  bool isForCpu = kernels.isForCpu();
  std::string suffix = "_" + std::to_string(length) + (inverse ? "_inverse" : "");
  Value padded =
      runElements(b, kernels, "fft_turned" + suffix + (from == Parts::real ? "_from_real" : ""), element, rows, size,
                  Rows{x, length, from}, roots.table(b, element), rowsOf(size), Parts::complex, [&](Elements &at) {
                    ImplicitLocOpBuilder &inner = at.arithmetic.b;
                    auto choice = scf::IfOp::create(
                        inner, isLess(at, at.k, length),
                        [&](OpBuilder &then, Location loc) {
                          ImplicitLocOpBuilder there(loc, then);
                          Elements within = {{there, element}, at.memory, at.parts, at.starts, at.k};
                          Complex c = chirp(within, roots, within.table(0), at.k, isForCpu);
                          Complex turned = within.arithmetic.mul(within.load(0, at.k), c);
                          scf::YieldOp::create(there, ValueRange{turned.re, turned.im});
                        },
                        [&](OpBuilder &otherwise, Location loc) {
                          ImplicitLocOpBuilder there(loc, otherwise);
                          Value zero = Arithmetic{there, element}.constant(0.0);
                          scf::YieldOp::create(there, ValueRange{zero, zero});
                        });
                    return Complex{choice.getResult(0), choice.getResult(1)};
                  });
  Value spectrum = complex(padded, size, 1, false, 1.0, rowsOf(size));
  Value product =
      runElements(b, kernels, "fft_filtered" + suffix, element, rows, size, Rows{spectrum, size},
                  filter(length, size, inverse), rowsOf(size), Parts::complex, [&](Elements &at) {
                    return at.arithmetic.mul(at.load(0, at.k), tableEntry(at.arithmetic, at.table(0), at.k));
                  });
  Value sums = complex(product, size, 1, true, 1.0, rowsOf(size));
  if (scale != 1.0)
    suffix += "_scaled";
  return runElements(b, kernels, "fft_turned_back" + suffix, element, rows, length, Rows{sums, size},
                     roots.table(b, element), result, to, [&](Elements &at) {
                       Complex c = chirp(at, roots, at.table(0), at.k, isForCpu);
                       return at.arithmetic.scale(at.arithmetic.mul(at.load(0, at.k), c), scale);
                     });
}

//===- Real numbers ------------------------------------------------------------===//

// Of even length, as complex numbers of half the length: those of even places, and those of odd places as imaginary
// parts.

/// Halves the sum and the difference of z and the conjugate of `mirrored`.
static std::pair<Complex, Complex> evenAndOdd(Arithmetic &arithmetic, Complex z, Complex mirrored) {
  Complex conjugate = arithmetic.conj(mirrored);
  return {arithmetic.scale(arithmetic.add(z, conjugate), 0.5), arithmetic.scale(arithmetic.sub(z, conjugate), 0.5)};
}

Value Transforms::ofReal(Value x, int64_t length, const Memory &result) {
  int64_t half = length / 2, size = half + 1;
  if (length % 2 == 1) {
    Value whole = complex(x, length, 1, false, 1.0, rowsOf(length), Parts::real);
    return runElements(b, kernels, "fft_half", element, rows, size, Rows{whole, length}, {}, result, Parts::complex,
                       [](Elements &at) { return at.load(0, at.k); });
  }
  Value pairs = complex(x, half, 1, false, 1.0, rowsOf(half));
  Roots roots = {length, false};
  return runElements(b, kernels, "fft_of_real", element, rows, size, Rows{pairs, half}, roots.table(b, element), result,
                     Parts::complex, [&](Elements &at) {
                       ImplicitLocOpBuilder &inner = at.arithmetic.b;
                       // Both ends are element 0.
                       auto wrapped = [&](Value k) {
                         return arith::SelectOp::create(inner, isLess(at, k, half), k, at.index(0)).getResult();
                       };
                       Value mirrored = arith::SubIOp::create(inner, at.index(half), at.k);
                       auto [even, odd] =
                           evenAndOdd(at.arithmetic, at.load(0, wrapped(at.k)), at.load(0, wrapped(mirrored)));
                       Complex turned = at.arithmetic.mul(odd, roots.at(at.arithmetic, at.table(0), at.k));
                       return at.arithmetic.add(even, at.arithmetic.rotate(turned, 1, 4, false));
                     });
}

Value Transforms::toReal(Value x, int64_t length, const Memory &result) {
  int64_t half = length / 2, size = half + 1;
  double scale = 1.0 / static_cast<double>(length);
  /// Elements at the ends are real, whatever is there.
  auto loadReal = [](Elements &at, Value k, Value isEnd) {
    Complex z = at.load(0, k);
    return Complex{z.re, arith::SelectOp::create(at.arithmetic.b, isEnd, at.arithmetic.constant(0.0), z.im)};
  };
  if (length % 2 == 1) {
    Value whole = runElements(
        b, kernels, "fft_mirrored", element, rows, length, Rows{x, size}, {}, rowsOf(length), Parts::complex,
        [&](Elements &at) {
          ImplicitLocOpBuilder &inner = at.arithmetic.b;
          Value isGiven = isLess(at, at.k, size), mirrored = arith::SubIOp::create(inner, at.index(length), at.k);
          Complex z = loadReal(at, arith::SelectOp::create(inner, isGiven, at.k, mirrored), isLess(at, at.k, 1));
          return Complex{z.re, arith::SelectOp::create(inner, isGiven, z.im, at.arithmetic.conj(z).im)};
        });
    return complex(whole, length, 1, true, scale, result, Parts::complex, Parts::real);
  }
  Roots roots = {length, true};
  Value pairs = runElements(b, kernels, "fft_to_pairs", element, rows, half, Rows{x, size}, roots.table(b, element),
                            rowsOf(half), Parts::complex, [&](Elements &at) {
                              Value isEnd = isLess(at, at.k, 1);
                              Value mirrored = arith::SubIOp::create(at.arithmetic.b, at.index(half), at.k);
                              auto [even, odd] =
                                  evenAndOdd(at.arithmetic, loadReal(at, at.k, isEnd), loadReal(at, mirrored, isEnd));
                              Complex turned = at.arithmetic.mul(odd, roots.at(at.arithmetic, at.table(0), at.k));
                              return at.arithmetic.add(even, at.arithmetic.rotate(turned, 1, 4, true));
                            });
  return complex(pairs, half, 1, true, 2 * scale, result);
}

} // namespace dovetail::fourier
