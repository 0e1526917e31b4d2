"""Programs dominated by loops, compiled, compared with JAX.

Usage: loop_programs.py [--repeat N] [--only TEXT]

Times are the best of N rounds in which the two take turns; compare the ratios. JAX must be
installed.
"""

from __future__ import annotations

import argparse
import importlib
import timeit
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import optree

import dovetail as dt

# A function of a library and of the arguments, and the arguments.
Case = tuple[Callable[..., Any], tuple[np.ndarray, ...]]


def edit_distance(lib: Any, a: Any, b: Any) -> Any:
    """Filled element by element, in a table."""
    np, n, m = lib.numpy, a.shape[0], b.shape[0]
    start = np.zeros((n + 1, m + 1), "int32")
    start = start.at[0].set(np.arange(m + 1)).at[:, 0].set(np.arange(n + 1))

    def element(i: Any, j: Any, table: Any) -> Any:
        change = table[i - 1, j - 1] + (a[i - 1] != b[j - 1])
        other = np.minimum(table[i - 1, j], table[i, j - 1]) + 1
        return table.at[i, j].set(np.minimum(change, other))

    def row(i: Any, table: Any) -> Any:
        return lib.lax.fori_loop(1, m + 1, lambda j, t: element(i, j, t), table)

    return lib.lax.fori_loop(1, n + 1, row, start)[n, m]


def knapsack(lib: Any, weights: Any, values: Any) -> Any:
    np, capacity = lib.numpy, 1000

    def item(best: Any, one: Any) -> Any:
        weight, value = one
        place = np.arange(capacity + 1) - weight
        with_it = np.where(place >= 0, best[np.maximum(place, 0)] + value, 0.0)
        return np.maximum(best, with_it), None

    return lib.lax.scan(item, np.zeros(capacity + 1), (weights, values))[0][-1]


def sieve(lib: Any, is_prime: Any) -> Any:
    """Each multiple is struck out in a table of flags."""
    size = is_prime.shape[0]

    def strike(state: Any) -> Any:
        place, step, flags = state
        return place + step, step, flags.at[place].set(False)

    def divide(n: Any, flags: Any) -> Any:
        start = lib.numpy.where(flags[n], n * n, size)
        return lib.lax.while_loop(lambda s: s[0] < size, strike, (start, n, flags))[2]

    return lib.lax.fori_loop(2, int(size**0.5) + 1, divide, is_prime)


def random_walk(lib: Any, start: Any) -> Any:
    def step(carry: Any, _: Any) -> Any:
        key, x = carry
        key, now = lib.random.split(key)
        x = x + lib.random.normal(now, x.shape)
        return (key, x), x[0]

    return lib.lax.scan(step, (lib.random.key(0), start), None, 1000)[1]


def kalman(lib: Any, seen: Any, f: Any, h: Any, noise: Any) -> Any:
    np, size = lib.numpy, f.shape[0]

    def step(carry: Any, z: Any) -> Any:
        x, p = carry
        x, p = f @ x, f @ p @ f.T + noise
        s = h @ p @ h.T + np.eye(h.shape[0]) * 0.5
        gain = np.linalg.solve(s, h @ p).T
        x, p = x + gain @ (z - h @ x), p - gain @ h @ p
        p = (p + p.T) / 2  # Rounding errors must not add up.
        return (x, p), x

    return lib.lax.scan(step, (np.zeros(size), np.eye(size)), seen)[1]


def viterbi(lib: Any, changes: Any, emissions: Any) -> Any:
    np = lib.numpy

    def forward(score: Any, emission: Any) -> Any:
        all_scores = score[:, None] + changes
        return np.max(all_scores, 0) + emission, np.argmax(all_scores, 0)

    def backward(state: Any, come_from: Any) -> Any:
        return come_from[state], state

    last, places = lib.lax.scan(forward, emissions[0], emissions[1:])
    return lib.lax.scan(backward, np.argmax(last), places, reverse=True)[1]


def histogram(lib: Any, numbers: Any) -> Any:
    def count(bins: Any, x: Any) -> Any:
        return bins.at[(x * 64).astype("int32")].add(1), None

    return lib.lax.scan(count, lib.numpy.zeros(64, "int32"), numbers)[0]


