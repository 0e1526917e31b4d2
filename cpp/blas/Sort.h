// Sorting by networks: what the code for each kind of processor shares.
#ifndef DOVETAIL_BLAS_SORT_H
#define DOVETAIL_BLAS_SORT_H

#include "Call.h"
#include "Parts.h"

namespace dovetail::blas {

/// The length of runs of keys is a multiple of this.
template <typename T>
constexpr int64_t kSortUnit = 256 / sizeof(T);

/// Sorted runs, and where the first `size` keys of both together go. With `skipped`, the first unit does not: it is
/// that of another part of the same merger.
template <typename T>
struct Runs {
  const T *first, *firstEnd, *second, *secondEnd;
  T *result;
  int64_t size;
  bool skipped;
};

/// What elements there are whose order the keys don't have.
enum KeysOf : int64_t { kHasNegativeZero = 1, kHasNan = 2 };

struct KeyRange {
  uint32_t least, greatest;
};

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_SORT_H
