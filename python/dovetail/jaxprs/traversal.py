"""Programs within programs, and checks and parts of programs that libraries make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.errors import JaxprTypeError
from dovetail.jaxprs.structure import (
    Atom,
    ClosedJaxpr,
    Jaxpr,
    JaxprEqn,
    Literal,
    SourceInfo,
    Var,
    no_effects,
)


def jaxprs_in_params(params: dict[str, Any]) -> Iterator[Jaxpr]:
    """The programs among the parameters of an equation, also those in tuples and lists."""
    for value in params.values():
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(each, ClosedJaxpr):
                yield each.jaxpr
            elif isinstance(each, Jaxpr):
                yield each


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """The programs among the parameters of all equations of a program."""
    for eqn in jaxpr.eqns:
        yield from jaxprs_in_params(eqn.params)


def new_jaxpr_eqn(
    invars: Sequence[Atom],
    outvars: Sequence[Var],
    primitive: Any,
    params: dict[str, Any],
    effects: frozenset[object] = no_effects,
    source_info: SourceInfo | None = None,
    ctx: None = None,
) -> JaxprEqn:
    """An equation.

    Args:
      invars: the operands.
      outvars: the results.
      primitive: the primitive.
      params: its parameters.
      effects: the effects, a set.
      source_info: where it is from.
      ctx: ignored.
    """
    return JaxprEqn(invars, outvars, primitive, params, effects, source_info)


def gensym(suffix: str = "") -> Callable[[ShapedArray], Var]:
    """A function that makes a new variable of a type."""
    return Var


def check_jaxpr(jaxpr: Jaxpr) -> None:
    """Check that each variable is defined once, before it is used.

    Raises:
      JaxprTypeError: it is not.
    """
    known: set[Any] = {*jaxpr.constvars, *jaxpr.invars}
    for eqn in jaxpr.eqns:
        _check_defined(eqn.invars, known, str(eqn))
        for var in eqn.outvars:
            if var in known:
                raise JaxprTypeError(f"Variable {var} is defined twice, got: {eqn}")
            known.add(var)
        for inner in jaxprs_in_params(eqn.params):
            check_jaxpr(inner)
    _check_defined(jaxpr.outvars, known, "the results")


def _check_defined(atoms: Sequence[Atom], known: set[Any], where: str) -> None:
    for atom in atoms:
        if not isinstance(atom, Literal) and atom not in known:
            raise JaxprTypeError(f"Variable {atom} must be defined before its use, got: {where}")
