// Transforms of complex and real numbers in steps, and those of lengths with large prime factors.
#include "Transforms.h"
#include "cpp/dispatch/BlasCall.h"
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
  steps.front().mayOverwrite |= mayOverwrite;
  steps.front().from = from;
  steps.back().to = to;
  for (const Step &step : steps)
    x = runStep(b, kernels, step, x, &step == &steps.back() ? result : rowsOf(length * inner));
  return x;
}

//===- Large prime factors -----------------------------------------------------===//

// With c[k] = exp(-i pi k^2 / n), ans[j] = c[j] (sum over k of x[k] c[k] conj(c[j - k])): a convolution, which any
// longer transforms compute (L. I. Bluestein, A linear filtering approach to the computation of discrete Fourier
// transform, 1970).

/// Up to this size, the transform of the other factor is a constant, and up to half of it c is.
constexpr int64_t kLargestFilter = 8192;

namespace {

/// c, or its conjugate if `inverse`; long ones from tables of roots.
struct Chirp {
  int64_t length;
  bool inverse, isForCpu;

  Roots roots() const { return {2 * length, inverse}; }
  bool isTable() const { return length <= kLargestFilter / 2; }
  /// c[k] with all its factors.
  std::complex<long double> value(int64_t k) const {
    int64_t place = k * k % (2 * length);
    return root(inverse ? 2 * length - place : place, 2 * length);
  }

  Floats table(ImplicitLocOpBuilder &b, FloatType element) const {
    if (!isTable())
      return roots().table(b, element);
    SmallVector<std::complex<long double>> values;
    for (int64_t k = 0; k < length; ++k)
      values.push_back(value(k));
    return sharedTable(b, element, values);
  }

  Complex at(Elements &elements, Value k) const {
    if (isTable())
      return loadComplex(elements.arithmetic, elements.table(0), k);
    ImplicitLocOpBuilder &b = elements.arithmetic.b;
    int64_t period = 2 * length;
    // An index has 32 bits on devices other than CPUs.
    if (isForCpu || length * length < int64_t(1) << 32) {
      Value square = arith::MulIOp::create(b, k, k);
      return roots().at(elements.arithmetic, elements.table(0),
                        arith::RemUIOp::create(b, square, elements.index(period)));
    }
    Value wide = arith::IndexCastOp::create(b, b.getI64Type(), k), square = arith::MulIOp::create(b, wide, wide);
    Value place = arith::RemUIOp::create(b, square, arith::ConstantOp::create(b, b.getI64IntegerAttr(period)));
    return roots().at(elements.arithmetic, elements.table(0), arith::IndexCastOp::create(b, b.getIndexType(), place));
  }
};

} // namespace

static Value isLess(Elements &at, Value x, int64_t y) {
  return arith::CmpIOp::create(at.arithmetic.b, arith::CmpIPredicate::ult, x, at.index(y));
}

/// The transform of conj(c), with the available number of zeros between its two sides, divided by the size.
Floats Transforms::filter(int64_t length, int64_t size, bool inverse) {
  Chirp chirp = {length, !inverse, kernels.isForCpu()};
  if (size <= kLargestFilter) {
    std::vector<std::complex<long double>> values(size);
    for (int64_t k = 0; k < length; ++k)
      values[k] = values[(size - k) % size] = chirp.value(k);
    values = transform(std::move(values));
    for (std::complex<long double> &value : values)
      value /= static_cast<long double>(size);
    return sharedTable(b, element, values);
  }
  Transforms one = {b, kernels, element, b.getIndexAttr(1)};
  std::string name = "fft_chirp_" + std::to_string(length) + (inverse ? "_inverse" : "");
  Value chirps = runElements(b, kernels, {name, element, one.rows, size}, {}, chirp.table(b, element), one.rowsOf(size),
                             [&](Elements &at) {
                               ImplicitLocOpBuilder &inner = at.arithmetic.b;
                               Value mirrored = arith::SubIOp::create(inner, at.index(size), at.k);
                               Value place = arith::MinUIOp::create(inner, at.k, mirrored);
                               Value isInside = isLess(at, place, length), zero = at.arithmetic.constant(0.0);
                               Complex c = chirp.at(at, arith::SelectOp::create(inner, isInside, place, at.index(0)));
                               return Complex{arith::SelectOp::create(inner, isInside, c.re, zero),
                                              arith::SelectOp::create(inner, isInside, c.im, zero)};
                             });
  Value spectrum = one.complex(chirps, size, 1, false, 1.0 / static_cast<double>(size), one.rowsOf(size));
  return {cast<RankedTensorType>(spectrum.getType()), {}, 2 * size, spectrum, /*isShared=*/true};
}

