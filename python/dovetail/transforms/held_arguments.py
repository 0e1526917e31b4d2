"""References among the arguments of a function of values: their arrays go in and come back."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from dovetail.placement.partition_spec import P
from dovetail.tracing.arguments import Function, LeafNames, name_of
from dovetail.tracing.held import Held
from dovetail.tracing.references import check_references
from dovetail.transforms.references import freeze, new_ref
from dovetail.trees.pytree import flatten, unflatten


class HeldArguments(NamedTuple):
    """The references, and windows of references, among the arguments of a function.

    Attributes:
      references: they, by the numbers of their leaves.
      values: the arguments with what they hold in their places.
      function: a function of these, whose second result is the list of what they hold at its end.
    """

    references: dict[int, Held]
    values: tuple[Any, ...]
    function: Function

    @classmethod
    def of(cls, fun: Function, args: tuple[Any, ...]) -> HeldArguments | None:
        """Those of the arguments; None if there are none.

        Raises:
          ValueError: a reference occurs twice.
        """
        leaves, spec = flatten(args, _is_held)
        references = {i: leaf for i, leaf in enumerate(leaves) if _is_held(leaf)}
        if not references:
            return None
        names = LeafNames(fun, args, {})
        owners = flatten(args)[0]
        texts = [str(names.at(i)) for i in range(len(owners))]
        check_references("shard_map", name_of(fun), owners, texts, [])
        held = [leaf[...] if _is_held(leaf) else leaf for leaf in leaves]

        @functools.wraps(fun)
        def function(*values: Any) -> tuple[Any, list[Any]]:
            inner = flatten(values)[0]
            refs = {i: new_ref(inner[i]) for i in references}
            result = fun(*unflatten(spec, [refs.get(i, each) for i, each in enumerate(inner)]))
            return result, [freeze(ref) for ref in refs.values()]

        return cls(references, unflatten(spec, held), function)

    def specs(self, given: Sequence[P | None]) -> list[P | None]:
        """The specs of the arguments; each device has the whole of a reference without one."""
        return [
            P() if each is None and i in self.references else each for i, each in enumerate(given)
        ]

    def of_references(self, specs: Sequence[P | None]) -> list[P | None]:
        """Those of the references."""
        return [specs[i] for i in self.references]

    def written(self, results: tuple[Any, list[Any]]) -> Any:
        """The first result, once the references hold the second."""
        result, arrays = results
        for ref, array in zip(self.references.values(), arrays, strict=True):
            ref[...] = array
        return result


def _is_held(node: Any) -> bool:
    return isinstance(node, Held)
