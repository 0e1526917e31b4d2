"""Hamiltonian Monte Carlo samples a curved density with many chains at once.

The chains are one function under `vmap`; each step solves Hamilton's equations with the gradient of
the log density (Duane et al., 1987; Neal, 2011). The density is that of Haario et al. (1999): a
normal distribution bent like a banana, whose moments are known.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, random

BEND = 0.25
WIDTH = 2.0
STEP_SIZE = 0.25
LEAPS = 12


def log_density(x: Any) -> Any:
    """float[2] to float, up to a constant: x0 is normal, x1 is normal around a parabola."""
    centre = BEND * (x[0] ** 2 - WIDTH**2)
    return -0.5 * (x[0] / WIDTH) ** 2 - 0.5 * (x[1] - centre) ** 2


def leapfrog(x: Any, momentum: Any) -> tuple[Any, Any]:
    """A path along which the energy is nearly constant."""
    gradient = dt.grad(log_density)

    def leap(_: Any, state: Any) -> Any:
        x, momentum = state
        momentum = momentum + STEP_SIZE / 2 * gradient(x)
        x = x + STEP_SIZE * momentum
        return x, momentum + STEP_SIZE / 2 * gradient(x)

    return lax.fori_loop(0, LEAPS, leap, (x, momentum))


def step(x: Any, key: Any) -> tuple[Any, tuple[Any, Any]]:
    """The next state of a chain, and whether it moved."""
    of_momentum, of_choice = random.split(key)
    momentum = random.normal(of_momentum, x.shape)
    there, arriving = leapfrog(x, momentum)
    gained = log_density(there) - dnp.sum(arriving**2) / 2
    gained -= log_density(x) - dnp.sum(momentum**2) / 2
    accepted = dnp.log(random.uniform(of_choice)) < gained
    x = dnp.where(accepted, there, x)
    return x, (x, accepted)


@functools.partial(dt.jit, static_argnums=(1, 2))
def sample(key: Any, chains: int, steps: int) -> tuple[Any, Any]:
    """States float[chains, steps, 2], and which steps were accepted."""
    of_start, of_steps = random.split(key)
    starts = 3 * random.normal(of_start, (chains, 2))

    def chain(start: Any, key: Any) -> Any:
        return lax.scan(step, start, random.split(key, steps))[1]

    return dt.vmap(chain)(starts, random.split(of_steps, chains))


def r_hat(x: np.ndarray) -> float:
    """The ratio of the spread of all chains to that of each: 1 if they agree (Gelman and Rubin,
    1992).
    """
    within = x.var(1, ddof=1).mean()
    between = x.mean(1).var(ddof=1)
    return float(np.sqrt((x.shape[1] - 1) / x.shape[1] + between / within))


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Samples, and compares moments with the known ones."""
    chains, steps = (4, 100) if quick else (64, 1000)
    places, accepted = (np.asarray(x) for x in sample(random.key(0), chains, steps))
    kept = places[:, steps // 5 :]
    flat = kept.reshape(-1, 2)

    def panels(left: Any, middle: Any, right: Any) -> None:
        grid = np.meshgrid(np.linspace(-7, 7, 200), np.linspace(-4, 10, 200))
        density = dt.vmap(dt.vmap(log_density))(np.stack(grid, -1).astype(np.float32))
        left.contour(*grid, np.exp(density), [0.02, 0.1, 0.3, 0.6, 0.9], cmap="viridis")
        left.plot(*flat[:: max(1, len(flat) // 2000)].T, ".", ms=2, color="tab:red", alpha=0.4)
        left.set(
            title="The density, and samples",
            xlabel="$x_0$",
            ylabel="$x_1$",
            xlim=(-7, 7),
            ylim=(-4, 10),
        )
        for x in places[:3, :150]:
            middle.plot(x[:, 0], lw=0.8)
        middle.set(title="Three chains", xlabel="step", ylabel="$x_0$")
        right.hist(flat[:, 0], 60, density=True, alpha=0.6)
        x = np.linspace(-7, 7, 200)
        right.plot(x, np.exp(-0.5 * (x / WIDTH) ** 2) / WIDTH / np.sqrt(2 * np.pi), "k")
        right.set(title="The first coordinate, and its density", xlabel="$x_0$")

    common.figure(output / "hmc.png", 3, panels)
    return {
        "samples": len(flat),
        "accepted": float(accepted.mean()),
        "r_hat": [round(r_hat(kept[..., i]), 4) for i in range(2)],
        "means": flat.mean(0).round(3).tolist(),
        "deviations": flat.std(0).round(3).tolist(),
        "true_deviations": [WIDTH, round(float(np.sqrt(1 + 2 * (BEND * WIDTH**2) ** 2)), 3)],
    }


if __name__ == "__main__":
    common.run(main, __doc__)
