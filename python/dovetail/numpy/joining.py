"""Arrays joined and split."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.documentation import documented
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.creation import asarray
from dovetail.numpy.data import as_dtype
from dovetail.numpy.indexing import new_if_empty
from dovetail.numpy.promotion import no_out, promote
from dovetail.numpy.shape import atleast_1d, atleast_2d, atleast_3d, ravel
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axes, canonical_axis
from dovetail.symbolic.size import as_size, is_symbolic_dim, max_dim, min_dim
from dovetail.symbolic.slices import within

_SPLIT = """
    Args:
      ary: an array.
      indices_or_sections: the number of sections, which must divide the size, or increasing places
        at which to cut.

    Returns:
      A list of arrays.
"""


def _operands(name: str, arrays: Any, dtype: Any = None) -> list[Array]:
    """The arrays of a sequence, or along the first dimension of an array, in one element type."""
    if isinstance(arrays, (ArrayMethods, np.ndarray)):
        arrays = lax.unstack(as_operand(name, arrays))
    elif not isinstance(arrays, (list, tuple)):
        raise type_error(
            f"{name}: arrays must be given as a list or tuple, got: {type(arrays).__name__}"
        )
    if not arrays:
        raise value_error(f"{name}: at least one array is needed, got: none")
    if dtype is None:
        return promote(name, *arrays)
    element = dtypes.requested(dtype, name)
    return [as_dtype(as_operand(name, x, i), element) for i, x in enumerate(arrays)]


def concatenate(
    arrays: Sequence[ArrayLike] | ArrayLike, axis: int | None = 0, dtype: Any = None
) -> Array:
    """The arrays one after the other along `axis`; None flattens them first.

    Args:
      arrays: a sequence of arrays whose shapes are equal except along `axis`, or an array of them;
        types are promoted.
      axis: the dimension; None flattens the arrays first.
      dtype: the element type of the result; by default the promoted one.

    Returns:
      One array.

    Raises:
      TypeError: the shapes differ elsewhere.
      ValueError: there is no array, or all have rank 0.

    Example:
      >>> concatenate([np.int32([1, 2]), np.int32([3])])
      Array([1, 2, 3], dtype=int32)
    """
    xs = _operands("concatenate", arrays, dtype)
    if axis is None:
        xs, axis = [ravel(x) for x in xs], 0
    if len({x.ndim for x in xs}) > 1:
        raise type_error(
            "Cannot concatenate arrays with shapes that differ in dimensions other than the one "
            f"being concatenated: concatenating along dimension {axis} for shapes "
            f"{' and '.join(str(x.shape) for x in xs)}"
        )
    if not xs[0].ndim:
        raise value_error(
            "concatenate: arrays must have 1 dimension or more, got: rank 0; use stack"
        )
    axis = canonical_axis(axis, xs[0].ndim)
    return lax.concatenate(xs, axis)


def concat(arrays: Sequence[ArrayLike], /, *, axis: int | None = 0) -> Array:
    """`concatenate`, by the name of the array API standard.

    Args:
      arrays: a sequence of arrays whose shapes are equal except along `axis`.
      axis: the dimension; None flattens the arrays first.

    Returns:
      One array of the promoted type.

    Example:
      >>> concat([np.int32([1, 2]), np.int32([3])])
      Array([1, 2, 3], dtype=int32)
    """
    return concatenate(arrays, axis)


def stack(
    arrays: Sequence[ArrayLike] | ArrayLike, axis: int = 0, out: None = None, dtype: Any = None
) -> Array:
    """Arrays of one shape along a new dimension.

    Args:
      arrays: a sequence of arrays of one shape, or an array of them; types are promoted.
      axis: the place of the new dimension in the result.
      out: must be None.
      dtype: the element type of the result.

    Returns:
      An array with one additional dimension.

    Raises:
      ValueError: the shapes differ, or there is no array.

    Example:
      >>> stack([np.int32([1, 2]), np.int32([3, 4])])
      Array([[1, 2],
             [3, 4]], dtype=int32)
    """
    no_out("stack", out)
    xs = _operands("stack", arrays, dtype)
    if any(x.shape != xs[0].shape for x in xs):
        raise value_error(
            "stack: all arrays must have the same shape, got: "
            f"{', '.join(str(x.shape) for x in xs)}"
        )
    return lax.stack(xs, axis)


def vstack(tup: Sequence[ArrayLike] | ArrayLike, dtype: Any = None) -> Array:
    """Arrays one below the other; vectors are rows.

    Args:
      tup: a sequence of arrays whose sizes are equal except along the first dimension.
      dtype: the element type of the result.

    Returns:
      An array of rank 2 or more.

    Example:
      >>> vstack([np.int32([1, 2]), np.int32([3, 4])])
      Array([[1, 2],
             [3, 4]], dtype=int32)
    """
    return concatenate([atleast_2d(x) for x in _operands("vstack", tup)], 0, dtype)


def hstack(tup: Sequence[ArrayLike] | ArrayLike, dtype: Any = None) -> Array:
    """Arrays side by side; vectors one after the other.

    Args:
      tup: a sequence of arrays whose sizes are equal except along the second dimension, or of
        vectors.
      dtype: the element type of the result.

    Returns:
      An array of rank 1 or more.

    Example:
      >>> hstack([np.int32([1, 2]), np.int32([3])])
      Array([1, 2, 3], dtype=int32)
    """
    xs = [atleast_1d(x) for x in _operands("hstack", tup)]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1, dtype)


def dstack(tup: Sequence[ArrayLike] | ArrayLike, dtype: Any = None) -> Array:
    """Arrays along the third dimension.

    Args:
      tup: a sequence of arrays whose sizes are equal except along the third dimension, which
        matrices get.
      dtype: the element type of the result.

    Returns:
      An array of rank 3 or more.

    Example:
      >>> dstack([np.int32([1, 2]), np.int32([3, 4])]).shape
      (1, 2, 2)
    """
    return concatenate([atleast_3d(x) for x in _operands("dstack", tup)], 2, dtype)


def column_stack(tup: Sequence[ArrayLike] | ArrayLike) -> Array:
    """Vectors as the columns of a matrix, with matrices side by side.

    Args:
      tup: a sequence of vectors and matrices with the same number of rows.

    Returns:
      A matrix of the promoted type.

    Example:
      >>> column_stack([np.int32([1, 2]), np.int32([3, 4])])
      Array([[1, 3],
             [2, 4]], dtype=int32)
    """
    xs = _operands("column_stack", tup)
    return concatenate([x if x.ndim > 1 else lax.reshape(x, (x.size, 1)) for x in xs], 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Array:
    """`values` after `arr`, along `axis` or flattened.

    Args:
      arr: an array.
      values: an array whose sizes are equal except along `axis`.
      axis: the dimension; None flattens both first.

    Returns:
      A longer array of the promoted type.

    Example:
      >>> append(np.int32([1, 2]), np.int32([3]))
      Array([1, 2, 3], dtype=int32)
    """
    return concatenate([asarray(arr), asarray(values)], axis)


def block(arrays: Any) -> Array:
    """Nested lists of blocks joined: the innermost lists along the last dimension, the next ones
    along the dimension before it, and so on.

    Args:
      arrays: an array, or lists of them, of lists of them and so on, all nested equally deep.

    Returns:
      An array of the promoted type.

    Raises:
      ValueError: lists are empty, or not nested equally deep.
      TypeError: blocks do not fit together.

    Example:
      >>> block([[np.eye(1), np.zeros((1, 1))], [np.zeros((1, 2))]]).shape
      (2, 2)
    """

    def depth(x: Any) -> int:
        return 1 + max(map(depth, x)) if isinstance(x, list) and x else 0

    def rank(x: Any) -> int:
        return max(map(rank, x)) if isinstance(x, list) else np.ndim(x)

    levels = depth(arrays)
    dims = max(levels, rank(arrays))

    def joined(x: Any, level: int) -> Array:
        if not isinstance(x, list):
            if level != levels:
                raise value_error(
                    f"block: lists must be nested equally deep, got: depths {level} and {levels}"
                )
            return lax.broadcast_to_rank(asarray(x), dims)
        if not x:
            raise value_error("block: lists must not be empty")
        return concatenate([joined(y, level + 1) for y in x], dims - levels + level)

    return joined(arrays, 0)


# Splitting ----------------------------------------------------------------------------------------


@documented(_SPLIT)
def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Equal sections, or the pieces between indices, along `axis`.

    Args:
      axis: the dimension to split.

    Raises:
      ValueError: the sections would not be equal.

    Example:
      >>> [p.shape for p in split(np.ones(6), 3)]
      [(2,), (2,), (2,)]
    """
    return _split("split", ary, indices_or_sections, axis)


