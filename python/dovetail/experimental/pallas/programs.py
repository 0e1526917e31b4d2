"""What a kernel asks about its place in the grid, and control flow in kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from dovetail import debug, lax, tree
from dovetail import numpy as dnp
from dovetail.base.errors import value_error
from dovetail.lax.control.loops import for_grid
from dovetail.transforms.references import empty_ref


class _Program(NamedTuple):
    """One program of a grid: its place in each dimension, and their sizes."""

    ids: Sequence[Any]
    sizes: tuple[int, ...]


class _Programs(threading.local):
    """The programs of kernels that are traced on this thread, the innermost last."""

    def __init__(self) -> None:
        self.stack: list[_Program] = []


_programs = _Programs()


@contextmanager
def program(ids: Sequence[Any], sizes: tuple[int, ...]) -> Iterator[None]:
    """Kernels within the block are the program at a place of a grid."""
    _programs.stack.append(_Program(ids, sizes))
    try:
        yield
    finally:
        _programs.stack.pop()


def _entry(what: str, axis: int, of: Callable[[_Program], Sequence[Any]]) -> Any:
    if not _programs.stack:
        raise value_error(
            f"{what} must be called in a kernel of a pallas_call, got: a call outside of any"
        )
    entries = of(_programs.stack[-1])
    if not 0 <= axis < len(entries):
        raise value_error(
            f"{what}: axis must be a dimension of the grid, from 0 to {len(entries) - 1}, got: "
            f"{axis}"
        )
    return entries[axis]


def program_id(axis: int) -> Any:
    """The place of the program in a dimension of the grid.

    Args:
      axis: the dimension.

    Returns:
      An int32 array of rank 0, from 0 to `num_programs(axis)` - 1.

    Raises:
      ValueError: the grid has no such dimension, or there is no kernel.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(o_ref):
      ...     o_ref[pl.program_id(0)] = 10 * pl.program_id(0)
      >>> pl.pallas_call(kernel, dt.ShapeDtypeStruct((3,), "int32"), grid=3)()
      Array([ 0, 10, 20], dtype=int32)
    """
    return dnp.asarray(_entry("program_id", axis, lambda entry: entry.ids), "int32")


def num_programs(axis: int) -> int:
    """The size of a dimension of the grid.

    Args:
      axis: the dimension.

    Returns:
      The size.

    Raises:
      ValueError: the grid has no such dimension, or there is no kernel.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(o_ref):
      ...     o_ref[...] = pl.num_programs(0)
      >>> pl.pallas_call(kernel, dt.ShapeDtypeStruct((), "int32"), grid=(3,))()
      Array(3, dtype=int32)
    """
    return _entry("num_programs", axis, lambda entry: entry.sizes)


def when(condition: Any) -> Callable[[Callable[[], None]], None]:
    """A decorator that runs a function at once if a condition holds.

    Args:
      condition: a bool, or a bool array of rank 0.

    Returns:
      The decorator, of a function without arguments or results.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(o_ref):
      ...     @pl.when(pl.program_id(0) == 0)
      ...     def _():
      ...         o_ref[...] = 7
      >>> pl.pallas_call(kernel, dt.ShapeDtypeStruct((), "int32"), grid=(3,))()
      Array(7, dtype=int32)
    """

    def decorate(function: Callable[[], None]) -> None:
        if isinstance(condition, bool):
            if condition:
                function()
            return
        lax.cond(condition, lambda: (function(), None)[1], lambda: None)

    return decorate


def loop(
    lower: Any, upper: Any, *, step: Any = 1, unroll: int | bool | None = None
) -> Callable[[Callable[[Any], None]], None]:
    """A decorator that runs a function at once, for each integer of a range.

    Iterations that do not depend on each other, and those that only add to references, are computed
    at once if the range is known.

    Args:
      lower, upper: the range, without `upper`.
      step: the distance of the integers, 1 or more.
      unroll: the number of iterations of the loop that are one, if the range is known.

    Returns:
      The decorator, of a function of an integer without results.

    Raises:
      ValueError: step is known and below 1.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(o_ref):
      ...     o_ref[...] = 0
      ...     @pl.loop(0, 10, step=3)
      ...     def _(i):
      ...         o_ref[...] += i
      >>> pl.pallas_call(kernel, dt.ShapeDtypeStruct((), "int32"))()
      Array(18, dtype=int32)
    """

    if isinstance(step, int) and step < 1:
        raise value_error(f"loop: step must be 1 or more, got: {step}")

    def decorate(function: Callable[[Any], None]) -> None:
        bounds = lower, upper, step
        if unroll is None and all(isinstance(bound, int) for bound in bounds):
            count = max(len(range(*bounds)), 0)
            for_grid(count, lambda i: function(lower + i * step), has_ends=False)
            return

        def body(i: Any, carry: None) -> None:
            function(lower + i * step)

        lax.fori_loop(0, (upper - lower + step - 1) // step, body, None, unroll=unroll)

    return decorate


def run_scoped(
    f: Callable[..., Any], *types: Any, collective_axes: Any = (), **kw_types: Any
) -> Any:
    """The result of a function of new references, which nothing else has.

    Args:
      f: the function, of a reference for each description.
      types: `ShapeDtypeStruct`s, or what memories give, such as `tpu.VMEM(shape, dtype)`.
      kw_types: those of arguments that are passed by name.
      collective_axes: accepted, without effect.

    Returns:
      What `f` returns.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(x_ref, o_ref):
      ...     def body(sum_ref):
      ...         sum_ref[...] = x_ref[0] + x_ref[1]
      ...         o_ref[...] = sum_ref[...] ** 2
      ...     pl.run_scoped(body, pl.MemorySpace.ANY((3,), "float32"))
      >>> shape = dt.ShapeDtypeStruct((3,), "float32")
      >>> pl.pallas_call(kernel, shape)(dnp.ones((2, 3)))
      Array([4., 4., 4.], dtype=float32)
    """
    refs, kw_refs = tree.map(empty_ref, (types, kw_types))
    return f(*refs, **kw_refs)


def debug_print(fmt: str, *args: Any) -> None:
    """Print values when the kernel runs.

    Args:
      fmt: the text, with `{}` for each value.
      args: arrays.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(x_ref, o_ref):
      ...     pl.debug_print("x is {}", x_ref[...])
      ...     o_ref[...] = x_ref[...]
      >>> pl.pallas_call(kernel, dt.ShapeDtypeStruct((), "float32"))(2.0)
      x is 2.0
      Array(2., dtype=float32)
    """
    debug.print(fmt, *args)
