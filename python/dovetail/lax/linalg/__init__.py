"""Factorizations of matrices and solutions of linear equations, under JAX's names; leading
dimensions are a batch.
"""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.lax.linalg.equations import triangular_solve, tridiagonal_solve
from dovetail.lax.linalg.factorizations import (
    cholesky,
    cholesky_update,
    hessenberg,
    householder_product,
    lu,
    lu_pivots_to_permutation,
    ormqr,
    qr,
    symmetric_product,
    tridiagonal,
)
from dovetail.lax.linalg.polar import qdwh
from dovetail.lax.linalg.spectra import (
    EighImplementation,
    EigImplementation,
    SvdAlgorithm,
    eig,
    eigh,
    schur,
    svd,
)

_eager.remember(globals())
