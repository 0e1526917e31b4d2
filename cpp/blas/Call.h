// What compiled programs pass to the library.
#ifndef DOVETAIL_BLAS_CALL_H
#define DOVETAIL_BLAS_CALL_H

#include "cpp/plugin/Plugin.h"

namespace dovetail::blas {

/// How the names of the functions of the library begin that programs import.
inline constexpr const char *kPrefix = "dovetail_blas_";

/// The names of these functions, without the prefix.
inline constexpr const char *kProduct = "product", *kWindows = "windows", *kCholesky = "cholesky", *kLu = "lu",
                            *kQr = "qr", *kGeqrf = "geqrf", *kEigh = "eigh", *kEigvalsh = "eigvalsh", *kSvd = "svd",
                            *kSvdvals = "svdvals", *kTriangularSolve = "triangular_solve", *kLuSolve = "lu_solve",
                            *kScatter = "scatter", *kGather = "gather";

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

/// How matrices by rows follow each other: the distances, in elements, of their rows, of those of one batch, and of
/// those that are added up.
struct Strides {
  int64_t row, batch, tap;
};

/// The arguments of a call: sums of `taps` products of matrices, for each of a batch. Matrices may overlap, as windows
/// of one array do. Each workgroup computes a part.
struct WindowsCall {
  plugin::Place<const char> left, right;
  plugin::Place<char> result;
  int64_t element, batch, rows, columns, terms, taps;
  Strides leftStrides, rightStrides;
  int64_t groups, group;
};

/// How many numbers that has, without the last.
constexpr unsigned kNumWindowsNumbers = 13;

/// What is solved with a triangular matrix: as the dialect's op has it, with the matrix on the left.
struct Triangle {
  bool isLeft, isLower, isTransposed, isConjugated, hasUnitDiagonal;

  static Triangle of(int64_t bits) {
    return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
  }
  int64_t bits() const { return isLeft | isLower << 1 | isTransposed << 2 | isConjugated << 3 | hasUnitDiagonal << 4; }
};

/// The numbers of functions of a batch of matrices, for which the last differs between workgroups. `rows` and `columns`
/// are those of the right sides, or of the matrix if there are none; `flags` are a `Triangle`, whether the matrix of an
/// LU factorization is transposed, or whether the factors of other factorizations are whole, with all rows and columns.
struct Matrices {
  int64_t element, flags, batch, rows, columns, groups, group;
};

/// How many numbers those have, without the last.
constexpr unsigned kNumMatricesNumbers = 6;

/// The arguments of a call for a batch of matrices: the op's operands and results, one matrix or vector after the
/// other.
template <int numOperands, int numResults>
struct MatricesCall {
  plugin::Place<const char> operands[numOperands];
  plugin::Place<char> results[numResults];
  Matrices numbers;

