"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import operator
from typing import Any

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.lax.dot import check_contracted, contract
from dovetail.lax.precision import check_precision
from dovetail.numpy.docstrings import CONTRACTION
from dovetail.numpy.parts import conjugate
from dovetail.numpy.promotion import no_out, promote
from dovetail.numpy.shape import moveaxis, ravel
from dovetail.ops.operands import (
    ArrayLike,
    as_operand,
    broadcast_shapes,
    broadcast_to,
    canonical_axes,
    canonical_axis,
    one_or_several,
)
from dovetail.transforms.out_sharding import accepts_out_sharding


def _operands(name: str, a: ArrayLike, b: ArrayLike, precision: Any, preferred: Any) -> list[Array]:
    """Both operands, promoted unless the element type of the products is stated."""
    check_precision(name, precision)
    if preferred is not None:
        return [as_operand(name, a), as_operand(name, b, 1)]
    return promote(name, a, b)


@accepts_out_sharding
@documented(CONTRACTION)
def dot(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The sums of products over the last dimension of a and the second-to-last of b; for a scalar,
    the product.

    Args:
      a, b: arrays, which are promoted.

    Returns:
      An array: the other dimensions of a, then those of b.

    Raises:
      TypeError: the sizes that are summed over differ.

    Example:
      >>> dot(np.float32([1, 2]), np.float32([3, 4]))
      Array(11., dtype=float32)
    """
    x, y = _operands("dot", a, b, precision, preferred_element_type)
    if x.ndim == 0 or y.ndim == 0:
        lc: tuple[int, ...] = ()
        rc: tuple[int, ...] = ()
    else:
        lc, rc = (x.ndim - 1,), (max(y.ndim - 2, 0),)
    check_contracted("dot", x, lc, y, rc)
    return contract(x, y, (), (), lc, rc, preferred_element_type)


@accepts_out_sharding
@documented(CONTRACTION)
def matmul(
    a: ArrayLike,
    b: ArrayLike,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The matrix products over the last two dimensions; leading dimensions are broadcast, vectors
    are rows or columns.

    Args:
      a, b: arrays of rank 1 or more, which are promoted.

    Returns:
      An array of matrices; without the row or column that a vector represents.

    Raises:
      ValueError: an operand is a scalar.
      TypeError: the sizes that are summed over differ.

    Example:
      >>> matmul(np.float32([[1, 2], [3, 4]]), np.float32([1, 1]))
      Array([3., 7.], dtype=float32)
    """
    x, y = _operands("matmul", a, b, precision, preferred_element_type)
    if x.ndim == 0 or y.ndim == 0:
        raise value_error(
            f"matmul: operands must have 1 dimension or more, got: shapes {x.shape} and {y.shape}; "
            "use *"
        )
    lc, rc = x.ndim - 1, max(y.ndim - 2, 0)
    check_contracted("matmul", x, (lc,), y, (rc,))
    x_batch, y_batch = x.shape[:-2], y.shape[:-2]
    if not y_batch:
        return contract(x, y, (), (), (lc,), (rc,), preferred_element_type)
    batch = broadcast_shapes(x_batch, y_batch, name="matmul")
    if x_batch == y_batch:
        dims = tuple(range(len(batch)))
        return contract(x, y, dims, dims, (lc,), (rc,), preferred_element_type)
    return _broadcast_matmul(x, y, batch, preferred_element_type)


def _broadcast_matmul(x: Array, y: Array, batch: tuple[int, ...], preferred: Any) -> Array:
    """Only dimensions along which both operands vary are batch dimensions; a dimension of one
    operand alone is a free dimension.
    """
    x_core, y_core = x.shape[len(x.shape[:-2]) :], y.shape[-2:]
    rank = len(batch)
    x_sizes = (1,) * (rank - len(x.shape[:-2])) + tuple(x.shape[:-2])
    y_sizes = (1,) * (rank - len(y.shape[:-2])) + tuple(y.shape[:-2])
    shared = [i for i in range(rank) if x_sizes[i] == y_sizes[i] != 1]
    x_only = [i for i in range(rank) if x_sizes[i] != 1 and i not in shared]
    y_only = [i for i in range(rank) if y_sizes[i] != 1 and i not in shared]
    x_kept, y_kept = sorted(shared + x_only), sorted(shared + y_only)
    x = lax.reshape(x, (*(x_sizes[i] for i in x_kept), *x_core))
    y = lax.reshape(y, (*(y_sizes[i] for i in y_kept), *y_core))
    result = contract(
        x,
        y,
        tuple(x_kept.index(i) for i in shared),
        tuple(y_kept.index(i) for i in shared),
        (x.ndim - 1,),
        (y.ndim - 2,),
        preferred,
    )
    # The result has shared, x_only, rows (unless x is a vector), y_only, columns.
    rows = ["rows"] if len(x_core) == 2 else []
    labels: list[Any] = [*shared, *x_only, *rows, *y_only, "columns"]
    wanted = [*sorted(i for i in labels if isinstance(i, int)), *rows, "columns"]
    result = lax.transpose(result, [labels.index(i) for i in wanted])
    return lax.reshape(result, (*batch, *result.shape[len(wanted) - len(rows) - 1 :]))


@documented(CONTRACTION)
def inner(
    a: ArrayLike, b: ArrayLike, *, precision: Any = None, preferred_element_type: Any = None
) -> Array:
    """The sums of products over the last dimensions.

    Args:
      a, b: arrays with equal last dimensions, which are promoted.

    Returns:
      An array: the other dimensions of a, then those of b.

    Example:
      >>> inner(np.float32([1, 2]), np.float32([3, 4]))
      Array(11., dtype=float32)
    """
    x, y = _operands("inner", a, b, precision, preferred_element_type)
    lc = (x.ndim - 1,) if x.ndim and y.ndim else ()
    rc = (y.ndim - 1,) if x.ndim and y.ndim else ()
    check_contracted("inner", x, lc, y, rc)
    return contract(x, y, (), (), lc, rc, preferred_element_type)


def outer(a: ArrayLike, b: ArrayLike, out: None = None) -> Array:
    """The products of all pairs of elements, as a matrix.

    Args:
      a, b: arrays, which are flattened and promoted.
      out: must be None.

    Returns:
      A matrix with a row for each element of a.

    Example:
      >>> outer(np.int32([1, 2]), np.int32([3, 4]))
      Array([[3, 4],
             [6, 8]], dtype=int32)
    """
    no_out("outer", out)
    x, y = promote("outer", a, b)
    return lax.expand_dims(ravel(x), (1,)) * ravel(y)


@documented(CONTRACTION)
def vdot(
    a: ArrayLike, b: ArrayLike, *, precision: Any = None, preferred_element_type: Any = None
) -> Array:
    """The sum of conj(a) * b over all elements.

    Args:
      a, b: arrays with the same number of elements, which are flattened and promoted.

    Returns:
      A scalar.

    Example:
      >>> vdot(np.float32([1, 2]), np.float32([3, 4]))
      Array(11., dtype=float32)
    """
    x = conjugate(ravel(a))
    return dot(x, ravel(b), precision=precision, preferred_element_type=preferred_element_type)


@documented(CONTRACTION)
def vecdot(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    *,
    axis: int = -1,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """The sums of conj(x1) * x2 over `axis`; the other dimensions are broadcast.

    Args:
      x1, x2: arrays of vectors, of equal size along `axis`.
      axis: the dimension of the vectors in each array.

    Returns:
      An array of the broadcast shape without `axis`.

    Raises:
      TypeError, ValueError: sizes do not match, or the axis is out of bounds.

    Example:
      >>> vecdot(np.float32([[1, 2], [3, 4]]), np.float32([1, 1]))
      Array([3., 7.], dtype=float32)
    """
    x, y = _operands("vecdot", x1, x2, precision, preferred_element_type)
    x, y = moveaxis(x, axis, -1), moveaxis(y, axis, -1)
    check_contracted("vecdot", x, (x.ndim - 1,), y, (y.ndim - 1,))
    shape = broadcast_shapes(x.shape, y.shape, name="vecdot")
    x, y = broadcast_to(x, shape), broadcast_to(y, shape)
    batch = tuple(range(len(shape) - 1))
    last = (len(shape) - 1,)
    return contract(conjugate(x), y, batch, batch, last, last, preferred_element_type)


def matvec(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Matrices times vectors, over the last dimensions; the leading ones are broadcast.

    Args:
      x1: matrices, of shape (…, m, n).
      x2: vectors, of shape (…, n).

    Returns:
      Vectors, of shape (…, m).

    Raises:
      ValueError: `x1` has rank 1 or less.

    Example:
      >>> matvec(np.float32([[1, 2], [3, 4]]), np.float32([1, 1]))
      Array([3., 7.], dtype=float32)
    """
    x, y = as_operand("matvec", x1), as_operand("matvec", x2, 1)
    if x.ndim < 2:
        raise value_error(f"matvec: the first argument must be matrices, got: shape {x.shape}")
    return lax.squeeze(matmul(x, lax.expand_dims(y, (-1,))), (-1,))


def vecmat(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Conjugated vectors times matrices, over the last dimensions; the leading ones are broadcast.

    Args:
      x1: vectors, of shape (…, m).
      x2: matrices, of shape (…, m, n).

    Returns:
      Vectors, of shape (…, n).

    Example:
      >>> vecmat(np.float32([1, 1]), np.float32([[1, 2], [3, 4]]))
      Array([4., 6.], dtype=float32)
    """
    x = conjugate(x1)
    return lax.squeeze(matmul(lax.expand_dims(x, (-2,)), x2), (-2,))


@accepts_out_sharding
@documented(CONTRACTION)
def tensordot(
    a: ArrayLike,
    b: ArrayLike,
    axes: Any = 2,
    *,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The sums of products over the last dimensions of a and first of b, or over the pairs `axes` =
    (of a, of b).

    Args:
      a, b: arrays.
      axes: an integer n for the last n dimensions of a and the first n of b; or two sequences of
        dimensions, of a and of b.

    Returns:
      An array with the other dimensions of a, then those of b.

    Raises:
      TypeError: sizes or numbers of axes do not match.
      ValueError: an axis repeats or is out of bounds.

    Example:
      >>> tensordot(np.ones((2, 3)), np.ones((3, 2)), 1).shape
      (2, 2)
    """
    x, y = _operands("tensordot", a, b, precision, preferred_element_type)
    if isinstance(axes, (list, tuple)) and len(axes) == 2:
        counts = [len(one_or_several(a)) for a in axes]
        if counts[0] != counts[1]:
            raise type_error(
                f"tensordot requires axes lists to have equal length, got: {axes[0]} and {axes[1]}"
            )
        if any(isinstance(a, str) for a in axes):
            raise type_error(
                "tensordot requires both axes lists to be either ints, tuples or lists, got: "
                f"{axes[0]!r} and {axes[1]!r}"
            )
        lc = canonical_axes(axes[0], x.ndim, "axes[0]")
        rc = canonical_axes(axes[1], y.ndim, "axes[1]")
    else:
        try:
            count: int = operator.index(axes)  # pyright: ignore[reportArgumentType]
        except TypeError:
            raise type_error(
                "tensordot axes argument must be an int, a pair of ints, or a pair of lists/tuples "
                f"of ints, got: {axes!r}"
            ) from None
        if not 0 <= count <= min(x.ndim, y.ndim):
            raise type_error(
                f"Number of tensordot axes (axes {count}) exceeds input ranks ({x.ndim} and "
                f"{y.ndim})"
            )
        lc, rc = tuple(range(x.ndim - count, x.ndim)), tuple(range(count))
    check_contracted("tensordot", x, lc, y, rc)
    return contract(x, y, (), (), lc, rc, preferred_element_type)


def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """The Kronecker product: a with each element replaced by its product with b.

    Args:
      a, b: arrays, which are promoted.

    Returns:
      An array whose sizes are the products of the operands' sizes.

    Example:
      >>> kron(np.int32([1, 10]), np.int32([1, 2]))
      Array([ 1,  2, 10, 20], dtype=int32)
    """
    x, y = promote("kron", a, b)
    rank = max(x.ndim, y.ndim)
    x, y = lax.broadcast_to_rank(x, rank), lax.broadcast_to_rank(y, rank)
    product = lax.expand_dims(x, range(1, 2 * rank, 2)) * lax.expand_dims(y, range(0, 2 * rank, 2))
    return lax.reshape(product, tuple(p * q for p, q in zip(x.shape, y.shape, strict=True)))


def cross(
    a: ArrayLike,
    b: ArrayLike,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Array:
    """The cross products of vectors with 2 or 3 components; the scalar third component if both have
    2.

    Args:
      a, b: arrays of vectors with 2 or 3 components; they are promoted, and their other dimensions
        broadcast.
      axisa, axisb: the dimension of the components in each array.
      axisc: their dimension in the result.
      axis: if given, all three.

    Returns:
      An array with 3 components along `axisc`; without it if both arrays have 2.

    Raises:
      ValueError: there is another number of components, or an axis is out of bounds.

    Example:
      >>> cross(np.int32([1, 0, 0]), np.int32([0, 1, 0]))
      Array([0, 0, 1], dtype=int32)
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = promote("cross", a, b)
    x = moveaxis(x, canonical_axis(axisa, x.ndim), -1)
    y = moveaxis(y, canonical_axis(axisb, y.ndim), -1)
    if x.shape[-1] not in (2, 3) or y.shape[-1] not in (2, 3):
        raise value_error(
            f"cross: vectors must have 2 or 3 components, got: {x.shape[-1]} and {y.shape[-1]}"
        )
    both_planar = x.shape[-1] == y.shape[-1] == 2
    xs, ys = [list(lax.unstack(v, -1)) for v in (x, y)]
    for components in (xs, ys):
        if len(components) == 2:
            components.append(lax.full_like(components[0], 0))
    third = xs[0] * ys[1] - xs[1] * ys[0]
    if both_planar:
        return third
    first = xs[1] * ys[2] - xs[2] * ys[1]
    second = xs[2] * ys[0] - xs[0] * ys[2]
    return moveaxis(lax.stack([first, second, third], -1), -1, axisc)
