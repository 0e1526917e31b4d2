"""Factorizations, eigenvalues and singular values."""

from __future__ import annotations

from typing import Any

from dovetail import lax, numpy
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax.linalg import equations, factorizations, spectra
from dovetail.lax.linalg.operands import adjoint, identity, matmul, part, transposed
from dovetail.lax.linalg.polar import qdwh
from dovetail.numpy.promotion import inexact, promote
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.scipy.linalg.equations import cho_factor


def cholesky(
    a: ArrayLike, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Array:
    """The triangular factors of positive definite matrices: a = l l^H, or a = u^H u.

    Args:
      a: Hermitian matrices, of shape (…, n, n); only that triangle is read.
      lower: whether to return l instead of u.
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      An inexact array of that shape; NaN in the triangle of a matrix that is not positive definite.

    Example:
      >>> cholesky(np.float32([[4, 2], [2, 2]]))
      Array([[2., 1.],
             [0., 1.]], dtype=float32)
    """
    del overwrite_a, check_finite
    return cho_factor(a, lower)[0]


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: str = "gesdd",
) -> Any:
    """Singular values, and orthonormal singular vectors u and vh with a = u diag(s) vh.

    Args:
      a: matrices, of shape (…, m, n).
      full_matrices: whether u and vh are square.
      compute_uv: whether to return u and vh.
      overwrite_a, check_finite, lapack_driver: accepted for compatibility with SciPy.

    Returns:
      (u, s, vh), or s alone.

    Example:
      >>> svd(np.float32([[3], [4]]), compute_uv=False)
      Array([5.], dtype=float32)
    """
    del overwrite_a, check_finite, lapack_driver
    return spectra.svd(inexact("svd", a), full_matrices=full_matrices, compute_uv=compute_uv)


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: None = None,
    type: int = 1,
    check_finite: bool = True,
) -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Args:
      a: matrices, of shape (…, n, n).
      b, eigvals, type: must be None, None and 1.
      lower: accepted; the Hermitian part of a is used.
      eigvals_only: whether to return only eigenvalues.
      overwrite_a, overwrite_b, turbo, check_finite: accepted for compatibility with SciPy.

    Returns:
      (w, v), or w: increasing and real, of shape (…, n), and orthonormal columns.

    Raises:
      NotImplementedError: the problem is a generalized one, or only part of the values is
        requested.

    Example:
      >>> eigh(np.float32([[2, 1], [1, 2]]), eigvals_only=True)
      Array([1., 3.], dtype=float32)
    """
    del overwrite_a, overwrite_b, turbo, check_finite
    if b is not None or type != 1 or eigvals is not None:
        raise NotImplementedError("eigh: b and eigvals must be None, and type 1")
    array = inexact("eigh", a)
    if eigvals_only:
        return spectra.eigvalsh(array, lower=lower)
    v, w = spectra.eigh(array, lower=lower)
    return w, v


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: Any = None,
    mode: str = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Array, ...]:
    """The factors a = q r, q with orthonormal columns and r upper triangular.

    Args:
      a: matrices, of shape (…, m, n).
      mode: `full` for q and r of shapes (…, m, m) and (…, m, n), `economic`, with k = min(m, n),
        for (…, m, k) and (…, k, n), `r` for the r of `full` alone.
      pivoting: whether to order columns so that the magnitudes on the diagonal of r do not
        increase.
      overwrite_a, lwork, check_finite: accepted for compatibility with SciPy.

    Returns:
      (q, r), or (r,); with pivoting also the order p of the columns, such that a[:, p] = q r.

    Raises:
      ValueError: there is no such mode.

    Example:
      >>> qr(np.float32([[3], [4]]), mode="economic")[1]
      Array([[-5.]], dtype=float32)
    """
    del overwrite_a, lwork, check_finite
    if mode not in ("full", "economic", "r"):
        raise value_error(f"qr: mode must be 'full', 'economic' or 'r', got: {mode!r}")
    factors = factorizations.qr(
        inexact("qr", a), pivoting=pivoting, full_matrices=mode != "economic"
    )
    return factors[1:] if mode == "r" else factors


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: str = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[Array, ...]:
    """The product of the factor q of a = q r with another matrix, without forming q.

    Args:
      a: matrices, of shape (…, m, n).
      c: matrices, or one vector; with k = min(m, n) rows if mode is `left`, otherwise m columns.
      mode: `left` for q c, `right` for c q.
      pivoting: whether to order columns of a.
      conjugate: whether to conjugate q.
      overwrite_a, overwrite_c: accepted for compatibility with SciPy.

    Returns:
      (product, r), with pivoting also the order of the columns.

    Raises:
      ValueError: the shapes do not match, or there is no such mode.

    Example:
      >>> qr_multiply(np.float32([[3], [4]]), np.float32([5, 0]))[0]
      Array([-3.], dtype=float32)
    """
    del overwrite_a, overwrite_c
    x, y = promote("qr_multiply", a, c, to=dtypes.to_inexact_dtype)
    if mode not in ("right", "left"):
        raise value_error(f"qr_multiply: mode must be 'right' or 'left', got: {mode!r}")
    is_left, is_vector = mode == "left", y.ndim == 1
    if is_vector:
        y = lax.expand_dims(y, (-1 if is_left else 0,))
    m, n = x.shape[-2:]
    k = min(m, n)
    if y.shape[-2 if is_left else -1] != (k if is_left else m):
        raise value_error(
            f"qr_multiply: c must have {k} rows for mode 'left', {m} columns for 'right', got: "
            f"shapes {x.shape} and {y.shape}"
        )
    x, y = equations.in_one_batch("qr_multiply", x, y)
    if pivoting:
        packed, order, taus = factorizations.geqp3(x)
    else:
        packed, taus = factorizations.geqrf(x)
        order = None
    if is_left and m > n:
        y = lax.pad(
            y, lax.full((), 0, y.dtype), [(0, 0, 0)] * (y.ndim - 2) + [(0, m - k, 0), (0, 0, 0)]
        )
    # conj(q) c is the transpose of c^T q^H.
    turned = transposed(y) if conjugate else y
    product = factorizations.ormqr(
        packed, taus, turned, left=is_left != conjugate, transpose=conjugate
    )
    product = transposed(product) if conjugate else product
    if not is_left:
        product = product[..., :k]
    if is_vector:
        product = product.ravel()
    r = part(packed[..., :k, :], False)
    return (product, r) if order is None else (product, r, order)


def schur(a: ArrayLike, output: str = "real") -> tuple[Array, Array]:
    """The factors a = z t z^H with unitary z and t upper triangular.

    Args:
      a: square matrices, of shape (…, n, n).
      output: `real`, for a real t that has a 2 x 2 block on its diagonal for each pair of conjugate
        eigenvalues of a real matrix, or `complex`.

    Returns:
      (t, z).

    Raises:
      ValueError: there is no such output.

    Example:
      >>> schur(np.float32([[1, 2], [0, 3]]))[0]
      Array([[1., 2.],
             [0., 3.]], dtype=float32)
    """
    if output not in ("real", "complex"):
        raise value_error(f"schur: output must be 'real' or 'complex', got: {output!r}")
    array = inexact("schur", a)
    if output == "complex":
        array = lax.convert_element_type(array, dtypes.to_complex_dtype(array.dtype))
    t, z = spectra.schur(array)
    return t, z


def hessenberg(
    a: ArrayLike, *, calc_q: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> Any:
    """The factors a = q h q^H with unitary q and h zero below its first subdiagonal.

    Args:
      a: square matrices, of shape (…, n, n).
      calc_q: whether to return q.
      overwrite_a, check_finite: accepted for compatibility with SciPy.

    Returns:
      h, or (h, q).

    Example:
      >>> hessenberg(np.float32([[1, 2], [3, 4]]))
      Array([[1., 2.],
             [3., 4.]], dtype=float32)
    """
    del overwrite_a, check_finite
    packed, taus = factorizations.hessenberg(inexact("hessenberg", a))
    h, n = part(packed, False, -1), packed.shape[-1]
    if not calc_q:
        return h
    if n < 2:
        return h, identity(packed, n)
    q = factorizations.householder_product(packed[..., 1:, :-1], taus)
    padding = [(0, 0, 0)] * (q.ndim - 2) + [(1, 0, 0)] * 2
    corner = identity(packed, n) - lax.pad(identity(q, n - 1), lax.full((), 0, q.dtype), padding)
    return h, lax.pad(q, lax.full((), 0, q.dtype), padding) + corner


def rsf2csf(T: ArrayLike, Z: ArrayLike, check_finite: bool = True) -> tuple[Array, Array]:
    """The complex Schur form from the real one, by a rotation for each 2 x 2 block.

    Args:
      T, Z: the results of `schur`, of shape (…, n, n).
      check_finite: accepted for compatibility with SciPy.

    Returns:
      (t, z), complex, with t upper triangular. Overlapping blocks, which no Schur form has, are
      rotated one after the other, from the last one on.

    Raises:
      ValueError: the matrices are not square, or of different shapes.

    Example:
      >>> t, _ = rsf2csf(np.float32([[0, 1], [-1, 0]]), np.eye(2, dtype=np.float32))
      >>> t[1, 0] == 0
      Array(True, dtype=bool)
    """
    del check_finite
    t, z = promote("rsf2csf", T, Z, to=dtypes.to_complex_dtype)
    for name, x in (("T", t), ("Z", z)):
        if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
            raise value_error(f"rsf2csf: {name} must be square, got: shape {x.shape}")
    if t.shape[-1] != z.shape[-1]:
        raise value_error(
            f"rsf2csf: T and Z must be of one size, got: shapes {t.shape} and {z.shape}"
        )
    t, z = equations.in_one_batch("rsf2csf", t, z)
    n, rank = t.shape[-1], t.ndim
    eps = float(dtypes.finfo(t.dtype).eps)
    if n < 2:
        return t, z

    def rows(x: Array, k: Array) -> Array:
        return lax.dynamic_slice_in_dim(x, k, 2, rank - 2)

    def columns(x: Array, k: Array) -> Array:
        return lax.dynamic_slice_in_dim(x, k, 2, rank - 1)

    def body(i: Array, state: tuple[Array, Array]) -> tuple[Array, Array]:
        t, z = state
        k = n - 2 - i
        rotation = _rotation(columns(rows(t, k), k), eps)
        # Nothing below the blocks is read or changed.
        turned = numpy.where(numpy.arange(n) < k, rows(t, k), matmul(rotation, rows(t, k)))
        t = lax.dynamic_update_slice_in_dim(t, turned, k, rank - 2)
        back = adjoint(rotation)
        below = numpy.arange(n)[:, None] > k + 1
        turned = numpy.where(below, columns(t, k), matmul(columns(t, k), back))
        t = lax.dynamic_update_slice_in_dim(t, turned, k, rank - 1)
        z = lax.dynamic_update_slice_in_dim(z, matmul(columns(z, k), back), k, rank - 1)
        return t, z

    t, z = lax.fori_loop(0, n - 1, body, (t, z))
    return numpy.where(numpy.eye(n, k=-1, dtype=bool), 0, t), z


def _rotation(block: Array, eps: float) -> Array:
    """The rotation that makes a 2 x 2 block upper triangular, unless it nearly is."""
    a, b, c, d = (block[..., i, j] for i in range(2) for j in range(2))
    half = (a - d) / 2
    root = lax.sqrt(half * half + b * c)
    # The eigenvalue that LAPACK returns first, the one farther from d, minus d.
    mu = half + numpy.where(lax.real(lax.conj(half) * root) < 0, -root, root)
    size = lax.sqrt(abs(mu) * abs(mu) + abs(c) * abs(c))
    is_full = abs(c) > eps * (abs(a) + abs(d))
    safe = lax.select(is_full, size, lax.full_like(size, 1))
    length = lax.convert_element_type(safe, block.dtype)
    one, zero = lax.full_like(mu, 1), lax.full_like(mu, 0)
    cosine = lax.select(is_full, mu / length, one)
    sine = lax.select(is_full, c / length, zero)
    entries = [lax.conj(cosine), sine, -sine, cosine]
    return numpy.stack(entries, axis=-1).reshape(block.shape)


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    *,
    eigvals_only: bool = False,
    select: str = "a",
    select_range: tuple[float, float] | None = None,
    tol: float | None = None,
    key: Array | None = None,
) -> Any:
    """Eigenvalues and eigenvectors of a Hermitian tridiagonal matrix.

    Args:
      d: the diagonal, of shape (n,), float or complex; its real part is used.
      e: the off-diagonal, of shape (n - 1,) and the same element type.
      eigvals_only: whether to return only eigenvalues.
      select: `a` for all eigenvalues, `i` for those with numbers in `select_range`.
      select_range: the first and the last number.
      tol, key: accepted for compatibility with JAX.

    Returns:
      (w, v), or w: increasing and real, and orthonormal columns.

    Raises:
      TypeError: the element types differ, or are not LAPACK's.
      ValueError: the range is empty or missing.
      NotImplementedError: eigenvalues are selected by value.

    Example:
      >>> eigh_tridiagonal(np.float32([2, 2]), np.float32([1]), eigvals_only=True)
      Array([1., 3.], dtype=float32)
    """
    del tol, key
    diagonal, beside = as_operand("eigh_tridiagonal", d), as_operand("eigh_tridiagonal", e, 1)
    if diagonal.dtype != beside.dtype or dtypes.KINDS[diagonal.dtype] not in "fc":
        raise type_error(
            "eigh_tridiagonal: both diagonals must be of one float or complex type, got: "
            f"{diagonal.dtype.name} and {beside.dtype.name}"
        )
    n = diagonal.shape[0]
    first, last = _selected(select, select_range, n)
    # Only the lower triangle is read.
    matrix = numpy.diag(diagonal)
    if n > 1:
        matrix = matrix + numpy.diag(
            lax.conj(beside) if dtypes.KINDS[beside.dtype] == "c" else beside, -1
        )
    if eigvals_only:
        return spectra.eigvalsh(matrix, symmetrize_input=False)[first:last]
    v, w = spectra.eigh(matrix, symmetrize_input=False)
    return w[first:last], v[:, first:last]


def _selected(select: str, bounds: tuple[float, float] | None, count: int) -> tuple[int, int]:
    """The first number of the selected eigenvalues, and the number after the last."""
    if select == "a":
        return 0, count
    if select == "v":
        raise NotImplementedError("eigh_tridiagonal: select='v' is not implemented; use 'a' or 'i'")
    if select != "i":
        raise value_error(f"eigh_tridiagonal: select must be 'a' or 'i', got: {select!r}")
    if bounds is None or bounds[0] > bounds[1]:
        raise value_error(
            f"eigh_tridiagonal: select_range must be a range that is not empty, got: {bounds}"
        )
    return int(bounds[0]), int(bounds[1]) + 1


def polar(
    a: ArrayLike,
    side: str = "right",
    *,
    method: str = "qdwh",
    eps: float | None = None,
    max_iterations: int | None = None,
) -> tuple[Array, Array]:
    """The factors a = u p or a = p u, with orthonormal columns or rows of u, and p Hermitian
    without negative eigenvalues.

    Args:
      a: matrices, of shape (…, m, n).
      side: `right` or `left`: the side of p.
      method: `qdwh`, for m >= n if p is on the right and m < n if it is on the left, or `svd`.
      eps, max_iterations: limits of the iterations of `qdwh`.

    Returns:
      (u, p).

    Raises:
      ValueError: there is no such side or method.
      NotImplementedError: `qdwh` does not support this shape.

    Example:
      >>> polar(np.float32([[-2]]))
      (Array([[-1.]], dtype=float32), Array([[2.]], dtype=float32))
    """
    array = inexact("polar", a)
    if array.ndim < 2:
        raise value_error(f"polar: the argument must be matrices, got: shape {array.shape}")
    if side not in ("right", "left"):
        raise value_error(f"polar: side must be 'right' or 'left', got: {side!r}")
    if method not in ("qdwh", "svd"):
        raise value_error(f"polar: method must be 'qdwh' or 'svd', got: {method!r}")
    if method == "svd":
        u, s, vh = spectra.svd(array, full_matrices=False)
        scales = lax.convert_element_type(lax.expand_dims(s, (-2,)), u.dtype)
        basis = adjoint(vh) if side == "right" else u
        return matmul(u, vh), matmul(basis * scales, adjoint(basis))
    m, n = array.shape[-2:]
    if (m < n) != (side == "left"):
        raise NotImplementedError(
            f"polar: method 'qdwh' with side {side!r} is for matrices with "
            f"{'fewer' if side == 'left' else 'no fewer'} rows than columns, got: shape "
            f"{array.shape}; use method='svd'"
        )

    def factors(x: Array) -> tuple[Array, Array]:
        u, p, _, _ = qdwh(x, eps=eps, max_iterations=max_iterations)
        return u, p

    signature = "(m,n)->(m,n),(n,n)"
    compute = factors if array.ndim == 2 else numpy.vectorize(factors, signature=signature)
    if side == "right":
        return compute(array)
    u, p = compute(adjoint(array))
    return adjoint(u), p
