// Routines of BLAS and LAPACK.
#ifndef DOVETAIL_BLAS_ROUTINES_H
#define DOVETAIL_BLAS_ROUTINES_H

#include "Call.h"
#include <complex>
#include <mutex>

namespace dovetail::blas {

/// The routines as Fortran has them, for matrices by columns.
template <typename T>
struct Routines {
  void (*gemm)(const char *transA, const char *transB, const int *m, const int *n, const int *k, const T *alpha,
               const T *a, const int *lda, const T *b, const int *ldb, const T *beta, T *c, const int *ldc);
  void (*gemv)(const char *trans, const int *m, const int *n, const T *alpha, const T *a, const int *lda, const T *x,
               const int *incx, const T *beta, T *y, const int *incy);
  void (*trsm)(const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
               const T *alpha, const T *a, const int *lda, T *b, const int *ldb);
  void (*potrf)(const char *uplo, const int *n, T *a, const int *lda, int *info);
  void (*getrf)(const int *m, const int *n, T *a, const int *lda, int *pivots, int *info);
  void (*geqrf)(const int *m, const int *n, T *a, const int *lda, T *taus, T *work, const int *lwork, int *info);
  void (*orgqr)(const int *m, const int *n, const int *k, T *a, const int *lda, const T *taus, T *work,
                const int *lwork, int *info);
  void (*gelqf)(const int *m, const int *n, T *a, const int *lda, T *taus, T *work, const int *lwork, int *info);
  void (*orglq)(const int *m, const int *n, const int *k, T *a, const int *lda, const T *taus, T *work,
                const int *lwork, int *info);
  // These two have an array of real numbers more for complex elements.
  void *syevd;
  void *gesdd;
};

/// A routine's names without the letter of the type: for real elements, and for complex ones.
struct RoutineName {
  const char *real, *complex;
};
inline constexpr RoutineName kRoutines[] = {
    {"gemm", "gemm"},   {"gemv", "gemv"},   {"trsm", "trsm"},   {"potrf", "potrf"},
    {"getrf", "getrf"}, {"geqrf", "geqrf"}, {"orgqr", "ungqr"}, {"gelqf", "gelqf"},
    {"orglq", "unglq"}, {"syevd", "heevd"}, {"gesdd", "gesdd"},
};
/// The letters, in the order of `Element`.
inline constexpr const char *kTypes = "sdcz";

/// The routines for a type of elements. All have been set if this returns true.
bool hasRoutines();
template <typename T>
const Routines<T> &routines();

/// Calls a generic function with a null pointer to the type of the elements.
template <typename Compute>
void forElement(int64_t element, Compute compute) {
  switch (Element(element)) {
  case Element::Float32:
    return compute(static_cast<float *>(nullptr));
  case Element::Float64:
    return compute(static_cast<double *>(nullptr));
  case Element::Complex64:
    return compute(static_cast<std::complex<float> *>(nullptr));
  case Element::Complex128:
    return compute(static_cast<std::complex<double> *>(nullptr));
  }
}

/// Whether the BLAS can be kept from using threads of its own.
bool canBeOnThisThread();

/// Keeps the BLAS from using threads of its own while the runtime's compute: they wait for their next task without
/// sleeping, and would keep the runtime's from the processors.
class OnThisThread {
public:
  OnThisThread();
  ~OnThisThread();
  OnThisThread(const OnThisThread &) = delete;
  OnThisThread &operator=(const OnThisThread &) = delete;
};

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_ROUTINES_H
