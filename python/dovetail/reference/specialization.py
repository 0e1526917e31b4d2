"""Ops specialized for operands of known types: calls that need not ask for these, mostly of
NumPy's own functions.

They are made for operands of the same shapes and element types, though not of the same strides.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base.dtypes import KINDS, SMALL_INTS, float32, float64
from dovetail.reference import (
    arithmetic,
    contractions,
    conversions,
    elementary,
    integers,
    reductions,
    running,
    shapes,
)

Array = np.ndarray[Any, Any]
Dims = tuple[int, ...]
Function = Callable[..., Any]


class Call(NamedTuple):
    """A function and its keywords, which an executor passes faster than a partial object does."""

    function: Function
    keywords: dict[str, Any]


# The first takes the operands, each further one the result so far.
Chain = tuple[Call, ...]

# By function of the table: what makes its chain, or says with None that there is no better one.
_MAKERS: dict[Function, Callable[..., Chain | None]] = {}


def specialized(
    function: Function, operands: Sequence[Any], attributes: dict[str, Any]
) -> Chain | None:
    """The calls that compute the same, one after the other, of operands of the types of these; None
    if there are none that are faster.

    Args:
      operands: arrays, or what has `shape`, `dtype`, `ndim` and `size` as they do.
    """
    make = _MAKERS.get(function)
    return None if make is None else make(*operands, **attributes)


def _of(*functions: Function) -> Callable[[Callable[..., Chain | None]], Callable[..., Any]]:
    def enter(make: Callable[..., Chain | None]) -> Callable[..., Any]:
        _MAKERS.update(dict.fromkeys(functions, make))
        return make

    return enter


def _call(function: Function, **keywords: Any) -> Call:
    return Call(function, keywords)


def _as_type(dtype: np.dtype) -> Call:
    return _call(np.ndarray.astype, dtype=dtype)


# Elementwise ------------------------------------------------------------------------------------


def _unless_small(x: Array, *rest: Array, plain: Function) -> Chain | None:
    del rest
    return None if x.dtype in SMALL_INTS else (_call(plain),)


for _function, _plain in integers.OF_OTHERS.items():
    _MAKERS[_function] = functools.partial(_unless_small, plain=_plain)


def _in_float64(x: Array, *rest: Array, function: Function) -> Chain | None:
    del rest
    if x.dtype == float64:
        return (_call(function),)
    if x.dtype != float32:
        return None
    return _call(function, dtype=float64), _as_type(float32)


for _function, _of_float64 in elementary.OF_FLOAT64.items():
    _MAKERS[_function] = functools.partial(_in_float64, function=_of_float64)


@_of(elementary.sqrt)
def _sqrt(x: Array) -> Chain | None:
    return None if x.dtype.kind == "c" else (_call(np.sqrt),)


@_of(elementary.integer_pow)
def _integer_pow(x: Array, *, exponent: int) -> Chain | None:
    if x.dtype != float32 or not 0 < exponent < elementary.FEW_FACTORS:
        return None
    if exponent == 2:
        return _call(np.square, dtype=float64), _as_type(float32)
    product = integers.repeated_product
    return (_call(lambda x: product(x.astype(float64), exponent).astype(float32)),)


@_of(elementary.pow)
def _pow(x: Array, y: Array) -> Chain | None:
    if x.dtype.kind == "c":
        return None
    function = integers.power if KINDS[x.dtype] in "iu" else elementary.inexact_power
    return specialized(function, (x, y), {})


@_of(arithmetic.compare)
def _compare(x: Array, y: Array, *, direction: str) -> Chain:
    del x, y
    return (_call(arithmetic.COMPARISONS[direction]),)


@_of(arithmetic.div)
def _div(x: Array, y: Array) -> Chain | None:
    if KINDS[x.dtype] in "iu":
        return specialized(integers.divide, (x, y), {})
    return None if x.dtype.kind == "c" else (_call(np.divide),)


@_of(arithmetic.rem)
def _rem(x: Array, y: Array) -> Chain | None:
    if KINDS[x.dtype] in "iu":
        return specialized(integers.remainder, (x, y), {})
    return (_call(np.fmod),)


@_of(arithmetic.floor_div)
def _floor_div(x: Array, y: Array) -> Chain | None:
    return specialized(integers.floor_divide, (x, y), {}) if KINDS[x.dtype] in "iu" else None


@_of(arithmetic.floor_rem)
def _floor_rem(x: Array, y: Array) -> Chain | None:
    return specialized(integers.floor_remainder, (x, y), {}) if KINDS[x.dtype] in "iu" else None


@_of(arithmetic.abs)
def _abs(x: Array) -> Chain | None:
    return None if x.dtype in SMALL_INTS else (_call(np.absolute),)


def _bound(
    x: Array, y: Array, *, of_others: Function, step: np.ufunc, slow: Function
) -> Chain | None:
    if KINDS[x.dtype] != "f":
        return specialized(of_others, (x, y), {})
    if x.ndim and not y.ndim:
        return (_call(_bounded, step=step, slow=slow),)
    if y.ndim and not x.ndim:
        return (_call(lambda x, y: _bounded(y, x, step, slow)),)

    def call(x: Array, y: Array) -> Array:
        result = step(x, y)
        # NumPy takes any of two zeros.
        return result if _has_no_zero(result) else slow(x, y)

    return (_call(call),)


# In arrays of fewer elements, NumPy counts faster than it combines bools, and computes with one
# number as fast as with an array of it.
_FEW_ELEMENTS = 1 << 11


def _has_no_zero(x: Array) -> bool:
    if x.size < _FEW_ELEMENTS or x.dtype.isbuiltin != 1:
        return np.count_nonzero(x) == x.size
    return bool(x.all())


def _bounded(x: Array, bound: Array, step: np.ufunc, slow: Function) -> Array:
    """The greater or the lesser of an array's elements and one number."""
    value = float(bound)
    if not value and (step is np.minimum or math.copysign(1, value) < 0):
        result = step(x, bound)
        return result if _has_no_zero(result) else slow(x, bound)
    if x.size < _FEW_ELEMENTS:
        result = step(x, bound)
    else:
        result = np.full(x.shape, bound, x.dtype)
        step(x, result, out=result)
    # 0 is greater than -0, and NumPy takes any of them.
    return result if value else np.add(result, bound, out=result)


