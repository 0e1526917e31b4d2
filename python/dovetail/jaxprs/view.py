"""Jaxprs made of the compiler's functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.jaxprs.evaluation import TracedJaxpr
from dovetail.jaxprs.higher_order import (
    CALLS,
    Callable_,
    loop_params,
    order_of_arguments,
    types_of,
)
from dovetail.jaxprs.op_primitives import primitive_of, scalar_or_array
from dovetail.jaxprs.primitives import named
from dovetail.jaxprs.structure import (
    Atom,
    ClosedJaxpr,
    DropVar,
    Jaxpr,
    JaxprEqn,
    Literal,
    SourceInfo,
    Var,
)
from dovetail.reference.program import decoded
from dovetail.tracing.composed import equation_named
from dovetail.transforms.custom_derivatives.lazy import PREFIX
from dovetail.transforms.program_rules import rules_named
from dovetail.trees.pytree import flatten


class View:
    """The functions of a module as jaxprs.

    Args:
      module: the module, without requests.
    """

    def __init__(self, module: _core.Module) -> None:
        self.module = module
        self._known: dict[str, ClosedJaxpr] = {}

    def function(self, name: str) -> ClosedJaxpr:
        """A function without captured values as a jaxpr."""
        if name not in self._known:
            function = self.module.function(name)
            ins, outs = types_of(function.inputs), types_of(function.outputs)
            specs = [flatten(0)[1]] * len(outs)
            traced = TracedJaxpr(function, 0, ins, outs, specs)
            self._known[name] = self.body(self.module.program(name), traced=traced)
        return self._known[name]

    def body(
        self,
        body: Any,
        order: Sequence[int] | None = None,
        traced: TracedJaxpr | None = None,
        num_captured: int = 0,
        captured: Sequence[Any] = (),
        in_avals: Sequence[ShapedArray] | None = None,
    ) -> ClosedJaxpr:
        """A body as a jaxpr.

        Args:
          body: the body, as data.
          order: the numbers of its arguments in the order in which the jaxpr has them.
          traced: the function that it is the body of.
          num_captured, captured: its last arguments, which are constants of the jaxpr.
          in_avals: the types of the others.
        """
        types = types_of(body.input_types)
        if in_avals is not None:
            types[: len(in_avals)] = in_avals
        for i, operand in enumerate(captured, len(types) - num_captured):
            types[i] = operand.aval
        variables = [Var(aval) for aval in types]
        count = len(variables) - num_captured
        reading = _Reading(self, is_closed=traced is not None)
        env = dict(zip(body.inputs, variables, strict=True))
        outs = reading.run(body, env)
        invars = variables[:count]
        if order is not None:
            invars = [invars[i] for i in order]
        jaxpr = Jaxpr(
            [*variables[count:], *reading.constvars],
            invars,
            outs,
            _with_dropped(reading.eqns, outs),
            function=traced,
        )
        return ClosedJaxpr(jaxpr, [*captured, *reading.consts])


class _Reading:
    """Reads the instructions of a body, and of the derived functions that it calls.

    Args:
      view: the module's functions.
      is_closed: whether constants that are not all alike become constants of the jaxpr.
    """

    def __init__(self, view: View, is_closed: bool) -> None:
        self.view, self.is_closed = view, is_closed
        self.eqns: list[JaxprEqn] = []
        self.constvars: list[Var] = []
        self.consts: list[Any] = []

    def run(self, body: Any, env: dict[int, Any]) -> list[Atom]:
        """Append the equations; returns the results."""
        for of in body.instructions:
            atoms = [env[number] for number in of.operands]
            if of.op in ("constant", "arith.constant"):
                outs = [self._constant(of)]
            elif of.op == "call" and _is_derived(of.attributes["callee"]):
                inner = self.view.module.program(of.attributes["callee"])
                outs = self.run(inner, dict(zip(inner.inputs, atoms, strict=True)))
            else:
                outs = self._equation(of, atoms)
            env.update(zip(of.results, outs, strict=True))
        return [env[number] for number in body.outputs]

    def _constant(self, of: Any) -> Atom:
        value = decoded("constant", of.attributes, of.shapes, of.elements)["value"]
        value = np.asarray(value)
        aval = ShapedArray(value.shape, value.dtype)
        is_splat = value.ndim == 0 or not any(value.strides)
        if is_splat or not self.is_closed:
            return Literal(scalar_or_array(value), aval)
        var = Var(aval)
        self.constvars.append(var)
        self.consts.append(Array(np.array(value), False, None))
        return var

    def _equation(self, of: Any, atoms: list[Atom]) -> list[Atom]:
        outvars = [Var(aval) for aval in types_of(list(zip(of.shapes, of.elements, strict=True)))]
        attributes, name = of.attributes, of.op
        if name == "primitive":
            rules = rules_named(attributes["rules"])
            primitive, params = rules.primitive, rules.params
        elif name == "call" and "label" in attributes:
            equation = equation_named(attributes["label"])
            primitive, params = named(equation.primitive), dict(equation.params)
            atoms = atoms[: equation.num_operands]
        elif name in CALLS:
            primitive, params = self._call(of)
        elif name in ("scan", "while", "case"):
            order = None if name == "case" else order_of_arguments(name, attributes)
            bodies = [self.view.body(each, order) for each in attributes["regions"]]
            primitive, params, atoms = loop_params(name, attributes, bodies, atoms)
        else:
            keywords = _keywords(of)
            primitive = primitive_of(name, keywords)
            ins, outs = [atom.aval for atom in atoms], [var.aval for var in outvars]
            params = primitive.params_of(keywords, ins, outs)
            if name == "select":
                atoms = [atoms[0], atoms[2], atoms[1]]
        self.eqns.append(
            JaxprEqn(atoms, outvars, primitive, params, source_info=SourceInfo(of.place))
        )
        return list(outvars)

    def _call(self, of: Any) -> tuple[Any, dict[str, Any]]:
        """The primitive of an op on functions, and its parameters."""
        primitive, attributes = CALLS[of.op], dict(of.attributes)
        closed = self.view.function(attributes.pop("callee"))
        rules = {}
        for attribute, param in primitive.rules.items():
            name = attributes.pop(attribute)
            if name.startswith(PREFIX):
                rules[param] = rules_named(name)
                continue
            rules[param] = Callable_(self.view.module.function(name), self.view.function(name))
        if of.op == "call":
            return primitive, {"jaxpr": closed, "name": of.attributes["callee"], "inline": False}
        if of.op == "checkpoint":
            more = {
                "prevent_cse": attributes["prevent_cse"],
                "differentiated": False,
                "policy": None,
            }
            return primitive, {"jaxpr": closed.jaxpr, **more, "attributes": attributes}
        more = {"num_consts": 0, "symbolic_zeros": False, "attributes": attributes}
        return primitive, {primitive.body: closed, **rules, **more}


def _keywords(of: Any) -> dict[str, Any]:
    try:
        return decoded(of.op, of.attributes, of.shapes, of.elements)
    except KeyError:
        return dict(of.attributes)


def _is_derived(name: str) -> bool:
    """Whether a function was made by a transform, which the jaxpr of JAX would not call."""
    return "." in name or name.startswith("rule")


def _with_dropped(eqns: list[JaxprEqn], outs: Sequence[Atom]) -> list[JaxprEqn]:
    """The equations, with `DropVar`s for results that nothing uses."""
    used: set[Any] = {atom for eqn in eqns for atom in eqn.invars if isinstance(atom, Var)}
    used.update(atom for atom in outs if isinstance(atom, Var))
    return [
        eqn.replace(outvars=[var if var in used else DropVar(var.aval) for var in eqn.outvars])
        if any(var not in used for var in eqn.outvars)
        else eqn
        for eqn in eqns
    ]
