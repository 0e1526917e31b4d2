"""The parts of a jaxpr: variables, literals, equations, and the program itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import locations

no_effects: frozenset[object] = frozenset()

# A program that fits is printed in one line.
_WIDTH = 80


class Var:
    """A variable.

    Args:
      aval: its type.

    Example:
      >>> import dovetail as dt
      >>> dt.make_jaxpr(lambda x: 2 * x)(1.0).jaxpr.invars[0].aval
      ShapedArray(float32[], weak_type=True)
    """

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"Var(id={id(self)}):{self.aval.str_short(short_dtypes=True)}"


class DropVar(Var):
    """A result that nothing uses.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.jaxprs import DropVar
      >>> DropVar(dt.typeof(1.0))
      _
    """

    def __repr__(self) -> str:
        return "_"


class Literal:
    """A constant operand.

    Args:
      val: its value.
      aval: its type.

    Example:
      >>> import dovetail as dt
      >>> dt.make_jaxpr(lambda x: 2 * x)(1.0).eqns[0].invars[0]
      2.0:f32[]
    """

    __slots__ = ("aval", "val")

    def __init__(self, val: Any, aval: ShapedArray) -> None:
        self.val, self.aval = val, aval

    @property
    def hash(self) -> int | None:
        """A hash of the value, if it is a number."""
        return hash(self.val.item()) if np.ndim(self.val) == 0 else None

    def __repr__(self) -> str:
        value = np.asarray(self.val)
        return f"{value.flat[0] if value.size else value}:{self.aval.str_short(short_dtypes=True)}"


Atom = Var | Literal


class SourceInfo:
    """Where an equation is from.

    Attributes:
      place: file, line and function in the user's program.
      name_stack: empty.
      traceback: None.
    """

    name_stack = ""
    traceback = None

    def __init__(self, place: Any) -> None:
        self.place = place

    def __repr__(self) -> str:
        return locations.describe(self.place) if self.place is not None else "unknown"


class JaxprEqn:
    """One application of a primitive.

    Attributes:
      invars: the operands.
      outvars: the results.
      primitive: the primitive.
      params: its parameters.
      effects: the effects, a set.
      source_info: where it is from.

    Example:
      >>> import dovetail as dt
      >>> [equation] = dt.make_jaxpr(dnp.sin)(1.0).eqns
      >>> equation.primitive, equation.params
      (sin, {'accuracy': None})
    """

    __slots__ = ("effects", "invars", "outvars", "params", "primitive", "source_info")

    def __init__(
        self,
        invars: Sequence[Atom],
        outvars: Sequence[Var],
        primitive: Any,
        params: dict[str, Any],
        effects: frozenset[object] = no_effects,
        source_info: SourceInfo | None = None,
    ) -> None:
        self.invars, self.outvars = list(invars), list(outvars)
        self.primitive, self.params, self.effects = primitive, params, effects
        self.source_info = source_info or SourceInfo(None)

    def replace(self, **changes: Any) -> JaxprEqn:
        """A copy with other attributes."""
        return JaxprEqn(**({name: getattr(self, name) for name in self.__slots__} | changes))

    def __repr__(self) -> str:
        return _equation(self, _names())


class Jaxpr:
    """A program: equations from arguments and constants to results.

    Args:
      constvars: variables of constants.
      invars: variables of arguments.
      outvars: the results.
      eqns: the equations in order; or a function that makes them when they are asked for.
      effects: the effects of all equations.
      debug_info: a description.
      function: for one made by tracing, what computes it.

    Example:
      >>> import dovetail as dt
      >>> print(dt.make_jaxpr(lambda x: 2 * x)(1.0).jaxpr)
      { lambda ; a:f32[]. let b:f32[] = mul 2.0:f32[] a in (b,) }
    """

    def __init__(
        self,
        constvars: Sequence[Var],
        invars: Sequence[Var],
        outvars: Sequence[Atom],
        eqns: Sequence[JaxprEqn],
        effects: frozenset[object] = no_effects,
        debug_info: Any = None,
        is_high: bool = False,
        *,
        function: Any = None,
    ) -> None:
        self.constvars, self.invars = list(constvars), list(invars)
        self.outvars, self.eqns = list(outvars), list(eqns)
        self.effects, self.debug_info, self.is_high = frozenset(effects), debug_info, is_high
        self.function = function

    @property
    def in_avals(self) -> list[ShapedArray]:
        """The types of the arguments."""
        return [var.aval for var in self.invars]

    @property
    def out_avals(self) -> list[ShapedArray]:
        """The types of the results."""
        return [var.aval for var in self.outvars]

    def replace(self, **changes: Any) -> Jaxpr:
        """A copy with other attributes, which is evaluated equation by equation."""
        names = "constvars", "invars", "outvars", "eqns", "effects", "debug_info", "is_high"
        return Jaxpr(**({name: getattr(self, name) for name in names} | changes))

    def __str__(self) -> str:
        return _program(self, _names())

    __repr__ = __str__


class ClosedJaxpr:
    """A program with the values of its constants.

    Args:
      jaxpr: the program.
      consts: a value for each of its `constvars`.
      text: makes the text that is printed, by default that of the jaxpr.

    Example:
      >>> import dovetail as dt
      >>> [eqn.primitive for eqn in dt.make_jaxpr(lambda x: dnp.exp(dnp.tanh(x)))(1.0).eqns]
      [tanh, exp]
    """

    def __init__(
        self, jaxpr: Jaxpr, consts: Sequence[Any], text: Callable[[], str] | None = None
    ) -> None:
        self.jaxpr, self.consts = jaxpr, list(consts)
        self._text = text

    @property
    def eqns(self) -> list[JaxprEqn]:
        """The equations."""
        return self.jaxpr.eqns

    @property
    def literals(self) -> list[Any]:
        """An older name of `consts`."""
        return self.consts

    @property
    def in_avals(self) -> list[ShapedArray]:
        """The types of the arguments."""
        return self.jaxpr.in_avals

    @property
    def out_avals(self) -> list[ShapedArray]:
        """The types of the results."""
        return self.jaxpr.out_avals

    @property
    def effects(self) -> frozenset[object]:
        """The effects."""
        return self.jaxpr.effects

    def replace(self, *, jaxpr: Jaxpr | None = None, consts: Sequence[Any] | None = None) -> Any:
        """A copy with another program, or other constants."""
        return ClosedJaxpr(jaxpr or self.jaxpr, self.consts if consts is None else consts)

    def map_jaxpr(self, f: Callable[[Jaxpr], Jaxpr]) -> ClosedJaxpr:
        """A copy whose program a function made of this one's."""
        return ClosedJaxpr(f(self.jaxpr), self.consts)

    def __str__(self) -> str:
        return str(self.jaxpr) if self._text is None else self._text()

    __repr__ = __str__