/// x c within the row, and zeros after it.
static Complex turnedOrZero(Elements &at, const Chirp &chirp) {
  auto turned = [&](Elements &inside) { return inside.arithmetic.mul(inside.load(0, at.k), chirp.at(inside, at.k)); };
  if (at.isVector())
    return turned(at);
  Type element = at.arithmetic.type;
  auto choice = scf::IfOp::create(
      at.arithmetic.b, isLess(at, at.k, chirp.length),
      [&](OpBuilder &then, Location loc) {
        ImplicitLocOpBuilder there(loc, then);
        Elements inside = {{there, element}, at.memory, at.parts, at.starts, at.k};
        Complex value = turned(inside);
        scf::YieldOp::create(there, ValueRange{value.re, value.im});
      },
      [&](OpBuilder &otherwise, Location loc) {
        ImplicitLocOpBuilder there(loc, otherwise);
        Value zero = Arithmetic{there, element}.constant(0.0);
        scf::YieldOp::create(there, ValueRange{zero, zero});
      });
  return {choice.getResult(0), choice.getResult(1)};
}

Value Transforms::byConvolution(Value x, int64_t length, bool inverse, double scale, const Memory &result, Parts from,
                                Parts to) {
  if (mayCallLibrary && length <= blas::kLongestChirp &&
      getConstantIntValue(rows).value_or(blas::kFewestChirpRows) >= blas::kFewestChirpRows) {
    int64_t flags = (inverse ? blas::kChirpInverse : 0) | (from == Parts::real ? blas::kChirpFromReal : 0) |
                    (to == Parts::real ? blas::kChirpToReal : 0) | (scale == 1.0 ? 0 : blas::kChirpScaled);
    return callChirp(b, element, flags, rows, length, x, result.type, result.sizes);
  }
  int64_t size = quickLength(2 * length - 1);
  Chirp chirp = {length, inverse, kernels.isForCpu()};
  std::string suffix = "_" + std::to_string(length) + (inverse ? "_inverse" : "");
  int64_t vectors = chirp.isTable() ? length : 0;
  std::string name = "fft_turned" + suffix + (from == Parts::real ? "_from_real" : "");
  Value padded =
      runElements(b, kernels, {name, element, rows, size, 0, vectors}, Rows{x, length, from}, chirp.table(b, element),
                  rowsOf(size), [&](Elements &at) { return turnedOrZero(at, chirp); });
  Value spectrum = complex(padded, size, 1, false, 1.0, rowsOf(size));
  Value product = runElements(b, kernels, {"fft_filtered" + suffix, element, rows, size, 0, size}, Rows{spectrum, size},
                              filter(length, size, inverse), rowsOf(size), [&](Elements &at) {
                                Complex factor = loadComplex(at.arithmetic, at.table(0), at.k);
                                return at.arithmetic.mul(at.load(0, at.k), factor);
                              });
  Value sums = complex(product, size, 1, true, 1.0, rowsOf(size));
  name = "fft_turned_back" + suffix + (scale == 1.0 ? "" : "_scaled");
  return runElements(b, kernels, {name, element, rows, length, 0, vectors, to}, Rows{sums, size},
                     chirp.table(b, element), result, [&](Elements &at) {
                       Complex value = at.arithmetic.mul(at.load(0, at.k), chirp.at(at, at.k));
                       return at.arithmetic.scale(value, scale);
                     });
}

//===- Real numbers ------------------------------------------------------------===//

// Even lengths are computed as complex numbers of half the length: elements of even index, with those of odd index as
// imaginary parts.

