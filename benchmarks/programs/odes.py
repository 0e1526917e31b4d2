"""Ordinary differential equations, by steps of fixed and of adapted size, and their gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Draw, program


def runge_kutta(slope: Any, y: Any, h: float) -> Any:
    """Returns the state after a step of the classical method."""
    a = slope(y)
    b = slope(y + h / 2 * a)
    c = slope(y + h / 2 * b)
    d = slope(y + h * c)
    return y + h / 6 * (a + 2 * b + 2 * c + d)


def lorenz(xp: Any, y: Any) -> Any:
    """Of states along the last axis."""
    x, y, z = y[..., 0], y[..., 1], y[..., 2]
    return xp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z], -1)


def solved(xp: Any, slope: Any, y: Any, h: float, steps: int) -> Any:
    for _ in range(steps):
        y = runge_kutta(slope, y, h)
    return y


@program(
    "odes",
    sizes=((256, 100), (16384, 100), (1 << 20, 10)),
    arguments=lambda draw, n, steps: (draw.uniform(n, 3, low=1, high=10),),
    bytes=lambda n, steps: 24 * n,
    flops=lambda n, steps: 90 * n * steps,
    numpy=lambda y, size: solved(np, lambda y: lorenz(np, y), y, 0.005, size[1]),
    torch=lambda torch, y, size: solved(torch, lambda y: lorenz(torch, y), y, 0.005, size[1]),
    tolerance=1e-3,
)
def lorenz_systems_by_vmap(lib: Any, starts: Any, size: tuple[int, ...]) -> Any:
    def solve(y: Any) -> Any:
        def step(_: Any, y: Any) -> Any:
            return runge_kutta(lambda y: lorenz(lib.numpy, y), y, 0.005)

        return lib.lax.fori_loop(0, size[1], step, y)

    return lib.vmap(solve)(starts)


@program(
    "odes",
    sizes=(100, 1000, 10000),
    arguments=lambda draw, steps: (draw.uniform(3, low=1, high=10),),
    bytes=lambda steps: 12 * steps,
    flops=lambda steps: 90 * steps,
    numpy=lambda y, size: solved(np, lambda y: lorenz(np, y), y, 1e-4, size[0]),
    compares=lambda arrays: arrays[0][-1] if arrays[0].ndim == 2 else arrays[0],
    tolerance=1e-2,
)
def path_of_one_lorenz_system(lib: Any, start: Any, size: tuple[int, ...]) -> Any:
    def step(y: Any, _: Any) -> Any:
        y = runge_kutta(lambda y: lorenz(lib.numpy, y), y, 1e-4)
        return y, y

    return lib.lax.scan(step, start, None, size[0])[1]


def predators(xp: Any, rates: Any, y: Any) -> Any:
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    prey, hunters = y[..., 0], y[..., 1]
    return xp.stack([a * prey - b * prey * hunters, c * prey * hunters - d * hunters], -1)


def fit_torch(torch: Any, rates: Any, start: Any, seen: Any) -> Any:
    rates = rates.detach().requires_grad_()
    y, loss = start, torch.zeros(())
    for target in seen:
        y = runge_kutta(lambda y: predators(torch, rates, y), y, 0.02)
        loss = loss + ((y - target) ** 2).mean()
    return torch.autograd.grad(loss, [rates])


@program(
    "odes",
    sizes=((1, 100), (256, 200), (16384, 50)),
    arguments=lambda draw, n, steps: (
        np.array([1.0, 0.4, 0.1, 0.5], np.float32),
        draw.uniform(n, 2, low=1, high=5),
        draw.uniform(steps, n, 2, low=1, high=5),
    ),
    bytes=lambda n, steps: 16 * n * steps,
    flops=lambda n, steps: 160 * n * steps,
    torch=fit_torch,
    tolerance=1e-3,
)
def gradient_through_a_solver(lib: Any, rates: Any, start: Any, seen: Any) -> Any:
    xp = lib.numpy

    def loss(rates: Any) -> Any:
        def step(y: Any, target: Any) -> Any:
            y = runge_kutta(lambda y: predators(xp, rates, y), y, 0.02)
            return y, xp.mean((y - target) ** 2)

        return xp.sum(lib.lax.scan(step, start, seen)[1])

    return (lib.grad(loss)(rates),)


@program(
    "odes",
    sizes=(16, 1024, 65536),
    arguments=lambda draw, n: (draw.uniform(n, 2, low=0.5, high=2.0),),
    bytes=lambda n: 16 * n,
    flops=lambda n: 30 * 60 * n,
    tolerance=2e-3,
)
def adapted_steps_by_vmapped_while(lib: Any, starts: Any) -> Any:
    """Steps of Heun's method, whose size follows the error, for oscillators of van der Pol."""
    xp = lib.numpy

    def slope(y: Any) -> Any:
        return xp.stack([y[1], (1 - y[0] ** 2) * y[1] - y[0]])

    def solve(y: Any) -> Any:
        def step(state: Any) -> Any:
            t, h, y = state
            h = xp.minimum(h, 1.0 - t)
            a = slope(y)
            b = slope(y + h * a)
            error = xp.max(xp.abs(h / 2 * (b - a))) + 1e-9
            accepted = error < 1e-3
            y = xp.where(accepted, y + h / 2 * (a + b), y)
            t = xp.where(accepted, t + h, t)
            return t, h * xp.clip(0.9 * xp.sqrt(1e-3 / error), 0.3, 2.0), y

        # Rounding must not leave an end that no step reaches.
        start = (xp.zeros(()), xp.full((), 0.05), y)
        return lib.lax.while_loop(lambda state: state[0] < 0.9999, step, start)[2]

    return lib.vmap(solve)(starts)


