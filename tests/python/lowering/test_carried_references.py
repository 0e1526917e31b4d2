"""Loops and branches of the host with references to buffers: who owns which memory, and when."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from dovetail.experimental import io_callback
from dovetail.programs.stages import Compiled
from dovetail.runtime import Executable
from support.callback_tools import Log, debug, io
from support.host_loops import check, compare, hosted

X = dnp.linspace(-1.0, 1.0, 40_000).reshape(200, 200)
ROW = dnp.linspace(-1.0, 1.0, 6)
N = np.int32(3)

assert_agrees = functools.partial(check, rtol=1e-5, atol=1e-5)


def repeat(n: Any, body: Callable[..., Any], *carry: Any) -> Any:
    """A loop of a given number of steps over arrays."""
    return lax.fori_loop(0, n, lambda i, c: body(i, *c), carry)


# One value at several positions, in one program, since starting the compiler takes longest.
def shared(x: Any, n: Any) -> Any:
    same = repeat(n, lambda i, a, b, c: (dnp.sin(a) + b, b * 0.5, c), x, x, x)
    swapped = repeat(n, lambda i, a, b: (b, a), x, x + 1)
    rotated = repeat(n, lambda i, a, b, c: (b, c, a * 0.5 + b), x, x, x)
    unchanged = repeat(n, lambda i, a, b: (a, b + a), x, x)
    twice = repeat(n, lambda i, a, b: (a * b, a * b), x, x)
    first = lax.fori_loop(0, n, lambda i, a: dnp.sin(a), x)
    second = repeat(n, lambda i, a, b: (b + 1, a), first, first)
    counted = lax.while_loop(
        lambda c: (c[0] < n) & (c[1][0, 0] < 1e6),
        lambda c: (c[0] + 1, c[2], c[1] + c[2]),
        (0, x, x),
    )
    return same, swapped, rotated, unchanged, twice, first, second, counted, x


def written_over(x: Any, n: Any) -> Any:
    kept = repeat(n, lambda i, a, b: (a.at[i].set(b[i] * 2), a), x, x)
    both = repeat(n, lambda i, a, b: (a.at[i].set(1.0), a.at[i + 1].add(2.0)), x, x)
    swapped = repeat(n, lambda i, a, b: (b.at[i].set(1.0), a.at[i + 1].add(2.0)), x, x)
    rolled = lax.fori_loop(0, n, lambda i, a: dnp.concatenate([a[1:], a[:1]]), x)
    # Within one array, onto a range that overlaps.
    moved = lax.fori_loop(0, n, lambda i, a: lax.dynamic_update_slice(a, a[:-1], (i, 0)), x)
    flipped = repeat(n, lambda i, a, b: (b.T, a.reshape(200, 200)), x, x)
    return kept, both, swapped, rolled, moved, flipped, x


def read_and_written(x: Any, n: Any) -> Any:
    table = dnp.zeros((8, 200)).at[0].set(x[0])
    steps = lax.fori_loop(1, 8, lambda i, t: t.at[i].set(dnp.sin(t[i - 1]) + 1), table)
    twice = lax.fori_loop(
        1, 8, lambda i, t: t.at[i].set(t[i - 1] * 0.5).at[0].add(t[i - 1] - t[i]), table
    )
    # The old value is used elsewhere.
    beside = repeat(n, lambda i, t, s: (t.at[i].set(s), s + t[i] + t[i + 1]), table, x[1])
    inner = lax.fori_loop(
        0, n, lambda i, t: lax.fori_loop(0, 3, lambda j, u: u.at[i, j].set(u[j, i] * 2.0), t), x
    )
    return steps, twice, beside, inner


def nested(x: Any, n: Any) -> Any:
    def outer(i: Any, a: Any, b: Any) -> Any:
        c, d = repeat(i, lambda j, c, d: (d, c + d), a, a)
        return d, a + c

    def chosen(i: Any, a: Any, b: Any) -> Any:
        return lax.cond(i % 2 == 0, lambda a, b: (b, a), lambda a, b: (a + b, a), a, b)

    def updated(i: Any, a: Any, b: Any) -> Any:
        return lax.cond(i % 2 == 0, lambda a, b: (a.at[i].set(b[0]), b), lambda a, b: (b, a), a, b)

    a, b = repeat(n, lambda i, a, b: (b, a + 1), x, x)
    after = a.at[0].set(7.0), b.at[1].set(3.0), a[0], b[1]
    return [repeat(n, body, x, x) for body in (outer, chosen, updated)], after


def of_other_types(x: Any, n: Any) -> Any:
    z, p, e = x[:4] + 2j * x[:4], x[:4] > 0, dnp.zeros((3, 0))
    return (
        repeat(n, lambda i, a, b: (b, a * (0.5 + 0.1j)), z, z + 1j),
        repeat(n, lambda i, a, b, c: (b, ~a, c ^ a), p, p, ~p),
        repeat(n, lambda i, a, b: (b, a.at[i].set(~b[i])), p, p),
        repeat(n, lambda i, a, b, c: (a + 1, b * 2, a), e, x[:2], e),
        lax.fori_loop(0, n, lambda i, a: a * 2, e),
        lax.while_loop(lambda c: c[0] < n, lambda c: (c[0] + 1, c[2], c[1] + 1), (0, e, e)),
    )


@pytest.mark.parametrize(
    "function",
    [shared, written_over, read_and_written, nested, of_other_types],
    ids=lambda function: function.__name__,
)
def test_values(function: Callable[..., Any]) -> None:
    assert_agrees(function, X, N, copies=function is written_over)


def test_gradients() -> None:
    def of_while(x: Any, n: Any) -> Any:
        body = lambda c: (c[0] + 1, c[2], dnp.sin(c[1]) * c[2])  # noqa: E731
        _, a, b = lax.while_loop(lambda c: c[0] < n, body, (0, x, x))
        return dnp.sum(a * b)

    def of_nest(x: Any) -> Any:
        def step(c: Any, _: Any) -> Any:
            a, b = repeat(2, lambda j, a, b: (b, dnp.tanh(a) * b), c, c)
            return a + b, dnp.sum(a)

        last, sums = lax.scan(step, x, None, 3)
        return dnp.sum(last * last) + dnp.sum(sums)

    def of_table(x: Any) -> Any:
        table = dnp.zeros((5, 200)).at[0].set(x[0])
        last = lax.fori_loop(1, 5, lambda i, t: t.at[i].set(dnp.sin(t[i - 1])), table)
        return dnp.sum(last * last)

    def function(x: Any, n: Any) -> Any:
        return dt.grad(of_while)(x, n), dt.grad(of_nest)(x), dt.grad(of_table)(x)

    assert_agrees(function, X, N)


def test_symbolic_sizes() -> None:
    def function(x: Any) -> Any:
        a, b = repeat(x.shape[0], lambda i, a, b: (b, a.at[i].set(b[i] + a[0])), x, x)
        c, rows = lax.scan(lambda c, row: (c + row, (c, row)), x[0], x)
        return (
            a,
            b,
            c,
            rows,
            lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, x)),
        )

    jitted = dt.jit(function, dynamic_shapes=["(n, m)"])
    for shape in [(2, 3), (5, 1), (300, 301)]:
        x = dnp.asarray(np.random.default_rng(0).normal(size=shape).astype(np.float32))
        compare(jitted(x), function(x), 1e-5, 1e-5)


# Without references the results are wrong, or do not compile, if one branch computes what another
# passes on.
@pytest.mark.parametrize("index", range(3))
def test_branches(index: int) -> None:
    def choose(i: Any, x: Any, y: Any) -> Any:
        one = lambda x, y: (x.at[1].add(1.0), y.at[0].set(x[0]))  # noqa: E731
        other = lambda x, y: (lax.dynamic_update_slice(x, y[:1], (2, 0)), y)  # noqa: E731
        x, y = lax.switch(i, [one, other, lambda x, y: (y, x)], x, y)
        return x.at[0].set(y[1] * 0.5), y

    assert_agrees(choose, np.int32(index), X[:4], X[1:5])


def callbacks_in_loops(note: Callable[..., None], log: Log, x: Any, y: Any) -> Any:
    half = lambda v: (log(v[0]), v * np.float32(0.5))[1]  # noqa: E731

    def ask(x: Any) -> Any:
        return io_callback(half, dt.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)

    def goes_on(carry: Any) -> Any:
        note(log, carry[0])
        return carry[0] < 2

    def row(i: Any, x: Any, y: Any) -> Any:
        return x, lax.switch(i % 3, [lambda: x * 2, lambda: ask(x), lambda: (note(log, i), y)[1]])

    def step(carry: Any, i: Any) -> Any:
        n, a, b = lax.while_loop(
            goes_on, lambda c: (c[0] + 1, c[1].at[c[0]].set(0.25), c[1]), (i * 0, *carry)
        )
        note(log, n, a[0])
        a, b = lax.cond(i == 1, lambda: (b, ask(a)), lambda: (a, repeat(1, row, a, b)[1]))
        return (a, b), b[0]

    (x, y), rows = lax.scan(step, (x, y), dnp.arange(3), reverse=True)
    return x.at[1].set(y[0]), y, rows


@pytest.mark.parametrize("note", [debug, io], ids=["debug", "io"])
def test_callbacks_in_nests(note: Callable[..., None]) -> None:
    log = Log()
    program = functools.partial(callbacks_in_loops, note, log)
    expected, calls = program(X[:3, :4], X[3:6, :4]), log.take()
    actual = dt.jit(program)(X[:3, :4], X[3:6, :4])
    compare(actual, expected, 1e-6, 1e-6)
    assert len(calls) > 10
    np.testing.assert_allclose(dt.tree.leaves(log.take()), dt.tree.leaves(calls), rtol=1e-6)


@pytest.mark.usefixtures("vulkan")
def test_vulkan() -> None:
    def function(x: Any, n: Any) -> Any:
        a, b = repeat(n, lambda i, a, b: (b, dnp.sin(a) + b), x, x)
        table = lax.fori_loop(1, 4, lambda i, t: t.at[i].set(t[i - 1] * 2), x)
        return a, b, table, lax.cond(n > 2, lambda: (x, a), lambda: (a * 2, x))

    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3)
    module = hosted(function, x, N).module.clone()
    phases.run(module, "lower", target="vulkan")
    executable = Executable(compile_lowered(module, "vulkan"), "main", "vulkan")
    for n in (N, np.int32(0)):
        results = [np.asarray(out) for out in executable([x, n])]
        compare(results, function(dnp.asarray(x), n), 1e-5, 1e-5)


def test_branches_wait_for_operands_beside_constants() -> None:
    """The tables of a Fourier transform are large constants."""

    def branches(i: Any, x: Any, y: Any) -> Any:
        def transformed(x: Any) -> Any:
            return dnp.real(dnp.fft.fft(x, axis=-1))

        first = lax.cond(i > 0, transformed, lambda x: x @ x, x)
        return lax.cond(i > 0, transformed, lambda x: x @ x, dnp.tanh(first) + y)

    compiled = Compiled(hosted(branches, N, X, X))
    for i in (np.int32(0), np.int32(1)):
        compare(compiled(i, X, X + 1), branches(i, X, X + 1), 1e-4, 1e-3)
