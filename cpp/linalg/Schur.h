// Schur forms: triangular matrices that square ones are similar to, and the iterations that find them.
#ifndef DOVETAIL_LINALG_SCHUR_H
#define DOVETAIL_LINALG_SCHUR_H

#include "Algebra.h"

namespace dovetail {

/// Q^H A Q, zero below the first subdiagonal, where the vectors of the reflections of Q are stored.
struct Hessenberg {
  mlir::Value packed, taus;
};

/// Reflections from both sides, column by column (Golub & Van Loan 7.4.3; LAPACK's gehd2).
Hessenberg reduceToHessenberg(Algebra &e, mlir::Value a);

/// A matrix z t z^H; z is null unless wanted.
struct Schur {
  mlir::Value t, z;
};

/// The element below the diagonal in each column of a Hessenberg matrix, 0 in the last; and the matrix with another
/// such diagonal.
mlir::Value subdiagonalOf(Algebra &e, mlir::Value h);
mlir::Value withSubdiagonal(Algebra &e, mlir::Value h, mlir::Value below);

/// Steps on a Hessenberg matrix t, whose subdiagonal is `below`, and on z, if that is wanted.
struct Iteration {
  /// True where an element of the subdiagonal is not negligible.
  llvm::function_ref<mlir::Value(Algebra &e, mlir::Value below)> isOpen;
  /// One similarity transformation; with unusual shifts if no eigenvalue has converged for a while.
  llvm::function_ref<Schur(Algebra &e, Schur now, mlir::Value below, mlir::Value isStuck)> step;
};

/// Steps until all elements below the diagonal are negligible. After each step, negligible elements are set to 0.
Schur iterate(Algebra &e, Schur start, Iteration iteration);

/// The form of a complex Hessenberg matrix, in which t is triangular.
Schur complexSchur(Algebra &e, Schur start);

/// The form of a real one, in which t has blocks of at most two rows on its diagonal: those of pairs of conjugate
/// eigenvalues, in the form of LAPACK's lanv2.
Schur realSchur(Algebra &e, Schur start);

/// Converts a real Schur form to the complex one, whose t is triangular.
Schur complexOfReal(Algebra &e, Schur form);

/// The Schur form of a square matrix.
Schur schurOf(Algebra &e, mlir::Value a, bool hasVectors);

} // namespace dovetail

#endif // DOVETAIL_LINALG_SCHUR_H
