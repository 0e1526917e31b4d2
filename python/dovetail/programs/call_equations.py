"""Equations of calls of jitted functions, with what `jit` was told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.placement import platforms
from dovetail.placement.mesh_contexts import context_mesh
from dovetail.placement.shardings import UNSPECIFIED, Sharding
from dovetail.programs.donation import donated_leaves
from dovetail.programs.options import Options
from dovetail.tracing.composed import kept_equation
from dovetail.trees.pytree import unflatten


def equation_of_call(
    name: str,
    options: Options,
    call: Any,
    results: Sequence[Sharding | None],
    out_avals: Sequence[ShapedArray],
) -> str:
    """The name of the equation of a call.

    Args:
      name: the function's.
      options: those of `jit`.
      call: its `spec` is the structure of the arguments; `statics` are those that are no arrays.
      results: how the results are stated to be sharded, if so.
      out_avals: the types of the results.
    """
    count = len(call.leaves)
    args, _ = unflatten(call.spec, range(count))
    arguments: list[Any] = [None] * count
    if options.in_shardings is not None:
        fixed = {which for which, _ in call.statics}
        given = tuple(arg for n, arg in enumerate(args) if n not in fixed)
        arguments = options.in_shardings.for_each(given, "jit in_shardings")
    donated = donated_leaves(options, call.spec, count)
    params = {
        "in_shardings": tuple(map(_stated, arguments)),
        "out_shardings": tuple(map(_stated, results)) or (UNSPECIFIED,) * len(out_avals),
        "donated_invars": tuple(i in donated for i in range(count)),
        "ctx_mesh": context_mesh(),
        "name": name,
        "keep_unused": options.keep_unused,
        "inline": options.inline,
    }
    return kept_equation("jit", params, count).name


def _stated(sharding: Any) -> Any:
    return UNSPECIFIED if sharding is None else platforms.sharding_meant(sharding, "jit")
