"""Reductions by a user-defined function, over dimensions and over sliding windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import dtypes, late
from dovetail.base.errors import type_error, value_error
from dovetail.base.late import numpy as dnp
from dovetail.lax import basics as lax
from dovetail.lax.control.scan import scan
from dovetail.lax.conv_dimensions import (
    Padding,
    count_windows,
    dilated,
    paddings,
    per_dimension,
)
from dovetail.lax.convert import convert
from dovetail.lax.indexing import index_take
from dovetail.lax.reduce import reduced_axes
from dovetail.ops.operands import Shape, as_operand
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.composed import composed, makes_equations
from dovetail.tracing.tracer import AnyTracer
from dovetail.transforms.batching import vmap
from dovetail.transforms.out_sharding import accepts_out_sharding
from dovetail.trees.pytree import flatten, unflatten
from dovetail.trees.treedef import public

Computation = Callable[[Any, Any], Any]


@accepts_out_sharding
def reduce(
    operands: Any,
    init_values: Any,
    computation: Computation,
    dimensions: Sequence[int],
    out_sharding: Any = None,
) -> Any:
    """The combination of all elements along dimensions by a function.

    Args:
      operands: an array or a tree of arrays of one shape.
      init_values: the same tree of scalars, of the arrays' element types: the results for no
        elements.
      computation: takes two such trees of scalars and returns one. It must be associative, and may
        be called on any neighbours; the order of elements is kept.
      dimensions: the reduced dimensions.

    Returns:
      A tree of arrays.

    Raises:
      TypeError: element types do not match, or the function returns others.
      ValueError: trees or shapes do not match, or the function returns another tree.

    Example:
      >>> reduce(lax.iota(np.float32, 5), 0.0, lax.add, (0,))
      Array(10., dtype=float32)
      >>> total, last = reduce((lax.iota(np.int32, 4), lax.iota(np.int32, 4)), (0, 0),
      ...     lambda x, y: (x[0] + y[0], y[1]), (0,))
      >>> int(total), int(last)
      (6, 3)
    """
    flat, inits, combine = _reduction("reduce", operands, init_values, computation)
    dims = reduced_axes(dimensions, flat[0].ndim)
    name = _monoid(computation, flat, init_values)
    if name in _REDUCERS:
        return _REDUCERS[name](flat[0], dims) if dims else flat[0]
    if makes_equations():
        made = _equation(flat, inits, combine, computation=computation, dimensions=dims)
        if made is not None:
            return made
    return _reduced(flat, inits, combine, dims)


def _reduced(
    flat: list[Array], inits: list[Array], combine: _Combine, dims: tuple[int, ...]
) -> Any:
    kept = [d for d in range(flat[0].ndim) if d not in dims]
    shape = tuple(flat[0].shape[d] for d in kept)
    count = math.prod(flat[0].shape[d] for d in dims)
    rows = [
        lax.reshape(lax.transpose(x, (*sorted(dims), *kept)), (count, math.prod(shape)))
        for x in flat
    ]
    results = _combined(rows, inits, combine)
    return combine.tree([lax.reshape(x, shape) for x in results])


class _Combine:
    """The user's function on vectors of leaves, applied pairwise."""

    def __init__(self, name: str, function: Computation, tree: Any, avals: list[Any]) -> None:
        self.name, self.function, self.structure, self.avals = name, function, tree, avals

    def tree(self, leaves: Sequence[Any]) -> Any:
        return unflatten(self.structure, leaves)

    def of_scalars(self, xs: list[Any], ys: list[Any]) -> list[Any]:
        """The results for scalars."""
        result = self.function(self.tree(xs), self.tree(ys))
        leaves, tree = flatten(result)
        if tree != self.structure:
            raise value_error(
                f"{self.name} output must have the same tree structure as the operands, "
                f"{public(self.structure)}, got: {public(tree)}"
            )
        outs = [as_operand(self.name, leaf) for leaf in leaves]
        for out, aval in zip(outs, self.avals, strict=True):
            if out.shape or out.dtype != aval.dtype:
                raise type_error(
                    f"{self.name}: the function must return scalars of the operands' types, got: "
                    f"{out.aval} for {aval.dtype.name}[]"
                )
        return outs

    def __call__(self, xs: list[Array], ys: list[Array]) -> list[Array]:
        return vmap(self.of_scalars)(xs, ys)


