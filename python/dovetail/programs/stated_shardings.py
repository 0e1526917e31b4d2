"""Arguments and results of jitted functions where `in_shardings` and `out_shardings` state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.locations import here
from dovetail.placement import platforms
from dovetail.programs.constraints import check_divisible, check_rank, constrained
from dovetail.tracing.arguments import LeafNames


def with_in_shardings(
    function: Callable[..., Any],
    name: str,
    prefix: Any,
    leaves: Sequence[Any],
    args: tuple[Any, ...],
    statics: Collection[int | str],
) -> list[Any]:
    """The arguments as `in_shardings` states, which has no entries for static ones.

    Args:
      function, name: the function and its name.
      prefix: the shardings.
      leaves: the arguments' leaves.
      args: the arguments, which are all positional.
      statics: the numbers and names of static arguments.

    Raises:
      ValueError: an array has another sharding, or its shape does not suit the stated one.
    """
    positions = [n for n in range(len(args)) if n not in statics]
    wanted = prefix.for_each(tuple([args[n] for n in positions]), "jit in_shardings")

    def name_of_leaf(number: int) -> str:
        return LeafNames(function, args, {}, positions)[number]

    return [
        leaf if sharding is None else _with_sharding(leaf, sharding, name, name_of_leaf, i)
        for i, (leaf, sharding) in enumerate(zip(leaves, wanted, strict=True))
    ]


def _with_sharding(
    leaf: Any, sharding: Any, name: str, name_of_leaf: Callable[[int], str], number: int
) -> Any:
    wanted = platforms.sharding_meant(sharding, "jit in_shardings")
    check_rank(
        wanted,
        leaf.shape,
        lambda: f"pjit arguments with pytree key path {name_of_leaf(number)}",
    )
    is_committed = type(leaf) is Array and leaf.committed
    has = leaf.sharding if is_committed or isinstance(leaf, ShapeDtypeStruct) else None
    if has is not None and not has.is_equivalent_to(wanted, leaf.ndim):
        raise ValueError(
            "Sharding passed to jit does not match the sharding on the respective arg. Got jit "
            f"sharding: {wanted}, arg sharding: {has} for arg shape: {leaf.aval}, "
            f"`{name_of_leaf(number)}` of `{name}` {here()}; move it with dovetail.device_put"
        )
    if isinstance(leaf, ShapeDtypeStruct):
        return leaf.update(sharding=wanted)
    return constrained("jit in_shardings", leaf, wanted)


def with_out_shardings(prefix: Any, outs: list[Any], result: Any) -> list[Any]:
    """The results as `out_shardings` states.

    Args:
      prefix: the shardings, None if there are none.
      outs: the results' leaves.
      result: their tree.

    Raises:
      ValueError: a result's shape does not suit its sharding.
    """
    if prefix is None:
        return outs
    name = "jit out_shardings"
    constrained_outs = []
    for out, sharding in zip(outs, prefix.for_each(result, name), strict=True):
        if sharding is not None:
            sharding = platforms.sharding_meant(sharding, name)
            check_divisible(sharding, np.shape(out), "pjit outputs")
            out = constrained(name, out, sharding)
        constrained_outs.append(out)
    return constrained_outs
