// What the library computes.
#ifndef DOVETAIL_BLAS_FUNCTIONS_H
#define DOVETAIL_BLAS_FUNCTIONS_H

#include "Call.h"

namespace dovetail::blas {

/// Each computes the part of a workgroup.
void computeProduct(const Call &call);
void computeWindows(const WindowsCall &call);
void computeCholesky(const MatricesCall<1, 1> &call);
void computeLu(const MatricesCall<1, 3> &call);
void computeQr(const MatricesCall<1, 2> &call);
void computeReflections(const MatricesCall<1, 2> &call);
void computeEigenvectors(const MatricesCall<1, 2> &call);
void computeEigenvalues(const MatricesCall<1, 1> &call);
void computeSingularVectors(const MatricesCall<1, 3> &call);
void computeSingularValues(const MatricesCall<1, 1> &call);
void solveTriangular(const MatricesCall<2, 1> &call);
void solveLu(const MatricesCall<3, 1> &call);
void scatter(const ScatterCall &call);
void gather(const GatherCall &call);
void computeChirp(const ChirpCall &call);
void transpose(const TransposeCall &call);
void sort(const SortCall &call);
void computeRunning(const RunningCall &call);
template <int numResults>
void computeColumns(const ColumnsCall<numResults> &call);

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_FUNCTIONS_H
