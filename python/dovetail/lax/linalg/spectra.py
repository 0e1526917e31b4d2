"""Eigenvalues, singular values and Schur forms."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error, warn
from dovetail.lax.linalg.operands import adjoint, hermitian, matrices, natively, square
from dovetail.ops.operands import ArrayLike
from dovetail.symbolic.size import min_dim
from dovetail.tracing.composed import composed

# First and last but one index of the requested values.
Subset = tuple[int, int] | None


class EigImplementation(enum.Enum):
    """Libraries for eigenvalues on a GPU; this package has its own code for them.

    Example:
      >>> EigImplementation.LAPACK.value
      'lapack'
    """

    CUSOLVER = "cusolver"
    MAGMA = "magma"
    LAPACK = "lapack"


class EighImplementation(enum.Enum):
    """Algorithms for Hermitian matrices; this package chooses one by device.

    Example:
      >>> EighImplementation.QR.value
      'qr'
    """

    QR = "qr"
    JACOBI = "jacobi"
    QDWH = "qdwh"


class SvdAlgorithm(enum.Enum):
    """Algorithms for singular values; this package chooses one by device.

    Example:
      >>> SvdAlgorithm.JACOBI.value
      'Jacobi'
    """

    DEFAULT = "default"
    QR = "QR"
    JACOBI = "Jacobi"
    POLAR = "polar"
    DIVIDE_AND_CONQUER = "divide_and_conquer"


def eig(
    x: ArrayLike,
    *,
    compute_left_eigenvectors: bool = True,
    compute_right_eigenvectors: bool = True,
    enable_eigvec_derivs: bool = False,
    implementation: EigImplementation | None = None,
    use_magma: bool | None = None,
) -> list[Array]:
    """Eigenvalues and eigenvectors of square matrices.

    Each eigenvector has norm 1, and its element of largest magnitude is real. Derivatives of
    eigenvectors are those under this choice; they exist if the eigenvalue is simple and that
    element is the only one of its magnitude.

    Args:
      x: matrices, of shape (…, n, n), floats or complex.
      compute_left_eigenvectors, compute_right_eigenvectors: which vectors to return.
      enable_eigvec_derivs, implementation, use_magma: accepted for compatibility with JAX.

    Returns:
      [w, vl, vr], complex of shapes (…, n), (…, n, n) and (…, n, n), as far as requested: x vr = vr
      diag(w) and vl^H x = diag(w) vl^H. NaN if x is not finite.

    Example:
      >>> eig(np.float32([[0, 1], [-1, 0]]), compute_left_eigenvectors=False)[0]
      Array([0.+1.j, 0.-1.j], dtype=complex64)
    """
    del enable_eigvec_derivs, implementation
    if use_magma is not None:
        warn("eig: use_magma is deprecated, pass implementation=EigImplementation.MAGMA", 3)
    left, right = compute_left_eigenvectors, compute_right_eigenvectors
    return list(natively(lambda a: ops.eig(a, left, right), square("eig", x)))


def eigh(
    x: ArrayLike,
    *,
    lower: bool = True,
    symmetrize_input: bool = True,
    sort_eigenvalues: bool = True,
    subset_by_index: Subset = None,
    implementation: EighImplementation | None = None,
) -> tuple[Array, Array]:
    """Eigenvectors and eigenvalues of Hermitian matrices.

    Args:
      x: matrices, of shape (…, n, n), floats or complex.
      lower: the triangle that is read, unless `symmetrize_input`.
      symmetrize_input: whether to use (x + x^H) / 2 for x.
      sort_eigenvalues: accepted for compatibility with JAX; they are sorted.
      subset_by_index: (begin, end) of the requested eigenvalues, by default all.
      implementation: accepted for compatibility with JAX.

    Returns:
      (v, w): orthonormal eigenvectors as columns, like x; the eigenvalues in increasing order, real
      of shape (…, n). NaN if x is not finite.

    Raises:
      ValueError: the matrices are not square, or the range is not within them.

    Example:
      >>> eigh(np.float32([[2, 1], [1, 2]]))[1]
      Array([1., 3.], dtype=float32)
    """
    array = square("eigh", x)
    if symmetrize_input:
        array = hermitian(array)
    v, w = _eigh(
        array,
        lower=lower,
        sort_eigenvalues=sort_eigenvalues,
        subset_by_index=subset_by_index,
        algorithm=implementation,
    )
    return v, w


@composed("eigh", multiple_results=True)
def _eigh(
    x: Array,
    *,
    lower: bool,
    subset_by_index: Subset,
    sort_eigenvalues: bool = True,
    algorithm: Any = None,
) -> list[Array]:
    w, v = natively(ops.eigh, x if lower else adjoint(x))
    if subset_by_index is None:
        return [v, w]
    begin, end = _range("eigh", subset_by_index, w.shape[-1])
    return [v[..., begin:end], w[..., begin:end]]


def eigvalsh(x: ArrayLike, *, lower: bool = True, symmetrize_input: bool = True) -> Array:
    """The eigenvalues alone, as returned by `eigh`.

    Args:
      x, lower, symmetrize_input: as for `eigh`.

    Returns:
      Real, of shape (…, n).

    Example:
      >>> eigvalsh(np.float32([[2, 1], [1, 2]]))
      Array([1., 3.], dtype=float32)
    """
    array = _hermitian_operand(square("eigh", x), lower, symmetrize_input)
    return natively(lambda a: ops.eigh(a, False), array)[0]


def _hermitian_operand(x: Array, lower: bool, symmetrize: bool) -> Array:
    """A Hermitian matrix given by its lower triangle."""
    if symmetrize:
        return hermitian(x)
    return x if lower else adjoint(x)


def _range(name: str, subset: Subset, count: int) -> tuple[int, int]:
    if subset is None:
        return 0, count
    begin, end = subset
    if not 0 <= begin <= end <= count:
        raise value_error(
            f"{name}: subset_by_index must be a range within the {count} values, got: {subset}"
        )
    return begin, end


def svd(
    x: ArrayLike,
    *,
    full_matrices: bool = True,
    compute_uv: bool = True,
    subset_by_index: Subset = None,
    algorithm: SvdAlgorithm | None = None,
) -> Any:
    """Singular values, and orthonormal singular vectors u and vh with x = u diag(s) vh.

    Args:
      x: matrices, of shape (…, m, n), floats or complex.
      full_matrices: whether u and vh are square.
      compute_uv: whether to return them.
      subset_by_index: (begin, end) of the requested singular values, by default all.
      algorithm: accepted for compatibility with JAX.

    Returns:
      (u, s, vh), of shapes (…, m, m), (…, k) and (…, n, n), or with k = min(m, n) (…, m, k), (…, k)
      and (…, k, n); or s alone. s is real and in decreasing order. NaN if x is not finite.

    Raises:
      ValueError: the range is not within the values, or is given with `full_matrices`.

    Example:
      >>> svd(np.float32([[3], [4]]), compute_uv=False)
      Array([5.], dtype=float32)
    """
    array = matrices("svd", x)
    count = min_dim(*array.shape[-2:])
    begin, end = _range("svd", subset_by_index, count)
    if full_matrices and compute_uv and (begin, end) != (0, count):
        raise value_error(
            f"svd: subset_by_index needs full_matrices=False, got: the range {subset_by_index}"
        )
    outs = _svd(
        array,
        full_matrices=full_matrices,
        compute_uv=compute_uv,
        subset_by_index=subset_by_index,
        algorithm=algorithm,
    )
    return (outs[1], outs[0], outs[2]) if compute_uv else outs[0]


@composed("svd", multiple_results=True)
def _svd(
    x: Array,
    *,
    full_matrices: bool,
    compute_uv: bool,
    subset_by_index: Subset = None,
    algorithm: Any = None,
) -> list[Array]:
    outs = list(natively(lambda a: ops.svd(a, full_matrices and compute_uv, compute_uv), x))
    if subset_by_index is None:
        return outs
    begin, end = _range("svd", subset_by_index, min_dim(*x.shape[-2:]))
    parts = outs[0][..., begin:end]
    return [parts, outs[1][..., begin:end], outs[2][..., begin:end, :]] if compute_uv else [parts]


def schur(
    x: ArrayLike,
    *,
    compute_schur_vectors: bool = True,
    sort_eig_vals: bool = False,
    select_callable: Callable[..., Any] | None = None,
) -> list[Array]:
    """The factors x = q t q^H with unitary q and t upper triangular; for real matrices both are
    real, and t has a 2 x 2 block on its diagonal for each pair of conjugate eigenvalues.

    Args:
      x: square matrices, of shape (…, n, n), floats or complex.
      compute_schur_vectors: whether to return q.
      sort_eig_vals: must be False.
      select_callable: accepted for compatibility with JAX.

    Returns:
      [t, q], both like x, or [t]. NaN if x is not finite.

    Raises:
      NotImplementedError: sorted eigenvalues are requested.

    Example:
      >>> schur(np.float32([[1, 2], [0, 3]]))[0]
      Array([[1., 2.],
             [0., 3.]], dtype=float32)
    """
    del select_callable
    if sort_eig_vals:
        raise NotImplementedError("schur: eigenvalues are not sorted; pass sort_eig_vals=False")
    return list(natively(lambda a: ops.schur(a, compute_schur_vectors), square("schur", x)))
