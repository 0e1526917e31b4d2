"""Memory of a compiled gradient with and without checkpoints, as IREE's allocator counts it.

python benchmarks/checkpoint.py
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

LAYERS, BATCH, WIDTH = 24, 2048, 256
BLOCKS, LENGTH, MODEL = 12, 256, 256


def layers(weights: list[Any], x: Any) -> Any:
    for w in weights:
        x = dnp.tanh(x @ w)
    return x


def mlp(wrap: Callable[..., Any], size: int) -> Callable[..., Any]:
    """The loss of a perceptron of 24 layers, in groups of `size`."""
    group = wrap(layers)

    def loss(weights: list[Any], x: Any) -> Any:
        for i in range(0, LAYERS, size):
            x = group(weights[i : i + size], x)
        return dnp.sum(x * x)

    return loss


def block(x: Any, weights: tuple[Any, ...]) -> tuple[Any, None]:
    """Self-attention with one head, then two layers, each with a residual connection."""
    query, key, value, up, down = weights
    scores = (x @ query) @ (x @ key).T / MODEL**0.5
    shares = dnp.exp(scores - scores.max(axis=1, keepdims=True))
    x = x + (shares / shares.sum(axis=1, keepdims=True)) @ (x @ value)
    return x + dnp.tanh(x @ up) @ down, None


def transformer(wrap: Callable[..., Any]) -> Callable[..., Any]:
    """The loss of a scan over transformer blocks."""

    def loss(weights: tuple[Any, ...], x: Any) -> Any:
        return dnp.sum(lax.scan(wrap(block), x, weights)[0] ** 2)

    return loss


def plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def peak(loss: Callable[..., Any], *specs: Any) -> float:
    """The largest memory in use at any time, in MiB: arguments, results and temporaries."""
    compiled = dt.jit(dt.grad(loss)).lower(*specs).compile()
    tool = Path(sys.executable).with_name("iree-run-module")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gradient.vmfb"
        compiled.save(path)
        inputs = [
            f"--input={'x'.join(map(str, leaf.shape))}xf32=0.01" for leaf in dt.tree.leaves(specs)
        ]
        command = [tool, f"--module={path}", "--device=local-sync", "--function=main", *inputs]
        run = subprocess.run(
            [*command, "--print_statistics"],
            check=True,
            capture_output=True,
            text=True,
        )
    counts = re.findall(r"DEVICE_LOCAL:\s*(\d+)B peak", run.stdout + run.stderr)
    return sum(map(int, counts)) / 2**20


def spec(*shape: int) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(shape, "float32")


def main() -> None:
    network = [spec(WIDTH, WIDTH)] * LAYERS, spec(BATCH, WIDTH)
    wide = [spec(BLOCKS, MODEL, MODEL)] * 3
    weights = (*wide, spec(BLOCKS, MODEL, 4 * MODEL), spec(BLOCKS, 4 * MODEL, MODEL))
    rows = [
        ("MLP, 24 layers", mlp(plain, 1), network),
        ("MLP, checkpoints of 4 layers", mlp(dt.checkpoint, 4), network),
        ("MLP, checkpoints of 6 layers", mlp(dt.checkpoint, 6), network),
        ("12 scanned transformer blocks", transformer(plain), (weights, spec(LENGTH, MODEL))),
        (
            "12 scanned transformer blocks, each a checkpoint",
            transformer(dt.checkpoint),
            (weights, spec(LENGTH, MODEL)),
        ),
    ]
    print("| gradient | peak, MiB |\n|---|---|")
    for name, loss, specs in rows:
        print(f"| {name} | {peak(loss, *specs):.0f} |", flush=True)


if __name__ == "__main__":
    main()
