"""`pallas_call`: a kernel becomes a function of arrays, which all transforms take."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from dovetail import numpy as dnp
from dovetail.arrays.memory_limits import check_scratch
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.experimental.pallas.prefetch import PrefetchScalarGridSpec
from dovetail.experimental.pallas.programs import program
from dovetail.experimental.pallas.specs import (
    Blocks,
    GridSpec,
    blocks_of,
    check_compiler_params,
    check_takes,
    defined,
    grid_of,
    no_block_spec,
)
from dovetail.lax.control.loops import for_grid
from dovetail.programs.jit import jit
from dovetail.tracing.arguments import name_of
from dovetail.tracing.held import Held, Window
from dovetail.tracing.references import Ref
from dovetail.transforms.callbacks import forbidden_in
from dovetail.transforms.foreign_calls import aliased
from dovetail.transforms.references import empty_ref, freeze, new_ref
from dovetail.trees.pytree import flatten, leaf_names, register_node, unflatten


def pallas_call(
    kernel: Callable[..., None],
    out_shape: Any,
    *,
    grid_spec: GridSpec | None = None,
    grid: Any = (),
    in_specs: Any = no_block_spec,
    out_specs: Any = no_block_spec,
    scratch_shapes: Any = (),
    input_output_aliases: Mapping[int, int] | None = None,
    debug: bool = False,
    interpret: Any = False,
    name: str | None = None,
    compiler_params: Any = None,
    cost_estimate: Any = None,
    backend: Any = None,
    metadata: Any = None,
) -> Callable[..., Any]:
    """A function of arrays that runs a kernel on blocks of them.

    The programs of the grid run one after the other, the last dimension fastest. The result can be
    differentiated, batched and compiled like any function of arrays.

    Args:
      kernel: takes references to blocks of the arguments, then of the results, then scratch; writes
        the results. Blocks of arguments that stick out read as zeros there, and what is written
        outside is dropped.
      out_shape: a tree of `ShapeDtypeStruct`s: the results.
      grid_spec: the grid, the specs and scratch_shapes in one.
      grid: the size of each dimension of the grid, or its name and size; by default there is one
        program.
      in_specs, out_specs: the trees of the arguments and of the results, with a `BlockSpec` for
        each leaf; by default, each block is the whole array.
      scratch_shapes: a tree of `ShapeDtypeStruct`s: references that all programs share.
      input_output_aliases: leaves of results that start as leaves of arguments, by their numbers,
        {argument: result}. Others start with NaN, the least integer or False.
      interpret: anything but False: the function is evaluated instead of compiled.
      name: the function's name, by default the kernel's.
      compiler_params: an object or a mapping. Its `dimension_semantics`, "parallel" or "arbitrary"
        for each dimension of the grid, is checked, but not needed: which programs run at once is
        derived from what they read and write. The rest is ignored.
      debug, cost_estimate, backend, metadata: accepted, without effect.

    Returns:
      The function of the arguments.

    Raises:
      TypeError: a shape has no dtype, or `kernel` is not callable. When called: the kernel or an
        index map takes another number of arguments.
      ValueError: when called: a spec does not fit its array, a program has a block without elements
        of it, the numbers of specs and arrays differ, an alias has other types, the kernel closes
        over an array, writes to an argument or returns something. At once: `dimension_semantics`
        does not fit the grid, or its sizes are no integers.
      OutOfMemoryError: when called: scratch_shapes are larger than the machine's memory.
      NotImplementedError: when called: a kernel that is not interpreted calls `pure_callback` or
        `io_callback`.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental import pallas as pl
      >>> def double(x_ref, o_ref):
      ...     o_ref[...] = 2 * x_ref[...]
      >>> block = pl.BlockSpec((2,), lambda i: (i,))
      >>> f = pl.pallas_call(
      ...     double, dt.ShapeDtypeStruct((5,), "float32"), grid=(3,), in_specs=[block],
      ...     out_specs=block,
      ... )
      >>> f(dnp.arange(5.0))
      Array([0., 2., 4., 6., 8.], dtype=float32)
    """
    if not callable(kernel):
        raise type_error(f"pallas_call: kernel must be a function, got: {kernel!r}")
    if grid_spec is None:
        grid_spec = GridSpec(grid, in_specs, out_specs, scratch_shapes)
    elif grid != () or in_specs is not no_block_spec or out_specs is not no_block_spec:
        raise value_error(
            "pallas_call: grid_spec must be given without grid, in_specs and out_specs, got: both"
        )
    check_compiler_params(compiler_params, grid_spec)
    is_interpreted = interpret is not False
    call = _Call(kernel, out_shape, grid_spec, dict(input_output_aliases or {}), is_interpreted)

    def run(*args: Any) -> Any:
        return call(args)

    run.__name__ = run.__qualname__ = name or name_of(kernel)
    return jit(run, compile="never") if is_interpreted else jit(run)


_COMPILED = "a kernel of a pallas_call, unless interpret=True"


class _Input(Held):
    """A block of an argument, which is read only."""

    __slots__ = ("_block", "_what")

    def __init__(self, block: Held, what: str) -> None:
        self._block, self._what = block, what

    def _read(self) -> Any:
        return self._block._read()

    def _write(self, value: Any) -> None:
        raise value_error(
            f"pallas_call: a kernel must not write to its arguments, got: a write to {self._what} "
            f"{here()}; let a result start as it, by input_output_aliases"
        )

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        return (self._block,), self._what

    @classmethod
    def _unflat(cls, what: Any, children: Sequence[Any]) -> _Input:
        return cls(children[0], what)


class _Squeezed(Held):
    """A block without those of its dimensions, of size 1, that are dropped."""

    __slots__ = ("_block", "_is_dropped")

    def __init__(self, block: Held, is_dropped: Sequence[bool]) -> None:
        self._block, self._is_dropped = block, tuple(is_dropped)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape without them."""
        pairs = zip(self._block.shape, self._is_dropped, strict=True)
        return tuple(size for size, dropped in pairs if not dropped)

    def _read(self) -> Any:
        return self._block._read().reshape(self.shape)

    def _write(self, value: Any) -> None:
        self._block._write(value.reshape(self._block.shape))

    def _flat(self) -> tuple[tuple[Any, ...], Any]:
        return (self._block,), self._is_dropped

    @classmethod
    def _unflat(cls, is_dropped: Any, children: Sequence[Any]) -> _Squeezed:
        return cls(children[0], is_dropped)


