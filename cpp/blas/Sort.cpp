// Sorts rows by networks and by merging, by the code for this processor, on all threads of the team.
#include "Sort.h"
#include "Functions.h"
#include "Parts.h"
#include "Team.h"
#include "Variants.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(template <typename T> void mergeRuns(const Runs<T> &runs))
DOVETAIL_DECLARE_VARIANTS(template <typename T> void sortKeys(T *keys, T *other, int64_t size))
DOVETAIL_DECLARE_VARIANTS(template <typename T>
                          int64_t keysOf(const T *x, T *keys, int64_t size, int64_t element, bool isDescending))
DOVETAIL_DECLARE_VARIANTS(template <typename T>
                          void elementsOf(const T *keys, T *x, int64_t size, int64_t element, bool isDescending))
DOVETAIL_DECLARE_VARIANTS(KeyRange rangeOf(const uint32_t *x, int64_t size, uint32_t flip))
DOVETAIL_DECLARE_VARIANTS(template <typename T>
                          void withPlaces(const uint32_t *keys, T *result, Range part, uint32_t least, int64_t shift))
DOVETAIL_DECLARE_VARIANTS(template <typename T>
                          void placesOf(const T *sorted, int32_t *places, int64_t size, int64_t shift))

namespace {

/// Keys of one thread's share of a row: two arrays of so many bytes stay in the cache of a core.
constexpr int64_t kChunkBytes = 1 << 17;
template <typename T>
constexpr int64_t kChunk = kChunkBytes / sizeof(T);
/// Below so many keys, waking the other threads takes longer.
constexpr int64_t kLeastForThreads = 1 << 15;

/// Memory for keys. Those of short rows are kept for the next ones.
class Workspace {
public:
  explicit Workspace(int64_t bytes) {
    static thread_local std::unique_ptr<char[]> kept;
    static thread_local int64_t keptBytes = 0;
    constexpr int64_t mostKept = 1 << 20, page = 1 << 21;
    if (bytes > mostKept) {
      bytes = (bytes + page - 1) / page * page;
      own = static_cast<char *>(std::aligned_alloc(page, bytes));
      if (!own)
        std::abort();
      madvise(own, bytes, MADV_HUGEPAGE);
      memory = own;
      return;
    }
    if (bytes > keptBytes) {
      kept.reset(new char[bytes]);
      keptBytes = bytes;
    }
    memory = kept.get();
  }
  Workspace(const Workspace &) = delete;
  ~Workspace() { std::free(own); }