def _reduction(
    name: str, operand: Any, init_values: Any, computation: Computation
) -> tuple[list[Array], list[Array], _Combine]:
    leaves, tree = flatten(operand)
    starts, init_tree = flatten(init_values)
    if tree != init_tree:
        raise value_error(
            f"{name}: Operands must have the same tree structure as init_values, got: "
            f"{public(tree)} and {public(init_tree)}"
        )
    if not leaves:
        raise type_error(f"{name}: at least one operand is needed, got: {operand!r}")
    flat = [as_operand(name, leaf, i) for i, leaf in enumerate(leaves)]
    operands, inits = [], []
    for x, start in zip(flat, starts, strict=True):
        init = as_operand(name, start)
        if init.shape:
            raise _non_scalar(name, [np.shape(start) for start in starts])
        if init.dtype != x.dtype and not init.weak_type:
            raise type_error(
                f"{name}: initial values must have the operands' types, got: {init.aval} for "
                f"{x.aval}"
            )
        # A result is weakly typed if both are.
        weak = x.weak_type and init.weak_type
        operands.append(convert(x, x.dtype, weak))
        inits.append(convert(init, x.dtype, weak))
        if x.shape != flat[0].shape:
            raise value_error(
                f"{name}: operands must have one shape, got: {flat[0].shape} and {x.shape}"
            )
    return operands, inits, _Combine(name, computation, tree, [x.aval for x in operands])


def _equation(
    flat: list[Array], inits: list[Array], combine: _Combine, **params: Any
) -> Any | None:
    """The results by an equation that has the function as a program; None if that closes over
    values.
    """
    count = len(inits)

    def of_scalars(*xs: Any) -> list[Any]:
        return combine.of_scalars(list(xs[:count]), list(xs[count:]))

    described = [ShapeDtypeStruct((), x.dtype) for x in inits * 2]
    closed = late.making.make_jaxpr(of_scalars)(*described)
    if closed.consts:
        return None
    jaxpr = closed if combine.name == "reduce" else closed.jaxpr
    primitive = late.jaxprs.find(__name__, f"{combine.name}_p")
    return combine.tree(primitive.bind(*flat, *inits, jaxpr=jaxpr, **params))


def _non_scalar(name: str, shapes: list[Any]) -> Exception:
    # As in JAX.
    if name == "reduce":
        return value_error(f"reduce found non-scalar initial value: {shapes}")
    return type_error(
        f"{name} expected init_values to be scalars but init_values have shapes {shapes}."
    )


def _combined(rows: list[Array], inits: list[Array], combine: _Combine) -> list[Array]:
    """Combine neighbours along the first dimension until one row is left; if the number of rows is
    unknown, one after the other.
    """
    width = rows[0].shape[1]
    starts = [lax.broadcast(init, (width,)) for init in inits]
    if is_symbolic_dim(rows[0].shape[0]):
        return scan(lambda last, row: (combine(last, row), None), starts, rows)[0]
    if rows[0].shape[0] == 0:
        return starts
    while (count := rows[0].shape[0]) > 1:
        pairs = count // 2
        left, right = (
            [
                lax.reshape(lax.slice(x, (i, 0), (2 * pairs, width), (2, 1)), (pairs * width,))
                for x in rows
            ]
            for i in range(2)
        )
        joined = [lax.reshape(x, (pairs, width)) for x in combine(left, right)]
        if count % 2:
            joined = [
                lax.concatenate([y, lax.slice_in_dim(x, 2 * pairs, count)], 0)
                for x, y in zip(rows, joined, strict=True)
            ]
        rows = joined
    return combine(starts, [lax.reshape(x, (width,)) for x in rows])


# Reductions with an op of their own, if they start from its neutral element ---------------------


def _all_ones(dtype: np.dtype) -> Any:
    return True if dtype == dtypes.bool_ else ~np.zeros((), dtype)