/// Halves the sum and the difference of z and the conjugate of `mirrored`.
static std::pair<Complex, Complex> evenAndOdd(Arithmetic &arithmetic, Complex z, Complex mirrored) {
  Complex conjugate = arithmetic.conj(mirrored);
  return {arithmetic.scale(arithmetic.add(z, conjugate), 0.5), arithmetic.scale(arithmetic.sub(z, conjugate), 0.5)};
}

Value Transforms::ofReal(Value x, int64_t length, const Memory &result) {
  int64_t half = length / 2, size = half + 1;
  if (length % 2 == 1) {
    Value whole = complex(x, length, 1, false, 1.0, rowsOf(length), Parts::real);
    return runElements(b, kernels, {"fft_half", element, rows, size, 0, size}, Rows{whole, length}, {}, result,
                       [](Elements &at) { return at.load(0, at.k); });
  }
  Value pairs = complex(x, half, 1, false, 1.0, rowsOf(half));
  Roots roots = {length, false};
  auto elementAt = [&](Elements &at) {
    ImplicitLocOpBuilder &inner = at.arithmetic.b;
    // Both ends, which are not part of vectors, are element 0.
    auto loadWrapped = [&](Value k) {
      return at.load(0, arith::SelectOp::create(inner, isLess(at, k, half), k, at.index(0)));
    };
    Complex z = at.isVector() ? at.load(0, at.k) : loadWrapped(at.k);
    Complex mirrored =
        at.isVector() ? at.loadMirrored(0, half) : loadWrapped(arith::SubIOp::create(inner, at.index(half), at.k));
    auto [even, odd] = evenAndOdd(at.arithmetic, z, mirrored);
    Complex turned = at.arithmetic.mul(odd, roots.from(at.arithmetic, at.table(0), at.k));
    return at.arithmetic.add(even, at.arithmetic.rotate(turned, 1, 4, false));
  };
  return runElements(b, kernels, {"fft_of_real", element, rows, size, 1, half}, Rows{pairs, half},
                     roots.table(b, element), result, elementAt);
}

/// Element `k` of a half spectrum; elements at the ends are taken as real.
static Complex loadReal(Elements &at, Value k, Value isEnd) {
  Complex z = at.load(0, k);
  return {z.re, arith::SelectOp::create(at.arithmetic.b, isEnd, at.arithmetic.constant(0.0), z.im)};
}

Value Transforms::toReal(Value x, int64_t length, const Memory &result) {
  int64_t half = length / 2, size = half + 1;
  double scale = 1.0 / static_cast<double>(length);
  if (length % 2 == 1) {
    auto elementAt = [&](Elements &at) {
      ImplicitLocOpBuilder &inner = at.arithmetic.b;
      Value isGiven = isLess(at, at.k, size), mirrored = arith::SubIOp::create(inner, at.index(length), at.k);
      Complex z = loadReal(at, arith::SelectOp::create(inner, isGiven, at.k, mirrored), isLess(at, at.k, 1));
      return Complex{z.re, arith::SelectOp::create(inner, isGiven, z.im, at.arithmetic.conj(z).im)};
    };
    Value whole =
        runElements(b, kernels, {"fft_mirrored", element, rows, length}, Rows{x, size}, {}, rowsOf(length), elementAt);
    return complex(whole, length, 1, true, scale, result, Parts::complex, Parts::real);
  }
  Roots roots = {length, true};
  auto elementAt = [&](Elements &at) {
    Value isEnd = isLess(at, at.k, 1);
    Complex z = at.isVector() ? at.load(0, at.k) : loadReal(at, at.k, isEnd);
    Complex mirrored = at.isVector()
                           ? at.loadMirrored(0, half)
                           : loadReal(at, arith::SubIOp::create(at.arithmetic.b, at.index(half), at.k), isEnd);
    auto [even, odd] = evenAndOdd(at.arithmetic, z, mirrored);
    Complex turned = at.arithmetic.mul(odd, roots.from(at.arithmetic, at.table(0), at.k));
    return at.arithmetic.add(even, at.arithmetic.rotate(turned, 1, 4, true));
  };
  Value pairs = runElements(b, kernels, {"fft_to_pairs", element, rows, half, 1, half}, Rows{x, size},
                            roots.table(b, element), rowsOf(half), elementAt);
  return complex(pairs, half, 1, true, 2 * scale, result);
}

} // namespace dovetail::fourier
