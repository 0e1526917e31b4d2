"""Statistical inference: chains, Gaussian processes, mixtures, filters."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Draw, program, torch_gradient

LOG_TWO_PI = 1.8378770664093453


def moments_of_chains(arrays: list[np.ndarray]) -> Any:
    """Returns what chains with other random numbers have in common."""
    return arrays[0].mean(), arrays[0].std()


@program(
    "inference",
    sizes=((1000, 2, 20), (1000, 16, 20), (50000, 16, 3)),
    arguments=lambda draw, n, k, steps: (draw.normal(n, k), draw.definite(k, k), np.uint32(1)),
    bytes=lambda n, k, steps: 8 * n * k,
    flops=lambda n, k, steps: 20 * n * k * k * steps,
    tolerance=0.05,
    compares=moments_of_chains,
)
def hamiltonian_chains(lib: Any, starts: Any, precision: Any, seed: Any, size: Any) -> Any:
    xp, random = lib.numpy, lib.random

    def energy(x: Any) -> Any:
        return 0.5 * x @ precision @ x

    gradient = lib.grad(energy)

    def chain(x: Any, key: Any) -> Any:
        def step(x: Any, key: Any) -> Any:
            of_p, of_u = random.split(key)
            p = random.normal(of_p, x.shape)

            def leap(_: Any, state: Any) -> Any:
                q, p = state
                p = p - 0.05 * gradient(q)
                q = q + 0.1 * p
                return q, p - 0.05 * gradient(q)

            q, end = lib.lax.fori_loop(0, 8, leap, (x, p))
            change = energy(x) + 0.5 * p @ p - energy(q) - 0.5 * end @ end
            accepted = xp.log(random.uniform(of_u)) < change
            return xp.where(accepted, q, x), None

        return lib.lax.scan(step, x, random.split(key, size[2]))[0]

    return lib.vmap(chain)(starts, random.split(random.key(seed), starts.shape[0]))


@program(
    "inference",
    sizes=((100, 100), (10000, 100), (1000000, 10)),
    arguments=lambda draw, n, steps: (draw.normal(n), np.uint32(2)),
    bytes=lambda n, steps: 8 * n,
    flops=lambda n, steps: 100 * n * steps,
    tolerance=0.05,
    compares=moments_of_chains,
)
def metropolis_chains(lib: Any, starts: Any, seed: Any, size: tuple[int, ...]) -> Any:
    xp, random = lib.numpy, lib.random

    def log_density(x: Any) -> Any:
        return xp.logaddexp(-0.5 * (x - 1.5) ** 2, -0.5 * (x + 1.5) ** 2)

    def step(x: Any, key: Any) -> Any:
        of_move, of_u = random.split(key)
        new = x + random.normal(of_move, x.shape)
        log_u = xp.log(random.uniform(of_u, x.shape))
        return xp.where(log_u < log_density(new) - log_density(x), new, x), None

    return lib.lax.scan(step, starts, random.split(random.key(seed), size[1]))[0]


def process_loss_torch(torch: Any, params: Any, x: Any, y: Any) -> Any:
    width, noise = params[0], params[1]
    apart = x[:, None] - x[None]
    kernel = torch.exp(-0.5 * (apart / width) ** 2) + noise * torch.eye(x.shape[0])
    factor = torch.linalg.cholesky(kernel)
    alpha = torch.cholesky_solve(y[:, None], factor)[:, 0]
    return 0.5 * y @ alpha + torch.log(torch.diagonal(factor)).sum()


@program(
    "inference",
    sizes=(64, 500, 1500),
    arguments=lambda draw, n: (
        np.array([0.5, 0.3], np.float32),
        np.sort(draw.uniform(n, high=5)),
        draw.normal(n),
    ),
    bytes=lambda n: 24 * n * n,
    flops=lambda n: n**3,
    torch=torch_gradient(process_loss_torch, (0,)),
    tolerance=1e-3,
)
def gradient_of_a_gaussian_process(lib: Any, params: Any, x: Any, y: Any) -> Any:
    xp, linalg = lib.numpy, lib.scipy.linalg

    def loss(params: Any) -> Any:
        width, noise = params[0], params[1]
        apart = x[:, None] - x[None]
        kernel = xp.exp(-0.5 * (apart / width) ** 2) + noise * xp.eye(x.shape[0])
        factor = linalg.cholesky(kernel, lower=True)
        alpha = linalg.cho_solve((factor, True), y)
        return 0.5 * y @ alpha + xp.sum(xp.log(xp.diag(factor)))

    return (lib.grad(loss)(params),)


def means_numpy(points: np.ndarray, centers: np.ndarray) -> np.ndarray:
    for _ in range(10):
        apart = (points**2).sum(1)[:, None] - 2 * points @ centers.T + (centers**2).sum(1)
        nearest = apart.argmin(1)
        one = (nearest[:, None] == np.arange(len(centers))).astype(np.float32)
        centers = one.T @ points / np.maximum(one.sum(0), 1)[:, None]
    return centers


def means_torch(torch: Any, points: Any, centers: Any) -> Any:
    for _ in range(10):
        nearest = torch.cdist(points, centers).argmin(1)
        count = torch.bincount(nearest, minlength=centers.shape[0])
        total = torch.zeros_like(centers).index_add_(0, nearest, points)
        centers = total / count.clamp(min=1)[:, None]
    return centers


@program(
    "inference",
    sizes=((500, 4, 8), (20000, 16, 32), (500000, 16, 32)),
    arguments=lambda draw, n, k, m: (
        draw.normal(n, k) + 4 * draw.normal(m, k)[draw.integers(m, n)],
        4 * draw.normal(m, k),
    ),
    bytes=lambda n, k, m: 40 * n * k,
    flops=lambda n, k, m: 20 * n * k * m,
    numpy=means_numpy,
    torch=means_torch,
    # A point between two centers may go to either.
    tolerance=2e-2,
)
def k_means(lib: Any, points: Any, centers: Any) -> Any:
    xp = lib.numpy

    def step(_: Any, centers: Any) -> Any:
        apart = xp.sum((points[:, None] - centers[None]) ** 2, -1)
        nearest = xp.argmin(apart, 1)
        count = xp.zeros(centers.shape[0]).at[nearest].add(1)
        total = xp.zeros_like(centers).at[nearest].add(points)
        return total / xp.maximum(count, 1)[:, None]

    return lib.lax.fori_loop(0, 10, step, centers)


def mixture_step(xp: Any, x: Any, state: Any, logsumexp: Any) -> Any:
    weights, means, variances = state
    apart = (x[:, None] - means) ** 2
    log_p = xp.log(weights) - 0.5 * (xp.log(variances) + apart / variances)
    part = xp.exp(log_p - logsumexp(log_p))
    count = part.sum(0)
    means = (part * x[:, None]).sum(0) / count
    variances = (part * (x[:, None] - means) ** 2).sum(0) / count + 1e-3
    return count / x.shape[0], means, variances


def mixture_loop(xp: Any, x: Any, state: Any, logsumexp: Any) -> Any:
    for _ in range(10):
        state = mixture_step(xp, x, state, logsumexp)
    return state


@program(
    "inference",
    sizes=(1000, 100000, 2000000),
    arguments=lambda draw, n: (
        draw.normal(n) + 4 * (draw.integers(3, n).astype(np.float32) - 1),
        (
            np.full(3, 1 / 3, np.float32),
            np.array([-3, 0.5, 3], np.float32),
            np.ones(3, np.float32),
        ),
    ),
    bytes=lambda n: 40 * n,
    flops=lambda n: 10 * 3 * 60 * n,
    numpy=lambda x, state: mixture_loop(
        np, x, state, lambda p: np.logaddexp.reduce(p, 1, keepdims=True)
    ),
    torch=lambda torch, x, state: mixture_loop(
        torch, x, state, lambda p: torch.logsumexp(p, 1, keepdim=True)
    ),
    # NumPy adds the millions of numbers of a column one by one.
    tolerance=1e-2,
)
def mixture_by_expectation_maximization(lib: Any, x: Any, state: Any) -> Any:
    def step(_: Any, state: Any) -> Any:
        return mixture_step(
            lib.numpy, x, state, lambda p: lib.nn.logsumexp(p, axis=1, keepdims=True)
        )

    return lib.lax.fori_loop(0, 10, step, state)


@program(
    "inference",
    sizes=((256, 50), (8192, 50), (262144, 10)),
    arguments=lambda draw, n, steps: (draw.normal(steps), np.uint32(3), np.zeros(n, np.float32)),
    bytes=lambda n, steps: 24 * n * steps,
    flops=lambda n, steps: 120 * n * steps,
    # Rounding decides which of two particles is chosen.
    tolerance=5e-2,
)
def particle_filter(lib: Any, seen: Any, seed: Any, particles: Any) -> Any:
    xp, random, n = lib.numpy, lib.random, particles.shape[0]

    def step(x: Any, given: Any) -> Any:
        z, key = given
        of_move, of_choice = random.split(key)
        x = 0.9 * x + random.normal(of_move, x.shape)
        weights = lib.nn.softmax(-0.5 * (z - x) ** 2)
        mean = xp.sum(weights * x)
        places = (xp.arange(n) + random.uniform(of_choice)) / n
        chosen = xp.searchsorted(xp.cumsum(weights), places)
        return x[xp.minimum(chosen, n - 1)], mean

    keys = random.split(random.key(seed), seen.shape[0])
    return lib.lax.scan(step, particles, (seen, keys))[1]


@program(
    "inference",
    sizes=((500, 8), (20000, 32), (200000, 64)),
    arguments=lambda draw, n, k: (
        np.zeros(k, np.float32),
        draw.normal(n, k),
        draw.integers(2, n).astype(np.float32),
    ),
    bytes=lambda n, k: 5 * 8 * n * k,
    flops=lambda n, k: 5 * 2 * n * k * k,
    numpy=lambda w, x, y: newton_numpy(w, x, y),
    tolerance=1e-3,
)
def logistic_regression_by_newton(lib: Any, w: Any, x: Any, y: Any) -> Any:
    xp = lib.numpy

    def loss(w: Any) -> Any:
        z = x @ w
        return xp.mean(lib.nn.softplus(z) - y * z) + 0.01 * w @ w

    def step(_: Any, w: Any) -> Any:
        return w - xp.linalg.solve(lib.hessian(loss)(w), lib.grad(loss)(w))

    return lib.lax.fori_loop(0, 5, step, w)


def newton_numpy(w: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    for _ in range(5):
        p = 1 / (1 + np.exp(-x @ w))
        gradient = x.T @ (p - y) / len(y) + np.float32(0.02) * w
        hessian = (x * (p * (1 - p) / len(y))[:, None]).T @ x
        w = w - np.linalg.solve(
            hessian + np.float32(0.02) * np.eye(len(w), dtype=w.dtype), gradient
        )
    return w


def regression(draw: Draw, n: int, k: int, samples: int) -> tuple[Any, ...]:
    params = {"mean": draw.normal(k), "log_scale": np.full(k, -1, np.float32)}
    return params, draw.normal(n, k), draw.normal(n), draw.normal(samples, k)


@program(
    "inference",
    sizes=((100, 8, 16), (5000, 32, 64), (50000, 64, 128)),
    arguments=regression,
    bytes=lambda n, k, samples: 4 * n * k + 8 * n * samples,
    flops=lambda n, k, samples: 6 * n * k * samples,
    tolerance=1e-3,
)
def gradient_of_a_variational_bound(lib: Any, params: Any, x: Any, y: Any, noise: Any) -> Any:
    xp = lib.numpy

    def bound(params: Any) -> Any:
        def log_joint(w: Any) -> Any:
            return -0.5 * xp.mean((x @ w - y) ** 2) - 0.5 * w @ w / x.shape[0]

        w = params["mean"] + xp.exp(params["log_scale"]) * noise
        return xp.mean(lib.vmap(log_joint)(w)) + xp.sum(params["log_scale"]) / x.shape[0]

    return lib.grad(bound)(params)
