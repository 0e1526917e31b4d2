// The code that sorts unsigned integers: see Variants.h. Networks sort blocks in registers, and merge them.
#include "Sort.h"
#include <algorithm>
#include <cstring>
#include <utility>

namespace dovetail::blas::DOVETAIL_VARIANT {

/// The operations of networks (K. E. Batcher, Sorting networks and their applications, 1968) on vectors of keys.
template <typename T>
struct Network {
  typedef T Vector __attribute__((vector_size(64)));
  static constexpr int kLanes = 64 / sizeof(T);
  /// How many vectors are merged with as many.
  static constexpr int kMerged = kSortUnit<T> / kLanes;

  [[gnu::always_inline]] static Vector load(const T *from) {
    Vector ans;
    std::memcpy(&ans, from, sizeof(ans));
    return ans;
  }
  [[gnu::always_inline]] static void store(T *to, Vector x) { std::memcpy(to, &x, sizeof(x)); }

  [[gnu::always_inline]] static void exchange(Vector &low, Vector &high) {
    Vector least = __builtin_elementwise_min(low, high);
    high = __builtin_elementwise_max(low, high);
    low = least;
  }

  /// Each lane has what the lane had whose number differs in the bits of `mask`.
  template <int mask, size_t... lanes>
  [[gnu::always_inline]] static Vector swapped(Vector x, std::index_sequence<lanes...>) {
    return __builtin_shufflevector(x, x, int(lanes ^ mask)...);
  }
  template <int mask>
  [[gnu::always_inline]] static Vector swapped(Vector x) {
    return swapped<mask>(x, std::make_index_sequence<kLanes>());
  }

  /// `low` in the lanes without the bit, `high` in the others.
  template <int bit, size_t... lanes>
  [[gnu::always_inline]] static Vector chosen(Vector low, Vector high, std::index_sequence<lanes...>) {
    return __builtin_shufflevector(low, high, int(lanes & bit ? lanes + kLanes : lanes)...);
  }
  template <int bit>
  [[gnu::always_inline]] static Vector exchanged(Vector x, Vector other) {
    return chosen<bit>(__builtin_elementwise_min(x, other), __builtin_elementwise_max(x, other),
                       std::make_index_sequence<kLanes>());
  }

  /// Compares lanes at the distances `distance`, half of it, ..., 1.
  template <int distance, int count>
  [[gnu::always_inline]] static void exchangeLanes(Vector *x) {
    if constexpr (distance > 0) {
#pragma clang loop unroll(full)
      for (int i = 0; i < count; ++i)
        x[i] = exchanged<distance>(x[i], swapped<distance>(x[i]));
      exchangeLanes<distance / 2, count>(x);
    }
  }

  /// Compares vectors at the distances `distance`, half of it, ..., 1.
  template <int distance, int count>
  [[gnu::always_inline]] static void exchangeVectors(Vector *x) {
    if constexpr (distance > 0) {
#pragma clang loop unroll(full)
      for (int i = 0; i < count; ++i)
        if ((i & distance) == 0)
          exchange(x[i], x[i + distance]);
      exchangeVectors<distance / 2, count>(x);
    }
  }

  //===- Blocks --------------------------------------------------------------------===//

  /// Merges the sorted halves of the vectors `begin`, `begin` + `step`, ..., of each lane, by odd and even ones.
  template <int begin, int count, int step>
  [[gnu::always_inline]] static void mergeOddEven(Vector *x) {
    if constexpr (count == 2) {
      exchange(x[begin], x[begin + step]);
    } else {
      mergeOddEven<begin, count / 2, 2 * step>(x);
      mergeOddEven<begin + step, count / 2, 2 * step>(x);
#pragma clang loop unroll(full)
      for (int i = 1; i + 1 < count; i += 2)
        exchange(x[begin + i * step], x[begin + (i + 1) * step]);
    }
  }

  template <int begin, int count>
  [[gnu::always_inline]] static void sortLanes(Vector *x) {
    if constexpr (count > 1) {
      sortLanes<begin, count / 2>(x);
      sortLanes<begin + count / 2, count / 2>(x);
      mergeOddEven<begin, count, 1>(x);
    }
  }