  template <typename T>
  T *at(int64_t element) const {
    return reinterpret_cast<T *>(memory) + element;
  }

private:
  char *own = nullptr, *memory = nullptr;
};

/// How many of the first `count` keys of two runs, merged, are the first run's (Odeh, Green, Mwassi, Shmueli and Birk,
/// "Merge Path", 2012).
template <typename T>
int64_t numFromFirst(const T *first, int64_t firstSize, const T *second, int64_t secondSize, int64_t count) {
  int64_t low = std::max<int64_t>(0, count - secondSize), high = std::min(count, firstSize);
  while (low < high) {
    int64_t half = (low + high) / 2;
    if (second[count - half - 1] < first[half])
      high = half;
    else
      low = half + 1;
  }
  return low;
}

/// The part of a merger, of a run and the next one of `width`, that gives the elements from `begin` to `end` of the
/// array.
template <typename T>
void mergePart(const T *from, T *to, int64_t size, int64_t width, Range part) {
  static const auto merge = DOVETAIL_VARIANT_HERE(mergeRuns<T>);
  int64_t begin = part.begin / (2 * width) * (2 * width), middle = std::min(begin + width, size),
          end = std::min(begin + 2 * width, size);
  if (middle == end) {
    std::copy(from + part.begin, from + part.end, to + part.begin);
    return;
  }
  const T *first = from + begin, *second = from + middle;
  int64_t count = part.begin - begin;
  int64_t ofFirst = numFromFirst(first, middle - begin, second, end - middle, count), ofSecond = count - ofFirst;
  // From whole units on: their elements before the part are one unit or none.
  int64_t over = ofFirst % kSortUnit<T>;
  bool skipped = over != 0;
  first += ofFirst - over;
  second += ofSecond - ofSecond % kSortUnit<T>;
  merge(Runs<T>{first, from + middle, second, from + end, to + part.begin, part.size(), skipped});
}

/// Sorts `size` keys, a multiple of the unit, by means of an array of as many. `fill` makes those of a part of them.
/// Returns where the sorted ones are.
template <typename T, typename Fill>
T *sortRow(T *keys, T *other, int64_t size, Fill fill) {
  static const auto sort = DOVETAIL_VARIANT_HERE(sortKeys<T>);
  forEachPart((size + kChunk<T> - 1) / kChunk<T>, [&](int64_t i) {
    Range part = {i * kChunk<T>, std::min(size, (i + 1) * kChunk<T>)};
    fill(part);
    sort(keys + part.begin, other + part.begin, part.size());
  });
  for (int64_t width = kChunk<T>; width < size; width *= 2) {
    forEachPart((size + 2 * kChunk<T> - 1) / (2 * kChunk<T>), [&](int64_t i) {
      mergePart(keys, other, size, width, Range{2 * i * kChunk<T>, std::min(size, 2 * (i + 1) * kChunk<T>)});
    });
    std::swap(keys, other);
  }
  return keys;
}

/// Calls `compute` with parts of an array.
template <typename Compute>
void forEachChunk(int64_t size, int64_t chunk, Compute compute) {
  forEachPart((size + chunk - 1) / chunk,
              [&](int64_t i) { compute(Range{i * chunk, std::min(size, (i + 1) * chunk)}); });
}

/// Calls `sort` with each row: one thread has whole rows if there are enough of them.
template <typename Sort>
void forEachRow(const SortCall &call, Sort sort) {
  bool isShared = call.threads > 1 && call.rows * call.size >= kLeastForThreads;
  // Chunks of one row are shared, too, unless that row is already a part.
  int64_t parts = isShared && call.rows > 1 ? std::min(call.rows, 8 * teamSize()) : 1;
  if (parts == 1)
    for (int64_t row = 0; row < call.rows; ++row)
      sort(row);
  else
    forEachPart(parts, [&](int64_t part) {
      Range rows = partOf(call.rows, parts, part);
      for (int64_t row = rows.begin; row < rows.end; ++row)
        sort(row);
    });
}

template <typename T>
int64_t paddedSize(int64_t size) {
  return (size + kSortUnit<T> - 1) / kSortUnit<T> * kSortUnit<T>;
}

/// Replaces sorted elements that have one key by those of `x`, in the order in which they are there.
template <typename T, typename Is>
void restore(const T *x, T *sorted, int64_t size, Is is) {
  T *place = std::find_if(sorted, sorted + size, is);
  std::copy_if(x, x + size, place, is);
}

template <typename T>
void sortElements(const SortCall &call) {
  static const auto keysHere = DOVETAIL_VARIANT_HERE(keysOf<T>);
  static const auto elementsHere = DOVETAIL_VARIANT_HERE(elementsOf<T>);
  constexpr T sign = T(1) << (8 * sizeof(T) - 1), infinity = sizeof(T) == 4 ? T(0x7f800000) : T(0x7ff0000000000000);
  int64_t padded = paddedSize<T>(call.size);
  forEachRow(call, [&](int64_t row) {
    const T *x = reinterpret_cast<const T *>(call.x.get()) + row * call.size;
    T *result = reinterpret_cast<T *>(call.result.get()) + row * call.size;
    Workspace workspace((2 * padded + kSortUnit<T>)*sizeof(T));
    T *keys = workspace.at<T>(0), *other = workspace.at<T>(padded);
    std::atomic<int64_t> found = 0;
    T *sorted = sortRow(keys, other, padded, [&](Range part) {
      int64_t end = std::min(part.end, call.size);
      if (int64_t flags = keysHere(x + part.begin, keys + part.begin, end - part.begin, call.element, call.descending))
        found |= flags;
      std::fill(keys + end, keys + part.end, T(~T(0)));
    });
    forEachChunk(call.size, kChunk<T>, [&](Range part) {
      elementsHere(sorted + part.begin, result + part.begin, part.size(), call.element, call.descending);
    });
    if (found & kHasNegativeZero)
      restore(x, result, call.size, [](T pattern) { return T(pattern & ~sign) == 0; });
    if (found & kHasNan)
      restore(x, result, call.size, [](T pattern) { return T(pattern & ~sign) > infinity; });
  });
}

/// The range of the keys of integers.
KeyRange rangeOfKeys(const uint32_t *x, int64_t size, bool isSigned, bool isDescending) {
  static const auto rangeHere = DOVETAIL_VARIANT_HERE(rangeOf);
  const uint32_t flip = (isSigned ? uint32_t(1) << 31 : 0) ^ (isDescending ? ~uint32_t(0) : 0);
  std::vector<KeyRange> ranges((size + kChunk<uint32_t> - 1) / kChunk<uint32_t>);
  forEachChunk(size, kChunk<uint32_t>, [&](Range part) {
    ranges[part.begin / kChunk<uint32_t>] = rangeHere(x + part.begin, part.size(), flip);
  });
  return std::accumulate(ranges.begin(), ranges.end(), ranges.front(), [](KeyRange x, KeyRange y) {
    return KeyRange{std::min(x.least, y.least), std::max(x.greatest, y.greatest)};
  });
}

/// Sorts a row's keys, above `least`, with the places in the `shift` lower bits of a number.
template <typename T>
void sortWithPlaces(const SortCall &call, const uint32_t *x, int32_t *result, uint32_t least, int64_t shift) {
  static const auto keysHere = DOVETAIL_VARIANT_HERE(keysOf<uint32_t>);
  static const auto withPlacesHere = DOVETAIL_VARIANT_HERE(withPlaces<T>);
  static const auto placesHere = DOVETAIL_VARIANT_HERE(placesOf<T>);
  int64_t padded = paddedSize<T>(call.size);
  Workspace workspace((2 * padded + kSortUnit<T>)*sizeof(T));
  T *keys = workspace.at<T>(0), *other = workspace.at<T>(padded);
  T *sorted = sortRow(keys, other, padded, [&](Range part) {
    Range own = {part.begin, std::min(part.end, call.size)};
    auto *bits = reinterpret_cast<uint32_t *>(other + part.begin);
    keysHere(x + own.begin, bits, own.size(), call.element, call.descending);
    withPlacesHere(bits, keys + own.begin, own, least, shift);
    std::fill(keys + own.end, keys + part.end, T(~T(0)));
  });
  forEachChunk(call.size, kChunk<T>,
               [&](Range part) { placesHere(sorted + part.begin, result + part.begin, part.size(), shift); });
}

/// How many bits a number takes.
int64_t widthOf(uint64_t number) { return number == 0 ? 0 : 64 - __builtin_clzll(number); }

void sortPlaces(const SortCall &call) {
  const auto element = SortElement(call.element);
  int64_t bitsOfPlaces = widthOf(call.size - 1);
  forEachRow(call, [&](int64_t row) {
    const uint32_t *x = reinterpret_cast<const uint32_t *>(call.x.get()) + row * call.size;
    int32_t *result = reinterpret_cast<int32_t *>(call.result.get()) + row * call.size;
    // Integers are often small: both fit into 32 bits, of which vectors have twice as many.
    if (element != SortElement::Float) {
      KeyRange range = rangeOfKeys(x, call.size, element == SortElement::Signed, call.descending);
      if (widthOf(range.greatest - range.least) + bitsOfPlaces <= 32)
        return sortWithPlaces<uint32_t>(call, x, result, range.least, bitsOfPlaces);
    }
    sortWithPlaces<uint64_t>(call, x, result, 0, 32);
  });
}

} // namespace

void sort(const SortCall &call) {
  if (call.size == 0)
    return;
  if (call.places)
    sortPlaces(call);
  else if (call.bytes == 4)
    sortElements<uint32_t>(call);
  else
    sortElements<uint64_t>(call);
}

} // namespace dovetail::blas
