"""`sparsify`: functions of dense arrays applied to sparse ones, equation by equation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from dovetail import numpy as dnp
from dovetail.experimental.sparse.base import JAXSparse
from dovetail.experimental.sparse.densify import sparsifying
from dovetail.experimental.sparse.rules import Stretched, apply_rule, description
from dovetail.jaxprs.making import make_jaxpr
from dovetail.jaxprs.structure import ClosedJaxpr, Literal, Var
from dovetail.trees.pytree import flatten, unflatten


def sparsify(f: Callable[..., Any], use_tracer: bool = False) -> Callable[..., Any]:
    """A function of dense arrays that takes sparse ones in their place.

    `f` is traced with dense arrays; each of its operations on a sparse one then becomes that of
    this package. In it, `sparse.todense` makes a sparse array dense.

    Args:
      f: the function of trees of arrays; keyword arguments are passed to it as they are.
      use_tracer: ignored.

    Returns:
      A function of trees of dense arrays, `BCOO` and `BCSR`.

    Raises:
      NotImplementedError: when called: an operation has no sparse form.

    Example:
      >>> from dovetail.experimental import sparse
      >>> @sparse.sparsify
      ... def f(M, v):
      ...     return 2 * M.T @ v
      >>> f(sparse.BCOO.fromdense(dnp.arange(12).reshape(3, 4)), dnp.array([3, 4, 2]))
      Array([ 64,  82, 100, 118], dtype=int32)
    """

    @functools.wraps(f)
    def wrapped(*args: Any, **params: Any) -> Any:
        values, spec = flatten(args, is_leaf=is_sparse)
        described = unflatten(spec, [description(value) for value in values])
        with sparsifying():
            closed, shapes = make_jaxpr(functools.partial(f, **params), return_shape=True)(
                *described
            )
        return unflatten(flatten(shapes)[1], evaluate(closed, values))

    return wrapped


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse array."""
    return isinstance(value, JAXSparse)


def evaluate(closed: ClosedJaxpr, args: Sequence[Any]) -> list[Any]:
    """The results of a program for dense and sparse arguments."""
    jaxpr = closed.jaxpr
    env: dict[Var, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else env[atom]

    for eqn in jaxpr.eqns:
        values, primitive = [read(atom) for atom in eqn.invars], eqn.primitive
        if primitive.name == "broadcast_in_dim":
            outs = [Stretched(values[0], eqn)]
        elif any(is_sparse(Stretched.before(value)) for value in values):
            outs = apply_rule(evaluate, primitive, values, eqn.params)
        else:
            made = primitive.bind(
                *map(Stretched.whole, values), **primitive.get_bind_params(eqn.params)
            )
            outs = list(made) if primitive.multiple_results else [made]
        env.update(zip(eqn.outvars, outs, strict=True))
    outs = [Stretched.whole(read(atom)) for atom in jaxpr.outvars]
    return [out if is_sparse(out) else dnp.asarray(out) for out in outs]
