"""Divides a transformer block over devices as Megatron-LM does, by stating where weights are.

Heads of the attention and hidden units of the perceptron are divided over the axis "model": of the
weights into these the last dimension is divided, of those out of them the first (Shoeybi et al.,
2019). The compiler finds the rest: each device computes its heads and units, and a forward pass has
two all-reduces, one after the attention and one after the perceptron.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import nn

# How dimensions of the weights are divided.
SPECS: dict[str, tuple[str | None, ...]] = {
    "query": (None, "model"),
    "key": (None, "model"),
    "value": (None, "model"),
    "out": ("model", None),
    "up": (None, "model"),
    "down": ("model", None),
}
LEARNING_RATE = 1.0


def attention(weights: Any, x: Any, heads: int) -> Any:
    """Causal self-attention: float[batch, length, width] to the same."""
    batch, length, width = x.shape
    query, key, value = (
        dnp.reshape(x @ weights[name], (batch, length, heads, width // heads))
        for name in ("query", "key", "value")
    )
    result = nn.dot_product_attention(query, key, value, is_causal=True)
    return dnp.reshape(result, x.shape) @ weights["out"]


def perceptron(weights: Any, x: Any) -> Any:
    """Two layers: float[batch, length, width] to the same."""
    return nn.gelu(x @ weights["up"]) @ weights["down"]


def block(weights: Any, x: Any, heads: int = 8) -> Any:
    """A transformer block without biases: float[batch, length, width] to the same."""
    x = x + attention(weights, nn.standardize(x), heads)
    return x + perceptron(weights, nn.standardize(x))


def loss(weights: Any, x: Any, targets: Any) -> Any:
    """The mean squared error of a block."""
    return dnp.mean((block(weights, x) - targets) ** 2)


@dt.jit
def step(weights: Any, x: Any, targets: Any) -> Any:
    """A step of gradient descent."""
    value, gradient = dt.value_and_grad(loss)(weights, x, targets)
    return dt.tree.map(lambda w, g: w - LEARNING_RATE * g, weights, gradient), value


def problem(batch: int, length: int, width: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Weights, inputs and targets."""
    random = np.random.default_rng(0)

    def normal(deviation: float, *shape: int) -> np.ndarray:
        return random.normal(0, deviation, shape).astype(np.float32)

    shapes = dict.fromkeys(SPECS, (width, width))
    shapes |= {"up": (width, 4 * width), "down": (4 * width, width)}
    weights = {name: normal(shape[0] ** -0.5, *shape) for name, shape in shapes.items()}
    x = normal(1, batch, length, width)
    return weights, x, np.roll(x, 1, axis=1)


def placed(mesh: Any, weights: Any) -> Any:
    """The weights on the devices of a mesh."""
    return {name: meshes.put(mesh, w, *SPECS[name]) for name, w in weights.items()}


def collectives(function: Any, *arguments: Any) -> dict[str, int]:
    """How many collectives of each kind the program of a device has."""
    text = function.lower(*arguments).as_text("shard")
    found = re.findall(r"dovetail\.(all_\w+|reduce_scatter|permute)", text)
    return {name: found.count(name) for name in sorted(set(found))}


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains on a 2 × 4 mesh, and on one device."""
    mesh = meshes.mesh(data=2, model=4)
    weights, *data = problem(4, 32, 64) if quick else problem(8, 128, 256)
    sharded, divided = placed(mesh, weights), [meshes.put(mesh, x, "data") for x in data]
    forward = dt.jit(block)
    result, expected = forward(sharded, divided[0]), dt.jit(block)(weights, data[0])
    losses = {}
    for name, (params, arrays) in {
        "one device": (weights, data),
        "eight devices": (sharded, divided),
    }.items():
        values = []
        for _ in range(5 if quick else 50):
            params, value = step(params, *arrays)
            values.append(value)
        losses[name] = np.array([float(value) for value in values])

    def panels(*panels: Any) -> None:
        for axes, name in zip(panels, ("query", "out", "up", "down"), strict=False):
            meshes.draw_sharding(axes, sharded[name], f"{name}: {sharded[name].sharding.spec}")
        for name, values in losses.items():
            panels[-1].semilogy(values, label=name, ls=":" if name == "eight devices" else "-")
        panels[-1].set(xlabel="step", title="Loss")
        panels[-1].legend()

    common.figure(output / "tensor_parallel.png", 5, panels)
    return {
        "forward": collectives(forward, sharded, divided[0]),
        "training": collectives(step, sharded, *divided),
        "error": float(abs(meshes.gathered(result) - meshes.gathered(expected)).max()),
        "first_loss": losses["eight devices"][0],
        "last_loss": losses["eight devices"][-1],
        "largest_difference": float(abs(losses["eight devices"] - losses["one device"]).max()),
        "milliseconds": {
            "eight devices": meshes.milliseconds(step, sharded, *divided),
            "one device": meshes.milliseconds(step, weights, *data),
        },
    }


if __name__ == "__main__":
    common.run(main, __doc__)