  /// Merges the sequences of `lanes` lanes with those of as many others. An element's place in a sequence is its lane
  /// times `count` plus its vector.
  template <int lanes, int count>
  [[gnu::always_inline]] static void mergeLanes(Vector *x) {
    if constexpr (lanes < kLanes) {
      constexpr int mirrored = 2 * lanes - 1;
#pragma clang loop unroll(full)
      for (int i = 0; i < count / 2; ++i) {
        Vector first = x[i], last = x[count - 1 - i];
        x[i] = exchanged<lanes>(first, swapped<mirrored>(last));
        x[count - 1 - i] = exchanged<lanes>(last, swapped<mirrored>(first));
      }
      exchangeLanes<lanes / 2, count>(x);
      exchangeVectors<count / 2, count>(x);
      mergeLanes<2 * lanes, count>(x);
    }
  }

  /// The first or second halves of two vectors, by turns.
  template <int start, size_t... lanes>
  [[gnu::always_inline]] static Vector interleaved(Vector first, Vector second, std::index_sequence<lanes...>) {
    return __builtin_shufflevector(first, second, int(start + lanes / 2 + (lanes % 2) * kLanes)...);
  }

  /// Stores element after element of a lane: each step rotates the bits of all places by one.
  template <int count, int steps>
  [[gnu::always_inline]] static void storeLanes(T *to, const Vector *x) {
    if constexpr (steps == 1) {
#pragma clang loop unroll(full)
      for (int i = 0; i < count; ++i)
        store(to + i * kLanes, x[i]);
    } else {
      Vector next[count];
#pragma clang loop unroll(full)
      for (int i = 0; i < count / 2; ++i) {
        next[2 * i] = interleaved<0>(x[i], x[i + count / 2], std::make_index_sequence<kLanes>());
        next[2 * i + 1] = interleaved<kLanes / 2>(x[i], x[i + count / 2], std::make_index_sequence<kLanes>());
      }
      storeLanes<count, steps / 2>(to, next);
    }
  }

  template <int count>
  static void sortBlock(const T *from, T *to) {
    Vector x[count];
#pragma clang loop unroll(full)
    for (int i = 0; i < count; ++i)
      x[i] = load(from + i * kLanes);
    sortLanes<0, count>(x);
    mergeLanes<1, count>(x);
    storeLanes<count, count>(to, x);
  }

  //===- Merging -------------------------------------------------------------------===//

  /// The lower half of two sorted sequences, and the upper one, both sorted.
  [[gnu::always_inline]] static void mergeVectors(Vector *low, Vector *high) {
    Vector other[kMerged];
#pragma clang loop unroll(full)
    for (int i = 0; i < kMerged; ++i)
      other[i] = swapped<kLanes - 1>(high[kMerged - 1 - i]);
#pragma clang loop unroll(full)
    for (int i = 0; i < kMerged; ++i)
      exchange(low[i], other[i]);
    exchangeVectors<kMerged / 2, kMerged>(low);
    exchangeVectors<kMerged / 2, kMerged>(other);
    exchangeLanes<kLanes / 2, kMerged>(low);
    exchangeLanes<kLanes / 2, kMerged>(other);
    std::copy(other, other + kMerged, high);
  }

  static void loadUnit(Vector *x, const T *from) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kMerged; ++i)
      x[i] = load(from + i * kLanes);
  }
  static void storeUnit(T *to, const Vector *x) {
#pragma clang loop unroll(full)
    for (int i = 0; i < kMerged; ++i)
      store(to + i * kLanes, x[i]);
  }
};

