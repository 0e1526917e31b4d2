"""Random programs of updates in place, mixed with reads of the same arrays: once, and in loops.

An array that is updated in place must first be read by all that need its old elements, and only the
slice that an update names may change. Sizes lie around those of vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from support import breadth

SIZES = (1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129)
EXACT = ("int8", "uint16", "int32", "bool")
FLOATS = ("float32", "float64", "bfloat16", "complex64")


class Step(NamedTuple):
    """A function of two arrays and a position, which gives a new first array of the same shape; the
    seed decides on places and sizes.
    """

    name: str
    swaps: bool
    seed: int


class Program(NamedTuple):
    """Steps on two arrays."""

    shape: tuple[int, ...]
    dtype: str
    steps: tuple[Step, ...]
    loop: str

    def inputs(self, seed: int, batch: tuple[int, ...] = ()) -> tuple[np.ndarray, np.ndarray, int]:
        rng = np.random.default_rng(seed)
        dtype = dnp.dtype(self.dtype)
        x, y = (rng.integers(-8, 9, batch + self.shape) for _ in range(2))
        if self.dtype in EXACT:
            return x.astype(dtype), y.astype(dtype), 1
        scaled = [(v / 8 + (1j * v[::-1] / 8 if self.dtype == "complex64" else 0)) for v in (x, y)]
        return scaled[0].astype(dtype), scaled[1].astype(dtype), 1

    def once(self, x: Any, y: Any, i: Any) -> tuple[Any, Any]:
        for name, swaps, seed in self.steps:
            x = STEPS[name](x, y, i, np.random.default_rng(seed))
            assert x.shape == y.shape
            if swaps:
                x, y = y, x
        return x, y

    def __call__(self, x: Any, y: Any, i: Any) -> Any:
        if self.loop == "none":
            return *self.once(x, y, i), x
        if self.loop == "fori":
            return lax.fori_loop(0, 3, lambda k, c: self.once(c[0], c[1], k + i), (x, y))
        if self.loop == "while":
            # Of the updated array, the condition reads an element.
            return lax.while_loop(
                lambda c: (c[0] < 3) & (dnp.real(c[1].ravel()[-1]) == dnp.real(c[1].ravel()[-1])),
                lambda c: (c[0] + 1, *self.once(c[1], c[2], c[0] + i)),
                (0, x, y),
            )
        if self.loop == "nested":
            inner = lambda c: lax.fori_loop(0, 2, lambda k, c: self.once(c[0], c[1], k + i), c)  # noqa: E731
            return lax.fori_loop(0, 2, lambda _, c: inner(c)[::-1], (x, y))
        # Slices of the updated array are results, too.
        return lax.scan(
            lambda c, k: (new := self.once(c[0], c[1], k + i), (new[0][:1], c[0])),
            (x, y),
            dnp.arange(3),
        )


def window(x: Any, rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Starts and sizes of a part of an array; most parts are whole along most dimensions."""
    sizes = [n if rng.integers(2) else int(rng.integers(1, n + 1)) for n in x.shape]
    return [
        int(rng.integers(0, n - size + 1)) for n, size in zip(x.shape, sizes, strict=True)
    ], sizes


def slices(starts: list[int], sizes: list[int]) -> tuple[slice, ...]:
    return tuple(slice(start, start + size) for start, size in zip(starts, sizes, strict=True))


def other_start(x: Any, sizes: list[int], rng: np.random.Generator) -> list[int]:
    return [int(rng.integers(0, n - size + 1)) for n, size in zip(x.shape, sizes, strict=True)]


def halved(x: Any) -> Any:
    """Keeps numbers small."""
    if x.dtype == bool:
        return ~x
    return x // 2 + 1 if np.issubdtype(x.dtype, np.integer) else x / 2 + 0.25


def mixed(x: Any, y: Any) -> Any:
    """A number of the same type, of two."""
    if x.dtype == bool:
        return x ^ y
    return x - y if np.issubdtype(x.dtype, np.integer) else (x - y) / 2


