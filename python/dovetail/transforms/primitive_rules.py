"""The functions that the compiler asks for where a program's own primitive is transformed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import ops
from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.tracing.arguments import as_operand, name_of
from dovetail.tracing.axes import Axis
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms import primitives
from dovetail.transforms.callbacks import pure_callback
from dovetail.transforms.custom_derivatives.symbolic import SymbolicZero, Zero, tangent_type
from dovetail.transforms.primitives import Primitive, UndefinedPrimal, rule_in_progress
from dovetail.transforms.program_rules import Answer, ProgramRules, Question, Rule
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import unflatten


class AxisData(NamedTuple):
    """The batch, as rules in `fancy_primitive_batchers` are told of it.

    Attributes:
      name: of its axis; None if it has none.
      size: the number of its elements.
      spmd_name, explicit_mesh_axis: None.
    """

    name: Any
    size: int
    spmd_name: None = None
    explicit_mesh_axis: None = None


class LoweringContext:
    """What a lowering is told of an application.

    Attributes:
      avals_in, avals_out: the types of arguments and results.
      module_context: has `add_keepalive`.
      primitive: the primitive.
    """

    def __init__(
        self, primitive: Primitive, avals_in: list[ShapedArray], avals_out: list[ShapedArray]
    ) -> None:
        self.primitive, self.avals_in, self.avals_out = primitive, avals_in, avals_out
        self.tokens_in = self.tokens_out = None
        self.module_context = self

    def applied(self, function: Callable[..., Sequence[Any]], args: Sequence[Any]) -> list[Any]:
        """The results of a function of traced values, for the values that the lowering has."""
        return list(function(*args))

    def add_keepalive(self, keepalive: Any) -> None:
        """Does nothing: programs keep what they call."""


class PrimitiveRules(ProgramRules):
    """The rules of one application of a primitive.

    Args:
      primitive: the primitive.
      params: its parameters.
      avals: the types of the operands.
      spec: how the arguments are made of these: arrays of keys are nodes.
      out_avals: the types of the results.
      may_use_impl: whether the implementation is called if there is no lowering.
    """

    def __init__(
        self,
        primitive: Primitive,
        params: dict[str, Any],
        avals: Sequence[ShapedArray],
        spec: Any,
        out_avals: Sequence[ShapedArray],
        may_use_impl: bool,
    ) -> None:
        super().__init__(primitive.name)
        self.primitive, self.params, self.spec = primitive, params, spec
        self.avals, self.out_avals = list(avals), list(out_avals)
        self.may_use_impl = may_use_impl

    def answer(self, question: Question) -> Answer:
        """What a rule made."""
        outer, rule_in_progress.may_use_impl = rule_in_progress.may_use_impl, self.may_use_impl
        try:
            return super().answer(question)
        finally:
            rule_in_progress.may_use_impl = outer

    def rule(self, question: Question) -> Rule:
        """The rule that answers a question."""
        make = {
            "jvp": self._jvp,
            "transpose": self._transpose,
            "batch": self._batch,
            "lower": self._lower,
        }
        return make[question.kind](question)

    # Derivatives ----------------------------------------------------------------------------------

    def _jvp(self, question: Question) -> Rule:
        rule = self._found(primitives.jvps, "Differentiation rule")
        active = _marked(self.avals, question.operands)

        def python(*tracers: Tracer) -> tuple[list[Operand], list[bool]]:
            primals, given = tracers[: len(self.avals)], iter(tracers[len(self.avals) :])
            tangents = tuple(
                next(given) if has else Zero(tangent_type(aval))
                for aval, has in zip(self.avals, question.operands, strict=True)
            )
            made = rule(self._arguments(primals), tangents, **self.params)
            outs, out_tangents = self._pair(made, rule, "the results and their tangents")
            # None is for a result that nothing differentiates, such as what a backward rule reads.
            zeros = [
                tangent is None or _is_zero(tangent) or not dtypes.is_inexact(aval.dtype)
                for tangent, aval in zip(out_tangents, self.out_avals, strict=True)
            ]
            results = self._operands(outs, self.out_avals, rule, "result")
            for tangent, aval, is_zero in zip(out_tangents, self.out_avals, zeros, strict=True):
                if not is_zero:
                    results += self._operands([tangent], [aval], rule, "tangent")
            return results, [not is_zero for is_zero in zeros]

        return self._rule(rule, python, [*self.avals, *active])

    def _transpose(self, question: Question) -> Rule:
        rule = self._found(
            primitives.transposes, "Transpose rule (for reverse-mode differentiation)"
        )
        known = _marked(self.avals, [not is_linear for is_linear in question.operands])
        cotangents = _marked(self.out_avals, question.results)

        def python(*tracers: Tracer) -> tuple[list[Operand], list[bool]]:
            given = iter(tracers)
            args = self._arguments(
                [None if is_linear else next(given) for is_linear in question.operands]
            )
            args = [
                UndefinedPrimal(aval) if is_linear else arg
                for arg, aval, is_linear in zip(args, self.avals, question.operands, strict=True)
            ]
            cts = self._cotangents(given, question.results)
            made = rule(cts if self.primitive.multiple_results else cts[0], *args, **self.params)
            if _is_zero(made) or made is Zero:
                made = [None] * len(args)
            if len(made) != len(args):
                raise type_error(
                    f"{self._title(rule)} must return a cotangent or None for each of "
                    f"{len(args)} arguments, got: {len(made)} values"
                )
            marks = [
                is_linear and not (ct is None or ct is Zero or _is_zero(ct))
                for ct, is_linear in zip(made, question.operands, strict=True)
            ]
            avals = _marked(self.avals, marks)
            return self._operands(_marked(made, marks), avals, rule, "cotangent"), marks

        return self._rule(rule, python, [*known, *cotangents])

    def _cotangents(self, given: Iterator[Tracer], marks: Sequence[bool]) -> list[Any]:
        return [
            next(given) if has else Zero(tangent_type(aval))
            for aval, has in zip(self.out_avals, marks, strict=True)
        ]

    # Batches --------------------------------------------------------------------------------------

    def _batch(self, question: Question) -> Rule:
        size, marks = question.size, question.operands
        apply, rule = self._batcher(question)
        avals = [
            aval.update(shape=(size, *aval.shape)) if is_batched else aval
            for aval, is_batched in zip(self.avals, marks, strict=True)
        ]

        def python(*tracers: Tracer) -> tuple[list[Operand], list[bool]]:
            dims = tuple(0 if is_batched else None for is_batched in marks)
            made = apply(self._arguments(tracers), dims)
            outs, out_dims = self._pair(made, rule, "the results and the places of the batch")
            has_batch = [dim is not None for dim in out_dims]
            fronted = [
                out if dim is None else _with_dim_in_front(as_operand(out, "result"), dim)
                for out, dim in zip(outs, out_dims, strict=True)
            ]
            wanted = [
                aval.update(shape=(size, *aval.shape)) if is_batched else aval
                for aval, is_batched in zip(self.out_avals, has_batch, strict=True)
            ]
            return self._operands(fronted, wanted, rule, "batched result"), has_batch

        return self._rule(rule, python, avals)

    def _batcher(self, question: Question) -> tuple[Callable[..., Any], Any]:
        """The batching rule as a function of arguments and the places of the batch."""
        name = _name_of(question.axis, self.axes)
        rule = primitives.fancy_batchers.get(self.primitive)
        if rule is not None:
            axis = AxisData(name, question.size)
            return lambda args, dims: rule(axis, args, dims, **self.params), rule
        of_axis = primitives.axis_batchers.get(self.primitive)
        if of_axis is not None:
            size = question.size
            return lambda args, dims: of_axis(size, name, None, args, dims, **self.params), of_axis
        plain = self._found(primitives.batchers, "Batching rule")
        return lambda args, dims: plain(args, dims, **self.params), plain

    # Lowerings ------------------------------------------------------------------------------------

    def _lower(self, question: Question) -> Rule:
        lowering = primitives.lowerings.get(self.primitive)
        if lowering is None and not self.may_use_impl:
            raise NotImplementedError(
                f"MLIR translation rule for primitive '{self.primitive}' not found for platform "
                "cpu; register one by mlir.register_lowering(primitive, mlir.lower_fun(function))"
            )
        rule = self.primitive.impl if lowering is None else lowering

        def python(*tracers: Tracer) -> tuple[list[Operand], list[bool]]:
            args = self._arguments(tracers)
            if lowering is None:
                outs = self._by_impl(args)
            else:
                context = LoweringContext(self.primitive, self.avals, self.out_avals)
                outs = list(lowering(context, *args, **self.params))
            return self._operands(outs, self.out_avals, rule, "result"), []

        return self._rule(rule, python, self.avals)

    def _by_impl(self, args: Sequence[Any]) -> list[Any]:
        """The implementation, called on the host."""
        types = [ShapeDtypeStruct(aval.shape, aval.dtype) for aval in self.out_avals]

        def host(*values: Any) -> list[np.ndarray]:
            outs = self.primitive.impl(*values, **self.params)
            outs = list(outs) if self.primitive.multiple_results else [outs]
            return [np.asarray(out) for out in outs]

        return list(pure_callback(host, types, *args))

    # What rules take and return -------------------------------------------------------------------

    def _found(self, table: dict[Any, Any], what: str) -> Any:
        rule = table.get(self.primitive)
        if rule is None:
            raise NotImplementedError(f"{what} for '{self.primitive}' not implemented")
        return rule

    def _rule(self, rule: Any, python: Callable[..., Any], avals: Sequence[ShapedArray]) -> Rule:
        names = [f"argument {i} of {name_of(rule)}" for i in range(len(avals))]
        return Rule(python, avals, names, name_of(rule))

    def _title(self, rule: Any) -> str:
        return f"the rule {name_of(rule)} of primitive {self.primitive}"

    def _arguments(self, leaves: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(unflatten(self.spec, leaves))

    def _pair(self, made: Any, rule: Any, what: str) -> tuple[list[Any], list[Any]]:
        """A pair of two lists of as many elements as there are results."""
        if not isinstance(made, (tuple, list)) or len(made) != 2:
            raise type_error(f"{self._title(rule)} must return {what}, got: {made!r}")
        first, second = made
        if not self.primitive.multiple_results:
            return [first], [second]
        first, second = list(first), list(second)
        for part in (first, second):
            if len(part) != len(self.out_avals):
                raise type_error(
                    f"{self._title(rule)} must return {what}, {len(self.out_avals)} each, got: "
                    f"{len(part)}"
                )
        return first, second

    def _operands(
        self, values: Sequence[Any], avals: Sequence[ShapedArray], rule: Any, what: str
    ) -> list[Operand]:
        """Values that a rule returned as operands, checked against their types."""
        if len(values) != len(avals):
            raise type_error(
                f"{self._title(rule)} must return {len(avals)} results, got: {len(values)}"
            )
        operands = []
        for i, (value, aval) in enumerate(zip(values, avals, strict=True)):
            operand = value.instantiate() if _is_zero(value) else value
            operand = as_operand(operand, f"{what} {i} of {self._title(rule)}")
            if operand.dtype != aval.dtype and operand.weak_type:
                operand = ops.convert(operand, dtype=aval.dtype)
            if operand.shape != aval.shape or operand.dtype != aval.dtype:
                raise type_error(
                    f"{what} {i} of {self._title(rule)} must be {aval}, got: {operand.aval}"
                )
            operands.append(operand)
        return operands


def _marked(values: Sequence[Any], marks: Sequence[bool]) -> list[Any]:
    return [value for value, is_marked in zip(values, marks, strict=True) if is_marked]


def _is_zero(value: Any) -> bool:
    return isinstance(value, SymbolicZero) or is_float0(value)


def _with_dim_in_front(x: Operand, dim: int) -> Operand:
    if not x.ndim or dim % x.ndim == 0:
        return x
    dim %= x.ndim
    return ops.transpose(x, permutation=(dim, *(d for d in range(x.ndim) if d != dim)))


def _name_of(text: str | None, axes: dict[Any, Axis]) -> Any:
    """The name in Python of an axis that the compiler names so."""
    return next((name for name, axis in axes.items() if axis.text == text), None)