@documented(_SPLIT)
def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Array]:
    """Like `split`; sections need not be equal, the first are longer by one.

    Args:
      indices_or_sections: the number of sections, or increasing places at which to split.
      axis: the dimension to split.

    Example:
      >>> [p.shape for p in array_split(np.ones(5), 2)]
      [(3,), (2,)]
    """
    return _split("array_split", ary, indices_or_sections, axis)


@documented(_SPLIT)
def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the second dimension, or that of a vector.

    Example:
      >>> [p.shape for p in hsplit(np.ones((2, 4)), 2)]
      [(2, 2), (2, 2)]
    """
    return _split("hsplit", ary, indices_or_sections, 0 if np.ndim(ary) == 1 else 1)


@documented(_SPLIT)
def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the first dimension.

    Example:
      >>> [p.shape for p in vsplit(np.ones((2, 4)), 2)]
      [(1, 4), (1, 4)]
    """
    return _split("vsplit", ary, indices_or_sections, 0)


@documented(_SPLIT)
def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Array]:
    """`split` along the third dimension.

    Example:
      >>> [p.shape for p in dsplit(np.ones((1, 1, 4)), 2)]
      [(1, 1, 2), (1, 1, 2)]
    """
    return _split("dsplit", ary, indices_or_sections, 2)


