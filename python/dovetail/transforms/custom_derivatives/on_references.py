"""Functions with rules that use references, as functions of the arrays that these hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dovetail import ops
from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.locations import here
from dovetail.tracing import evaluation
from dovetail.tracing.functions import TracedFunction, apply, call, held_by, trace
from dovetail.tracing.references import Ref, echo_type
from dovetail.tracing.trace import Operand, Tracer


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
    """

    def __init__(
        self,
        leaves: Sequence[Operand],
        name: str,
        forward: tuple[TracedFunction, TracedFunction],
        backward: TracedFunction | None = None,
    ) -> None:
        parts = [*forward, *([] if backward is None else [backward])]
        if any(part.echoed for part in parts):
            raise NotImplementedError(
                "rules of derivatives must not use references where their own derivative is taken, "
                f"got: those of `{name}` {here()}; use the rules' references in first derivatives"
            )
        self.name, self._forward, self._backward = name, forward, backward
        self.arguments, self._num_leaves = list(leaves), len(leaves)
        known = {id(leaf) for leaf in leaves if type(leaf) is Ref}
        captured: dict[int, Operand] = {}
        for part in parts:
            for operand in part.captured:
                if type(operand) is not Ref:
                    captured[id(operand)] = operand
                elif id(operand) not in known:
                    known.add(id(operand))
                    self.arguments.append(operand)
        self.captured = list(captured.values())
        written = {
            id(operand)
            for part in forward
            for operand in (_operand(leaves, part, position) for position in part.written)
        }
        self.written = [i for i, x in enumerate(self.arguments) if id(x) in written]
        used = {} if backward is None else {id(x): i for i, x in enumerate(backward.captured)}
        # The references that the backward rule uses, with the indices of what it captures.
        self._used = [(x, used[id(x)]) for x in self.arguments if id(x) in used]
        self.echoes = [echo_type(ref.aval) for ref, _ in self._used]

    @property
    def echo_positions(self) -> range:
        """The positions of the echoes among the arguments."""
        return range(len(self.arguments), len(self.arguments) + len(self.echoes))

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
        explicit = self.arguments[: self._num_leaves]

        def python(*tracers: Tracer) -> list[Operand]:
            given = iter(tracers)
            now = {id(x): next(given) for x in self.arguments}
            echoes = [next(given) for _ in self.echoes]
            values = list(tracers[: self._num_leaves])
            now |= {id(x): next(given) for x in self.captured}
            tangents = {}
            for i in self._inexact() if has_tangents else ():
                tangents[i] = next(given)
                if i < self._num_leaves and type(self.arguments[i]) is not Ref:
                    values.append(tangents[i])
            outer = [*explicit, *[None] * (len(values) - len(explicit)), *part.captured]
            values += [now[id(operand)] for operand in part.captured]
            outs = call(evaluation.Callee(part.function, part.place), values, part.avals)
            first = len(outs) - len(part.written)
            for position, array in zip(part.written, outs[first:], strict=True):
                now[id(outer[position])] = array
            held = [now[id(self.arguments[position])] for position in self.written]
            of_held = [tangents[position] for position in self.written if position in tangents]
            return [*outs[:count], *held, *echoes, *outs[count:first], *of_held]

        types = self._types(self.arguments)
        avals = [*types, *self.echoes, *self._types(self.captured)]
        if has_tangents:
            avals += [types[i] for i in self._inexact()]
        return self._traced(python, avals, order)

    def _inexact(self) -> list[int]:
        """The positions of the arguments that have tangents."""
        return [i for i, x in enumerate(self.arguments) if dtypes.is_inexact(x.dtype)]

    def backward(
        self, residuals: Sequence[ShapedArray], cotangents: Sequence[ShapedArray], order: int
    ) -> TracedFunction:
        """The backward rule as a function of residuals, captured values, cotangents, and what the
        references hold: the cotangents of their echoes.
        """
        part = self._backward
        assert part is not None
        num_residuals = len(residuals)

        def python(*tracers: Tracer) -> list[Operand]:
            given = iter(tracers)
            kept = [next(given) for _ in range(num_residuals)]
            now = {id(x): next(given) for x in self.captured}
            pulled = [next(given) for _ in cotangents]
            for (ref, _), state in zip(self._used, given, strict=True):
                now[id(ref)] = ops.convert(state, ref.dtype)
            values = [*kept, *pulled, *(now[id(operand)] for operand in part.captured)]
            outs = call(evaluation.Callee(part.function, part.place), values, part.avals)
            first, begin = len(outs) - len(part.written), num_residuals + len(cotangents)
            for position, array in zip(part.written, outs[first:], strict=True):
                now[id(part.captured[position - begin])] = array
            states = [
                ops.convert(now[id(ref)], echo.dtype)
                for (ref, _), echo in zip(self._used, self.echoes, strict=True)
            ]
            return [*outs[:first], *states]

        avals = [*residuals, *self._types(self.captured), *cotangents, *self.echoes]
        return self._traced(python, avals, order)

    def apply(self, name: str, function: TracedFunction, **attributes: object) -> list[Operand]:
        """Apply the op on arrays, and let references hold what it returns for them; its results."""
        first = 0 if self._backward is None else self._first_captured()
        echoes = [ref._echo(is_read=self._reads(first + position)) for ref, position in self._used]
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
        for (ref, _), echo in zip(self._used, outs[last:], strict=True):
            ref._set_echo(echo)
        return outs[:proper]

    def _first_captured(self) -> int:
        assert self._backward is not None
        return len(self._backward.function.inputs) - len(self._backward.captured)

    def _reads(self, position: int) -> bool:
        return self._backward is not None and self._backward.function.uses(position)


def _operand(leaves: Sequence[Operand], part: TracedFunction, position: int) -> Operand:
    """What an argument of a function of the leaves stands for."""
    count = len(leaves)
    return leaves[position] if position < count else part.captured[position - count]
