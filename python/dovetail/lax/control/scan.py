"""`scan`: a loop over the leading dimension of arrays that carries values along."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.arrays.array import ArrayMethods
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import config
from dovetail.base.errors import ConcretizationTypeError, UnknownSizeError, type_error, value_error
from dovetail.base.locations import here
from dovetail.lax import basics as lax
from dovetail.lax.control.bodies import check_callable
from dovetail.lax.control.carry import Carry
from dovetail.placement.type_shardings import with_dim, without_dim
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import LeafNames, as_operand, name_of, results_of
from dovetail.tracing.bind import size_as_array
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.functions import TracedFunction, apply, call, trace
from dovetail.tracing.references import Ref, check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.float0 import is_float0, set_float0_aside
from dovetail.trees.functions import map as map_trees
from dovetail.trees.pytree import flatten, map_leaves, unflatten


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
    unroll: int | bool = 1,
    _split_transpose: bool = False,
) -> tuple[Any, Any]:
    """Apply a function to each element along the leading dimension of arrays, with a carry.

    Args:
      f: takes (carry, x) and returns (carry, y): the next carry, of the same structure, shapes and
        element types, and a tree of arrays.
      init: the first carry, a tree of arrays.
      xs: a tree of arrays whose leading dimensions are equal; x has the same structure without that
        dimension.
      length: the number of iterations, required if `xs` has no arrays.
      reverse: whether to go from the last element to the first; the outputs are in the order of
        `xs` nevertheless.
      unroll: the number of steps per iteration of the compiled loop; True or 0 for all of them.
      _split_transpose: accepted.

    Returns:
      (last carry, the outputs y stacked along a new leading dimension).

    Raises:
      TypeError: `f` is not a function, does not return a pair, or returns a carry of other types;
        the message compares it with the one taken, leaf by leaf.
      ValueError: lengths differ, there is none, or `unroll` is negative.

    Example:
      >>> total, sums = lax.scan(lambda c, x: (c + x, c + x), 0, dnp.array([1, 2, 3]))
      >>> total, sums
      (Array(6, dtype=int32), Array([1, 3, 6], dtype=int32))
    """
    check_callable("lax.scan: f", f)
    values, x_spec = flatten(xs)
    if Ref in map(type, values):
        return _over_references(f, init, xs, length, reverse, unroll)
    length = _length(values, length)
    stated = stated_steps(unroll, length)
    if config.snapshot().disable_jit and length:
        return _in_python(f, init, xs, length, reverse)
    carry = Carry("scan", f, (init, xs), 0, init)
    count = len(carry.leaves)
    values, x_spec = set_float0_aside(values, x_spec, [np.shape(value)[1:] for value in values])
    rows = [as_operand(value, carry.names.at(count + i)) for i, value in enumerate(values)]

    def step(*tracers: Tracer) -> tuple[list[Operand], Any]:
        result = f(carry.tree(tracers[:count]), unflatten(x_spec, tracers[count:]))
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise type_error(
                f"scan body output must be a pair, got {_described(result)}. `{name_of(f)}` must "
                "return (carry, output); return (carry, None) if there is no output"
            )
        ys, y_spec = flatten(result[1])
        ys, y_spec = set_float0_aside(ys, y_spec, [(length, *np.shape(y)) for y in ys])
        return [*carry.returned(result[0]), *results_of(f, ys)], y_spec

    traced = carry.traced(step, [_row(x.aval) for x in rows], rows)
    loop = Loop("scan", traced, len(carry.leaves), length, reverse)
    outs = loop.run(carry.leaves, rows, stated)
    return carry.tree(outs[:count]), unflatten(traced.extra, outs[count:])


def _over_references(
    f: Any, init: Any, xs: Any, length: int | None, reverse: bool, unroll: int | bool
) -> tuple[Any, Any]:
    """The loop over arrays and references, of which each step gets a window."""
    values, x_spec = flatten(xs)
    count = _length(values, length)
    rows = [None if type(value) is Ref else value for value in values]

    def step(carry: Any, indexed: Any) -> Any:
        i, own = indexed
        pairs = zip(values, own, strict=True)
        parts = [value.at[i] if type(value) is Ref else part for value, part in pairs]
        return f(carry, unflatten(x_spec, parts))

    step.__name__ = name_of(f)
    names = LeafNames(f, (init, xs))
    offset = len(names) - len(values)
    check_references("scan", name_of(f), values, list(names)[offset:], ())
    return scan(step, init, (lax.iota(np.int32, count), rows), count, reverse, unroll)


def _row(aval: ShapedArray) -> ShapedArray:
    if aval.explicit is not None and aval.sharding.spec.partitions[0] is not None:
        raise value_error(
            f"0th dimension of all xs should be replicated. Got {aval.sharding.spec}, got: {aval}"
        )
    return aval.update(shape=aval.shape[1:], sharding=without_dim(aval.explicit, 0))


def _described(result: Any) -> str:
    if isinstance(result, (tuple, list)):
        return f"a {type(result).__name__} of {len(result)}"
    is_array = hasattr(result, "dtype") and hasattr(result, "shape")
    return str(ShapedArray(result.shape, result.dtype)) if is_array else repr(result)


class Loop(NamedTuple):
    """A traced step, and the number of its applications.

    Attributes:
      what: the loop, for messages.
      step: takes the carry's leaves, an element of each array and the captured values; returns the
        carry's leaves and outputs.
      carried: the number of the carry's leaves.
      length: the number of steps.
      reverse: whether they go from the last element to the first.
      grid: True if they are the programs of a grid, False if they are independent in the same way,
        but the first and the last are no different.
    """

    what: str
    step: TracedFunction
    carried: int
    length: int
    reverse: bool
    grid: bool | None = None

    def run(
        self, carries: Sequence[Operand], rows: Sequence[Operand], stated: int = 1
    ) -> list[Operand]:
        """The last carry and the stacked outputs, with as many steps per iteration of the loop as
        the program states.
        """
        at_once = _at_once(stated, self.length)
        # In a program that is looked at, it is one loop, which says how it would run.
        is_one = at_once == 1 or makes_equations()
        outs = self._op(carries, rows, stated) if is_one else self._unrolled(carries, rows, at_once)
        if self.step.uses is not None:
            uses = self.step.uses.repeated(self.what, self.carried, self.length)
            uses.apply([*carries, *rows], outs)
        return outs

    def _unrolled(
        self, carries: Sequence[Operand], rows: Sequence[Operand], at_once: int
    ) -> list[Operand]:
        """The same loop, unrolled by the given number of steps, with a remainder after it."""
        iterations, rest = divmod(self.length, at_once)
        is_symbolic = is_symbolic_dim(self.length)
        if not is_symbolic and iterations == 1:
            iterations, rest = 0, self.length
        whole = iterations * at_once
        outputs = []
        # The steps that do not fill an iteration come last, at the other end if the loop goes
        # backwards.
        if is_symbolic or iterations:
            start = rest if self.reverse else 0
            main = [lax.slice_in_dim(row, start, start + whole) for row in rows]
            blocks = [lax.reshape(x, (iterations, at_once, *x.shape[1:])) for x in main]
            outs = self._of_blocks(carries, main, at_once)._op(carries, blocks)
            carries, ys = outs[: self.carried], outs[self.carried :]
            outputs.append([lax.reshape(y, (whole, *y.shape[2:])) for y in ys])
        if is_symbolic or rest:
            start = 0 if self.reverse else whole
            left = [lax.slice_in_dim(row, start, start + rest) for row in rows]
            if is_symbolic:
                outs = self._replace(length=rest)._op(carries, left)
            else:
                outs = self._steps(carries, left, rest)
            carries, ys = outs[: self.carried], outs[self.carried :]
            outputs.append(ys)
        if self.reverse:
            outputs.reverse()
        stacked = [lax.concatenate(parts, 0) for parts in zip(*outputs, strict=True)]
        return [*carries, *stacked]

    def _op(
        self, carries: Sequence[Operand], rows: Sequence[Operand], stated: int = 1
    ) -> list[Operand]:
        avals = self.step.avals
        ys = [
            y.update(shape=(self.length, *y.shape), sharding=with_dim(y.explicit, 0))
            for y in avals[self.carried :]
        ]
        captured = self.step.captured
        is_known = not is_symbolic_dim(self.length)
        # The arrays determine the length.
        count = [] if is_known or rows else [size_as_array(self.length, np.dtype(np.int32))]
        return apply(
            "scan",
            (self.step,),
            [*carries, *rows, *captured, *count],
            [*avals[: self.carried], *ys],
            length=self.length if is_known else -1,
            reverse=self.reverse,
            **({} if self.grid is None else {"dovetail.grid": self.grid}),
            **({} if stated == 1 else {"unroll": stated}),
            operandSegmentSizes=(self.carried, len(rows), len(captured), len(count)),
        )

    def _steps(
        self, carries: Sequence[Operand], rows: Sequence[Operand], count: int
    ) -> list[Operand]:
        """The given number of steps in sequence: the carry, and the stacked outputs."""
        callee = evaluation.Callee(self.step.function, self.step.place)
        outputs: list[Any] = [None] * count
        order = range(count)
        for i in reversed(order) if self.reverse else order:
            row = [lax.index_in_dim(x, i, keepdims=False) for x in rows]
            outs = call(callee, [*carries, *row, *self.step.captured], self.step.avals)
            carries, outputs[i] = outs[: self.carried], outs[self.carried :]
        return [*carries, *(lax.stack(parts) for parts in zip(*outputs, strict=True))]

    def _of_blocks(self, carries: Sequence[Operand], rows: Sequence[Operand], count: int) -> Loop:
        """The loop each of whose steps is `count` steps of this one."""
        avals = [carry.aval for carry in carries]
        avals += [
            row.aval.update(shape=(count, *row.shape[1:]), sharding=row.aval.explicit)
            for row in rows
        ]

        def steps(*tracers: Tracer) -> tuple[list[Operand], None]:
            return self._steps(tracers[: self.carried], tracers[self.carried :], count), None

        names = [f"argument {i}" for i in range(len(avals))]
        traced = trace(steps, avals, names, "scan", "unrolled", refs="taken")
        return self._replace(step=traced, length=self.length // count)


def _length(values: Sequence[Any], length: Any) -> int:
    """The number of steps."""
    shapes = [np.shape(value) for value in values]
    if () in shapes:
        scalar = as_operand(values[shapes.index(())], "xs of scan")
        raise value_error(
            "scan got value with no leading axis to scan over: "
            f"{scalar.aval}; pass an array, or let f close over it"
        )
    sizes = [shape[0] for shape in shapes]
    if length is not None:
        try:
            length = length if is_symbolic_dim(length) else int(length)
        except ConcretizationTypeError as error:
            raise type(error)(
                f"The `length` argument to `scan` expects a concrete `int` value: {error}; for a "
                "number of steps that is computed use lax.fori_loop or lax.while_loop"
            ) from None
        if length < 0:
            raise value_error(f"scan: length must not be negative, got: {length}")
        if any(size != length for size in sizes):
            raise value_error(
                f"scan got `length` argument of {length} which disagrees with leading axis sizes "
                f"{sizes}; leave it out"
            )
        return length
    if not sizes:
        raise value_error("scan got no values to scan over and `length` not provided.")
    if len(set(sizes)) > 1:
        raise value_error(
            "scan got values with different leading axis sizes: "
            f"{', '.join(map(str, sizes))}; slice them to one length"
        )
    return sizes[0]


def stated_steps(unroll: Any, length: int) -> int:
    """The number of steps per iteration that a program states; 0 for all of them."""
    if isinstance(unroll, ArrayMethods):
        try:
            unroll = unroll._value()[()]
        except ConcretizationTypeError as error:
            raise type(error)(
                f"The `unroll` argument to `scan` expects a concrete `int` or `bool` value: {error}"
            ) from None
    if isinstance(unroll, (bool, np.bool_)):
        count = length if unroll else 1
    else:
        try:
            count = operator.index(unroll)
        except TypeError:
            raise type_error(f"scan: unroll must be an int or a bool, got: {unroll!r}") from None
        if count < 0:
            raise value_error(f"scan: `unroll` must be 0 or more, got: {count}")
    return count


def _at_once(stated: int, length: int) -> int:
    """The number of steps per iteration of the unrolled loop."""
    count = length if stated == 0 else stated
    if count == 1:
        return 1
    if is_symbolic_dim(length) and not is_symbolic_dim(count):
        return count
    if is_symbolic_dim(count):
        raise UnknownSizeError(
            f"scan: all steps at once need a known number of them, got: {count} {here()}; say "
            "how many steps one iteration has, unroll=4"
        )
    return max(1, min(count, length))


def _in_python(f: Any, init: Any, xs: Any, length: int, reverse: bool) -> tuple[Any, Any]:
    """The loop in Python, for debugging."""

    def element(x: Any, i: int) -> Any:
        return x[i] if is_float0(x) else lax.index_in_dim(x, i, keepdims=False)

    carry, outputs = init, []
    for i in reversed(range(length)) if reverse else range(length):
        carry, y = f(carry, map_leaves(lambda x, i=i: element(x, i), xs))
        outputs.append(y)
    if reverse:
        outputs.reverse()
    return carry, map_trees(lambda *ys: lax.stack(ys), *outputs)
