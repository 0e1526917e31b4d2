"""Jaxprs made of the compiler's functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.keys import is_key_type
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.jaxprs.arranged_views import ARRANGED, arranged_equations
from dovetail.jaxprs.callbacks import CallbackPrimitive, PrintPrimitive, equation_of
from dovetail.jaxprs.evaluation import TracedJaxpr
from dovetail.jaxprs.higher_order import (
    CALLS,
    Callable_,
    jit_params,
    loop_params,
    order_of_arguments,
    types_of,
)
from dovetail.jaxprs.of_keys import keys_aval, without_words
from dovetail.jaxprs.op_primitives import (
    ALIKE,
    function_of,
    is_foreign,
    primitive_of,
    scalar_or_array,
)
from dovetail.jaxprs.op_views import VIEWS
from dovetail.jaxprs.over_axes import VIEWS as OVER_AXES
from dovetail.jaxprs.over_axes import (
    CollectivePrimitive,
    effects_within,
    on_parts,
    params_of_parts,
)
from dovetail.jaxprs.primitives import named
from dovetail.jaxprs.references import (
    OPS,
    RefEffect,
    RefPrimitive,
    addupdate_p,
    has_references,
    swap_p,
)
from dovetail.jaxprs.repeats import Repeats, without
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
from dovetail.jaxprs.window_views import Selections
from dovetail.reference.program import decoded
from dovetail.tracing.composed import Equation, equation_named
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
        self._algorithms: dict[Any, ClosedJaxpr | None] = {}

    def function(self, name: str) -> ClosedJaxpr:
        """A function without captured values as a jaxpr."""
        if name not in self._known:
            function = self.module.function(name)
            ins, outs = types_of(function.inputs), types_of(function.outputs)
            specs = [flatten(0)[1]] * len(outs)
            traced = None
            if not has_references(ins):
                traced = TracedJaxpr(function, 0, ins, outs, specs)
            self._known[name] = self.body(self.module.program(name), traced=traced, is_closed=True)
        return self._known[name]

    def algorithm(self, of: Any, ins: Sequence[Any]) -> ClosedJaxpr | None:
        """The algorithm of an op in other ops; None if it has none, or needs sizes that are not
        known.

        Args:
          of: the op.
          ins: the types of its operands.
        """
        types = tuple((tuple(aval.shape), aval.dtype.name) for aval in ins)
        outs = list(zip(of.shapes, of.elements, strict=True))
        key = of.op, repr(of.attributes), types
        if key not in self._algorithms:
            self._algorithms[key] = None
            if not any(-1 in shape for shape, _ in (*types, *outs)):
                module = _core.wrap(of.op, of.attributes, types, outs)
                module.decompose([of.op])
                if all(each.op != of.op for each in module.program("main").instructions):
                    self._algorithms[key] = View(module).function("main")
        return self._algorithms[key]

    def body(
        self,
        body: Any,
        order: Sequence[int] | None = None,
        traced: TracedJaxpr | None = None,
        is_closed: bool = False,
        num_captured: int = 0,
        captured: Sequence[Any] = (),
        in_avals: Sequence[ShapedArray] | None = None,
        in_keys: Sequence[Any] = (),
        out_keys: Sequence[Any] = (),
    ) -> ClosedJaxpr:
        """A body as a jaxpr.

        Args:
          body: the body, as data.
          order: the numbers of its arguments in the order in which the jaxpr has them.
          traced: the function that it is the body of, if that is without references.
          is_closed: whether it may have constants.
          num_captured, captured: its last arguments, which are constants of the jaxpr.
          in_avals: the types of the others.
          in_keys, out_keys: the element types of arguments and results that are keys; None for
            others.
        """
        types = types_of(body.input_types)
        if in_avals is not None:
            types[: len(in_avals)] = in_avals
        for i, operand in enumerate(captured, len(types) - num_captured):
            types[i] = operand.aval
        for i, kind in enumerate(in_keys):
            if kind is not None:
                types[i] = keys_aval(types[i], kind)
        variables = [Var(aval) for aval in types]
        count = len(variables) - num_captured
        reading = _Reading(self, is_closed)
        env = dict(zip(body.inputs, variables, strict=True))
        outs = reading.run(body, env)
        wanted = out_keys or [None] * len(outs)
        outs = [reading.as_kind(*each) for each in zip(outs, wanted, strict=True)]
        invars = variables[:count]
        if order is not None:
            invars = [invars[i] for i in order]
        eqns = reading.outlined(reading.selections.without_parts(reading.eqns, outs))
        jaxpr = Jaxpr(
            [*variables[count:], *reading.constvars],
            invars,
            outs,
            _with_dropped(without(eqns, outs, reading.repeats.parts), outs),
            _outer_effects(reading.eqns, variables),
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
        self._words: dict[Atom, Var] = {}
        self.selections = Selections(self.eqns)
        self.repeats = Repeats()
        # The ops of equations with primitives that JAX lacks.
        self._foreign: dict[int, Any] = {}

    def run(self, body: Any, env: dict[int, Any]) -> list[Atom]:
        """Append the equations; returns the results."""
        refs = _Accesses(body)
        for of in body.instructions:
            if refs.is_part(of, env):
                continue
            atoms = [env[number] for number in of.operands]
            if of.op in ("constant", "arith.constant"):
                outs = [self._constant(of)]
            elif of.op == "convert" and _is_same_number(of, atoms[0]):
                outs = [Literal(atoms[0].val, types_of([(of.shapes[0], of.elements[0])])[0])]
            elif _is_derived_call(of) and _jit_of_derived(of) is None:
                inner = self.view.module.program(of.attributes["callee"])
                outs = self.run(inner, dict(zip(inner.inputs, atoms, strict=True)))
            else:
                outs = self._equation(of, refs.with_reference(of, atoms))
            env.update(zip(of.results, outs, strict=True))
        return [env[number] for number in body.outputs]

    def outlined(self, eqns: Sequence[JaxprEqn]) -> list[JaxprEqn]:
        """The equations, with calls of algorithms where JAX has no primitive of an op."""
        made = []
        for eqn in eqns:
            made.append(eqn)
            if (of := self._foreign.get(id(eqn))) is None:
                continue
            closed = self.view.algorithm(of, [atom.aval for atom in eqn.invars])
            if closed is not None:
                params = jit_params(closed, function_of(of.op), {})
                made[-1] = eqn.replace(primitive=CALLS["call"], params=params)
        return made

    def as_kind(self, atom: Atom, kind: Any) -> Atom:
        """A value as keys of an element type, or as words if that is None."""
        is_key = is_key_type(atom.aval.dtype)
        if is_key == (kind is not None):
            return atom
        if not is_key:
            out = Var(keys_aval(atom.aval, kind))
            params = {"impl": kind.generator}
            self.eqns.append(JaxprEqn([atom], [out], named("random_wrap"), params))
            return out
        if atom not in self._words:
            of: Any = atom.aval
            shape = (*of.shape, *of.dtype.generator.key_shape)
            self._words[atom] = Var(ShapedArray(shape, np.dtype(np.uint32)))
            unwrap = JaxprEqn([atom], [self._words[atom]], named("random_unwrap"), {})
            self.eqns.append(unwrap)
        return self._words[atom]

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
        outs: list[Any] = outvars
        keys, key_results = {}, {}
        equation = _composition_of(of)
        if equation is not None:
            atoms = atoms[: equation.num_operands]
            keys, key_results = equation.keys, equation.key_results
        moved = self._moved_keys(of, equation, atoms, outvars)
        if moved is not None:
            return moved
        atoms = [self.as_kind(atom, keys.get(i)) for i, atom in enumerate(atoms)]
        for i, kind in key_results.items():
            outvars[i].aval = keys_aval(outvars[i].aval, kind)
        if equation is not None:
            primitive, params, shown = named(equation.primitive), dict(equation.params), outvars
        elif of.op in ARRANGED and (
            arranged := arranged_equations(
                of.op, _keywords(of), atoms, outvars, SourceInfo(of.place)
            )
        ):
            self.eqns += arranged
            return list(outvars)
        else:
            primitive, params, atoms, shown = self._meaning(of, atoms, outvars)
            if "derived_from" in attributes:
                params, shown, outs = _forwarded(params, atoms, outvars)
        effects = effects_within(primitive, params)
        if isinstance(primitive, (CollectivePrimitive, CallbackPrimitive, PrintPrimitive)):
            effects = primitive.effects_of(params)
        elif isinstance(primitive, RefPrimitive):
            effects = primitive.effects(outvars[0] if name == "new_ref" else atoms[0])
            # What an access makes of the array as a whole is no result.
            if primitive is swap_p:
                shown = outvars[:1] or [Var(atoms[1].aval)]
            elif primitive is addupdate_p:
                shown = []
        eqn = JaxprEqn(atoms, shown, primitive, params, effects, SourceInfo(of.place))
        self.eqns.append(eqn)
        if is_foreign(primitive):
            self._foreign[id(eqn)] = of
        if equation is None:
            self.selections.note(name, attributes, eqn)
            self.repeats.note(eqn)
        return list(outs)

    def _meaning(
        self, of: Any, atoms: list[Atom], outvars: list[Var]
    ) -> tuple[Any, dict[str, Any], list[Atom], list[Any]]:
        """The primitive, the parameters, the operands and the results of an op's equation."""
        attributes, name = of.attributes, of.op
        if name == "callback":
            return *equation_of(attributes, [var.aval for var in outvars]), atoms, outvars
        if name in OPS:
            return *OPS[name], atoms, outvars
        if name == "primitive":
            rules = rules_named(attributes["rules"])
            return rules.primitive, rules.params, atoms, outvars
        if name in CALLS:
            return *self._call(of), atoms, outvars
        if name == "shard_map":
            jaxpr = self.view.function(attributes["callee"]).jaxpr
            if "label" not in attributes:
                return named("shard_map"), params_of_parts(attributes, jaxpr), atoms, outvars
            equation = equation_named(attributes["label"])
            return named("shard_map"), *on_parts(equation, jaxpr, atoms), outvars
        if name in ("scan", "while", "case"):
            order = None if name == "case" else order_of_arguments(name, attributes)
            bodies = [self.view.body(each, order) for each in attributes["regions"]]
            return *loop_params(name, attributes, bodies, atoms), outvars
        keywords = _keywords(of)
        selection = self.selections.equation(name, keywords, atoms, outvars[0])
        if selection is not None:
            of_primitive, offsets, operands = selection
            params = offsets.params(named(offsets.select))
            if of_primitive == "select_and_gather_add":
                ones = (1,) * len(offsets.window)
                params |= {"base_dilation": ones, "window_dilation": offsets.dilations}
            return named(of_primitive), params, operands, outvars
        ins, outs = [atom.aval for atom in atoms], [var.aval for var in outvars]
        view = VIEWS.get(name) or OVER_AXES.get(name)
        params = None if view is None else view.params(keywords, ins)
        if view is not None and params is not None:
            shown = outvars if view.outs is None else view.outs(outvars, ins)
            return named(view.name(keywords)), params, atoms, shown
        primitive = primitive_of(name, keywords)
        if name == "select":
            atoms = [atoms[0], atoms[2], atoms[1]]
        elif name in ALIKE and not is_foreign(primitive):
            atoms = self.repeats.operands(atoms, outs[0].shape)
        return primitive, primitive.params_of(keywords, ins, outs), atoms, outvars

    def _moved_keys(
        self, of: Any, equation: Any, atoms: list[Atom], outvars: list[Var]
    ) -> list[Atom] | None:
        """The results of an op that moves the words of keys together: its equation is of keys."""
        kinds: set[Any] = {atom.aval.dtype for atom in atoms}
        kind: Any = kinds.pop() if len(kinds) == 1 else None
        if not is_key_type(kind):
            return None
        ins, outs = [atom.aval for atom in atoms], [var.aval for var in outvars]
        if equation is not None:
            primitive, params = named(equation.primitive), dict(equation.params)
        else:
            keywords = _keywords(of)
            primitive = primitive_of(of.op, keywords)
            words = [ShapedArray((*x.shape, *kind.generator.key_shape), np.uint32) for x in ins]
            params = primitive.params_of(keywords, words, outs)
        params = without_words(primitive.name, params, outs[0].shape, kind)
        if params is None:
            return None
        outvars[0].aval = keys_aval(outs[0], kind)
        self.eqns.append(
            JaxprEqn(atoms, outvars, primitive, params, source_info=SourceInfo(of.place))
        )
        return list(outvars)

    def _call(self, of: Any) -> tuple[Any, dict[str, Any]]:
        """The primitive of an op on functions, and its parameters."""
        primitive, attributes = CALLS[of.op], dict(of.attributes)
        name = attributes.pop("callee")
        closed = self.view.function(name)
        if of.op == "call":
            label = attributes.get("label")
            if label is not None:
                return primitive, jit_params(closed, name, equation_named(label).params)
            made_of = _jit_of_derived(of)
            kept = ("name", "keep_unused", "ctx_mesh")
            stated = {} if made_of is None else {key: made_of.params[key] for key in kept}
            return primitive, jit_params(closed, name, stated)
        if closed.jaxpr.function is not None:
            closed.jaxpr.function.attributes = attributes
        rules = {}
        for attribute, param in primitive.rules.items():
            name = attributes.pop(attribute)
            if name.startswith(PREFIX):
                rules[param] = rules_named(name)
                continue
            rules[param] = Callable_(self.view.module.function(name), self.view.function(name))
        if of.op == "checkpoint":
            more = {
                "prevent_cse": attributes["prevent_cse"],
                "differentiated": False,
                "policy": None,
            }
            return primitive, {"jaxpr": closed.jaxpr, **more}
        more: dict[str, Any] = {"num_consts": 0, "symbolic_zeros": False}
        if of.op == "custom_vjp":
            more["out_trees"] = lambda: ()
        return primitive, {primitive.body: closed, **rules, **more}


