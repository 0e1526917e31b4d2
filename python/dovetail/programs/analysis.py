"""Static estimates of a program: the work of a run, and the memory of a compiled program."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dovetail.arrays.shaped_array import ShapedArray

if TYPE_CHECKING:
    from dovetail.placement.named_sharding import NamedSharding
    from dovetail.programs.program import Program


def cost_of(program: Program) -> dict[str, float]:
    """The work of one run, under JAX's names.

    Counted after the phase `simplify`: each op with everything that it reads and writes, since
    fusion comes later; loops by their trip count, or once if it is unknown; branches by the most
    expensive one.

    Returns:
      `flops`, `transcendentals` and `bytes accessed`.
    """
    cost = program.after("shard").cost()
    return {
        "flops": cost.flops,
        "transcendentals": cost.transcendentals,
        "bytes accessed": cost.bytes,
    }


@dataclass(frozen=True)
class CompiledMemoryStats:
    """The memory that a compiled program needs on each of its devices, under JAX's names, in bytes.

    Attributes:
      generated_code_size_in_bytes: the module file, with its constants.
      argument_size_in_bytes: the arguments, and the arrays that the function closes over.
      output_size_in_bytes: the results.
      alias_size_in_bytes: the results that reuse the memory of donated arguments.
      temp_size_in_bytes: temporaries, as far as they are known before the program runs.

    Example:
      >>> import dovetail as dt
      >>> dt.stages.CompiledMemoryStats(10, 8, 4, 0, 0).argument_size_in_bytes
      8
    """

    generated_code_size_in_bytes: int
    argument_size_in_bytes: int
    output_size_in_bytes: int
    alias_size_in_bytes: int
    temp_size_in_bytes: int


def memory_of(program: Program) -> CompiledMemoryStats:
    """The memory of a compiled program."""
    from dovetail.compiler.schedule import schedule_of  # lazy

    compilation = program.compilation()
    schedule = schedule_of(compilation)
    arguments, results = program.input_avals, program.avals
    if program.partition is not None:
        arguments = _parts(arguments, program.partition.arguments)
        results = _parts(results, program.partition.results)
    size = _bytes(results)
    donated = _bytes([arguments[i] for i in program.donated])
    return CompiledMemoryStats(
        len(compilation.vmfb),
        _bytes(arguments),
        size,
        # Results that are not allocated reuse the memory of arguments.
        min(donated, max(0, size - schedule.bytes_of("external"))),
        schedule.bytes_of("transient"),
    )


def _parts(avals: Sequence[ShapedArray], shardings: Sequence[NamedSharding]) -> list[ShapedArray]:
    """The types of the parts on a device."""
    return [
        ShapedArray(sharding.shard_shape(aval.shape), aval.dtype)
        for aval, sharding in zip(avals, shardings, strict=True)
    ]


def _bytes(avals: Sequence[ShapedArray]) -> int:
    return sum(math.prod(aval.shape) * aval.dtype.itemsize for aval in avals)
