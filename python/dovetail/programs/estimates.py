"""Estimates of the time and memory of a program on the devices of a mesh, which need not exist."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dovetail import _core
from dovetail.base.errors import value_error
from dovetail.base.locations import describe
from dovetail.placement import partitioning
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import PartitionSpec
from dovetail.programs.jit import jit
from dovetail.programs.options import ShardingPrefix
from dovetail.programs.program import Program


@dataclass(frozen=True)
class Collective:
    """One collective of a program.

    Attributes:
      op: its name in the dialect.
      axes: the axes of the mesh over which it is.
      devices: the number of devices that take part together.
      runs: how often it runs.
      operand_bytes: the size of a device's operand.
      received_bytes: the least that a device must receive in a run.
      seconds: the time of all runs.
      line: where it comes from in the user's program.

    Example:
      >>> from dovetail.sharding import Collective
      >>> Collective("all_gather", ("x",), 4, 2.0, 8, 24, 1e-6, "").received_bytes
      24
    """

    op: str
    axes: tuple[str, ...]
    devices: int
    runs: float
    operand_bytes: float
    received_bytes: float
    seconds: float
    line: str


@dataclass(frozen=True)
class Estimate:
    """What a program takes on each device of a mesh; see `estimate`.

    Attributes:
      devices: the number of devices.
      flops: operations of arithmetic of a device, elementary functions among them.
      accessed_bytes: what its ops read and write, each by itself, without fusion.
      argument_bytes: its parts of the arguments.
      peak_bytes: the most that its values take at a time, without fusion or reuse.
      compute_seconds: the larger of the times for arithmetic and for memory.
      communication_seconds: the time in collectives, none of which overlaps with anything.
      collectives: the collectives, in the order of the program.
      in_specs, out_specs: how the arguments, and arrays that the function closes over, and the
        results are sharded.

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.sharding.AbstractMesh((4,), ("x",))
      >>> x = dt.ShapeDtypeStruct((8, 2), "float32")
      >>> dt.sharding.estimate(lambda x: x + 1, mesh, x, in_shardings=dt.P("x")).argument_bytes
      16.0
    """

    devices: int
    flops: float
    accessed_bytes: float
    argument_bytes: float
    peak_bytes: float
    compute_seconds: float
    communication_seconds: float
    collectives: tuple[Collective, ...]
    in_specs: tuple[PartitionSpec, ...]
    out_specs: tuple[PartitionSpec, ...]

    @property
    def seconds(self) -> float:
        """The time of a run."""
        return self.compute_seconds + self.communication_seconds

    def __str__(self) -> str:
        compute, communication = map(shown_time, (self.compute_seconds, self.communication_seconds))
        accessed, arguments, peak = map(
            shown_size, (self.accessed_bytes, self.argument_bytes, self.peak_bytes)
        )
        lines = [
            f"{shown_time(self.seconds)} on {self.devices} devices: {compute} of computation, "
            f"{communication} of communication",
            f"each: {self.flops:.3g} flops, {accessed} read and written, arguments of {arguments}, "
            f"at most {peak} at once",
        ]
        if self.collectives:
            rows = [
                ("collective", "axes", "devices", "runs", "operand", "received", "time", "line")
            ]
            rows += [
                (
                    each.op,
                    ", ".join(each.axes),
                    str(each.devices),
                    f"{each.runs:g}",
                    shown_size(each.operand_bytes),
                    shown_size(each.received_bytes),
                    shown_time(each.seconds),
                    each.line,
                )
                for each in self.collectives
            ]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            lines += [
                "  ".join(
                    text.ljust(width) for text, width in zip(row, widths, strict=True)
                ).rstrip()
                for row in rows
            ]
        return "\n".join(lines)


def estimate(
    function: Callable[..., Any],
    mesh: Mesh | AbstractMesh,
    *args: Any,
    in_shardings: Any = None,
    flops: float = 1e12,
    memory_bandwidth: float = 1e11,
    link_bandwidth: float = 1e10,
    latency: float = 1e-5,
) -> Estimate:
    """Estimate the time and memory of a function on the devices of a mesh.

    The function is traced and partitioned, but neither compiled nor run: this takes as long for ten
    thousand devices as for two. A collective takes its bytes over `link_bandwidth`, and `latency`
    each time that a device must wait for another, where all devices send and receive one message
    at a time.

    Args:
      function: a function of arrays.
      mesh: the mesh; an `AbstractMesh` needs no devices.
      *args: arguments, or `ShapeDtypeStruct`s of their shapes.
      in_shardings: a `PartitionSpec` or None for each argument, or for trees of them, as for `jit`.
        Arguments for which there is none get the sharding that the program suggests.
      flops: operations of arithmetic per second of a device.
      memory_bandwidth: bytes per second between a device and its memory.
      link_bandwidth: bytes per second that a device receives from others.
      latency: seconds until a message arrives.

    Returns:
      An `Estimate`; printed, it is a table.

    Raises:
      ValueError: the program cannot be partitioned, or a rate is not positive.

    References:
      E. Chan, M. Heimlich, A. Purkayastha, R. van de Geijn, Collective communication: theory,
      practice, and experience, Concurrency and Computation 19 (2007).

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.sharding.AbstractMesh((1000, 8), ("data", "model"))
      >>> x, w, v = (dt.ShapeDtypeStruct(s, "float32") for s in ((8000, 64), (64, 512), (512, 64)))
      >>> specs = dt.P("data"), dt.P(None, "model"), dt.P("model")
      >>> def layer(x, w, v):
      ...     return (x @ w) @ v
      >>> found = dt.sharding.estimate(layer, mesh, x, w, v, in_shardings=specs)
      >>> [(each.op, each.axes, each.operand_bytes) for each in found.collectives]
      [('all_reduce_sum', ('model',), 2048.0)]
    """
    rates = Rates(flops, memory_bandwidth, link_bandwidth, latency)
    rates.check("estimate")
    program = jit(function).trace(*args)._program
    prefix = ShardingPrefix.of(in_shardings, "estimate in_shardings")
    stated = [] if prefix is None else prefix.for_each(args, "estimate in_shardings")
    shardings = [
        NamedSharding(mesh, each) if isinstance(each, PartitionSpec) else each for each in stated
    ]
    return estimated("estimate", program, mesh, shardings, rates)


class Rates(NamedTuple):
    """What devices and their links can do; see `estimate`."""

    flops: float
    memory_bandwidth: float
    link_bandwidth: float
    latency: float

    def check(self, name: str) -> None:
        """Check that all are positive; a message may take no time."""
        for rate, value in self._asdict().items():
            if not (value > 0 or (rate == "latency" and value == 0)):
                raise value_error(f"{name}: {rate} must be positive, got: {value}")


def estimated(
    name: str,
    program: Program,
    mesh: Mesh | AbstractMesh,
    shardings: Sequence[NamedSharding | None],
    rates: Rates,
) -> Estimate:
    """The estimate of a program whose first arguments are sharded so; others get any sharding."""
    module = program.module.clone()
    inputs = module.function("main").inputs
    # Arrays that the function closes over come last.
    rest = [None] * (len(inputs) - len(shardings))
    partitioning.request(module, mesh, [*shardings, *rest])
    with partitioning.over(mesh):
        module.run("", "shard")
    partition = partitioning.partition(module, mesh)
    if partition is None:
        raise value_error(
            f"{name}: the function must be one that can be partitioned, got: one with "
            "symbolic shapes or several meshes"
        )
    cost = module.cost()
    work = cost.flops + cost.transcendentals
    collectives = tuple(
        Collective(
            each.op,
            tuple(each.axes),
            each.devices,
            each.runs,
            each.bytes,
            each.received,
            each.runs * (each.received / rates.link_bandwidth + each.steps * rates.latency),
            describe(each.place) if each.place[0] else "",
        )
        for each in _core.traffic(module)
    )
    arguments = sum(
        math.prod(shape) * aval.dtype.itemsize
        for aval, (shape, _) in zip(
            program.input_avals, module.function("main").inputs, strict=True
        )
    )
    return Estimate(
        mesh.size,
        work,
        cost.bytes,
        float(arguments),
        _core.peak_bytes(module),
        max(work / rates.flops, cost.bytes / rates.memory_bandwidth),
        sum(each.seconds for each in collectives),
        collectives,
        tuple(sharding.spec for sharding in partition.arguments),
        tuple(sharding.spec for sharding in partition.results),
    )


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def shown_time(seconds: float) -> str:
    """A time with a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def shown_size(count: float) -> str:
    """Bytes with a unit."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.3g} B"
