// The code of reductions of columns: see Variants.h.
#include "Columns.h"
#include <algorithm>
#include <cstring>

namespace dovetail::blas::DOVETAIL_VARIANT {

/// How many rows are read at once, and how many terms are added up in the type of the elements before their sum is
/// added to others in f64.
constexpr int64_t kRowsAtOnce = 8, kTerms = 256;

template <int64_t height, typename T>
void addExtremes(const T *rows, int64_t stride, int64_t width, Ordered<T> *__restrict highest,
                 Ordered<T> *__restrict lowest) {
  for (int64_t c = 0; c < width; ++c) {
    Ordered<T> high = highest[c], low = lowest[c];
    for (int64_t h = 0; h < height; ++h) {
      Ordered<T> bits;
      std::memcpy(&bits, rows + h * stride + c, sizeof(T));
      bits = orderedOf(bits);
      high = std::max(high, bits);
      low = std::min(low, bits);
    }
    highest[c] = high;
    lowest[c] = low;
  }
}

template <int64_t height, typename T>
void addSums(const T *rows, int64_t stride, int64_t width, T *__restrict result) {
  for (int64_t c = 0; c < width; ++c) {
    T all = rows[c];
    for (int64_t h = 1; h < height; ++h)
      all += rows[h * stride + c];
    result[c] += all;
  }
}

template <int64_t height, typename T>
void addSquares(const T *rows, int64_t stride, int64_t width, const T *__restrict center, T *__restrict result) {
  for (int64_t c = 0; c < width; ++c) {
    T all = 0;
    for (int64_t h = 0; h < height; ++h) {
      T difference = rows[h * stride + c] - center[c];
      all += difference * difference;
    }
    result[c] += all;
  }
}

template <int64_t height, typename T>
void addRows(const Columns<T> &part, const T *rows, T *sums, T *squares) {
  if (sums)
    addSums<height>(rows, part.stride, part.width, sums);
  if (part.highest)
    addExtremes<height>(rows, part.stride, part.width, part.highest, part.lowest);
  if (squares)
    addSquares<height>(rows, part.stride, part.width, part.center, squares);
}

template <typename T>
void add(const Columns<T> &part) {
  T *sums = part.sums ? part.workspace : nullptr, *squares = part.squares ? part.workspace + part.width : nullptr;
  for (int64_t begin = 0; begin < part.rows; begin += kTerms) {
    int64_t end = std::min(begin + kTerms, part.rows), row = begin;
    std::fill_n(part.workspace, 2 * part.width, T(0));
    for (; row + kRowsAtOnce <= end; row += kRowsAtOnce)
      addRows<kRowsAtOnce>(part, part.x + row * part.stride, sums, squares);
    for (; row < end; ++row)
      addRows<1>(part, part.x + row * part.stride, sums, squares);
    for (auto [of, all] : {std::pair(sums, part.sums), std::pair(squares, part.squares)})
      for (int64_t c = 0; all && c < part.width; ++c)
        all[c] += of[c];
  }
}

template void add(const Columns<float> &part);
template void add(const Columns<double> &part);

} // namespace dovetail::blas::DOVETAIL_VARIANT
