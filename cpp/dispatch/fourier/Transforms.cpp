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

Value Transforms::between(Stages before, Value x, const Kind &kind, ArrayRef<Stage> after, const Memory &result) {
  int64_t length = kind.length;
  if (isSmooth(length)) {
    addSteps(before, kind);
  } else if (mayCallLibrary && length <= blas::kLongestChirp &&
             getConstantIntValue(rows).value_or(blas::kFewestChirpRows) >= blas::kFewestChirpRows) {
    int64_t flags = (kind.inverse ? blas::kChirpInverse : 0) | (kind.from == Parts::real ? blas::kChirpFromReal : 0) |
                    (kind.to == Parts::real ? blas::kChirpToReal : 0) | (kind.scale == 1.0 ? 0 : blas::kChirpScaled);
    if (!before.empty())
      x = runStages(b, kernels, before, x, rowsOf(length));
    const Memory memory = after.empty() ? result : rowsOf(length);
    x = callChirp(b, element, flags, rows, length, x, memory.type, memory.sizes);
    return after.empty() ? x : runStages(b, kernels, after, x, result);
  } else {
    addConvolution(before, kind);
  }
  before.insert(before.end(), after.begin(), after.end());
  return runStages(b, kernels, before, x, result, mayOverwrite);
}

void Transforms::addSteps(Stages &stages, const Kind &kind) {
  SmallVector<Step> steps =
      stepsOf(element, rows, kind.length, kind.inner, kind.inverse, kind.scale, kernels.isForCpu());
  steps.front().mayOverwrite |= mayOverwrite || !stages.empty();
  steps.front().from = kind.from;
  steps.back().to = kind.to;
  for (const Step &step : steps)
    stages.push_back(stageOf(b, kernels, step));
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
      return loadComplex(elements.arithmetic, elements.table(), k);
    ImplicitLocOpBuilder &b = elements.arithmetic.b;
    int64_t period = 2 * length;
    // An index has 32 bits on devices other than CPUs.
    if (isForCpu || length * length < int64_t(1) << 32) {
      Value square = arith::MulIOp::create(b, k, k);
      return roots().at(elements.arithmetic, elements.table(),
                        arith::RemUIOp::create(b, square, elements.index(period)));
    }
    Value wide = arith::IndexCastOp::create(b, b.getI64Type(), k), square = arith::MulIOp::create(b, wide, wide);
    Value place = arith::RemUIOp::create(b, square, arith::ConstantOp::create(b, b.getI64IntegerAttr(period)));
    return roots().at(elements.arithmetic, elements.table(), arith::IndexCastOp::create(b, b.getIndexType(), place));
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
  Stage chirps = stageOf(ElementsShape{name, element, one.rows, size}, kernels, std::nullopt, chirp.table(b, element),
                         [=](Elements &at) {
                           ImplicitLocOpBuilder &inner = at.arithmetic.b;
                           Value mirrored = arith::SubIOp::create(inner, at.index(size), at.k);
                           Value place = arith::MinUIOp::create(inner, at.k, mirrored);
                           Value isInside = isLess(at, place, length), zero = at.arithmetic.constant(0.0);
                           Complex c = chirp.at(at, arith::SelectOp::create(inner, isInside, place, at.index(0)));
                           return Complex{arith::SelectOp::create(inner, isInside, c.re, zero),
                                          arith::SelectOp::create(inner, isInside, c.im, zero)};
                         });
  Kind kind = {size, 1, false, 1.0 / static_cast<double>(size)};
  Value spectrum = one.between({chirps}, Value(), kind, {}, one.rowsOf(size));
  return {cast<RankedTensorType>(spectrum.getType()), {}, 2 * size, spectrum, /*isShared=*/true};
}