def read(x: Any, sizes: list[int], i: Any, rng: np.random.Generator) -> Any:
    """A part of an array in one of several ways: known or computed starts, reversed, with strides,
    turned around its ends, by indices, or a row of it for all.
    """
    starts = other_start(x, sizes, rng)
    way = rng.integers(8)
    axis = int(rng.integers(x.ndim))
    if way == 0:
        return lax.dynamic_slice(x, [s + i - 1 for s in starts], sizes)
    if way == 1:
        return dnp.flip(x[slices(starts, sizes)], axis)
    if way == 2:
        # Every other element, those at the end several times.
        places = np.minimum(np.arange(sizes[axis]) * 2, x.shape[axis] - 1)
        rest = [slice(s, s + n) for s, n in zip(starts, sizes, strict=True)]
        rest[axis] = slice(None)
        every = dnp.take(x[tuple(rest)], places, axis)
        if rng.integers(2):
            return every
        half = lax.slice_in_dim(x[tuple(rest)], 0, x.shape[axis], 2, axis)
        joined = dnp.concatenate([half, dnp.flip(half, axis), half], axis)
        return lax.slice_in_dim(joined, 0, sizes[axis], 1, axis)
    if way == 3:
        return dnp.roll(x, int(rng.integers(1, 4)), axis)[slices(starts, sizes)]
    if way == 4:
        places = rng.integers(-x.shape[axis] - 1, x.shape[axis] + 2, sizes[axis])
        rest = [slice(s, s + n) for s, n in zip(starts, sizes, strict=True)]
        rest[axis] = slice(None)
        return dnp.take(x[tuple(rest)], places + i, axis, mode=str(rng.choice(["clip", "wrap"])))
    if way == 5:
        row = x[slices(starts, [1 if d == axis else n for d, n in enumerate(sizes)])]
        return dnp.broadcast_to(row, sizes)
    if way == 6:
        padded = dnp.pad(x, [(1, 2)] * x.ndim, mode=str(rng.choice(["constant", "edge"])))
        return padded[slices([s + int(rng.integers(0, 3)) for s in starts], sizes)]
    return x[slices(starts, sizes)]


