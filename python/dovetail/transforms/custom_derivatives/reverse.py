"""`custom_vjp`: functions whose reverse-mode derivative is another function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import ops
from dovetail.arrays.array import ShapedArray
from dovetail.arrays.keys import is_keys
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.base.trace_stack import current, derivative_order, in_checkpoint
from dovetail.tracing.arguments import Function, as_operand, name_of
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.perturbed import is_perturbed
from dovetail.tracing.references import Ref
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.custom_derivatives.calls import (
    Call,
    WithRule,
    missing_rule,
    pair_of,
    primal_results,
    refuse_tracers,
    results_of_call,
    share_captured,
)
from dovetail.transforms.custom_derivatives.lazy import BackwardRule, may_wait
from dovetail.transforms.custom_derivatives.on_references import OnReferences, use_references
from dovetail.transforms.custom_derivatives.symbolic import (
    CustomVJPPrimal,
    SymbolicZero,
    instantiated,
    of_whole_keys,
    tangent_type,
)
from dovetail.trees.float0 import is_float0, set_float0_aside
from dovetail.trees.pytree import broadcast_prefix, flatten, leaf_names, unflatten
from dovetail.trees.treedef import public


class custom_vjp(WithRule):
    """A function with rules for its reverse-mode derivative.

    The rules are used wherever the function is differentiated in reverse mode, also within jitted,
    batched and looping functions; other calls run the function. It has no forward-mode derivative.

    Args:
      fun: takes and returns trees of arrays. Values that it closes over must not be differentiated.
      nondiff_argnums, nondiff_argnames: arguments that are not arrays; `fwd` takes them in the
        positions of `fun`, `bwd` takes them first.

    Example:
      >>> import dovetail as dt
      >>> @dt.custom_vjp
      ... def clipped(low, high, x):
      ...     return x
      >>> def fwd(low, high, x):
      ...     return x, (low, high)
      >>> def bwd(bounds, g):
      ...     return None, None, dnp.clip(g, *bounds)
      >>> clipped.defvjp(fwd, bwd)
      >>> float(dt.grad(lambda x: 10 * clipped(-1.0, 1.0, x))(3.0))
      1.0
    """

    def __init__(
        self,
        fun: Function,
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        super().__init__(fun, nondiff_argnums, nondiff_argnames)
        self.fwd: Function | None = None
        self.bwd: Function | None = None
        self.symbolic_zeros = False
        self.optimize_remat = False

    def defvjp(
        self,
        fwd: Function,
        bwd: Function,
        symbolic_zeros: bool = False,
        optimize_remat: bool = False,
    ) -> None:
        """Define the rules.

        Args:
          fwd: takes the arguments of the function, returns (result, residuals), the latter a tree
            of arrays.
          bwd: takes the arguments named by `nondiff_argnums`, the residuals and a cotangent of the
            result; returns a tuple of cotangents, one for each other argument, None for zero.
          symbolic_zeros: whether `fwd` takes `CustomVJPPrimal`s, and `bwd` a `SymbolicZero` for a
            result without a derivative.
          optimize_remat: whether a checkpoint takes the result from the function, and only the
            residuals from the forward rule; otherwise, and elsewhere, the rule returns both.

        Raises:
          NotImplementedError: both `symbolic_zeros` and `optimize_remat`.
        """
        if symbolic_zeros and optimize_remat:
            raise NotImplementedError("optimize_remat must be without symbolic_zeros, got: both")
        self.fwd, self.bwd = fwd, bwd
        self.symbolic_zeros = symbolic_zeros
        self.optimize_remat = optimize_remat

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, with the rules' derivative."""
        if self.fwd is None or self.bwd is None:
            raise missing_rule("VJP defined for custom_vjp", "defvjp", self.fun)
        args = self._resolved(args, kwargs)
        refuse_tracers((args[i] for i in self.nondiff_argnums if i < len(args)), name_of(self.fun))
        order = derivative_order()
        if not order:
            return self._plain(args)
        call = Call(self.fun, args, self.nondiff_argnums)
        primal = call.traced_primal("custom_vjp")
        return results_of_call(
            call, primal, lambda: self._with_rules(call, primal, order - 1), self.symbolic_zeros
        )

    def _with_rules(self, call: Call, primal: TracedFunction, order: int) -> list[Operand]:
        """The results of the op that has the rules, which are differentiated `order` times."""
        assert self.fwd is not None
        assert self.bwd is not None
        count = len(call.leaves)
        fwd = trace(
            lambda *tracers: self._traced_fwd(call, primal, tracers),
            call.avals,
            call.names,
            "custom_vjp",
            name_of(self.fwd),
            call.leaves,
            order=order,
            origins=call.leaves,
            refs="held",
        )
        returned = primal.avals[: len(primal.avals) - len(primal.written)]
        cotangents = [aval.to_ct_aval() for aval in returned if dtypes.is_inexact(aval.dtype)]
        spec, kept = fwd.extra
        bwd, avals, names = self._backward(call, primal, spec, kept, cotangents)
        name = name_of(self.bwd)
        parts = [(primal, count, 0), (fwd, count, 0)]
        is_on_values = not use_references(call.leaves, [primal, fwd])
        if is_on_values and self.symbolic_zeros and may_wait([self.bwd, *call.statics]):
            rule = BackwardRule(name, bwd, avals[: len(kept)], cotangents, names, order)
            primal.function.module.keep(rule)
            wrt = [i for i, leaf in enumerate(call.leaves) if dtypes.is_inexact(leaf.dtype)]
            of_bwd: Any = rule.name
        else:
            # Residuals are known if the arguments are.
            outside = [*kept, *(None for _ in cotangents)]
            traced = trace(bwd, avals, names, "custom_vjp", name, outside, order=order, refs="held")
            if not is_on_values or use_references((), [traced]):
                on_arrays = OnReferences(call.leaves, call.name, (primal, fwd), traced)
                kept_avals = [residual.aval for residual in kept]
                return on_arrays.apply(
                    "custom_vjp",
                    on_arrays.function(len(returned), 0),
                    fwd=on_arrays.function(len(returned), 1, order).function,
                    bwd=on_arrays.backward(kept_avals, cotangents, order).function,
                    wrt=(*traced.extra, *on_arrays.echo_positions),
                    written=tuple(on_arrays.written),
                    echoes=len(on_arrays.echoes),
                )
            parts.append((traced, len(kept), len(cotangents)))
            of_bwd, wrt = traced.function, traced.extra
        captured = share_captured(parts)
        return apply(
            "custom_vjp",
            primal,
            [*call.leaves, *captured],
            primal.avals,
            fwd=fwd.function,
            bwd=of_bwd,
            wrt=wrt,
            operandSegmentSizes=(count, len(captured)),
        )

    def _traced_fwd(
        self, call: Call, primal: TracedFunction, tracers: Sequence[Tracer]
    ) -> tuple[list[Operand], Any]:
        """Results and residuals, with the residuals' structure and the residuals themselves."""
        assert self.fwd is not None
        arguments = call.tree(tracers)
        if self.symbolic_zeros:
            arguments = of_whole_keys(
                arguments, lambda i, x: CustomVJPPrimal(x, is_perturbed(call.leaves[i]))
            )
        rule = f"Custom VJP fwd rule {name_of(self.fwd)} for function {call.name}"
        result, residuals = pair_of(
            call.apply_to(self.fwd, arguments), rule, "the primal output and residuals"
        )
        avals = primal.avals[: len(primal.avals) - len(primal.written)]
        outs = primal_results(result, rule, "fwd", call.name, primal.extra, avals)
        if self.optimize_remat and in_checkpoint():
            # The checkpoint drops the residuals, and dead code elimination what only they need.
            outs = flatten(call.apply(self, tracers))[0]
        values, spec = set_float0_aside(*flatten(residuals))
        numbers = {i: x for i, x in enumerate(values) if type(x) in (bool, int, float, complex)}
        numbers |= {
            i: self._outer_reference(x, call, tracers)
            for i, x in enumerate(values)
            if type(x) is Ref
        }
        kept = [
            as_operand(value, f"residual {i} of the rule `{name_of(self.fwd)}` of `{call.name}`")
            for i, value in enumerate(values)
            if i not in numbers
        ]
        return [*outs, *kept], (_ResidualTree(spec, numbers), kept)

    def _outer_reference(self, ref: Ref, call: Call, tracers: Sequence[Any]) -> Any:
        """A reference among the residuals, as the backward rule has it: an argument, or one that
        the forward rule closes over.

        Raises:
          ValueError: it is another one.
        """
        for tracer, leaf in zip(tracers, call.leaves, strict=True):
            if tracer is ref:
                return leaf
        if ref._trace is not None and ref._trace is current():
            raise value_error(
                f"custom_vjp fwd function {name_of(self.fwd)} of `{call.name}` returned a mutable "
                f"array reference of type {ref.aval} as a residual, which must be an argument of "
                f"it, got: {ref.description()}; return what it holds, ref[...]"
            )
        return ref

    def _backward(
        self,
        call: Call,
        primal: TracedFunction,
        residual_tree: _ResidualTree,
        residuals: Sequence[Operand],
        cotangents: Sequence[ShapedArray],
    ) -> tuple[Callable[..., Any], list[ShapedArray], list[str]]:
        """The rule as a function to trace, and the types and names of residuals and cotangents.

        It takes marks of the cotangents that are not zero, by default all, and returns cotangents
        of the arguments, with marks, or by default indices, of those that have one.
        """
        bwd = self.bwd
        assert bwd is not None
        returned = primal.avals[: len(primal.avals) - len(primal.written)]
        is_inexact = [dtypes.is_inexact(leaf.dtype) for leaf in call.leaves]

        def python(*tracers: Tracer, marks: Sequence[bool] | None = None) -> tuple[list[Any], Any]:
            kept, given = tracers[: len(residuals)], iter(tracers[len(residuals) :])
            has_cotangent = iter(marks or [True] * len(cotangents))
            zero = SymbolicZero if self.symbolic_zeros else instantiated
            of_results = [
                next(given)
                if dtypes.is_inexact(aval.dtype) and next(has_cotangent)
                else zero(tangent_type(aval))
                for aval in returned
            ]
            cotangent = of_whole_keys(
                unflatten(primal.extra, of_results),
                lambda _, x: zero(ShapedArray(x.shape, dtypes.float0)) if is_keys(x) else x,
            )
            result = bwd(*call.statics, residual_tree.unflatten(kept), cotangent)
            found = self._cotangents(call, result)
            if marks is None:
                return list(found.values()), tuple(found)
            return list(found.values()), [i in found for i, has in enumerate(is_inexact) if has]

        names = [
            *(f"a residual of `{call.name}`" for _ in residuals),
            *(f"a cotangent of `{call.name}`" for _ in cotangents),
        ]
        return python, [*(residual.aval for residual in residuals), *cotangents], names

    def _cotangents(self, call: Call, result: Any) -> dict[int, Operand]:
        """Cotangents of the arguments, by the indices of their leaves, without those that are zero.

        Raises:
          TypeError: the rule returned another structure.
          ValueError: a cotangent has another type than its argument.
        """
        name = f"Custom VJP bwd rule {name_of(self.bwd)} for function {call.name}"
        arguments = call.tree(call.leaves)
        try:
            if not isinstance(result, (tuple, list)) or len(result) != call.count:
                raise ValueError
            values = broadcast_prefix(tuple(result), arguments, "cotangents")
        except ValueError:
            got = public(flatten(result)[1])
            raise type_error(
                f"{name} must produce a tuple of {call.count} cotangents, of the structure of the "
                f"arguments, {public(call.spec)}, or with None in place of what is zero, got: {got}"
            ) from None
        paths = leaf_names(arguments, "output")
        found = {}
        for i, (value, leaf) in enumerate(zip(values, call.leaves, strict=True)):
            if value is None or not dtypes.is_inexact(leaf.dtype):
                continue
            if type(value) is SymbolicZero or is_float0(value):
                if value.shape != leaf.shape:
                    got = ShapedArray(value.shape, np.dtype(value.dtype))
                    raise _unlike(got, leaf.aval, f"{name}: at {paths[i]}", call.names.at(i))
                continue
            operand = as_operand(value, f"{name}: {paths[i]}, the cotangent of {call.names.at(i)},")
            found[i] = _converted(operand, leaf.aval, f"{name}: at {paths[i]}", call.names.at(i))
        return found


