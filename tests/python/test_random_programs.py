"""Random programs through the whole pipeline, against the reference evaluator and each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config

Shape = tuple[int, ...]
SHAPES: list[Shape] = [(), (3,), (2, 3), (3, 1), (2, 1, 3), (0, 2)]


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    with config.enable_x64(True):
        yield


class Step(NamedTuple):
    """One line of a program: a function of earlier values, chosen by number, and of a seed."""

    name: str
    operands: tuple[int, int]
    seed: int


class Program(NamedTuple):
    """Inputs by their shapes, and steps; the result is a sum of all that fits together."""

    shapes: list[Shape]
    steps: list[Step]

    def inputs(self, seed: int, batch: Shape = ()) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        return [rng.uniform(-1.5, 1.5, batch + shape) for shape in self.shapes]

    def __call__(self, *inputs: Any) -> Any:
        values = list(inputs)
        for name, operands, seed in self.steps:
            chosen = [values[i % len(values)] for i in operands]
            values.append(STEPS[name](*chosen, np.random.default_rng(seed)))
        return values[-1], dnp.sum(dnp.tanh(values[-2]))


def bounded(function: Callable[[Any], Any]) -> Callable[..., Any]:
    """A step of one operand, kept from growing."""
    return lambda x, _, rng: function(dnp.tanh(x))


def paired(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A step of two operands that are made to broadcast."""

    def step(x: Any, y: Any, rng: np.random.Generator) -> Any:
        try:
            np.broadcast_shapes(np.shape(x), np.shape(y))
        except ValueError:
            y = dnp.sum(y)
        return function(x, y)

    return step


def axis_of(x: Any, rng: np.random.Generator) -> int:
    return int(rng.integers(np.ndim(x)))


def on_arrays(function: Callable[[Any, np.random.Generator], Any]) -> Callable[..., Any]:
    """A step that needs a dimension; a scalar becomes a vector."""
    return lambda x, _, rng: function(dnp.atleast_1d(x), rng)


def sliced(x: Any, rng: np.random.Generator) -> Any:
    index = []
    for size in np.shape(x):
        start = int(rng.integers(size + 1))
        index.append(slice(start, int(rng.integers(start, size + 1)), int(rng.integers(1, 3))))
    return x[tuple(index)]


def padded(x: Any, rng: np.random.Generator) -> Any:
    widths = [tuple(map(int, rng.integers(0, 2, 2))) for _ in np.shape(x)]
    return dnp.pad(x, widths, constant_values=float(rng.uniform(-1, 1)))


def reduced(x: Any, rng: np.random.Generator) -> Any:
    keep = bool(rng.integers(2))
    axis = axis_of(x, rng)
    if np.shape(x)[axis] and rng.integers(2):
        return dnp.max(x, axis, keepdims=keep)
    return dnp.sum(x, axis, keepdims=keep)


def transposed(x: Any, rng: np.random.Generator) -> Any:
    return dnp.transpose(x, tuple(map(int, rng.permutation(np.ndim(x)))))


