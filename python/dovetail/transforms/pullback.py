"""The linear functions that `vjp` and `linearize` return, as pytrees of their residuals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import MismatchError
from dovetail.base.locations import here
from dovetail.base.trace_stack import current
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import Selected
from dovetail.tracing.bind import zeros
from dovetail.tracing.functions import call
from dovetail.tracing.references import echo_type
from dovetail.tracing.trace import Operand
from dovetail.transforms.autodiff import cotangent_type, float0_zeros
from dovetail.transforms.directions import as_direction, tangent_operands
from dovetail.transforms.echoes import leave, passed_on
from dovetail.transforms.explicit_sharding import reshard
from dovetail.transforms.wanted_cotangents import deliver
from dovetail.trees.differences import where_unlike
from dovetail.trees.float0 import set_float0_aside_as
from dovetail.trees.pytree import flatten, register_node, unflatten


class Side(NamedTuple):
    """One side of the linear function.

    Attributes:
      avals: the types of the leaves, which may be more than those of the tree.
      spec: the structure of the tree.
      used: which leaves the linear function takes or returns.
    """

    avals: list[ShapedArray]
    spec: Any
    used: list[bool]


class LinearPart:
    """A linear function whose code may outlive the trace that made it.

    Args:
      name: the name of the function that was differentiated.
      linear: takes the kept values, then those in which it is linear.
    """

    def __init__(self, name: str, linear: evaluation.Callee) -> None:
        self.name = name
        self._linear = linear
        self._alone: evaluation.Callee | None = None

    def detach(self) -> None:
        """Make the function independent of the trace in progress, whose module is partitioned
        further.
        """
        if self._alone is None and current() is not None:
            function = self._linear.function
            attributes = {"callee": function}
            module = _core.wrap("call", attributes, function.inputs, function.outputs)
            self._alone = evaluation.Callee(module.function("main"), self._linear.place)

    def _callee(self) -> evaluation.Callee:
        in_progress = current()
        is_here = in_progress is not None and in_progress.module is self._linear.module
        return self._linear if self._alone is None or is_here else self._alone


class Pushed(LinearPart):
    """The derivative at a point, without its residuals.

    Args:
      name: the name of the function that was differentiated.
      linear: takes the kept values and tangents of the primals.
      selected: the primals.
      results: the function's results; `used` are those that depend on the primals.
      count: the number of its results that belong to the tree; others are auxiliary.
      written: of these, the results that primals hold at the end, with the positions of these.
    """

    def __init__(
        self,
        name: str,
        linear: evaluation.Callee,
        selected: Selected,
        results: Side,
        count: int,
        written: Mapping[int, int],
    ) -> None:
        super().__init__(name, linear)
        self._selected, self._results, self._count = selected, results, count
        self._written = written

    def __call__(self, kept: Sequence[Operand], tangents: tuple[Any, ...]) -> Any:
        """The tangent of the result."""
        operands, refs = tangent_operands(self._selected, tangents, "linearize")
        weak = all(operand.weak_type for operand in operands)
        active = [
            aval.update(weak_type=weak)
            for aval, is_active in zip(self._results.avals, self._results.used, strict=True)
            if is_active
        ]
        outs = iter(call(self._callee(), [*kept, *operands], active))
        out_tangents: list[Any] = []
        for aval, is_active in zip(self._results.avals, self._results.used, strict=True):
            if is_active:
                out_tangents.append(next(outs))
            else:
                is_zero = dtypes.is_inexact(aval.dtype)
                out_tangents.append(zeros(aval) if is_zero else float0_zeros(aval))
        for result, leaf in self._written.items():
            if leaf in refs:
                refs[leaf]._write(out_tangents[result])
        return unflatten(self._results.spec, out_tangents[: self._count])


class Transposed(LinearPart):
    """The linear function, without its residuals.

    Args:
      name: the name of the function that was differentiated.
      linear: takes the kept values and cotangents of the results.
      results: the function's results.
      count: the number of its results that belong to the tree; others are auxiliary.
      primals: its arguments; `used` are those with cotangents.
      varies: the types of the values with cotangents.
      echoes: the last results of the differentiated function, echoes of references that backward
        rules use: of which reference, the depth, and whether the function returns its cotangent.
      written: the results that primals hold at the end, with the positions of these.
    """

    def __init__(
        self,
        name: str,
        linear: evaluation.Callee,
        results: Side,
        count: int,
        primals: Side,
        varies: Callable[[np.dtype], bool],
        echoes: Sequence[tuple[int, int, bool]] = (),
        written: Mapping[int, int] | None = None,
    ) -> None:
        super().__init__(name, linear)
        self.results, self.count, self.primals, self._varies = results, count, primals, varies
        self._echoes = echoes
        self.written = written or {}
        self._num_refs = 1 + max((ref for ref, _, _ in echoes), default=-1)

    def __call__(
        self, kept: Sequence[Any], cotangent: Any, held: Mapping[int, Operand] | None = None
    ) -> tuple[Any, ...]:
        """The cotangents of the primals.

        Args:
          kept: the kept values, then references.
          cotangent: the result's.
          held: the cotangents of what primals hold at the end, by their positions; zero for others.
        """
        first_ref = len(kept) - self._num_refs
        kept, refs = kept[:first_ref], kept[first_ref:]
        first_echo = len(self.results.avals) - len(self._echoes)
        values, spec = set_float0_aside_as(self.results.spec, *flatten(cotangent))
        if spec != self.results.spec:
            owners = f"the result of `{self.name}`", "the cotangent"
            raise MismatchError(
                "unexpected tree structure: a cotangent must have that of the result, got: "
                f"{where_unlike(self.results.spec, spec, 'result', owners)} {here()}"
            )
        operands = []
        for i, (aval, used) in enumerate(zip(self.results.avals, self.results.used, strict=True)):
            seed = None
            if i in self.written and held is not None and self.written[i] in held:
                what = f"the cotangent of what primal {self.written[i]} of `{self.name}` holds"
                seed = as_direction(held[self.written[i]], aval, what, "with_refs: ")
            if i < self.count and self._varies(aval.dtype):
                what = f"the cotangent of result {i} of `{self.name}`"
                problem = "unexpected JAX type (shape or dtype) for the argument of a pullback: "
                seed = as_direction(values[i], aval, what, problem)
            if used and i >= first_echo:
                # The backward pass begins with what the reference holds now.
                ref, depth, _ = self._echoes[i - first_echo]
                operands.append(passed_on(refs[ref], depth))
            elif used:
                operands.append(zeros(aval) if seed is None else seed)
        weak = all(operand.weak_type for operand in operands)
        leaves = self.primals
        types = [
            cotangent_type(aval, weak)
            for aval, used in zip(leaves.avals, leaves.used, strict=True)
            if used
        ]
        written = [(refs[ref], depth) for ref, depth, used in self._echoes if used]
        types += [echo_type(ref.aval) for ref, _ in written]
        outs = iter(call(self._callee(), [*kept, *operands], types))
        cotangents: list[Any] = []
        for aval, used in zip(leaves.avals, leaves.used, strict=True):
            if used:
                cotangents.append(next(outs))
            else:
                is_zero = self._varies(aval.dtype)
                cotangents.append(_zeros(cotangent_type(aval)) if is_zero else float0_zeros(aval))
        for (ref, depth), last in zip(written, outs, strict=True):
            leave(ref, depth, last)
        return unflatten(leaves.spec, cotangents)


def _zeros(aval: ShapedArray) -> Operand:
    """Zeros of a type; where arrays of this type are, if that is part of it."""
    found = zeros(aval)
    return found if aval.explicit is None else reshard(found, aval.explicit)


class Pullback:
    """The function that pulls cotangents back, at a point.

    It is a tree, whose leaves are the values that it keeps, so jitted functions take and return it.

    Args:
      linear: the function.
      kept: the values.
    """

    def __init__(self, linear: Transposed, kept: Sequence[Operand]) -> None:
        self._linear, self._kept = linear, list(kept)

    def __call__(self, *cotangent: Any) -> tuple[Any, ...]:
        """The cotangents of the primals, for a cotangent of the result's structure."""
        if len(cotangent) != 1:
            raise TypeError(
                f"The function returned by `vjp` applied to {self._linear.name} was called with "
                f"{len(cotangent)} arguments {here()}, but takes a single one, a cotangent of "
                "the structure of the result; pass a tuple, or what the function returns"
            )
        return self._linear(self._kept, cotangent[0])

    def with_refs(self, *wanted: Any) -> Callable[[Any], tuple[Any, ...]]:
        """The same function, which adds cotangents to references, or leaves some out.

        Args:
          wanted: for each leaf of the primals, in their structure, a reference to which its
            cotangent is added, or one of `dovetail.ad`: `GradValue()`, or any other object, for
            those to be returned, `DontWant()` for those that are not needed. For a primal that is a
            reference, it holds the cotangent of what that holds behind the call first, then of what
            it held before.

        Returns:
          A function of the cotangent of the result. It returns a tuple with one entry per primal,
          which has a `GradRef` or a `DidntWant` in place of cotangents that are not returned.
        """
        linear = self._linear
        written = {*linear.written.values()}

        def pull(cotangent: Any) -> tuple[Any, ...]:
            return deliver(
                linear.name,
                wanted,
                lambda held: linear(self._kept, cotangent, held),
                linear.primals.spec,
                written,
            )

        return pull

    def __repr__(self) -> str:
        return f"<the pullback of `{self._linear.name}`>"

    def _flattened(self) -> tuple[list[Operand], Transposed]:
        self._linear.detach()
        return self._kept, self._linear


class Pushforward:
    """The derivative of a function at a point; like `Pullback`, a pytree of its residuals.

    Args:
      linear: the function.
      kept: the values.
    """

    def __init__(self, linear: Pushed, kept: Sequence[Operand]) -> None:
        self._linear, self._kept = linear, list(kept)

    def __call__(self, *tangents: Any) -> Any:
        """The tangent of the result, for tangents of the primals."""
        return self._linear(self._kept, tangents)

    def __repr__(self) -> str:
        return f"<the derivative of `{self._linear.name}`>"

    def _flattened(self) -> tuple[list[Operand], Pushed]:
        self._linear.detach()
        return self._kept, self._linear


register_node(Pullback, Pullback._flattened, Pullback)
register_node(Pushforward, Pushforward._flattened, Pushforward)
