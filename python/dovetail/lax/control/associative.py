"""`associative_scan`: all prefixes combined by an associative function, in few parallel steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.control.bodies import check_callable
from dovetail.lax.control.loops import while_loop
from dovetail.lax.indexing import index_take
from dovetail.ops.operands import as_operand, canonical_axis
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing.arguments import name_of, results_of
from dovetail.trees.differences import listed, structure_differences, type_differences
from dovetail.trees.pytree import flatten, leaf_names, unflatten

Combine = Callable[[list[Array], list[Array]], list[Array]]


def associative_scan(
    fn: Callable[[Any, Any], Any], elems: Any, reverse: bool = False, axis: int = 0
) -> Any:
    """Combine the first k elements along a dimension by an associative function, for each k.

    The elements are combined in pairs, the pairs by the same algorithm, and the prefixes in between
    follow from those of pairs: about 2 log2(n) applications of `fn`, each to many elements at once
    (G. E. Blelloch, Prefix sums and their applications, CMU-CS-90-190, 1990).

    Args:
      fn: takes two trees like `elems`, of any size along `axis`, and combines their elements along
        it; `fn(a, fn(b, c))` must equal `fn(fn(a, b), c)`.
      elems: a tree of arrays with the same size along `axis`.
      reverse: whether to combine the last k elements, from the end to the start.
      axis: the dimension of the elements.

    Returns:
      A tree like `elems`.

    Raises:
      TypeError: `fn` is not a function, or returns another tree or other types than it takes.
      ValueError: sizes differ, there is no array, or it has no such dimension.

    Example:
      >>> lax.associative_scan(dnp.add, dnp.array([1, 2, 3, 4]))
      Array([ 1,  3,  6, 10], dtype=int32)
    """
    check_callable("lax.associative_scan: fn", fn)
    values, spec = flatten(elems)
    leaves = [as_operand("associative_scan", value, i) for i, value in enumerate(values)]
    if not leaves:
        raise value_error("associative_scan: there must be at least one array, got: none")
    axis = canonical_axis(axis, leaves[0].ndim)
    for leaf in leaves:
        canonical_axis(axis, leaf.ndim)
    if len({leaf.shape[axis] for leaf in leaves}) > 1:
        sizes = ", ".join(str(leaf.shape[axis]) for leaf in leaves)
        raise value_error(f"associative_scan: sizes along axis {axis} must be equal, got: {sizes}")

    def combine(left: list[Array], right: list[Array]) -> list[Array]:
        result, out_spec = flatten(fn(unflatten(spec, left), unflatten(spec, right)))
        _check(fn, spec, out_spec, right, outs := results_of(fn, result))
        return outs

    if reverse:
        leaves = [lax.rev(leaf, (axis,)) for leaf in leaves]
    is_known = not is_symbolic_dim(leaves[0].shape[axis])
    results = (_prefixes if is_known else _prefixes_of_any)(combine, leaves, axis)
    if reverse:
        results = [lax.rev(result, (axis,)) for result in results]
    return unflatten(spec, results)


def _prefixes(combine: Combine, elems: list[Array], axis: int) -> list[Array]:
    """All prefixes of the elements, combined."""
    count = elems[0].shape[axis]
    if count < 2:
        return elems
    even = [lax.slice_in_dim(x, 0, None, 2, axis) for x in elems]
    odd = [lax.slice_in_dim(x, 1, None, 2, axis) for x in elems]
    pairs = count // 2
    # The prefixes that end at odd elements are those of pairs.
    at_odd = _prefixes(combine, combine([_first(x, pairs, axis) for x in even], odd), axis)
    between = (count - 1) // 2
    following = [lax.slice_in_dim(x, 1, None, 1, axis) for x in even]
    at_even = [lax.slice_in_dim(x, 0, 1, 1, axis) for x in elems]
    if between:
        later = combine([_first(x, between, axis) for x in at_odd], following)
        at_even = [lax.concatenate([x, y], axis) for x, y in zip(at_even, later, strict=True)]
    return [_interleaved(x, y, axis) for x, y in zip(at_even, at_odd, strict=True)]


def _prefixes_of_any(combine: Combine, elems: list[Array], axis: int) -> list[Array]:
    """Prefixes of an unknown number of elements: each is combined with its predecessor, then with
    the partial result two, four, … positions before it (W. D. Hillis and G. L. Steele, Data
    parallel algorithms, Communications of the ACM 29, 1986).
    """
    count = elems[0].shape[axis]
    places = lax.iota(np.int32, count)

    def step(state: tuple[Array, list[Array]]) -> tuple[Array, list[Array]]:
        distance, values = state
        sources = lax.max(lax.sub(places, distance), np.int32(0))
        before = [index_take(x, [sources], (axis,)) for x in values]
        order = (*range(1, axis + 1), 0, *range(axis + 1, values[0].ndim))
        combined = combine([lax.transpose(x, order) for x in before], values)
        has_more = lax.ge(places, distance)
        chosen = [
            lax.select(lax.broadcast_in_dim(has_more, x.shape, (axis,)), y, x)
            for x, y in zip(values, combined, strict=True)
        ]
        return lax.mul(distance, np.int32(2)), chosen

    last = as_operand("associative_scan", count)
    start = as_operand("associative_scan", np.int32(1)), elems
    return while_loop(lambda state: lax.lt(state[0], last), step, start)[1]


def _first(x: Array, count: int, axis: int) -> Array:
    return x if x.shape[axis] == count else lax.slice_in_dim(x, 0, count, 1, axis)


def _interleaved(even: Array, odd: Array, axis: int) -> Array:
    """Interleave the elements of both; `even` may have one more element."""
    count = odd.shape[axis]
    pairs = lax.stack([_first(even, count, axis), odd], axis + 1)
    result = lax.reshape(pairs, (*odd.shape[:axis], 2 * count, *odd.shape[axis + 1 :]))
    if even.shape[axis] == count:
        return result
    return lax.concatenate([result, lax.slice_in_dim(even, count, None, 1, axis)], axis)


def _check(
    fn: Callable[..., Any], spec: Any, out_spec: Any, taken: Sequence[Array], outs: Sequence[Array]
) -> None:
    """Check that the function returns the types that it takes."""
    differences = list(structure_differences(spec, out_spec, "elems"))
    if not differences:
        paths = leaf_names(unflatten(spec, range(len(taken))), "elems")
        differences = type_differences(paths, [x.aval for x in taken], [x.aval for x in outs])
    if differences:
        lines = [f"{d.second} for `{d.path}`, which is {d.first}" for d in differences]
        raise type_error(
            f"associative_scan: `{name_of(fn)}` must return the types that it takes, got: "
            f"{listed(lines)}"
        )
