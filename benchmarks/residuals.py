"""Bytes that `vjp` keeps for a program, compared with those of JAX's rule for each op.

Usage: residuals.py

JAX keeps what the rule of each op requires; its column is shown if JAX is installed. Arguments,
which exist anyway, are omitted on both sides.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
from dovetail.transforms.linearization import saved_residuals

RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return (RNG.normal(size=shape) / shape[-1] ** 0.5).astype(np.float32)


def gelu(np: Any, x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))


def perceptron(activation: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def function(lib: Any, x: Any, *layers: Any) -> Any:
        for w, b in zip(layers[::2], layers[1::2], strict=True):
            x = activation(lib.numpy, x @ w + b)
        return lib.numpy.sum(x * x)

    return function


def attention(lib: Any, x: Any, query: Any, key: Any, value: Any) -> Any:
    np = lib.numpy
    scores = (x @ query) @ (x @ key).T / 8.0
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights = weights / np.sum(weights, axis=-1, keepdims=True)
    return np.sum((weights @ (x @ value)) ** 2)


def layer_norm(lib: Any, x: Any, scale: Any, bias: Any) -> Any:
    np = lib.numpy
    centered = x - np.mean(x, -1, keepdims=True)
    deviation = np.sqrt(np.mean(centered**2, -1, keepdims=True) + 1e-5)
    return np.sum((centered / deviation * scale + bias) ** 2)


def recurrent(lib: Any, state: Any, weights: Any, rows: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        state = lib.numpy.tanh(state @ weights + row)
        return state, lib.numpy.sum(state)

    return lib.numpy.sum(lib.lax.scan(step, state, rows)[1])


def gated(lib: Any, state: Any, weights: Any, rows: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        gate, new = lib.numpy.split(state @ weights + row, 2, axis=-1)
        gate = 1 / (1 + lib.numpy.exp(-gate))
        state = gate * state + (1 - gate) * lib.numpy.tanh(new)
        return state, lib.numpy.sum(state * state)

    return lib.numpy.sum(lib.lax.scan(step, state, rows)[1])


def programs() -> dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]]:
    layers = (normal(256, 256), normal(256), normal(256, 256), normal(256))
    x = normal(128, 256)
    return {
        "perceptron, tanh": (perceptron(lambda np, x: np.tanh(x)), (x, *layers)),
        "perceptron, relu": (perceptron(lambda np, x: np.maximum(x, 0)), (x, *layers)),
        "perceptron, gelu": (perceptron(gelu), (x, *layers)),
        "attention": (attention, (x, normal(256, 64), normal(256, 64), normal(256, 64))),
        "layer norm": (layer_norm, (x, normal(256), normal(256))),
        "recurrent network": (recurrent, (normal(8, 64), normal(64, 64), normal(100, 8, 64))),
        "gated network": (gated, (normal(8, 64), normal(64, 128), normal(100, 8, 128))),
    }


def kept(function: Callable[..., Any], args: tuple[np.ndarray, ...]) -> int:
    """The bytes of the residuals that are not arguments."""
    residuals = saved_residuals(lambda *args: function(dt, *args), *args)
    return sum(
        int(np.prod(aval.shape)) * aval.dtype.itemsize
        for aval, source in residuals
        if not source.startswith("from the argument")
    )


def kept_by_jax(function: Callable[..., Any], args: tuple[np.ndarray, ...]) -> int | None:
    try:
        jax = importlib.import_module("jax")
    except ImportError:
        return None
    given = tuple(map(jax.numpy.asarray, args))
    leaves = jax.tree.leaves(jax.vjp(lambda *args: function(jax, *args), *given)[1])
    own = {id(leaf): leaf for leaf in leaves if not any(leaf is arg for arg in given)}
    return sum(leaf.nbytes for leaf in own.values())


def main() -> None:
    print("| KiB | Dovetail | JAX | Dovetail / JAX |")
    print("|---" * 4 + "|")
    for name, (function, args) in programs().items():
        own, jax = kept(function, args), kept_by_jax(function, args)
        theirs = " | " if jax is None else f"{jax / 1024:.1f} | {own / jax:.2f}"
        print(f"| {name} | {own / 1024:.1f} | {theirs} |", flush=True)


if __name__ == "__main__":
    main()
