"""The functions that `vjp` returns: linear in cotangents, and trees of what they keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dovetail import _core, dtypes, ir
from dovetail.array import ShapedArray
from dovetail.autodiff import as_direction, cotangent_type, float0_zeros
from dovetail.pytree import flatten, register_node, unflatten
from dovetail.tracer import Operand, call, zeros
from dovetail.tracing import current


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


class Transposed:
    """The linear function, without what it keeps.

    Args:
      name: the name of the function that was differentiated.
      linear: takes the kept values and cotangents of the results.
      results: what the function returns.
      count: how many of its results belong to the tree; others are auxiliary.
      primals: what it takes; `used` are those of which there are cotangents.
    """

    def __init__(
        self, name: str, linear: ir.Callee, results: Side, count: int, primals: Side
    ) -> None:
        self.name, self.results, self.count, self.primals = name, results, count, primals
        self._linear = linear
        self._alone: ir.Callee | None = None

    def detach(self) -> None:
        """Let the function outlive the trace in progress, whose module is taken apart."""
        if self._alone is None and current() is not None:
            function = self._linear.function
            attributes = {"callee": function}
            module = _core.wrap("call", attributes, function.inputs, function.outputs)
            self._alone = ir.Callee(module.function("main"))

    def __call__(self, kept: Sequence[Operand], cotangent: Any) -> tuple[Any, ...]:
        """The cotangents of the primals."""
        values, spec = flatten(cotangent)
        if spec != self.results.spec:
            raise TypeError(
                f"the cotangent must have the structure of the result of `{self.name}`, "
                f"{self.results.spec}, got: {spec} {ir.here()}"
            )
        operands = []
        for i, (aval, used) in enumerate(zip(self.results.avals, self.results.used, strict=True)):
            seed = None
            if i < self.count and dtypes.is_inexact(aval.dtype):
                seed = as_direction(
                    values[i], aval, f"the cotangent of result {i} of `{self.name}`"
                )
            if used:
                operands.append(zeros(aval) if seed is None else seed)
        weak = all(operand.weak_type for operand in operands)
        leaves = self.primals
        types = [
            cotangent_type(aval, weak)
            for aval, used in zip(leaves.avals, leaves.used, strict=True)
            if used
        ]
        outs = iter(call(self._callee(), [*kept, *operands], types))
        cotangents: list[Any] = []
        for aval, used in zip(leaves.avals, leaves.used, strict=True):
            if used:
                cotangents.append(next(outs))
            else:
                is_zero = dtypes.is_inexact(aval.dtype)
                cotangents.append(zeros(aval) if is_zero else float0_zeros(aval))
        return unflatten(leaves.spec, cotangents)

    def _callee(self) -> ir.Callee:
        in_progress = current()
        is_here = in_progress is not None and in_progress.module is self._linear.module
        return self._linear if self._alone is None or is_here else self._alone


class Pullback:
    """The function that pulls cotangents back, at a point.

    It is a tree, whose leaves are the values that it keeps, so jitted functions take and return it.

    Args:
      linear: the function.
      kept: the values.
    """

    def __init__(self, linear: Transposed, kept: Sequence[Operand]) -> None:
        self._linear, self._kept = linear, list(kept)

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        """The cotangents of the primals, for a cotangent of the result's structure."""
        return self._linear(self._kept, cotangent)

    def __repr__(self) -> str:
        return f"<the pullback of `{self._linear.name}`>"

    def _flattened(self) -> tuple[list[Operand], Transposed]:
        self._linear.detach()
        return self._kept, self._linear


register_node(Pullback, Pullback._flattened, Pullback)
