// Products of a large matrix and a few rows or columns, of which most of the time goes into reading the matrix.
#ifndef DOVETAIL_BLAS_NARROW_H
#define DOVETAIL_BLAS_NARROW_H

#include <cstdint>

namespace dovetail::blas {

/// How many rows or columns are few.
constexpr int kMostNarrow = 15;

/// result[r, j] = sum over k of few[r, k] matrix[j, k], for r < `narrow` and j < `wide`.
template <typename T>
struct NarrowProduct {
  int narrow, wide, terms;
  /// Rows of `terms` elements, one behind the other.
  const T *few;
  /// Element [j, k] is at j + k `stride`, or at j `stride` + k.
  const T *matrix;
  bool isByTerms;
  int64_t stride;
  T *result;
  int64_t narrowStride, wideStride;
};

/// Computes it on the calling thread, with the vectors of this processor.
void computeNarrow(const NarrowProduct<float> &product);
void computeNarrow(const NarrowProduct<double> &product);

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_NARROW_H
