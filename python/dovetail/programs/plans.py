"""Searches for shardings of a program's arguments, by estimates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dovetail.base.errors import value_error
from dovetail.placement.meshes import AbstractMesh, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import PartitionSpec
from dovetail.programs.estimates import (
    Estimate,
    Rates,
    estimated,
    shown_size,
    shown_time,
    table,
)
from dovetail.programs.jit import jit
from dovetail.trees.pytree import flatten, leaf_names, unflatten

# A spec that is not stated is the one that the program suggests.
Specs = tuple[PartitionSpec | None, ...]


@dataclass(frozen=True)
class Plan:
    """Shardings of a function's arguments; see `search`.

    Attributes:
      in_shardings: a `PartitionSpec` for each argument, in trees like the arguments.
      estimate: the estimate of the program that is sharded so.
      steps: what was stated one after the other, each with the estimate then; first nothing.

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.sharding.AbstractMesh((4,), ("x",))
      >>> x = dt.ShapeDtypeStruct((4096, 4096), "float32")
      >>> dt.sharding.search(lambda x: x * 2, mesh, x).in_shardings
      (P('x',),)
    """

    in_shardings: tuple[Any, ...]
    estimate: Estimate
    steps: tuple[tuple[str, Estimate], ...]

    def __str__(self) -> str:
        rows = [("stated", "time", "computation", "communication", "at most at once")]
        rows += [
            (
                text,
                shown_time(each.seconds),
                shown_time(each.compute_seconds),
                shown_time(each.communication_seconds),
                shown_size(each.peak_bytes),
            )
            for text, each in self.steps
        ]
        return "\n".join(table(rows))


def search(
    function: Callable[..., Any],
    mesh: Mesh | AbstractMesh,
    *args: Any,
    memory_per_device: float = math.inf,
    flops: float = 1e12,
    memory_bandwidth: float = 1e11,
    link_bandwidth: float = 1e10,
    latency: float = 1e-5,
) -> Plan:
    """Search for shardings of the arguments for which a function takes the least time.

    In each step, the sharding of one more argument is stated, or another one than before: that
    which helps most. The others get those that the program suggests. This finds data and tensor
    parallelism, fully sharded arguments, and mixtures of them, but not always the best.

    Args:
      function: a function of arrays.
      mesh: the mesh; an `AbstractMesh` needs no devices.
      *args: arguments, or `ShapeDtypeStruct`s of their shapes.
      memory_per_device: bytes that values may take at a time; if there is no such plan, the one
        that takes the least.
      flops, memory_bandwidth, link_bandwidth, latency: as for `estimate`.

    Returns:
      A `Plan`; printed, it is the table of the steps.

    Raises:
      ValueError: the program cannot be partitioned, or a rate is not positive.

    Example:
      >>> import dovetail as dt
      >>> mesh = dt.sharding.AbstractMesh((8,), ("x",))
      >>> x, w, v = (
      ...     dt.ShapeDtypeStruct(s, "float32") for s in ((16, 2048), (2048, 8192), (8192, 2048))
      ... )
      >>> plan = dt.sharding.search(lambda x, w, v: (x @ w) @ v, mesh, x, w, v)
      >>> plan.in_shardings[1:]
      (P(None, 'x'), P('x',))
    """
    rates = Rates(flops, memory_bandwidth, link_bandwidth, latency)
    rates.check("search")
    if not memory_per_device > 0:
        raise value_error(f"search: memory_per_device must be positive, got: {memory_per_device}")
    program = jit(function).trace(*args)._program
    found, tree = flatten(args)
    names = leaf_names(args, "args")
    shapes = [aval.shape for aval in program.signature.avals[: len(found)]]

    def of(specs: Specs) -> Estimate:
        shardings = [None if spec is None else NamedSharding(mesh, spec) for spec in specs]
        return estimated("search", program, mesh, shardings, rates)

    def rank(each: Estimate) -> tuple[float, float, float]:
        return max(0.0, each.peak_bytes - memory_per_device), each.seconds, each.peak_bytes

    specs: Specs = (None,) * len(found)
    best = of(specs)
    steps = [("nothing", best)]
    while True:
        tried = [
            (number, spec, of((*specs[:number], spec, *specs[number + 1 :])))
            for number, shape in enumerate(shapes)
            for spec in _candidates(mesh, shape)
            if spec != specs[number]
        ]
        if not tried:
            break
        number, spec, least = min(tried, key=lambda each: rank(each[2]))
        if not rank(least) < rank(best):
            break
        specs, best = (*specs[:number], spec, *specs[number + 1 :]), least
        steps.append((f"{names[number]}: {spec}", best))
    in_shardings = unflatten(tree, best.in_specs[: len(found)])
    return Plan(tuple(in_shardings), best, tuple(steps))


def _candidates(mesh: Mesh | AbstractMesh, shape: Sequence[int]) -> Iterator[PartitionSpec]:
    """The specs that divide an array: over each set of axes, each axis along any dimension."""
    axes = mesh.axis_names
    for count in range(len(axes) + 1):
        for chosen in itertools.combinations(axes, count):
            for dims in itertools.product(range(len(shape)), repeat=count):
                of_dims = [
                    tuple(a for a, d in zip(chosen, dims, strict=True) if d == dim)
                    for dim in range(len(shape))
                ]
                parts = [math.prod(mesh.shape[a] for a in each) for each in of_dims]
                if all(size >= n for size, n in zip(shape, parts, strict=True)):
                    yield PartitionSpec(
                        *(each if len(each) > 1 else next(iter(each), None) for each in of_dims)
                    )