def _split(name: str, ary: ArrayLike, indices_or_sections: Any, axis: int) -> list[Array]:
    x = as_operand(name, ary)
    dim = canonical_axis(axis, x.ndim)
    size = x.shape[dim]
    if isinstance(indices_or_sections, (list, tuple)) or np.ndim(indices_or_sections) > 0:
        indices = [_place(i) for i in indices_or_sections]
        bounds = [0, *(within(i, size, 0, size) for i in indices), size]
        pieces = [(a, max_dim(a, b)) for a, b in itertools.pairwise(bounds)]
    else:
        count = _sections(indices_or_sections)
        if count < 1:
            raise value_error(f"{name}: there must be 1 section or more, got: {count}")
        if size % count != 0 and name != "array_split":
            hint = f"add the constraint '{size} % {count} == 0', or " * is_symbolic_dim(size)
            raise value_error(
                f"{name}: sections must be equal, got: {count} of size {size}; {hint}use "
                "array_split"
            )
        length, longer = divmod(size, count)
        ends = [i * length + min_dim(i, longer) for i in range(count + 1)]
        pieces = list(itertools.pairwise(ends))
    return [lax.slice_in_dim(x, a, b, 1, dim) for a, b in pieces]


def _place(index: Any) -> int:
    if isinstance(index, ArrayMethods) and dtypes.KINDS[index.dtype] == "f":
        # Report that the value is unknown before reporting that it is a float.
        index._value()
    return as_size(index)


def _sections(number: Any) -> int:
    """The number of sections; a float that is whole is accepted."""
    value: Any = number._value()[()] if isinstance(number, ArrayMethods) else number
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    return operator.index(value)  # type: ignore[arg-type]


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The slices along a dimension, without it.

    Args:
      x: an array of rank 1 or more.
      axis: the dimension.

    Returns:
      A tuple of arrays with one dimension fewer.

    Example:
      >>> len(unstack(np.ones((2, 3))))
      2
    """
    return lax.unstack(x, axis)


def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: int | Sequence[int] | None = None) -> Array:
    """An array of known elements without its leading ("f") and trailing ("b") zeros.

    Args:
      filt: an array whose value is known.
      trim: the ends to trim: `f`, `b` or `fb`.
      axis: the dimensions along which slices of zeros are omitted, by default all.

    Returns:
      An array of the rank of `filt`.

    Example:
      >>> trim_zeros(np.int32([0, 1, 0]))
      Array([1], dtype=int32)
    """
    x, ends = asarray(filt), trim.lower()
    value = x._value()
    for dim in canonical_axes(axis, x.ndim) if set(ends) & set("fb") else ():
        others = tuple(d for d in range(x.ndim) if d != dim)
        nonzero = np.flatnonzero(value.any(others))
        # Nothing is left where there is nothing but zeros.
        first, last = (nonzero[0], nonzero[-1]) if nonzero.size else (0, -1)
        start = int(first) if "f" in ends else 0
        stop = int(last) + 1 if "b" in ends or not nonzero.size else x.shape[dim]
        x = new_if_empty(x, lax.slice_in_dim(x, start, stop, 1, dim))
    return x
