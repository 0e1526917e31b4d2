"""Solutions of ordinary differential equations, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import dovetail as dt
from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import config, dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.flatten_util import ravel_pytree
from dovetail.numpy.promotion import with_dtype
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.trees.pytree import flatten

__all__ = ["odeint"]

# The pair of orders 5 and 4 of J. R. Dormand and P. J. Prince, A family of embedded Runge-Kutta
# formulae, Journal of Computational and Applied Mathematics 6(1), 1980. The last stage is the
# derivative at the next point.
_NODES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
_STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0],
    ]
)
_FOURTH = np.array([5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40])
_ERROR = _STAGES[6] - _FOURTH
# The solution within a step, a polynomial of the part of the step that has passed: its coefficients
# of degrees 1 to 4 by stage. L. F. Shampine, Some practical Runge-Kutta formulas, Mathematics of
# Computation 46(173), 1986.
_WITHIN = np.array(
    [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)

Field = Callable[..., Array]
# rtol, atol, mxstep, hmax
Options = tuple[float, float, float, float]


def odeint(
    func: Callable[..., Any],
    y0: Any,
    t: ArrayLike,
    *args: Any,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    mxstep: float = np.inf,
    hmax: float = np.inf,
) -> Any:
    """The solution of dy/dt = func(y, t, *args) at given times.

    The method is Dormand and Prince's of order 5, with steps of adaptive size and interpolation of
    order 4. It can be differentiated in reverse mode, as often as necessary, with respect to `y0`,
    `t`, `args` and what `func` closes over: a gradient is the solution of the adjoint equation,
    backward in time, so that it needs no memory for the steps. R. T. Q. Chen et al., Neural
    ordinary differential equations, 2018, https://arxiv.org/abs/1806.07366, appendix C.

    Args:
      func: maps `(y, t, *args)` to dy/dt, a tree of the same arrays as `y`.
      y0: the value at `t[0]`, a tree of floats and complex numbers.
      t: a vector of floats that increase.
      args: trees of arrays.
      rtol, atol: bounds of the error of a step, relative and absolute.
      mxstep: the largest number of steps between two times.
      hmax: the largest step.

    Returns:
      A tree like `y0` of arrays with a leading dimension of the size of `t`. From where the step
      becomes NaN or `mxstep` is exceeded, the values mean nothing.

    Raises:
      TypeError: a leaf of `args` is no array, `t` has no floats, `y0` has integers, or the
        derivative in forward mode is taken.
      ValueError: `t` is no vector, or is empty.

    Example:
      >>> from dovetail.experimental.ode import odeint
      >>> t = dnp.array([0.0, 1.0, 2.0])
      >>> odeint(lambda y, t, rate: -rate * y, 1.0, t, 0.5).round(3)  # exp(-t / 2)
      Array([1.   , 0.607, 0.368], dtype=float32)
    """
    times = as_operand("odeint", t, 1)
    if dtypes.KINDS[times.dtype] != "f":
        raise type_error(
            f"odeint: t must be an array of floats, got: {times.dtype.name}; use astype(float)"
        )
    if times.ndim != 1 or not times.shape[0]:
        raise value_error(f"odeint: t must be a vector of times, got: shape {times.shape}")
    for leaf in flatten(args)[0]:
        _check_argument(leaf)
    for leaf in flatten(y0)[0]:
        if dtypes.KINDS[as_operand("odeint", leaf).dtype] not in "fc":
            raise type_error(
                "odeint: y0 must have floats or complex numbers, got: "
                f"{as_operand('odeint', leaf).dtype.name}; use astype(float)"
            )
    converted, consts = dt.closure_convert(func, y0, times[0], *args)
    options = (rtol, atol, mxstep, hmax)
    return _solve_tree(converted, options, y0, times, *args, *consts)


def _check_argument(leaf: Any) -> None:
    try:
        as_operand("odeint", leaf)
    except TypeError as error:
        raise type_error(
            f"odeint: The contents of odeint *args must be arrays or scalars, got: {leaf!r}"
        ) from error


@partial(dt.jit, static_argnums=(0, 1))
def _solve_tree(func: Callable[..., Any], options: Options, y0: Any, t: Array, *args: Any) -> Any:
    """Compiled even if called eagerly; a tree is solved as the vector of its elements."""
    flat, unravel = ravel_pytree(y0)

    def field(y: Array, time: Array, *args: Any) -> Array:
        slope = ravel_pytree(func(unravel(y), time, *args))[0]
        if slope.shape != flat.shape:
            raise value_error(
                f"odeint: func must return as many elements as y has, {flat.shape[0]}, got: "
                f"{slope.shape[0]}"
            )
        return with_dtype(slope, flat.dtype)

    with config.default_matmul_precision("highest"):
        return dt.vmap(unravel)(_solve(field, options, flat, t, *args))


@partial(dt.custom_vjp, nondiff_argnums=(0, 1))
def _solve(func: Field, options: Options, y0: Array, t: Array, *args: Any) -> Array:
    """The values at all times, as a matrix."""

    def field(y: Array, time: Array) -> Array:
        return func(y, time, *args)

    def to_next(state: State, target: Array) -> tuple[State, Array]:
        state = _steps(field, options, state, target)
        y, _, time, _, last, within = state
        # Nothing has passed if the times are equal.
        passed = time - last
        part = dnp.where(passed > 0, (target - last) / dnp.where(passed > 0, passed, 1), 0)
        part = with_dtype(part, dtypes.to_real_dtype(y.dtype))
        value = within[0]
        for degree in range(1, 5):
            value = value + within[degree] * part**degree
        return state, value

    slope = field(y0, t[0])
    step = _first_step(field, t[0], y0, slope, options)
    still = dnp.concatenate([y0[None], dnp.zeros((4, *y0.shape), y0.dtype)])
    _, rest = lax.scan(to_next, (y0, slope, t[0], step, t[0], still), t[1:])
    return dnp.concatenate([y0[None], rest])


# (y, dy/dt, t, next step, t before the last step, coefficients of the solution within that step)
State = tuple[Array, Array, Array, Array, Array, Array]


def _steps(
    field: Callable[[Array, Array], Array], options: Options, state: State, target: Array
) -> State:
    """Step until a time is reached or passed."""
    rtol, atol, most, longest = options

    def is_before(counted: tuple[Any, State]) -> Array:
        count, (_, _, time, step, _, _) = counted
        # False for a step that is NaN.
        return (time < target) & (count < most) & (step > 0)

    def advance(counted: tuple[Any, State]) -> tuple[Any, State]:
        count, state = counted
        y, slope, time, step, last, within = state
        stages, after = _stages(field, y, slope, time, step)
        h = with_dtype(step, dtypes.to_real_dtype(y.dtype))
        error = _ratio(h * _combined(_ERROR, stages), y, after, rtol, atol)
        following = dnp.clip(_next_step(step, error), 0, longest)
        coefficients = h * dnp.tensordot(
            dnp.asarray(_WITHIN.T, y.dtype), stages, 1, precision=lax.Precision.HIGHEST
        )
        accepted = (
            after,
            stages[6],
            time + step,
            following,
            time,
            dnp.concatenate([y[None], coefficients]),
        )
        rejected = (y, slope, time, following, last, within)
        chosen = [dnp.where(error <= 1, a, b) for a, b in zip(accepted, rejected, strict=True)]
        return count + 1, tuple(chosen)  # type: ignore[return-value]

    return lax.while_loop(is_before, advance, (0, state))[1]


def _stages(
    field: Callable[[Array, Array], Array], y: Array, slope: Array, time: Array, step: Array
) -> tuple[Array, Array]:
    """The slopes of a step's seven stages, as rows, and the value after it."""
    rows = dnp.asarray(_STAGES, y.dtype)
    nodes = dnp.asarray(_NODES, time.dtype)
    h = with_dtype(step, dtypes.to_real_dtype(y.dtype))

    def stage(i: Array, found: tuple[Array, Array]) -> tuple[Array, Array]:
        slopes, _ = found
        value = y + h * _combined(rows[i], slopes)
        return slopes.at[i].set(field(value, time + step * nodes[i])), value

    # A loop, so that the field is compiled once.
    slopes = dnp.zeros((7, *y.shape), y.dtype).at[0].set(slope)
    return lax.fori_loop(1, 7, stage, (slopes, y))


