"""The largest errors of compiled complex functions, in norm."""

from __future__ import annotations

import functools
import math
import zlib

import numpy as np
from measuring import ROUNDS, WORST, Call, Result, compiled, merged, worst_rows

from dovetail import ops
from tests.python.support.complex_exact import (
    BINARY,
    EXTREMES,
    UNARY,
    Array,
    Complex,
    cases,
    extremes,
    norm_error,
    sample,
)

NAMES = (*UNARY, *BINARY)
TYPES: dict[str, Complex] = {"complex64": np.complex64, "complex128": np.complex128}
_SIZE = 2**14
_SEEDS = 4
# Arguments of complex64 functions that are compared with complex128 ones.
SCREENED = 2**20


def measure(name: str, element: str, target: str) -> Result:
    """Compiles a function and finds its largest error, in epsilon of the type.

    Args:
      name: the function's name.
      element: the complex type's name.
      target: the target to compile for.
    """
    dtype = TYPES[element]
    call = _compiled(name, element, target)
    x, y = _chosen(name, dtype)
    if element == "complex64":
        doubtful = _screened(name, call)
        x, y = np.concatenate([x, doubtful[0]]), np.concatenate([y, doubtful[1]])
    got = call(x, y)
    epsilon = float(np.finfo(dtype).eps)
    results = []
    for operands, actual, exact in cases(name, x, y, got):
        error = norm_error(name, operands, actual, exact) / epsilon
        results.append((math.inf if math.isnan(error) else error, operands, complex(actual)))
    error, at, value = max(results, key=lambda result: result[0])
    return Result(error, at, value)


@functools.cache
def _compiled(name: str, element: str, target: str) -> Call:
    """A function of two arguments, the second of which it may ignore."""
    arity = 2 if name in BINARY else 1
    call = compiled(getattr(ops, name), np.dtype(TYPES[element]), arity, target, _SIZE)
    return lambda x, y: call(*(x, y)[:arity])


def _chosen(name: str, dtype: Complex) -> tuple[Array, Array]:
    """The arguments of the tests, several times, and, if applicable, the ends of the range."""
    parts = [sample(dtype, seed) for seed in range(_SEEDS)]
    if name in EXTREMES:
        parts.append(extremes(dtype))
    x = np.concatenate(parts)
    return x, np.random.default_rng(1).permutation(x)


def _screened(name: str, call: Call) -> tuple[Array, Array]:
    """From many random complex64 arguments, those for which the function in complex128 differs
    most.
    """
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    reference = _compiled(name, "complex128", "cpu")
    limits = np.finfo(np.complex64)

    def tried(x: Array, y: Array) -> list[Array]:
        exact = reference(x.astype(np.complex128), y.astype(np.complex128))
        with np.errstate(all="ignore"):
            size = np.abs(exact)
            errors = np.abs(call(x, y) - exact) / size
            if name == "pow":  # as in `allowance`
                errors /= 1 + np.abs(y * np.log(x.astype(np.complex128))) / 2
        inside = (1e8 * float(limits.tiny) < size) & (size < 0.5 * float(limits.max))
        return worst_rows([np.where(inside, np.where(np.isnan(errors), np.inf, errors), 0), x, y])

    worst = merged(
        tried(_scattered(block, rng), _scattered(int(rng.integers(4)), rng))
        for block in range(SCREENED // _SIZE)
    )
    for _ in range(ROUNDS):
        near = [tried(*(_near(z[i : i + 4], rng) for z in worst[1:])) for i in range(0, WORST, 4)]
        worst = merged([worst, *near])
    return worst[1], worst[2]


def _near(centres: Array, rng: np.random.Generator) -> Array:
    """Random numbers whose parts are near those of a few."""
    repeated = np.repeat(centres, _SIZE // centres.size)
    factors = 1 + rng.uniform(-1, 1, (2, repeated.size)) / 64
    parts = factors * np.array([np.real(repeated), np.imag(repeated)])
    return (parts[0] + 1j * parts[1]).astype(np.complex64)


def _scattered(kind: int, rng: np.random.Generator) -> Array:
    """Random numbers: in a large or a small square, of any magnitude and angle, or real."""
    match kind % 4:
        case 0:
            parts = rng.uniform(-90, 90, (2, _SIZE))
        case 1:
            parts = rng.uniform(-5, 5, (2, _SIZE))
        case 2:
            modulus, angle = 10 ** rng.uniform(-6, 3, _SIZE), rng.uniform(-np.pi, np.pi, _SIZE)
            parts = modulus * np.array([np.cos(angle), np.sin(angle)])
        case _:
            parts = np.array([rng.uniform(-90, 90, _SIZE), np.zeros(_SIZE)])
    return (parts[0] + 1j * parts[1]).astype(np.complex64)
