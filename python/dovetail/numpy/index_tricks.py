"""Arrays of indices: grids, triangles, diagonals."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import needed_for, type_error, value_error
from dovetail.numpy.arithmetic import floor_divide, remainder
from dovetail.numpy.bounds import clip
from dovetail.numpy.creation import asarray, zeros
from dovetail.numpy.joining import concatenate
from dovetail.numpy.patterns import meshgrid
from dovetail.numpy.promotion import promote, static, strong, with_dtype
from dovetail.numpy.ranges import arange, linspace
from dovetail.numpy.shape import ravel
from dovetail.numpy.sizes import shape_of
from dovetail.numpy.taking import nonzero
from dovetail.ops.operands import ArrayLike, as_operand, canonical_shape
from dovetail.symbolic.size import as_size, is_symbolic_dim
from dovetail.tracing.bind import constant

s_ = np.s_
index_exp = np.index_exp


def indices(dimensions: Sequence[int], dtype: Any = None, sparse: bool = False) -> Any:
    """The index of each element along each dimension, stacked; with `sparse` as arrays that
    broadcast together.

    Args:
      dimensions: the sizes of a grid.
      dtype: the element type; by default that of integers.
      sparse: whether the arrays have size 1 in all dimensions but their own.

    Returns:
      An array of shape (n, *dimensions) for n dimensions; with `sparse` a tuple of n arrays.

    Example:
      >>> indices((2, 2))[0]
      Array([[0, 0],
             [1, 1]], dtype=int32)
    """
    sizes = canonical_shape(tuple(dimensions), "dimensions")
    element = dtypes.requested(dtype, "indices", dtypes.int64)
    vectors = [lax.iota(element, s) for s in sizes]
    grids = meshgrid(*vectors, sparse=sparse, indexing="ij")
    if sparse:
        return tuple(grids)
    return lax.stack(grids) if grids else lax.full((0,), 0, element)


def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Vectors of integers shaped so that they broadcast to a grid.

    Args:
      args: vectors of numbers.

    Returns:
      An array for each vector, with the vector's size in its own dimension and 1 in all others.

    Raises:
      ValueError: an argument is not a vector, or is of bools.

    Example:
      >>> [x.shape for x in ix_(np.arange(2), np.arange(3))]
      [(2, 1), (1, 3)]
    """
    vectors = [as_operand("ix_", a, i) for i, a in enumerate(args)]
    if any(v.ndim != 1 for v in vectors):
        raise value_error(f"ix_: arguments must be vectors, got: ranks {[v.ndim for v in vectors]}")
    if any(v.dtype == dtypes.bool_ for v in vectors):
        raise value_error(
            "ix_: arguments must be integers, got: bools; find the indices with NumPy first"
        )
    return tuple(
        lax.reshape(v, [v.size if i == j else 1 for j in range(len(vectors))])
        for i, v in enumerate(vectors)
    )


