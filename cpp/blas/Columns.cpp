// Reductions of columns, by the code for this processor, on all threads of the team.
#include "Columns.h"
#include "Functions.h"
#include "Parts.h"
#include "Routines.h"
#include "Team.h"
#include "Variants.h"
#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(template <typename T> void add(const Columns<T> &part))

template <typename T>
static void addHere(const Columns<T> &columns) {
  static const auto code = DOVETAIL_VARIANT_HERE(add<T>);
  code(columns);
}

void addColumns(const Columns<float> &columns) { addHere(columns); }
void addColumns(const Columns<double> &columns) { addHere(columns); }

namespace {

/// Bytes that are worth a thread, and columns of so many bytes that are read one after the other.
constexpr int64_t kLeastBytes = 1 << 16, kLeastWidth = 1 << 11;
/// Elements of a row whose results stay in the nearest cache.
constexpr int64_t kMostWidth = 2048;

/// Integers as numbers: NaN where a NaN was among those whose extremes they are.
template <typename T>
T numberOf(Ordered<T> result, Ordered<T> highest, Ordered<T> lowest) {
  T infinity = std::numeric_limits<T>::infinity(), number;
  Ordered<T> most;
  std::memcpy(&most, &infinity, sizeof(T));
  if (highest > most || lowest < ~most)
    return std::numeric_limits<T>::quiet_NaN();
  result = orderedOf(result);
  std::memcpy(&number, &result, sizeof(T));
  return number;
}

/// The results of some rows, for `width` columns.
template <typename T>
struct Partial {
  std::vector<double> sums, squares;
  std::vector<Ordered<T>> highest, lowest;

  Partial() = default;
  Partial(int64_t kinds, int64_t width) {
    if (kinds & kColumnSums)
      sums.assign(width, 0);
    if (kinds & (kColumnMaxima | kColumnMinima)) {
      highest.assign(width, std::numeric_limits<Ordered<T>>::min());
      lowest.assign(width, std::numeric_limits<Ordered<T>>::max());
    }
    if (kinds & kColumnSquares)
      squares.assign(width, 0);
  }

  /// Adds rows of `x`, which begin at this partial result's first column.
  void add(const T *x, const T *center, int64_t rows, int64_t width, int64_t stride) {
    std::vector<T> workspace(2 * std::min(width, kMostWidth));
    for (int64_t begin = 0; begin < width; begin += kMostWidth) {
      auto from = [&](auto &all) { return all.empty() ? nullptr : all.data() + begin; };
      addColumns(Columns<T>{x + begin, center + begin, rows, std::min(kMostWidth, width - begin), stride, from(sums),
                            from(squares), from(highest), from(lowest), workspace.data()});
    }
  }

  void add(const Partial &other) {
    auto combine = [](auto &all, const auto &more, auto function) {
      std::transform(all.begin(), all.end(), more.begin(), all.begin(), function);
    };
    combine(sums, other.sums, std::plus<>());
    combine(squares, other.squares, std::plus<>());
    combine(highest, other.highest, [](auto x, auto y) { return std::max(x, y); });
    combine(lowest, other.lowest, [](auto x, auto y) { return std::min(x, y); });
  }

  /// Writes result after result, from the given places on.
  template <typename To>
  void store(int64_t kinds, To to) const {
    int result = 0;
    for (auto [kind, all] : {std::pair(kColumnSums, &sums), std::pair(kColumnSquares, &squares)}) {
      if (kind == kColumnSquares)
        for (auto [extreme, ordered] : {std::pair(kColumnMaxima, &highest), std::pair(kColumnMinima, &lowest)})
          if (kinds & extreme) {
            T *place = to(result++);
            for (size_t c = 0; c < ordered->size(); ++c)
              place[c] = numberOf<T>((*ordered)[c], highest[c], lowest[c]);
          }
      if (kinds & kind)
        std::transform(all->begin(), all->end(), to(result++), [](double sum) { return T(sum); });
    }
  }
};

template <typename T, int numResults>
void reduceColumns(const ColumnsCall<numResults> &call) {
  const int64_t rows = call.rows, columns = call.columns;
  auto x = reinterpret_cast<const T *>(call.x.get()), center = reinterpret_cast<const T *>(call.center.get());
  int64_t bytes = call.outer * rows * columns * int64_t(sizeof(T));
  int64_t wanted = call.threads == 1 ? 1 : std::clamp<int64_t>(bytes / kLeastBytes, 1, 2 * teamSize());
  // Parts of rows, or else of columns, of each of the outer matrices.
  int64_t each = (wanted + call.outer - 1) / call.outer;
  bool isByColumns = columns * int64_t(sizeof(T)) / each >= kLeastWidth;
  int64_t across = isByColumns ? each : 1, down = isByColumns ? 1 : std::min(each, (rows + 31) / 32);
  auto store = [&](const Partial<T> &partial, int64_t matrix, int64_t begin) {
    partial.store(call.kinds, [&](int result) {
      return reinterpret_cast<T *>(call.results[result].get()) + matrix * columns + begin;
    });
  };
  std::vector<Partial<T>> partials(down > 1 ? call.outer * down : 0);
  forEachPart(call.outer * across * down, [&](int64_t part) {
    int64_t matrix = part / (across * down), block = part % (across * down);
    Range ofRows = partOf(rows, down, block / across), ofColumns = partOf(columns, across, block % across, 16);
    if (ofColumns.size() <= 0)
      return;
    Partial<T> partial(call.kinds, ofColumns.size());
    partial.add(x + (matrix * rows + ofRows.begin) * columns + ofColumns.begin,
                center + matrix * columns + ofColumns.begin, ofRows.size(), ofColumns.size(), columns);
    if (down > 1)
      partials[part] = std::move(partial);
    else
      store(partial, matrix, ofColumns.begin);
  });
  for (int64_t matrix = 0; down > 1 && matrix < call.outer; ++matrix) {
    for (int64_t i = 1; i < down; ++i)
      partials[matrix * down].add(partials[matrix * down + i]);
    store(partials[matrix * down], matrix, 0);
  }
}

} // namespace

template <int numResults>
void computeColumns(const ColumnsCall<numResults> &call) {
  if (Element(call.element) == Element::Float32)
    reduceColumns<float>(call);
  else
    reduceColumns<double>(call);
}

template void computeColumns(const ColumnsCall<1> &call);
template void computeColumns(const ColumnsCall<2> &call);
template void computeColumns(const ColumnsCall<3> &call);

} // namespace dovetail::blas
