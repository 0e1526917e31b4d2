"""`pallas_call`: a kernel becomes a function of arrays, which all transforms take."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from dovetail import numpy as dnp
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.experimental.pallas.programs import program
from dovetail.experimental.pallas.specs import (
    Blocks,
    BlockSpec,
    GridSpec,
    check_compiler_params,
    grid_of,
    no_block_spec,
)
from dovetail.lax.control.loops import for_grid
from dovetail.programs.jit import jit
from dovetail.tracing.arguments import name_of
from dovetail.tracing.held import Held, Window
from dovetail.tracing.references import Ref
from dovetail.transforms.callbacks import forbidden_in
from dovetail.transforms.references import empty_ref, freeze, new_ref
from dovetail.trees.pytree import flatten, leaf_names, unflatten


def pallas_call(
    kernel: Callable[..., None],
    out_shape: Any,
    *,
    grid_spec: GridSpec | None = None,
    grid: int | tuple[int, ...] = (),
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
      grid: the size of each dimension of the grid; by default there is one program.
      in_specs, out_specs: a `BlockSpec` for each leaf of the arguments or results; by default, each
        block is the whole array.
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
      TypeError: a shape has no dtype, or `kernel` is not callable.
      ValueError: when called: a spec does not fit its array, the numbers of specs and arrays
        differ, an alias has other types, the kernel closes over an array, or it writes to an
        argument. At once: `dimension_semantics` does not fit the grid.
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


class _Squeezed(Held):
    """A block without those of its dimensions, of size 1, that are dropped."""

    __slots__ = ("_block", "_shape")

    def __init__(self, block: Held, is_dropped: Sequence[bool]) -> None:
        pairs = zip(block.shape, is_dropped, strict=True)
        self._block, self._shape = block, tuple(size for size, dropped in pairs if not dropped)

    def _read(self) -> Any:
        return self._block._read().reshape(self._shape)

    def _write(self, value: Any) -> None:
        self._block._write(value.reshape(self._block.shape))


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
        self._shapes, self._out_spec = flatten(out_shape)
        self._is_tuple = isinstance(out_shape, (tuple, list))
        for shape in self._shapes:
            if not (hasattr(shape, "shape") and hasattr(shape, "dtype")):
                raise type_error(
                    f"pallas_call: out_shape must have leaves with shape and dtype, got: {shape!r}"
                )
        self._grid = grid_of(spec)

    def __call__(self, args: tuple[Any, ...]) -> Any:
        """The results."""
        values, spec = flatten(args)
        inputs = [dnp.asarray(value) for value in values]
        names = leaf_names(args, "args")
        in_blocks = _blocks("in_specs", self._spec.in_specs, inputs, names)
        out_names = leaf_names(unflatten(self._out_spec, self._shapes), "outputs")
        out_blocks = _blocks("out_specs", self._spec.out_specs, self._shapes, out_names)
        in_refs = [new_ref(_padded(x, blocks)) for x, blocks in zip(inputs, in_blocks, strict=True)]
        out_refs = self._results(inputs, out_blocks)
        scratch, scratch_spec = flatten(self._spec.scratch_shapes)
        scratch_refs = [empty_ref(shape) for shape in scratch]

        def run(ids: Sequence[Any]) -> None:
            in_pairs = zip(in_refs, in_blocks, strict=True)
            taken = [_Input(_window(ref, b, ids), b.what) for ref, b in in_pairs]
            made = [_window(ref, b, ids) for ref, b in zip(out_refs, out_blocks, strict=True)]
            outs = unflatten(self._out_spec, made)
            with program(ids, self._grid):
                self._traced(
                    *unflatten(spec, taken),
                    *(outs if self._is_tuple else [outs]),
                    *_as_tuple(unflatten(scratch_spec, scratch_refs)),
                )

        _for_all(self._grid, run)
        results = [
            freeze(ref)[tuple(slice(0, n) for n in shape.shape)]
            for ref, shape in zip(out_refs, self._shapes, strict=True)
        ]
        return unflatten(self._out_spec, results)

    def _traced(self, *refs: Any) -> None:
        """Apply the kernel, which must close over nothing that only runs know."""
        trace = current()
        before = 0 if trace is None else len(trace.captured)
        with nullcontext() if self._is_interpreted else forbidden_in(_COMPILED):
            self._kernel(*refs)
        captured = [] if trace is None else trace.captured[before:]
        arrays = [operand for operand in captured if type(operand) is not Ref]
        if arrays:
            raise value_error(
                f"The kernel function {name_of(self._kernel)} in the pallas_call captures "
                f"constants {[str(array.aval) for array in arrays]}, got: arrays that it closes "
                f"over {here()}; pass them as arguments"
            )

    def _results(self, inputs: Sequence[Any], blocks: Sequence[Blocks]) -> list[Ref]:
        sources = {result: argument for argument, result in self._aliases.items()}
        refs = []
        for i, (shape, own) in enumerate(zip(self._shapes, blocks, strict=True)):
            dtype = dtypes.dtype(shape)
            start = dnp.full(shape.shape, _unset(dtype), dtype)
            if i in sources:
                start = inputs[sources[i]]
                if start.shape != tuple(shape.shape) or start.dtype != dtype:
                    raise value_error(
                        "pallas_call: input_output_aliases must join arrays of one type, got: "
                        f"{start.aval} and {dtype.name}{list(shape.shape)}"
                    )
            refs.append(new_ref(_padded(start, own)))
        return refs


def _for_all(sizes: Sequence[int], run: Callable[[Sequence[Any]], None], *ids: Any) -> None:
    """Call `run` with each place in a grid, the last dimension fastest."""
    if not sizes:
        return run(ids)
    for_grid(sizes[0], lambda i: _for_all(sizes[1:], run, *ids, i))


def _as_tuple(tree: Any) -> Sequence[Any]:
    return tree if isinstance(tree, (tuple, list)) else (tree,)


def _blocks(what: str, specs: Any, arrays: Sequence[Any], names: Sequence[str]) -> list[Blocks]:
    """The blocks of each array."""
    if specs is no_block_spec:
        given = [BlockSpec()] * len(arrays)
    else:
        given, _ = flatten(specs, is_leaf=lambda leaf: isinstance(leaf, BlockSpec))
    if len(given) != len(arrays):
        raise value_error(
            f"pallas_call: {what} must have a BlockSpec for each of {len(arrays)} arrays, got: "
            f"{len(given)}"
        )
    triples = zip(given, arrays, names, strict=True)
    return [Blocks(spec, tuple(array.shape), name) for spec, array, name in triples]


def _unset(dtype: np.dtype) -> Any:
    """What stands for elements that nobody has written."""
    if dtypes.is_inexact(dtype):
        return np.nan
    return dnp.iinfo(dtype).min if dtypes.is_integer(dtype) else False


def _padded(x: Any, blocks: Blocks) -> Any:
    """An array of whole blocks."""
    if blocks.padded == x.shape:
        return x
    # With zeros, so that derivatives with respect to other arguments are not NaN.
    return dnp.pad(x, [(0, after - n) for after, n in zip(blocks.padded, x.shape, strict=True)])


def _window(ref: Ref, blocks: Blocks, ids: Sequence[Any]) -> Any:
    """The block of a program."""
    window = Window(ref, blocks.starts(ids), blocks.sizes)
    return _Squeezed(window, blocks.is_squeezed) if any(blocks.is_squeezed) else window