def _combined(weights: Any, slopes: Array) -> Array:
    weights = dnp.asarray(weights, slopes.dtype)
    return dnp.dot(weights, slopes, precision=lax.Precision.HIGHEST)


def _first_step(
    field: Callable[[Array, Array], Array], time: Array, y: Array, slope: Array, options: Options
) -> Array:
    """A step that the fifth order suits. E. Hairer, S. P. Nørsett and G. Wanner, Solving ordinary
    differential equations I, section II.4.
    """
    rtol, atol, _, longest = options
    scale = atol + rtol * dnp.abs(y)
    size, speed = dnp.linalg.norm(y / scale), dnp.linalg.norm(slope / scale)
    is_small = (size < 1e-5) | (speed < 1e-5)
    first = dnp.where(is_small, 1e-6, 0.01 * size / dnp.where(is_small, 1, speed))
    step = with_dtype(first, time.dtype)
    change = field(y + first * slope, time + step) - slope
    curvature = dnp.linalg.norm(change / scale) / first
    largest = dnp.maximum(speed, curvature)
    is_flat = largest <= 1e-15
    second = dnp.where(
        is_flat, dnp.maximum(1e-6, 1e-3 * first), (0.01 / dnp.where(is_flat, 1, largest)) ** 0.2
    )
    return dnp.clip(with_dtype(dnp.minimum(100 * first, second), time.dtype), 0, longest)


