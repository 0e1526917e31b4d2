"""Steps along a direction that satisfy Wolfe's conditions.

J. Nocedal and S. J. Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6: both phases are
one loop, with one value and gradient of the function in each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from dovetail import lax, ops
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes

# Wolfe's parameters: the sufficient fraction of the expected decrease, and the fraction of the
# slope that may remain.
_DECREASE, _SLOPE = 1e-4, 0.9
# The largest number of steps within an interval.
_ZOOMS = 30

ValueAndGrad = Callable[[Array], tuple[Array, Array]]


class Found(NamedTuple):
    """The result of a search: the step, value and gradient there, and how it ended.

    `status` is 0, or 1 if no interval was left, or 3 if there was none after all steps.
    """

    step: Array
    value: Array
    gradient: Array
    evaluations: Array
    status: Array


class _State(NamedTuple):
    zooming: Array
    done: Array
    failed: Array
    brackets: Array
    zooms: Array
    # The next trial.
    step: Array
    # The previous trial, while there is no interval; then the end with the smallest value.
    low: Array
    low_value: Array
    low_slope: Array
    high: Array
    high_value: Array
    # The best so far.
    best: Array
    value: Array
    gradient: Array


def search(
    function: ValueAndGrad,
    x: Array,
    direction: Array,
    value: Array,
    gradient: Array,
    first: Array,
    most: int,
) -> Found:
    """A step from x along a descent direction; `first` is tried first."""
    slope = dnp.vdot(gradient, direction)
    false, count = slope != slope, lax.full((), 0, dtypes.int32)
    zero = dnp.zeros_like(value)

    def more(state: _State) -> Array:
        left = state.zooming | (state.brackets < most)
        return ~state.done & ~state.failed & left

    def step(state: _State) -> _State:
        a = state.step
        at, slopes = function(x + a.astype(x.dtype) * direction)
        at, slope_at = at.astype(value.dtype), dnp.vdot(slopes, direction).astype(value.dtype)
        # Values that are NaN are too large.
        low_enough = at <= value + _DECREASE * a * slope
        after_first = state.zooming | (state.brackets > 0)
        too_great = ~low_enough | ((at >= state.low_value) & after_first)
        done = ~too_great & (ops.abs(slope_at) <= -_SLOPE * slope)
        turned = slope_at * dnp.where(state.zooming, state.high - state.low, -1) >= 0
        turned = dnp.where(state.zooming, turned, slope_at >= 0)
        # The other end: the trial, the old low end, or unchanged.
        high = dnp.where(too_great, a, dnp.where(turned, state.low, state.high))
        high_value = dnp.where(too_great, at, dnp.where(turned, state.low_value, state.high_value))
        low = dnp.where(too_great, state.low, a)
        low_value = dnp.where(too_great, state.low_value, at)
        low_slope = dnp.where(too_great, state.low_slope, slope_at)
        zooming = state.zooming | too_great | turned
        inside = _minimum(low, low_value, low_slope, high, high_value)
        width = ops.abs(high - low)
        smallest = 4 * float(dtypes.finfo(a.dtype).eps) * dnp.maximum(ops.abs(high), ops.abs(low))
        zooms = state.zooms + zooming
        return _State(
            zooming=zooming,
            done=done,
            failed=zooming & ~done & ((width <= smallest) | (zooms > _ZOOMS)),
            brackets=state.brackets + ~zooming,
            zooms=zooms,
            step=dnp.where(zooming, inside, 2 * a),
            low=low,
            low_value=low_value,
            low_slope=low_slope,
            high=high,
            high_value=high_value,
            best=dnp.where(too_great, state.best, a),
            value=dnp.where(too_great, state.value, at),
            gradient=dnp.where(too_great, state.gradient, slopes),
        )

    first = first.astype(value.dtype)
    start = _State(
        *(false, false, false, count, count, first),
        *(zero, value, slope.astype(value.dtype), zero, value, zero, value, gradient),
    )
    end = lax.while_loop(more, step, start)
    status = dnp.where(end.done, 0, dnp.where(end.failed, 1, 3))
    return Found(end.best, end.value, end.gradient, end.brackets + end.zooms, status)


def _minimum(low: Array, value: Array, slope: Array, high: Array, high_value: Array) -> Array:
    """The minimum of the parabola through a value, its slope and another value, limited to the
    middle of the interval; the midpoint if there is none.
    """
    width = high - low
    curve = high_value - value - slope * width
    share = -slope * width / dnp.where(curve > 0, 2 * curve, 1)
    good = (curve > 0) & (share > 0.1) & (share < 0.9)
    return low + width * dnp.where(good, share, 0.5)
