"""A network learns the spectral radius of complex 2×2 matrices, with Adam, in one loop.

The spectral radius is the largest magnitude of an eigenvalue. It is not smooth where two
eigenvalues are equal, and no step sees the same matrices twice: they are drawn within the loop.
"""

from __future__ import annotations

import functools
from itertools import pairwise
from pathlib import Path
from typing import Any

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, nn, optim, random

LAYERS = (8, 64, 64, 1)
BATCH = 128


def spectral_radius(matrix: Any) -> Any:
    """The largest magnitude of the eigenvalues: complex[..., 2, 2] to float[...]."""
    half_trace = (matrix[..., 0, 0] + matrix[..., 1, 1]) / 2
    determinant = matrix[..., 0, 0] * matrix[..., 1, 1] - matrix[..., 0, 1] * matrix[..., 1, 0]
    root = dnp.sqrt(half_trace**2 - determinant)
    return dnp.maximum(dnp.abs(half_trace + root), dnp.abs(half_trace - root))


def draw(key: Any, count: int) -> tuple[Any, Any]:
    """Matrices as rows of 8 real numbers, and their spectral radii."""
    numbers = random.normal(key, (count, 8))
    matrices = lax.complex(numbers[:, :4], numbers[:, 4:]).reshape(count, 2, 2)
    return numbers, spectral_radius(matrices)


def init_params(key: Any) -> Any:
    """Weights as He et al. (2015) recommend, and zero biases."""
    keys = random.split(key, len(LAYERS) - 1)
    he = nn.initializers.he_normal()
    return [
        {"w": he(k, (inputs, outputs)), "b": dnp.zeros(outputs)}
        for k, (inputs, outputs) in zip(keys, pairwise(LAYERS), strict=True)
    ]


def predict(params: Any, numbers: Any) -> Any:
    """float[..., 8] to float[...]."""
    *hidden, last = params
    for layer in hidden:
        numbers = nn.silu(numbers @ layer["w"] + layer["b"])
    return (numbers @ last["w"] + last["b"])[..., 0]


def loss(params: Any, numbers: Any, radii: Any) -> Any:
    """The mean squared error."""
    return dnp.mean((predict(params, numbers) - radii) ** 2)


@functools.partial(dt.jit, static_argnums=1)
def train(key: Any, steps: int) -> tuple[Any, Any]:
    """All steps: the parameters at the end, and the losses."""
    of_params, of_batches = random.split(key)
    optimizer = optim.adam(optim.cosine_decay_schedule(3e-3, steps))
    params = init_params(of_params)

    def step(carry: Any, number: Any) -> Any:
        params, state = carry
        batch = draw(random.fold_in(of_batches, number), BATCH)
        value, gradient = dt.value_and_grad(loss)(params, *batch)
        updates, state = optimizer.update(gradient, state)
        return (optim.apply_updates(params, updates), state), value

    carry, losses = lax.scan(step, (params, optimizer.init(params)), dnp.arange(steps))
    return carry[0], losses


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains, and compares with NumPy's eigenvalues."""
    params, losses = train(random.key(0), 300 if quick else 10_000)
    losses = np.asarray(losses)

    numbers, radii = (np.asarray(x) for x in draw(random.key(1), 1000))
    matrices = (numbers[:, :4] + 1j * numbers[:, 4:]).reshape(-1, 2, 2)
    eigenvalues = np.linalg.eigvals(matrices)
    np.testing.assert_allclose(radii, abs(eigenvalues).max(1), rtol=1e-3)
    predicted = np.asarray(predict(params, numbers))
    error = np.sqrt(np.mean((predicted - radii) ** 2))

    def panels(left: Any, right: Any) -> None:
        left.semilogy(losses, lw=0.3)
        width = max(1, len(losses) // 100)
        means = np.convolve(losses, np.ones(width) / width, "valid")
        left.semilogy(np.arange(len(means)) + width / 2, means)
        left.set(xlabel="step", ylabel="mean squared error", title="Training")
        right.plot(radii, predicted, ".", ms=3)
        limits = [0, radii.max()]
        right.plot(limits, limits, "k", lw=0.8)
        right.set(xlabel="spectral radius", ylabel="prediction", title="Matrices not seen before")

    common.figure(output / "spectral_radius.png", 2, panels)
    return {
        "steps": len(losses),
        "first_loss": float(losses[:10].mean()),
        "last_loss": float(losses[-len(losses) // 20 :].mean()),
        "test_error": float(error),
        "spread": float(radii.std()),
    }


if __name__ == "__main__":
    common.run(main, __doc__)
