// Loops of the reference evaluator for which NumPy has no function.
#include "EvaluatorLoops.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <nanobind/ndarray.h>
#include <thread>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

// The same source for several processors, chosen when the program starts. No multiplication is contracted with an
// addition, so that all of them give the same bits.
#if defined(__x86_64__) && defined(__linux__)
#define FOR_PROCESSORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_PROCESSORS
#endif
#define ALWAYS_INLINE inline __attribute__((always_inline))

namespace dovetail {

template <typename T>
using Vector = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// So many elements fit the nearest caches, in whole vectors.
constexpr size_t kBlock = 512;

// So many elements are worth a thread.
constexpr size_t kPerThread = 1 << 16;

// Calls `loop(begin, end)` for parts of a range.
template <typename Loop>
static void inParts(size_t count, Loop loop) {
  nb::gil_scoped_release release;
  size_t most = std::max(1u, std::thread::hardware_concurrency());
  size_t parts = std::clamp<size_t>(count / kPerThread, 1, most), step = (count + parts - 1) / parts;
  std::vector<std::thread> threads;
  for (size_t begin = step; begin < count; begin += step)
    threads.emplace_back(loop, begin, std::min(begin + step, count));
  loop(0, std::min(step, count));
  for (std::thread &thread : threads)
    thread.join();
}

// Threefry-2x32 ---------------------------------------------------------------------------------------------------

template <int kRotation>
static ALWAYS_INLINE void mix(uint32_t &x, uint32_t &y) {
  x += y;
  y = (y << kRotation | y >> (32 - kRotation)) ^ x;
}

static ALWAYS_INLINE void hash(uint32_t k0, uint32_t k1, uint32_t &x, uint32_t &y) {
  const uint32_t keys[] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDA};
  x += k0;
  y += k1;
  auto even = [&](int group) {
    mix<13>(x, y), mix<15>(x, y), mix<26>(x, y), mix<6>(x, y);
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  };
  auto odd = [&](int group) {
    mix<17>(x, y), mix<29>(x, y), mix<16>(x, y), mix<24>(x, y);
    x += keys[(group + 1) % 3];
    y += keys[(group + 2) % 3] + group + 1;
  };
  even(0), odd(1), even(2), odd(3), even(4);
}

FOR_PROCESSORS
static void hashUnderOne(uint32_t k0, uint32_t k1, uint32_t *__restrict x, uint32_t *__restrict y, size_t count) {
  for (size_t i = 0; i < count; ++i)
    hash(k0, k1, x[i], y[i]);
}

FOR_PROCESSORS
static void hashUnderEach(const uint32_t *__restrict k0, const uint32_t *__restrict k1, uint32_t *__restrict x,
                          uint32_t *__restrict y, size_t count) {
  for (size_t i = 0; i < count; ++i)
    hash(k0[i], k1[i], x[i], y[i]);
}

// Some words of an operand, which has one for all elements or one for each.
static void copyWords(const Vector<const uint32_t> &words, size_t begin, size_t end, uint32_t *result) {
  if (words.size() == 1)
    std::fill(result, result + (end - begin), *words.data());
  else
    std::copy(words.data() + begin, words.data() + end, result);
}

static void threefry(Vector<const uint32_t> k0, Vector<const uint32_t> k1, Vector<const uint32_t> x0,
                     Vector<const uint32_t> x1, Vector<uint32_t> y0, Vector<uint32_t> y1) {
  bool isOne = k0.size() == 1 && k1.size() == 1;
  inParts(y0.size(), [&](size_t first, size_t last) {
    uint32_t keys0[kBlock], keys1[kBlock];
    for (size_t begin = first; begin < last; begin += kBlock) {
      size_t end = std::min(begin + kBlock, last);
      copyWords(x0, begin, end, y0.data() + begin);
      copyWords(x1, begin, end, y1.data() + begin);
      if (isOne) {
        hashUnderOne(*k0.data(), *k1.data(), y0.data() + begin, y1.data() + begin, end - begin);
        continue;
      }
      copyWords(k0, begin, end, keys0);
      copyWords(k1, begin, end, keys1);
      hashUnderEach(keys0, keys1, y0.data() + begin, y1.data() + begin, end - begin);
    }
  });
}