/// x c within the row, and zeros after it.
static Complex turnedOrZero(Elements &at, const Chirp &chirp) {
  auto turned = [&](Elements &inside) { return inside.arithmetic.mul(inside.load(at.k), chirp.at(inside, at.k)); };
  if (at.isVector())
    return turned(at);
  Type element = at.arithmetic.type;
  auto choice = scf::IfOp::create(
      at.arithmetic.b, isLess(at, at.k, chirp.length),
      [&](OpBuilder &then, Location loc) {
        ImplicitLocOpBuilder there(loc, then);
        Elements inside = {{there, element}, at.memory, at.from, at.start, at.k};
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

void Transforms::addConvolution(Stages &stages, const Kind &kind) {
  assert(kind.inner == 1 && "only transforms by steps have elements of several numbers");
  int64_t length = kind.length, size = quickLength(2 * length - 1);
  Chirp chirp = {length, kind.inverse, kernels.isForCpu()};
  std::string suffix = "_" + std::to_string(length) + (kind.inverse ? "_inverse" : "");
  int64_t vectors = chirp.isTable() ? length : 0;
  std::string name = "fft_turned" + suffix + (kind.from == Parts::real ? "_from_real" : "");
  stages.push_back(stageOf(ElementsShape{name, element, rows, size, 0, vectors}, kernels, Numbers{length, kind.from},
                           chirp.table(b, element), [=](Elements &at) { return turnedOrZero(at, chirp); }));
  addSteps(stages, {size, 1, false, 1.0});
  stages.push_back(stageOf(ElementsShape{"fft_filtered" + suffix, element, rows, size, 0, size}, kernels, Numbers{size},
                           filter(length, size, kind.inverse), [](Elements &at) {
                             Complex factor = loadComplex(at.arithmetic, at.table(), at.k);
                             return at.arithmetic.mul(at.load(at.k), factor);
                           }));
  addSteps(stages, {size, 1, true, 1.0});
  double scale = kind.scale;
  name = "fft_turned_back" + suffix + (scale == 1.0 ? "" : "_scaled");
  stages.push_back(stageOf(ElementsShape{name, element, rows, length, 0, vectors, kind.to}, kernels, Numbers{size},
                           chirp.table(b, element), [=](Elements &at) {
                             Complex value = at.arithmetic.mul(at.load(at.k), chirp.at(at, at.k));
                             return at.arithmetic.scale(value, scale);
                           }));
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
    Stage first = stageOf(ElementsShape{"fft_half", element, rows, size, 0, size}, kernels, Numbers{length}, {},
                          [](Elements &at) { return at.load(at.k); });
    return between({}, x, {length, 1, false, 1.0, Parts::real}, first, result);
  }
  Roots roots = {length, false};
  auto elementAt = [=](Elements &at) {
    ImplicitLocOpBuilder &inner = at.arithmetic.b;
    // Both ends, which are not part of vectors, are element 0.
    auto loadWrapped = [&](Value k) {
      return at.load(arith::SelectOp::create(inner, isLess(at, k, half), k, at.index(0)));
    };
    Complex z = at.isVector() ? at.load(at.k) : loadWrapped(at.k);
    Complex mirrored =
        at.isVector() ? at.loadMirrored(half) : loadWrapped(arith::SubIOp::create(inner, at.index(half), at.k));
    auto [even, odd] = evenAndOdd(at.arithmetic, z, mirrored);
    Complex turned = at.arithmetic.mul(odd, roots.from(at.arithmetic, at.table(), at.k));
    return at.arithmetic.add(even, at.arithmetic.rotate(turned, 1, 4, false));
  };
  Stage stage = stageOf(ElementsShape{"fft_of_real", element, rows, size, 1, half}, kernels, Numbers{half},
                        roots.table(b, element), elementAt);
  return between({}, x, {half, 1, false, 1.0}, stage, result);
}

/// Element `k` of a half spectrum; elements at the ends are taken as real.
static Complex loadReal(Elements &at, Value k, Value isEnd) {
  Complex z = at.load(k);
  return {z.re, arith::SelectOp::create(at.arithmetic.b, isEnd, at.arithmetic.constant(0.0), z.im)};
}

Value Transforms::toReal(Value x, int64_t length, const Memory &result) {
  int64_t half = length / 2, size = half + 1;
  double scale = 1.0 / static_cast<double>(length);
  if (length % 2 == 1) {
    auto elementAt = [=](Elements &at) {
      ImplicitLocOpBuilder &inner = at.arithmetic.b;
      Value isGiven = isLess(at, at.k, size), mirrored = arith::SubIOp::create(inner, at.index(length), at.k);
      Complex z = loadReal(at, arith::SelectOp::create(inner, isGiven, at.k, mirrored), isLess(at, at.k, 1));
      return Complex{z.re, arith::SelectOp::create(inner, isGiven, z.im, at.arithmetic.conj(z).im)};
    };
    Stage mirrored =
        stageOf(ElementsShape{"fft_mirrored", element, rows, length}, kernels, Numbers{size}, {}, elementAt);
    return between({mirrored}, x, {length, 1, true, scale, Parts::complex, Parts::real}, {}, result);
  }
  Roots roots = {length, true};
  auto elementAt = [=](Elements &at) {
    Value isEnd = isLess(at, at.k, 1);
    Complex z = at.isVector() ? at.load(at.k) : loadReal(at, at.k, isEnd);
    Complex mirrored = at.isVector()
                           ? at.loadMirrored(half)
                           : loadReal(at, arith::SubIOp::create(at.arithmetic.b, at.index(half), at.k), isEnd);
    auto [even, odd] = evenAndOdd(at.arithmetic, z, mirrored);
    Complex turned = at.arithmetic.mul(odd, roots.from(at.arithmetic, at.table(), at.k));
    return at.arithmetic.add(even, at.arithmetic.rotate(turned, 1, 4, true));
  };
  Stage pairs = stageOf(ElementsShape{"fft_to_pairs", element, rows, half, 1, half}, kernels, Numbers{size},
                        roots.table(b, element), elementAt);
  return between({pairs}, x, {half, 1, true, 2 * scale}, {}, result);
}

} // namespace dovetail::fourier
