"""Trains a deep network with weights, gradients and Adam's means divided over all devices.

No device ever has all weights (ZeRO-3; Rajbhandari et al., 2020): those of a layer are gathered
right before it computes, forward and, since they are not kept, backward again. The transpose of
`all_gather` is a reduce-scatter, so each device gets the gradient of its part only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax, nn, optim

OPTIMIZER = optim.adam(1e-3)


def layer(weights: Any, x: Any) -> Any:
    """A residual layer: float[rows, width] to the same."""
    return x + nn.gelu(nn.standardize(x) @ weights["up"]) @ weights["down"]


def loss(weights: Any, x: Any, targets: Any) -> Any:
    """The mean squared error of all layers, whose weights are stacked."""
    result = lax.scan(lambda x, w: (layer(w, x), None), x, weights)[0]
    return dnp.mean((result - targets) ** 2)


def loss_of_parts(weights: Any, x: Any, targets: Any) -> Any:
    """The same for one device, which has a part of each layer's weights, and of the batch."""

    @dt.checkpoint
    def gathered(x: Any, parts: Any) -> Any:
        whole = dt.tree.map(lambda w: lax.all_gather(w, "data", axis=0, tiled=True), parts)
        return layer(whole, x), None

    result = lax.scan(gathered, x, weights)[0]
    return lax.pmean(dnp.mean((result - targets) ** 2), "data")


def fully_sharded(mesh: Any) -> Any:
    """The loss, for weights whose second dimension is divided over the devices."""
    specs = P(None, "data"), P("data"), P("data")
    return dt.shard_map(loss_of_parts, mesh=mesh, in_specs=specs, out_specs=P())


def training_step(loss: Any) -> Any:
    """A step of Adam: its state has the sharding of the weights."""

    def step(weights: Any, state: Any, x: Any, targets: Any) -> Any:
        value, gradient = dt.value_and_grad(loss)(weights, x, targets)
        updates, state = OPTIMIZER.update(gradient, state)
        return optim.apply_updates(weights, updates), state, value

    return dt.jit(step, donate_argnums=(0, 1))


def problem(layers: int, rows: int, width: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Weights, inputs and targets."""
    random = np.random.default_rng(0)

    def normal(deviation: float, *shape: int) -> np.ndarray:
        return random.normal(0, deviation, shape).astype(np.float32)

    weights = {
        "up": normal(width**-0.5, layers, width, 4 * width),
        "down": normal(0.1 * width**-0.5, layers, 4 * width, width),
    }
    x = normal(1, rows, width)
    return weights, x, np.sin(2 * np.roll(x, 1, axis=1))


def train(step: Any, steps: int, weights: Any, *data: Any) -> np.ndarray:
    """The losses."""
    state = OPTIMIZER.init(weights)
    losses = []
    for _ in range(steps):
        weights, state, value = step(weights, state, *data)
        losses.append(value)
    return np.array([float(value) for value in losses])


def memory(step: Any, weights: Any, *data: Any) -> dict[str, float]:
    """MiB on each device: of arguments, most of which results replace, and of temporaries."""
    stats = step.lower(weights, OPTIMIZER.init(weights), *data).compile().memory_analysis()
    return {
        "arguments": stats.argument_size_in_bytes / 2**20,
        "temporaries": stats.temp_size_in_bytes / 2**20,
    }


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains with divided weights, by `shard_map` and by `jit`; with a copy of all weights on each
    device; and on one device.
    """
    mesh = meshes.mesh(data=8)
    weights, *data = problem(8, 64, 32) if quick else problem(8, 256, 128)
    steps = 5 if quick else 30
    divided = [meshes.put(mesh, x, "data") for x in data]

    def put(*spec: Any) -> Any:
        return {name: meshes.put(mesh, w, *spec) for name, w in weights.items()}

    ways = {
        "shard_map": (training_step(fully_sharded(mesh)), put(None, "data"), *divided),
        "jit": (training_step(loss), put(None, "data"), *divided),
        "copies": (training_step(loss), put(), *divided),
        "one device": (training_step(loss), weights, *data),
    }
    sizes = {way: memory(step, *arguments) for way, (step, *arguments) in ways.items()}
    losses = {way: train(step, steps, *arguments) for way, (step, *arguments) in ways.items()}

    def panels(left: Any, middle: Any, right: Any) -> None:
        matrix = meshes.put(mesh, weights["up"][0], "data")
        meshes.draw_sharding(left, matrix, "weights of a layer")
        bottom = np.zeros(len(sizes))
        for kind in ("arguments", "temporaries"):
            heights = [size[kind] for size in sizes.values()]
            middle.bar(list(sizes), heights, bottom=bottom, label=kind)
            bottom += heights
        middle.set(ylabel="MiB", title="Memory of a training step on each device")
        middle.legend()
        for (way, values), style in zip(losses.items(), ("-", "--", "-.", ":"), strict=True):
            right.semilogy(values, style, label=way)
        right.set(xlabel="step", title="Loss")
        right.legend()

    common.figure(output / "fully_sharded.png", 3, panels)
    one = losses["one device"]
    return {
        "first_loss": one[0],
        "last_loss": one[-1],
        "largest_difference": max(float(abs(values - one).max()) for values in losses.values()),
        "mebibytes": sizes,
    }


if __name__ == "__main__":
    common.run(main, __doc__)
