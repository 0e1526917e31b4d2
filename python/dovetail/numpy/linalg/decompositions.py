"""Factorizations, eigenvalues and singular values."""

from __future__ import annotations

from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.lax.linalg import factorizations, spectra
from dovetail.lax.linalg.operands import adjoint, transposed
from dovetail.numpy.linalg.results import EighResult, EigResult, QRResult, SVDResult
from dovetail.numpy.promotion import inexact
from dovetail.numpy.taking import take_along_axis
from dovetail.ops.operands import ArrayLike


def cholesky(a: ArrayLike, *, upper: bool = False, symmetrize_input: bool = True) -> Array:
    """The triangular factors of positive definite matrices: a = l l^H, or a = u^H u.

    Args:
      a: Hermitian matrices, of shape (…, n, n).
      upper: whether to return u instead of l.
      symmetrize_input: whether to use (a + a^H) / 2 for a; otherwise only the lower triangle is
        read.

    Returns:
      An inexact array of that shape; NaN in the triangle of a matrix that is not positive definite.

    Raises:
      TypeError, ValueError: a is not an array of square matrices.

    Example:
      >>> cholesky(np.float32([[4, 2], [2, 2]]), upper=True)
      Array([[2., 1.],
             [0., 1.]], dtype=float32)
    """
    factor = factorizations.cholesky(inexact("cholesky", a), symmetrize_input=symmetrize_input)
    return adjoint(factor) if upper else factor


def qr(a: ArrayLike, mode: str = "reduced") -> Any:
    """The factors a = q r, q with orthonormal columns and r upper triangular.

    Args:
      a: matrices, of shape (…, m, n).
      mode: with k = min(m, n), `reduced` for q and r of shapes (…, m, k) and (…, k, n), `complete`
        for (…, m, m) and (…, m, n), `r` for r alone, `raw` for the transposed matrix as packed by
        LAPACK's geqrf and the factors of its reflections.

    Returns:
      A named tuple (Q, R), or r.

    Raises:
      ValueError: there is no such mode.

    Example:
      >>> qr(np.float32([[3], [4]]), "r")
      Array([[-5.]], dtype=float32)
    """
    array = inexact("qr", a)
    if mode == "raw":
        packed, taus = factorizations.geqrf(array)
        return QRResult(transposed(packed), taus)
    if mode not in ("reduced", "r", "full", "complete"):
        raise value_error(f"qr: mode must be 'reduced', 'complete', 'r' or 'raw', got: {mode!r}")
    q, r = factorizations.qr(array, full_matrices=mode == "complete")
    return r if mode == "r" else QRResult(q, r)


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    subset_by_index: tuple[int, int] | None = None,
) -> Any:
    """Singular values, and orthonormal singular vectors u and vh with a = u diag(s) vh.

    Args:
      a: matrices, of shape (…, m, n).
      full_matrices: whether u and vh are square.
      compute_uv: whether to return u and vh.
      hermitian: whether a is Hermitian, which is faster.
      subset_by_index: (begin, end) of the requested singular values, by default all.

    Returns:
      A named tuple (U, S, Vh), of shapes (…, m, m), (…, k) and (…, n, n), or with k = min(m, n) (…,
      m, k), (…, k) and (…, k, n); or s alone, real and not increasing. NaN if a is not finite.

    Example:
      >>> svd(np.float32([[3], [4]]), compute_uv=False)
      Array([5.], dtype=float32)
    """
    array = inexact("svd", a)
    if hermitian:
        return _hermitian_svd(array, compute_uv, subset_by_index)
    result = spectra.svd(
        array,
        full_matrices=full_matrices,
        compute_uv=compute_uv,
        subset_by_index=subset_by_index,
    )
    return SVDResult(*result) if compute_uv else result


