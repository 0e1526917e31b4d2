"""Trains a mixture of experts, one on each device: tokens travel to their expert and back.

A router sends each token to one of eight experts (Fedus, Zoph, Shazeer, 2021). Each device routes
its own tokens into a buffer of fixed capacity for each expert; `all_to_all` exchanges the buffers,
and after the experts have computed, a second one returns the results.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import common
import meshes
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import P, lax, nn

EXPERTS = 8
LEARNING_RATE = 0.3
# Of the measure of balance in the loss; with less, some experts get all tokens.
BALANCE = 2.0


def route(router: Any, tokens: Any) -> tuple[Any, Any, Any]:
    """The place of each token in a buffer, as 1 in float[n, experts, capacity]; the probability of
    its expert; and a measure of how unevenly experts are used, at least 1.
    """
    count = len(tokens)
    capacity = 2 * count // EXPERTS
    probabilities = nn.softmax(tokens @ router)
    chosen = nn.one_hot(dnp.argmax(probabilities, -1), EXPERTS)
    places = dnp.sum((dnp.cumsum(chosen, 0) - 1) * chosen, -1).astype(int)
    # Tokens for which there is no place are dropped: their one-hot vector is zero.
    mask = chosen[:, :, None] * nn.one_hot(places, capacity)[:, None]
    balance = EXPERTS * dnp.sum(dnp.mean(chosen, 0) * dnp.mean(probabilities, 0))
    return mask, dnp.sum(probabilities * chosen, -1), balance


def expert(weights: Any, tokens: Any) -> Any:
    """A perceptron: float[..., width] to the same."""
    return nn.relu(tokens @ weights["in"]) @ weights["out"]


def mixture(params: Any, tokens: Any) -> tuple[Any, Any, Any]:
    """The function of one device, which has one expert and some tokens: results, balance, and how
    many tokens each expert got.
    """
    mask, gates, balance = route(params["router"], tokens)
    buffers = dnp.einsum("nec,nd->ecd", mask, tokens)
    # For each expert, to: from each device.
    received = lax.all_to_all(buffers, "expert", 0, 0, tiled=True)
    own = dt.tree.map(lambda w: w[0], params["experts"])
    returned = lax.all_to_all(expert(own, received), "expert", 0, 0, tiled=True)
    results = dnp.einsum("nec,ecd->nd", mask, returned) * gates[:, None]
    return results, lax.pmean(balance, "expert"), lax.psum(dnp.sum(mask, (0, 2)), "expert")


def on_devices(mesh: Any) -> Any:
    """The mixture with an expert on each device, for tokens that are divided over them."""
    specs = {"router": P(), "experts": P("expert")}, P("expert")
    out_specs = P("expert"), P(), P()
    return dt.shard_map(mixture, mesh=mesh, in_specs=specs, out_specs=out_specs)


def on_one_device(params: Any, tokens: Any) -> tuple[Any, Any, Any]:
    """The same on one device; there are as many groups of tokens."""
    groups = tokens.reshape(EXPERTS, -1, tokens.shape[-1])
    mask, gates, balance = dt.vmap(route, (None, 0))(params["router"], groups)
    buffers = dnp.einsum("gnec,gnd->egcd", mask, groups)
    computed = dt.vmap(expert)(params["experts"], buffers)
    results = dnp.einsum("gnec,egcd->gnd", mask, computed) * gates[..., None]
    return results.reshape(tokens.shape), dnp.mean(balance), dnp.sum(mask, (0, 1, 3))


def training_step(apply: Any) -> Any:
    """A step of gradient descent: new parameters, the loss, and the experts' numbers of tokens."""

    def loss(params: Any, tokens: Any, targets: Any) -> Any:
        results, balance, loads = apply(params, tokens)
        error = dnp.mean(dnp.sum((results - targets) ** 2, -1))
        return error + BALANCE * balance, (error, loads)

    @dt.jit
    def step(params: Any, tokens: Any, targets: Any) -> Any:
        gradient, (error, loads) = dt.grad(loss, has_aux=True)(params, tokens, targets)
        params = dt.tree.map(lambda p, g: p - LEARNING_RATE * g, params, gradient)
        return params, error, loads

    return step


def problem(tokens: int, width: int, hidden: int) -> tuple[Any, np.ndarray, np.ndarray]:
    """Parameters, tokens of eight clusters, and targets: a linear map of the tokens of each."""
    random = np.random.default_rng(0)

    def normal(deviation: float, *shape: int) -> np.ndarray:
        return random.normal(0, deviation, shape).astype(np.float32)

    cluster = random.integers(0, EXPERTS, tokens)
    centers = np.linalg.qr(normal(1, width, width))[0][:EXPERTS] * 2
    inputs = centers[cluster] + normal(0.3, tokens, width)
    maps = normal(width**-0.5, EXPERTS, width, width)
    params = {
        "router": normal(0.1, width, EXPERTS),
        "experts": {
            "in": normal(width**-0.5, EXPERTS, width, hidden),
            "out": normal(hidden**-0.5, EXPERTS, hidden, width),
        },
    }
    return params, inputs, np.einsum("nd,nde->ne", inputs, maps[cluster])


def train(step: Any, steps: int, params: Any, *data: Any) -> tuple[Any, Any]:
    """The losses, and the numbers of tokens of each expert at each step."""
    losses, loads = [], []
    for _ in range(steps):
        params, loss, load = step(params, *data)
        losses.append(loss)
        loads.append(load)
    return np.array([float(x) for x in losses]), np.array([np.asarray(x) for x in loads])


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Trains with eight experts on eight devices, and on one."""
    mesh = meshes.mesh(expert=EXPERTS)
    count, width, hidden = (256, 16, 32) if quick else (2048, 64, 256)
    steps = 10 if quick else 200
    params, *data = problem(count, width, hidden)
    placed = {
        "router": meshes.put(mesh, params["router"]),
        "experts": {k: meshes.put(mesh, w, "expert") for k, w in params["experts"].items()},
    }
    divided = [meshes.put(mesh, x, "expert") for x in data]
    step, step_alone = training_step(on_devices(mesh)), training_step(on_one_device)
    losses, loads = train(step, steps, placed, *divided)
    expected, _ = train(step_alone, steps, params, *data)

    def panels(left: Any, right: Any) -> None:
        left.semilogy(expected, label="one device")
        left.semilogy(losses, ":", label="eight devices")
        left.set(xlabel="step", title="Mean squared error")
        left.legend()
        right.stackplot(np.arange(steps), loads.T)
        right.axhline(count, color="k", lw=0.8)
        right.set(xlabel="step", title="Tokens of each expert; the rest is dropped")

    common.figure(output / "expert_parallel.png", 2, panels)
    return {
        "first_loss": losses[0],
        "last_loss": losses[-1],
        "largest_difference": float(abs(losses - expected).max()),
        "dropped": float(1 - loads[-1].sum() / count),
        "milliseconds": {
            "eight devices": meshes.milliseconds(step, placed, *divided),
            "one device": meshes.milliseconds(step_alone, params, *data),
        },
    }


if __name__ == "__main__":
    common.run(main, __doc__)
