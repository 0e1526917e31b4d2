"""Functions with rules that use references, as functions of the arrays that these hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.locations import here
from dovetail.tracing import evaluation
from dovetail.tracing.functions import TracedFunction, apply, call, held_by, trace
from dovetail.tracing.perturbed import is_perturbed
from dovetail.tracing.references import Ref, echo_type
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.echoes import as_echo, from_echo


def use_references(leaves: Sequence[Operand], parts: Sequence[TracedFunction]) -> bool:
    """Whether arguments are references, or functions close over such."""
    operands = [*leaves, *(operand for part in parts for operand in part.captured)]
    return Ref in map(type, operands)


class OnReferences:
    """A call of a function with rules, on the arrays that references hold.

    Its arguments are those of the function and the references that any of the functions closes
    over. What else these close over, all of them take.

    Args:
      leaves: the arguments of the function.
      name: of the function.
      forward: the function, and the one that replaces it in a derivative; both may write to
        references.
      backward: the backward rule, of residuals and cotangents, if there is one.
      further: references that rules may use of which nothing else is known yet; all references are
        results, then.
    """

    def __init__(
        self,
        leaves: Sequence[Operand],
        name: str,
        forward: tuple[TracedFunction, TracedFunction],
        backward: TracedFunction | None = None,
        further: Sequence[Ref] | None = None,
    ) -> None:
        self.name, self._forward, self._backward = name, forward, backward
        parts = [*forward, *([] if backward is None else [backward])]
        self.arguments, self._num_leaves = list(leaves), len(leaves)
        known = {id(leaf) for leaf in leaves if type(leaf) is Ref}
        captured: dict[int, Operand] = {}
        for operand in (*(x for part in parts for x in part.captured), *(further or ())):
            if type(operand) is not Ref:
                captured[id(operand)] = operand
            elif id(operand) not in known:
                known.add(id(operand))
                self.arguments.append(operand)
        self.captured = list(captured.values())
        written = {id(self._outer(part)[i]) for part in forward for i in part.written}
        if further is not None:
            written = {id(x) for x in self.arguments if type(x) is Ref}
        self.written = [i for i, x in enumerate(self.arguments) if id(x) in written]
        self._echoes = self._echoes_of_parts()
        self.echoes = [echo_type(ref.aval) for ref, _, _ in self._echoes]

    def _outer(self, part: TracedFunction) -> list[Operand | None]:
        """What the arguments of one of the functions stand for, None for what its caller makes."""
        last = len(part.function.inputs) - len(part.echoed)
        first = last - len(part.captured)
        if part is self._backward:
            return [*[None] * first, *part.captured]
        leaves = self.arguments[: self._num_leaves]
        return [*leaves, *[None] * (first - len(leaves)), *part.captured]

    def _echoes_of_parts(self) -> list[tuple[Ref, int, bool]]:
        """The echoes that the op takes: the references, depths, and whether the backward rule reads
        what they pass on.

        They are the first one of a reference that the backward rule uses, and those that forward
        functions take. Those that the backward rule takes, it gets as cotangents of the next ones.
        """
        found: dict[tuple[int, int], bool] = {}
        for part in self._forward:
            outer = self._outer(part)
            for i, depth, is_read in part.echoed:
                at = id(outer[i]), depth
                found[at] = found.get(at, False) or is_read
        if (part := self._backward) is not None:
            outer = self._outer(part)
            for i, operand in enumerate(outer):
                if type(operand) is Ref:
                    at = id(operand), 1
                    found[at] = found.get(at, False) or part.function.uses(i)
            for i, depth, is_read in part.echoed:
                at = id(outer[i]), depth + 1
                found[at] = found.get(at, False) or is_read
        refs = {id(x): (i, x) for i, x in enumerate(self.arguments)}
        ordered = sorted(found, key=lambda at: (at[1], refs[at[0]][0]))
        return [(refs[at[0]][1], at[1], found[at]) for at in ordered]

    @property
    def echo_positions(self) -> range:
        """The positions of the echoes among the arguments."""
        return range(len(self.arguments), len(self.arguments) + len(self._echoes))

    def _types(self, operands: Sequence[Operand]) -> list[ShapedArray]:
        return [x.aval.inner_aval if type(x) is Ref else x.aval for x in operands]

    def _traced(
        self, python: Callable[..., list[Operand]], avals: Sequence[ShapedArray], order: int
    ) -> TracedFunction:
        names = [f"a value of `{self.name}`"] * len(avals)
        return trace(
            lambda *tracers: (python(*tracers), None), avals, names, "rule", self.name, order=order
        )

    def function(
        self, count: int, number: int, order: int = 0, has_tangents: bool = False
    ) -> TracedFunction:
        """One of the two functions, as one of arrays: it returns its results, what the written
        references hold, the echoes, and its further results.

        Args:
          count: the number of the results that belong to the function.
          number: which one.
          order: how often it is differentiated.
          has_tangents: whether it is a rule of forward mode: it takes tangents after all others,
            and returns those of results. What a reference holds keeps its tangent.
        """
        part = self._forward[number]
        outer = self._outer(part)

        def python(*tracers: Tracer) -> list[Operand]:
            given = iter(tracers)
            now: dict[Any, Operand] = {id(x): next(given) for x in self.arguments}
            for ref, depth, _ in self._echoes:
                now[id(ref), depth] = next(given)
            values = list(tracers[: self._num_leaves])
            now |= {id(x): next(given) for x in self.captured}
            tangents = {}
            for i in self._inexact() if has_tangents else ():
                tangents[i] = next(given)
                if i < self._num_leaves and type(self.arguments[i]) is not Ref:
                    values.append(tangents[i])
            proper = self._run(part, outer, values, now)
            held = [now[id(self.arguments[position])] for position in self.written]
            echoes = [now[id(ref), depth] for ref, depth, _ in self._echoes]
            states = *self.written, *self.echo_positions
            of_states = [tangents[i] for i in states if i in tangents]
            return [*proper[:count], *held, *echoes, *proper[count:], *of_states]

        types = self._types(self.arguments)
        avals = [*types, *self.echoes, *self._types(self.captured)]
        if has_tangents:
            avals += [avals[i] for i in self._inexact()]
        return self._traced(python, avals, order)

    def _run(
        self,
        part: TracedFunction,
        outer: Sequence[Operand | None],
        values: Sequence[Operand],
        now: dict[Any, Operand],
    ) -> list[Operand]:
        """The results of one of the functions; what references hold, and their echoes, change."""
        given = [*values, *(now[id(operand)] for operand in part.captured)]
        given += [now[id(outer[i]), depth] for i, depth, _ in part.echoed]
        outs = call(evaluation.Callee(part.function, part.place), given, part.avals)
        last = len(outs) - len(part.echoed)
        first = last - len(part.written)
        for i, array in zip(part.written, outs[first:last], strict=True):
            now[id(outer[i])] = array
        for (i, depth, _), echo in zip(part.echoed, outs[last:], strict=True):
            now[id(outer[i]), depth] = echo
        return outs[:first]

    def _inexact(self) -> list[int]:
        """The positions of the arguments and echoes that have tangents."""
        inexact = [i for i, x in enumerate(self.arguments) if dtypes.is_inexact(x.dtype)]
        return [*inexact, *self.echo_positions]

    def backward(
        self, residuals: Sequence[ShapedArray], cotangents: Sequence[ShapedArray], order: int
    ) -> TracedFunction:
        """The backward rule as a function of residuals, captured values, cotangents, and what the
        references hold: the cotangents of their echoes.
        """
        part = self._backward
        assert part is not None
        num_residuals = len(residuals)
        outer = self._outer(part)

        def python(*tracers: Tracer) -> list[Operand]:
            given = iter(tracers)
            kept = [next(given) for _ in range(num_residuals)]
            now: dict[Any, Operand] = {id(x): next(given) for x in self.captured}
            pulled = [next(given) for _ in cotangents]
            for (ref, depth, _), state in zip(self._echoes, given, strict=True):
                if depth == 1:
                    now[id(ref)] = from_echo(state, ref.dtype)
                else:
                    now[id(ref), depth - 1] = state
            outs = self._run(part, outer, [*kept, *pulled], now)
            states = [
                as_echo(now[id(ref)], ref.dtype) if depth == 1 else now[id(ref), depth - 1]
                for ref, depth, _ in self._echoes
            ]
            return [*outs, *states]

        avals = [*residuals, *self._types(self.captured), *cotangents, *self.echoes]
        return self._traced(python, avals, order)

    def _check_order(self) -> None:
        """Reject reads of a reference in other derivatives than that of the function that made it:
        these do not see its end.
        """
        values = [x for x in self.arguments[: self._num_leaves] if type(x) is not Ref]
        for ref, _, is_read in self._echoes:
            order = ref.order_of_maker()
            if is_read and order > 1 and not any(is_perturbed(x, order=order) for x in values):
                raise NotImplementedError(
                    "a backward rule that reads a reference must belong to the innermost "
                    f"derivative of the function that makes it, got: `{self.name}` of outer values "
                    f"{here()}; make the reference outside of that function"
                )

    def apply(self, name: str, function: TracedFunction, **attributes: object) -> list[Operand]:
        """Apply the op on arrays, and let references hold what it returns for them; its results."""
        self._check_order()
        echoes = [ref._echo(depth, is_read) for ref, depth, is_read in self._echoes]
        operands = [*held_by(self.arguments), *echoes, *self.captured]
        segments = len(operands) - len(self.captured), len(self.captured)
        outs = apply(
            name,
            function,
            operands,
            function.avals,
            operandSegmentSizes=segments,
            **attributes,
        )
        last = len(outs) - len(echoes)
        proper = last - len(self.written)
        for position, array in zip(self.written, outs[proper:last], strict=True):
            self.arguments[position]._write(array)
        for (ref, depth, _), echo in zip(self._echoes, outs[last:], strict=True):
            ref._set_echo(echo, depth)
        return outs[:proper]
