"""Trains a deep perceptron in a pipeline: each device has the layers of one stage.

A batch is divided into micro-batches. At each tick, every stage applies its layers to what the
stage before it sent at the last tick (`ppermute`), so all are busy except while the pipeline fills
and drains. The gradient of the program is a pipeline in the other direction.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax

LEARNING_RATE = 0.1


def layers(weights: Any, x: Any) -> Any:
    """Residual layers, one after the other: float[count, n, n] and float[rows, n] to the latter."""
    return lax.scan(lambda x, w: (x + dnp.tanh(x @ w), None), x, weights)[0]


def pipeline(weights: Any, batches: Any) -> Any:
    """The function of one stage: its layers' weights, and all micro-batches, float[count, rows, n],
    to the results of the last stage.
    """
    stage, stages = lax.axis_index("stage"), lax.axis_size("stage")
    count = len(batches)
    to_next = [(i, i + 1) for i in range(stages - 1)]

    def tick(received: Any, number: Any) -> Any:
        # While the pipeline drains, the first stage computes what nobody uses.
        own = batches[dnp.minimum(number, count - 1)]
        result = layers(weights, dnp.where(stage == 0, own, received))
        return lax.ppermute(result, "stage", to_next), result

    # Each stage will have received something else.
    start = lax.pcast(dnp.zeros_like(batches[0]), "stage", to="varying")
    _, results = lax.scan(tick, start, dnp.arange(count + stages - 1))
    # The first micro-batch reaches the last stage when all others have had it.
    is_last = stage == stages - 1
    return lax.psum(dnp.where(is_last, results[stages - 1 :], 0), "stage")


def training_step(apply: Any) -> Any:
    """A step of gradient descent for a function of weights and micro-batches."""

    def loss(weights: Any, batches: Any, targets: Any) -> Any:
        return dnp.mean((apply(weights, batches) - targets) ** 2)

    @dt.jit
    def step(weights: Any, batches: Any, targets: Any) -> Any:
        value, gradient = dt.value_and_grad(loss)(weights, batches, targets)
        return weights - LEARNING_RATE * gradient, value

    return step


def in_stages(mesh: Any) -> Any:
    """The perceptron on the devices of a mesh, a stage on each."""
    specs = P("stage"), P()
    return dt.shard_map(pipeline, mesh=mesh, in_specs=specs, out_specs=P())


def problem(layers: int, count: int, rows: int, width: int) -> tuple[np.ndarray, ...]:
    """Weights, micro-batches and what to learn: a rotation of the input."""
    random = np.random.default_rng(0)
    weights = random.normal(0, 0.3 / np.sqrt(width), (layers, width, width))
    batches = random.normal(size=(count, rows, width))
    rotation = np.linalg.qr(random.normal(size=(width, width)))[0]
    return tuple(x.astype(np.float32) for x in (weights, batches, batches @ rotation))


def train(step: Any, steps: int, weights: Any, *data: Any) -> np.ndarray:
    """The losses."""
    losses = []
    for _ in range(steps):
        weights, loss = step(weights, *data)
        losses.append(loss)
    return np.array([float(loss) for loss in losses])


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains in eight stages, and on one device."""
    mesh = meshes.mesh(stage=8)
    depth, count, rows, width = (16, 4, 4, 16) if quick else (32, 16, 32, 128)
    weights, *data = problem(depth, count, rows, width)
    steps = 5 if quick else 50
    staged = training_step(in_stages(mesh))
    plain = training_step(lambda w, x: dt.vmap(functools.partial(layers, w))(x))
    sharded = meshes.put(mesh, weights, "stage"), *(meshes.put(mesh, x) for x in data)
    losses = train(staged, steps, *sharded)
    expected = train(plain, steps, weights, *data)

    def panels(left: Any, right: Any) -> None:
        stages = mesh.size
        for stage in range(stages):
            for batch in range(count):
                left.text(stage + batch, stage, str(batch), ha="center", va="center", fontsize=7)
        ticks = np.arange(count + stages - 1) - np.arange(stages)[:, None]
        busy = np.ma.masked_where((ticks < 0) | (ticks >= count), ticks)
        left.imshow(busy, cmap="Blues", vmin=-count, vmax=2 * count, aspect="auto")
        left.set(xlabel="tick", ylabel="device", title="Which micro-batch is where")
        right.semilogy(expected, label="one device")
        right.semilogy(losses, ":", label="eight stages")
        right.set(xlabel="step", title="Loss")
        right.legend()

    common.figure(output / "pipeline.png", 2, panels)
    return {
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "largest_difference": float(abs(losses - expected).max()),
        "busy": count / (count + mesh.size - 1),
        "milliseconds": {
            "eight devices": meshes.milliseconds(staged, *sharded),
            "one device": meshes.milliseconds(plain, weights, *data),
        },
    }


if __name__ == "__main__":
    common.run(main, __doc__)