def reshaped(x: Any, rng: np.random.Generator) -> Any:
    size = math.prod(np.shape(x))
    divisors = [d for d in range(1, size + 1) if size % d == 0] or [1]
    first = int(rng.choice(divisors))
    return x.reshape(first, size // first)


def multiplied(x: Any, y: Any, rng: np.random.Generator) -> Any:
    """Any two arrays as matrices, contracted over what they have in common."""
    x, y = (dnp.ravel(v) for v in (x, y))
    n = max(math.gcd(x.size, y.size), 1)
    x, y = x.reshape(x.size // n, n), y.reshape(n, y.size // n)
    return dnp.tanh(dnp.dot(x, y) if rng.integers(2) else dnp.einsum("ij,jk->ki", x, y))


def smooth(x: Any) -> Any:
    return dnp.sin(x) * dnp.exp(-x * x)


STEPS: dict[str, Callable[..., Any]] = {
    "sin": bounded(dnp.sin),
    "exp": bounded(dnp.exp),
    "log1p": bounded(lambda x: dnp.log1p(x * x)),
    "sqrt": bounded(lambda x: dnp.sqrt(2 + x)),
    "power": bounded(lambda x: (x + 2) ** 1.5 - x**3),
    "neg": bounded(lambda x: -x),
    "bools": bounded(lambda x: dnp.where((x > 0.1) & ~(x > 0.7), x, 2 * x)),
    "complex": bounded(lambda x: dnp.real(dnp.exp(1j * x) * (2 - 1j))),
    "integers": bounded(lambda x: x + dnp.floor(4 * x).astype(dnp.int32)),
    "float32": bounded(lambda x: x + x.astype(dnp.float32)),
    "add": paired(lambda x, y: x + y),
    "mul": paired(lambda x, y: dnp.tanh(x) * y / (1 + y * y)),
    "max": paired(lambda x, y: dnp.maximum(x, 0.3 + y)),
    "atan2": paired(lambda x, y: dnp.arctan2(x, 3 + y * y)),
    "constant": on_arrays(lambda x, rng: x + rng.uniform(-1, 1, np.shape(x))),
    "iota": on_arrays(lambda x, rng: x + dnp.arange(np.shape(x)[-1])),
    "transpose": on_arrays(transposed),
    "reshape": on_arrays(reshaped),
    "slice": on_arrays(sliced),
    "reverse": on_arrays(lambda x, rng: dnp.flip(x, axis_of(x, rng))),
    "pad": on_arrays(padded),
    "concatenate": on_arrays(lambda x, rng: dnp.concatenate([x, -x, x], axis_of(x, rng))),
    "reduce": on_arrays(reduced),
    "contract": multiplied,
    "jit": bounded(dt.jit(smooth)),
    "grad": bounded(lambda x: dt.grad(lambda z: dnp.sum(smooth(z) * z))(x)),
    "jvp": bounded(lambda x: dt.jvp(smooth, (x,), (x,))[1]),
    "vmap": on_arrays(lambda x, rng: dt.vmap(smooth)(dnp.tanh(x))),
    "closure": paired(lambda x, y: dt.jit(lambda z: dnp.tanh(z) + dnp.sin(y))(x)),
}


def programs(longest: int) -> st.SearchStrategy[Program]:
    number = st.integers(0, 9)
    steps = st.builds(
        Step, st.sampled_from(sorted(STEPS)), st.tuples(number, number), st.integers(0, 99)
    )
    shapes = st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)
    return st.builds(Program, shapes, st.lists(steps, min_size=2, max_size=longest))


def close(actual: Any, expected: Any, tolerance: float) -> None:
    for a, e in zip(actual, expected, strict=True):
        a, e = np.asarray(a), np.asarray(e)
        assert a.dtype == e.dtype
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance)


@settings(max_examples=80)
@given(programs(12))
def test_simplified_programs_agree_with_their_ops_one_by_one(program: Program) -> None:
    inputs = program.inputs(0)
    stated = dt.linearize(program, *inputs)[0]
    close(stated, program(*inputs), 1e-12)


@settings(max_examples=60)
@given(programs(8))
def test_derivatives_of_programs(program: Program) -> None:
    """Forward mode against differences, reverse mode against forward mode."""
    inputs, tangents = program.inputs(0), program.inputs(1)
    _, forward = dt.jvp(program, tuple(inputs), tuple(tangents))
    results, pullback = dt.vjp(program, *inputs)
    rng = np.random.default_rng(2)
    cotangents = tuple(dnp.array(rng.uniform(-1, 1, np.shape(r))) for r in results)
    backward = pullback(cotangents)
    lhs = sum(float(dnp.vdot(c, t)) for c, t in zip(cotangents, forward, strict=True))
    rhs = sum(float(dnp.vdot(b, t)) for b, t in zip(backward, tangents, strict=True))
    np.testing.assert_allclose(lhs, rhs, rtol=1e-5, atol=1e-5)


@settings(max_examples=60)
@given(programs(8))
def test_batched_programs_agree_with_a_loop(program: Program) -> None:
    inputs = program.inputs(0, batch=(2,))
    actual = dt.vmap(program)(*inputs)
    rows = [program(*(x[i] for x in inputs)) for i in range(2)]
    close(
        actual, [np.stack(list(map(np.asarray, parts))) for parts in zip(*rows, strict=True)], 1e-6
    )


@pytest.mark.slow
@settings(max_examples=12)
@given(programs(10))
def test_compiled_programs_agree_with_eager(program: Program) -> None:
    """With derivatives, so that the code generator meets what transforms make."""

    def both(*inputs: Any) -> Any:
        results, pullback = dt.vjp(program, *inputs)
        return *results, *pullback(tuple(dnp.ones_like(r) for r in results))

    inputs = program.inputs(0)
    close(dt.jit(both)(*inputs), both(*inputs), 1e-5)