def sliced(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """Of parts of the same array or another one, part of the array is made."""
    starts, sizes = window(x, rng)
    new = read(x if rng.integers(3) else y, sizes, i, rng)
    if rng.integers(2):
        new = mixed(new, read(x if rng.integers(2) else y, sizes, i, rng))
    if rng.integers(2):
        new = halved(new)
    if rng.integers(2):
        return lax.dynamic_update_slice(x, new, [s + i for s in starts])
    if x.dtype == bool or rng.integers(2):
        return x.at[slices(starts, sizes)].set(new)
    return halved(x).at[slices(starts, sizes)].add(new // 2 if x.dtype.kind in "iu" else new / 4)


def two_slices(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """Two updates of one array from reads that all come before, or in between."""
    starts, sizes = window(x, rng)
    others, more = window(x, rng)
    first = read(x, sizes, i, rng)
    changed = x.at[slices(starts, sizes)].set(first)
    second = read(changed if rng.integers(2) else x, more, i, rng)
    changed = changed.at[slices(others, more)].set(halved(second))
    return mixed(changed, x) if rng.integers(2) else changed


def strided(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """Every second or third element is changed, or all in the other direction."""
    axis = int(rng.integers(x.ndim))
    step = int(rng.choice([2, 3, -1, -2]))
    start = int(rng.integers(x.shape[axis]))
    where: Any = [slice(None)] * x.ndim
    where[axis] = slice(start, None, step)
    part = x[tuple(where)]
    source = dnp.flip(part, axis) if rng.integers(2) else y[tuple(where)]
    return x.at[tuple(where)].set(halved(source) if rng.integers(2) else source)


def rows(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """Rows are read and updated by indices, some negative or out of bounds; they are different,
    unless they are added, taken together or hold the same.
    """
    n, axis = x.shape[0], int(rng.integers(x.ndim))
    n = x.shape[axis]
    count = int(rng.integers(1, n + 1))
    places = rng.permutation(np.arange(-1, n + 1))[:count].astype(rng.choice(["int8", "int32"]))
    where: Any = (slice(None),) * axis + (places if rng.integers(2) else places + i,)
    options = {"mode": str(rng.choice(["drop", "clip"])), "wrap_negative_indices": False}
    if options["mode"] == "clip":
        # Several indices become that of the first or last row.
        return x.at[where].set(halved(x[tuple([slice(None)] * axis + [slice(0, 1)])]), **options)
    sizes = [count if d == axis else size for d, size in enumerate(x.shape)]
    new = read(x if rng.integers(2) else y, sizes, i, rng)
    if x.dtype == bool or rng.integers(2):
        return x.at[where].set(new, **options)
    method = str(rng.choice(["add", "min", "max"]))
    if method != "add" and x.dtype.kind == "c":
        method = "add"
    if method == "add":
        new = new // 2 if x.dtype.kind in "iu" else new / 4
    return getattr(halved(x).at[where], method)(new, **options)


def reduced(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """A sum over a short last dimension, which broadcasts have."""
    count = int(rng.integers(1, 6))
    weights = dnp.asarray(rng.integers(0, 2, count)).astype(x.dtype)
    if x.dtype == bool:
        return dnp.any(x[..., None] & weights, -1)
    products = dnp.broadcast_to(x[..., None], (*x.shape, count)) * weights
    if x.dtype.kind in "iu":
        return mixed(dnp.sum(products, -1, dtype=x.dtype), y)
    return dnp.sum(products, -1, dtype=x.dtype) / 8 + read(y, list(x.shape), i, rng) / 4


def joined(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """Parts of arrays, one after the other; the whole is read later."""
    axis = int(rng.integers(x.ndim))
    cut = int(rng.integers(x.shape[axis] + 1))
    parts = [lax.slice_in_dim(x, cut, None, 1, axis), lax.slice_in_dim(y, 0, cut, 1, axis)]
    if rng.integers(2):
        parts[0] = halved(parts[0])
    if rng.integers(2):
        parts = parts[::-1]
    whole = dnp.concatenate(parts, axis)
    return mixed(whole, x) if rng.integers(2) else whole


def chosen(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """Only one of two branches updates the array."""
    starts, sizes = window(x, rng)
    new = read(y, sizes, i, rng)
    return lax.cond(
        i % 2 == int(rng.integers(2)),
        lambda x: x.at[slices(starts, sizes)].set(new),
        lambda x: halved(x) if rng.integers(2) else x,
        x,
    )


def accumulated(x: Any, y: Any, i: Any, rng: np.random.Generator) -> Any:
    """A loop that writes a row of one array from the row before."""
    n = x.shape[0]

    def step(k: Any, x: Any) -> Any:
        row = lax.dynamic_index_in_dim(x, k, keepdims=False)
        other = lax.dynamic_index_in_dim(y, n - 1 - k, keepdims=False)
        return lax.dynamic_update_index_in_dim(x, mixed(row, other), (k + 1) % n, 0)

    return lax.fori_loop(0, min(n, 5), step, x)


STEPS: dict[str, Callable[..., Any]] = {
    "slice": sliced,
    "two_slices": two_slices,
    "stride": strided,
    "rows": rows,
    "reduce": reduced,
    "join": joined,
    "branch": chosen,
    "loop": accumulated,
    "halve": lambda x, y, i, rng: halved(x),
    "mix": lambda x, y, i, rng: mixed(x, y),
}
# Which are most often there.
NAMES = (*STEPS, "slice", "slice", "slice", "two_slices", "rows", "stride")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    size = st.sampled_from(SIZES)
    shape = draw(
        st.one_of(st.tuples(size), st.tuples(size, size), st.tuples(st.just(3), size, size))
    )
    dtype = draw(st.sampled_from(EXACT + FLOATS))
    steps = st.builds(Step, st.sampled_from(NAMES), st.booleans(), st.integers(0, 999))
    loop = draw(st.sampled_from(["none", "fori", "scan", "while", "nested"]))
    return Program(shape, dtype, tuple(draw(st.lists(steps, min_size=1, max_size=5))), loop)


def check(program: Program, function: Callable[..., Any], inputs: Any, donates: bool) -> None:
    expected = jitted(function)(*inputs, compile="never")
    actual = jitted(function, donates)(*inputs, compile="now")
    tolerance = {"bfloat16": 0.06, "float64": 1e-12}.get(program.dtype, 2e-5)
    for a, e in zip(dt.tree.leaves(actual), dt.tree.leaves(expected), strict=True):
        a, e = np.asarray(a), np.asarray(e)
        assert (a.dtype, a.shape) == (e.dtype, e.shape)
        if program.dtype in EXACT:
            np.testing.assert_array_equal(a, e)
            continue
        kind = np.complex128 if a.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(
            a.astype(kind), e.astype(kind), rtol=tolerance, atol=tolerance * 4
        )


def jitted(function: Callable[..., Any], donates: bool = False) -> Callable[..., Any]:
    def call(*inputs: Any, compile: str) -> Any:
        arrays = [dnp.array(x) for x in inputs]
        with config.compile(compile):
            return dt.jit(lambda *args: function(*args), donate_argnums=(0, 1) * donates)(*arrays)

    return call


@pytest.mark.parametrize("merges", [False, True])
@settings(max_examples=400 if breadth.IS_NIGHTLY else 6)
@given(programs(), st.sampled_from(["value", "value", "gradient", "batch"]), st.booleans())
def test_random_updates(merges: bool, program: Program, way: str, donates: bool) -> None:
    batch = ()
    function: Callable[..., Any] = program
    is_real = program.dtype in ("float32", "float64", "bfloat16")
    if way == "gradient" and is_real and program.loop != "while":

        def loss(*args: Any) -> Any:
            leaves = dt.tree.leaves(program(*args))
            return sum(dnp.sum(dnp.sin(leaf)) for leaf in leaves)

        function = dt.grad(loss, (0, 1))
    elif way == "batch":
        batch = (3,)
        function = dt.vmap(program, (0, 0, None))
    with config.enable_x64(), config.merge_small_ops(merges):
        check(program, function, program.inputs(0, batch), donates)