// The inverse of the error function -------------------------------------------------------------------------------

template <size_t kSize>
static double polynomial(const double (&coefficients)[kSize], double x) {
  double sum = coefficients[0];
  for (size_t i = 1; i < kSize; ++i)
    sum = sum * x + coefficients[i];
  return sum;
}

// M. Giles, Approximating the erfinv function, GPU Computing Gems, 2011: in w = -log(1 - x^2), x times polynomials of w
// and of its root.
constexpr double kMiddle[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
    -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
    -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
constexpr double kOuter[] = {
    2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
    0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
    0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
constexpr double kFar[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
                           -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
                           2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
                           -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
                           7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833622122026,
                           1.0103004648645343977,      4.8499064014085844221};
// Up to which value of w, and from which of 1 - x^2, the first one holds.
constexpr double kMiddleEnd = 6.25, kMiddleLeast = 0.0019304541362277093;

static double erfInvOfTail(double x) {
  double w = -std::log((1 - x) * (1 + x));
  if (!(w < std::numeric_limits<double>::infinity()))
    return std::isnan(w) ? w : std::copysign(w, x);
  if (w < kMiddleEnd)
    return x * polynomial(kMiddle, w - 3.125);
  double root = std::sqrt(w);
  return x * (w < 16 ? polynomial(kOuter, root - 3.25) : polynomial(kFar, root - 5));
}

// The sizes of blocks are multiples of those of vectors. Loops over blocks are short and simple, so that each is one of
// vector instructions.
using Block = double[kBlock];

template <size_t kSize>
static ALWAYS_INLINE void polynomialOfBlock(const double (&coefficients)[kSize], const Block &x, size_t count,
                                            Block &sum) {
  for (size_t i = 0; i < count; ++i)
    sum[i] = coefficients[0];
  for (size_t term = 1; term < kSize; ++term)
    for (size_t i = 0; i < count; ++i)
      sum[i] = sum[i] * x[i] + coefficients[term];
}

// The logarithms of numbers from kMiddleLeast to 1, by the series of the hyperbolic arc tangent.
static ALWAYS_INLINE void logOfBlock(const Block &x, size_t count, Block &result) {
  constexpr double series[] = {2. / 21, 2. / 19, 2. / 17, 2. / 15, 2. / 13, 2. / 11, 2. / 9, 2. / 7, 2. / 5, 2. / 3, 2};
  // The bits of the root of 1/2, where mantissas begin.
  constexpr uint64_t least = 0x3FE6A09E667F3BCD, mantissas = 0x000FFFFFFFFFFFFF;
  Block exponent, s, square;
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = llvm::bit_cast<uint64_t>(x[i]) - least;
    exponent[i] = static_cast<int32_t>(bits >> 32) >> 20;
    double mantissa = llvm::bit_cast<double>((bits & mantissas) + least);
    s[i] = (mantissa - 1) / (mantissa + 1);
    square[i] = s[i] * s[i];
  }
  polynomialOfBlock(series, square, count, result);
  for (size_t i = 0; i < count; ++i)
    result[i] = exponent[i] * 0.69314718055994530942 + s[i] * result[i];
}

template <typename T>
static ALWAYS_INLINE void erfInvOf(const T *in, T *out, size_t count) {
  Block x, product, shifted, result;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    // Whole vectors, so that a number's result does not depend on where it is.
    size_t size = std::min(kBlock, count - begin), padded = (size + 15) / 16 * 16;
    std::copy(in + begin, in + begin + size, x);
    std::fill(x + size, x + padded, 0.);
    for (size_t i = 0; i < padded; ++i)
      product[i] = (1 - x[i]) * (1 + x[i]);
    logOfBlock(product, padded, shifted);
    for (size_t i = 0; i < padded; ++i)
      shifted[i] = -shifted[i] - 3.125;
    polynomialOfBlock(kMiddle, shifted, padded, result);
    for (size_t i = 0; i < size; ++i)
      out[begin + i] = static_cast<T>(x[i] * result[i]);
    for (size_t i = 0; i < size; ++i)
      if (!(product[i] > kMiddleLeast))
        out[begin + i] = static_cast<T>(erfInvOfTail(x[i]));
  }
}

