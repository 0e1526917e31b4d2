// The code of narrow products: see Variants.h.
#include "Narrow.h"
#include <algorithm>
#include <cstring>
#include <vector>

namespace dovetail::blas::DOVETAIL_VARIANT {

/// Terms that are added up in the type of the elements, before their sum is added to others in f64.
constexpr int kBlock = 256;

//===- Matrices by terms ---------------------------------------------------------===//

/// Adds `count` terms of `width` columns to the sums of each row.
template <typename T>
void addTerms(const NarrowProduct<T> &product, int k, int count, int j, int width, T *__restrict sums) {
  const T *rows = product.matrix + k * product.stride + j;
  for (; count >= 4; count -= 4, k += 4, rows += 4 * product.stride) {
    // The next rows come while these are used.
    for (int h = 4; h < std::min(8, count); ++h)
      for (int i = 0; i < width; i += kLanes<T>)
        __builtin_prefetch(rows + h * product.stride + i);
    for (int r = 0; r < product.narrow; ++r) {
      const T *few = product.few + int64_t(r) * product.terms + k;
      const T a = few[0], b = few[1], c = few[2], d = few[3];
      const T *__restrict x = rows, *__restrict y = x + product.stride, *__restrict z = y + product.stride,
                          *__restrict w = z + product.stride;
      T *__restrict sum = sums + r * width;
      for (int i = 0; i < width; ++i)
        sum[i] += a * x[i] + b * y[i] + c * z[i] + d * w[i];
    }
  }
  for (; count > 0; --count, ++k, rows += product.stride)
    for (int r = 0; r < product.narrow; ++r) {
      const T a = product.few[int64_t(r) * product.terms + k];
      T *__restrict sum = sums + r * width;
      for (int i = 0; i < width; ++i)
        sum[i] += a * rows[i];
    }
}

/// As many columns at a time as the nearest cache holds sums of.
template <typename T>
void byTerms(const NarrowProduct<T> &product) {
  constexpr int most = 2048 / sizeof(T);
  std::vector<T> sums(product.narrow * most);
  std::vector<double> all(product.narrow * most);
  for (int j = 0; j < product.wide; j += most) {
    int width = std::min(most, product.wide - j), size = product.narrow * width;
    std::fill_n(all.begin(), size, 0.0);
    for (int k = 0; k < product.terms; k += kBlock) {
      std::fill_n(sums.begin(), size, T(0));
      addTerms(product, k, std::min(kBlock, product.terms - k), j, width, sums.data());
      for (int i = 0; i < size; ++i)
        all[i] += sums[i];
    }
    for (int r = 0; r < product.narrow; ++r)
      for (int i = 0; i < width; ++i)
        product.result[r * product.narrowStride + (j + i) * product.wideStride] = static_cast<T>(all[r * width + i]);
  }
}

//===- Matrices by rows ----------------------------------------------------------===//

/// Products of `height` rows of the matrix, from j on, with `count` of the few, from r on.
template <int height, int count, typename T>
void multiplyRows(const NarrowProduct<T> &product, int j, int r) {
  constexpr int lanes = kLanes<T>;
  const T *rows = product.matrix + j * product.stride, *few = product.few + int64_t(r) * product.terms;
  double sums[height][count] = {};
  int begin = 0;
  for (int whole = product.terms / lanes * lanes; begin < whole;) {
    // Each lane adds as many terms as a block has.
    int end = std::min(begin + kBlock * lanes, whole);
    Vector<T> parts[height][count] = {}, x[height], y;
    for (int k = begin; k < end; k += lanes) {
      for (int h = 0; h < height; ++h)
        std::memcpy(&x[h], rows + h * product.stride + k, sizeof(y));
      for (int i = 0; i < count; ++i) {
        std::memcpy(&y, few + int64_t(i) * product.terms + k, sizeof(y));
        for (int h = 0; h < height; ++h)
          parts[h][i] += x[h] * y;
      }
    }
    for (int h = 0; h < height; ++h)
      for (int i = 0; i < count; ++i)
        sums[h][i] += sumOf<T>(parts[h][i]);
    begin = end;
  }
  for (int h = 0; h < height; ++h)
    for (int i = 0; i < count; ++i) {
      for (int k = begin; k < product.terms; ++k)
        sums[h][i] += double(rows[h * product.stride + k]) * few[int64_t(i) * product.terms + k];
      product.result[(r + i) * product.narrowStride + (j + h) * product.wideStride] = static_cast<T>(sums[h][i]);
    }
}

template <int height, typename T>
void byRowsFrom(const NarrowProduct<T> &product, int j) {
  int r = 0;
  for (; r + 4 <= product.narrow; r += 4)
    multiplyRows<height, 4>(product, j, r);
  if (r + 2 <= product.narrow) {
    multiplyRows<height, 2>(product, j, r);
    r += 2;
  }
  if (r < product.narrow)
    multiplyRows<height, 1>(product, j, r);
}

/// The few as rows of `vectors` vectors, one for each term.
template <int vectors, typename T>
std::vector<Vector<T>> byTerm(const NarrowProduct<T> &product) {
  std::vector<Vector<T>> few(size_t(product.terms) * vectors);
  for (int k = 0; k < product.terms; ++k)
    for (int r = 0; r < product.narrow; ++r)
      few[k * vectors + r / kLanes<T>][r % kLanes<T>] = product.few[int64_t(r) * product.terms + k];
  return few;
}

/// Products of `height` rows of the matrix, from j on, with all of the few at once: a lane for each.
template <int height, int vectors, typename T>
void multiplyByEach(const NarrowProduct<T> &product, const Vector<T> *few, int j) {
  const T *rows = product.matrix + j * product.stride;
  double sums[height][vectors * kLanes<T>] = {};
  for (int begin = 0; begin < product.terms; begin += kBlock) {
    int end = std::min(begin + kBlock, product.terms);
    Vector<T> parts[height][vectors] = {};
    for (int k = begin; k < end; ++k)
      for (int h = 0; h < height; ++h)
        for (int v = 0; v < vectors; ++v)
          parts[h][v] += rows[h * product.stride + k] * few[k * vectors + v];
    for (int h = 0; h < height; ++h)
      for (int i = 0; i < vectors * kLanes<T>; ++i)
        sums[h][i] += parts[h][i / kLanes<T>][i % kLanes<T>];
  }
  for (int h = 0; h < height; ++h)
    for (int r = 0; r < product.narrow; ++r)
      product.result[r * product.narrowStride + (j + h) * product.wideStride] = static_cast<T>(sums[h][r]);
}

template <int vectors, typename T>
void byEach(const NarrowProduct<T> &product) {
  constexpr int height = 8;
  std::vector<Vector<T>> few = byTerm<vectors>(product);
  int j = 0;
  for (; j + height <= product.wide; j += height)
    multiplyByEach<height, vectors>(product, few.data(), j);
  for (; j < product.wide; ++j)
    multiplyByEach<1, vectors>(product, few.data(), j);
}

/// Whether rows are so short that adding up the lanes, about eight steps for each number, would take longer than what
/// lanes without one of the few waste.
template <typename T>
bool areShort(const NarrowProduct<T> &product) {
  constexpr int lanes = kLanes<T>;
  int vectors = (product.narrow + lanes - 1) / lanes, left = product.terms % lanes;
  return product.terms * vectors < product.narrow * (product.terms / lanes + 8 + 2 * left);
}

template <typename T>
void byRows(const NarrowProduct<T> &product) {
  if (areShort(product))
    return product.narrow <= kLanes<T> ? byEach<1>(product) : byEach<2>(product);
  constexpr int height = 4;
  int j = 0;
  for (; j + height <= product.wide; j += height)
    byRowsFrom<height>(product, j);
  for (; j < product.wide; ++j)
    byRowsFrom<1>(product, j);
}

template <typename T>
void compute(const NarrowProduct<T> &product) {
  product.isByTerms ? byTerms(product) : byRows(product);
}

template void compute(const NarrowProduct<float> &product);
template void compute(const NarrowProduct<double> &product);

} // namespace dovetail::blas::DOVETAIL_VARIANT
