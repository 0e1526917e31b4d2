// Elementwise combination of arrays.
#include "Reduce.h"
#include "Narrow.h"
#include <algorithm>
#include <type_traits>

namespace dovetail::collectives {

namespace {

/// Bytes of a part of the result that stays in the nearest cache while all sources are added to it.
constexpr size_t kBlock = 8192;

/// An element that is computed with as it is stored.
template <typename T>
struct Native {
  using Stored = T;
  using Value = T;
  static Value load(T stored) { return stored; }
  static T store(Value value) { return value; }
};

/// An integer of `bits` bits in a byte.
template <typename T, int bits>
struct Packed {
  using Stored = uint8_t;
  using Value = T;
  static Value load(uint8_t stored) { return static_cast<T>(static_cast<T>(stored << (8 - bits)) >> (8 - bits)); }
  static uint8_t store(Value value) { return value & ((1 << bits) - 1); }
};

/// A float that is computed with as f32, and rounded in the end.
template <typename Format>
struct Widened {
  using Stored = typename Format::Stored;
  using Value = float;
  static Value load(Stored stored) { return Format::widen(stored); }
  static Stored store(Value value) { return Format::narrow(value); }
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

/// The bits of two equal floats, which differ in the sign of zeros only, combined.
template <typename T, typename Combine>
T ofBits(T a, T b, Combine combine) {
  BitsOf<T> x, y;
  std::memcpy(&x, &a, sizeof(T));
  std::memcpy(&y, &b, sizeof(T));
  x = combine(x, y);
  std::memcpy(&a, &x, sizeof(T));
  return a;
}

struct Sum {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      // Wraps around.
      return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
      return a + b;
  }
};

/// The greater one. NaN if one is; 0 is greater than -0.
struct Max {
  template <typename T>
  static T apply(T a, T b) {
    T greater = a > b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
      greater = a == b ? ofBits(a, b, [](auto x, auto y) { return x & y; }) : greater;
      greater = a != a ? a : greater;
    }
    return greater;
  }
};

/// The lesser one, likewise.
struct Min {
  template <typename T>
  static T apply(T a, T b) {
    T lesser = a < b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
      lesser = a == b ? ofBits(a, b, [](auto x, auto y) { return x | y; }) : lesser;
      lesser = a != a ? a : lesser;
    }
    return lesser;
  }
};

template <typename Op, typename Codec>
void reduce(char *result, const char *const *sources, int count, size_t elements) {
  using Stored = typename Codec::Stored;
  using Value = typename Codec::Value;
  constexpr size_t block = kBlock / sizeof(Value);
  // Values that are stored as they are need no memory of their own.
  constexpr bool isInPlace = std::is_same_v<Codec, Native<Value>>;
  alignas(64) Value values[isInPlace ? 1 : block];
  for (size_t begin = 0; begin < elements; begin += block) {
    size_t size = std::min(block, elements - begin);
    auto source = [&](int i) { return reinterpret_cast<const Stored *>(sources[i]) + begin; };
    auto *out = reinterpret_cast<Stored *>(result) + begin;
    Value *sum;
    if constexpr (isInPlace)
      sum = out;
    else
      sum = values;
    const Stored *first = source(0);
    if (count == 1) {
      std::copy_n(first, size, out);
      continue;
    }
    const Stored *second = source(1);
    for (size_t i = 0; i < size; ++i)
      sum[i] = Op::apply(Codec::load(first[i]), Codec::load(second[i]));
    int next = 2;
    for (; next + 1 < count; next += 2) {
      const Stored *a = source(next), *b = source(next + 1);
      for (size_t i = 0; i < size; ++i)
        sum[i] = Op::apply(Op::apply(sum[i], Codec::load(a[i])), Codec::load(b[i]));
    }
    if (next < count) {
      const Stored *last = source(next);
      for (size_t i = 0; i < size; ++i)
        sum[i] = Op::apply(sum[i], Codec::load(last[i]));
    }
    if constexpr (!isInPlace)
      for (size_t i = 0; i < size; ++i)
        out[i] = Codec::store(sum[i]);
  }
}