def _forwarded(
    params: dict[str, Any], atoms: Sequence[Atom], outvars: Sequence[Var]
) -> tuple[dict[str, Any], list[Var], list[Atom]]:
    """The parameters, the results and the values of a call that does not return its own arguments.

    Args:
      params: the parameters of a call that may do so.
      atoms: its operands.
      outvars: its results.
    """
    jaxpr = params["jaxpr"].jaxpr
    numbers = {var: number for number, var in enumerate(jaxpr.invars)}
    places = [numbers.get(out) if isinstance(out, Var) else None for out in jaxpr.outvars]
    outs = [
        var if place is None else atoms[place] for var, place in zip(outvars, places, strict=True)
    ]
    kept = [i for i, place in enumerate(places) if place is None]
    if len(kept) == len(places):
        return params, list(outvars), outs
    inner = jaxpr.replace(outvars=[jaxpr.outvars[i] for i in kept])
    of_results = {
        key: tuple(params[key][i] for i in kept) for key in ("out_shardings", "out_layouts")
    }
    closed = ClosedJaxpr(inner, params["jaxpr"].consts)
    return params | {"jaxpr": closed} | of_results, [outvars[i] for i in kept], outs


def _is_same_number(of: Any, atom: Atom) -> bool:
    """Whether an op only makes the type of a number strong."""
    return isinstance(atom, Literal) and atom.aval.dtype.name == of.elements[0]