# Functions that are traced within a kernel take them as they take references.
for _class in (_Input, _Squeezed):
    register_node(_class, _class._flat, _class._unflat)


class _Call:
    """A kernel with its grid and blocks.

    Args:
      kernel: the kernel.
      out_shape: the tree of the results' shapes and dtypes.
      spec: the grid and the blocks.
      aliases: the arguments as which results start.
      is_interpreted: whether the kernel is evaluated, and may call all of Python.
    """

    def __init__(
        self,
        kernel: Callable[..., None],
        out_shape: Any,
        spec: GridSpec,
        aliases: dict[int, int],
        is_interpreted: bool,
    ) -> None:
        self._is_interpreted = is_interpreted
        self._kernel, self._aliases, self._spec = kernel, aliases, spec
        self._out_shape = _tupled(out_shape)
        self._shapes, self._out_spec = flatten(self._out_shape)
        self._scratch, self._scratch_spec = flatten(spec.scratch_shapes)
        given = ("out_shape", self._shapes), ("scratch_shapes", self._scratch)
        for what, shape in ((what, shape) for what, shapes in given for shape in shapes):
            if not (hasattr(shape, "shape") and hasattr(shape, "dtype")):
                raise type_error(
                    f"pallas_call: {what} must have leaves with shape and dtype, got: {shape!r}"
                )
        self._grid = grid_of(spec)
        prefetches = isinstance(spec, PrefetchScalarGridSpec)
        self._num_scalars = spec.num_scalar_prefetch if prefetches else 0

    def __call__(self, args: tuple[Any, ...]) -> Any:
        """The results."""
        if len(args) < self._num_scalars:
            raise type_error(
                f"pallas_call: there must be {self._num_scalars} arguments, which index maps read, "
                f"before those with blocks, got: {len(args)}"
            )
        prefetched, args = args[: self._num_scalars], args[self._num_scalars :]
        scalars, scalar_spec = flatten(prefetched)
        scalars = [dnp.asarray(value) for value in scalars]
        values, spec = flatten(args)
        inputs = [dnp.asarray(value) for value in values]
        names = leaf_names(args, "args")
        given = _tupled(self._spec.in_specs)
        in_what, is_known = ("in_specs", "inputs"), self._num_scalars == 0
        in_blocks = blocks_of(in_what, given, spec, inputs, names, self._grid, is_known)
        names, given = leaf_names(self._out_shape, "outputs"), _tupled(self._spec.out_specs)
        out_what = ("out_specs", "out_shape")
        shapes = self._shapes
        out_blocks = blocks_of(out_what, given, self._out_spec, shapes, names, self._grid, is_known)
        scalar_refs = unflatten(
            scalar_spec,
            [
                _Input(new_ref(x), name)
                for x, name in zip(scalars, leaf_names(prefetched, "scalars"), strict=True)
            ],
        )
        in_refs = [new_ref(_padded(x, blocks)) for x, blocks in zip(inputs, in_blocks, strict=True)]
        out_refs = self._results([*scalars, *inputs], out_blocks)
        if self._scratch:
            check_scratch(name_of(self._kernel), list(map(_aval_of, self._scratch)))
        scratch_refs = [empty_ref(shape) for shape in self._scratch]

        def run(ids: Sequence[Any]) -> None:
            in_pairs = zip(in_refs, in_blocks, strict=True)
            taken = [_Input(_window(ref, b, ids, scalar_refs), b.what) for ref, b in in_pairs]
            out_pairs = zip(out_refs, out_blocks, strict=True)
            made = [_window(ref, b, ids, scalar_refs) for ref, b in out_pairs]
            outs = unflatten(self._out_spec, made)
            with program(ids, self._grid):
                self._traced(
                    ids,
                    *scalar_refs,
                    *unflatten(spec, taken),
                    *_as_tuple(outs),
                    *_as_tuple(unflatten(self._scratch_spec, scratch_refs)),
                )

        _for_all(self._grid, run)
        results = [
            freeze(ref)[blocks.inside] for ref, blocks in zip(out_refs, out_blocks, strict=True)
        ]
        return unflatten(self._out_spec, results)

    def _traced(self, ids: Sequence[Any], *refs: Any) -> None:
        """Apply the kernel, which must close over nothing that only runs know."""
        what = f"The kernel function in the pallas_call {defined(self._kernel)}"
        check_takes(self._kernel, len(refs), f"{what}, with a reference for each, must")
        with nullcontext() if self._is_interpreted else forbidden_in(_COMPILED):
            result = _alone(what, "captures constants", ids, self._kernel, *refs)
        if result is not None:
            raise value_error(
                f"{what} should return None. It returns a PyTree: {flatten(result)[1]}, got: "
                f"{result!r}; write to references instead"
            )

    def _results(self, inputs: Sequence[Any], blocks: Sequence[Blocks]) -> list[Ref]:
        avals = list(map(_aval_of, self._shapes))
        sources = aliased(self._aliases, inputs, avals)
        starts = [
            dnp.full(aval.shape, _unset(aval.dtype), aval.dtype) if source < 0 else inputs[source]
            for aval, source in zip(avals, sources, strict=True)
        ]
        return [new_ref(_padded(start, own)) for start, own in zip(starts, blocks, strict=True)]


