"""Quasi-Newton methods: BFGS, and L-BFGS with limited memory."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from dovetail import lax, ops
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.scipy.optimize.line_search import ValueAndGrad, search


class State(NamedTuple):
    """The current point, the step to it, and curvature information."""

    converged: Array
    failed: Array
    k: Array
    evaluations: Array
    x: Array
    value: Array
    gradient: Array
    before: Array
    memory: Any
    status: Array


def _norm(x: Array, order: Any) -> Array:
    size = ops.abs(x)
    if order == math.inf:
        return dnp.max(size, initial=0)
    if order == -math.inf:
        return dnp.min(size, initial=math.inf)
    return dnp.sum(size**order) ** (1 / order)


def _start(function: ValueAndGrad, x0: Array, memory: Any, norm: Any, gtol: Any) -> State:
    value, gradient = function(x0)
    none = lax.full((), 0, dtypes.int32)
    converged = _norm(gradient, norm) < gtol
    before = value + ops.sqrt(dnp.vdot(gradient, gradient)).astype(value.dtype) / 2
    return State(
        *(converged, converged & False, none, none + 1, x0, value, gradient, before, memory, none)
    )


def bfgs(
    function: ValueAndGrad,
    x0: Array,
    maxiter: int | None,
    norm: Any,
    gtol: Any,
    line_search_maxiter: int,
) -> State:
    """The method of Broyden, Fletcher, Goldfarb and Shanno; the memory is the inverse Hessian.

    J. Nocedal and S. J. Wright, Numerical Optimization, 2006, algorithm 6.1. The status is 0, or 1
    after all steps, or 2 more than that of the search.
    """
    most = 200 * x0.size if maxiter is None else maxiter
    unit = dnp.eye(x0.size, dtype=x0.dtype)

    def more(state: State) -> Array:
        return ~state.converged & ~state.failed & (state.k < most)

    def step(state: State) -> State:
        direction = -(state.memory @ state.gradient)
        slope = dnp.vdot(state.gradient, direction)
        # The length with the same decrease as the previous step, by a parabola.
        guess = 2.02 * (state.value - state.before) / slope
        first = dnp.where((guess > 0) & (guess < 1), guess, 1)
        found = search(
            *(function, state.x, direction, state.value, state.gradient, first),
            most=line_search_maxiter,
        )
        s = found.step.astype(x0.dtype) * direction
        y = found.gradient - state.gradient
        product = dnp.vdot(y, s)
        rho = 1 / product
        w = unit - rho * dnp.outer(s, y)
        # Scale the initial matrix to the size of the Hessian's inverse, (6.20); adding to a much
        # larger one would lose digits.
        is_first = (state.k == 0) & (product > 0)
        scale = dnp.where(is_first, product / dnp.where(is_first, dnp.vdot(y, y), 1), 1)
        memory = w @ (scale * state.memory) @ w.T + rho * dnp.outer(s, s)
        memory = dnp.where(dnp.isfinite(rho), memory, state.memory)
        converged = _norm(found.gradient, norm) < gtol
        return State(
            converged=converged,
            failed=(found.status > 0) & ~converged,
            k=state.k + 1,
            evaluations=state.evaluations + found.evaluations,
            x=state.x + s,
            value=found.value,
            gradient=found.gradient,
            before=state.value,
            memory=memory,
            status=dnp.where(converged, 0, found.status).astype(dtypes.int32),
        )

    end = lax.while_loop(more, step, _start(function, x0, unit, norm, gtol))
    late = dnp.where(end.k >= most, 1, -1)
    status = dnp.where(end.failed, 2 + end.status, late)
    return end._replace(status=dnp.where(end.converged, 0, status))


class History(NamedTuple):
    """The last steps and the changes of the gradient with them, and their number."""

    steps: Array
    changes: Array
    inverse: Array
    scale: Array


def lbfgs(
    function: ValueAndGrad,
    x0: Array,
    maxiter: float | None,
    norm: Any,
    maxcor: int,
    ftol: Any,
    gtol: Any,
    maxfun: float | None,
    maxgrad: float | None,
    maxls: int,
) -> State:
    """BFGS with limited memory, J. Nocedal and S. J. Wright, Numerical Optimization, 2006, 7.4.

    The status is 0, or 1 after all steps, 2 or 3 after all evaluations, 4 if the value does not
    decrease, 5 if the search failed.
    """
    if maxiter is None and maxfun is None and maxgrad is None:
        maxiter = 200 * x0.size
    most = [math.inf if m is None else m for m in (maxiter, maxfun, maxgrad)]
    empty = dnp.zeros((maxcor, x0.size), x0.dtype)
    memory = History(empty, empty, dnp.zeros(maxcor, x0.dtype), lax.full((), 1, x0.dtype))

    def more(state: State) -> Array:
        return ~state.converged & ~state.failed

    def step(state: State) -> State:
        direction = _two_loops(state.memory, -state.gradient)
        one = dnp.ones_like(state.value)
        found = search(function, state.x, direction, state.value, state.gradient, one, most=maxls)
        s = found.step.astype(x0.dtype) * direction
        y = found.gradient - state.gradient
        product = dnp.vdot(y, s)
        curved = product > 0
        kept = state.memory
        added = History(
            dnp.concatenate([kept.steps[1:], s[None]]),
            dnp.concatenate([kept.changes[1:], y[None]]),
            dnp.concatenate([kept.inverse[1:], (1 / dnp.where(curved, product, 1))[None]]),
            product / dnp.where(curved, dnp.vdot(y, y), 1),
        )
        memory = History(*(dnp.where(curved, a, b) for a, b in zip(added, kept, strict=True)))
        status = dnp.where(state.value - found.value < ftol, 4, 0)
        for code, count in ((3, state.evaluations), (2, state.evaluations), (1, state.k)):
            status = dnp.where(count >= most[(0, 1, 2)[code - 1]], code, status)
        status = dnp.where(found.status > 0, 5, status)
        converged = _norm(found.gradient, norm) < gtol
        return State(
            converged=converged,
            failed=(status > 0) & ~converged,
            k=state.k + 1,
            evaluations=state.evaluations + found.evaluations,
            x=state.x + s,
            value=found.value,
            gradient=found.gradient,
            before=state.value,
            memory=memory,
            status=dnp.where(converged, 0, status).astype(dtypes.int32),
        )

    return lax.while_loop(more, step, _start(function, x0, memory, norm, gtol))


def _two_loops(memory: History, q: Array) -> Array:
    """The L-BFGS two-loop recursion: inverse Hessian times a vector; missing history is zero."""
    count = memory.inverse.shape[0]
    parts = dnp.zeros_like(memory.inverse)

    def down(j: Any, state: tuple[Array, Array]) -> tuple[Array, Array]:
        q, parts = state
        i = count - 1 - j
        part = memory.inverse[i] * dnp.vdot(memory.steps[i], q)
        return q - part * memory.changes[i], parts.at[i].set(part)

    q, parts = lax.fori_loop(0, count, down, (q, parts))

    def up(i: Any, q: Array) -> Array:
        part = memory.inverse[i] * dnp.vdot(memory.changes[i], q)
        return q + (parts[i] - part) * memory.steps[i]

    return lax.fori_loop(0, count, up, memory.scale * q)