  /// Operand or result i, of which each matrix of the batch has `size` elements.
  template <typename T>
  const T *operand(int i, int64_t matrix, int64_t size) const {
    return reinterpret_cast<const T *>(operands[i].get()) + matrix * size;
  }
  template <typename T>
  T *result(int i, int64_t matrix, int64_t size) const {
    return reinterpret_cast<T *>(results[i].get()) + matrix * size;
  }
};

/// How rows are changed: replaced, or added to as elements of a type are.
enum class Update : int64_t { Replace, AddFloat32, AddFloat64, AddInt8, AddInt16, AddInt32, AddInt64 };

/// The arguments of a call: `result`, which has `numRows` rows of `rowBytes`, is changed by each of `updates`, of
/// `width` bytes, from the row on whose number is in `rows`; one that is not within the array is left out. Each
/// workgroup changes a part.
struct ScatterCall {
  plugin::Place<const int32_t> rows;
  plugin::Place<const char> updates;
  plugin::Place<char> result;
  int64_t update, numUpdates, numRows, rowBytes, width, groups, group;
};

/// The arguments of a call: `numResults` rows of `width` bytes, those of `x` with the numbers in `rows`; zeros for a
/// row that is not within the `numRows`. Each workgroup reads a part.
struct GatherCall {
  plugin::Place<const int32_t> rows;
  plugin::Place<const char> x;
  plugin::Place<char> result;
  int64_t numResults, numRows, width, groups, group;
};

/// The names of functions that reduce columns, by the number of their results.
inline constexpr const char *kColumns[] = {"columns_1", "columns_2", "columns_3"};

/// What they compute: the results are in this order. Squares are those of differences to `center`.
enum ColumnReduction : int64_t { kColumnSums = 1, kColumnMaxima = 2, kColumnMinima = 4, kColumnSquares = 8 };

/// The arguments of a call by one workgroup: `outer` matrices of so many rows and columns, of f32 or f64, and a row for
/// each of them; each result is a row for each, too.
template <int numResults>
struct ColumnsCall {
  plugin::Place<const char> x, center;
  plugin::Place<char> results[numResults];
  int64_t element, kinds, outer, rows, columns, threads;
};

/// How many numbers a call has.
constexpr unsigned kNumColumnsNumbers = 6;

/// The name of the function that moves the elements of arrays in memory.
inline constexpr const char *kTranspose = "transpose";

/// A dimension of an array that is transposed: its size, and the distances of its elements before and after.
struct Moved {
  int64_t size, from, to;
};

/// The arguments of a call by one workgroup: elements of `bytes` each. Those along `rows` are next to each other in the
/// result, those along `columns` in `x`; `outer` are other dimensions.
struct TransposeCall {
  plugin::Place<const char> x;
  plugin::Place<char> result;
  int64_t bytes;
  Moved outer[2], rows, columns;
  int64_t threads;
};

/// How many numbers a call has.
constexpr unsigned kNumTransposeNumbers = 14;

/// The name of the function that transforms rows whose length has large prime factors.
inline constexpr const char *kChirp = "chirp";

enum ChirpFlag : int64_t { kChirpInverse = 1, kChirpFromReal = 2, kChirpToReal = 4, kChirpScaled = 8 };

/// The arguments of a call by one workgroup: `rows` rows of `length` numbers, complex ones of the element type or, by
/// the flags, real ones; results may be divided by the length.
struct ChirpCall {
  plugin::Place<const char> x;
  plugin::Place<char> result;
  int64_t element, flags, rows, length, threads;
};

/// How many numbers a call has, and the longest rows and the fewest that the function is for.
constexpr unsigned kNumChirpNumbers = 5;
constexpr int64_t kLongestChirp = 4096, kFewestChirpRows = 8;

/// The name of the function that sorts rows.
inline constexpr const char *kSort = "sort";

/// How the elements that are sorted are ordered. -0 equals 0, and NaNs are last.
enum class SortElement : int64_t { Float, Signed, Unsigned };

/// The arguments of a call by one workgroup: `rows` rows of `size` elements of 4 or 8 bytes, which are sorted or, with
/// `places`, their places in the row, as numbers of 32 bits, if they have 4 bytes. Equal elements keep their order.
struct SortCall {
  plugin::Place<const char> x;
  plugin::Place<char> result;
  int64_t element, bytes, places, descending, rows, size, threads;
};

/// How many numbers a call has.
constexpr unsigned kNumSortNumbers = 7;

/// The name of the function for running sums and products of rows.
inline constexpr const char *kRunning = "running";

enum class RunningElement : int64_t { Float32, Float64, Int32, Int64 };
enum RunningFlag : int64_t { kRunningProducts = 1, kRunningWide = 2, kRunningReverse = 4 };

/// The arguments of a call by one workgroup: each element of `rows` rows is replaced by its sum or product with those
/// before it, or after it, in the row. Those of f32 may be accumulated in f64.
struct RunningCall {
  plugin::Place<const char> x;
  plugin::Place<char> result;
  int64_t element, flags, rows, length, threads;
};

/// How many numbers a call has, and the fewest rows that the function is for.
constexpr unsigned kNumRunningNumbers = 5;
constexpr int64_t kFewestRunningRows = 16;

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_CALL_H
