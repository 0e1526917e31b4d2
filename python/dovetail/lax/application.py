"""Functions applied to the elements at indices."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.lax import basics as lax
from dovetail.lax.control.loops import while_loop
from dovetail.lax.convert import convert
from dovetail.lax.indexing import GatherScatterMode, ScatterDimensionNumbers, scatter_add
from dovetail.ops.operands import ArrayLike, as_operand


def scatter_apply(
    operand: ArrayLike,
    scatter_indices: ArrayLike,
    func: Callable[[Array], Array],
    dimension_numbers: ScatterDimensionNumbers,
    *,
    update_shape: Sequence[int] = (),
    indices_are_sorted: bool = False,
    unique_indices: bool = False,
    mode: str | GatherScatterMode | None = None,
) -> Array:
    """Apply a function to the elements in windows, once for each window that contains them.

    Args:
      operand: an array.
      scatter_indices: integers of shape (*batch, n): the starts of windows.
      func: takes and returns an array, element by element.
      dimension_numbers: the relation of dimensions.
      update_shape: the shape that updates would have.
      indices_are_sorted: a promise, accepted.
      unique_indices: a promise that no element is in two windows: the function is applied once.
      mode: the treatment of windows that are not wholly within the operand.

    Returns:
      An array like the operand.

    Example:
      >>> numbers = ScatterDimensionNumbers((), (0,), (0,))
      >>> scatter_apply(lax.iota(np.float32, 3), np.int32([[2]]), lax.neg, numbers,
      ...               update_shape=(1,))
      Array([ 0.,  1., -2.], dtype=float32)
    """
    x = as_operand("scatter_apply", operand)
    updates = lax.full(tuple(update_shape), 1, dtypes.int32)
    counts = scatter_add(
        lax.full(x.shape, 0, dtypes.int32),
        scatter_indices,
        updates,
        dimension_numbers,
        unique_indices=unique_indices,
        mode=mode,
    )
    once = lax.select(counts > 0, func(x), x)
    return once if unique_indices else applied_again(func, once, counts)


def applied_again(func: Callable[[Array], Array], values: Array, counts: Array) -> Array:
    """Values to which a function was applied once, with the function applied `counts` times to
    each.
    """
    most = ops.reduce_max(counts, tuple(range(counts.ndim)))

    def again(state: tuple[Array, Array]) -> tuple[Array, Array]:
        time, before = state
        after = convert(func(before), before.dtype, before.weak_type)
        return time + 1, lax.select(time < counts, after, before)

    start = lax.full((), 1, dtypes.int32), values
    return while_loop(lambda state: state[0] < most, again, start)[1]
