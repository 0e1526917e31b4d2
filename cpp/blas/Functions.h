// What the library computes.
#ifndef DOVETAIL_BLAS_FUNCTIONS_H
#define DOVETAIL_BLAS_FUNCTIONS_H

#include "Call.h"

namespace dovetail::blas {

/// Each computes the part of a workgroup.
void computeProduct(const Call &call);
void computeCholesky(const CholeskyCall &call);
void computeLu(const LuCall &call);
void solveTriangular(const TriangularSolveCall &call);
void solveLu(const LuSolveCall &call);

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_FUNCTIONS_H
