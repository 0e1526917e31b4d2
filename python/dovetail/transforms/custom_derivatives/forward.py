"""`custom_jvp`: functions whose forward-mode derivative is another function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.base.trace_stack import derivative_order
from dovetail.tracing.arguments import Function, as_operand, name_of
from dovetail.tracing.functions import TracedFunction, apply, trace
from dovetail.tracing.perturbed import is_perturbed
from dovetail.tracing.references import Ref
from dovetail.tracing.trace import Operand, Tracer
from dovetail.tracing.tracer import AnyTracer
from dovetail.transforms.custom_derivatives.calls import (
    Call,
    WithRule,
    missing_rule,
    pair_of,
    paths_of,
    primal_results,
    results_of_call,
    share_captured,
)
from dovetail.transforms.custom_derivatives.on_references import OnReferences, use_references
from dovetail.transforms.custom_derivatives.symbolic import (
    SymbolicZero,
    instantiated,
    tangent_type,
)
from dovetail.transforms.references import new_ref
from dovetail.trees.differences import where_unlike
from dovetail.trees.float0 import is_float0
from dovetail.trees.pytree import flatten, map_leaves, unflatten
from dovetail.trees.treedef import public


class custom_jvp(WithRule):
    """A function with a rule for its forward-mode derivative.

    Reverse mode transposes the rule. The rule is used wherever the function is differentiated, also
    within jitted, batched and looping functions; other calls run the function.

    Args:
      fun: takes and returns trees of arrays. Values that it closes over must not be differentiated.
      nondiff_argnums, nondiff_argnames: arguments that are not arrays, which the rule takes first.

    Example:
      >>> import dovetail as dt
      >>> @dt.custom_jvp
      ... def log1pexp(x):
      ...     return dnp.log(1.0 + dnp.exp(x))
      >>> @log1pexp.defjvp
      ... def log1pexp_jvp(primals, tangents):
      ...     (x,), (t,) = primals, tangents
      ...     return log1pexp(x), (1 - 1 / (1 + dnp.exp(x))) * t
      >>> float(dt.grad(log1pexp)(100.0))
      1.0
    """

    def __init__(
        self,
        fun: Function,
        nondiff_argnums: Sequence[int] = (),
        nondiff_argnames: Sequence[str] = (),
    ) -> None:
        super().__init__(fun, nondiff_argnums, nondiff_argnames)
        self.jvp: Function | None = None
        self.symbolic_zeros = False

    def defjvp(self, jvp: Function, symbolic_zeros: bool = False) -> Function:
        """Define the rule.

        Args:
          jvp: takes the arguments named by `nondiff_argnums`, then a tuple of the others and a
            tuple of their tangents; returns (result, tangent of the result).
          symbolic_zeros: whether tangents of arguments without derivatives are `SymbolicZero`s.

        Returns:
          `jvp`.
        """
        self.jvp = jvp
        self.symbolic_zeros = symbolic_zeros
        return jvp

    def defjvps(self, *jvps: Function | None) -> None:
        """Define the rule by a function for each argument.

        Args:
          jvps: each takes the argument's tangent, the result and all arguments, and returns its
            contribution to the result's tangent; None stands for zero.

        Raises:
          TypeError: there are arguments that are not differentiated.
        """
        if self.nondiff_argnums:
            raise type_error(
                f"defjvps must be without nondiff_argnums, got: {self.nondiff_argnums} of "
                f"`{name_of(self.fun)}`; use defjvp"
            )

        def jvp(primals: Any, tangents: Any) -> tuple[Any, Any]:
            result = self(*primals)
            parts = [
                part(tangent, result, *primals)
                for tangent, part in zip(tangents, jvps, strict=False)
                if part is not None
            ]
            values, spec = flatten(map_leaves(_zero_tangent, result))
            for part in parts:
                added = flatten(part)[0]
                values = [
                    value if is_float0(value) else value + other
                    for value, other in zip(values, added, strict=True)
                ]
            return result, unflatten(spec, values)

        jvp.__name__ = f"{name_of(self.fun)}_jvp"
        self.defjvp(jvp)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function, with the rule's derivative."""
        if self.jvp is None:
            raise missing_rule("JVP defined for custom_jvp", "defjvp", self.fun)
        args = self._resolved(args, kwargs)
        order = derivative_order()
        if not order:
            return self._plain(args)
        args = tuple(
            map_leaves(_without_gradient, arg) if i in self.nondiff_argnums else arg
            for i, arg in enumerate(args)
        )
        call = Call(self.fun, args, self.nondiff_argnums)
        primal = call.traced_primal("custom_jvp")
        return results_of_call(
            call, primal, lambda: self._with_rule(call, primal, order - 1), self.symbolic_zeros
        )

    def _with_rule(self, call: Call, primal: TracedFunction, order: int) -> list[Operand]:
        """The results of the op that has the rule, which is differentiated `order` times."""
        assert self.jvp is not None
        count = len(call.leaves)
        tangents = [
            leaf.aval
            for leaf in call.leaves
            if dtypes.is_inexact(leaf.dtype) and type(leaf) is not Ref
        ]
        names = [*call.names, *(f"a tangent of `{call.name}`" for _ in tangents)]
        outside = [*call.leaves, *(None for _ in tangents)]
        returned = primal.avals[: len(primal.avals) - len(primal.written)]
        rule = trace(
            lambda *tracers: self._traced_rule(call, primal.extra, returned, tracers),
            [*call.avals, *tangents],
            names,
            "custom_jvp",
            name_of(self.jvp),
            outside,
            order=order,
            origins=outside,
            refs="held",
        )
        zeros = {"dovetail.constant_results": rule.extra} if rule.extra else {}
        if use_references(call.leaves, [primal, rule]):
            on_arrays = OnReferences(call.leaves, call.name, (primal, rule))
            function = on_arrays.function(len(returned), 0)
            of_arrays = on_arrays.function(len(returned), 1, order, has_tangents=True)
            return on_arrays.apply("custom_jvp", function, rule=of_arrays.function, **zeros)
        captured = share_captured([(primal, count, 0), (rule, count, len(tangents))])
        return apply(
            "custom_jvp",
            primal,
            [*call.leaves, *captured],
            primal.avals,
            rule=rule.function,
            operandSegmentSizes=(count, len(captured)),
            **zeros,
        )

    def _traced_rule(
        self, call: Call, spec: Any, avals: Sequence[ShapedArray], tracers: Sequence[Tracer]
    ) -> tuple[list[Operand], list[int]]:
        """The rule's checked results, followed by the tangents that are not symbolic zeros, and the
        indices of the results whose tangents are.
        """
        assert self.jvp is not None
        primals, given = tracers[: len(call.leaves)], iter(tracers[len(call.leaves) :])
        zero = SymbolicZero if self.symbolic_zeros else instantiated
        tangents: list[Any] = []
        for x, outer in zip(primals, call.leaves, strict=True):
            if type(outer) is Ref:
                # A reference that nothing else sees, and holds zeros.
                tangents.append(new_ref(instantiated(tangent_type(outer.aval.inner_aval))))
                continue
            tangent = next(given) if dtypes.is_inexact(x.dtype) else zero(tangent_type(x.aval))
            if self.symbolic_zeros and not is_perturbed(outer):
                tangent = SymbolicZero(tangent_type(x.aval))
            tangents.append(tangent)
        result = self.jvp(*call.statics, call.tree(primals), call.tree(tangents))
        rule = f"Custom JVP rule {name_of(self.jvp)} for function {call.name}"
        primal_out, tangent_out = pair_of(result, rule, "primal and tangent outputs")
        outs = primal_results(primal_out, rule, "jvp", call.name, spec, avals)
        tangents = self._tangents(call, spec, avals, tangent_out)
        zeros = [i for i, t in enumerate(flatten(tangent_out)[0]) if type(t) is SymbolicZero]
        return [*outs, *tangents], zeros

    def _tangents(
        self, call: Call, spec: Any, avals: Sequence[ShapedArray], result: Any
    ) -> list[Operand]:
        """The tangents that the rule returned, for results that have one."""
        name = f"Custom JVP rule {name_of(self.jvp)} for function {call.name}"
        values, own = flatten(result)
        if own != spec:
            owners = "the result", "the tangent"
            raise type_error(
                f"{name} must produce primal and tangent outputs with equal container (pytree) "
                f"structures, but got {public(spec)} and {public(own)} respectively.\nThey have "
                f"{where_unlike(spec, own, 'result', owners)}"
            )
        tangents = []
        for value, aval, path in zip(values, avals, paths_of(spec, "tangent"), strict=True):
            wanted = tangent_type(aval)
            if type(value) is SymbolicZero or is_float0(value):
                got = value.aval if type(value) is SymbolicZero else ShapedArray(*_type(value))
                operand = instantiated(got)
            else:
                operand = as_operand(value, f"`{path}` of {name}")
                got = operand.aval
            if got.shape != wanted.shape or got.dtype != wanted.dtype:
                raise type_error(
                    "Custom JVP rule must produce primal and tangent outputs with corresponding "
                    f"shapes and dtypes. Expected {wanted} (tangent type of {aval}) but got {got}. "
                    f"It is `{path}` of the rule `{name_of(self.jvp)}` for function `{call.name}`"
                )
            if dtypes.is_inexact(aval.dtype):
                tangents.append(operand)
        return tangents


def _type(value: Any) -> tuple[Any, Any]:
    return value.shape, value.dtype


def _zero_tangent(leaf: Any) -> Any:
    return instantiated(tangent_type(as_operand(leaf, "result").aval))


def _without_gradient(leaf: Any) -> Any:
    is_active = isinstance(leaf, AnyTracer) and dtypes.is_inexact(leaf.dtype)
    return ops.stop_gradient(leaf) if is_active else leaf
