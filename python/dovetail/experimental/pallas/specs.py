"""The grid of a kernel, and the blocks of its arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from dovetail import numpy as dnp
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.base.locations import here
from dovetail.experimental.pallas.index_maps import Reached, reached_by, tupled
from dovetail.tracing.arguments import name_of
from dovetail.trees.differences import structure_differences
from dovetail.trees.pytree import flatten


class _Named:
    """A value that is only equal to itself."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


@dataclass(frozen=True)
class Squeezed:
    """A dimension of a block of size 1, which the kernel does not see; None means the same.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> spec = pl.BlockSpec((pl.Squeezed(), 128), lambda i, j: (i, j))
    """


@dataclass(frozen=True)
class Blocked:
    """A dimension of a block of some size; the number alone means the same.

    Attributes:
      block_size: the size.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> spec = pl.BlockSpec((pl.Blocked(8), 128), lambda i, j: (i, j))
    """

    block_size: int


@dataclass(frozen=True)
class Element:
    """A dimension in which an index map returns where a block starts, in elements.

    Attributes:
      block_size: the size of a block.
      padding: how many elements are added before and after the array: what is read there is zero,
        and what is written there is dropped. Starts count those before.

    Example:
      Sums of each element and the next, of which the last has none:

      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> from dovetail.experimental import pallas as pl
      >>> def kernel(x_ref, o_ref):
      ...     o_ref[...] = x_ref[:2] + x_ref[1:]
      >>> f = pl.pallas_call(
      ...     kernel, dt.ShapeDtypeStruct((4,), "int32"), grid=2,
      ...     in_specs=[pl.BlockSpec((pl.Element(3, (0, 1)),), lambda i: (2 * i,))],
      ...     out_specs=pl.BlockSpec((2,), lambda i: (i,)),
      ... )
      >>> f(dnp.arange(4))
      Array([1, 3, 5, 3], dtype=int32)
    """

    block_size: int
    padding: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Buffered:
    """How many copies of a block there are to be, as `pipeline_mode`; it has no effect here.

    Attributes:
      buffer_count: the number.
      use_lookahead, revisit: accepted, without effect.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> spec = pl.BlockSpec((8, 128), lambda i, j: (i, j), pipeline_mode=pl.Buffered(3))
    """

    buffer_count: int
    use_lookahead: bool = False
    revisit: Any = None


squeezed = Squeezed()
# Specs that are not given: each block is the whole array.
no_block_spec = _Named("no_block_spec")


@dataclass(frozen=True)
class BlockSpec:
    """The block of an array that each program of a grid gets.

    Attributes:
      block_shape: the shape of the block, with an entry for each dimension of the array; one that
        is None or `squeezed` is 1, and not a dimension of the block. None is the whole array.
      index_map: takes the program's place in each dimension of the grid and returns the place of
        its block in each dimension of the array, in blocks; by default 0 everywhere.
      memory_space, pipeline_mode: accepted, without effect.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> spec = pl.BlockSpec((None, 128), lambda i, j: (i, j))
    """

    block_shape: Sequence[Any] | None = None
    index_map: Callable[..., Any] | None = None
    memory_space: Any = None
    pipeline_mode: Any = None


@dataclass(frozen=True)
class GridSpec:
    """The grid of a kernel and the blocks of its arrays, as one argument.

    Attributes:
      grid: the size of each dimension, or its name and size; an int is a grid of one.
      in_specs: a tuple or list of trees, with a `BlockSpec` for each array that the kernel reads.
      out_specs: the same tree as that of the results, with a `BlockSpec` for each.
      scratch_shapes: the shapes and dtypes of further references, `ShapeDtypeStruct`s.

    Raises:
      ValueError: in_specs is neither.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> spec = pl.GridSpec(grid=(4, 2), out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, j)))
    """

    grid: Any = ()
    in_specs: Any = no_block_spec
    out_specs: Any = no_block_spec
    scratch_shapes: Any = ()

    def __post_init__(self) -> None:
        if self.in_specs is not no_block_spec and not isinstance(self.in_specs, (tuple, list)):
            raise value_error(
                f"pallas_call: `in_specs` must be a tuple or a list, got: {self.in_specs!r}"
            )


def grid_of(spec: GridSpec) -> tuple[int, ...]:
    """The size of each dimension of the grid.

    Raises:
      ValueError: a size is not an integer of 0 or more.
    """
    grid = spec.grid if isinstance(spec.grid, (tuple, list)) else (spec.grid,)
    sizes = [dimension[-1] if isinstance(dimension, tuple) else dimension for dimension in grid]
    for size in sizes:
        if not isinstance(size, (int, np.integer)) or size < 0:
            raise value_error(
                f"pallas_call: grid must have sizes that are integers, 0 or more, got: {spec.grid}"
            )
    return tuple(map(int, sizes))


