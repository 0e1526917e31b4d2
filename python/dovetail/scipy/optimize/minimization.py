"""Minimization of functions of vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from dovetail import numpy as dnp
from dovetail import ops, value_and_grad
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy.promotion import inexact, strong
from dovetail.scipy.optimize.quasi_newton import bfgs, lbfgs

_BFGS = {"maxiter": None, "norm": math.inf, "gtol": 1e-5, "line_search_maxiter": 10}
_LBFGS = {
    "maxiter": None,
    "norm": math.inf,
    "maxcor": 10,
    "ftol": 2.220446049250313e-09,
    "gtol": 1e-5,
    "maxfun": None,
    "maxgrad": None,
    "maxls": 20,
}


class OptimizeResults(NamedTuple):
    """The result of a minimization.

    Attributes:
      x: the point.
      success: whether the gradient vanishes there.
      status: 0, or the reason why it ended.
      fun: the value there.
      jac: the gradient there.
      hess_inv: the estimate of the inverse Hessian, if the method has one.
      nfev, njev: the numbers of values and gradients computed.
      nit: the number of steps taken.

    Example:
      >>> result = minimize(lambda x: dnp.sum(x**2), dnp.ones(2), method="BFGS")
      >>> bool(result.success), int(result.status)
      (True, 0)
    """

    x: Array
    success: Array
    status: Array
    fun: Array
    jac: Array
    hess_inv: Array | None
    nfev: Array
    njev: Array
    nit: Array


def _real_vector(x: Array) -> Array:
    return x


def _complex_vector(parts: Array) -> Array:
    """The vector with the given real parts, followed by the imaginary ones."""
    return ops.complex(*dnp.split(parts, 2))


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: tuple[Any, ...] = (),
    *,
    method: str,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Minimize a function of a vector.

    Args:
      fun: takes a vector and `args`, returns a scalar.
      x0: the starting point, a vector of real or complex numbers; for complex ones, the real and
        the imaginary parts are varied.
      args: further arguments of the function.
      method: `BFGS`, or `l-bfgs-experimental-do-not-rely-on-this` for limited memory.
      tol: the norm of the gradient at which to stop, if the options have no `gtol`.
      options: `maxiter`, `norm` (the order of the gradient's norm), `gtol`; for BFGS also
        `line_search_maxiter`, for the other `maxcor` (the size of its memory), `ftol`, `maxfun`,
        `maxgrad`, `maxls`.

    Returns:
      An `OptimizeResults`. For complex numbers, `hess_inv` is that of the real parts followed by
      the imaginary ones.

    Raises:
      TypeError: `args` is not a tuple, or there is no such option.
      ValueError: there is no such method, or `x0` is not a vector.

    Example:
      >>> result = minimize(lambda x: dnp.sum((x - 3.0) ** 2), dnp.zeros(2), method="BFGS")
      >>> result.x
      Array([3., 3.], dtype=float32)
    """
    if not isinstance(args, tuple):
        raise type_error(f"args argument to minimize must be a tuple, got: {args!r}; write (args,)")
    start = strong(inexact("minimize", x0))
    if start.ndim != 1:
        raise value_error(
            f"minimize: x0 must be a vector, got: shape {start.shape}; see "
            "dovetail.flatten_util.ravel_pytree"
        )
    methods = {"bfgs": (bfgs, _BFGS), "l-bfgs-experimental-do-not-rely-on-this": (lbfgs, _LBFGS)}
    if method.lower() not in methods:
        raise value_error(f"minimize: method must be one of {', '.join(methods)}, got: {method!r}")
    solver, known = methods[method.lower()]
    given = dict(options or {})
    if tol is not None:
        given.setdefault("gtol", tol)
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise type_error(
            f"minimize: options must be among {', '.join(known)}, got: {', '.join(unknown)}"
        )
    is_complex = dtypes.KINDS[start.dtype] == "c"
    place = _complex_vector if is_complex else _real_vector
    function = value_and_grad(lambda x: fun(place(x), *args))
    parts = dnp.concatenate([ops.real(start), ops.imag(start)]) if is_complex else start
    end = solver(function, parts, **(known | given))
    return OptimizeResults(
        x=place(end.x),
        success=end.converged & ~end.failed,
        status=end.status,
        fun=end.value,
        jac=ops.conj(place(end.gradient)) if is_complex else end.gradient,
        hess_inv=end.memory if solver is bfgs else None,
        nfev=end.evaluations,
        njev=end.evaluations,
        nit=end.k,
    )
