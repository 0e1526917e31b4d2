"""Elements at indices along an axis, and the indices of elements."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import NonConcreteBooleanIndexError, index_error, type_error, value_error
from dovetail.numpy.index_equations import Promises
from dovetail.numpy.indexing import checked_mode, gathered, new_if_empty
from dovetail.numpy.logic import truth
from dovetail.numpy.places import Places
from dovetail.numpy.promotion import no_out
from dovetail.ops.operands import ArrayLike, as_operand, canonical_axis
from dovetail.symbolic.size import Size
from dovetail.tracing.bind import apply_all_known, apply_known, is_eager, is_for_numpy
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.tracer import AnyTracer
from dovetail.tracing.whole import whole
from dovetail.transforms.out_sharding import accepts_out_sharding


def _integers(name: str, x: ArrayLike) -> Array:
    array = as_operand(name, np.asarray(x) if isinstance(x, (list, tuple)) else x, 1)
    if dtypes.KINDS[array.dtype] not in "iu":
        raise type_error(f"{name} indices must be of integer type, got {array.dtype.name}")
    return array


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: None = None,
    mode: str | None = None,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: Any = None,
) -> Array:
    """The elements at indices along an axis.

    Args:
      a: an array.
      indices: integers, of any shape.
      axis: the dimension; None flattens `a` first.
      out: must be None.
      mode: for indices out of bounds: `fill` (the default) returns `fill_value`, by default NaN,
        the smallest signed or largest unsigned integer; `clip` the nearest element, for a negative
        index the first; `wrap` counts on from the other end.
      unique_indices, indices_are_sorted: promises, accepted.
      fill_value: see `mode`.

    Returns:
      An array in which the axis is replaced by the dimensions of `indices`.

    Example:
      >>> take(dnp.arange(4) * 10, dnp.array([2, 0]))
      Array([20,  0], dtype=int32)
    """
    no_out("take", out)
    x, numbers = as_operand("take", a), _integers("take", indices)
    if axis is None:
        x, axis = lax.reshape(x, (x.size,)), 0
    axis = canonical_axis(axis, x.ndim)
    if type(x.shape[axis]) is not Size and not x.shape[axis] and numbers.size:
        raise index_error(
            f"Cannot do a non-empty jnp.take() from an empty axis: axis {axis} of shape {x.shape}"
        )
    if mode == "wrap":
        numbers, mode = _wrapped(numbers, x.shape[axis]), "clip"
    # Elsewhere, negative indices count from the end under `clip`, too.
    wrap = mode != "clip"
    if not wrap and not makes_equations():
        numbers, wrap = lax.max(numbers, lax.full_like(numbers, 0)), True
    entries: list[Any] = [slice(None)] * x.ndim
    entries[axis] = numbers
    promises = Promises(unique_indices, indices_are_sorted)
    result = gathered(x, entries, checked_mode(mode, "fill"), fill_value, wrap, promises)
    return result if numbers.size else new_if_empty(x, result)


def _wrapped(numbers: Array, size: int) -> Array:
    """Indices modulo a size that is not 0."""
    sizes = lax.full_like(numbers, max(size, 1))
    rest = lax.rem(numbers, sizes)
    return lax.select(lax.lt(rest, lax.full_like(rest, 0)), lax.add(rest, sizes), rest)


def _along(x: Array, numbers: Array, axis: int) -> list[Any]:
    """The index that pairs each element's place with its number along the axis."""
    entries: list[Any] = []
    for d in range(x.ndim):
        if d == axis:
            entries.append(numbers)
        elif numbers.shape[d] == 1 or x.shape[d] == 1:
            # Broadcast: the index does not depend on it, or there is one place only.
            entries.append(_places(x.shape[d], _column(x.ndim, d)))
        else:
            entries.append(_places(numbers.shape[d], _column(x.ndim, d)))
    return entries


def _places(size: Any, shape: tuple[int, ...]) -> Any:
    """The numbers of places along a dimension."""
    if type(size) is not Size:
        return np.arange(size).reshape(shape)
    places = lax.broadcasted_iota(np.int32, (size,), 0)
    return lax.reshape(places, tuple(size if s == -1 else s for s in shape))


def _column(rank: int, dim: int) -> tuple[int, ...]:
    return tuple(-1 if d == dim else 1 for d in range(rank))