def _pair(rows_and_columns: tuple[np.ndarray, ...]) -> tuple[Array, ...]:
    return tuple(constant(v.astype(dtypes.default_dtype("i"))) for v in rows_and_columns)


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The rows and columns of the elements of an n × m matrix on diagonal `k` and below.

    Args:
      n: the number of rows.
      k: the last diagonal, counted from the main one to the right.
      m: the number of columns; None for n.

    Returns:
      Two vectors of default integers, in row-major order.

    Example:
      >>> tril_indices(2)
      (Array([0, 1, 1], dtype=int32), Array([0, 0, 1], dtype=int32))
    """
    return _pair(np.tril_indices(n, k, m))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Array, ...]:
    """The rows and columns of the elements of an n × m matrix on diagonal `k` and above.

    Args:
      n: the number of rows.
      k: the first diagonal, counted from the main one to the right.
      m: the number of columns; None for n.

    Returns:
      Two vectors of default integers, in row-major order.

    Example:
      >>> triu_indices(2)
      (Array([0, 0, 1], dtype=int32), Array([0, 1, 1], dtype=int32))
    """
    return _pair(np.triu_indices(n, k, m))


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """`tril_indices` of the shape of a matrix.

    Args:
      arr: a matrix.
      k: the last diagonal, counted from the main one to the right.

    Returns:
      Two vectors of default integers, in row-major order.

    Raises:
      ValueError: the rank is not 2.

    Example:
      >>> len(tril_indices_from(np.ones((2, 2))))
      2
    """
    rows, columns = _matrix_shape("tril_indices_from", arr)
    return tril_indices(rows, k, columns)


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Array, ...]:
    """`triu_indices` of the shape of a matrix.

    Args:
      arr: a matrix.
      k: the first diagonal, counted from the main one to the right.

    Returns:
      Two vectors of default integers, in row-major order.

    Raises:
      ValueError: the rank is not 2.

    Example:
      >>> len(triu_indices_from(np.ones((2, 2))))
      2
    """
    rows, columns = _matrix_shape("triu_indices_from", arr)
    return triu_indices(rows, k, columns)


def _matrix_shape(name: str, arr: Any) -> tuple[int, int]:
    sizes = shape_of(arr)
    if len(sizes) != 2:
        raise value_error(f"{name}: arr must be a matrix, got: shape {sizes}")
    return sizes  # type: ignore[return-value]


def diag_indices(n: int, ndim: int = 2) -> tuple[Array, ...]:
    """The indices of the main diagonal of an array with `ndim` dimensions of size n.

    Args:
      n: the size of each dimension.
      ndim: the number of dimensions.

    Returns:
      `ndim` vectors of n default integers.

    Raises:
      ValueError: n or `ndim` is negative.

    Example:
      >>> diag_indices(2)
      (Array([0, 1], dtype=int32), Array([0, 1], dtype=int32))
    """
    if as_size(n) < 0 or operator.index(ndim) < 0:
        raise value_error(f"diag_indices: n and ndim must be 0 or more, got: {n} and {ndim}")
    return (arange(n, dtype=dtypes.default_dtype("i")),) * ndim


def diag_indices_from(arr: Any) -> tuple[Array, ...]:
    """`diag_indices` of the shape of an array with equal sizes.

    Args:
      arr: an array of rank 2 or more, whose sizes are equal.

    Returns:
      A vector of default integers for each dimension.

    Raises:
      ValueError: the rank is less, or the sizes differ.

    Example:
      >>> len(diag_indices_from(np.ones((2, 2, 2))))
      3
    """
    sizes = shape_of(arr)
    if len(sizes) < 2 or len(set(sizes)) != 1:
        raise value_error(
            f"diag_indices_from: arr must have 2 or more equal sizes, got: shape {sizes}"
        )
    return diag_indices(sizes[0], len(sizes))


def mask_indices(
    n: int, mask_func: Any, k: int = 0, *, size: int | None = None
) -> tuple[Array, ...]:
    """The rows and columns of the elements that `mask_func(ones((n, n)), k)` keeps; its result is
    known while tracing, unless `size` is given.

    Args:
      n: the number of rows and of columns.
      mask_func: takes a matrix of ones and `k`, and returns a matrix whose elements are 0 or not.
      k: the second argument of `mask_func`.
      size: the number of indices: more are cut off, fewer are filled with zeros.

    Returns:
      Two vectors of default integers, in row-major order.

    Example:
      >>> from dovetail import numpy as dnp
      >>> mask_indices(2, dnp.triu)
      (Array([0, 0, 1], dtype=int32), Array([0, 1, 1], dtype=int32))
    """
    kept = asarray(mask_func(lax.full((n, n), 1, np.int32), k))
    if size is not None:
        return nonzero(kept, size=size)
    return _pair(np.nonzero(kept._value()))


def unravel_index(indices: ArrayLike, shape: Any) -> tuple[Array, ...]:
    """Positions in row-major order as indices along each dimension of `shape`; out of bounds they
    are clipped.

    Args:
      indices: an array or scalar of integers; negative ones count from the end.
      shape: the sizes of the dimensions.

    Returns:
      An array of the shape and type of `indices` for each dimension.

    Raises:
      TypeError: the indices are not integers.

    Example:
      >>> unravel_index(5, (2, 3))
      (Array(1, dtype=int32, weak_type=True), Array(2, dtype=int32, weak_type=True))
    """
    sizes = canonical_shape(shape)
    position = as_operand("unravel_index", indices)
    if dtypes.KINDS[position.dtype] not in "iu":
        raise type_error(f"unravel_index: indices must be integers, got: {position.dtype.name}")
    total = math.prod(sizes)
    position = clip(position, -total, total - 1)
    result = []
    for size in reversed(sizes):
        result.append(remainder(position, size))
        position = floor_divide(position, size)
    return tuple(reversed(result))


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: str = "raise",
    order: str = "C",
    *,
    dtype: Any = None,
) -> Array:
    """Indices along each dimension as positions in row-major order.

    Args:
      multi_index: an array or scalar of integers for each dimension; they broadcast together.
      dims: the sizes of the dimensions.
      mode: what happens to indices out of bounds: `raise` rejects them, for which they must be
        known, `clip` moves them to the nearest element, `wrap` counts on from the start, `ignore`
        leaves them as they are.
      order: `C` if the last dimension is the fastest, `F` if the first is.
      dtype: the integer type of the positions, by default at least the default one.

    Returns:
      An array of that type and the broadcast shape.

    Raises:
      ValueError: the number of indices differs from that of dimensions, an index is out of bounds,
        the type does not hold all positions, or there is no such mode or order.
      TypeError: indices are not integers.

    Example:
      >>> ravel_multi_index((1, 2), (2, 3))
      Array(5, dtype=int32)
    """
    sizes = canonical_shape(tuple(dims), "dims")
    if len(multi_index) != len(sizes):
        raise value_error(
            f"ravel_multi_index: there must be one index for each of {len(sizes)} dimensions, got: "
            f"{len(multi_index)}"
        )
    if order not in ("C", "F"):
        raise value_error(f"ravel_multi_index: order must be 'C' or 'F', got: {order!r}")
    given = [as_operand("ravel_multi_index", x, i) for i, x in enumerate(multi_index)]
    wanted = dtypes.result_type(int, *given) if dtype is None else dtypes.requested(dtype, "dtype")
    for name in (wanted, *(x.dtype for x in given)):
        if dtypes.KINDS[name] not in "iu":
            raise type_error(f"ravel_multi_index: indices must be integers, got: {name.name}")
    count = math.prod(sizes)
    if not is_symbolic_dim(count) and count - 1 > dtypes.iinfo(wanted).max:
        raise value_error(
            f"ravel_multi_index: dtype must hold {count} positions, got: {wanted.name}"
        )
    pairs = [(_inside(x, s, mode), s) for x, s in zip(given, sizes, strict=True)]
    result = lax.full((), 0, wanted)
    for x, size in pairs if order == "C" else reversed(pairs):
        result = result * size + with_dtype(x, wanted)
    return strong(result)


def _inside(x: Array, size: int, mode: str) -> Array:
    """Indices of a dimension, of which those out of bounds are treated as `mode` says."""
    if mode == "clip":
        return clip(x, 0, size - 1)
    if mode == "wrap":
        return remainder(x, size)
    if mode == "raise":
        with needed_for(
            "The error occurred because ravel_multi_index was jit-compiled with mode='raise'. Use "
            "mode='wrap' or mode='clip' instead."
        ):
            value = x._value()
        if ((value < 0) | (value >= size)).any():
            raise value_error(
                "invalid entry in coordinates array of ravel_multi_index: indices must be in "
                f"[0, {size}), got: {value}"
            )
    elif mode != "ignore":
        raise value_error(
            f"ravel_multi_index: mode must be 'raise', 'clip', 'wrap' or 'ignore', got: {mode!r}"
        )
    return x


# Indexed with slices ------------------------------------------------------------------------------


def _span(key: slice, name: str) -> Array:
    """The numbers of a slice; an imaginary step is a count of points, the end among them."""
    start, stop, step = (
        static(getattr(key, what), f"the slice {what} of jnp.{name}")
        for what in ("start", "stop", "step")
    )
    start = 0 if start is None else start
    if isinstance(step, complex):
        return linspace(start, stop, int(abs(step)))
    return arange(start, stop, step)


class _Grid:
    """`mgrid[0:2, 0:3]`: the coordinates of a grid; `ogrid` returns them as arrays that broadcast
    together.
    """

    def __init__(self, name: str, sparse: bool) -> None:
        self._name = name
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return _span(key, self._name)
        if not key:
            return [] if self._sparse else zeros(0, int)
        spans = promote(self._name, *(_span(k, self._name) for k in key))
        grids = meshgrid(*spans, indexing="ij", sparse=self._sparse)
        return grids if self._sparse else lax.stack(grids)


class _Joiner:
    """`r_[1:3, 4]`: slices, numbers and arrays joined along one dimension; `c_` joins columns."""

    def __init__(self, name: str, axis: int, ndmin: int, trailing: int) -> None:
        self._name = name
        self._defaults = (axis, ndmin, trailing)

    def __getitem__(self, key: Any) -> Array:
        entries = key if isinstance(key, tuple) else (key,)
        axis, ndmin, position = self._defaults
        of_vectors = None  # The place of the dimension that turns a vector into a matrix.
        if entries and isinstance(entries[0], str):
            if entries[0] in ("r", "c"):
                of_vectors = "rc".index(entries[0])
            else:
                axis, ndmin, position = self._stated(entries[0])
            entries = entries[1:]
        parts = [_span(e, self._name) if isinstance(e, slice) else asarray(e) for e in entries]
        result = concatenate([self._raised(p, ndmin, position) for p in parts], axis)
        if of_vectors is None or result.ndim != 1:
            return result
        return lax.expand_dims(result, (of_vectors,))

    def _stated(self, directive: str) -> tuple[int, int, int]:
        """The axis, the least rank and the place of the last dimension, as a text states them."""
        try:
            numbers = [int(v) for v in directive.split(",")[:3]]
        except ValueError:
            raise value_error(
                f"could not understand directive {directive!r}; it must be 'r', 'c' or up to three "
                "integers"
            ) from None
        axis, ndmin, position = (*numbers, *self._defaults[len(numbers) :])
        return axis, ndmin, position

    def _raised(self, x: Array, ndmin: int, position: int) -> Array:
        """`x` with `ndmin` dimensions: new ones of size 1 in front, then all rotated, so that its
        last one comes to `position`.
        """
        x = ravel(x) if x.ndim == 0 else x
        if x.ndim >= ndmin:
            return x
        x = lax.reshape(x, (1,) * (ndmin - x.ndim) + x.shape)
        if position == -1:
            return x
        shift = -abs(ndmin + position + 1) % ndmin
        return lax.transpose(x, [*range(shift, ndmin), *range(shift)])


mgrid = _Grid("mgrid", sparse=False)
ogrid = _Grid("ogrid", sparse=True)
r_ = _Joiner("r_", axis=0, ndmin=1, trailing=-1)
c_ = _Joiner("c_", axis=-1, ndmin=2, trailing=0)
