"""Finds the rates of a predator-prey model from noisy counts, by gradients through its solver.

The Lotka-Volterra equations are solved by the Runge-Kutta method of order 4, in a loop. The mean
squared error of the solution is a function of the rates and the initial state, so it has a
gradient.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import common
import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, optim, random

TRUE = {"rates": np.array([1.1, 0.4, 0.4, 0.1]), "start": np.array([6.0, 5.0])}
TIMES = 60
STEPS_BETWEEN = 5
SPACING = 0.25


def slope(state: Any, rates: Any) -> Any:
    """The growth rates of prey and predators."""
    prey, predators = state
    born, eaten, starved, fed = rates
    return dnp.array(
        [born * prey - eaten * prey * predators, fed * prey * predators - starved * predators]
    )


def runge_kutta(state: Any, rates: Any, dt_: float) -> Any:
    """One step (Kutta, 1901)."""
    a = slope(state, rates)
    b = slope(state + dt_ / 2 * a, rates)
    c = slope(state + dt_ / 2 * b, rates)
    d = slope(state + dt_ * c, rates)
    return state + dt_ / 6 * (a + 2 * b + 2 * c + d)


def solve(params: Any) -> Any:
    """The states at all times: float[TIMES, 2]."""

    def step(state: Any, _: Any) -> Any:
        for _ in range(STEPS_BETWEEN):
            state = runge_kutta(state, params["rates"], SPACING / STEPS_BETWEEN)
        return state, state

    return lax.scan(step, params["start"], length=TIMES)[1]


def loss(logarithms: Any, counts: Any) -> Any:
    """The mean squared error of the logarithms; parameters are logarithms, since they are
    positive.
    """
    states = solve(dt.tree.map(dnp.exp, logarithms))
    return dnp.mean((dnp.log(states) - dnp.log(counts)) ** 2)


@functools.partial(dt.jit, static_argnums=2)
def fit(logarithms: Any, counts: Any, steps: int) -> tuple[Any, Any]:
    """Adam's parameters and losses."""
    schedule = optim.cosine_decay_schedule(0.03, steps, 0.01)
    optimizer = optim.chain(optim.clip_by_global_norm(1.0), optim.adam(schedule))

    def step(carry: Any, _: Any) -> Any:
        params, state = carry
        value, gradient = dt.value_and_grad(loss)(params, counts)
        updates, state = optimizer.update(gradient, state)
        return (optim.apply_updates(params, updates), state), value

    carry, losses = lax.scan(step, (logarithms, optimizer.init(logarithms)), length=steps)
    return carry[0], losses


def main(quick: bool, output: Path) -> dict[str, Any]:
    """Makes counts, forgets the rates, and finds them again."""
    exact = solve(dt.tree.map(lambda x: dnp.asarray(x, dnp.float32), TRUE))
    counts = exact * dnp.exp(0.1 * random.normal(random.key(0), exact.shape))
    guess = {"rates": dnp.log(dnp.array([0.8, 0.3, 0.6, 0.15])), "start": dnp.log(counts[0])}

    params, losses = fit(guess, counts, 30 if quick else 400)
    found = dt.tree.map(dnp.exp, params)
    begin, fitted = (np.asarray(solve(dt.tree.map(dnp.exp, p))) for p in (guess, params))

    def panels(left: Any, right: Any) -> None:
        times = SPACING * np.arange(1, TIMES + 1)
        for i, (name, colour) in enumerate((("prey", "tab:blue"), ("predators", "tab:red"))):
            left.plot(times, counts[:, i], ".", color=colour, label=f"{name}, counted")
            left.plot(times, fitted[:, i], color=colour, label=f"{name}, fitted")
            left.plot(times, begin[:, i], ":", color=colour, lw=1)
        left.set(xlabel="time", title="Counts, the fit, and the first guess (dotted)")
        left.legend(fontsize=8)
        right.semilogy(losses)
        right.set(xlabel="step", ylabel="mean squared error of logarithms", title="Adam")

    common.figure(output / "ode_fit.png", 2, panels)
    return {
        "rates": np.asarray(found["rates"]).round(4).tolist(),
        "true_rates": TRUE["rates"].tolist(),
        "first_loss": float(losses[0]),
        "last_loss": float(losses[-1]),
    }


if __name__ == "__main__":
    common.run(main, __doc__)
