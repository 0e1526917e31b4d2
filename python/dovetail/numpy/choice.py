"""Elements chosen from several arrays by conditions or by numbers."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import lax, ops
from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.base.errors import needed_for, value_error
from dovetail.numpy.arithmetic import remainder
from dovetail.numpy.bounds import clip
from dovetail.numpy.creation import asarray
from dovetail.numpy.logic import truth
from dovetail.numpy.promotion import (
    broadcast,
    no_out,
    pair,
    promote,
    promote_and_broadcast,
    with_dtype,
)
from dovetail.numpy.taking import nonzero
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_to, check_kind
from dovetail.tracing.bind import apply_known, is_for_numpy


def where(
    condition: ArrayLike,
    x: ArrayLike | None = None,
    y: ArrayLike | None = None,
    /,
    *,
    size: int | None = None,
    fill_value: ArrayLike | None = None,
) -> Any:
    """Elements of x where the condition holds, of y elsewhere; alone, the indices where it holds.

    Args:
      condition: an array, true where it is not 0.
      x, y: arrays or scalars, which are promoted; all three are broadcast.
      size, fill_value: without x and y, as in `nonzero`.

    Returns:
      An array of the promoted type; without x and y, the result of `nonzero`.

    Raises:
      ValueError: one of x and y is missing, or `size` is given with them.

    Example:
      >>> where(True, 1, 2.0)
      Array(1., dtype=float32, weak_type=True)
      >>> where(np.array([False, True]))
      (Array([1], dtype=int32),)
    """
    if x is None and y is None:
        return nonzero(condition, size=size, fill_value=fill_value)
    if x is None or y is None:
        raise value_error("where: x and y must be given both or not at all, got: one of them")
    if size is not None or fill_value is not None:
        raise value_error("where: size and fill_value must be None when x and y are given")
    p = truth("where", condition)
    ranks = {z.ndim for z in (x, y) if isinstance(z, (ArrayMethods, np.ndarray))}
    a, b = (pair if len(ranks - {0}) < 2 else promote)("where", x, y)
    if not p.shape == a.shape == b.shape:
        p, a, b = broadcast("where", p, a, b, is_asked=True)
    # Nothing is chosen from no elements: in JAX, they are where those of x are.
    return a if 0 in a.shape else ops.select(p, a, b)


def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> Array:
    """Elements of the first choice whose condition holds, or of `default` if none does.

    Args:
      condlist: arrays of bools.
      choicelist: as many arrays or scalars, which are promoted.
      default: an array or a scalar.

    Returns:
      An array of the shape to which all are broadcast.

    Raises:
      ValueError: the lists differ in length, or are empty.

    Example:
      >>> select([False, True], [1, 2], 3)
      Array(2, dtype=int32, weak_type=True)
    """
    if not condlist or len(condlist) != len(choicelist):
        raise value_error(
            "select: there must be one condition for each choice, and at least one, got: "
            f"{len(condlist)} conditions and {len(choicelist)} choices"
        )
    choices = promote_and_broadcast("select", *choicelist, default, are_results=True)
    conditions = broadcast("select", *condlist, are_results=True)
    result = choices[-1]
    for condition, choice in zip(reversed(conditions), reversed(choices[:-1]), strict=True):
        result = where(condition, choice, result)
    return result


def piecewise(x: ArrayLike, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Array:
    """f(x) for the function, or the value, of `funclist` whose condition is the last to hold.

    An additional function applies to elements for which no condition holds, which are 0 otherwise.

    Args:
      x: an array.
      condlist: a list of arrays of bools that broadcast with `x`, or an array of them.
      funclist: for each condition a scalar, or a function, which is called with all of `x`;
        optionally one more for the other elements.
      args, kw: further arguments of the functions.

    Returns:
      An array of the shape and the element type of `x`.

    Raises:
      ValueError: the number of functions does not match.

    Example:
      >>> piecewise(np.float32([-1, 1]), [np.array([True, False])], [lambda v: -v, 5])
      Array([1., 5.], dtype=float32)
    """
    array = as_operand("piecewise", x)
    conditions = list(condlist) if isinstance(condlist, (list, tuple)) else list(asarray(condlist))
    functions = list(funclist)
    if len(functions) == len(conditions):
        functions.append(0)
    if len(functions) != len(conditions) + 1:
        raise value_error(
            "piecewise: there must be as many functions as conditions, or one more, got: "
            f"{len(conditions)} conditions and {len(functions)} functions"
        )
    values = [f(array, *args, **kw) if callable(f) else f for f in functions]
    result = broadcast_to(with_dtype(values[-1], array.dtype), array.shape)
    for condition, value in zip(conditions, values[:-1], strict=True):
        result = where(condition, with_dtype(value, array.dtype), result)
    return result


def choose(
    a: ArrayLike, choices: Sequence[ArrayLike], out: None = None, mode: str = "raise"
) -> Array:
    """Elements of `choices[a]`; an index out of bounds is an error ("raise", for known `a` only),
    is moved to the nearest ("clip") or counts on from 0 ("wrap").

    Args:
      a: an array of integers.
      choices: arrays, which are promoted, and broadcast together with `a`.
      out: must be None.
      mode: `raise`, `clip` or `wrap`.

    Returns:
      An array of the promoted type.

    Raises:
      ValueError: an index is out of bounds, and the mode is `raise`.

    Example:
      >>> choose(np.int32([0, 1]), [np.int32([1, 2]), np.int32([3, 4])])
      Array([1, 4], dtype=int32)
    """
    no_out("choose", out)
    count = len(choices)
    if mode not in ("raise", "clip", "wrap") or not count:
        raise value_error(
            "choose: there must be a choice, and mode must be 'raise', 'clip' or 'wrap', got: "
            f"{count} choices and mode {mode!r}"
        )
    index = check_kind("choose", as_operand("choose", a), "biu")
    if is_for_numpy(index, kinds="iu") and count <= 32:
        cases = promote("choose", *choices)
        if is_for_numpy(*cases):
            # Only checks that the shapes broadcast.
            broadcast("choose", index, *cases)
            chosen = functools.partial(_chosen, mode=mode)
            return apply_known(chosen, index, *cases, weak_type=cases[0].weak_type)
    if mode == "raise":
        with needed_for(
            "The error occurred because jnp.choose was jit-compiled with mode='raise'. Use "
            "mode='wrap' or mode='clip' instead."
        ):
            value = index._value()
        _check_choice(value, count)
    index = remainder(index, count) if mode == "wrap" else clip(index, 0, count - 1)
    given = with_dtype(index, dtypes.int32), *promote("choose", *choices)
    which, *cases = broadcast("choose", *given, are_results=True)
    # A gather, as in JAX: on a mesh, the index decides how the result is divided.
    places = [ops.iota(dim, which.shape, dtypes.int32) for dim in range(which.ndim)]
    return lax.stack(cases)[which, *places]


def _chosen(index: np.ndarray, *cases: np.ndarray, mode: Any) -> np.ndarray:
    """`choose` of NumPy arrays, of which NumPy's takes 32."""
    try:
        # NumPy does not accept unsigned 64-bit integers here.
        return np.choose(index.astype(np.intp, copy=False), cases, mode=mode)
    except ValueError:
        _check_choice(index, len(cases))
        raise