/// Sums complex numbers as twice as many real ones.
template <typename T>
void sumComplex(char *result, const char *const *sources, int count, size_t elements) {
  reduce<Sum, Native<T>>(result, sources, count, 2 * elements);
}

template <typename Op, typename Codec>
constexpr Reduce kReduce = reduce<Op, Codec>;

template <typename Op>
Reduce findReal(Element element) {
  switch (element) {
  case Element::Bool:
  case Element::UInt8:
    return kReduce<Op, Native<uint8_t>>;
  case Element::Int2:
    return kReduce<Op, Packed<int8_t, 2>>;
  case Element::Int4:
    return kReduce<Op, Packed<int8_t, 4>>;
  case Element::Int8:
    return kReduce<Op, Native<int8_t>>;
  case Element::Int16:
    return kReduce<Op, Native<int16_t>>;
  case Element::Int32:
    return kReduce<Op, Native<int32_t>>;
  case Element::Int64:
    return kReduce<Op, Native<int64_t>>;
  case Element::UInt2:
    return kReduce<Op, Packed<uint8_t, 2>>;
  case Element::UInt4:
    return kReduce<Op, Packed<uint8_t, 4>>;
  case Element::UInt16:
    return kReduce<Op, Native<uint16_t>>;
  case Element::UInt32:
    return kReduce<Op, Native<uint32_t>>;
  case Element::UInt64:
    return kReduce<Op, Native<uint64_t>>;
  case Element::Float4E2M1FN:
    return kReduce<Op, Widened<SmallFloat<0>>>;
  case Element::Float6E2M3FN:
    return kReduce<Op, Widened<SmallFloat<1>>>;
  case Element::Float6E3M2FN:
    return kReduce<Op, Widened<SmallFloat<2>>>;
  case Element::Float8E3M4:
    return kReduce<Op, Widened<SmallFloat<3>>>;
  case Element::Float8E4M3:
    return kReduce<Op, Widened<SmallFloat<4>>>;
  case Element::Float8E4M3FN:
    return kReduce<Op, Widened<SmallFloat<5>>>;
  case Element::Float8E4M3FNUZ:
    return kReduce<Op, Widened<SmallFloat<6>>>;
  case Element::Float8E4M3B11FNUZ:
    return kReduce<Op, Widened<SmallFloat<7>>>;
  case Element::Float8E5M2:
    return kReduce<Op, Widened<SmallFloat<8>>>;
  case Element::Float8E5M2FNUZ:
    return kReduce<Op, Widened<SmallFloat<9>>>;
  case Element::Float8E8M0FNU:
    return kReduce<Op, Widened<SmallFloat<10>>>;
  case Element::BFloat16:
    return kReduce<Op, Widened<BFloat16>>;
  case Element::Float16:
    return kReduce<Op, Widened<Float16>>;
  case Element::Float32:
    return kReduce<Op, Native<float>>;
  case Element::Float64:
    return kReduce<Op, Native<double>>;
  case Element::Complex64:
  case Element::Complex128:
    break;
  }
  return nullptr;
}

} // namespace

Reduce findReduce(Combination combination, Element element) {
  switch (combination) {
  case Combination::Sum:
    if (element == Element::Bool)
      return nullptr;
    if (element == Element::Complex64)
      return sumComplex<float>;
    if (element == Element::Complex128)
      return sumComplex<double>;
    return findReal<Sum>(element);
  case Combination::Max:
    return findReal<Max>(element);
  case Combination::Min:
    return findReal<Min>(element);
  }
  return nullptr;
}

size_t bytesOf(Element element) {
  switch (element) {
  case Element::Int16:
  case Element::UInt16:
  case Element::BFloat16:
  case Element::Float16:
    return 2;
  case Element::Int32:
  case Element::UInt32:
  case Element::Float32:
    return 4;
  case Element::Int64:
  case Element::UInt64:
  case Element::Float64:
  case Element::Complex64:
    return 8;
  case Element::Complex128:
    return 16;
  default:
    return 1;
  }
}

} // namespace dovetail::collectives
