"""Taylor polynomials of functions along a curve: derivatives of all orders at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.ops.operands import as_operand
from dovetail.trees.pytree import flatten, unflatten

__all__ = ["fact", "jet", "jet2", "zero_series"]


def jet(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    series: Sequence[Sequence[Any] | ZeroSeries],
    factorial_scaled: bool = True,
    **_: Any,
) -> tuple[Any, Any]:
    """The Taylor polynomial of a function along a curve, from that of the curve.

    It is the derivative of `fun(x(t))` at t = 0, once for each order, where the i-th argument is
    `primals[i] + sum(t**k / k! * series[i][k - 1])`; forward mode is nested as often, and the
    compiler merges what the orders have in common.

    Args:
      fun: a function of arrays.
      primals: its arguments.
      series: for each argument, its derivatives of order 1 to K: K arrays of its shape.
      factorial_scaled: whether a series has derivatives; otherwise it has the coefficients of the
        polynomial, which are derivatives over factorials.

    Returns:
      (result, series): for each array in the result of `fun`, a list of its K derivatives, or
      coefficients.

    Raises:
      ValueError: the series have different lengths, an argument or a term is no array, or there
        are not as many series as arguments.

    Example:
      >>> from dovetail.experimental.jet import jet
      >>> value, (first, second) = jet(dnp.sin, (0.5,), ((1.0, 0.0),))
      >>> bool(dnp.allclose(second, -dnp.sin(0.5)))
      True
    """
    if len(primals) != len(series):
        raise value_error(
            f"jet: there must be one series for each of {len(primals)} primals, got: {len(series)}"
        )
    known = [terms for terms in series if not isinstance(terms, ZeroSeries)]
    lengths = {len(terms) for terms in known}
    if len(lengths) != 1:
        raise value_error(
            "jet terms have inconsistent lengths for different arguments, got: "
            f"{sorted(lengths)}; fill shorter ones with zeros"
        )
    (order,) = lengths
    points = [_array(f"primal value at position {i}", x) for i, x in enumerate(primals)]
    scales = [math.factorial(k + 1) if factorial_scaled else 1 for k in range(order)]
    curves = [
        []
        if isinstance(terms, ZeroSeries)
        else [
            _array(f"term {k} for argument {i}", term) / scales[k] for k, term in enumerate(terms)
        ]
        for i, terms in enumerate(series)
    ]

    def along(t: Any) -> list[Any]:
        """The function of the curve, as a list without derivatives."""
        return [fun(*(_at(x, terms, t) for x, terms in zip(points, curves, strict=True)))]

    values = _derivatives(along, order)(0.0)
    leaves, spec = flatten(values[0])
    rest = [flatten(value)[0] for value in values[1:]]
    terms = [
        [_scaled(rest[k][i], math.factorial(k + 1), scales[k]) for k in range(order)]
        for i in range(len(leaves))
    ]
    return values[0], unflatten(spec, terms)


def jet2(
    fun: Callable[..., Any], primals: Sequence[Any], series: Sequence[Sequence[Any] | ZeroSeries]
) -> tuple[Any, Any]:
    """`jet` of coefficients instead of derivatives.

    Args:
      fun, primals, series: as for `jet`, with `factorial_scaled=False`.

    Example:
      >>> from dovetail.experimental.jet import jet2
      >>> value, (first, second) = jet2(lambda x: x**2, (3.0,), ((1.0, 0.0),))
      >>> float(first), float(second)
      (6.0, 1.0)
    """
    return jet(fun, primals, series, factorial_scaled=False)


def fact(n: Any) -> Any:
    """n!, of an integer or float.

    Args:
      n: an array.

    Example:
      >>> from dovetail.experimental.jet import fact
      >>> round(float(fact(4)))
      24
    """
    return lax.exp(lax.lgamma(n + 1.0))


class ZeroSeries:
    """The series of a value that does not move; `zero_series` is one."""

    def __repr__(self) -> str:
        return "zero_series"


zero_series = ZeroSeries()


def _array(what: str, x: Any) -> Any:
    if flatten(x)[0] != [x] if isinstance(x, (tuple, list, dict)) else x is None:
        raise value_error(f"jet: {what} is not an array, got: {x!r}")
    return as_operand("jet", x)


def _at(x: Any, terms: Sequence[Any], t: Any) -> Any:
    """The point of a curve; integers stay where they are."""
    if not dtypes.is_inexact(x.dtype):
        return x
    offset: Any = 0
    for term in reversed(terms):
        offset = t * (term + offset)
    return (x + offset).astype(x.dtype) if terms else x


def _derivatives(f: Callable[[Any], list[Any]], order: int) -> Callable[[Any], list[Any]]:
    """A function of the derivatives of order 0 to `order`."""
    if order == 0:
        return f
    lower = _derivatives(f, order - 1)

    def derivatives(t: Any) -> list[Any]:
        values, tangents = dt.jvp(lower, (t,), (1.0,))
        return [*values, tangents[-1]]

    return derivatives


def _scaled(derivative: Any, factorial: int, scale: int) -> Any:
    """A derivative in the scale of the series; integers have none."""
    if derivative.dtype == dtypes.float0:
        return dnp.zeros(derivative.shape)
    scaled = derivative if factorial == scale else derivative / factorial
    return scaled.astype(derivative.dtype)