def _operands_along(
    name: str, arr: ArrayLike, indices: ArrayLike, axis: int | None
) -> tuple[Array, Array, int]:
    x, numbers = as_operand(name, arr), _integers(name, indices)
    if axis is None:
        x, axis = lax.reshape(x, (x.size,)), 0
    if x.ndim != numbers.ndim:
        raise value_error(
            f"{name}: array and indices must have one rank, got: shapes {x.shape} and "
            f"{numbers.shape}"
        )
    return x, numbers, canonical_axis(axis, x.ndim)


def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: str | None = None,
    fill_value: Any = None,
    *,
    wrap_negative_indices: bool | None = None,
) -> Array:
    """The elements at indices along an axis, one for each element of `indices`.

    Args:
      arr: an array.
      indices: integers, of the same rank; other dimensions are broadcast.
      axis: the dimension; None flattens `arr` first.
      mode, fill_value: as for `take`; `promise_in_bounds` states that none is out of bounds, and
        `one_hot` is like `fill` with 0.
      wrap_negative_indices: whether negative indices count from the end; by default they do, unless
        there is a promise.

    Returns:
      An array like `indices`.

    Example:
      >>> x = dnp.array([[3, 1, 2], [6, 5, 4]])
      >>> take_along_axis(x, dnp.argsort(x, axis=1), axis=1)
      Array([[1, 2, 3],
             [4, 5, 6]], dtype=int32)
    """
    x, numbers, dim = _operands_along("take_along_axis", arr, indices, axis)
    entries = _along(x, numbers, dim)
    wrap = mode != "promise_in_bounds" if wrap_negative_indices is None else wrap_negative_indices
    if mode == "one_hot":
        mode, fill_value = "fill", 0
    return gathered(x, entries, checked_mode(mode, "fill"), fill_value, wrap)


def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: str | None = None,
) -> Array:
    """A copy of an array with the elements at indices along an axis replaced.

    Args:
      arr: an array.
      indices: integers, as for `take_along_axis`.
      values: the new elements; broadcast.
      axis: the dimension; None treats `arr` as flat.
      inplace: must be False: arrays are immutable.
      mode: `drop` (the default) or `clip`.

    Returns:
      The modified copy.

    Example:
      >>> put_along_axis(dnp.zeros((2, 2)), dnp.array([[1], [0]]), 5.0, 1, inplace=False)
      Array([[0., 5.],
             [5., 0.]], dtype=float32)
    """
    if inplace:
        raise value_error(
            "put_along_axis: arrays are immutable, so inplace must be False; use the result"
        )
    x, numbers, dim = _operands_along("put_along_axis", arr, indices, axis)
    result = Places(x, tuple(_along(x, numbers, dim))).set(values, mode=mode)
    return lax.reshape(result, np.shape(arr)) if axis is None else result


def put(
    a: ArrayLike,
    ind: ArrayLike,
    v: ArrayLike,
    mode: str | None = None,
    *,
    inplace: bool = True,
) -> Array:
    """A copy of an array with elements replaced, indexed as if it were flat.

    Args:
      a: an array.
      ind: integers: the indices of the elements.
      v: their values, repeated if there are fewer.
      mode: for indices out of bounds: `clip`, including negative ones, `drop` (the default) or
        `wrap`.
      inplace: must be False: arrays are immutable.

    Returns:
      An array like `a`.

    Example:
      >>> put(dnp.zeros(3), dnp.array([0, 2]), 1.0, inplace=False)
      Array([1., 0., 1.], dtype=float32)
    """
    if inplace:
        raise value_error("put: arrays are immutable, so inplace must be False; use the result")
    x, numbers = as_operand("put", a), _integers("put", ind)
    flat, numbers = lax.reshape(x, (x.size,)), lax.reshape(numbers, (numbers.size,))
    values = as_operand("put", np.asarray(v) if isinstance(v, (list, tuple)) else v, 2)
    values = lax.reshape(values, (values.size,))
    if not values.size:
        return x
    if values.size != numbers.size:
        values = take(values, np.arange(numbers.size, dtype=np.int32) % values.size)
    if mode == "wrap":
        numbers, mode = _wrapped(numbers, x.size), "clip"
    # With "clip" negative numbers are out of bounds too, as in NumPy.
    wrap = mode != "clip"
    changed = Places(flat, numbers).set(values, mode=mode, wrap_negative_indices=wrap)
    return lax.reshape(changed, x.shape)


# Places of elements -----------------------------------------------------------------------------


