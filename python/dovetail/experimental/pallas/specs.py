"""The grid of a kernel, and the blocks of its arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from dovetail.base.errors import value_error
from dovetail.base.locations import here
from dovetail.tracing.arguments import name_of


class MemorySpace(Enum):
    """Where a block is to be kept; it has no effect here.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.BlockSpec((4,), lambda i: (i,), memory_space=pl.MemorySpace.ANY).memory_space
      <MemorySpace.ANY: 'any'>
    """

    ANY = "any"
    KEY = "key"
    INDEX = "index"
    ERROR = "error"


ANY = MemorySpace.ANY


class _Named:
    """A value that is only equal to itself."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


# A dimension of a block of size 1, which the kernel does not see; None means the same.
squeezed = _Named("squeezed")
# Specs that are not given: each block is the whole array.
no_block_spec = _Named("no_block_spec")


class CostEstimate(NamedTuple):
    """The cost of a kernel, which is accepted and has no effect.

    Attributes:
      flops, transcendentals: the number of operations.
      bytes_accessed: the number of bytes read and written.
      remote_bytes_transferred: the number of bytes exchanged with other devices.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> pl.CostEstimate(flops=1000, transcendentals=0, bytes_accessed=256).flops
      1000
    """

    flops: int
    transcendentals: int
    bytes_accessed: int
    remote_bytes_transferred: int = 0


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
      grid: the size of each dimension; an int is a grid of one.
      in_specs, out_specs: a `BlockSpec` for each array that the kernel reads or writes.
      scratch_shapes: the shapes and dtypes of further references, `ShapeDtypeStruct`s.

    Example:
      >>> from dovetail.experimental import pallas as pl
      >>> spec = pl.GridSpec(grid=(4, 2), out_specs=pl.BlockSpec((8, 8), lambda i, j: (i, j)))
    """

    grid: int | tuple[int, ...] = ()
    in_specs: Any = no_block_spec
    out_specs: Any = no_block_spec
    scratch_shapes: Any = ()


def grid_of(spec: GridSpec) -> tuple[int, ...]:
    """The size of each dimension of the grid."""
    return spec.grid if isinstance(spec.grid, tuple) else (spec.grid,)


def check_compiler_params(params: Any, spec: GridSpec) -> None:
    """Check that `dimension_semantics`, if there are any, fit the grid."""
    if isinstance(params, Mapping):
        stated = params.get("dimension_semantics")
    else:
        stated = getattr(params, "dimension_semantics", None)
    if stated is None:
        return
    names = [str(getattr(each, "value", each)).lower() for each in stated]
    if len(names) != len(grid_of(spec)) or not {*names} <= {"parallel", "arbitrary"}:
        raise value_error(
            'pallas_call: dimension_semantics must be "parallel" or "arbitrary" for each dimension '
            f"of the grid {grid_of(spec)}, got: {stated!r}"
        )


class Blocks:
    """The blocks of one array.

    Args:
      spec: the spec.
      shape: the shape of the array.
      what: the array's name in messages.

    Raises:
      ValueError: the spec does not fit the array.
    """

    def __init__(self, spec: BlockSpec, shape: tuple[int, ...], what: str) -> None:
        block = tuple(shape) if spec.block_shape is None else tuple(spec.block_shape)
        if len(block) != len(shape):
            raise value_error(
                f"Block shape for {what} (= {block}) must have the same number of dimensions as "
                f"the array shape {shape}, got: {len(block)} and {len(shape)}"
            )
        self.what, self._map = what, spec.index_map
        self.is_squeezed = [size is None or size is squeezed for size in block]
        self.sizes = [
            1 if dropped else size for size, dropped in zip(block, self.is_squeezed, strict=True)
        ]
        for size in self.sizes:
            if not isinstance(size, int) or size < 1:
                raise value_error(
                    f"pallas_call: sizes of a block must be positive integers or None, got: "
                    f"{block} for {what}"
                )
        self.count = [-(-n // size) for n, size in zip(shape, self.sizes, strict=True)]

    @property
    def padded(self) -> tuple[int, ...]:
        """The shape of the array when all blocks are whole."""
        return tuple(n * size for n, size in zip(self.count, self.sizes, strict=True))

    def starts(self, ids: Sequence[Any]) -> list[Any]:
        """The first index of a program's block in each dimension.

        Raises:
          ValueError: the index map has another number of results, or a known one is out of range.
        """
        if self._map is None:
            return [0] * len(self.sizes)
        found = self._map(*ids)
        found = found if isinstance(found, (tuple, list)) else (found,)
        if len(found) != len(self.sizes):
            raise value_error(
                f"Index map function {name_of(self._map)} for {self.what} must return "
                f"{len(self.sizes)} values to match block_shape, got: {len(found)} {here()}"
            )
        for number, count in zip(found, self.count, strict=True):
            if isinstance(number, int) and not 0 <= number < count:
                raise value_error(
                    f"Index map function {name_of(self._map)} for {self.what} must return indices "
                    f"of blocks, below {tuple(self.count)}, got: {tuple(found)} {here()}"
                )
        return [number * size for number, size in zip(found, self.sizes, strict=True)]