def power_iteration(lib: Any, matrix: Any, x: Any) -> Any:
    def step(_: Any, x: Any) -> Any:
        x = matrix @ x
        return x / lib.numpy.linalg.norm(x)

    return lib.lax.fori_loop(0, 200, step, x)


def life(lib: Any, board: Any) -> Any:
    np = lib.numpy

    def step(_: Any, board: Any) -> Any:
        places = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        count = sum(np.roll(board, place, (0, 1)) for place in places)
        return ((count == 3) | ((board == 1) & (count == 2))).astype(board.dtype)

    return lib.lax.fori_loop(0, 1000, step, board)


def bisection(lib: Any, targets: Any) -> Any:
    def root(target: Any) -> Any:
        def halve(_: Any, bounds: Any) -> Any:
            low, high = bounds
            middle = (low + high) / 2
            is_below = middle**3 + middle < target
            return lib.numpy.where(is_below, middle, low), lib.numpy.where(is_below, high, middle)

        return lib.lax.fori_loop(0, 50, halve, (0.0, 10.0))[0]

    return lib.vmap(root)(targets)


def runge_kutta(lib: Any, start: Any) -> Any:
    np, h = lib.numpy, 0.01

    def slope(y: Any) -> Any:
        x, y, z = y
        return np.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    def step(y: Any, _: Any) -> Any:
        a = slope(y)
        b = slope(y + h / 2 * a)
        c = slope(y + h / 2 * b)
        d = slope(y + h * c)
        y = y + h / 6 * (a + 2 * b + 2 * c + d)
        return y, y

    return lib.lax.scan(step, start, None, 300)[1]


def ring_buffer(lib: Any, rows: Any) -> Any:
    np = lib.numpy

    def step(buffer: Any, one: Any) -> Any:
        i, row = one
        buffer = lib.lax.dynamic_update_slice(buffer, row[None], (i % buffer.shape[0], 0))
        return buffer, np.mean(buffer, 0)

    return lib.lax.scan(step, np.zeros((32, 64)), (np.arange(rows.shape[0]), rows))[1]


def k_means(lib: Any, points: Any, centers: Any) -> Any:
    np = lib.numpy

    def step(_: Any, centers: Any) -> Any:
        apart = np.sum((points[:, None] - centers[None]) ** 2, -1)
        nearest = np.argmin(apart, 1)
        count = np.zeros(centers.shape[0]).at[nearest].add(1)
        total = np.zeros_like(centers).at[nearest].add(points)
        return total / np.maximum(count, 1)[:, None]

    return lib.lax.fori_loop(0, 50, step, centers)


def conjugate_gradients(lib: Any, matrix: Any, b: Any) -> Any:
    np = lib.numpy

    def step(state: Any) -> Any:
        x, r, p, rr, i = state
        ap = matrix @ p
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        return x, r, r + new / rr * p, new, i + 1

    def goes_on(state: Any) -> Any:
        return (state[3] > 1e-8) & (state[4] < 200)

    return lib.lax.while_loop(goes_on, step, (np.zeros_like(b), b, b, b @ b, 0))[0]