def _alone(
    what: str, must_not: str, ids: Sequence[Any], function: Callable[..., Any], *args: Any
) -> Any:
    """The result of a function, which must close over no arrays but the program's place."""
    trace = current()
    before = (0, 0) if trace is None else (len(trace.captured), len(trace.constants))
    result = function(*args)
    captured, constants = [], []
    if trace is not None:
        captured, constants = trace.captured[before[0] :], trace.constants[before[1] :]
    given, outside = {id(each) for each in ids}, {id(each) for each in _free_values(function)}
    arrays = [each for each in captured if type(each) is not Ref and id(each) not in given]
    # Small arrays become constants of the program; those that the function makes may.
    arrays += [each for each in constants if id(each) in outside]
    if arrays:
        raise value_error(
            f"{what} {must_not} {[str(array.aval) for array in arrays]}, got: arrays that it "
            f"closes over {here()}; pass them as arguments"
        )
    return result


def _free_values(function: Any) -> Iterator[Any]:
    """What a function refers to but does not get as arguments."""
    if isinstance(function, functools.partial):
        yield from function.args
        yield from function.keywords.values()
        yield from _free_values(function.func)
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        return
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # it is empty
            yield cell.cell_contents
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
        yield from (
            function.__globals__[name] for name in code.co_names if name in function.__globals__
        )


def _for_all(sizes: Sequence[int], run: Callable[[Sequence[Any]], None], *ids: Any) -> None:
    """Call `run` with each place in a grid, the last dimension fastest."""
    if not sizes:
        return run(ids)
    for_grid(sizes[0], lambda i: _for_all(sizes[1:], run, *ids, i))


def _tupled(tree: Any) -> Any:
    """A tree whose topmost node is a tuple if it was a list."""
    return tuple(tree) if isinstance(tree, list) else tree


def _as_tuple(tree: Any) -> Sequence[Any]:
    return tree if isinstance(tree, (tuple, list)) else (tree,)


def _aval_of(shape: Any) -> ShapedArray:
    return ShapedArray(tuple(shape.shape), dtypes.dtype(shape))


def _unset(dtype: np.dtype) -> Any:
    """What stands for elements that nobody has written."""
    if dtypes.is_inexact(dtype):
        return np.nan
    return dnp.iinfo(dtype).min if dtypes.is_integer(dtype) else False


def _padded(x: Any, blocks: Blocks) -> Any:
    """An array of whole blocks."""
    # With zeros, so that derivatives with respect to other arguments are not NaN.
    return dnp.pad(x, blocks.padding) if any(map(any, blocks.padding)) else x


def _window(ref: Ref, blocks: Blocks, ids: Sequence[Any], scalars: Sequence[Any]) -> Any:
    """The block of a program, whose index map also gets references to some arguments."""
    what, must_not = blocks.map_name, "must not capture constants:"
    starts = _alone(what, must_not, ids, blocks.starts, ids, scalars)
    window = Window(ref, starts, blocks.sizes)
    return _Squeezed(window, blocks.is_squeezed) if any(blocks.is_squeezed) else window