_NEUTRAL: dict[str, Callable[[np.dtype], Any]] = {
    "add": lambda dtype: 0,
    "mul": lambda dtype: 1,
    "max": lambda dtype: dtypes.limit(dtype, False),
    "min": lambda dtype: dtypes.limit(dtype, True),
    "bitwise_and": _all_ones,
    "bitwise_or": lambda dtype: 0,
    "bitwise_xor": lambda dtype: 0,
}
# Their names in dovetail.numpy.
_NUMPY_NAMES = {"add": "add", "mul": "multiply", "max": "maximum", "min": "minimum"}
_REDUCERS = {
    "add": ops.reduce_sum,
    "mul": ops.reduce_prod,
    "max": ops.reduce_max,
    "min": ops.reduce_min,
    "bitwise_and": ops.reduce_and,
    "bitwise_or": ops.reduce_or,
    "bitwise_xor": ops.reduce_xor,
}


def _window_reducer(name: str, primitive: str) -> Callable[..., Any]:
    """The reduction of windows by an op of that name, which starts from its neutral element."""

    def function(x: Array, **params: Any) -> Any:
        windows = Windows(x.shape, **params)
        neutral = convert(np.asarray(_NEUTRAL[name](x.dtype), x.dtype), x.dtype, x.weak_type)
        padded = lax.pad(x, neutral, windows.config)
        op = getattr(ops, primitive)
        return op(padded, windows.window, windows.strides, windows.dilation)

    return composed(primitive)(function)


_WINDOW_REDUCERS = {
    name: _window_reducer(name, primitive)
    for name, primitive in (
        ("add", "reduce_window_sum"),
        ("max", "reduce_window_max"),
        ("min", "reduce_window_min"),
    )
}


def _functions(name: str) -> tuple[Any, Any]:
    return getattr(lax, name), getattr(dnp, _NUMPY_NAMES.get(name, name))


def _monoid(computation: Computation, flat: list[Array], init_values: Any) -> str | None:
    """The name of the function that `computation` is, if an op can compute it."""
    if len(flat) != 1 or isinstance(start := init_values, (AnyTracer, tuple, list, dict)):
        return None
    name = next((n for n in _NEUTRAL if computation in _functions(n)), None)
    kind = dtypes.KINDS[flat[0].dtype]
    if name is None or (kind == "c" and name in ("max", "min")):
        return None
    if kind == "b" and name in ("add", "mul"):
        return None
    neutral = np.asarray(_NEUTRAL[name](flat[0].dtype), flat[0].dtype)
    return name if np.array_equal(np.asarray(start).astype(neutral.dtype), neutral) else None


# Windows ------------------------------------------------------------------------------------------