FOR_PROCESSORS static void erfInv32(const float *in, float *out, size_t count) { erfInvOf(in, out, count); }
FOR_PROCESSORS static void erfInv64(const double *in, double *out, size_t count) { erfInvOf(in, out, count); }

template <typename T, void (*kLoop)(const T *, T *, size_t)>
static void erfInv(Vector<const T> x, Vector<T> result) {
  const T *in = x.data();
  T *out = result.data();
  inParts(x.size(), [=](size_t begin, size_t end) { kLoop(in + begin, out + begin, end - begin); });
}

// Signs of zeros --------------------------------------------------------------------------------------------------

namespace {

// The bytes of an array of NumPy whose elements lie one after the other, while it lives.
class Bytes {
public:
  Bytes(nb::handle array, int flags) : isHeld(!PyObject_GetBuffer(array.ptr(), &view, flags)) {
    if (!isHeld)
      PyErr_Clear();
  }
  ~Bytes() {
    if (isHeld)
      PyBuffer_Release(&view);
  }
  explicit operator bool() const { return isHeld; }
  const Py_buffer *operator->() const { return &view; }

private:
  Py_buffer view;
  bool isHeld;
};

} // namespace

template <typename T>
static void signZerosOf(const Bytes &result, const Bytes &signs) {
  constexpr T sign = T(T(1) << (8 * sizeof(T) - 1));
  auto *to = static_cast<char *>(result->buf);
  auto *from = static_cast<const char *>(signs->buf);
  size_t step = signs->len == result->len ? sizeof(T) : 0;
  for (Py_ssize_t i = 0; i < result->len; i += sizeof(T), from += step) {
    T bits, other;
    std::memcpy(&bits, to + i, sizeof(T));
    std::memcpy(&other, from, sizeof(T));
    if (T(bits & ~sign) == 0)
      bits = other & sign;
    std::memcpy(to + i, &bits, sizeof(T));
  }
}

// False if the arrays are not of the shapes or layouts for it.
static bool signZeros(nb::handle result, nb::handle signs) {
  Bytes to(result, PyBUF_WRITABLE), from(signs, PyBUF_SIMPLE);
  if (!to || !from || to->itemsize != from->itemsize || (from->len != to->len && from->len != from->itemsize))
    return false;
  switch (to->itemsize) {
  case 2:
    return signZerosOf<uint16_t>(to, from), true;
  case 4:
    return signZerosOf<uint32_t>(to, from), true;
  case 8:
    return signZerosOf<uint64_t>(to, from), true;
  default:
    return false;
  }
}

void bindLoops(nb::module_ &m) {
  m.def("sign_zeros", &signZeros, "result"_a, "signs"_a,
        nb::sig("def sign_zeros(result: numpy.ndarray, signs: numpy.ndarray) -> bool"),
        "Give zeros the signs of other floats, in place; of these there is one for all, or one for each. False if the "
        "memory is not in order.");
  m.def("threefry2x32", &threefry, "k0"_a, "k1"_a, "x0"_a, "x1"_a, "y0"_a, "y1"_a,
        "Hash counters x under keys k; of each there is one for all, or one for each result.");
  m.def("erf_inv", &erfInv<float, erfInv32>, "x"_a, "result"_a, "Write the inverse of the error function.");
  m.def("erf_inv", &erfInv<double, erfInv64>, "x"_a, "result"_a, "Write the inverse of the error function.");
}

} // namespace dovetail
