"""Primitives that have programs as parameters: calls, functions with rules, loops, branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import _core, lax
from dovetail.base import late
from dovetail.base.trace_stack import current
from dovetail.jaxprs.compositions import ComposedPrimitive
from dovetail.jaxprs.evaluation import TracedJaxpr, eval_jaxpr, jaxpr_as_fun
from dovetail.jaxprs.references import type_of
from dovetail.jaxprs.structure import ClosedJaxpr, Jaxpr
from dovetail.placement.meshes import EMPTY
from dovetail.placement.shardings import UNSPECIFIED
from dovetail.tracing.arguments import as_operand, as_operand_or_ref
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.functions import apply
from dovetail.transforms.custom_derivatives.forward import custom_jvp
from dovetail.transforms.primitives import Primitive
from dovetail.transforms.program_rules import ProgramRules


class Callable_:
    """A function of the compiler that is a rule of another.

    Args:
      function: the function.
      closed: it as a jaxpr.
    """

    def __init__(self, function: _core.Function, closed: ClosedJaxpr) -> None:
        self.function, self.closed = function, closed

    def call_wrapped(self, *args: Any) -> list[Any]:
        """The results."""
        return jaxpr_as_fun(self.closed)(*args)

    __call__ = call_wrapped

    def __repr__(self) -> str:
        return self.function.name


class CallPrimitive(Primitive):
    """An op on functions: its parameters contain them as jaxprs, or as rules.

    Args:
      name: JAX's name of it.
      op: its name in the dialect.
      body: the parameter that has the function.
      rules: the other parameters that have functions, by their attributes.
    """

    multiple_results = True

    def __init__(self, name: str, op: str, body: str, **rules: str) -> None:
        super().__init__(name)
        self.op, self.body, self.rules = op, body, rules

    def _bound(self, *args: Any, **params: Any) -> Any:
        """Call the function, with its rules."""
        program = params[self.body]
        jaxpr = program if isinstance(program, Jaxpr) else program.jaxpr
        consts = [] if isinstance(program, Jaxpr) else program.consts
        traced: TracedJaxpr | None = jaxpr.function
        operands = [as_operand_or_ref(arg, f"operand {i} of {self}") for i, arg in enumerate(args)]
        if traced is None or self.op == "call" or consts or not traced.accepts(operands):
            return eval_jaxpr(jaxpr, consts, *operands)
        in_progress = current()
        module = _core.module() if in_progress is None else in_progress.module

        def taken(function: _core.Function) -> _core.Function:
            return function if function.module is module else _core.adopt(module, function)

        rules: dict[str, Any] = {}
        for attribute, key in self.rules.items():
            rule = params[key]
            if isinstance(rule, ProgramRules):
                module.keep(rule)
            rules[attribute] = rule.name if isinstance(rule, ProgramRules) else taken(rule.function)
        body = taken(traced.function)
        return apply(self.op, body, operands, traced.out_avals, **traced.attributes, **rules)

    impl = _bound


class _Custom(CallPrimitive):
    """A function with a derivative rule; interpreters get it as a function, too."""

    def get_bind_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters, and functions for the first two arguments of `bind` in older versions."""
        body: ClosedJaxpr = params[self.body]
        return params | {"subfuns": (Callable_(body.jaxpr.function.function, body),)}

    def _bound(self, *args: Any, subfuns: Any = (), **params: Any) -> Any:
        """Call the function, with its rules; without a jaxpr, those of `subfuns`."""
        if self.body in params:
            return super()._bound(*args, **params)
        if self.op != "custom_jvp":
            raise NotImplementedError(
                f"{self}.bind: the function must be given as the parameter {self.body!r}, got: "
                f"{sorted(params)}"
            )
        fun, jvp = subfuns
        function = custom_jvp(lambda *xs: list(fun.call_wrapped(*xs)))

        @function.defjvp
        def rule(primals: Any, tangents: Any) -> Any:
            outs = list(jvp.call_wrapped(*primals, *tangents))
            return outs[: len(outs) // 2], outs[len(outs) // 2 :]

        return function(*args)


jit_p = CallPrimitive("jit", "call", "jaxpr")
custom_jvp_call_p = _Custom("custom_jvp_call", "custom_jvp", "call_jaxpr", rule="jvp_jaxpr_fun")
custom_vjp_call_p = _Custom(
    "custom_vjp_call", "custom_vjp", "call_jaxpr", fwd="fwd_jaxpr_thunk", bwd="bwd"
)


def jit_params(closed: ClosedJaxpr, name: str, stated: dict[str, Any]) -> dict[str, Any]:
    """The parameters of a call.

    Args:
      closed: the function.
      name: its name.
      stated: those that the `jit` stated.
    """
    num_args, num_results = len(closed.jaxpr.invars), len(closed.jaxpr.outvars)
    more = num_args - len(stated.get("donated_invars", ()))
    # Values that the function closes over are its last arguments.
    return {
        "jaxpr": closed,
        "in_shardings": (*stated.get("in_shardings", ()), *(UNSPECIFIED,) * more),
        "out_shardings": stated.get("out_shardings", (UNSPECIFIED,) * num_results),
        "in_layouts": (None,) * num_args,
        "out_layouts": (None,) * num_results,
        "donated_invars": (*stated.get("donated_invars", ()), *(False,) * more),
        "ctx_mesh": stated.get("ctx_mesh", EMPTY),
        "name": stated.get("name", name),
        "keep_unused": stated.get("keep_unused", False),
        "inline": stated.get("inline", False),
        "compiler_options_kvs": (),
    }


class _Call(ComposedPrimitive):
    """A call of a program.

    Args:
      name: JAX's name of it.
      is_closed: whether its program is a `ClosedJaxpr`, not a `Jaxpr`.
    """

    def __init__(self, name: str, is_closed: bool) -> None:
        super().__init__(name, _called, multiple_results=True)
        self.is_closed = is_closed

    def get_bind_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """The parameters, with a function in the place of the program."""
        rest = {key: value for key, value in params.items() if key != "call_jaxpr"}
        return rest | {"subfuns": (jaxpr_as_fun(_closed(params["call_jaxpr"])),)}

    def _bound(self, *args: Any, subfuns: Any = (), call_jaxpr: Any = None, **params: Any) -> Any:
        """Call the program, or the function of `subfuns`."""
        if call_jaxpr is None:
            (function,) = subfuns
            function = getattr(function, "call_wrapped", function)
            if not makes_equations():
                operands = (as_operand(arg, f"operand {i} of {self}") for i, arg in enumerate(args))
                return list(function(*operands))
            call_jaxpr = late.making.make_jaxpr(function)(*args)
            args, call_jaxpr = (
                (*call_jaxpr.consts, *args),
                late.making.with_constants_as_arguments(call_jaxpr),
            )
        if not self.is_closed and isinstance(call_jaxpr, ClosedJaxpr) and not call_jaxpr.consts:
            call_jaxpr = call_jaxpr.jaxpr
        return super()._bound(*args, call_jaxpr=call_jaxpr, **params)


def _closed(program: Jaxpr | ClosedJaxpr) -> ClosedJaxpr:
    return ClosedJaxpr(program, []) if isinstance(program, Jaxpr) else program


def _called(*args: Any, call_jaxpr: Any, **params: Any) -> list[Any]:
    return jaxpr_as_fun(_closed(call_jaxpr))(*args)


call_p, closed_call_p = _Call("call", False), _Call("closed_call", True)
remat_p = CallPrimitive("remat2", "checkpoint", "jaxpr")

# (op, primitive), for the ops on functions.
CALLS = {each.op: each for each in (jit_p, custom_jvp_call_p, custom_vjp_call_p, remat_p)}


class _Control(Primitive):
    """A loop or a branch.

    Args:
      name: JAX's name of it.
      call: what applies it.
    """

    multiple_results = True

    def __init__(self, name: str, call: Callable[..., Any]) -> None:
        super().__init__(name)
        self._call = call

    def _bound(self, *args: Any, **params: Any) -> Any:
        """Apply it."""
        return self._call(*args, **params)

    impl = _bound


def _scan(*args: Any, jaxpr: ClosedJaxpr, num_consts: int, num_carry: int, **params: Any) -> Any:
    consts, rest = args[:num_consts], args[num_consts:]

    def body(carry: Any, xs: Any) -> Any:
        outs = jaxpr_as_fun(jaxpr)(*consts, *carry, *xs)
        return tuple(outs[:num_carry]), tuple(outs[num_carry:])

    carry, ys = lax.scan(
        body,
        tuple(rest[:num_carry]),
        tuple(rest[num_carry:]),
        length=params["length"],
        reverse=params["reverse"],
        unroll=params["unroll"],
    )
    return [*carry, *ys]


def _while(
    *args: Any,
    cond_jaxpr: ClosedJaxpr,
    cond_nconsts: int,
    body_jaxpr: ClosedJaxpr,
    body_nconsts: int,
) -> Any:
    cond_consts, rest = args[:cond_nconsts], args[cond_nconsts:]
    body_consts, init = rest[:body_nconsts], rest[body_nconsts:]
    outs = lax.while_loop(
        lambda carry: jaxpr_as_fun(cond_jaxpr)(*cond_consts, *carry)[0],
        lambda carry: tuple(jaxpr_as_fun(body_jaxpr)(*body_consts, *carry)),
        tuple(init),
    )
    return list(outs)


def _cond(index: Any, *args: Any, branches: Sequence[ClosedJaxpr], **params: Any) -> Any:
    functions = [lambda *xs, _of=branch: tuple(jaxpr_as_fun(_of)(*xs)) for branch in branches]
    return list(lax.switch(index, functions, *args))


scan_p = _Control("scan", _scan)
while_p = _Control("while", _while)
cond_p = _Control("cond", _cond)


def loop_params(
    op: str, attributes: dict[str, Any], bodies: Sequence[ClosedJaxpr], atoms: Sequence[Any]
) -> tuple[Primitive, dict[str, Any], list[Any]]:
    """The primitive, the parameters and the operands of an op with bodies, in JAX's order.

    Args:
      op: the op.
      attributes: its attributes.
      bodies: makes the body of a number, with its arguments in the given order.
      atoms: its operands.
    """
    if op == "case":
        branches = tuple(body for body in bodies)
        return cond_p, {"branches": branches}, list(atoms)
    segments = attributes["operandSegmentSizes"]
    if op == "while":
        num_carry, num_consts = segments[:2]
        carry, consts = atoms[:num_carry], atoms[num_carry : num_carry + num_consts]
        (cond, of_cond), (body, of_body) = (_with_used(each, num_consts) for each in bodies)
        params = {
            "cond_jaxpr": cond,
            "cond_nconsts": len(of_cond),
            "body_jaxpr": body,
            "body_nconsts": len(of_body),
        }
        return while_p, params, [*(consts[i] for i in (*of_cond, *of_body)), *carry]
    num_carry, num_xs, num_consts = segments[:3]
    carry, xs = atoms[:num_carry], atoms[num_carry : num_carry + num_xs]
    consts = atoms[num_carry + num_xs : num_carry + num_xs + num_consts]
    params = {
        "jaxpr": bodies[0],
        "length": attributes["length"],
        "reverse": attributes.get("reverse", False),
        "num_consts": num_consts,
        "num_carry": num_carry,
        "unroll": attributes.get("unroll", 1),
    }
    return scan_p, params, [*consts, *carry, *xs]


def _with_used(body: ClosedJaxpr, count: int) -> tuple[ClosedJaxpr, list[int]]:
    """A body without those of its first arguments that it does not use, and the numbers of the
    others.
    """
    jaxpr = body.jaxpr
    used = {id(atom) for eqn in jaxpr.eqns for atom in eqn.invars}
    used.update(map(id, jaxpr.outvars))
    kept = [i for i in range(count) if id(jaxpr.invars[i]) in used]
    invars = [*(jaxpr.invars[i] for i in kept), *jaxpr.invars[count:]]
    return ClosedJaxpr(jaxpr.replace(invars=invars), body.consts), kept


def order_of_arguments(op: str, attributes: dict[str, Any]) -> list[int]:
    """The numbers of a body's arguments, in JAX's order: constants first."""
    if op == "case":
        raise ValueError("the branches of a case must have one order of arguments, got: case")
    segments = attributes["operandSegmentSizes"]
    num_carry = segments[0]
    num_xs, num_consts = (0, segments[1]) if op == "while" else segments[1:3]
    first = num_carry + num_xs
    return [*range(first, first + num_consts), *range(first)]


def types_of(pairs: Sequence[tuple[tuple[int, ...], str]]) -> list[Any]:
    """Types from shapes and names of element types."""
    return [type_of(shape, element) for shape, element in pairs]
