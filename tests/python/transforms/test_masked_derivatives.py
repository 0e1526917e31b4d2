"""Derivatives of values that are computed but not used: masked elements, and branches that an
element of a batch does not take. They may be infinite or NaN, and must not reach the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from dovetail.test_util import check_grads

Function = Callable[..., Any]


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


# Reductions ---------------------------------------------------------------------------------------

MASKED = [dnp.sum, dnp.prod, dnp.mean, dnp.var, dnp.std, dnp.max, dnp.min]
SKIPPING = [dnp.nansum, dnp.nanprod, dnp.nanmean, dnp.nanvar, dnp.nanstd, dnp.nanmax, dnp.nanmin]


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
@pytest.mark.parametrize("number", range(len(MASKED)), ids=lambda i: MASKED[i].__name__)
def test_gradients_of_reductions_of_some(number: int, transform: Function) -> None:
    """They are those of a reduction of these alone, whatever the others are."""
    mask = np.array([True, True, False, True, False])
    x = np.array([1.5, -2.0, np.nan, 4.0, np.nan])
    initial = {"initial": 0.0} if MASKED[number] in (dnp.max, dnp.min) else {}
    expected = np.zeros(5)
    expected[mask] = dt.grad(lambda x: MASKED[number](x, **initial))(x[mask])
    actual = transform(dt.grad(lambda x: MASKED[number](x, where=mask, **initial)))(x)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)
    infinite = np.where(mask, x, np.inf)
    actual = transform(dt.grad(lambda x: MASKED[number](x, where=mask, **initial)))(infinite)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)
    if not initial:
        actual = transform(dt.grad(SKIPPING[number]))(x)
        np.testing.assert_allclose(actual, expected, rtol=1e-12)


@pytest.mark.parametrize("extreme", [dnp.max, dnp.min])
def test_extremes_of_no_elements_are_constants(extreme: Function) -> None:
    """Also in forward mode, in which a tangent divided by their number would be NaN."""
    x = np.zeros((0, 2), np.float32)
    value, tangent = dt.jvp(lambda x: extreme(x, 0, initial=-1.0), (x,), (x,))
    np.testing.assert_array_equal(value, [-1, -1])
    np.testing.assert_array_equal(tangent, [0, 0])


# Branches -----------------------------------------------------------------------------------------


def safe_root(y: Any) -> Any:
    return lax.cond(y < 1e-3, lambda y: 3 * y, lambda y: dnp.sqrt(y), y)


def with_constant(y: Any) -> Any:
    return lax.cond(y < 1e-3, lambda: 1e-3, lambda: dnp.sqrt(y))


def one_of_four(y: Any) -> Any:
    number = dnp.where(y > 1, 3, dnp.where(y > 0, 1, dnp.where(y < -1, -4, 2)))
    branches = [lambda y: y**2, dnp.log, lambda y: y / (y * 0 + 2), lambda y: (y - 1) ** 1.5]
    return lax.switch(number, branches, y)


def nested(y: Any) -> Any:
    return lax.cond(y > 0, safe_root, lambda y: lax.cond(y < -1, dnp.sin, one_of_four, y), y)


def of_complex(y: Any) -> Any:
    z = lax.complex(y, 2 * y)
    w = lax.cond(y == 0, lambda z: z * 2j, lambda z: dnp.sqrt(z) / z, z)
    return dnp.real(w) + dnp.imag(w)


def in_a_loop(y: Any) -> Any:
    return lax.scan(lambda c, _: (safe_root(c) * 0.5, None), y, None, 3)[0]


def stopped(y: Any) -> Any:
    """The step has no derivative with respect to the carry if none is made."""
    steps = dnp.where(y > 1e-3, 2, 0)
    return lax.fori_loop(0, steps, lambda _, c: dnp.sqrt(c) * y, y)


def bounded(y: Any) -> Any:
    """Past the end the step has no derivative either, though it runs the maximum number of
    times.
    """
    end = dnp.where(y > 1e-3, 2, 0)
    step = lambda c: (c[0] + 1, dnp.sqrt(c[1]) * y)  # noqa: E731
    return lax.while_loop(lambda c: c[0] < end, step, (0, y), max_steps=4)[1]


LOOPS = [in_a_loop, stopped, bounded]
BRANCHES = [safe_root, with_constant, one_of_four, nested, of_complex, *LOOPS]
# Where branches that are not taken have unbounded derivatives, or none.
POINTS = np.array([0.0, -0.0, 0.25, 1.0, 2.5, -0.5, -3.0])


def by_element(function: Function, *args: Any) -> np.ndarray:
    return np.stack([np.asarray(function(*parts)) for parts in zip(*args, strict=True)])


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
@pytest.mark.parametrize("branching", BRANCHES, ids=lambda f: f.__name__)
def test_branches_of_a_batch(branching: Function, transform: Function) -> None:
    """Their derivatives are those of each element alone, in all orders of modes."""
    points = POINTS[:-2] if branching is in_a_loop else POINTS
    total = lambda x: dt.vmap(branching)(x).sum()  # noqa: E731
    slope = dt.grad(branching)
    expected = by_element(slope, points)
    assert np.isfinite(expected).all()
    ones = np.ones_like(points)

    def forward(f: Function) -> Function:
        return lambda x: dt.jvp(f, (x,), (ones,))[1]

    second = by_element(dt.grad(slope), points)
    third = by_element(dt.grad(dt.grad(slope)), points)
    summed = lambda x: dt.grad(total)(x).sum()  # noqa: E731
    derivatives = [
        (dt.grad(total), expected),
        (forward(dt.vmap(branching)), expected),
        (dt.vmap(slope), expected),
        (dt.grad(summed), second),
        (forward(dt.grad(total)), second),
        (dt.grad(lambda x: forward(dt.vmap(branching))(x).sum()), second),
        (dt.grad(lambda x: dt.grad(summed)(x).sum()), third),
    ]
    # One program compiles faster than seven.
    results = transform(lambda x: [derivative(x) for derivative, _ in derivatives])(points)
    for result, (_, value) in zip(results, derivatives, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-12)


@pytest.mark.parametrize("loop", LOOPS, ids=lambda f: f.__name__)
def test_batches_of_gradients_of_loops(loop: Function) -> None:
    points = POINTS[:-2]
    slope = dt.grad(loop)
    actual = dt.grad(lambda x: dt.vmap(slope)(x).sum())(points)
    expected = by_element(dt.grad(slope), points)
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def layer(w: Any, y: Any) -> Any:
    """The weights have no batch, and go into a product whose derivative with respect to them
    may be infinite.
    """
    return lax.cond(y[0] > 0, lambda: dnp.tanh(w @ dnp.sqrt(y)).sum(), lambda: (w[0] @ y) ** 2)


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_values_shared_by_all_elements(transform: Function) -> None:
    rng = np.random.default_rng(0)
    w, y = rng.normal(size=(3, 4)), abs(rng.normal(size=(5, 4)))
    y[1::2] *= -1
    total = lambda w, y: dt.vmap(layer, (None, 0))(w, y).sum()  # noqa: E731
    expected = sum(np.asarray(dt.grad(layer)(w, row)) for row in y)
    np.testing.assert_allclose(transform(dt.grad(total))(w, y), expected, rtol=1e-12)
    # No element takes the other branch.
    nowhere = transform(dt.grad(total))(w, -abs(y))
    assert np.isfinite(nowhere).all()
    check_grads(lambda w: total(w, y), [w], 2)


def repeated_layer(w: Any, y: Any) -> Any:
    """As many times as there are positive inputs: none where the root has no derivative."""
    count = dnp.where(dnp.all(y > 0), 2, 0)
    return lax.fori_loop(0, count, lambda _, y: 1 + dnp.tanh(w @ dnp.sqrt(y)), y).sum()


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_values_shared_by_all_elements_of_a_loop(transform: Function) -> None:
    rng = np.random.default_rng(0)
    w, y = rng.normal(size=(4, 4)), abs(rng.normal(size=(5, 4)))
    y[1::2] *= -1
    total = lambda w, y: dt.vmap(repeated_layer, (None, 0))(w, y).sum()  # noqa: E731
    slope = dt.grad(repeated_layer)
    expected = sum(np.asarray(slope(w, row)) for row in y)
    np.testing.assert_allclose(transform(dt.grad(total))(w, y), expected, rtol=1e-12)
    assert not np.asarray(transform(dt.grad(total))(w, -abs(y))).any()


# NaN ----------------------------------------------------------------------------------------------

OF_TWO = [
    dnp.logaddexp,
    dnp.logaddexp2,
    dnp.hypot,
    dnp.arctan2,
    dnp.power,
    dnp.divide,
    dnp.multiply,
]
OF_ONE = [dt.nn.softplus, dt.nn.log_sigmoid, dt.nn.silu, dt.nn.gelu, dt.nn.mish, dnp.logaddexp]
OF_ONE = [*OF_ONE[:-1], dnp.tanh, dnp.exp, dnp.log, dnp.sqrt, dnp.sinc, dnp.square]


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_derivatives_at_nan_are_nan(transform: Function) -> None:
    for function in OF_ONE:
        assert np.isnan(transform(dt.grad(function))(np.nan)), function
    for function in OF_TWO:
        at_both = transform(dt.grad(function, (0, 1)))(np.nan, np.nan)
        assert np.isnan(at_both).all(), function
    for function in (dnp.logaddexp, dnp.logaddexp2):
        for args in ((np.nan, 1.0), (1.0, np.nan), (np.nan, np.inf)):
            assert np.isnan(transform(dt.grad(function, (0, 1)))(*args)).all(), args
        equal = transform(dt.grad(function, (0, 1)))(np.inf, np.inf)
        np.testing.assert_array_equal(equal, [1, 1])


# Loops of no steps --------------------------------------------------------------------------------


def singular(c: Any, y: Any) -> Any:
    """A step with parts that depend only on `y`, none of which has a derivative at 0."""
    return dnp.sqrt(c) / y**1.5 + dnp.log(y) * c + dnp.sqrt(y)


OF_NO_STEPS: dict[str, Function] = {
    "known": lambda x, y, n: lax.fori_loop(0, 0, lambda _, c: singular(c, y), x),
    "counted": lambda x, y, n: lax.fori_loop(0, n, lambda _, c: singular(c, y), x),
    "while": lambda x, y, n: lax.while_loop(
        lambda c: c[1] < n, lambda c: (singular(c[0], y), c[1] + 1), (x, 0)
    )[0],
    "bounded": lambda x, y, n: lax.while_loop(
        lambda c: c[1] < n, lambda c: (singular(c[0], y), c[1] + 1), (x, 0), max_steps=3
    )[0],
    "scan": lambda x, y, n: lax.scan(lambda c, _: (singular(c, y), c), x, None, length=0)[0],
    "within": lambda x, y, n: lax.fori_loop(
        0, 2, lambda _, c: 1 * OF_NO_STEPS["counted"](c, y, n), x
    ),
    "around": lambda x, y, n: lax.fori_loop(
        0, n, lambda _, c: lax.fori_loop(0, 2, lambda _, c: singular(c, y), c), x
    ),
    "branch": lambda x, y, n: lax.cond(n > 0, OF_NO_STEPS["around"], lambda x, y, n: x, x, y, n),
    "checkpoint": lambda x, y, n: dt.checkpoint(OF_NO_STEPS["counted"])(x, y, n),
}


@pytest.mark.parametrize("name", OF_NO_STEPS)
def test_loops_of_no_steps(name: str) -> None:
    """Loop-invariant values, computed before the loop, belong to no iteration here."""
    loop = OF_NO_STEPS[name]

    def derivatives(x: Any, y: Any, n: Any) -> list[Any]:
        once = dt.grad(loop, (0, 1))
        twice = [dt.grad(dt.grad(loop, i), (0, 1))(x, y, n) for i in (0, 1)]
        mixed = [dt.jacfwd(once, (0, 1))(x, y, n), dt.jacrev(dt.jacfwd(loop, 1), 1)(x, y, n)]
        batch = dt.vmap(dt.grad(dt.grad(loop, 1), 1), (None, None, 0))(x, y, dnp.stack([n, n]))
        return [once(x, y, n), twice, mixed, batch]

    for function in (derivatives, dt.jit(derivatives)):
        first, *others = function(2.0, 0.0, np.int32(0))
        assert [float(d) for d in first] == [1, 0]
        for leaf in dt.tree.leaves(others):
            np.testing.assert_array_equal(leaf, np.zeros_like(leaf))


@pytest.mark.parametrize("size", [0, 3])
def test_loops_over_symbolic_sizes(size: int) -> None:
    def loop(y: Any, xs: Any) -> Any:
        return lax.scan(lambda c, x: (c * dnp.log(y) + x * dnp.sqrt(y), None), 1.0, xs)[0]

    at, xs = float(size), np.arange(size, dtype=np.float64)
    second = dt.grad(dt.grad(loop))
    symbolic = dt.jit(second, dynamic_shapes=(None, "n"), dynamic_constraints="n >= 0")
    np.testing.assert_allclose(symbolic(at, xs), second(at, xs), rtol=1e-12)
    assert np.isfinite(second(at, xs))


# Where a formula is replaced ----------------------------------------------------------------------

SMOOTH = [lambda x, y: x**y, lax.pow, dnp.power, dnp.float_power, dnp.logaddexp, dnp.hypot]


@pytest.mark.parametrize("number", range(len(SMOOTH)))
def test_second_derivatives_at_special_points(number: int) -> None:
    """Formulas that are replaced at a point must not lose its neighbourhood."""
    function, step = SMOOTH[number], 1e-6
    x, y = (grid.ravel() for grid in np.meshgrid([0.5, 1.0, 4.0], [-1.0, 0.0, 0.5, 1.0, 2.0]))
    for of in (0, 1):
        slope = dt.vmap(dt.grad(function, of))
        mixed = dt.jit(dt.vmap(dt.grad(dt.grad(function, of), (0, 1))))(x, y)
        numeric = [
            (slope(x + step, y) - slope(x - step, y)) / (2 * step),
            (slope(x, y + step) - slope(x, y - step)) / (2 * step),
        ]
        for ours, theirs in zip(mixed, numeric, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)