class _ResidualTree(NamedTuple):
    """The structure of residuals; those that are Python's numbers or references, `bwd` gets as they
    are.

    Attributes:
      spec: the structure.
      numbers: the numbers, and the references, by the indices of their leaves.
    """

    spec: Any
    numbers: dict[int, Any]

    def unflatten(self, kept: Sequence[Any]) -> Any:
        """The residuals, given the others."""
        rest = iter(kept)
        count = len(kept) + len(self.numbers)
        leaves = [self.numbers[i] if i in self.numbers else next(rest) for i in range(count)]
        return unflatten(self.spec, leaves)


def _unlike(got: ShapedArray, wanted: ShapedArray, where: str, argument: object) -> ValueError:
    """The error of a cotangent of another type than its argument's."""
    return value_error(
        f"{where} the bwd rule produced an output of type {got}, but {argument} is {wanted}. "
        "Consider just returning a None here if the cotangent is zero"
    )


def _converted(operand: Operand, aval: ShapedArray, where: str, argument: object) -> Operand:
    """A cotangent of the argument's type; another real type is converted."""
    is_lossy = dtypes.kind(operand.dtype) == "c" and dtypes.kind(aval.dtype) != "c"
    if operand.shape != aval.shape or is_lossy:
        raise _unlike(operand.aval, aval, where, argument)
    if operand.dtype == aval.dtype:
        return operand
    return ops.convert(operand, aval.dtype)
