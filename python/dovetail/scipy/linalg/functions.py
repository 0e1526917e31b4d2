"""Functions of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail import lax, numpy
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.lax.linalg import equations, spectra
from dovetail.lax.linalg.operands import adjoint, identity, matmul
from dovetail.numpy.promotion import inexact, promote
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.linalg.decompositions import rsf2csf, schur
from dovetail.scipy.linalg.equations import solve_sylvester
from dovetail.scipy.linalg.triangles import function_of, square_root
from dovetail.transforms import custom_derivatives
from dovetail.transforms.autodiff import jvp

# The coefficients of the diagonal Pade approximants of exp, and the norms up to which they are
# exact to the last place (Higham, "The scaling and squaring method for the matrix exponential
# revisited", 2005, table 2.3, and for float32 the theta of that precision).
_PADE_7 = (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0)
_PADE_13 = (
    *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0),
    *(129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0),
    *(40840800.0, 960960.0, 16380.0, 182.0, 1.0),
)
_LARGEST = {4: 3.925724783138660, 8: 5.371920351148152}


def expm(A: ArrayLike, *, upper_triangular: bool = False, max_squarings: int = 16) -> Array:
    """Exponentials of matrices, by scaling and squaring of a Pade approximant (Higham, "The scaling
    and squaring method for the matrix exponential revisited", 2005).

    Args:
      A: square matrices, of shape (…, n, n).
      upper_triangular: whether they are upper triangular, which is faster.
      max_squarings: the largest number of squarings.

    Returns:
      An inexact array like A; NaN if more squarings are needed, or if A is not finite.

    Raises:
      ValueError: the matrices are not square.

    Example:
      >>> expm(np.zeros((2, 2), np.float32))
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    a = inexact("expm", A)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise value_error(f"expm: matrices must be square, got: shape {a.shape}")
    if not a.size:
        return a
    real = dtypes.to_real_dtype(a.dtype)
    is_wide = real == dtypes.float64
    size = lax.stop_gradient(numpy.linalg.matrix_norm(a, ord=1))
    ratio = size / _LARGEST[8 if is_wide else 4]
    needed = lax.ceil(numpy.log2(lax.max(ratio, lax.full_like(ratio, 1))))
    # Comparisons with NaN are false.
    is_done = needed <= max_squarings
    count = lax.select(is_done, needed, lax.full_like(needed, 0))
    scaled = a * _repeated(lax.convert_element_type(lax.exp2(-count), a.dtype), a)
    even, odd = _pade(scaled, _PADE_13 if is_wide else _PADE_7)
    if upper_triangular:
        result = lax.linalg.triangular_solve(even - odd, even + odd, left_side=True)
    else:
        result = equations.solve(even - odd, even + odd)
    result = _squared(result, lax.convert_element_type(count, dtypes.int32))
    return lax.select(_repeated(is_done, a), result, lax.full_like(result, float("nan")))


def _repeated(x: Array, like: Array) -> Array:
    return lax.broadcast_in_dim(x, like.shape, range(x.ndim))


def _pade(a: Array, coefficients: tuple[float, ...]) -> tuple[Array, Array]:
    """The even and the odd terms of the numerator; those of the denominator differ in sign."""
    eye = identity(a, a.shape[-1])
    square = matmul(a, a)
    fourth = matmul(square, square)
    powers = [eye, square, fourth, matmul(fourth, square)]
    # The higher ones are those above the sixth power, times it.
    sums = []
    for first in (0, 1):
        given = coefficients[first::2]
        total: Any = sum(c * power for c, power in zip(given, powers, strict=False))
        if len(given) > len(powers):
            rest = given[len(powers) :]
            higher: Any = sum(c * power for c, power in zip(rest, powers[1:], strict=True))
            total = total + matmul(powers[3], higher)
        sums.append(total)
    return sums[0], matmul(a, sums[1])


def _squared(x: Array, count: Array) -> Array:
    """Square each matrix repeatedly, by its own count."""
    most = lax.reduce_max(count, tuple(range(count.ndim))) if count.ndim else count

    def body(i: Array, x: Array) -> Array:
        return lax.select(_repeated(i < count, x), matmul(x, x), x)

    return lax.fori_loop(0, most, body, x)


def expm_frechet(
    A: ArrayLike, E: ArrayLike, *, method: str | None = None, compute_expm: bool = True
) -> Any:
    """The exponentials of matrices, and their derivatives in a direction.

    Args:
      A: square matrices, of shape (…, n, n).
      E: the direction, of that shape.
      method: accepted for compatibility with SciPy.
      compute_expm: whether to return the exponentials.

    Returns:
      (exponentials, derivatives), or the derivatives alone.

    Raises:
      ValueError: the matrices are not square, or of different shapes.

    Example:
      >>> expm_frechet(np.float32([[0]]), np.float32([[2]]), compute_expm=False)
      Array([[2.]], dtype=float32)
    """
    del method
    a, e = promote("expm_frechet", A, E, to=dtypes.to_inexact_dtype)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2] or e.shape != a.shape:
        raise value_error(
            f"expm_frechet: matrices must be square and of one shape, got: {a.shape} and {e.shape}"
        )
    value, derivative = jvp(expm, (a,), (e,))
    return (value, derivative) if compute_expm else derivative


