"""Exact values of the complex functions, and the arguments at which compiled code is compared."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np

Array = np.ndarray
Exact = Any  # a number of mpmath, which has no annotations
Complex = type[np.complexfloating]

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
# These are accurate up to the ends of the range.
EXTREMES = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "div", "log", "log1p"]
EXTREMES += ["rsqrt", "sign", "sqrt"]
# Largest error in epsilon, in norm. Measured: docs/accuracy.md.
NORM_LIMIT = 4


def sample(dtype: Complex, seed: int = 0) -> Array:
    """Ordinary arguments, and neighbourhoods of roots, poles, branch points and the unit circle."""
    rng = np.random.default_rng(seed)
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


def extremes(dtype: Complex) -> Array:
    """Arguments whose squares overflow or vanish."""
    limits = np.finfo(dtype)
    largest, least = float(limits.max), float(limits.tiny)
    sizes = [largest, largest / 3, largest**0.5, largest**0.25, 2.5, 1e-3]
    sizes += [float(limits.eps), least**0.5, 5 * least, least]
    return np.array(
        [complex(s * a, b) for a in sizes for b in [0.0, *sizes] for s in (1, -1)], dtype
    )


def on_cut(name: str, z: complex) -> bool:
    """True if the result depends on the sign of a zero, which mpmath does not have."""
    if name in ("acos", "asin", "atanh"):
        return z.imag == 0 and abs(z.real) > 1
    if name in ("asinh", "atan"):
        return z.real == 0 and abs(z.imag) > 1
    return name == "acosh" and z.imag == 0 and z.real < 1


@functools.cache
def exact_value(name: str, *operands: complex) -> Exact | None:
    """The value, or None at poles."""
    # Near 1 the parts lose as many digits as they have zeros.
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
        yield used, mpmath.mpc(complex(result)), exact


def allowance(name: str, operands: tuple[complex, ...]) -> float:
    """A factor on permitted errors: those of pow grow with the exponent of e, which is rounded."""
    if name != "pow":
        return 1.0
    x, y = operands
    return 1 + abs(y * complex(mpmath.log(x))) / 2


def norm_error(name: str, operands: tuple[complex, ...], actual: Exact, exact: Exact) -> float:
    """|actual - exact| / |exact|, over the permitted error."""
    return float(abs(actual - exact) / abs(exact)) / allowance(name, operands)