class _Accesses:
    """The accesses of references in a body: ops that take what `ref_get` returned, or make what
    `ref_set` writes, and do nothing else.

    Args:
      body: the body.
    """

    def __init__(self, body: Any) -> None:
        self._arrays: set[int] = set()
        self._refs: dict[int, Any] = {}
        self._made: set[int] = set()
        wholes = {of.results[0] for of in body.instructions if of.op == "ref_get"}
        if not any(of.op in ("ref_get", "ref_set") for of in body.instructions):
            return
        self._arrays.update(body.outputs)
        for of in body.instructions:
            is_access = _access_of(of) is not None and of.operands[0] in wholes
            self._arrays.update(of.operands[1:] if is_access else of.operands)
            if is_access and _access_of(of) != "get":
                self._made.add(of.results[-1])

    def is_part(self, of: Any, env: dict[int, Any]) -> bool:
        """Whether an op is but a part of the equation of an access."""
        if of.op == "ref_get":
            self._refs[of.results[0]] = env[of.operands[0]]
            if of.results[0] in self._arrays:
                return False
            env[of.results[0]] = env[of.operands[0]]
            return True
        return of.op == "ref_set" and of.operands[1] in self._made

    def with_reference(self, of: Any, atoms: list[Any]) -> list[Any]:
        """The operands of an access, with the reference in the place of what it holds."""
        if _access_of(of) is None or of.operands[0] not in self._refs:
            return atoms
        return [self._refs[of.operands[0]], *atoms[1:]]


