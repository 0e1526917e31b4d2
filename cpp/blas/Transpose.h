// Transposes of blocks of arrays.
#ifndef DOVETAIL_BLAS_TRANSPOSE_H
#define DOVETAIL_BLAS_TRANSPOSE_H

#include <cstdint>

namespace dovetail::blas {

/// A block of elements of `bytes`, which may be 1, 2, 4, 8 or 16: its rows are `from` elements apart in `x`, its
/// columns `to` elements in the result.
struct Block {
  const char *x;
  char *result;
  int64_t bytes, rows, columns, from, to;
  /// Whether the result is written past the caches where it may be.
  bool isStreamed;
};

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_TRANSPOSE_H
