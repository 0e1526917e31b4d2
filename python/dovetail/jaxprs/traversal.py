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
    """The programs among the parameters of an equation, also those in tuples and lists.

    Args:
      params: the equation's parameters.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> [loop] = dt.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda i, x: x + 1, x))(1.0).eqns
      >>> [len(inner.eqns) for inner in jaxprs.jaxprs_in_params(loop.params)]
      [2]
    """
    for value in params.values():
        for each in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(each, ClosedJaxpr):
                yield each.jaxpr
            elif isinstance(each, Jaxpr):
                yield each


def subjaxprs(jaxpr: Jaxpr) -> Iterator[Jaxpr]:
    """The programs among the parameters of all equations of a program.

    Args:
      jaxpr: the program.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> closed = dt.make_jaxpr(lambda x: lax.fori_loop(0, 3, lambda i, x: x + 1, x))(1.0)
      >>> len(list(jaxprs.subjaxprs(closed.jaxpr)))
      1
    """
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

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> x, y = jaxprs.Var(dt.typeof(1.0)), jaxprs.Var(dt.typeof(1.0))
      >>> jaxprs.new_jaxpr_eqn([x], [y], dt.lax.neg_p, {})
      b:f32[] = neg a
    """
    return JaxprEqn(invars, outvars, primitive, params, effects, source_info)


def gensym(suffix: str = "") -> Callable[[ShapedArray], Var]:
    """A function that makes a new variable of a type.

    Args:
      suffix: ignored.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> jaxprs.gensym()(dt.typeof(1.0)).aval
      ShapedArray(float32[], weak_type=True)
    """
    return Var


def check_jaxpr(jaxpr: Jaxpr) -> None:
    """Check that each variable is defined once, before it is used.

    Args:
      jaxpr: the program.

    Raises:
      JaxprTypeError: it is not.

    Example:
      >>> import dovetail as dt
      >>> from dovetail import jaxprs
      >>> jaxprs.check_jaxpr(dt.make_jaxpr(lambda x: 2 * x)(1.0).jaxpr)
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