def _composition_of(of: Any) -> Equation | None:
    """The equation of a composition that an op calls."""
    label = of.attributes.get("label") if of.op == "call" else None
    equation = None if label is None else equation_named(label)
    return None if equation is None or equation.primitive == "jit" else equation


def _access_of(of: Any) -> str | None:
    """The name of the access that an op is."""
    equation = _composition_of(of)
    name = None if equation is None else equation.primitive
    return name if name in ("get", "swap", "addupdate") else None


def _outer_effects(eqns: Sequence[JaxprEqn], variables: Sequence[Var]) -> frozenset[object]:
    """The effects of a program: those on references that it gets, and that it has others."""
    effects: set[object] = set()
    for eqn in eqns:
        for effect in eqn.effects:
            if not isinstance(effect, RefEffect):
                effects.add(effect)
            elif effect.ref in variables:
                effects.add(type(effect)(variables.index(effect.ref), effect.ref))
    return frozenset(effects)


def _keywords(of: Any) -> dict[str, Any]:
    try:
        return decoded(of.op, of.attributes, of.shapes, of.elements)
    except KeyError:
        return dict(of.attributes)


def _is_derived_call(of: Any) -> bool:
    """Whether an op calls a function that a transform made; calls of those are equations if they
    were made of calls of jitted functions.
    """
    if of.op != "call":
        return False
    name, label = of.attributes["callee"], of.attributes.get("label")
    if label is not None and equation_named(label).params.get("inline"):
        return True
    # Within `shard_map`, that of an equation is made anew.
    is_equation = "label" in of.attributes and name.endswith(".vary")
    return ("." in name or name.startswith("rule")) and not is_equation


def _jit_of_derived(of: Any) -> Equation | None:
    """The equation of the call of a jitted function that a transform made a call of."""
    label = of.attributes.get("derived_from")
    equation = None if label is None else equation_named(label)
    is_jit = equation and equation.primitive == "jit" and not equation.params["inline"]
    return equation if is_jit else None


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
