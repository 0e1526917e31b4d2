"""Complex elementary functions, compiled: accuracy against mpmath, special values against NumPy."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest

import dovetail as dt
from dovetail import config, ops
from dovetail.compile import compile_module

Array = np.ndarray
Exact = Any  # a number of mpmath, which has no annotations

DTYPES = [np.complex64, np.complex128]

UNARY: dict[str, Callable[[Exact], Exact]] = {
    "abs": abs,
    "acos": mpmath.acos,
    "acosh": mpmath.acosh,
    "asin": mpmath.asin,
    "asinh": mpmath.asinh,
    "atan": mpmath.atan,
    "atanh": mpmath.atanh,
    "cos": mpmath.cos,
    "cosh": mpmath.cosh,
    "exp": mpmath.exp,
    "exp2": lambda z: mpmath.power(2, z),
    "expm1": lambda z: mpmath.exp(z) - 1,
    "log": mpmath.log,
    "log1p": lambda z: mpmath.log(1 + z),
    "logistic": lambda z: 1 / (1 + mpmath.exp(-z)),
    "rsqrt": lambda z: 1 / mpmath.sqrt(z),
    "sign": lambda z: z / abs(z),
    "sin": mpmath.sin,
    "sinh": mpmath.sinh,
    "sqrt": mpmath.sqrt,
    "tan": mpmath.tan,
    "tanh": mpmath.tanh,
}
BINARY: dict[str, Callable[[Exact, Exact], Exact]] = {
    "div": lambda x, y: x / y,
    "mul": lambda x, y: x * y,
    "pow": lambda x, y: x**y,
}
# Measured: below 2.5 epsilon in norm.
NORM_LIMIT = 4
# These are accurate in each part, too; the parts of others are small differences.
BY_PARTS = sorted(set(UNARY) - {"expm1", "log", "log1p", "logistic"})
PARTS_LIMIT = 6
NUMPY_NAMES = {name: "arc" + name[1:] for name in UNARY if name.startswith("a") and name != "abs"}


@functools.cache
def program(dtype: type[np.complexfloating]) -> Any:
    """All functions of a type as one compiled program, for any number of arguments."""

    def every(x: Any, y: Any) -> dict[str, Any]:
        results = {name: getattr(ops, name)(x) for name in UNARY}
        return results | {name: getattr(ops, name)(x, y) for name in BINARY}

    with config.enable_x64(True):
        sample = np.ones(SIZE, dtype)
        return dt.jit(every).lower(sample, sample)


@functools.cache
def executable(dtype: type[np.complexfloating]) -> Any:
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


def sample(dtype: type[np.complexfloating]) -> Array:
    """Ordinary arguments, and neighbourhoods of roots, poles, branch points and the unit circle."""
    rng = np.random.default_rng(0)
    smallest = -10 if dtype is np.complex64 else -17

    def turned(modulus: Array) -> Array:
        return modulus * np.exp(1j * rng.uniform(-np.pi, np.pi, modulus.size))

    def signed(x: Array) -> Array:
        return x * rng.choice([-1, 1], x.size)

    groups: list[Array] = [turned(10 ** rng.uniform(-3, 3, 200)), turned(np.ones(60))]
    for point in (0, 1, -1, 1j, -1j):
        groups.append(point + turned(10 ** rng.uniform(smallest, -1, 40)))
        groups += [point + s * 10.0 ** -np.arange(1, 12, 2) for s in (1, -1, 1j, -1j)]
    groups.append(np.exp(1j * 10 ** rng.uniform(-8, 0, 40)))
    quarters = np.arange(1, 9) * np.pi / 2
    near = quarters + 1e-4j * rng.normal(size=8)
    groups += [quarters + 0j, 1j * quarters, near, 1j * near]
    reals = signed(10 ** rng.uniform(-3, 3, 30))
    groups += [reals + 0j, 1j * reals]
    groups.append(rng.uniform(-90, 90, 60) + 1j * rng.uniform(-90, 90, 60))
    large, ratio = signed(10 ** rng.uniform(-2, 2, 30)), 10 ** rng.uniform(-20, 0, 30)
    groups += [large + 1j * large * ratio, large * ratio + 1j * large]
    with np.errstate(under="ignore"):
        return np.concatenate(groups).astype(dtype)


def on_cut(name: str, z: complex) -> bool:
    """Whether the sign of a zero decides, which mpmath has not."""
    if name in ("acos", "asin", "atanh"):
        return z.imag == 0 and abs(z.real) > 1
    if name in ("asinh", "atan"):
        return z.real == 0 and abs(z.imag) > 1
    return name == "acosh" and z.imag == 0 and z.real < 1


def exact_value(name: str, *operands: complex) -> Exact | None:
    """The value, or None at poles."""
    # Beside 1 the parts vanish in as many digits as they have zeros.
    least = min((abs(p) for z in operands for p in (z.real, z.imag) if p != 0), default=1)
    with mpmath.workdps(700 if least < 1e-20 else 60):
        function: Callable[..., Exact] = UNARY[name] if name in UNARY else BINARY[name]
        try:
            return mpmath.mpc(function(*(mpmath.mpc(z) for z in operands)))
        except (ValueError, ZeroDivisionError):
            return None


def cases(name: str, x: Array, y: Array, actual: Array) -> Iterator[tuple[Any, Exact, Exact]]:
    """Operands, result and exact value, where that is well inside the range of the type."""
    limits = np.finfo(actual.dtype)
    for operands, result in zip(zip(x.tolist(), y.tolist(), strict=True), actual, strict=True):
        used = operands if name in BINARY else operands[:1]
        if on_cut(name, used[0]):
            continue
        exact = exact_value(name, *used)
        if exact is None or not 1e8 * float(limits.tiny) < abs(exact) < 0.5 * float(limits.max):
            continue
        assert np.isfinite(result), f"{name} of {used}: {result}, should be {exact}"
        yield used, mpmath.mpc(complex(result)), exact


@pytest.fixture(scope="module", params=DTYPES, ids=lambda t: t.__name__)
def measured(request: pytest.FixtureRequest) -> tuple[Array, Array, dict[str, Array]]:
    x = sample(request.param)
    y = np.random.default_rng(1).permutation(x)
    return x, y, evaluate(x, y)


# Accuracy -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*UNARY, "div", "mul"])
def test_accuracy(name: str, measured: tuple[Array, Array, dict[str, Array]]) -> None:
    x, y, results = measured
    epsilon = float(np.finfo(x.dtype).eps)
    tiny = 1e8 * float(np.finfo(x.dtype).tiny)
    for operands, actual, exact in cases(name, x, y, results[name]):
        error = abs(actual - exact) / abs(exact) / epsilon
        assert error <= NORM_LIMIT, f"{name} of {operands}: {actual}, off by {float(error)} epsilon"
        if name not in BY_PARTS:
            continue
        for part in ("real", "imag"):
            a, e = getattr(actual, part), getattr(exact, part)
            if abs(e) > tiny:
                error = abs(a - e) / abs(e) / epsilon
                assert error <= PARTS_LIMIT, f"{part} {name} of {operands}: {a}, should be {e}"


def test_accuracy_of_pow(measured: tuple[Array, Array, dict[str, Array]]) -> None:
    """The error grows with the exponent of e, which is rounded."""
    x, y, results = measured
    for operands, actual, exact in cases("pow", x, y, results["pow"]):
        exponent = abs(operands[1] * complex(mpmath.log(operands[0])))
        error = abs(actual - exact) / abs(exact) / float(np.finfo(x.dtype).eps)
        assert error <= 4 + 2 * exponent, f"pow of {operands}: off by {float(error)} epsilon"


@pytest.mark.parametrize("dtype", DTYPES)
def test_real_part_of_log_on_the_unit_circle(dtype: type[np.complexfloating]) -> None:
    """There it is a small difference, which keeps half the digits of the type and more."""
    x = np.exp(1j * np.linspace(-3, 3, 500)).astype(dtype)
    actual = np.real(evaluate(x)["log"])
    bound = float(np.finfo(dtype).eps) ** 1.4
    for z, a in zip(x.tolist(), actual.tolist(), strict=True):
        with mpmath.workdps(60):
            assert abs(a - mpmath.log(mpmath.mpc(z)).real) <= bound + 1e-6 * abs(a)


EXTREMES = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "div", "log", "log1p"]
EXTREMES += ["rsqrt", "sign", "sqrt"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_spurious_overflow_or_underflow(dtype: type[np.complexfloating]) -> None:
    limits = np.finfo(dtype)
    largest, least = float(limits.max), float(limits.tiny)
    sizes = [largest, largest / 3, largest**0.5, largest**0.25, 2.5, 1e-3]
    sizes += [float(limits.eps), least**0.5, 5 * least, least]
    x = np.array([complex(s * a, b) for a in sizes for b in [0.0, *sizes] for s in (1, -1)], dtype)
    y = np.random.default_rng(0).permutation(x)
    results = evaluate(x, y)
    for name in EXTREMES:
        for operands, actual, exact in cases(name, x, y, results[name]):
            error = abs(actual - exact) / abs(exact) / float(limits.eps)
            assert error <= NORM_LIMIT, f"{name} of {operands}: {actual}, should be {exact}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_exponentials(dtype: type[np.complexfloating]) -> None:
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


def special(dtype: type[np.complexfloating]) -> Array:
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
def test_special_values(name: str, dtype: type[np.complexfloating]) -> None:
    x = special(dtype)
    actual = evaluate(x)[name]
    with np.errstate(all="ignore"):
        expected = getattr(np, NUMPY_NAMES.get(name, name))(x.astype(np.complex128))
    if name in ("acos", "acosh"):
        # C99 knows one part of these: the square root vanishes at 0 + i NaN, too.
        kept = ~((np.real(x) == 0) & np.isnan(np.imag(x)))
        x, actual, expected = x[kept], actual[kept], expected[kept]
    # Where an argument is infinite or NaN, C99 leaves some signs open.
    signs = np.isfinite(x)
    assert_alike(np.real(actual), np.real(expected), f"re {name}", x, signs=signs)
    assert_alike(np.imag(actual), np.imag(expected), f"im {name}", x, signs=signs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sides_of_branch_cuts(dtype: type[np.complexfloating]) -> None:
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
def test_infinities_and_zeros_of_other_functions(dtype: type[np.complexfloating]) -> None:
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


# Other targets ------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["vulkan", "cuda", "metal"])
def test_compiles_for_other_targets(target: str) -> None:
    assert compile_module(program(np.complex64).as_text("lower"), target=target)
