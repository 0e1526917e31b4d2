"""Trains the digits classifier with each batch divided over eight devices.

The training step is that of `digits.py`. Weights are on every device, images are divided: so each
device computes the gradient of its images, and the compiler adds these up.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import digits
import meshes
import numpy as np

import dovetail as dt


def train(train_set: digits.Digits, epochs: int, mesh: Any = None) -> tuple[Any, np.ndarray]:
    """The trained weights and the losses, on the devices of a mesh, or on one.

    The batches are the same for any mesh.
    """

    def put(tree: Any, *spec: Any) -> Any:
        if mesh is None:
            return tree
        return dt.tree.map(lambda x: meshes.put(mesh, x, *spec), tree)

    step = dt.jit(digits.train_step)
    params = digits.init_params(seed=0)
    params, state = put(params), put(digits.init_optimizer(params))
    random = np.random.default_rng(0)
    losses = []
    for _ in range(epochs):
        for batch in digits.batches(train_set, random):
            params, state, loss = step(params, state, *put(batch, "data"))
            losses.append(loss)
    return params, np.array([float(loss) for loss in losses])


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains on one device, and on eight."""
    mesh = meshes.mesh(data=8)
    train_set, test_set = digits.load()
    epochs = 1 if quick else 20
    _, alone = train(train_set, epochs)
    params, together = train(train_set, epochs, mesh)
    predicted = np.asarray(dt.jit(digits.predict)(params, test_set.images))

    def panels(left: Any, middle: Any, right: Any) -> None:
        images = meshes.put(mesh, train_set.images[: digits.BATCH], "data")
        meshes.draw_sharding(left, images, "a batch of images")
        left.set_aspect("equal")
        meshes.draw_sharding(middle, params[0]["weights"], "weights of the first layer")
        right.semilogy(alone, label="one device")
        right.semilogy(together, ":", label="eight devices")
        right.set(xlabel="step", title="Loss")
        right.legend()

    common.figure(output / "data_parallel.png", 3, panels)
    return {
        "steps": len(alone),
        "first_loss": alone[0],
        "last_loss": float(together[-20:].mean()),
        "largest_difference": float(abs(together - alone).max()),
        "difference_of_20_steps": float(abs(together - alone)[:20].max()),
        "accuracy": float(np.mean(predicted == test_set.labels)),
    }


if __name__ == "__main__":
    common.run(main, __doc__)
