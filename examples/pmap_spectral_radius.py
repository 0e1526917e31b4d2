"""Learns the spectral radius, as `spectral_radius.py` does, on eight devices by `pmap`.

`pmap` is the oldest way to use several devices: each has one element of every argument, here its
own batches and a copy of the weights. `pmean` of the gradients keeps the copies alike.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import meshes  # noqa: F401 (eight devices)
import numpy as np
import spectral_radius

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, optim, random

BATCH = 32


def trainer(steps: int) -> Any:
    """All steps on one device: its key to the parameters at the end, and its losses."""
    optimizer = optim.adam(optim.cosine_decay_schedule(3e-3, steps))

    def train(params: Any, key: Any) -> tuple[Any, Any]:
        def step(carry: Any, number: Any) -> Any:
            params, state = carry
            batch = spectral_radius.draw(random.fold_in(key, number), BATCH)
            value, gradient = dt.value_and_grad(spectral_radius.loss)(params, *batch)
            gradient = lax.pmean(gradient, "device")
            updates, state = optimizer.update(gradient, state)
            return (optim.apply_updates(params, updates), state), value

        carry, losses = lax.scan(step, (params, optimizer.init(params)), dnp.arange(steps))
        return carry[0], losses

    return train


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains on eight devices, and by `vmap` on one."""
    count = dt.device_count()
    of_params, of_batches = random.split(random.key(0))
    params = spectral_radius.init_params(of_params)
    keys = random.split(of_batches, count)
    train = trainer(100 if quick else 3000)
    # Each process passes, and gets, what its devices need and have.
    first_device = dt.local_devices()[0].id
    mine = slice(first_device, first_device + dt.local_device_count())
    copies, losses = dt.pmap(train, axis_name="device", in_axes=(None, 0))(params, keys[mine])
    losses = np.asarray(losses)
    one = dt.jit(dt.vmap(train, axis_name="device", in_axes=(None, 0)))
    expected = np.asarray(one(params, keys)[1])[mine]
    spread = max(float(np.ptp(np.asarray(copy), axis=0).max()) for copy in dt.tree.leaves(copies))

    numbers, radii = (np.asarray(x) for x in spectral_radius.draw(random.key(1), 1000))
    first = dt.tree.map(lambda x: x[0], copies)
    predicted = np.asarray(spectral_radius.predict(first, numbers))

    def panels(left: Any, right: Any) -> None:
        for number, ofdevice in enumerate(losses):
            left.semilogy(ofdevice, lw=0.2, color=f"C{number}")
        left.semilogy(losses.mean(0), "k", lw=0.8, label="mean of eight devices")
        left.set(xlabel="step", ylabel="mean squared error", title="Training")
        left.legend()
        right.plot(radii, predicted, ".", ms=3)
        right.plot([0, radii.max()], [0, radii.max()], "k", lw=0.8)
        right.set(xlabel="spectral radius", ylabel="prediction", title="Matrices not seen before")

    common.figure(output / "pmap_spectral_radius.png", 2, panels)
    return {
        "devices": count,
        "first_loss": float(losses[:, :10].mean()),
        "last_loss": float(losses[:, -10:].mean()),
        "difference_of_10_steps": float(abs(losses - expected)[:, :10].max()),
        "spread_of_copies": spread,
        "test_error": float(np.sqrt(np.mean((predicted - radii) ** 2))),
    }


if __name__ == "__main__":
    common.run(main, __doc__)
