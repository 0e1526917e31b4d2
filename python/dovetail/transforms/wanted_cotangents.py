"""What a pullback does with a cotangent: returns it, adds it to a reference, or leaves it out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from dovetail.base.errors import MismatchError
from dovetail.base.locations import here
from dovetail.tracing.held import Held
from dovetail.trees.differences import where_unlike
from dovetail.trees.pytree import flatten, register_node, unflatten


@dataclasses.dataclass(frozen=True, slots=True)
class GradValue:
    """Asks a pullback for the cotangent of a primal.

    Example:
      >>> import dovetail as dt
      >>> pull = dt.vjp(lambda x, y: x * y, 2.0, 3.0)[1]
      >>> pull.with_refs(dt.ad.GradValue(), dt.ad.DontWant())(1.0)
      (Array(3., dtype=float32, weak_type=True), DidntWant())
    """


@dataclasses.dataclass(frozen=True, slots=True)
class DontWant:
    """Tells a pullback that the cotangent of a primal is not wanted; see `GradValue`.

    Example:
      >>> DontWant()
      DontWant()
    """


@dataclasses.dataclass(frozen=True, slots=True)
class GradRef:
    """Stands for a cotangent that was added to a reference.

    Example:
      >>> import dovetail as dt
      >>> total = dt.new_ref(1.0)
      >>> dt.vjp(lambda x: 2 * x, 1.0)[1].with_refs(total)(1.0)
      (GradRef(),)
      >>> float(total[...])
      3.0
    """


@dataclasses.dataclass(frozen=True, slots=True)
class DidntWant:
    """Stands for a cotangent that was not wanted; see `GradValue`.

    Example:
      >>> DidntWant()
      DidntWant()
    """


for _stands in (GradRef, DidntWant):
    register_node(_stands, lambda _: ((), None), lambda *_, stands=_stands: stands())


def deliver(
    name: str,
    wanted: Sequence[Any],
    pull: Callable[[Mapping[int, Any]], tuple[Any, ...]],
    spec: Any,
    written: Container[int],
) -> Any:
    """The cotangents that are wanted as values; others are added to references.

    Args:
      name: the name of the function that was differentiated.
      wanted: a `DontWant`, a reference, or a `GradValue` in place of each primal's leaf; other
        objects mean the latter, as in JAX.
      pull: returns the cotangents of the primals, given those of what primals hold at the end.
      spec: the structure of the primals.
      written: the positions of primals to which the function writes.

    Returns:
      The cotangents, with a `GradRef` or a `DidntWant` where there is no value.

    Raises:
      MismatchError: `wanted` has another structure.
    """
    leaves, given = flatten(tuple(wanted), is_leaf=lambda x: isinstance(x, Held))
    if given != spec:
        owners = f"the primals of `{name}`", "what `with_refs` was given"
        raise MismatchError(
            "with_refs: there must be a reference, a GradValue or a DontWant for each leaf of the "
            f"primals, got: {where_unlike(spec, given, 'primal', owners)} {here()}"
        )
    replaced = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Held) and i in written]
    cotangents = flatten(pull({i: leaves[i]._read() for i in replaced}))[0]
    results: list[Any] = []
    for i, (leaf, cotangent) in enumerate(zip(leaves, cotangents, strict=True)):
        if isinstance(leaf, Held):
            if i in replaced:
                leaf[...] = cotangent
            else:
                leaf.addupdate(cotangent)
            results.append(GradRef())
        elif isinstance(leaf, DontWant):
            results.append(DidntWant())
        else:
            results.append(cotangent)
    return unflatten(spec, results)