def lstm(lib: Any, weights: Any, bias: Any, inputs: Any) -> Any:
    np, size = lib.numpy, bias.shape[0] // 4

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    def step(carry: Any, x: Any) -> Any:
        h, c = carry
        i, f, g, o = np.split(np.concatenate([x, h]) @ weights + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        return (h, c), h

    return lib.lax.scan(step, (np.zeros(size), np.zeros(size)), inputs)[1]


def running_sum(lib: Any, numbers: Any) -> Any:
    """A running sum, element by element, and its derivative."""

    def total(numbers: Any) -> Any:
        def step(i: Any, table: Any) -> Any:
            return table.at[i].add(0.5 * table[i - 1])

        return lib.numpy.sum(lib.lax.fori_loop(1, numbers.shape[0], step, numbers) ** 2)

    return lib.grad(total)(numbers)


def lstm_gradient(lib: Any, *args: Any) -> Any:
    return lib.grad(lambda *args: lib.numpy.sum(lstm(lib, *args) ** 2), (0, 1))(*args)


def cases() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(0)

    def normal(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    def integers(high: int, *shape: int) -> np.ndarray:
        return rng.integers(high, size=shape).astype(np.int32)

    yield "edit distance, 300 × 300", (edit_distance, (integers(4, 300), integers(4, 300)))
    yield "knapsack, 200 items", (knapsack, (integers(50, 200) + 1, abs(normal(200))))
    yield "sieve, 10⁵", (sieve, (np.ones(100_000, bool),))
    yield "random walk, 1000 × 100", (random_walk, (normal(100),))
    f, h = 0.9 * np.eye(4, dtype=np.float32) + 0.05 * normal(4, 4), normal(2, 4)
    noise = 0.1 * np.eye(4, dtype=np.float32)
    yield "Kalman filter, 500 steps", (kalman, (normal(500, 2), f, h, noise))
    yield "Viterbi, 500 × 32", (viterbi, (normal(32, 32), normal(500, 32)))
    yield "histogram, 10⁴", (histogram, (rng.random(10_000).astype(np.float32),))
    symmetric = normal(128, 128)
    yield "power iteration, 128", (power_iteration, (symmetric + symmetric.T, normal(128)))
    yield "Game of Life, 256 × 256", (life, (integers(2, 256, 256),))
    yield "bisection, 1000", (bisection, (abs(normal(1000)) * 50,))
    yield "Runge-Kutta, 300 steps", (runge_kutta, (np.ones(3, np.float32) + abs(normal(3)),))
    yield "ring buffer, 2000 rows", (ring_buffer, (normal(2000, 64),))
    yield "k-means, 2000 points", (k_means, (normal(2000, 8), normal(16, 8)))
    root = normal(128, 128)
    spd = root @ root.T / 128 + np.eye(128, dtype=np.float32)
    yield "conjugate gradients, 128", (conjugate_gradients, (spd, normal(128)))
    cell = (normal(96, 256) * 0.1, normal(256) * 0.1, normal(200, 32))
    yield "LSTM, 64 units", (lstm, cell)
    yield "LSTM, 64 units, gradient", (lstm_gradient, cell)
    yield "recurrence, 10⁵, gradient", (running_sum, (normal(100_000),))


def arrays(result: Any) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in optree.tree_leaves(result)]  # pyright: ignore[reportArgumentType]


def measure(case: Case, repeat: int) -> tuple[float, float]:
    """The best times of our call and JAX's, in seconds, after a comparison of their results."""
    function, args = case
    jax = importlib.import_module("jax")
    ours = dt.jit(lambda *args: function(dt, *args), compile="now")
    peer = jax.jit(lambda *args: function(jax, *args))
    given, same = tuple(map(dt.numpy.asarray, args)), tuple(map(jax.numpy.asarray, args))
    calls = (lambda: arrays(ours(*given)), lambda: arrays(peer(*same)))
    for x, y in zip(calls[0](), calls[1](), strict=True):
        if not np.allclose(x, y, rtol=1e-2, atol=1e-2):
            raise RuntimeError(f"the results differ by {abs(x - y).max()}")
    best = [float("inf"), float("inf")]
    for _ in range(repeat):
        for i, call in enumerate(calls):
            number = 1 if best[i] > 1e-3 else 10
            best[i] = min(best[i], timeit.timeit(call, number=number) / number)
    return best[0], best[1]


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures programs of loops.")
    parser.add_argument("--repeat", type=int, default=10, help="rounds (default: %(default)s)")
    parser.add_argument("--only", default="", help="measure the programs whose names have this")
    options = parser.parse_args()
    print("| ms | dovetail | JAX | dovetail / JAX |\n|---|---|---|---|")
    for name, case in cases():
        if options.only in name:
            ours, peer = measure(case, options.repeat)
            print(
                f"| {name} | {ours * 1e3:.3f} | {peer * 1e3:.3f} | {ours / peer:.2f} |", flush=True
            )


if __name__ == "__main__":
    main()
