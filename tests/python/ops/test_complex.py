"""Complex elementary functions, compiled: accuracy against mpmath, special values against NumPy."""

from __future__ import annotations

import functools
from typing import Any

import mpmath
import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, ops
from dovetail.compiler.module_files import compile_module
from support.complex_exact import (
    BINARY,
    EXTREMES,
    NORM_LIMIT,
    UNARY,
    Array,
    Complex,
    cases,
    exact_value,
    extremes,
    norm_error,
    sample,
)

DTYPES: list[Complex] = [np.complex64, np.complex128]

# These are accurate in each part, too; the parts of others are small differences.
BY_PARTS = sorted(set(UNARY) - {"expm1", "log", "log1p", "logistic"})
PARTS_LIMIT = 6
NUMPY_NAMES = {name: "arc" + name[1:] for name in UNARY if name.startswith("a") and name != "abs"}


@functools.cache
def program(dtype: Complex) -> Any:
    """All functions of a type as one compiled program, for any number of arguments."""

    def every(x: Any, y: Any) -> dict[str, Any]:
        results = {name: getattr(ops, name)(x) for name in UNARY}
        return results | {name: getattr(ops, name)(x, y) for name in BINARY}

    with config.enable_x64(True):
        sample = np.ones(SIZE, dtype)
        return dt.jit(every).lower(sample, sample)


@functools.cache
def executable(dtype: Complex) -> Any:
    return program(dtype).compile()


SIZE = 1024


def evaluate(x: Array, y: Array | None = None) -> dict[str, Array]:
    """The results of all functions."""
    operands = []
    for operand in (x, x if y is None else y):
        padded = np.ones(SIZE, x.dtype)
        padded[: x.size] = operand
        operands.append(padded)
    with config.enable_x64(True):
        results = executable(x.dtype.type)(*operands)
    return {name: np.asarray(result)[: x.size] for name, result in results.items()}


@pytest.fixture(scope="module", params=DTYPES, ids=lambda t: t.__name__)
def measured(request: pytest.FixtureRequest) -> tuple[Array, Array, dict[str, Array]]:
    x = sample(request.param)
    y = np.random.default_rng(1).permutation(x)
    return x, y, evaluate(x, y)


# Accuracy -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_accuracy(name: str, measured: tuple[Array, Array, dict[str, Array]]) -> None:
    x, y, results = measured
    epsilon = float(np.finfo(x.dtype).eps)
    tiny = 1e8 * float(np.finfo(x.dtype).tiny)
    for operands, actual, exact in cases(name, x, y, results[name]):
        error = norm_error(name, operands, actual, exact) / epsilon
        assert error <= NORM_LIMIT, f"{name} of {operands}: {actual}, off by {error} epsilon"
        if name not in BY_PARTS:
            continue
        for part in ("real", "imag"):
            a, e = getattr(actual, part), getattr(exact, part)
            if abs(e) > tiny:
                error = abs(a - e) / abs(e) / epsilon
                assert error <= PARTS_LIMIT, f"{part} {name} of {operands}: {a}, should be {e}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_real_part_of_log_on_the_unit_circle(dtype: Complex) -> None:
    """There it is a small difference, which keeps half the digits of the type and more."""
    x = np.exp(1j * np.linspace(-3, 3, 500)).astype(dtype)
    actual = np.real(evaluate(x)["log"])
    bound = float(np.finfo(dtype).eps) ** 1.4
    for z, a in zip(x.tolist(), actual.tolist(), strict=True):
        with mpmath.workdps(60):
            assert abs(a - mpmath.log(mpmath.mpc(z)).real) <= bound + 1e-6 * abs(a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_spurious_overflow_or_underflow(dtype: Complex) -> None:
    epsilon = float(np.finfo(dtype).eps)
    x = extremes(dtype)
    y = np.random.default_rng(0).permutation(x)
    results = evaluate(x, y)
    for name in EXTREMES:
        for operands, actual, exact in cases(name, x, y, results[name]):
            error = norm_error(name, operands, actual, exact) / epsilon
            assert error <= NORM_LIMIT, f"{name} of {operands}: {actual}, should be {exact}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_exponentials(dtype: Complex) -> None:
    """Where exp(x) overflows, but not its product with a small sine or cosine."""
    edge = float(np.log(np.finfo(dtype).max))
    x = np.array([edge + 3 + 0.01j, edge + 2 + 1.57j, edge + 5 - 1e-4j, -edge - 3 + 1j], dtype)
    results, turned = evaluate(x), evaluate(x.imag + 1j * x.real)
    for z, *values in zip(
        x.tolist(),
        *(results[name].tolist() for name in ("exp", "sinh", "cosh")),
        *(turned[name].tolist() for name in ("sin", "cos")),
        strict=True,
    ):
        w = complex(z.imag, z.real)
        names = [("exp", z), ("sinh", z), ("cosh", z), ("sin", w), ("cos", w)]
        for (name, argument), value in zip(names, values, strict=True):
            exact = exact_value(name, argument)
            assert exact is not None
            for part in ("real", "imag"):
                a, e = getattr(value, part), float(getattr(exact, part))
                limits = np.finfo(dtype)
                if abs(e) > float(limits.max):
                    assert a == np.copysign(np.inf, e), f"{name} of {argument}: {value}"
                elif abs(e) > 2 * float(limits.tiny):
                    error = abs(a - e) / abs(e)
                    assert error <= 8 * float(limits.eps), f"{name} of {argument}: {value}"


# Special values -----------------------------------------------------------------------------------

SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, np.inf, -np.inf, np.nan]
LIKE_NUMPY = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log"]
LIKE_NUMPY += ["sin", "sinh", "sqrt", "tan", "tanh"]


