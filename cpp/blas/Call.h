// What compiled programs pass to the library of products.
#ifndef DOVETAIL_BLAS_CALL_H
#define DOVETAIL_BLAS_CALL_H

#include "cpp/plugin/Plugin.h"

namespace dovetail::blas {

/// The function of the library that programs import.
inline constexpr const char *kImport = "dovetail_product";

enum class Element : int64_t { Float32, Float64, Complex64, Complex128 };

/// How operands are stored: the left one as [rows, terms] or, transposed, as [terms, rows], the right one as [terms,
/// columns] or [columns, terms].
struct Layout {
  bool isLeftTransposed, isRightTransposed;

  static Layout of(int64_t bits) { return {(bits & 1) != 0, (bits & 2) != 0}; }
  int64_t bits() const { return isLeftTransposed | isRightTransposed << 1; }
};

/// The arguments of a call: products of `batch` pairs of matrices, of which each workgroup computes a part.
struct Call {
  plugin::Place<const char> left, right;
  plugin::Place<char> result;
  int64_t element, layout, batch, rows, columns, terms, groups, group;
};

/// How many numbers a call has, without the last, which differs between workgroups.
constexpr unsigned kNumNumbers = 7;

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_CALL_H
