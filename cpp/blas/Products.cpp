// Products of matrices.
#include "Functions.h"
#include "Narrow.h"
#include "Parts.h"
#include "Routines.h"
#include "Team.h"
#include <algorithm>
#include <type_traits>
#include <vector>

namespace dovetail::blas {

namespace {

template <typename T>
struct WideOf {
  using Type = double;
};
template <typename T>
struct WideOf<std::complex<T>> {
  using Type = std::complex<double>;
};
/// The type with the parts of elements in f64.
template <typename T>
using Wide = typename WideOf<T>::Type;

/// Products of elements of a type.
template <typename T>
class Product {
public:
  void run(const Call &call) const {
    auto left = reinterpret_cast<const T *>(call.left.get()), right = reinterpret_cast<const T *>(call.right.get());
    auto result = reinterpret_cast<T *>(call.result.get());
    computeParts(call, call.terms, [&](const Part &part) {
      for (int64_t i = part.batch.begin; i < part.batch.end; ++i)
        multiply(call, part, left + i * call.rows * call.terms, right + i * call.terms * call.columns,
                 result + i * call.rows * call.columns);
    });
  }

  /// The first product of a sum overwrites the result, and the others are added to it.
  void run(const WindowsCall &call) const {
    auto left = reinterpret_cast<const T *>(call.left.get()), right = reinterpret_cast<const T *>(call.right.get());
    auto result = reinterpret_cast<T *>(call.result.get());
    const Strides &l = call.leftStrides, &r = call.rightStrides;
    const int terms = call.terms, resultStride = call.columns, leftStride = l.row, rightStride = r.row;
    computeParts(call, call.terms * call.taps, [&](const Part &part) {
      const int rows = part.rows.size(), columns = part.columns.size();
      for (int64_t i = part.batch.begin; i < part.batch.end; ++i)
        for (int64_t tap = 0; tap < call.taps; ++tap) {
          const T one = 1, sum = tap == 0 ? 0 : 1;
          routine.gemm("N", "N", &columns, &rows, &terms, &one, right + i * r.batch + tap * r.tap + part.columns.begin,
                       &rightStride, left + i * l.batch + tap * l.tap + part.rows.begin * l.row, &leftStride, &sum,
                       result + (i * call.rows + part.rows.begin) * call.columns + part.columns.begin, &resultStride);
        }
    });
  }

private:
  const Routines<T> &routine = routines<T>();

  /// Computes the parts of a call of sums of `terms` products: outside of the runtime's threads, the first workgroup
  /// all of them, with the team; otherwise each workgroup its own.
  template <typename Call, typename Compute>
  static void computeParts(const Call &call, int64_t terms, Compute compute) {
    // Fewer products are not worth a thread.
    constexpr double least = 1 << 17;
    double work = double(call.batch) * call.rows * call.columns * terms;
    bool isTeams = call.groups > 1 && isOutsideRuntime();
    int64_t most = !canBeOnThisThread() ? 1 : isTeams ? 2 * teamSize() : call.groups;
    int64_t parts = std::min<int64_t>(most, std::max(1.0, work / least));
    if (call.group >= (isTeams ? 1 : parts))
      return;
    auto computePart = [&](int64_t i) {
      Part part = partOf(call.batch, call.rows, call.columns, parts, i);
      if (!part.isEmpty())
        compute(part);
    };
    OnThisThread guard;
    if (isTeams)
      forEachPart(parts, computePart);
    else
      computePart(call.group);
  }