template <typename T>
void mergeRuns(const Runs<T> &runs) {
  using N = Network<T>;
  constexpr int64_t unit = kSortUnit<T>;
  const T *first = runs.first, *second = runs.second;
  int64_t units = runs.size / unit;
  bool isSecond = first == runs.firstEnd || (second != runs.secondEnd && *second < *first);
  const T *&start = isSecond ? second : first;
  typename N::Vector low[N::kMerged], high[N::kMerged];
  N::loadUnit(high, start);
  start += unit;
  for (int64_t i = 0, skipped = runs.skipped ? 1 : 0; i < units + skipped; ++i) {
    if (first == runs.firstEnd && second == runs.secondEnd) {
      N::storeUnit(runs.result + (i - skipped) * unit, high);
      return;
    }
    // Without a branch, which could not be predicted. The element after a run is within the array, too.
    bool takesSecond = (first == runs.firstEnd) | ((second != runs.secondEnd) & (*second < *first));
    const T *next = takesSecond ? second : first;
    first += takesSecond ? 0 : unit;
    second += takesSecond ? unit : 0;
    N::loadUnit(low, next);
    N::mergeVectors(low, high);
    if (i >= skipped)
      N::storeUnit(runs.result + (i - skipped) * unit, low);
  }
}

template <typename T>
void sortKeys(T *keys, T *other, int64_t size) {
  using N = Network<T>;
  constexpr int64_t unit = kSortUnit<T>, block = 16 * N::kLanes;
  int passes = 0;
  for (int64_t width = block; width < size; width *= 2)
    ++passes;
  T *from = passes % 2 == 0 ? keys : other, *to = passes % 2 == 0 ? other : keys;
  int64_t done = 0;
  for (; done + block <= size; done += block)
    N::template sortBlock<16>(keys + done, from + done);
  // What is left over, as runs of one length but the last.
  if (int64_t left = size - done; left > 0) {
    T padded[block];
    std::fill(std::copy(keys + done, keys + size, padded), padded + block, T(~T(0)));
    if (left <= unit)
      N::template sortBlock<N::kMerged>(padded, padded);
    else if (left <= 2 * unit)
      N::template sortBlock<2 * N::kMerged>(padded, padded);
    else
      N::template sortBlock<16>(padded, padded);
    std::copy(padded, padded + left, from + done);
  }
  for (int64_t width = block; width < size; width *= 2) {
    for (int64_t begin = 0; begin < size; begin += 2 * width) {
      int64_t middle = std::min(begin + width, size), end = std::min(begin + 2 * width, size);
      if (middle == end)
        std::copy(from + begin, from + end, to + begin);
      else
        mergeRuns(Runs<T>{from + begin, from + middle, from + middle, from + end, to + begin, end - begin, false});
    }
    std::swap(from, to);
  }
}

//===- Keys ------------------------------------------------------------------------===//

/// Applies `function` to `size` elements, as vectors. The last one overlaps the one before it, or is completed.
template <typename From, typename To, typename Function>
void forEachVector(const From *from, To *to, int64_t size, Function function) {
  constexpr int lanes = Network<To>::kLanes;
  typedef From Vector __attribute__((vector_size(lanes * sizeof(From))));
  Vector x;
  auto apply = [&](int64_t i) {
    std::memcpy(&x, from + i, sizeof(x));
    Network<To>::store(to + i, function(x));
  };
  int64_t i = 0;
  for (; i + lanes <= size; i += lanes)
    apply(i);
  if (i == size)
    return;
  if (size > lanes)
    return apply(size - lanes);
  // Zeros are not special.
  From rest[lanes] = {};
  To last[lanes];
  std::memcpy(rest, from, size * sizeof(From));
  std::memcpy(&x, rest, sizeof(x));
  Network<To>::store(last, function(x));
  std::memcpy(to, last, size * sizeof(To));
}

