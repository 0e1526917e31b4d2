"""The results of functions that return several arrays, named as in NumPy."""

from __future__ import annotations

from typing import NamedTuple

from dovetail.arrays.array import Array


class EigResult(NamedTuple):
    """Eigenvalues, and eigenvectors as columns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Eigenvalues, and orthonormal eigenvectors as columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """A factor with orthonormal columns, and an upper triangular one."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """A determinant's sign or phase, and the logarithm of its magnitude."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors as columns, singular values, and right singular vectors as rows."""

    U: Array
    S: Array
    Vh: Array