def special(dtype: Complex) -> Array:
    parts = np.array([(re, im) for re in SPECIAL for im in SPECIAL], np.finfo(dtype).dtype)
    return parts.view(dtype)[:, 0]


def assert_alike(actual: Array, expected: Array, what: str, z: Array, *, signs: Array) -> None:
    """Equal up to rounding, with NaN in the same places; infinities and zeros with their signs."""
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    # A pole may be a large number in NumPy.
    same = np.isclose(a, e, rtol=1e-5, atol=0, equal_nan=True) | (np.abs(a) == np.abs(e))
    signed = np.isnan(e) | (np.signbit(a) == np.signbit(e)) | ~signs
    wrong = ~(same & signed)
    assert not wrong.any(), f"{what} of {z[wrong]}: {actual[wrong]}, should be {expected[wrong]}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", LIKE_NUMPY)
def test_special_values(name: str, dtype: Complex) -> None:
    x = special(dtype)
    actual = evaluate(x)[name]
    with np.errstate(all="ignore"):
        expected = getattr(np, NUMPY_NAMES.get(name, name))(x.astype(np.complex128))
    if name in ("acos", "acosh"):
        # C99 specifies only one part of these: the square root vanishes at 0 + i NaN, too.
        kept = ~((np.real(x) == 0) & np.isnan(np.imag(x)))
        x, actual, expected = x[kept], actual[kept], expected[kept]
    # Where an argument is infinite or NaN, C99 leaves some signs open.
    signs = np.isfinite(x)
    assert_alike(np.real(actual), np.real(expected), f"re {name}", x, signs=signs)
    assert_alike(np.imag(actual), np.imag(expected), f"im {name}", x, signs=signs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sides_of_branch_cuts(dtype: Complex) -> None:
    sizes = np.array([1e-3, 0.5, 1.5, 3.0, 1e3])
    parts = [(s * r, z) for r in sizes for s in (1, -1) for z in (0.0, -0.0)]
    parts += [(im, re) for re, im in parts]
    x = np.array(parts, np.finfo(dtype).dtype).view(dtype)[:, 0]
    results = evaluate(x)
    signs = np.ones(x.shape, bool)
    for name in LIKE_NUMPY:
        with np.errstate(over="ignore", invalid="ignore"):
            expected = getattr(np, NUMPY_NAMES.get(name, name))(x.astype(np.complex128))
        finite = np.abs(expected) < float(np.finfo(dtype).max)
        for part in ("real", "imag"):
            a, e = getattr(results[name], part), getattr(expected, part)
            assert_alike(a[finite], e[finite], name, x[finite], signs=signs[finite])


@pytest.mark.parametrize("dtype", DTYPES)
def test_infinities_and_zeros_of_other_functions(dtype: Complex) -> None:
    inf, nan = np.inf, np.nan

    def check(name: str, rows: list[tuple[complex, ...]]) -> None:
        columns = [np.array(column, dtype) for column in zip(*rows, strict=True)]
        *operands, expected = columns
        actual = np.asarray(evaluate(*operands)[name])
        np.testing.assert_array_equal(np.real(actual), np.real(expected), name)
        if np.iscomplexobj(actual):
            np.testing.assert_array_equal(np.imag(actual), np.imag(expected), name)

    check("abs", [(complex(inf, nan), inf), (complex(nan, 1), nan), (0, 0), (-3 - 4j, 5)])
    check("sign", [(0, 0), (-2, -1), (3j, 1j)])
    check("rsqrt", [(complex(inf, 1), 0), (complex(-inf, 1), 0), (4, 0.5), (-4, -0.5j)])
    check("logistic", [(-1e4, 0), (1e4, 1), (0, 0.5)])
    check("expm1", [(0, 0), (-inf, -1)])
    check("log1p", [(0, 0), (-1, -inf)])
    check("exp2", [(0, 1), (10, 1024), (-inf, 0)])
    check("pow", [(0, 0, 1), (0, 2, 0), (complex(nan, 1), 0, 1), (1, 5, 1)])
    check("div", [(1, complex(inf, 1), 0), (1 + 1j, 0, complex(inf, inf)), (6, 2, 3), (-6, 2j, 3j)])
    check("div", [(complex(inf, 2), 2, complex(inf, nan)), (0, 0, complex(nan, nan))])


# Zeros to which quotients and powers have underflowed.
OPEN_SIGNS = ["logistic", "rsqrt", *BINARY]
ORDINARY = [*SPECIAL, 1e10, -1e10, 60.0, -60.0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_evaluated_like_compiled(name: str, dtype: Complex) -> None:
    """At zeros, large and infinite numbers and NaN in either part."""
    # Large angles have fewer digits.
    angles = [part for part in ORDINARY if abs(part) != 1e10]
    pairs = [(re, im) for re in ORDINARY for im in angles]
    if name in ("sin", "cos", "tan"):
        pairs = [(re, im) for im, re in pairs]
    if name in ("acos", "acosh"):
        pairs = [(re, im) for re, im in pairs if re != 0 or im == im]
    parts = np.array(pairs, np.finfo(dtype).dtype)
    x = parts.view(dtype)[:, 0]
    operands = [x]
    if name in BINARY:
        # A power of large numbers has few digits.
        few = special(dtype)[::2] if name == "pow" else x[::7]
        operands = [a.ravel()[:SIZE] for a in np.meshgrid(few, few)]
    compiled = evaluate(*operands)[name]
    with config.enable_x64(True):
        evaluated = np.asarray(getattr(ops, name)(*map(dnp.asarray, operands)))
    signs = np.all(np.isfinite(operands), axis=0) & np.asarray(name not in OPEN_SIGNS)
    # One part of a quotient or power may be small compared with the other.
    finite = np.isfinite(evaluated) & np.isfinite(compiled) & (name in BINARY)
    for part in (np.real, np.imag):
        ours, theirs = part(evaluated).copy(), part(compiled).copy()
        away = np.abs(ours[finite] - theirs[finite])
        assert (away <= 1e-5 * np.abs(evaluated[finite])).all(), f"{part.__name__} {name}"
        theirs[finite] = ours[finite]
        assert_alike(theirs, ours, f"{part.__name__} {name}", operands[-1], signs=signs)


# Other targets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["vulkan", "cuda", "metal"])
def test_compiles_for_other_targets(target: str) -> None:
    assert compile_module(program(np.complex64).as_text("lower"), target=target)


@pytest.mark.parametrize("square", [dnp.square, lambda z: z * z, lambda z: z**2])
def test_squares_on_the_diagonal_are_imaginary(square: Any) -> None:
    x = np.random.default_rng(0).uniform(-9, 9, 100).astype(np.float32)
    result = dt.jit(square, compile="now")(x + 1j * x)
    np.testing.assert_array_equal(result.real, 0)
    np.testing.assert_allclose(result.imag, 2 * x * x, rtol=1e-6)


# Order --------------------------------------------------------------------------------------------


def test_extremes_are_in_lexicographic_order() -> None:
    """Running extremes, those of updates and of segments; NaN propagates."""
    dtype, rng = np.complex64, np.random.default_rng(0)
    z = (rng.integers(0, 3, 60) + 1j * rng.integers(0, 3, 60)).astype(dtype)
    z[[27, 41, 55]] = complex(np.nan, 1), complex(1, np.nan), complex(-9, np.nan)
    rows, places = z.reshape(3, 20), np.arange(60) % 7
    wanted = {name: np.zeros(7, dtype) for name in ("maximum", "minimum")}
    for name, result in wanted.items():
        getattr(np, name).at(result, places, z)

    def extremes(z: Any, rows: Any) -> list[Any]:
        start, back = dnp.zeros(7, dtype), rows[:, ::-1]
        return [
            *(lax.cummax(rows, axis=1), lax.cummin(z), lax.cummax(z, reverse=True)),
            *(lax.cummax(rows, axis=0), lax.max(rows, back), lax.min(rows, back)),
            *(start.at[places].max(z), start.at[places].min(z)),
            dt.ops.segment_max(z[:20], places[:20], 7),
            *(dt.vmap(lax.cummin)(rows), dnp.max(z[20:30]), dnp.max(dnp.asarray([7, z[41]]))),
        ]

    back = rows[:, ::-1]
    expected = [
        *(np.maximum.accumulate(rows, 1), np.minimum.accumulate(z)),
        *(np.maximum.accumulate(z[::-1])[::-1], np.maximum.accumulate(rows, 0)),
        *(np.maximum(rows, back), np.minimum(rows, back), wanted["maximum"], wanted["minimum"]),
        np.array([max(z[i:20:7], key=lambda c: (c.real, c.imag)) for i in range(7)]),
        *(np.minimum.accumulate(rows, 1), z[27], z[41]),
    ]
    for results in (extremes(dnp.asarray(z), dnp.asarray(rows)), dt.jit(extremes)(z, rows)):
        for ours, theirs in zip(results, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("extreme", [lax.cummax, lambda z: z[:5].at[np.arange(12) % 5].min(z)])
def test_derivatives_of_complex_extremes(extreme: Any) -> None:
    """The derivative is that of the selected element."""
    z = np.random.default_rng(1).permutation(np.arange(12) - 5 + 1j).astype(np.complex64)
    for function in (extreme, dt.jit(extreme)):
        value, tangent = dt.jvp(function, (z,), (z * 2,))
        np.testing.assert_array_equal(tangent, 2 * value)