/// Keys are ordered as the elements of `x` are; see KeysOf for what is found.
template <typename T>
int64_t keysOf(const T *x, T *keys, int64_t size, int64_t element, bool isDescending) {
  using Vector = typename Network<T>::Vector;
  using Signed = std::make_signed_t<T>;
  typedef Signed SignedVector __attribute__((vector_size(64)));
  constexpr int bits = 8 * sizeof(T);
  constexpr T sign = T(1) << (bits - 1), infinity = bits == 32 ? T(0x7f800000) : T(0x7ff0000000000000),
              nan = infinity | infinity >> 1;
  const T flip = isDescending ? T(~T(0)) : T(0);
  if (SortElement(element) != SortElement::Float) {
    const T least = (SortElement(element) == SortElement::Signed ? sign : T(0)) ^ flip;
    forEachVector(x, keys, size, [&](const Vector &x) { return x ^ least; });
    return 0;
  }
  Vector zeros = {}, nans = {};
  forEachVector(x, keys, size, [&](const Vector &x) {
    Vector isNan = Vector((x & T(~sign)) > infinity), isZero = Vector(x == sign);
    nans |= isNan;
    zeros |= isZero;
    Vector pattern = (x & ~(isNan | isZero)) | (isNan & nan);
    return pattern ^ (Vector(SignedVector(pattern) >> (bits - 1)) | sign) ^ flip;
  });
  return (__builtin_reduce_or(zeros) ? kHasNegativeZero : 0) | (__builtin_reduce_or(nans) ? kHasNan : 0);
}

template <typename T>
void elementsOf(const T *keys, T *x, int64_t size, int64_t element, bool isDescending) {
  using Vector = typename Network<T>::Vector;
  typedef std::make_signed_t<T> SignedVector __attribute__((vector_size(64)));
  constexpr int bits = 8 * sizeof(T);
  constexpr T sign = T(1) << (bits - 1);
  const T flip = isDescending ? T(~T(0)) : T(0);
  if (SortElement(element) != SortElement::Float) {
    const T least = (SortElement(element) == SortElement::Signed ? sign : T(0)) ^ flip;
    forEachVector(keys, x, size, [&](const Vector &key) { return key ^ least; });
    return;
  }
  forEachVector(keys, x, size, [&](const Vector &flipped) {
    Vector key = flipped ^ flip;
    return key ^ (Vector(~(SignedVector(key) >> (bits - 1))) | sign);
  });
}

/// The least and the greatest of the bits of numbers that `flip` turns into unsigned ones of the same order.
KeyRange rangeOf(const uint32_t *x, int64_t size, uint32_t flip) {
  uint32_t least = ~uint32_t(0), greatest = 0;
  for (int64_t i = 0; i < size; ++i) {
    least = std::min(least, x[i] ^ flip);
    greatest = std::max(greatest, x[i] ^ flip);
  }
  return {least, greatest};
}

/// Keys with their places, from `begin` on, in the lower bits.
template <typename T>
void withPlaces(const uint32_t *__restrict keys, T *__restrict result, Range part, uint32_t least, int64_t shift) {
  for (int64_t i = 0; i < part.size(); ++i)
    result[i] = T(keys[i] - least) << shift | T(part.begin + i);
}

template <typename T>
void placesOf(const T *__restrict sorted, int32_t *__restrict places, int64_t size, int64_t shift) {
  const T mask = (T(1) << shift) - 1;
  for (int64_t i = 0; i < size; ++i)
    places[i] = int32_t(sorted[i] & mask);
}

template void withPlaces(const uint32_t *, uint32_t *, Range, uint32_t, int64_t);
template void withPlaces(const uint32_t *, uint64_t *, Range, uint32_t, int64_t);
template void placesOf(const uint32_t *, int32_t *, int64_t, int64_t);
template void placesOf(const uint64_t *, int32_t *, int64_t, int64_t);
template void mergeRuns(const Runs<uint32_t> &);
template void mergeRuns(const Runs<uint64_t> &);
template void sortKeys(uint32_t *, uint32_t *, int64_t);
template void sortKeys(uint64_t *, uint64_t *, int64_t);
template int64_t keysOf(const uint32_t *, uint32_t *, int64_t, int64_t, bool);
template int64_t keysOf(const uint64_t *, uint64_t *, int64_t, int64_t, bool);
template void elementsOf(const uint32_t *, uint32_t *, int64_t, int64_t, bool);
template void elementsOf(const uint64_t *, uint64_t *, int64_t, int64_t, bool);

} // namespace dovetail::blas::DOVETAIL_VARIANT
