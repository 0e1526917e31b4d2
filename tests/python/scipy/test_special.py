"""dovetail.scipy.special against SciPy: values, limits, derivatives, compiled code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, grad, jit, vmap
from dovetail.scipy import special
from support.scipy_special import POSITIVE, RNG, ROWS, Row, powers, uniform

# Its stubs cover only a part.
reference: Any = scipy.special

INF, NAN = np.inf, np.nan


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_values(row: Row) -> None:
    function, expected = getattr(special, row.name), getattr(reference, row.name)
    narrow = [x.astype(np.float32) for x in row.operands]
    exact = expected(*(x.astype(np.float64) for x in narrow))
    value = function(*map(dnp.asarray, narrow))
    assert value.dtype == np.float32
    spacing = np.finfo(np.float32).eps * np.maximum(abs(exact), row.absolute)
    errors = abs(np.asarray(value, np.float64) - exact) / np.maximum(spacing, 1e-45)
    assert errors.max() <= row.ulps, [x[errors.argmax()] for x in narrow]
    with config.enable_x64(True):
        wide = function(*map(dnp.asarray, row.operands))
        assert wide.dtype == np.float64
        np.testing.assert_allclose(
            wide, expected(*row.operands), rtol=row.relative, atol=row.absolute * 1e-8
        )


def test_kummers_function_far_below_zero() -> None:
    a, b, x = uniform(0.1, 5), uniform(0.1, 5), uniform(-700, -20)
    expected = reference.hyp1f1(a, b, x)
    with config.enable_x64(True):
        np.testing.assert_allclose(special.hyp1f1(a, b, x), expected, rtol=1e-12)
    # It is 0 where b - a is 0, -1, ..., and close to that the rounding of b - a in float32 shows.
    far = (b > a) | (np.abs(b - a - np.round(b - a)) > 0.02)
    narrow = [v[far].astype(np.float32) for v in (a, b, x)]
    expected = reference.hyp1f1(*(v.astype(np.float64) for v in narrow))
    np.testing.assert_allclose(special.hyp1f1(*narrow), expected, rtol=1e-4)


def test_kummers_function_of_parameters_far_below_zero() -> None:
    a, b, x = uniform(-300, -2), uniform(0.5, 10), uniform(0.1, 30)
    with config.enable_x64(True):
        np.testing.assert_allclose(special.hyp1f1(a, b, x), reference.hyp1f1(a, b, x), rtol=1e-8)
        # By Kummer's transformation it is the same where b - a is far below 0.
        mirrored = np.exp(-x) * reference.hyp1f1(a, b, x)
        np.testing.assert_allclose(special.hyp1f1(b - a, b, -x), mirrored, rtol=1e-8)
    narrow = np.array([[-300.25, -57.75, -12.25, -7, -30], [0.5, 2, 7, 1, 60], [12, 30, 20, 12, 1]])
    expected = reference.hyp1f1(*narrow)
    np.testing.assert_allclose(special.hyp1f1(*narrow), expected, rtol=1e-3)
    # Neither sums larger than floats nor other elements matter.
    large = np.array([[-30.5, 7.25, -120], [100, 1, 80], [-100, 0.5, -60], [-0.5, 1, 5]]).T
    expected = reference.hyp1f1(*large)
    expected[1:3] = np.inf
    np.testing.assert_allclose(special.hyp1f1(*large), expected, rtol=1e-4)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_derivatives(row: Row) -> None:
    function = getattr(special, row.name)
    with config.enable_x64(True):
        operands = [dnp.asarray(x[:4]) for x in row.operands]
        for argument in row.by:
            first = vmap(grad(function, argument))
            check_slope(function, first, operands, argument, 1e-6)
        # Incomplete functions have derivatives with respect to their parameters only of the first
        # order.
        argument = row.by[-1]
        if row.name in ("hyp1f1", "hyp2f1"):
            operands = [x[:1] for x in operands]
        second = vmap(grad(grad(function, argument), argument))
        check_slope(vmap(grad(function, argument)), second, operands, argument, 1e-5)


def check_slope(
    function: Callable[..., Any],
    slope: Callable[..., Any],
    operands: list[Any],
    argument: int,
    tolerance: float,
) -> None:
    x = np.asarray(operands[argument])
    step = 1e-5 * np.maximum(abs(x), 1e-3)

    def at(offset: Any) -> np.ndarray[Any, Any]:
        moved = [*operands[:argument], dnp.asarray(x + offset), *operands[argument + 1 :]]
        return np.asarray(function(*moved))

    numeric = (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)
    scale = np.maximum(abs(numeric), np.finfo(float).eps * abs(at(0)) / step * 1e6)
    error = abs(np.asarray(slope(*operands)) - numeric) / np.maximum(scale, 1e-300)
    assert error.max() <= tolerance, (operands, numeric, slope(*operands))


def test_compiled_is_eager() -> None:
    # Functions that are compositions of ops.
    names = "gamma betaln comb erfcx dawsn log_ndtr ndtri owens_t exp1 expi spence kl_div boxcox"
    rows = [row for row in ROWS if row.name in names.split()]

    def everything(*operands: Any) -> list[Any]:
        return [
            getattr(special, row.name)(*operand)
            for row, operand in zip(rows, operands, strict=True)
        ]

    operands = [[dnp.asarray(x, np.float32) for x in row.operands] for row in rows]
    for row, got, expected in zip(
        rows,
        jit(everything).lower(*operands).compile()(*operands),
        everything(*operands),
        strict=True,
    ):
        expected = np.asarray(expected)
        error = abs(np.asarray(got) - expected) / np.maximum(abs(expected), 1e-3)
        assert error.max() < 4e-5, row.name


EDGES: list[tuple[str, tuple[float, ...], float]] = [
    ("gamma", (0.0,), INF),
    ("gamma", (-0.0,), -INF),
    ("gamma", (-1.0,), NAN),
    ("gamma", (INF,), INF),
    ("gamma", (1000.0,), INF),
    ("gammasgn", (-0.5,), -1),
    ("gammasgn", (-2.0,), NAN),
    ("gammasgn", (-0.0,), -1),
    ("loggamma", (-0.5,), NAN),
    ("factorial", (-1.0,), 0),
    ("poch", (-3.0, 2.0), 6),
    ("poch", (-3.0, 4.0), 0),
    ("poch", (0.0, 0.0), 1),
    ("comb", (5.0, 6.0), 0),
    ("comb", (60.0, 30.0), 118264581564861424),
    ("betaln", (0.0, 1.0), INF),
    ("betaln", (INF, 1.0), -INF),
    ("zeta", (1.0, 1.0), INF),
    ("zeta", (-1.0,), -1 / 12),
    ("zeta", (0.0,), -0.5),
    ("erfcx", (-INF,), INF),
    ("erfcx", (1e300,), 1 / (np.sqrt(np.pi) * 1e300)),
    ("dawsn", (INF,), 0),
    ("ndtr", (-INF,), 0),
    ("log_ndtr", (-1e200,), -INF),
    ("log_ndtr", (INF,), 0),
    ("ndtri", (0.0,), -INF),
    ("ndtri", (1.0,), INF),
    ("ndtri", (1.5,), NAN),
    ("owens_t", (0.0, INF), 0.25),
    ("owens_t", (INF, 1.0), 0),
    ("exp1", (0.0,), INF),
    ("exp1", (-1.0,), NAN),
    ("expi", (0.0,), -INF),
    ("expi", (-INF,), 0),
    ("expi", (INF,), INF),
    ("expn", (1.0, 0.0), INF),
    ("expn", (3.0, 0.0), 0.5),
    ("expn", (-1.0, 2.0), NAN),
    ("spence", (0.0,), np.pi**2 / 6),
    ("spence", (1.0,), 0),
    ("spence", (-1.0,), NAN),
    ("entr", (0.0,), 0),
    ("entr", (-1.0,), -INF),
    ("xlogy", (0.0, 0.0), 0),
    ("xlogy", (0.0, NAN), NAN),
    ("xlog1py", (0.0, -1.0), 0),
    ("rel_entr", (0.0, 0.0), 0),
    ("rel_entr", (1.0, 0.0), INF),
    ("rel_entr", (1.0, -1.0), INF),
    ("kl_div", (0.0, 2.0), 2),
    ("boxcox", (0.0, 0.0), -INF),
    ("boxcox", (0.0, 2.0), -0.5),
    ("hyp1f1", (1.0, 0.0, 1.0), INF),
    ("hyp1f1", (-2.0, -3.0, 0.5), 1.375),
    ("hyp2f1", (1.0, 2.0, 3.0, 2.0), INF),
    ("hyp2f1", (1.0, 1.0, 3.0, 1.0), 2),
    ("hyp2f1", (-2.0, 2.0, 1.0, 2.0), 5),
]


@pytest.mark.parametrize(("name", "operands", "expected"), EDGES)
def test_edges(name: str, operands: tuple[float, ...], expected: float) -> None:
    with config.enable_x64(True):
        np.testing.assert_allclose(getattr(special, name)(*operands), expected, rtol=1e-14)


@pytest.mark.parametrize("name", ["fresnel", "sici"])
def test_pairs(name: str) -> None:
    x = np.concatenate([uniform(-3, 3), powers(-3, 3), [0, INF, 0.6165]])
    narrow = x.astype(np.float32)
    for got, expected in zip(
        getattr(special, name)(narrow), getattr(reference, name)(narrow.astype(float)), strict=True
    ):
        np.testing.assert_allclose(got, expected, rtol=1e-6, atol=2e-7)
    with config.enable_x64(True):
        for got, expected in zip(
            getattr(special, name)(x), getattr(reference, name)(x), strict=True
        ):
            # SciPy's phase is less exact.
            np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)
        for i in range(2):
            first = vmap(grad(lambda t, i=i: getattr(special, name)(t)[i]))
            part = lambda t, i=i: getattr(special, name)(t)[i]  # noqa: E731
            check_slope(part, first, [dnp.asarray([0.7, 2.1, 6.2])], 0, 1e-7)


def test_sici_below_zero() -> None:
    si, ci = special.sici(dnp.asarray([-2.0, -INF]))
    np.testing.assert_allclose(si, [-1.6054130, -np.pi / 2], rtol=1e-6)
    np.testing.assert_allclose(ci, [0.42298083, NAN], rtol=1e-6)


COMPLEX = (uniform(-12, 12) + 1j * uniform(-3, 12))[:100]


@pytest.mark.parametrize("name", ["gamma", "loggamma", "wofz", "erfcx"])
def test_complex(name: str) -> None:
    z = COMPLEX if name == "wofz" else COMPLEX / 3
    with config.enable_x64(True):
        np.testing.assert_allclose(
            getattr(special, name)(z), getattr(reference, name)(z), rtol=1e-12, atol=1e-13
        )
        function = lambda x: getattr(special, name)(x + 0.5j).real  # noqa: E731
        check_slope(vmap(function), vmap(grad(function)), [dnp.asarray([-1.3, 0.4, 2.7])], 0, 1e-7)


def test_polygamma() -> None:
    x = POSITIVE.astype(np.float32)
    for n in (0, 1, 4):
        np.testing.assert_allclose(
            special.polygamma(n, x), reference.polygamma(n, x.astype(float)), rtol=1e-5, atol=1e-6
        )
    with pytest.raises(TypeError, match="n must be integers, got: float32"):
        special.polygamma(1.0, 2.0)


@pytest.mark.parametrize("z", [0.0, 1e-3, 0.5, 3.0, 20.0, -4.0])
def test_bessel_jn(z: float) -> None:
    with config.enable_x64(True):
        values = special.bessel_jn(z, v=6)
        np.testing.assert_allclose(values, reference.jv(np.arange(7), z), rtol=1e-13, atol=1e-30)
        assert special.bessel_jn(dnp.full((2, 3), z), v=2).shape == (3, 2, 3)
        if z:
            slopes = dt.jacfwd(lambda z: special.bessel_jn(z, v=3))(z)
            np.testing.assert_allclose(slopes, reference.jvp(np.arange(4), z), rtol=1e-12)


def test_spherical_harmonics() -> None:
    n, m = np.array([0, 1, 2, 5, 5, 7, 10, 3, 3]), np.array([0, -1, 2, -3, 0, 7, 10, -2, -3])
    theta, phi = uniform(-7, 7)[:9], uniform(0, 6)[:9]
    with config.enable_x64(True):
        value = special.sph_harm_y(n, m, theta, phi)
        np.testing.assert_allclose(value, reference.sph_harm_y(n, m, theta, phi), atol=1e-14)
        compiled = jit(special.sph_harm_y, static_argnames="n_max")(n, m, theta, phi, n_max=10)
        np.testing.assert_allclose(compiled, value, atol=1e-14)
        part = lambda t: special.sph_harm_y(n[3:4], m[3:4], t[None], 0.3)[0].real  # noqa: E731
        check_slope(vmap(part), vmap(grad(part)), [dnp.asarray([0.4, 2.0])], 0, 1e-7)


@pytest.mark.parametrize("is_normalized", [False, True])
@pytest.mark.parametrize("most", [0, 1, 2, 7])
def test_lpmn_values(most: int, is_normalized: bool) -> None:
    z = uniform(-1, 1)[:20]
    with config.enable_x64(True):
        values = special.lpmn_values(most, most, dnp.asarray(z), is_normalized)
        expected = reference.assoc_legendre_p_all(most, most, z)[0].transpose(1, 0, 2)[: most + 1]
        if is_normalized:
            harmonics = reference.sph_harm_y_all(most, most, np.arccos(z), 0 * z).real
            expected = harmonics.transpose(1, 0, 2)[: most + 1]
        np.testing.assert_allclose(values, expected, rtol=1e-11, atol=1e-12)
        whole = jit(special.lpmn_values, static_argnums=(0, 1, 3))(most, most, z, is_normalized)
        np.testing.assert_allclose(whole, values, rtol=1e-11, atol=1e-12)
        part = lambda z: special.lpmn_values(most, most, z[None], is_normalized).sum()  # noqa: E731
        check_slope(vmap(part), vmap(grad(part)), [dnp.asarray(z[:3])], 0, 1e-6)


def test_lpmn_values_that_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="must be the same, got: 1 and 2"):
        special.lpmn_values(1, 2, dnp.zeros(3), True)
    with pytest.raises(TypeError, match="got: int32"):
        special.lpmn_values(1, 1, dnp.zeros(3, int), True)
    with pytest.raises(ValueError, match="z must be a 1D array"):
        special.lpmn_values(1, 1, dnp.zeros((3, 1)), True)


def test_bernoulli_numbers() -> None:
    with config.enable_x64(True):
        np.testing.assert_allclose(special.bernoulli(40), reference.bernoulli(40), rtol=1e-11)
    assert special.bernoulli(0).shape == (1,)
    with pytest.raises(ValueError, match="must not be negative"):
        special.bernoulli(-1)


def test_multigammaln() -> None:
    a = uniform(3, 9).astype(np.float32)
    np.testing.assert_allclose(special.multigammaln(a, 3), reference.multigammaln(a, 3), rtol=1e-5)


def test_softmax() -> None:
    x = RNG.normal(size=(3, 4)).astype(np.float32)
    for axis in (None, 0, (0, 1)):
        np.testing.assert_allclose(
            special.softmax(x, axis=axis), reference.softmax(x, axis=axis), rtol=1e-5
        )
        np.testing.assert_allclose(
            special.log_softmax(x, axis=axis), reference.log_softmax(x, axis=axis), rtol=1e-5
        )
    np.testing.assert_allclose(
        special.logsumexp(x, 0, b=x), reference.logsumexp(x, 0, b=x), rtol=1e-4
    )


def test_narrow_floats() -> None:
    x = np.linspace(0.1, 5, 20).astype(np.float16)
    value = special.exp1(x)
    assert value.dtype == np.float16
    np.testing.assert_allclose(value, reference.exp1(x.astype(float)), rtol=1e-3)
    assert grad(special.ndtri)(dnp.asarray(0.3, "bfloat16")).dtype == "bfloat16"


@pytest.mark.parametrize(("name", "y"), [("xlogy", 3.0), ("xlog1py", 2.0)])
def test_second_derivatives_of_products_that_are_zero(name: str, y: float) -> None:
    """With respect to x and y it is the slope of the logarithm, even at x = 0."""
    mixed = dt.grad(dt.grad(getattr(special, name), 1), 0)
    np.testing.assert_allclose(mixed(0.0, y), 1 / 3, rtol=1e-6)


def test_integers_and_complex() -> None:
    assert special.gamma(5).dtype == np.float32
    assert special.expi(dnp.asarray([1, 2])).dtype == np.float32
    for name in ("expi", "ndtri", "dawsn", "digamma", "entr", "gammasgn"):
        with pytest.raises(TypeError, match=f"{name}: the element type must be real"):
            getattr(special, name)(1j)
    with pytest.raises(NotImplementedError, match="exact must be False"):
        special.factorial(5, exact=True)
    with pytest.raises(ValueError, match="series_order must be from 0 to 30, got: 31"):
        special.log_ndtr(0.0, 31)


def test_derivatives_around_functions_of_constants() -> None:
    """Their rules get no tangents."""

    def scaled(x: Any) -> Any:
        si, ci = special.sici(dnp.array(0.3))
        return x * special.ndtri(dnp.array(0.3)) * si + ci

    expected = scipy.special.ndtri(0.3) * scipy.special.sici(0.3)[0]
    for function in (grad(scaled), jit(grad(scaled))):
        np.testing.assert_allclose(function(2.0), expected, rtol=1e-6)
        np.testing.assert_allclose(vmap(function)(dnp.ones(3)), np.full(3, expected), rtol=1e-6)