def reduce_window_shape_tuple(
    operand_shape: Shape,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """The shape of `reduce_window`'s result, which has an element for each window.

    Args:
      operand_shape: the sizes of the array.
      window_dimensions: the sizes of a window, one for each dimension.
      window_strides: distances between windows, one for each dimension.
      padding: "SAME", "SAME_LOWER", "VALID", or a pair for each dimension.
      base_dilation, window_dilation: distances between elements of the array and of a window, by
        default 1.

    Returns:
      A size for each dimension.

    Raises:
      TypeError, ValueError: windows, strides, dilations or padding do not match.

    Example:
      >>> reduce_window_shape_tuple((6, 4), (2, 1), (2, 1), "VALID")
      (3, 4)
    """
    place = Windows(
        operand_shape, window_dimensions, window_strides, padding, base_dilation, window_dilation
    )
    return place.counts


class Windows:
    """Checked windows over an array of a shape, by the arguments of `reduce_window`."""

    def __init__(
        self,
        shape: Shape,
        window_dimensions: Sequence[int],
        window_strides: Any,
        padding: Any,
        base_dilation: Any,
        window_dilation: Any,
    ) -> None:
        name = "reduce_window"
        if len(window_dimensions) != len(shape):
            raise type_error(
                f"{name} got the wrong number of window_dimensions for operand: got operand shape "
                f"{tuple(shape)} with window_dimensions {window_dimensions}"
            )
        self.window, self.strides, self.dilation, base = (
            self._per_dimension(what, values, window_dimensions)
            for what, values in (
                ("window_dimensions", window_dimensions),
                ("window_strides", window_strides),
                ("window_dilation", window_dilation),
                ("base_dilation", base_dilation),
            )
        )
        sizes = list(map(dilated, shape, base))
        spans = list(map(dilated, self.window, self.dilation))
        # The padding modes apply to sizes without dilation.
        pads = paddings(name, shape, spans, self.strides, padding)
        # Those of the equation.
        self.params = {
            "window_dimensions": self.window,
            "window_strides": self.strides,
            "padding": tuple(map(tuple, pads)),
            "base_dilation": base,
            "window_dilation": self.dilation,
        }
        self.config = [(low, high, by - 1) for (low, high), by in zip(pads, base, strict=True)]
        self.counts = tuple(
            count_windows(size + low + high, span, stride)
            for size, (low, high), span, stride in zip(
                sizes, pads, spans, self.strides, strict=True
            )
        )

    @staticmethod
    def _per_dimension(what: str, values: Any, window: Sequence[int]) -> tuple[int, ...]:
        if values is not None and len(values) != len(window):
            raise type_error(
                f"reduce_window got inconsistent {what} and window_dimensions: got {what} {values} "
                f"and window_dimensions {window}"
            )
        return per_dimension("reduce_window", what, values, len(window), error=type_error)

    def elements(self, x: Array) -> Array:
        """The windows of a padded array; the last dimension runs over the elements of each."""
        last = x.ndim
        for d in range(x.ndim):
            if self.window[d] == self.strides[d] == 1:
                continue
            starts = np.arange(self.counts[d], dtype=np.int32) * self.strides[d]
            within = np.arange(self.window[d], dtype=np.int32) * self.dilation[d]
            places = np.add.outer(starts, within)
            x = index_take(x, [places.ravel()], (d,))
            x = lax.reshape(x, (*places.shape, *x.shape[1:]))
            x = lax.transpose(x, (*range(2, d + 2), 0, *range(d + 2, x.ndim), 1))
        return lax.reshape(x, (*self.counts, math.prod(x.shape[last:])))


def reduce_window(
    operand: Any,
    init_value: Any,
    computation: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: Padding = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Any:
    """The combination of the elements of each window of an array by a function: pooling.

    Args:
      operand: an array or a tree of arrays of one shape.
      init_value: the same tree of scalars: the results for no elements, and the padding.
      computation: as for `reduce`; with `lax.add`, `lax.max` and `lax.min` and their neutral
        elements, the reduction is a single op. The gradient of a maximum goes to the first one in
        the window.
      window_dimensions: the sizes of a window, one per dimension.
      window_strides: the distances between windows, by default 1.
      padding: "SAME", "SAME_LOWER", "VALID", or pairs of elements before and after; a name means
        the padding that it gives without `base_dilation`.
      base_dilation, window_dilation: the distances between elements in the array and in a window,
        by default 1.

    Returns:
      A tree of arrays with an element for each window.

    Raises:
      TypeError, ValueError: as for `reduce`; sizes, strides or dilations do not match the operand
        or are less than 1.

    Example:
      >>> reduce_window(lax.iota(np.float32, 6), -np.inf, lax.max, (2,), (2,))
      Array([1., 3., 5.], dtype=float32)
    """
    flat, inits, combine = _reduction("reduce_window", operand, init_value, computation)
    windows = Windows(
        flat[0].shape, window_dimensions, window_strides, padding, base_dilation, window_dilation
    )
    name = _monoid(computation, flat, init_value)
    if name in _WINDOW_REDUCERS:
        return _WINDOW_REDUCERS[name](flat[0], **windows.params)
    if makes_equations():
        made = _equation(flat, inits, combine, consts=(), **windows.params)
        if made is not None:
            return made
    padded = [lax.pad(x, init, windows.config) for x, init in zip(flat, inits, strict=True)]
    elements = [windows.elements(x) for x in padded]
    return _reduced(elements, inits, combine, (len(windows.counts),))
