"""One program with symbolic sizes for all batches against a program for each: Dovetail and JAX.

Usage: dynamic_shapes.py [--rounds N] [--program mlp|attention|training] [--sizes 8 256]

*symbolic* is `jit(f, dynamic_shapes=…)`, compiled once, and *hot* the same after as many calls of
each size as it takes until that has a program of its own; *static* is `jit(f)`, compiled for each
size; JAX, if it is installed, is `jax.jit(f)`, which compiles for each size too. No cache is used.
In each round all of them take turns at each size; times of calls are the best of all rounds.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

os.environ["DOVETAIL_CACHE_DIR"] = tempfile.mkdtemp(prefix="dovetail-benchmark-")

import numpy as np

import dovetail as dt

SIZES = (1, 8, 64, 256, 1024)
SECONDS = 0.05
# Enough for a size to be hot, and for a compiler.
WARM_SECONDS = 4


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape, np.float32)


class Program:
    """A function written for one library.

    Args:
      library: its module, `dovetail` or `jax`.
    """

    # The argument `dynamic_shapes`.
    shapes: tuple[Any, ...]

    def __init__(self, library: Any) -> None:
        self.library = library
        self.numpy = importlib.import_module(f"{library.__name__}.numpy")
        self.nn = importlib.import_module(f"{library.__name__}.nn")

    def arguments(self, size: int) -> Sequence[Any]:
        """The arguments of a call at a size."""
        raise NotImplementedError

    def __call__(self, *args: Any) -> Any:
        """The function."""
        raise NotImplementedError


class Mlp(Program):
    """784-512-256-10, like a digits classifier."""

    shapes = (None, "b, 784")
    weights = ((784, 512), (512, 256), (256, 10))

    def arguments(self, size: int) -> Sequence[Any]:
        """Parameters and images."""
        params = [(normal(*shape) / 20, normal(shape[1])) for shape in self.weights]
        return params, normal(size, 784)

    def __call__(self, *args: Any) -> Any:
        """The scores of the digits."""
        params, x = args
        for w, b in params[:-1]:
            x = self.nn.relu(x @ w + b)
        return x @ params[-1][0] + params[-1][1]


class Attention(Program):
    """Causal, of 4 heads of 64 features; the length is the size."""

    shapes = ("4, s, 4, 64",) * 3

    def arguments(self, size: int) -> Sequence[Any]:
        """Queries, keys and values."""
        return [normal(4, size, 4, 64)] * 3

    def __call__(self, *args: Any) -> Any:
        """Means of the values."""
        q, k, v = args
        dnp = self.numpy
        scores = dnp.einsum("bqhd,bkhd->bhqk", q, k) / 8.0
        mask = dnp.arange(q.shape[1])[:, None] >= dnp.arange(k.shape[1])
        weights = self.nn.softmax(dnp.where(mask, scores, -1e9), -1)
        return dnp.einsum("bhqk,bkhd->bqhd", weights, v)


class Training(Mlp):
    """A step of gradient descent on the cross entropy of the MLP."""

    shapes = (None, "b, 784", "b")

    def arguments(self, size: int) -> Sequence[Any]:
        """Parameters, images and labels."""
        params, x = super().arguments(size)
        return params, x, (np.arange(size) % 10).astype(np.int32)

    def loss(self, params: Any, x: Any, labels: Any) -> Any:
        """The mean cross entropy."""
        scores = self.nn.log_softmax(Mlp.__call__(self, params, x))
        return -(scores * self.nn.one_hot(labels, 10)).sum() / x.shape[0]

    def __call__(self, *args: Any) -> Any:
        """The loss, and the parameters after the step."""
        params, x, labels = args
        value, grads = self.library.value_and_grad(self.loss)(params, x, labels)
        return value, self.library.tree.map(lambda p, g: p - 0.1 * g, params, grads)


PROGRAMS: dict[str, type[Program]] = {"mlp": Mlp, "attention": Attention, "training": Training}


class Candidate:
    """A jitted program, with its measurements."""

    def __init__(self, name: str, library: Any, jitted: Callable[..., Any]) -> None:
        self.name, self.library, self.jitted = name, library, jitted
        self.compile_seconds: dict[int, float] = {}
        self.call_seconds: dict[int, float] = {}

    def first_call(self, size: int, arguments: Any) -> None:
        """Call it at a size for which it may have to be compiled."""
        start = time.perf_counter()
        self.library.block_until_ready(self.jitted(*arguments))
        self.compile_seconds[size] = time.perf_counter() - start

    def call_until_hot(self, arguments: Any) -> None:
        """Call it until the size has a program of its own."""
        end = time.perf_counter() + WARM_SECONDS
        while time.perf_counter() < end:
            self.library.block_until_ready(self.jitted(*arguments))

    def calls(self, size: int, arguments: Any) -> None:
        """Call it for a while, and keep the best time."""
        end = time.perf_counter() + SECONDS
        best = self.call_seconds.get(size, float("inf"))
        while time.perf_counter() < end:
            start = time.perf_counter()
            self.library.block_until_ready(self.jitted(*arguments))
            best = min(best, time.perf_counter() - start)
        self.call_seconds[size] = best


def candidates(kind: type[Program]) -> list[Candidate]:
    ours = kind(dt)
    symbolic = dt.jit(lambda *args: ours(*args), dynamic_shapes=kind.shapes, compile="now")
    hot = dt.jit(lambda *args: ours(*args), dynamic_shapes=kind.shapes, compile="auto")
    made = [
        Candidate("symbolic", dt, symbolic),
        Candidate("static", dt, dt.jit(lambda *args: ours(*args), compile="now")),
    ]
    if importlib.util.find_spec("jax") is not None:
        jax = importlib.import_module("jax")
        theirs = kind(jax)
        made.append(Candidate("JAX", jax, jax.jit(lambda *args: theirs(*args))))
    # Last: the compiler finds code of the static programs.
    return [*made, Candidate("hot", dt, hot)]


def measure(name: str, sizes: Sequence[int], rounds: int) -> None:
    made = candidates(PROGRAMS[name])
    places = {
        candidate.name: {
            size: candidate.library.tree.map(
                candidate.library.device_put,
                tuple(PROGRAMS[name](candidate.library).arguments(size)),
            )
            for size in sizes
        }
        for candidate in made
    }
    for candidate in made:
        for size in sizes:
            candidate.first_call(size, places[candidate.name][size])
            if candidate.name == "hot":
                candidate.call_until_hot(places[candidate.name][size])
    for _ in range(rounds):
        for size in sizes:
            for candidate in made:
                candidate.calls(size, places[candidate.name][size])

    names = [candidate.name for candidate in made]
    print(f"\n{name}: first calls of {len(sizes)} sizes, s: ", end="")
    print(", ".join(f"{c.name} {sum(c.compile_seconds.values()):.2f}" for c in made[:-1]))
    pairs = [("symbolic", "static"), ("hot", "static"), ("hot", "JAX")]
    pairs = [pair for pair in pairs if pair[1] in names]
    others = [f"{one} / {other}" for one, other in pairs]
    print("| size | " + " | ".join([*(f"{n} ms" for n in names), *others]) + " |")
    print("|---" * (1 + len(names) + len(others)) + "|")
    for size in sizes:
        times = {candidate.name: candidate.call_seconds[size] * 1e3 for candidate in made}
        ratios = [f"{times[one] / times[other]:.2f}" for one, other in pairs]
        print(f"| {size} | " + " | ".join([*(f"{t:.3f}" for t in times.values()), *ratios]) + " |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", choices=PROGRAMS, action="append")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    for name in options.program or PROGRAMS:
        measure(name, options.sizes, options.rounds)


if __name__ == "__main__":
    main()
