// Running reductions of rows: what the code for each kind of processor shares.
#ifndef DOVETAIL_BLAS_RUNNING_H
#define DOVETAIL_BLAS_RUNNING_H

#include "Call.h"

namespace dovetail::blas {

/// Rows one after the other, at least as many as vectors have lanes. See RunningCall.
struct RunningRows {
  const char *x;
  char *result;
  RunningElement element;
  bool isProduct, isWide, isReverse;
  int64_t rows, length;
};

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_RUNNING_H