# Text ---------------------------------------------------------------------------------------------


class _names(dict[Var, str]):
    """Short names of variables, in the order in which they are printed."""

    def __missing__(self, var: Var) -> str:
        number, letter = divmod(len(self), 26)
        name = chr(ord("a") + letter)
        while number:
            number, letter = divmod(number, 26)
            name = chr(ord("a") + letter) + name
        self[var] = name
        return name


def _declared(variables: Sequence[Any], names: _names) -> str:
    return " ".join(
        f"{'_' if type(v) is DropVar else names[v]}:{v.aval.str_short(short_dtypes=True)}"
        for v in variables
    )


def _used(atom: Atom, names: _names) -> str:
    return repr(atom) if isinstance(atom, Literal) else names[atom]


# Parameters that say nothing in a text, or nothing that the types of the results do not say.
_OF_ALL = {"accuracy": None, "out_dtype": None}
_SILENT: dict[str, dict[str, Any]] = {
    "broadcast_in_dim": {"broadcast_dimensions": (), "sharding": None},
    "convert_element_type": {"sharding": None},
}


def _equation(eqn: JaxprEqn, names: _names) -> str:
    used = [_used(atom, names) for atom in eqn.invars]
    outs = _declared(eqn.outvars, names)
    written = getattr(eqn.primitive, "written", None)
    if written is not None:
        return written(used, outs, eqn.params)
    silent = _OF_ALL | _SILENT.get(eqn.primitive.name, {})
    if eqn.primitive.name == "broadcast_in_dim":
        silent |= {"shape": eqn.params.get("shape")}
    params = " ".join(
        f"{key}={_shown(value)}"
        for key, value in sorted(eqn.params.items())
        if key not in silent or value != silent[key]
    )
    operands = " ".join(used)
    return f"{outs} = {eqn.primitive}{f'[{params}]' if params else ''} {operands}".rstrip()


def _shown(value: Any) -> str:
    if isinstance(value, (Jaxpr, ClosedJaxpr)):
        program = value if isinstance(value, Jaxpr) else value.jaxpr
        return "\n      ".join(str(program).splitlines())
    if type(value) in (tuple, list):
        return f"({', '.join(map(_shown, value))}{',' if len(value) == 1 else ''})"
    return str(value)


def _program(jaxpr: Jaxpr, names: _names) -> str:
    consts, args = _declared(jaxpr.constvars, names), _declared(jaxpr.invars, names)
    equations = [_equation(eqn, names) for eqn in jaxpr.eqns]
    results = ", ".join(_used(atom, names) for atom in jaxpr.outvars)
    ending = f"in ({results}{',' if len(jaxpr.outvars) == 1 else ''}) }}"
    head = f"{{ lambda {consts}; {args}. let".replace(" . let", ". let")
    line = f"{head} {'; '.join(equations)} {ending}"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    return "\n".join([head, *(f"    {equation}" for equation in equations), f"  {ending}"])