for _function, _of_others, _step in (
    (arithmetic.max, integers.maximum, np.maximum),
    (arithmetic.min, integers.minimum, np.minimum),
):
    _MAKERS[_function] = functools.partial(_bound, of_others=_of_others, step=_step, slow=_function)


@_of(arithmetic.real)
def _real(x: Array) -> Chain:
    del x
    return (_call(operator.attrgetter("real")),)


@_of(arithmetic.imag)
def _imag(x: Array) -> Chain:
    del x
    return (_call(operator.attrgetter("imag")),)


@_of(integers.invert)
def _invert(x: Array) -> Chain | None:
    return None if x.dtype in SMALL_INTS else (_call(np.invert),)


# NumPy's shifts read amounts as unsigned too, and fill from the sign of what they shift.


@_of(integers.shift_left)
def _shift_left(x: Array, y: Array) -> Chain | None:
    del y
    return None if x.dtype in SMALL_INTS else (_call(np.left_shift),)


@_of(integers.shift_right_arithmetic)
def _shift_right_arithmetic(x: Array, y: Array) -> Chain | None:
    del y
    return (_call(np.right_shift),) if x.dtype.kind == "i" and x.dtype not in SMALL_INTS else None


@_of(integers.shift_right_logical)
def _shift_right_logical(x: Array, y: Array) -> Chain | None:
    del y
    return (_call(np.right_shift),) if x.dtype.kind == "u" and x.dtype not in SMALL_INTS else None


@_of(conversions.convert)
def _convert(x: Array, *, dtype: np.dtype) -> Chain | None:
    source, target = KINDS[x.dtype], KINDS[dtype]
    if x.dtype == dtype or dtype in SMALL_INTS or (source == "c" and target != "c"):
        return None
    if target == "b":
        return (_call(functools.partial(np.not_equal, np.zeros(()).astype(x.dtype))),)
    if source == "f" and target in "iu":
        return _float_to_integer(x, dtype)
    if target == "f" and not conversions.is_rounded_once(x.dtype, dtype):
        return None
    return (_as_type(dtype),)


def _float_to_integer(x: Array, dtype: np.dtype) -> Chain | None:
    bound, count = conversions.bound_of(x.dtype, dtype), x.size
    if bound is None:
        return None
    absolute, less, count_nonzero = np.absolute, np.less, np.count_nonzero

    def call(x: Array) -> Array:
        if count_nonzero(less(absolute(x), bound)) == count:
            return x.astype(dtype)
        return conversions.convert(x, dtype=dtype)

    return (_call(call),)


# Shapes -----------------------------------------------------------------------------------------


@_of(shapes.reshape)
def _reshape(x: Array, *sizes: Array, shape: Dims) -> Chain | None:
    return None if sizes else (_call(operator.methodcaller("reshape", shape)),)


@_of(shapes.transpose)
def _transpose(x: Array, *, permutation: Dims) -> Chain:
    del x
    return (_call(operator.methodcaller("transpose", permutation)),)


@_of(shapes.slice)
def _slice(x: Array, *sizes: Array, shape: Dims, starts: Dims, strides: Dims) -> Chain | None:
    return (
        None if sizes else (_call(operator.itemgetter(shapes.slice_index(starts, shape, strides))),)
    )


@_of(shapes.reverse)
def _reverse(x: Array, *, dims: Dims) -> Chain:
    return (_call(operator.itemgetter(shapes.reverse_index(x.ndim, dims))),)


@_of(shapes.broadcast)
def _broadcast(x: Array, *sizes: Array, shape: Dims, dims: Dims) -> Chain | None:
    if sizes:
        return None
    dtype, strides, array = x.dtype, [0] * len(shape), np.ndarray
    for i, stride in zip(dims, np.empty(x.shape, dtype).strides, strict=True):
        strides[i] = stride

    def call(x: Array) -> Array:
        if x.flags.c_contiguous:
            return array(shape, dtype, x, 0, strides)
        return shapes.broadcast(x, shape=shape, dims=dims)

    return (_call(call),)