def _ratio(error: Array, y: Array, after: Array, rtol: float, atol: float) -> Array:
    """The error of a step over what is tolerated, in the mean over the elements."""
    tolerated = atol + rtol * dnp.maximum(dnp.abs(y), dnp.abs(after))
    return dnp.sqrt(dnp.mean(dnp.square(dnp.abs(error) / tolerated)))


def _next_step(step: Array, ratio: Array) -> Array:
    """The step whose error is expected to be tolerated; not shorter if the last one's was."""
    smallest = dnp.where(ratio < 1, 1.0, 0.2)
    is_exact = ratio == 0
    factor = 0.9 * dnp.where(is_exact, 1, ratio) ** -0.2
    factor = dnp.where(is_exact, 10.0, dnp.clip(factor, smallest, 10.0))
    return step * with_dtype(factor, step.dtype)


def _forward(func: Field, options: Options, y0: Array, t: Array, *args: Any) -> tuple[Array, Any]:
    values = _solve(func, options, y0, t, *args)
    return values, (values, t, args)


def _backward(func: Field, options: Options, residuals: Any, cotangents: Array) -> Any:
    """Solves the adjoint equation between the times, from the last to the first."""
    values, t, args = residuals
    rtol, atol, mxstep, hmax = options

    def adjoint(state: Any, minus_t: Array, *args: Any) -> Any:
        y, cotangent, *_ = state
        slope, pullback = dt.vjp(func, y, -minus_t, *args)
        return (-slope, *pullback(cotangent))

    def to_previous(state: Any, i: Array) -> tuple[Any, Array]:
        of_y, of_start, of_args = state
        # Moving a time moves along the solution there.
        slope = func(values[i], t[i], *args)
        of_time = with_dtype(dnp.real(dnp.dot(slope, cotangents[i])), t.dtype)
        found = odeint(
            adjoint,
            (values[i], of_y, of_start - of_time, of_args),
            dnp.stack([-t[i], -t[i - 1]]),
            *args,
            rtol=rtol,
            atol=atol,
            mxstep=mxstep,
            hmax=hmax,
        )
        _, of_y, of_start, of_args = dt.tree.map(lambda x: x[1], found)
        return (of_y + cotangents[i - 1], of_start, of_args), of_time

    start = (cotangents[-1], dnp.zeros((), t.dtype), dt.tree.map(dnp.zeros_like, args))
    backward = dnp.arange(t.shape[0] - 1, 0, -1)
    (of_y, of_start, of_args), of_times = lax.scan(to_previous, start, backward)
    return (of_y, dnp.concatenate([of_start[None], of_times[::-1]]), *of_args)


_solve.defvjp(_forward, _backward)
