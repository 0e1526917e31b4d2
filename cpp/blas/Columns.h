// Reductions of the columns of a matrix, several at once.
#ifndef DOVETAIL_BLAS_COLUMNS_H
#define DOVETAIL_BLAS_COLUMNS_H

#include <cstdint>
#include <limits>
#include <utility>

namespace dovetail::blas {

template <typename T>
struct OrderedOf;
template <>
struct OrderedOf<float> {
  using Type = int32_t;
};
template <>
struct OrderedOf<double> {
  using Type = int64_t;
};
/// Integers in the order of the numbers: the negative zero is below the positive one, and NaNs are above or below all
/// numbers, by their sign.
template <typename T>
using Ordered = typename OrderedOf<T>::Type;

/// The integer of a number with these bits, and the other way around.
template <typename Integer>
inline Integer orderedOf(Integer bits) {
  return bits ^ ((bits >> (8 * sizeof(Integer) - 1)) & std::numeric_limits<Integer>::max());
}

/// What is reduced: `rows` rows of `width` elements, `stride` apart. Adds them to arrays of this width, null for what
/// is not computed; `squares` are those of differences to `center`.
template <typename T>
struct Columns {
  const T *x, *center;
  int64_t rows, width, stride;
  double *sums, *squares;
  /// Both or none.
  Ordered<T> *highest, *lowest;
  /// Memory of twice the width.
  T *workspace;
};

/// Computes it on the calling thread, with the vectors of this processor.
void addColumns(const Columns<float> &columns);
void addColumns(const Columns<double> &columns);

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_COLUMNS_H