def nonzero(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> tuple[Array, ...]:
    """The indices of the elements that are not zero, an array for each dimension.

    Args:
      a: an array.
      size: the number of indices to return, which a traced `a` needs; further ones are omitted.
      fill_value: the index, or one for each dimension, to fill with if there are fewer; by default
        0.

    Returns:
      Integers in row-major order.

    Raises:
      NonConcreteBooleanIndexError: `a` is traced, and `size` is not given.

    Example:
      >>> nonzero(dnp.array([0, 3, 0, 4]))
      (Array([1, 3], dtype=int32),)
      >>> nonzero(dnp.array([0, 3, 0, 4]), size=3, fill_value=-1)
      (Array([ 1,  3, -1], dtype=int32),)
    """
    given = as_operand("nonzero", np.asarray(a) if isinstance(a, (list, tuple)) else a)
    # NumPy finds numbers as fast as bools.
    x = given if size is None and is_for_numpy(given) else truth("nonzero", given)
    if not x.ndim:
        raise value_error(
            "nonzero: the array must have at least 1 dimension, got: rank 0; use atleast_1d"
        )
    if size is None:
        dtype = dtypes.default_dtype("i")
        find = functools.partial(_found, dtype=dtype)
        if 0 in x.shape:
            # There is nothing to find on the devices that have the array.
            return tuple([lax.full((0,), 0, dtype) for _ in x.shape])
        if is_eager(x):
            return tuple(apply_all_known(find, x, count=x.ndim, is_sized=False))
        is_traced = isinstance(x, AnyTracer)
        value = x.concrete(NonConcreteBooleanIndexError) if is_traced else x._value()
        return tuple([as_operand("nonzero", indices) for indices in find(value)])
    dtype = dtypes.default_dtype("i")
    flat = ops.convert(lax.reshape(x, (x.size,)), dtype)
    # The k-th true element goes to place k - 1, all others out of bounds.
    place = lax.sub(ops.cumsum(flat, 0), lax.full_like(flat, 1)) if x.size else flat
    place = lax.select(lax.ne(flat, lax.full_like(flat, 0)), place, lax.full_like(flat, size))
    count = lax.reduce_sum(flat, (0,))
    filled = lax.lt(lax.iota(dtype, size), lax.broadcast(count, (size,)))
    fill_value = 0 if fill_value is None else fill_value
    fills = fill_value if isinstance(fill_value, tuple) else (fill_value,) * x.ndim
    results = []
    for d, fill in enumerate(fills):
        along = lax.reshape(lax.broadcasted_iota(dtype, x.shape, d), (x.size,))
        found = Places(lax.full((size,), 0, dtype), place).set(along)
        results.append(lax.select(filled, found, lax.full((size,), fill, dtype)))
    return tuple(results)


def _found(x: np.ndarray, dtype: np.dtype) -> tuple[np.ndarray, ...]:
    """`nonzero` of a NumPy array."""
    return tuple([indices.astype(dtype) for indices in x.nonzero()])


def flatnonzero(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> Array:
    """The indices of the elements of the flat array that are not zero.

    Args:
      a: an array.
      size: the number of indices to return, which a traced `a` needs; further ones are omitted.
      fill_value: the index to fill with if there are fewer; by default 0.

    Returns:
      A vector of integers.

    Raises:
      NonConcreteBooleanIndexError: `a` is traced, and `size` is not given.

    Example:
      >>> flatnonzero(dnp.array([[0, 1], [1, 0]]))
      Array([1, 2], dtype=int32)
    """
    x = as_operand("flatnonzero", a)
    return nonzero(lax.reshape(x, (x.size,)), size=size, fill_value=fill_value)[0]


def argwhere(a: ArrayLike, *, size: int | None = None, fill_value: Any = None) -> Array:
    """The indices of the elements that are not zero, one row for each.

    Args:
      a: an array.
      size, fill_value: as for `nonzero`.

    Returns:
      An array of integers, of shape (elements found, rank of `a`).

    Raises:
      NonConcreteBooleanIndexError: `a` is traced, and `size` is not given.

    Example:
      >>> argwhere(dnp.array([[0, 1], [1, 0]]))
      Array([[0, 1],
             [1, 0]], dtype=int32)
    """
    x = truth("argwhere", np.asarray(a) if isinstance(a, (list, tuple)) else a)
    found = nonzero(x if x.ndim else lax.reshape(x, (1,)), size=size, fill_value=fill_value)
    if not x.ndim:
        return lax.full((found[0].shape[0], 0), 0, dtypes.default_dtype("i"))
    if size is None and is_eager(*found):
        return apply_known(_columns, *found)
    return lax.stack(found, 1)


def _columns(*columns: np.ndarray) -> np.ndarray:
    return np.array(columns).T


def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: int | None = None,
    *,
    size: int | None = None,
    fill_value: Any = 0,
    out: None = None,
) -> Array:
    """The slices along an axis where a condition holds.

    Args:
      condition: a vector of bools, at most as long as the dimension.
      a: an array.
      axis: the dimension; None flattens first.
      size: the number of slices to return, which a traced condition needs.
      fill_value: the value of elements of further slices.
      out: must be None.

    Returns:
      An array like `a`, except for its size along `axis`.

    Raises:
      NonConcreteBooleanIndexError: `condition` is traced, and `size` is not given.

    Example:
      >>> compress(dnp.array([True, False, True]), dnp.arange(3))
      Array([0, 2], dtype=int32)
    """
    no_out("compress", out)
    x = as_operand("compress", a)
    if axis is None:
        x, axis = lax.reshape(x, (x.size,)), 0
    axis = canonical_axis(axis, x.ndim)
    if isinstance(condition, ArrayMethods) or size is not None:
        places = nonzero(condition, size=size, fill_value=x.shape[axis])[0]
    else:
        places = np.nonzero(np.atleast_1d(condition))[0]
    return take(x, places, axis, mode="fill", fill_value=fill_value)


def extract(
    condition: ArrayLike, arr: ArrayLike, *, size: int | None = None, fill_value: Any = 0
) -> Array:
    """The elements of the flat array where a condition holds.

    Args:
      condition: an array of bools.
      arr: an array with as many elements.
      size: the number of elements to return, which a traced condition needs.
      fill_value: the value of further elements.

    Returns:
      A vector.

    Raises:
      NonConcreteBooleanIndexError: `condition` is traced, and `size` is not given.

    Example:
      >>> extract(dnp.array([[True, False], [False, True]]), dnp.array([[1, 2], [3, 4]]))
      Array([1, 4], dtype=int32)
    """
    mask = as_operand(
        "extract", np.asarray(condition) if isinstance(condition, list) else condition
    )
    return compress(lax.reshape(mask, (mask.size,)), arr, size=size, fill_value=fill_value)


@accepts_out_sharding
@whole
def bincount(
    x: ArrayLike,
    weights: ArrayLike | None = None,
    minlength: int = 0,
    *,
    length: int | None = None,
    out_sharding: Any = None,
) -> Array:
    """The number of occurrences of each integer, or the sum of their weights.

    Args:
      x: a vector of integers or bools; negative ones count as 0.
      weights: one for each element.
      minlength: the smallest size of the result.
      length: the size of the result, which a traced `x` needs; larger integers are omitted.

    Returns:
      A vector of counts.

    Example:
      >>> bincount(dnp.array([1, 1, 3]))
      Array([0, 2, 0, 1], dtype=int32)
    """
    given = as_operand("bincount", x)
    is_bool = given.dtype == dtypes.bool_
    numbers = ops.convert(given, dtypes.int32) if is_bool else _integers("bincount", given)
    if numbers.ndim != 1:
        raise value_error(f"bincount: x must be a vector, got: shape {numbers.shape}")
    amounts = None if weights is None else as_operand("bincount", weights, 1)
    if amounts is not None and amounts.shape != numbers.shape:
        raise value_error(
            f"bincount: weights must have the shape of x, got: {amounts.shape} and {numbers.shape}"
        )
    if length is None and is_for_numpy(numbers):
        least = int(minlength)
        if amounts is None:
            count = functools.partial(_counts, dtypes.default_dtype("i"), least)
            return apply_known(count, numbers, is_sized=False)
        if is_for_numpy(amounts, kinds="f"):
            count = functools.partial(_counts, amounts.dtype, least)
            weak = amounts.weak_type
            return apply_known(count, numbers, amounts, is_sized=False, weak_type=weak)
    if length is None:
        value = numbers._value()
        length = max(int(minlength), int(value.max()) + 1 if value.size else 0)
    numbers = lax.clamp(
        lax.full_like(numbers, 0), numbers, lax.full_like(numbers, dtypes.iinfo(numbers.dtype).max)
    )
    if amounts is None:
        dtype = dtypes.default_dtype("i")
        return Places(lax.full((length,), 0, dtype), numbers).add(lax.full(numbers.shape, 1, dtype))
    return Places(lax.full((length,), 0, amounts.dtype), numbers).add(amounts)


def _counts(
    dtype: np.dtype, least: int, x: np.ndarray, weights: np.ndarray | None = None
) -> np.ndarray:
    """`bincount` of a NumPy array."""
    return np.bincount(np.maximum(x, 0).astype(np.intp), weights, least).astype(dtype)