  /// A block of the product of two matrices by rows. By columns, each is its transpose, and the result is the product
  /// of the transposes in reversed order.
  void multiply(const Call &call, const Part &part, const T *left, const T *right, T *result) const {
    Layout layout = Layout::of(call.layout);
    const int leftStride = layout.isLeftTransposed ? call.rows : call.terms,
              rightStride = layout.isRightTransposed ? call.terms : call.columns, resultStride = call.columns;
    left += part.rows.begin * (layout.isLeftTransposed ? 1 : leftStride);
    right += part.columns.begin * (layout.isRightTransposed ? rightStride : 1);
    result += part.rows.begin * resultStride + part.columns.begin;
    const int rows = part.rows.size(), columns = part.columns.size(), terms = call.terms;
    if (terms == 0) {
      for (int i = 0; i < rows; ++i)
        std::fill_n(result + int64_t(i) * resultStride, columns, T(0));
      return;
    }
    bool isLeftVector = call.rows == 1;
    if (isLeftVector || call.columns == 1) {
      const T *matrix = isLeftVector ? right : left, *vector = isLeftVector ? left : right;
      bool isTransposed = isLeftVector ? !layout.isRightTransposed : layout.isLeftTransposed;
      int stride = isLeftVector ? rightStride : leftStride, size = isLeftVector ? columns : rows;
      // Of a matrix whose rows are added up, each sum has all its terms one after the other.
      return inBlocks(terms, isTransposed ? 512 : 8192, 1, size, size, result, [&](int begin, int count, int, T *sums) {
        multiplyVector(isTransposed, size, count, matrix + int64_t(begin) * (isTransposed ? stride : 1), stride,
                       vector + begin, sums);
      });
    }
    if constexpr (std::is_floating_point_v<T>)
      if (std::min(call.rows, call.columns) <= kMostNarrow)
        return multiplyNarrow(layout, call.rows <= call.columns, rows, columns, terms, left, leftStride, right,
                              rightStride, result, resultStride);
    // OpenBLAS adds up the terms of small products one after the other, and those of large ones in blocks.
    int most = double(rows) * columns * terms < 2e6 ? 256 : 8192;
    inBlocks(terms, most, rows, columns, resultStride, result, [&](int begin, int count, int stride, T *sums) {
      const T one = 1, zero = 0;
      routine.gemm(layout.isRightTransposed ? "T" : "N", layout.isLeftTransposed ? "T" : "N", &columns, &rows, &count,
                   &one, right + int64_t(begin) * (layout.isRightTransposed ? 1 : rightStride), &rightStride,
                   left + int64_t(begin) * (layout.isLeftTransposed ? leftStride : 1), &leftStride, &zero, sums,
                   &stride);
    });
  }

  /// The product of a few rows and a matrix, or of a matrix and a few columns.
  void multiplyNarrow(Layout layout, bool areRows, int rows, int columns, int terms, const T *left, int leftStride,
                      const T *right, int rightStride, T *result, int resultStride) const {
    const T *few = areRows ? left : right;
    int narrow = areRows ? rows : columns, fewStride = areRows ? leftStride : rightStride;
    std::vector<T> packed;
    bool isByTerms = areRows ? layout.isLeftTransposed : !layout.isRightTransposed;
    if (isByTerms || fewStride != terms) {
      packed.resize(size_t(narrow) * terms);
      for (int r = 0; r < narrow; ++r)
        for (int k = 0; k < terms; ++k)
          packed[size_t(r) * terms + k] = few[isByTerms ? int64_t(k) * fewStride + r : int64_t(r) * fewStride + k];
      few = packed.data();
    }
    NarrowProduct<T> product = {narrow,
                                areRows ? columns : rows,
                                terms,
                                few,
                                areRows ? right : left,
                                areRows ? !layout.isRightTransposed : layout.isLeftTransposed,
                                areRows ? rightStride : leftStride,
                                result,
                                areRows ? resultStride : 1,
                                areRows ? 1 : resultStride};
    computeNarrow(product);
  }

  /// The product of a matrix by rows, [rows, columns] or transposed, and a vector.
  void multiplyVector(bool isTransposed, int rows, int columns, const T *matrix, int stride, const T *x, T *y) const {
    const T one = 1, zero = 0;
    const int step = 1, m = isTransposed ? rows : columns, n = isTransposed ? columns : rows;
    routine.gemv(isTransposed ? "N" : "T", &m, &n, &one, matrix, &stride, x, &step, &zero, y, &step);
  }

  /// Sums of many terms, by blocks of at most `most`, which are added in f64: errors do not grow with the number of
  /// terms. `compute` writes the sums of a block as a matrix whose rows are `stride` apart.
  template <typename Compute>
  static void inBlocks(int terms, int most, int rows, int columns, int resultStride, T *result, Compute compute) {
    if (terms <= most || std::is_same_v<T, Wide<T>>)
      return compute(0, terms, resultStride, result);
    size_t size = size_t(rows) * columns;
    std::vector<T> block(size);
    std::vector<Wide<T>> sums(size);
    for (int begin = 0; begin < terms; begin += most) {
      compute(begin, std::min(most, terms - begin), columns, block.data());
      for (size_t i = 0; i < size; ++i)
        sums[i] += Wide<T>(block[i]);
    }
    for (int i = 0; i < rows; ++i)
      std::copy_n(sums.begin() + size_t(i) * columns, columns, result + int64_t(i) * resultStride);
  }
};

} // namespace

void computeProduct(const Call &call) {
  forElement(call.element, [&](auto *type) { Product<std::remove_pointer_t<decltype(type)>>().run(call); });
}

void computeWindows(const WindowsCall &call) {
  forElement(call.element, [&](auto *type) { Product<std::remove_pointer_t<decltype(type)>>().run(call); });
}

} // namespace dovetail::blas
