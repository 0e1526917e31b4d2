"""Derivatives as linear functions where sizes are symbolic: requests to the compiler.

The types of what is kept between a function and its derivative are then not known here. So both are
computed from the arguments, and what they have in common is found when the program is simplified.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail import dtypes, ir
from dovetail.arguments import Function, Selected
from dovetail.autodiff import Results, as_direction, cotangent_type, float0_zeros, inexact, jvp
from dovetail.pytree import flatten, unflatten
from dovetail.tracer import Operand, apply
from dovetail.tracing import current


def is_symbolic() -> bool:
    """Whether the program that is traced has symbolic sizes."""
    trace = current()
    return trace is not None and trace.root.is_symbolic


def call_traced(selected: Selected, results: Results) -> list[Operand]:
    """The results of a traced function."""
    traced = results.traced
    return apply("call", traced.function, [*selected.leaves, *traced.captured], traced.avals)


def requested_pull(selected: Selected, results: Results, name: str) -> Callable[..., Any]:
    """The function from cotangents of the result to a tuple of those of the primals."""
    traced = results.traced
    wrt = inexact(selected.leaves)
    primals = [*selected.leaves, *traced.captured]
    of = tuple(i for i in range(results.count) if dtypes.is_inexact(traced.avals[i].dtype))

    def pull(cotangent: Any) -> tuple[Any, ...]:
        values, spec = flatten(cotangent)
        if spec != results.spec:
            raise TypeError(
                f"the cotangent must have the structure of the result of `{name}`, "
                f"{results.spec}, got: {spec} {ir.here()}"
            )
        given = [
            as_direction(values[i], traced.avals[i], f"the cotangent of result {i} of `{name}`")
            for i in of
        ]
        types = [*traced.avals, *(cotangent_type(primals[i]) for i in wrt)]
        outs = apply(
            "vjp",
            traced.function,
            [*primals, *given],
            types,
            wrt=wrt,
            of=of,
            operandSegmentSizes=(len(primals), len(given)),
        )
        return unflatten(selected.spec, _with_zeros(selected, wrt, outs[len(traced.avals) :]))

    return pull


def _with_zeros(selected: Selected, wrt: Sequence[int], found: Sequence[Operand]) -> list[Any]:
    """The cotangents of all leaves."""
    known = dict(zip(wrt, found, strict=True))
    return [
        known[i] if i in known else float0_zeros(leaf) for i, leaf in enumerate(selected.leaves)
    ]


def requested_push(fun: Function, primals: tuple[Any, ...], has_aux: bool) -> Callable[..., Any]:
    """The function from tangents of the primals to that of the result."""

    def push(*tangents: Any) -> Any:
        return jvp(fun, primals, tangents, has_aux=has_aux)[1]

    return push