@_of(shapes.pad)
def _pad(
    x: Array, value: Array, *sizes: Array, shape: Dims, low: Dims, interior: Dims
) -> Chain | None:
    if sizes:
        return None
    places = shapes.pad_places(shape, x.shape, low, interior)
    if places is None:
        return None
    (source, target), dtype, empty = places, x.dtype, np.empty

    def call(x: Array, value: Array) -> Array:
        result = empty(shape, dtype)
        result[...] = value
        result[target] = x[source]
        return result

    return (_call(call),)


# Reductions -------------------------------------------------------------------------------------


def _accumulation(x: Array, *, dims: Dims, step: np.ufunc) -> Chain | None:
    if reductions.accumulator_type(x.dtype) != x.dtype:
        return None
    count = reductions.count_of(x.shape, dims)
    if step is np.add and reductions.wider_type(x.dtype, count) != x.dtype:
        return (_call(reductions.summed, dims=dims),)
    return (_call(step.reduce, axis=dims, dtype=x.dtype),)


def _bitwise(x: Array, *, dims: Dims, step: np.ufunc) -> Chain | None:
    return None if x.dtype in SMALL_INTS else (_call(step.reduce, axis=dims),)


for _function, _step in (
    (reductions.reduce_sum, np.add),
    (reductions.reduce_prod, np.multiply),
):
    _MAKERS[_function] = functools.partial(_accumulation, step=_step)
for _function, _step in (
    (reductions.reduce_and, np.bitwise_and),
    (reductions.reduce_or, np.bitwise_or),
    (reductions.reduce_xor, np.bitwise_xor),
):
    _MAKERS[_function] = functools.partial(_bitwise, step=_step)


def _extreme(x: Array, *, dims: Dims, step: np.ufunc, slow: Function) -> Chain | None:
    if x.dtype.isbuiltin != 1 or not x.size:
        return None
    reduce = step.reduce
    if KINDS[x.dtype] != "f":
        return (_call(step.reduce, axis=dims),)
    count_nonzero = np.count_nonzero

    def call(x: Array) -> Any:
        result = reduce(x, axis=dims)
        # NumPy takes any of several zeros.
        return result if count_nonzero(result) == result.size else slow(x, dims=dims)

    def call_for_scalar(x: Array) -> Any:
        return reduce(x, axis=dims) or slow(x, dims=dims)

    return (_call(call_for_scalar if len(dims) == x.ndim else call),)


for _function, _step in ((reductions.reduce_max, np.maximum), (reductions.reduce_min, np.minimum)):
    _MAKERS[_function] = functools.partial(_extreme, step=_step, slow=_function)


def _arg_extreme(x: Array, *, dimension: int, dtype: np.dtype, method: str) -> Chain | None:
    if x.dtype.isbuiltin != 1 or not x.shape[dimension]:
        return None
    return _call(operator.methodcaller(method, dimension)), _as_type(dtype)


for _name in ("argmax", "argmin"):
    _MAKERS[getattr(reductions, _name)] = functools.partial(_arg_extreme, method=_name)


def _running(x: Array, *, dimension: int, reverse: bool = False, step: np.ufunc) -> Chain | None:
    if reverse or reductions.accumulator_type(x.dtype) != x.dtype:
        return None
    if step is np.add:
        wider = reductions.wider_type(x.dtype, x.shape[dimension])
        if wider != x.dtype:
            return _call(step.accumulate, axis=dimension, dtype=wider), _as_type(x.dtype)
    return (_call(step.accumulate, axis=dimension, dtype=x.dtype),)


for _function, _step in ((running.cumsum, np.add), (running.cumprod, np.multiply)):
    _MAKERS[_function] = functools.partial(_running, step=_step)


@_of(contractions.dot_general)
def _dot_general(
    lhs: Array,
    rhs: Array,
    *,
    lhs_batch: Dims,
    rhs_batch: Dims,
    lhs_contract: Dims,
    rhs_contract: Dims,
    element: np.dtype | None = None,
) -> Chain | None:
    if lhs.dtype not in contractions.NATIVE or lhs.dtype != rhs.dtype:
        return None
    if element is not None and element != lhs.dtype:
        return None
    count = reductions.count_of(lhs.shape, lhs_contract)
    matmul = np.matmul if count <= contractions.BLOCK else contractions.product
    if contractions.is_matmul(lhs, rhs, lhs_batch, lhs_contract):
        turned = lhs_contract[0] != lhs.ndim - 1, rhs_contract[0] != 0
        return None if any(turned) else (_call(matmul),)
    x_way, y_way, shape = contractions.as_matrices(
        lhs.shape, rhs.shape, lhs_contract, rhs_contract, lhs_batch, rhs_batch
    )
    (x_order, x_shape), (y_order, y_shape) = x_way, y_way

    def call(x: Array, y: Array) -> Array:
        matrices = x.transpose(x_order).reshape(x_shape), y.transpose(y_order).reshape(y_shape)
        return matmul(*matrices).reshape(shape)

    return (_call(call),)
