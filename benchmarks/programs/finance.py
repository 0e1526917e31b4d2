"""Prices of options, their derivatives, and portfolios."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from .registry import Draw, program


def options(draw: Draw, n: int) -> tuple[Any, ...]:
    """Spots, strikes, times and volatilities."""
    return (
        draw.uniform(n, low=80, high=120),
        draw.uniform(n, low=80, high=120),
        draw.uniform(n, low=0.1, high=2),
        draw.uniform(n, low=0.1, high=0.5),
    )


def price(log: Any, exp: Any, sqrt: Any, cdf: Any, s: Any, k: Any, t: Any, v: Any) -> Any:
    """Returns the price of a call by Black and Scholes, at an interest of 2 %."""
    root = v * sqrt(t)
    d1 = (log(s / k) + (0.02 + v * v / 2) * t) / root
    return s * cdf(d1) - k * exp(-0.02 * t) * cdf(d1 - root)


def price_of(lib: Any, *option: Any) -> Any:
    xp = lib.numpy
    return price(xp.log, xp.exp, xp.sqrt, lib.scipy.special.ndtr, *option)


@program(
    "finance",
    sizes=(1 << 13, 1 << 18, 1 << 22),
    arguments=options,
    bytes=lambda n: 20 * n,
    flops=lambda n: 120 * n,
    numpy=lambda *given: price(np.log, np.exp, np.sqrt, scipy.special.ndtr, *given),
    torch=lambda torch, *given: price(torch.log, torch.exp, torch.sqrt, torch.special.ndtr, *given),
)
def black_scholes(lib: Any, *given: Any) -> Any:
    return price_of(lib, *given)


def greeks_torch(torch: Any, *given: Any) -> Any:
    given = tuple(a.detach().requires_grad_() for a in given)
    value = price(torch.log, torch.exp, torch.sqrt, torch.special.ndtr, *given)
    return value, *torch.autograd.grad(value.sum(), given)


@program(
    "finance",
    sizes=(1 << 13, 1 << 18, 1 << 21),
    arguments=options,
    bytes=lambda n: 36 * n,
    flops=lambda n: 250 * n,
    torch=greeks_torch,
    tolerance=1e-3,
)
def greeks_by_vmapped_gradients(lib: Any, *given: Any) -> Any:
    def both(*option: Any) -> Any:
        return lib.value_and_grad(lambda *o: price_of(lib, *o), argnums=(0, 1, 2, 3))(*option)

    return lib.vmap(both)(*given)


@program(
    "finance",
    sizes=((1000, 12), (50000, 50), (1000000, 12)),
    arguments=lambda draw, n, steps: (np.uint32(5), np.zeros(n, np.float32)),
    bytes=lambda n, steps: 8 * n,
    flops=lambda n, steps: 80 * n * steps,
    tolerance=1e-3,
)
def asian_option_by_simulation(lib: Any, seed: Any, zeros: Any, size: tuple[int, ...]) -> Any:
    xp, random, steps = lib.numpy, lib.random, size[1]

    def step(state: Any, key: Any) -> Any:
        log_s, total = state
        log_s = log_s + random.normal(key, log_s.shape) * (0.2 / steps**0.5) - 0.02 / steps
        return (log_s, total + xp.exp(log_s)), None

    keys = random.split(random.key(seed), steps)
    (_, total), _ = lib.lax.scan(step, (zeros, zeros), keys)
    return xp.mean(xp.maximum(100 * total / steps - 100, 0))


@program(
    "finance",
    sizes=((1000, 12), (20000, 50), (200000, 50)),
    arguments=lambda draw, n, steps: (
        np.array([100, 0.2], np.float32),
        draw.normal(steps, n),
    ),
    bytes=lambda n, steps: 4 * n * steps,
    flops=lambda n, steps: 100 * n * steps,
    tolerance=1e-3,
)
def gradient_of_a_simulated_price(lib: Any, params: Any, noise: Any, size: Any) -> Any:
    xp, steps = lib.numpy, size[1]

    def mean(params: Any) -> Any:
        def step(s: Any, z: Any) -> Any:
            return s * xp.exp(params[1] * z / steps**0.5 - params[1] ** 2 / 2 / steps), None

        start = xp.broadcast_to(params[0], noise.shape[1:])
        return xp.mean(xp.maximum(lib.lax.scan(step, start, noise)[0] - 100, 0))

    return lib.value_and_grad(mean)(params)


def tree_numpy(strikes: np.ndarray, size: tuple[int, ...]) -> np.ndarray:
    n = size[1]
    up = np.exp(0.2 / n**0.5)
    p = np.float32((1 - 1 / up) / (up - 1 / up))
    ends = (100 * up ** (2.0 * np.arange(n + 1) - n)).astype(np.float32)
    value = np.maximum(strikes[:, None] - ends, 0)
    for i in range(n):
        spots = (100 * up ** (2.0 * np.arange(n + 1) - (n - 1 - i))).astype(np.float32)
        shifted = np.concatenate([value[:, 1:], value[:, -1:]], 1)
        value = np.maximum(p * shifted + (1 - p) * value, strikes[:, None] - spots)
    return value[:, 0]


@program(
    "finance",
    sizes=((16, 100), (128, 500), (1024, 500)),
    arguments=lambda draw, n, steps: (draw.uniform(n, low=90, high=110),),
    bytes=lambda n, steps: 8 * n * steps,
    flops=lambda n, steps: 4 * n * steps * steps,
    numpy=tree_numpy,
    tolerance=2e-3,
)
def american_options_by_trees(lib: Any, strikes: Any, size: tuple[int, ...]) -> Any:
    xp, n = lib.numpy, size[1]
    up = float(np.exp(0.2 / n**0.5))
    p = (1 - 1 / up) / (up - 1 / up)
    exponents = 2.0 * xp.arange(n + 1) - n

    def value_of(strike: Any) -> Any:
        def back(i: Any, value: Any) -> Any:
            spots = 100 * xp.exp(float(np.log(up)) * (exponents + 1 + i))
            shifted = xp.concatenate([value[1:], value[-1:]])
            return xp.maximum(p * shifted + (1 - p) * value, strike - spots)

        ends = xp.maximum(strike - 100 * xp.exp(float(np.log(up)) * exponents), 0)
        return lib.lax.fori_loop(0, n, back, ends)[0]

    return lib.vmap(value_of)(strikes)


@program(
    "finance",
    sizes=((250, 32), (2500, 256), (20000, 1024)),
    arguments=lambda draw, n, k: (draw.normal(n, k, scale=0.01), np.full(k, 1 / k, np.float32)),
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: 2 * n * k * k,
    numpy=lambda x, w: np.sqrt(w @ np.cov(x, rowvar=False) @ w),
    torch=lambda torch, x, w: torch.sqrt(w @ torch.cov(x.T) @ w),
    tolerance=1e-3,
)
def risk_of_a_portfolio(lib: Any, x: Any, w: Any) -> Any:
    return lib.numpy.sqrt(w @ lib.numpy.cov(x, rowvar=False) @ w)


def volatility_loop(returns: Any, state: Any) -> Any:
    found = []
    for r in returns:
        state = 0.05 + 0.1 * r * r + 0.85 * state
        found.append(state)
    return found


@program(
    "finance",
    sizes=((250, 16), (2500, 256), (10000, 1024)),
    arguments=lambda draw, n, k: (draw.normal(n, k), np.ones(k, np.float32)),
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: 4 * n * k,
    numpy=lambda returns, state: np.stack(volatility_loop(returns, state)),
    torch=lambda torch, returns, state: torch.stack(volatility_loop(returns, state)),
)
def recursive_volatility(lib: Any, returns: Any, state: Any) -> Any:
    def step(state: Any, r: Any) -> Any:
        state = 0.05 + 0.1 * r * r + 0.85 * state
        return state, state

    return lib.lax.scan(step, state, returns)[1]
