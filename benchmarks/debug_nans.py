"""Overhead of `debug_nans` and `debug_infs`: a training step with and without them.

Usage: debug_nans.py [--repeat N] [--jax]

The best of N rounds in which the ways take turns; only the ratios are reliable. JAX checks only the
results, and runs the function again, op by op, if these have a NaN.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp

# Batch, width, number of layers.
MLPS = [(32, 64, 3), (128, 256, 3), (512, 1024, 4)]


def mlp(numpy: Any, grad: Callable[..., Any]) -> Callable[..., Any]:
    """A step of gradient descent of a perceptron with a softmax."""

    def loss(weights: list[Any], x: Any, y: Any) -> Any:
        for w, b in weights[:-1]:
            x = numpy.maximum(x @ w + b, 0.0)
        w, b = weights[-1]
        logits = x @ w + b
        logits = logits - logits.max(axis=1, keepdims=True)
        shares = logits - numpy.log(numpy.exp(logits).sum(axis=1, keepdims=True))
        return -(shares * y).sum() / x.shape[0]

    def step(weights: list[Any], x: Any, y: Any) -> Any:
        slopes = grad(loss)(weights, x, y)
        pairs = zip(weights, slopes, strict=True)
        return [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in pairs]

    return step


def data(batch: int, width: int, layers: int) -> tuple[list[Any], np.ndarray, np.ndarray]:
    """Weights, inputs and labels."""
    rng = np.random.default_rng(0)
    scale = np.float32(width**-0.5)
    weights = [
        (scale * rng.normal(size=(width, width)).astype(np.float32), np.zeros(width, np.float32))
        for _ in range(layers)
    ]
    x = rng.normal(size=(batch, width)).astype(np.float32)
    y = np.eye(width, dtype=np.float32)[rng.integers(0, width, batch)]
    return weights, x, y


def best(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """Seconds of each call; each round makes a few."""
    times = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            begin = time.perf_counter()
            for _ in range(5):
                call()
            times[name] = min(times[name], (time.perf_counter() - begin) / 5)
    return times


def way(step: Any, arguments: Any, wait: Callable[[Any], Any], *settings: Any) -> Callable[[], Any]:
    """A call of the step under settings."""

    def call() -> None:
        with contextlib.ExitStack() as stack:
            for setting in settings:
                stack.enter_context(setting(True))
            wait(step(*arguments))

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description="What debug_nans costs.")
    parser.add_argument("--repeat", type=int, default=30)
    parser.add_argument("--jax", action="store_true")
    options = parser.parse_args()
    for size in MLPS:
        step = dt.jit(mlp(dnp, dt.grad), compile="now")
        arguments = dt.tree.map(dnp.asarray, data(*size))
        wait = dt.block_until_ready
        ways = {
            "plain": way(step, arguments, wait),
            "nans": way(step, arguments, wait, dt.debug_nans),
            "both": way(step, arguments, wait, dt.debug_nans, dt.debug_infs),
        }
        if options.jax:
            jax: Any = importlib.import_module("jax")

            peer = jax.jit(mlp(jax.numpy, jax.grad))
            given = jax.tree.map(jax.numpy.asarray, data(*size))
            ways["JAX"] = way(peer, given, jax.block_until_ready)
            ways["JAX nans"] = way(peer, given, jax.block_until_ready, jax.debug_nans)
        begins = {}
        for name, call in ways.items():
            begin = time.perf_counter()
            call()
            begins[name] = time.perf_counter() - begin
        for name, seconds in best(ways, options.repeat).items():
            print(f"{size!s:>16} {name:>9} {1e6 * seconds:>9.1f} µs, first {begins[name]:.2f} s")


if __name__ == "__main__":
    main()