def _hermitian_svd(a: Array, compute_uv: bool, subset: tuple[int, int] | None) -> Any:
    """Singular values are the magnitudes of eigenvalues."""
    v, w = spectra.eigh(a, subset_by_index=subset)
    last, s = w.ndim - 1, abs(w)
    if not compute_uv:
        return lax.rev(lax.sort(s, dimension=last), (last,))
    places = lax.broadcasted_iota("int32", s.shape, last)
    parts = lax.sort((s, places, lax.sign(w)), dimension=last, num_keys=1)
    s, places, sign = (lax.rev(x, (last,)) for x in parts)
    u = take_along_axis(v, lax.expand_dims(places, (-2,)), axis=-1)
    signs = lax.convert_element_type(lax.expand_dims(sign, (-2,)), u.dtype)
    return SVDResult(u, s, adjoint(u * signs))


def svdvals(x: ArrayLike, /) -> Array:
    """Singular values.

    Args:
      x: matrices, of shape (…, m, n).

    Returns:
      Real and not increasing, of shape (…, min(m, n)).

    Example:
      >>> svdvals(np.float32([[3], [4]]))
      Array([5.], dtype=float32)
    """
    return svd(x, compute_uv=False)


def eig(a: ArrayLike) -> EigResult:
    """Eigenvalues and right eigenvectors of square matrices.

    Args:
      a: matrices, of shape (…, n, n).

    Returns:
      A named tuple (eigenvalues, eigenvectors), complex of shapes (…, n) and (…, n, n): columns of
      norm 1. NaN if a is not finite.

    Example:
      >>> eig(np.float32([[0, 1], [-1, 0]])).eigenvalues
      Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    w, v = spectra.eig(inexact("eig", a), compute_left_eigenvectors=False)
    return EigResult(w, v)


def eigvals(a: ArrayLike) -> Array:
    """Eigenvalues of square matrices.

    Args:
      a: matrices, of shape (…, n, n).

    Returns:
      Complex, of shape (…, n); NaN if a is not finite.

    Example:
      >>> eigvals(np.float32([[0, 1], [-1, 0]]))
      Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    array = inexact("eigvals", a)
    return spectra.eig(array, compute_left_eigenvectors=False, compute_right_eigenvectors=False)[0]


def _is_lower(name: str, uplo: str | None) -> bool:
    if uplo not in (None, "L", "U"):
        raise value_error(f"{name}: UPLO must be None, 'L' or 'U', got: {uplo!r}")
    return uplo != "U"


def eigh(a: ArrayLike, UPLO: str | None = None, symmetrize_input: bool = True) -> EighResult:
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Args:
      a: matrices, of shape (…, n, n).
      UPLO: the triangle to read, `L` or `U`, unless `symmetrize_input`.
      symmetrize_input: whether to use (a + a^H) / 2 for a.

    Returns:
      A named tuple (eigenvalues, eigenvectors): real and increasing, of shape (…, n); orthonormal
      columns, like a. NaN if a is not finite.

    Raises:
      ValueError: there is no such triangle, or the matrices are not square.

    Example:
      >>> eigh(np.float32([[2, 1], [1, 2]])).eigenvalues
      Array([1., 3.], dtype=float32)
    """
    lower = _is_lower("eigh", UPLO)
    v, w = spectra.eigh(inexact("eigh", a), lower=lower, symmetrize_input=symmetrize_input)
    return EighResult(w, v)


def eigvalsh(a: ArrayLike, UPLO: str | None = "L", *, symmetrize_input: bool = True) -> Array:
    """Eigenvalues of Hermitian matrices.

    Args:
      a, UPLO, symmetrize_input: as for `eigh`.

    Returns:
      Real and increasing, of shape (…, n).

    Example:
      >>> eigvalsh(np.float32([[2, 1], [1, 2]]))
      Array([1., 3.], dtype=float32)
    """
    lower, array = _is_lower("eigvalsh", UPLO), inexact("eigvalsh", a)
    return spectra.eigvalsh(array, lower=lower, symmetrize_input=symmetrize_input)