def leapfrog(q: Any, p: Any, steps: int) -> Any:
    """Works on arrays of NumPy and PyTorch: a chain of springs that harden, with fixed ends."""
    for _ in range(steps):
        stretch = q[1:] - q[:-1]
        force = stretch + 0.3 * stretch**3
        p[1:-1] += 0.05 * (force[1:] - force[:-1])
        q[1:-1] += 0.05 * p[1:-1]
    return q, p


@program(
    "odes",
    sizes=((256, 500), (65536, 100), (1 << 22, 5)),
    arguments=lambda draw, n, steps: (draw.normal(n, scale=0.1), np.zeros(n, np.float32)),
    bytes=lambda n, steps: 16 * n * steps,
    flops=lambda n, steps: 10 * n * steps,
    numpy=lambda q, p, size: leapfrog(q.copy(), p.copy(), size[1]),
    torch=lambda torch, q, p, size: leapfrog(q.clone(), p.clone(), size[1]),
)
def chain_of_springs(lib: Any, q: Any, p: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, state: Any) -> Any:
        q, p = state
        stretch = q[1:] - q[:-1]
        force = stretch + 0.3 * stretch**3
        p = p.at[1:-1].add(0.05 * (force[1:] - force[:-1]))
        return q.at[1:-1].add(0.05 * p[1:-1]), p

    return lib.lax.fori_loop(0, size[1], step, (q, p))


def reaction(draw: Draw, n: int, steps: int) -> tuple[Any, ...]:
    return draw.uniform(n, n), draw.uniform(n, n, high=0.3)


def reaction_step(roll: Any, u: Any, v: Any) -> Any:
    def laplacian(x: Any) -> Any:
        return roll(x, 1, 0) + roll(x, -1, 0) + roll(x, 1, 1) + roll(x, -1, 1) - 4 * x

    uvv = u * v * v
    du = 0.16 * laplacian(u) - uvv + 0.035 * (1 - u)
    return u + du, v + 0.08 * laplacian(v) + uvv - 0.1 * v


def reaction_loop(roll: Any, u: Any, v: Any, steps: int) -> Any:
    for _ in range(steps):
        u, v = reaction_step(roll, u, v)
    return u, v


@program(
    "odes",
    sizes=((64, 100), (512, 40), (2048, 4)),
    arguments=reaction,
    bytes=lambda n, steps: 16 * n * n * steps,
    flops=lambda n, steps: 24 * n * n * steps,
    numpy=lambda u, v, size: reaction_loop(np.roll, u, v, size[1]),
    torch=lambda torch, u, v, size: reaction_loop(torch.roll, u, v, size[1]),
)
def reaction_and_diffusion(lib: Any, u: Any, v: Any, size: tuple[int, ...]) -> Any:
    def step(_: Any, state: Any) -> Any:
        return reaction_step(lib.numpy.roll, *state)

    return lib.lax.fori_loop(0, size[1], step, (u, v))