def check_compiler_params(params: Any, spec: GridSpec) -> None:
    """Check that `dimension_semantics`, if there are any, fit the grid."""
    if isinstance(params, Mapping):
        stated = params.get("dimension_semantics")
    else:
        stated = getattr(params, "dimension_semantics", None)
    if stated is None:
        return
    names = [str(getattr(each, "value", each)).lower() for each in stated]
    sizes = grid_of(spec)
    # The cores of a TPU are workgroups like others.
    names = [name.removeprefix("sub").removeprefix("core_") for name in names]
    if len(names) != len(sizes) or not {*names} <= {"parallel", "arbitrary"}:
        raise value_error(
            'pallas_call: dimension_semantics must be "parallel" or "arbitrary" for each dimension '
            f"of the grid {sizes}, got: {stated!r}"
        )


class _Dimension(NamedTuple):
    """A dimension of the blocks of an array.

    Attributes:
      size: the size of a block.
      start_step: the distance of the places of blocks that an index map returns.
      low, high: what is added to the array before and after.
      blocks: the number of places.
      extent: the elements of the array, with the padding that is stated.
      is_squeezed: whether the kernel does not see the dimension.
      places: the places of blocks, also of those that are not in the array; computed places are
        moved there.
    """

    size: int
    start_step: int
    low: int
    high: int
    blocks: int
    extent: int
    is_squeezed: bool = False
    places: tuple[int, int] | None = None

    @property
    def inside(self) -> range:
        """The places of blocks with an element of the array, or of its padding."""
        if self.size == 0:
            return range(1)
        return range(-((self.size - 1) // self.start_step), -(-self.extent // self.start_step))

    def reaching(self, reached: Reached | None) -> _Dimension:
        """The same with places for blocks that stick out, if a program may have one.

        Args:
          reached: the places of all programs, if they are known.
        """
        if reached:
            is_below, is_above = reached.least < 0, reached.greatest >= self.blocks
        else:
            is_below = is_above = True
        if not is_below and not is_above:
            return self
        # Where places are not known, one block on each side stands for all that are outside.
        steps = self.size // self.start_step
        return self._replace(
            low=self.low + (self.size if is_below else 0),
            high=self.high + (self.size if is_above else 0),
            places=(-steps if is_below else 0, self.blocks - 1 + (steps if is_above else 0)),
        )

    def within(self) -> _Dimension:
        """The same, in which places that are not in the array are moved to the nearest one."""
        return self._replace(places=(0, self.blocks - 1))

    def start_of(self, place: Any) -> Any:
        """The first index of the block at a place."""
        if self.places is None:
            return place * self.start_step
        is_known = isinstance(place, (int, np.integer))
        place = np.clip(place, *self.places) if is_known else dnp.clip(place, *self.places)
        return (place - self.places[0]) * self.start_step


class Blocks:
    """The blocks of one array.

    Args:
      spec: the spec.
      shape: the shape of the array.
      what: the array's name in messages.
      grid: the size of each dimension of the grid.
      is_known: whether the map takes nothing but the place of a program.

    Raises:
      ValueError: the spec does not fit the array, or a program's block has no element of it.
    """

    def __init__(
        self,
        spec: BlockSpec,
        shape: tuple[int, ...],
        what: str,
        grid: Sequence[int],
        is_known: bool,
    ) -> None:
        block = tuple(shape) if spec.block_shape is None else spec.block_shape
        if not isinstance(block, (tuple, list)):
            raise value_error(
                f"Block shape for {what} must have an entry for each dimension of the array shape "
                f"{shape}, got: {block!r}"
            )
        block = tuple(block)
        if len(block) != len(shape):
            raise value_error(
                f"Block shape for {what} (= {block}) must have the same number of dimensions as "
                f"the array shape {shape}, got: {len(block)} and {len(shape)}"
            )
        self.what, self._map = what, spec.index_map
        self._dims = [self._dimension(size, n, block) for size, n in zip(block, shape, strict=True)]
        if self._map is not None and not is_known:
            self._dims = [dim.within() for dim in self._dims]
        elif self._map is not None:
            reached = reached_by(self._map, grid, len(shape)) if all(grid) else []
            pairs = list(zip(self._dims, reached, strict=False))
            for i, (dim, each) in enumerate(pairs):
                if each is not None:
                    self._check(i, dim, each, grid)
            self._dims[: len(pairs)] = [dim.reaching(each) for dim, each in pairs]
        self.sizes = [dim.size for dim in self._dims]
        self.is_squeezed = [dim.is_squeezed for dim in self._dims]
        # What is added to the array in each dimension so that all blocks are whole.
        self.padding = [(dim.low, dim.high) for dim in self._dims]
        # Where the array is then.
        self.inside = tuple(
            slice(dim.low, dim.low + n) for dim, n in zip(self._dims, shape, strict=True)
        )

    def _dimension(self, size: Any, n: int, block: tuple[Any, ...]) -> _Dimension:
        is_squeezed = size is None or isinstance(size, Squeezed)
        low, high = size.padding if isinstance(size, Element) else (0, 0)
        number: Any = 1 if is_squeezed else getattr(size, "block_size", size)
        if n == 0 and number == 0:
            return _Dimension(0, 1, 0, 0, 1, 1)
        sizes = (number, low + 1, high + 1)
        if not all(isinstance(each, (int, np.integer)) and each >= 1 for each in sizes):
            raise value_error(
                "pallas_call: sizes of a block must be positive integers or None, and may be 0 "
                f"only where the array's are, got: {block} for {self.what}"
            )
        number = int(number)
        if isinstance(size, Element):
            extent = low + n + high
            # What a larger block would reach beyond the array is added to its end.
            high = max(high, number - low - n)
            return _Dimension(number, 1, low, high, low + n + high - number + 1, extent)
        # A grid without programs has blocks, too, when its kernel is traced.
        count = max(-(-n // number), 1)
        return _Dimension(number, number, 0, count * number - n, count, n, is_squeezed)

    def _check(self, i: int, dim: _Dimension, reached: Reached, grid: Sequence[int]) -> None:
        """Check that the blocks of programs have elements of the array in a dimension."""
        least, greatest = dim.inside.start, dim.inside.stop - 1
        counted = f"the array has {dim.blocks} blocks"
        if dim.start_step < dim.size:
            counted = f"the array, with its padding, has {dim.extent} elements"
        ends = (reached.least, reached.first), (reached.greatest, reached.last)
        for place, program in ends:
            if place not in dim.inside:
                raise value_error(
                    f"{self.map_name} must return blocks with at least one element of the array. "
                    f"Output[{i}] must be from {least} to {greatest}: {counted}, got: {place} for "
                    f"the program {program} of the grid {tuple(grid)}; bound it by dnp.clip, or "
                    "make the grid smaller"
                )

    @property
    def map_name(self) -> str:
        """The name of the index map in messages."""
        return f"Index map function {defined(self._map)} for {self.what}"

    def starts(self, ids: Sequence[Any], scalars: Sequence[Any]) -> list[Any]:
        """The first index of a program's block in each dimension.

        Args:
          ids: the place of the program.
          scalars: what the index map gets after it.

        Raises:
          TypeError: the index map takes another number of arguments.
          ValueError: it has another number of results, or one is no integer.
        """
        if self._map is None:
            return [0] * len(self.sizes)
        what = f"{self.map_name} must"
        check_takes(self._map, len(ids) + len(scalars), what)
        found = tupled(self._map(*ids, *scalars))
        if len(found) != len(self.sizes):
            raise value_error(
                f"{what} return {len(self.sizes)} values to match block_shape={self.sizes}. "
                f"Currently returning {len(found)} values., got: {len(found)} {here()}"
            )
        for i, number in enumerate(found):
            dtype = dtypes.dtype(number)
            if np.shape(number) or not dtypes.is_integer(dtype):
                raise value_error(
                    f"{what} return integer scalars. Output[{i}] has type "
                    f"{ShapedArray(np.shape(number), dtype)}., got: {number!r} {here()}"
                )
        return [dim.start_of(number) for number, dim in zip(found, self._dims, strict=True)]


def blocks_of(
    what: tuple[str, str],
    specs: Any,
    tree: Any,
    arrays: Sequence[Any],
    names: Sequence[str],
    grid: Sequence[int],
    is_known: bool = True,
) -> list[Blocks]:
    """The blocks of each array.

    Args:
      what: the names of the specs and of the arrays.
      specs: a tree of specs, or `no_block_spec`.
      tree: the structure of the arrays.
      arrays: the arrays, or their shapes.
      names: the name of each array.
      grid: the size of each dimension of the grid.
      is_known: whether index maps take nothing but the place of a program.

    Raises:
      ValueError: the structures differ, or a spec does not fit its array.
    """
    if specs is no_block_spec:
        given: list[Any] = [BlockSpec()] * len(arrays)
    else:
        given, structure = flatten(specs)
        if structure != tree:
            differences = [
                f"    * at {d.path}, `{what[0]}` is {d.first} but `{what[1]}` is {d.second}, so "
                f"{d.consequence}"
                for d in structure_differences(structure, tree, "")
            ]
            raise value_error(
                f"Pytree for `{what[0]}` and `{what[1]}` do not match. There are "
                f"{len(differences)} mismatches, including:\n" + "\n".join(differences) + "\n"
                f"got: {specs!r}"
            )
    pairs = zip(given, arrays, names, strict=True)
    return [
        Blocks(
            spec if isinstance(spec, BlockSpec) else BlockSpec(),
            tuple(array.shape),
            name,
            grid,
            is_known,
        )
        for spec, array, name in pairs
    ]


def defined(function: Any) -> str:
    """The name of a function and where it is defined, for messages."""
    code = getattr(function, "__code__", None)
    where = f" at {code.co_filename}:{code.co_firstlineno}" if code else ""
    return f"{name_of(function)}{where}"


def check_takes(function: Callable[..., Any], count: int, must: str) -> None:
    """Check that a function takes so many arguments.

    Args:
      function: the function.
      count: the number.
      must: the beginning of the message, up to "must".

    Raises:
      TypeError: it does not.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*[None] * count)
    except TypeError:
        raise type_error(f"{must} take {count} arguments, got: {signature}") from None