def sqrtm(A: ArrayLike, blocksize: int = 1) -> Array:
    """The principal square roots of matrices, by Schur's form (Bjorck and Hammarling, "A Schur
    method for the square root of a matrix", 1983).

    Args:
      A: square matrices, of shape (…, n, n).
      blocksize: must be 1.

    Returns:
      A complex array of that shape. Its derivative is the solution of a Sylvester equation.

    Raises:
      NotImplementedError: another block size.

    Example:
      >>> sqrtm(np.float32([[4, 0], [0, 9]]))
      Array([[2.+0.j, 0.+0.j],
             [0.+0.j, 3.+0.j]], dtype=complex64)
    """
    if blocksize > 1:
        raise NotImplementedError(f"sqrtm: blocksize must be 1, got: {blocksize}")
    array = inexact("sqrtm", A)
    return _sqrtm(lax.convert_element_type(array, dtypes.to_complex_dtype(array.dtype)))


def _square_root(a: Array) -> Array:
    t, z = spectra.schur(a)
    return matmul(matmul(z, square_root(t)), adjoint(z))


_sqrtm = custom_derivatives.custom_jvp(_square_root)


@_sqrtm.defjvp
def _sqrtm_rule(primals: Any, tangents: Any) -> Any:
    """x dx + dx x = da."""
    x = _sqrtm(primals[0])
    return x, solve_sylvester(x, x, tangents[0], tol=0.0)


def funm(A: ArrayLike, func: Callable[[Array], Array], disp: bool = True) -> Any:
    """A function of a matrix, by Schur's form and Parlett's recurrence ("A recurrence among the
    elements of functions of triangular matrices", 1976).

    Args:
      A: a square matrix, of shape (n, n).
      func: computes the function of each number in a complex vector.
      disp: whether to return only the function.

    Returns:
      A complex matrix, or (matrix, estimate of its relative error).

    Raises:
      ValueError: A is not a square matrix.

    Example:
      >>> funm(np.float32([[4, 0], [0, 9]]), dnp.sqrt)
      Array([[2.+0.j, 0.+0.j],
             [0.+0.j, 3.+0.j]], dtype=complex64)
    """
    array = inexact("funm", A)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise value_error(f"funm: the argument must be a square matrix, got: shape {array.shape}")
    t, z = rsf2csf(*schur(array))
    values = lax.convert_element_type(func(numpy.diag(t)), t.dtype)
    f, least = function_of(t, values)
    result = matmul(matmul(z, f), adjoint(z))
    if disp:
        return result
    eps = float(dtypes.finfo(t.dtype).eps)
    apart = lax.select(least == 0, lax.full_like(least, eps), least)
    error = eps / apart * numpy.linalg.norm(numpy.triu(t, 1), 1)
    error = numpy.minimum(1, numpy.maximum(eps, error))
    return result, numpy.where(numpy.isinf(result).any(), float("inf"), error)
