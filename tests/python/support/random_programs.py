"""Random programs: steps, each a function of values before it."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

# The number of programs in each test.
PROGRAMS = int(os.environ.get("DOVETAIL_RANDOM_PROGRAMS", "100"))

Shape = tuple[int, ...]
# Functions of two values and a generator of random numbers, by their names.
Steps = Mapping[str, Callable[..., Any]]
SHAPES: list[Shape] = [(), (3,), (1,), (2, 3), (3, 1), (2, 1, 3), (4, 17), (0,), (0, 2), (2, 0, 1)]


class Step(NamedTuple):
    """One line of a program: a function of earlier values, chosen by number, and of a seed."""

    name: str
    operands: tuple[int, int]
    seed: int


class Program(NamedTuple):
    """Inputs by their shapes, and steps; the result is a sum of everything with matching shapes."""

    shapes: list[Shape]
    steps: list[Step]

    def inputs(self, seed: int, batch: Shape = ()) -> list[np.ndarray]:
        rng = np.random.default_rng(seed)
        return [rng.uniform(-1.5, 1.5, batch + shape) for shape in self.shapes]

    def __call__(self, *inputs: Any) -> Any:
        return self.by(STEPS, *inputs)

    def by(self, table: Steps, *inputs: Any) -> Any:
        """The results, with these meanings of steps."""
        values = list(inputs)
        for name, operands, seed in self.steps:
            chosen = [values[i % len(values)] for i in operands]
            values.append(table[name](*chosen, np.random.default_rng(seed)))
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


def slices(x: Any, rng: np.random.Generator) -> tuple[slice, ...]:
    """In either direction; with omitted, negative and too large ends, and empty ones."""

    def end(size: int) -> int | None:
        return None if rng.integers(3) == 0 else int(rng.integers(-size - 2, size + 3))

    steps = [None, 1, 2, 3, -1, -2]
    return tuple(slice(end(n), end(n), steps[rng.integers(len(steps))]) for n in np.shape(x))


def sliced(x: Any, rng: np.random.Generator) -> Any:
    where = slices(x, rng)
    if rng.integers(2):
        return x[where]
    method = str(rng.choice(["add", "multiply", "set", "max"]))
    return getattr(x.at[where], method)(dnp.tanh(dnp.sum(x)))


def branched(x: Any, rng: np.random.Generator) -> Any:
    """One of two functions of a part of an array, and a loop around such a choice."""
    where, kept = slices(x, rng), slices(x, rng)

    def one(v: Any) -> Any:
        return v * 0.5 + dnp.tanh(dnp.sum(v.at[where].multiply(0.5)))

    def other(v: Any) -> Any:
        return dnp.sin(v) - dnp.sum(dnp.tanh(v[kept]))

    if rng.integers(2):
        return lax.cond(computed(x) > -1, one, other, x)
    step = lambda i, v: lax.switch(i % 3, [one, other, dnp.tanh], v)  # noqa: E731
    return lax.fori_loop(0, int(rng.integers(3)), step, x)


def windowed(x: Any, rng: np.random.Generator) -> Any:
    """Reduced over windows, which may leave a remainder or exceed the array."""

    def each() -> tuple[int, ...]:
        return tuple(map(int, rng.integers(1, 4, np.ndim(x))))

    padding, window = str(rng.choice(["SAME", "VALID"])), each()
    if rng.integers(2):
        return lax.reduce_window(x, -np.inf, lax.max, window, each(), padding)
    return lax.reduce_window(x, 0.0, lax.add, window, each(), padding, window_dilation=each())


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
    """Any two arrays as matrices, contracted over their common part."""
    x, y = (dnp.ravel(v) for v in (x, y))
    n = max(math.gcd(x.size, y.size), 1)
    x, y = x.reshape(x.size // n, n), y.reshape(n, y.size // n)
    return dnp.tanh(dnp.dot(x, y) if rng.integers(2) else dnp.einsum("ij,jk->ki", x, y))


def places(x: Any, rng: np.random.Generator) -> np.ndarray:
    """Indices along the first dimension, some of them negative or out of bounds."""
    size = np.shape(x)[0]
    return rng.integers(-size - 1, size + 2, int(rng.integers(1, 4))).astype(np.int32)


def computed(x: Any) -> Any:
    """An index that is not known while tracing."""
    return dnp.sum(dnp.floor(dnp.tanh(dnp.real(x)))).astype(dnp.int32)


def taken(x: Any, rng: np.random.Generator) -> Any:
    index: Any = places(x, rng)
    if rng.integers(2):
        index = index + computed(x)
    if not np.shape(x)[0]:
        return x
    if np.ndim(x) > 1 and rng.integers(2):
        return x[index, ..., :: int(rng.choice([-1, 2]))]
    mode = str(rng.choice(["clip", "fill"]))
    return x.at[index].get(mode=mode, fill_value=0.5)


def changed(x: Any, rng: np.random.Generator) -> Any:
    """Updates that may overlap, except for `set`, whose order is unspecified, and products."""
    method = str(rng.choice(["add", "subtract", "min", "max", "set", "multiply"]))
    index: Any = places(x, rng)
    if method in ("set", "multiply"):
        index = index[:1]
    if rng.integers(2):
        index = index + computed(x)
    values = rng.uniform(-1, 1, (len(index), *np.shape(x)[1:]))
    options = {"mode": str(rng.choice(["clip", "drop"])), "unique_indices": len(index) == 1}
    return getattr(x.at[index], method)(dnp.tanh(values * dnp.sum(x)), **options)


def sliced_dynamically(x: Any, rng: np.random.Generator) -> Any:
    sizes = [int(rng.integers(n + 1)) for n in np.shape(x)]
    starts = [computed(x) + int(rng.integers(-1, 2)) for _ in sizes]
    part = lax.dynamic_slice(x, starts, sizes)
    if rng.integers(2):
        return part
    return lax.dynamic_update_slice(x, part * 2, [start + 1 for start in starts])


def ordered(x: Any, rng: np.random.Generator) -> Any:
    axis = axis_of(x, rng)
    if rng.integers(2):
        return dnp.sort(x, axis, descending=bool(rng.integers(2)))
    order = dnp.argsort(dnp.sin(3 * x), axis)
    return dnp.take_along_axis(x, order, axis) + order


def ranked(x: Any, rng: np.random.Generator) -> Any:
    """Integers and bools found by comparing."""
    axis = axis_of(x, rng)
    if not np.shape(x)[axis]:
        return x
    best = dnp.argmax(x, axis, keepdims=True) - dnp.argmin(x, axis, keepdims=True)
    return x * best + dnp.any(x > 0.2, axis, keepdims=True)


def running(x: Any, rng: np.random.Generator) -> Any:
    function = (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp)[rng.integers(5)]
    return function(x, axis_of(x, rng), bool(rng.integers(2)))


def special(x: Any, rng: np.random.Generator) -> Any:
    functions: list[Callable[[Any], Any]] = [
        lax.erf,
        lax.erfc,
        lambda v: lax.erf_inv(v * 0.9),
        lambda v: lax.lgamma(v + 2),
        lambda v: lax.digamma(v + 2),
        lax.bessel_i0e,
        lax.bessel_i1e,
        dnp.sinc,
        lambda v: dnp.logaddexp(v, 1.0),
    ]
    return functions[rng.integers(len(functions))](x)


def narrow(x: Any, rng: np.random.Generator) -> Any:
    """Exact in types of few bits, so that no rounding turns a small error into a large one."""
    n = np.shape(x)[-1]
    dtype = str(rng.choice(["bfloat16", "float16", "int8", "uint8", "int64", "float32"]))
    small = dnp.arange(n, dtype=dtype) * 2 - dnp.asarray(3, dtype)
    if np.issubdtype(small.dtype, np.integer):
        small = (small << 2) ^ (small >> 1) & ~small
    return x + dnp.cumsum(small, dtype=small.dtype)[::-1].astype(x.dtype) / 8


def narrow_loop(x: Any, rng: np.random.Generator) -> Any:
    """A loop on a 16-bit float, with exact steps."""
    dtype = str(rng.choice(["bfloat16", "float16"]))
    start = dnp.arange(np.shape(x)[-1]).astype(dtype) % 5

    def step(i: Any, c: Any) -> Any:
        c = dnp.where(c > i, c - 1, dnp.maximum(c[::-1], 1)) if dtype == "float16" else -c
        return dnp.minimum(c, c[:1] + 2) * dnp.asarray(0.5, dtype) + dnp.max(c, initial=0)

    return x + lax.fori_loop(0, int(rng.integers(1, 4)), step, start).astype(x.dtype) / 8


def split_complex(x: Any, rng: np.random.Generator) -> Any:
    z = lax.complex(dnp.sin(x), x)
    z = dnp.cumsum(z, axis_of(x, rng)) * dnp.flip(z) if rng.integers(2) else dnp.exp(z)
    return dnp.real(z) - dnp.imag(dnp.conj(z))


def masked(x: Any, rng: np.random.Generator) -> Any:
    mask = rng.random(np.shape(x)) < 0.5
    return x[mask] if rng.integers(2) else x.at[mask].set(0.25)


def outer(x: Any, y: Any, rng: np.random.Generator) -> Any:
    """One array along two dimensions of another, or two arrays of the same size."""
    x, y = (dnp.atleast_1d(v) for v in (x, y))
    if np.shape(x)[-1] != np.shape(y)[-1]:
        y = x
    if rng.integers(2):
        y = dnp.cos(y)
    x, y = (v.reshape(math.prod(np.shape(v)[:-1]), np.shape(v)[-1]) for v in (x, y))
    y = dnp.sum(y if rng.integers(2) else y[:1], 0)
    if np.shape(x)[0] > 8 or rng.integers(2):
        x = dnp.max(x, 0, initial=-1.0) if rng.integers(2) else dnp.sum(x, 0)
    pairs = dnp.tanh(x)[..., :, None] * y if rng.integers(2) else dnp.tanh(x[..., :, None] - y)
    return dnp.sum(pairs, -1) if rng.integers(2) else pairs


def changed_and_read(x: Any, y: Any, rng: np.random.Generator) -> Any:
    """An update of an array with other readers, before and after it."""
    x = dnp.atleast_1d(x)
    if not np.shape(x)[0]:
        return x
    x = dnp.tanh(dnp.cumsum(x, 0))

    def read() -> Any:
        value = dnp.sin(x) if rng.integers(2) else dnp.cos(x) * dnp.sum(dnp.sort(y, None))
        for _ in range(rng.integers(3)):
            value = dnp.tanh(dnp.cumsum(value, axis_of(value, rng)))
        return dnp.sum(value)

    before = read()
    return changed(x, rng) * (0.5 + dnp.tanh(before)) + dnp.tanh(read())


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
    "branch": on_arrays(lambda x, rng: branched(dnp.tanh(x), rng)),
    "window": on_arrays(lambda x, rng: windowed(dnp.tanh(x), rng)),
    "pad": on_arrays(padded),
    "concatenate": on_arrays(lambda x, rng: dnp.concatenate([x, -x, x], axis_of(x, rng))),
    "reduce": on_arrays(reduced),
    "contract": multiplied,
    "outer": outer,
    "take": on_arrays(taken),
    "update": on_arrays(lambda x, rng: changed(x, rng) if np.shape(x)[0] else x),
    "update_and_read": changed_and_read,
    "dynamic": on_arrays(sliced_dynamically),
    "mask": on_arrays(masked),
    "sort": on_arrays(ordered),
    "rank": on_arrays(lambda x, rng: ranked(dnp.tanh(x), rng)),
    "running": on_arrays(lambda x, rng: running(dnp.tanh(x), rng)),
    "special": on_arrays(lambda x, rng: special(dnp.tanh(x), rng)),
    "narrow": on_arrays(narrow),
    "narrow_loop": on_arrays(narrow_loop),
    "cplx": on_arrays(lambda x, rng: split_complex(dnp.tanh(x), rng)),
    "jit": bounded(dt.jit(smooth)),
    "grad": bounded(lambda x: dt.grad(lambda z: dnp.sum(smooth(z) * z))(x)),
    "jvp": bounded(lambda x: dt.jvp(smooth, (x,), (x,))[1]),
    "vmap": on_arrays(lambda x, rng: dt.vmap(smooth)(dnp.tanh(x))),
    "closure": paired(lambda x, y: dt.jit(lambda z: dnp.tanh(z) + dnp.sin(y))(x)),
}


def programs(
    longest: int, names: Sequence[str] = sorted(STEPS), sizes: Sequence[Shape] = SHAPES
) -> st.SearchStrategy[Program]:
    """Programs of at most so many of these steps, of arrays of these shapes."""
    number = st.integers(0, 9)
    steps = st.builds(Step, st.sampled_from(names), st.tuples(number, number), st.integers(0, 99))
    shapes = st.lists(st.sampled_from(sizes), min_size=1, max_size=3)
    return st.builds(Program, shapes, st.lists(steps, min_size=2, max_size=longest))


def close(actual: Any, expected: Any, tolerance: float) -> None:
    for a, e in zip(actual, expected, strict=True):
        a, e = np.asarray(a), np.asarray(e)
        assert a.dtype == e.dtype
        np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance)


def with_derivatives(program: Callable[..., Any]) -> Callable[..., Any]:
    """Exposes the code generator to the results of transforms."""

    def function(*inputs: Any) -> Any:
        results, pullback = dt.vjp(program, *inputs)
        return *results, *pullback(tuple(dnp.ones_like(r) for r in results))

    return function
