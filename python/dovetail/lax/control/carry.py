"""The carry of a loop: a tree whose structure and types do not change between iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import dtypes, locations
from dovetail.base.errors import type_error
from dovetail.base.trace_stack import current
from dovetail.lax import basics as lax
from dovetail.tracing.arguments import LeafNames, as_operand, name_of, parameter_names, results_of
from dovetail.tracing.functions import TracedFunction, trace
from dovetail.tracing.origins import Carried
from dovetail.tracing.perturbed import is_perturbed
from dovetail.tracing.references import Ref, check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.differences import itemized, structure_differences, type_differences
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import count_leaves, flatten, unflatten

Step = Callable[..., tuple[Sequence[Operand], Any]]


class Carry:
    """The carry of a loop.

    Args:
      what: the loop, for messages.
      body: the user's function.
      args: examples of its arguments, for their names.
      position: the index of the argument that is the carry.
      init: the initial carry.
    """

    def __init__(
        self,
        what: str,
        body: Callable[..., Any],
        args: Sequence[Any],
        position: int,
        init: Any,
    ) -> None:
        self.what, self.body = what, body
        self.names = LeafNames(body, args)
        self.root = parameter_names(body, len(args))[position]
        self.before = count_leaves(args[:position])
        values, self.spec = set_float0_aside(*flatten(init))
        check_references(what, name_of(body), values, self.names[self.before :], ())
        if Ref in map(type, values):
            raise type_error(
                f"{what}: the carry must not contain references, got: one in the initial carry of "
                f"`{name_of(body)}`; let the function close over it"
            )
        self.leaves = [
            as_operand(value, self.names.at(self.before + i)) for i, value in enumerate(values)
        ]

    @property
    def paths(self) -> list[str]:
        """Names of the leaves, for messages."""
        return self.names[self.before : self.before + len(self.leaves)]

    def tree(self, leaves: Sequence[Any]) -> Any:
        """The carry with those leaves."""
        return unflatten(self.spec, leaves)

    def returned(self, result: Any) -> list[Operand]:
        """The leaves of the carry that the body returned.

        Raises:
          TypeError: it has another structure.
        """
        values, spec = set_float0_aside(*flatten(result))
        differences = list(structure_differences(self.spec, spec, self.root))
        if differences:
            sentences = [
                f"{self._component(d.path)} is {d.first} but the corresponding component of the "
                f"carry output is {d.second}, so {d.consequence}"
                for d in differences
            ]
            raise type_error(
                f"{self.what} body function carry input and carry output must have the same pytree "
                f"structure, but they differ:\n\n{itemized(sentences)}\nReturn the same "
                f"containers from `{name_of(self.body)}` as those of the initial carry"
            )
        return results_of(self.body, values)

    def traced(
        self,
        step: Step,
        avals: Sequence[ShapedArray] = (),
        origins: Sequence[Operand | None] = (),
    ) -> TracedFunction:
        """The function of one iteration.

        Weakly typed initial values take the types that the body returns for them. If a rule within
        the body asks which values are perturbed, it is traced again until this is true of all
        iterations.

        Args:
          step: takes the carry's leaves in their positions among the body's arguments, and returns
            them in the same positions.
          avals: the types of its arguments that are not part of the carry.
          origins: what these are computed from.

        Raises:
          TypeError: a result does not have the type of the carry.
        """
        before, stop = self.before, self.before + len(self.leaves)
        # The leaves that have a tangent in some iteration, although not in the first one.
        perturbed: set[int] = set()
        while True:
            made_at: list[locations.Location | None] = []
            found: set[int] = set()

            def noted(
                *tracers: Tracer, made_at: Any = made_at, found: Any = found
            ) -> tuple[Sequence[Operand], Any]:
                in_progress = current()
                assert in_progress is not None
                outs, extra = step(*tracers)
                made_at += [
                    out.location if type(out) is Tracer else None for out in outs[before:stop]
                ]
                if in_progress.asked_origins:
                    found |= {i for i, out in enumerate(outs[before:stop]) if is_perturbed(out)}
                return outs, extra

            carried = [leaf.aval for leaf in self.leaves]
            full = [*avals[:before], *carried, *avals[before:]]
            firsts = [
                None if i in perturbed else Carried(leaf) for i, leaf in enumerate(self.leaves)
            ]
            own = [*origins[:before], *firsts, *origins[before:]]
            name = name_of(self.body)
            traced = trace(noted, full, self.names, self.what, name, origins=own, refs="taken")
            returned = traced.avals[before:stop]
            grown = {i for i in found - perturbed if not is_perturbed(self.leaves[i])}
            perturbed |= grown
            if not self._promote(returned) and not grown:
                self._check(returned, made_at)
                return traced

    def _promote(self, returned: Sequence[ShapedArray]) -> bool:
        """Promote weakly typed leaves to the types that the body returns for them, if these are
        wider.
        """
        is_changed = False
        for i, (leaf, out) in enumerate(zip(self.leaves, returned, strict=True)):
            if not leaf.weak_type or leaf.dtype == out.dtype:
                continue
            dtype = dtypes.promote((leaf.dtype, True), (out.dtype, out.weak_type))[0]
            if dtype != leaf.dtype:
                self.leaves[i] = lax.convert_element_type(leaf, dtype)
                is_changed = True
        return is_changed

    def _check(
        self, returned: Sequence[ShapedArray], made_at: Sequence[locations.Location | None]
    ) -> None:
        avals = [leaf.aval for leaf in self.leaves]
        differences = type_differences(self.paths, avals, returned)
        if not differences:
            return
        made = dict(zip(self.paths, made_at, strict=True))
        sentences = [
            f"{self._component(d.path)} has type {d.first} but the corresponding output carry "
            f"component has type {d.second}, so {d.consequence}"
            for d in differences
        ]
        computed = "".join(
            f"It is computed at {locations.describe(location)} for `{d.path}`.\n"
            for d in differences
            if (location := made[d.path])
        )
        raise type_error(
            f"{self.what} body function carry input and carry output must have equal types, but "
            f"they differ:\n\n{itemized(sentences)}{computed}\nConvert or reshape what "
            f"`{name_of(self.body)}` returns, or the initial value, so that they agree"
        )

    def _component(self, path: str) -> str:
        """The name of a part of the initial carry, in messages."""
        return f"the input carry {'' if path == self.root else 'component '}{path}"
