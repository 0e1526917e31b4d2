// Fourier transforms of rows of any length, as convolutions with a chirp.
#ifndef DOVETAIL_BLAS_CHIRP_H
#define DOVETAIL_BLAS_CHIRP_H

#include <cstdint>
#include <vector>

namespace dovetail::blas {

/// What the transforms of one length share; complex numbers as real and imaginary part. With c[k] = exp(-i pi k^2 / n),
/// ans[j] = c[j] (sum over k of x[k] c[k] conj(c[j - k])): a convolution, which transforms of a power of two, at least
/// 2 n - 1, compute (L. I. Bluestein, A linear filtering approach to the computation of discrete Fourier transform,
/// 1970).
template <typename T>
struct ChirpTables {
  int64_t length, size;
  std::vector<T> chirp, filter, roots;
};

/// The tables of a length, which are made once.
template <typename T>
const ChirpTables<T> &chirpTables(int64_t length, bool isInverse);

/// Rows of `length` numbers, one after the other.
template <typename T>
struct ChirpRows {
  const ChirpTables<T> *tables;
  const T *x;
  T *result;
  int64_t rows;
  bool isFromReal, isToReal;
  T scale;
};

/// Transforms them on the calling thread, with the vectors of this processor, each of which has an element of several
/// rows.
void transformRows(const ChirpRows<float> &rows);
void transformRows(const ChirpRows<double> &rows);

/// How many rows are transformed together.
template <typename T>
constexpr int64_t kRowsTogether = 64 / sizeof(T);

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_CHIRP_H
