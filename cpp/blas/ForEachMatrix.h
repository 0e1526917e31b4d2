// Batches of matrices whose matrices threads compute.
#ifndef DOVETAIL_BLAS_FOREACHMATRIX_H
#define DOVETAIL_BLAS_FOREACHMATRIX_H

#include "Functions.h"
#include "Parts.h"
#include "Routines.h"
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace dovetail::blas {

/// Products of elements below which one thread takes less time than several: for matrices of about 300 rows and
/// columns.
constexpr double kLeastForThreads = 3e7;

/// Computes each matrix of this workgroup's part of a batch, given its number. A single matrix is one workgroup's, and
/// routines may use threads of their own if it is large.
template <typename Compute>
void forEachMatrix(const Matrices &numbers, Compute compute) {
  Range range = partOf(numbers.batch, std::min(numbers.groups, std::max<int64_t>(numbers.batch, 1)), numbers.group);
  if (numbers.group >= numbers.batch || range.size() <= 0)
    return;
  std::optional<OnThisThread> guard;
  if (numbers.batch > 1 ||
      double(numbers.rows) * numbers.columns * std::min(numbers.rows, numbers.columns) < kLeastForThreads)
    guard.emplace();
  for (int64_t i = range.begin; i < range.end; ++i)
    compute(i);
}

template <typename T>
inline const T kNan = T(std::numeric_limits<double>::quiet_NaN());

template <typename T>
void conjugate(T *, int64_t) {}
template <typename T>
void conjugate(std::complex<T> *x, int64_t size) {
  std::transform(x, x + size, x, [](std::complex<T> each) { return std::conj(each); });
}

/// Writes the transpose of a matrix in memory, on one thread or on those of the team.
template <typename T>
void transpose(const T *from, T *to, int64_t rows, int64_t columns, bool isOnTeam = false) {
  const Moved one = {1, 0, 0};
  transpose({{reinterpret_cast<const char *>(from), 0},
             {reinterpret_cast<char *>(to), 0},
             int64_t(sizeof(T)),
             {one, one},
             {rows, columns, 1},
             {columns, 1, rows},
             isOnTeam ? 0 : 1});
}

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_FOREACHMATRIX_H
