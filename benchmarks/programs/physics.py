"""Particles, spins, fluids and waves."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Draw, program, torch_gradient


def bodies(draw: Draw, n: int) -> tuple[Any, ...]:
    return draw.normal(n, 3), draw.uniform(n, low=0.5, high=1.5)


def gravity(root: Any, x: Any, mass: Any) -> Any:
    apart = x[None] - x[:, None]
    square = (apart * apart).sum(-1) + 0.01
    return (apart * (mass / (square * root(square)))[..., None]).sum(1)


@program(
    "physics",
    sizes=(64, 512, 3000),
    arguments=bodies,
    bytes=lambda n: 28 * n,
    flops=lambda n: 20 * n * n,
    numpy=lambda x, mass: gravity(np.sqrt, x, mass),
    torch=lambda torch, x, mass: gravity(torch.sqrt, x, mass),
    tolerance=1e-3,
)
def forces_of_gravity(lib: Any, x: Any, mass: Any) -> Any:
    return gravity(lib.numpy.sqrt, x, mass)


@program(
    "physics",
    sizes=((16, 100), (128, 50), (1024, 5)),
    arguments=lambda draw, n, steps: (*bodies(draw, n), draw.normal(n, 3, scale=0.1)),
    bytes=lambda n, steps: 52 * n * steps,
    flops=lambda n, steps: 20 * n * n * steps,
    tolerance=1e-2,
)
def orbits_of_bodies(lib: Any, x: Any, mass: Any, v: Any, size: tuple[int, ...]) -> Any:
    root = lib.numpy.sqrt

    def step(state: Any, _: Any) -> Any:
        x, v = state
        v = v + 0.001 * gravity(root, x, mass)
        x = x + 0.001 * v
        return (x, v), lib.numpy.sum(mass[:, None] * v * v) / 2

    return lib.lax.scan(step, (x, v), None, size[1])


def lattice(draw: Draw, side: int) -> tuple[Any, ...]:
    places = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)
    noise = draw.uniform(side**3, 3, low=-0.1, high=0.1)
    return (places.astype(np.float32) * np.float32(1.1) + noise,)


def lennard_jones(xp: Any, x: Any, eye: Any, length: float) -> Any:
    apart = x[:, None] - x[None]
    apart = apart - length * xp.round(apart / length)
    square = (apart * apart).sum(-1) + eye
    inverse = (1 - eye) / square**3
    return 2 * (inverse * inverse - inverse).sum()


def lennard_jones_torch(torch: Any, x: Any) -> Any:
    length = 1.1 * round(x.shape[0] ** (1 / 3))
    return lennard_jones(torch, x, torch.eye(x.shape[0]), length)


@program(
    "physics",
    sizes=(4, 8, 14),
    arguments=lattice,
    bytes=lambda n: 24 * n**3,
    flops=lambda n: 60 * n**6,
    torch=torch_gradient(lennard_jones_torch),
    tolerance=2e-3,
)
def forces_of_lennard_jones(lib: Any, x: Any) -> Any:
    length = 1.1 * round(x.shape[0] ** (1 / 3))
    eye = lib.numpy.eye(x.shape[0])
    return (lib.grad(lambda x: lennard_jones(lib.numpy, x, eye, length))(x),)


@program(
    "physics",
    sizes=((64, 50), (512, 20), (2048, 4)),
    arguments=lambda draw, n, steps: (
        2 * draw.integers(2, n, n).astype(np.float32) - 1,
        np.uint32(7),
    ),
    bytes=lambda n, steps: 16 * n * n * steps,
    flops=lambda n, steps: 100 * n * n * steps,
    tolerance=1e-3,
    # A spin whose chance is close to the number that was drawn may flip or not.
    compares=lambda arrays: np.abs(arrays[0]).mean(),
)
def ising_model(lib: Any, spins: Any, seed: Any, size: tuple[int, ...]) -> Any:
    xp, random, n = lib.numpy, lib.random, spins.shape[0]
    is_black = (xp.arange(n)[:, None] + xp.arange(n)) % 2 == 0

    def half(spins: Any, key: Any, mask: Any) -> Any:
        around = sum(xp.roll(spins, *at) for at in ((1, 0), (-1, 0), (1, 1), (-1, 1)))
        chance = xp.exp(-0.88 * spins * around)
        return xp.where(mask & (random.uniform(key, spins.shape) < chance), -spins, spins)

    def step(spins: Any, key: Any) -> Any:
        first, second = random.split(key)
        spins = half(half(spins, first, is_black), second, ~is_black)
        return spins, xp.mean(spins)

    return lib.lax.scan(step, spins, random.split(random.key(seed), size[1]))


def packet(draw: Draw, n: int, steps: int) -> tuple[Any, ...]:
    x = np.linspace(-10, 10, n, endpoint=False)
    k = 2 * np.pi * np.fft.fftfreq(n, 20 / n)
    psi = np.exp(-((x[:, None] + 3) ** 2) - x**2 + 5j * x[:, None])
    return tuple(
        a.astype(np.complex64)
        for a in (
            psi,
            np.exp(-0.005j * (x[:, None] ** 2 + x**2) / 2),
            np.exp(-0.01j * (k[:, None] ** 2 + k**2) / 2),
        )
    )


def split_steps(fft: Any, psi: Any, potential: Any, kinetic: Any, size: Any) -> Any:
    for _ in range(size[1]):
        psi = potential * fft.ifft2(kinetic * fft.fft2(potential * psi))
    return psi


@program(
    "physics",
    sizes=((64, 20), (256, 20), (1024, 4)),
    arguments=packet,
    bytes=lambda n, steps: 32 * n * n * steps,
    flops=lambda n, steps: 20 * n * n * np.log2(n * n) / 2 * steps,
    numpy=lambda *given, size: split_steps(np.fft, *given, size=size),
    torch=lambda torch, *given, size: split_steps(torch.fft, *given, size=size),
    tolerance=1e-3,
)
def schrodinger_equation(lib: Any, psi: Any, potential: Any, kinetic: Any, size: Any) -> Any:
    fft = lib.numpy.fft

    def step(_: Any, psi: Any) -> Any:
        return potential * fft.ifft2(kinetic * fft.fft2(potential * psi))

    return lib.lax.fori_loop(0, size[1], step, psi)


VELOCITIES = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1))
WEIGHTS = (4 / 9, *[1 / 9] * 4, *[1 / 36] * 4)


def boltzmann_step(roll: Any, stack: Any, f: Any) -> Any:
    """Moves a fluid on a lattice by collisions and streaming."""
    rho = sum(f[i] for i in range(9))
    u = sum(f[i] * e[0] for i, e in enumerate(VELOCITIES) if e[0]) / rho
    v = sum(f[i] * e[1] for i, e in enumerate(VELOCITIES) if e[1]) / rho
    square = 1.5 * (u * u + v * v)
    new = []
    for i, (a, b) in enumerate(VELOCITIES):
        along = 3 * (a * u + b * v)
        rest = WEIGHTS[i] * rho * (1 + along + along * along / 2 - square)
        new.append(roll(f[i] + (rest - f[i]) / 0.6, (a, b), (0, 1)))
    return stack(new)


def boltzmann_loop(roll: Any, stack: Any, f: Any, steps: int) -> Any:
    for _ in range(steps):
        f = boltzmann_step(roll, stack, f)
    return f


@program(
    "physics",
    sizes=((32, 20), (256, 20), (1024, 3)),
    arguments=lambda draw, n, steps: (
        np.array(WEIGHTS, np.float32)[:, None, None]
        * (1 + draw.uniform(9, n, n, low=-0.05, high=0.05)),
    ),
    bytes=lambda n, steps: 72 * n * n * steps,
    flops=lambda n, steps: 130 * n * n * steps,
    numpy=lambda f, size: boltzmann_loop(np.roll, np.stack, f, size[1]),
    torch=lambda torch, f, size: boltzmann_loop(torch.roll, torch.stack, f, size[1]),
)
def fluid_by_lattice_boltzmann(lib: Any, f: Any, size: tuple[int, ...]) -> Any:
    xp = lib.numpy
    return lib.lax.fori_loop(0, size[1], lambda _, f: boltzmann_step(xp.roll, xp.stack, f), f)


@program(
    "physics",
    sizes=((64, 8), (256, 32), (1024, 128)),
    arguments=lambda draw, n, k: (
        draw.normal(n, k),
        draw.uniform(n, n, low=-1),
    ),
    bytes=lambda n, k: 4 * n * n + 12 * n * k,
    flops=lambda n, k: 4 * n * n * k,
    tolerance=1e-3,
)
def hessian_products_of_an_energy(lib: Any, directions: Any, bonds: Any) -> Any:
    """Second derivatives of coupled rotors, along several directions, forward over reverse."""
    xp = lib.numpy

    def energy(angles: Any) -> Any:
        return xp.sum(xp.tanh(bonds @ angles) ** 2) - xp.sum(xp.cos(angles))

    angles = xp.linspace(0, 1, bonds.shape[0])

    def along(direction: Any) -> Any:
        return lib.jvp(lib.grad(energy), (angles,), (direction,))[1]

    return lib.vmap(along, 1, 1)(directions)