def _check_choice(index: np.ndarray, count: int) -> None:
    if ((index < 0) | (index >= count)).any():
        raise value_error(
            "invalid entry in choice array: an index must be at least 0 and less than "
            f"{count}; use mode='clip' or mode='wrap'"
        )


def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    method: str = "auto",
) -> Array:
    """Test whether each element is one of `test_elements`, by comparing all pairs.

    Args:
      element: an array.
      test_elements: an array, of any shape.
      assume_unique: accepted.
      invert: whether to negate the result.
      method: accepted, if it is `auto`, `compare_all`, `binary_search` or `sort`.

    Returns:
      An array of bools of the shape of `element`.

    Raises:
      ValueError: there is no such method.

    Example:
      >>> isin(np.int32([1, 2]), np.int32([2, 3]))
      Array([False,  True], dtype=bool)
    """
    if method not in ("auto", "compare_all", "binary_search", "sort"):
        raise value_error(
            f"isin: method must be auto, compare_all, binary_search or sort, got: {method!r}"
        )
    x, y = promote("isin", element, test_elements)
    # On a mesh, the result is divided like the flat array, as in JAX.
    flat, sizes = lax.reshape(x, (x.size, 1)), (x.size, y.size)
    pairs = ops.compare(
        broadcast_to(flat, sizes), broadcast_to(lax.reshape(y, (1, y.size)), sizes), "eq"
    )
    found = lax.reshape(ops.reduce_or(pairs, (1,)), x.shape)
    return ops.not_(found) if invert else found
