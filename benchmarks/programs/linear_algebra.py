"""Factorizations, solutions of linear systems, and functions of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from .registry import Draw, program, torch_gradient


def systems(draw: Draw, b: int, n: int) -> tuple[Any, ...]:
    return draw.normal(b, n, n) + n * np.eye(n, dtype=np.float32), draw.normal(b, n)


@program(
    "linear algebra",
    sizes=((100, 8), (2000, 8), (100000, 8)),
    arguments=systems,
    bytes=lambda b, n: 4 * b * (n * n + 2 * n),
    flops=lambda b, n: 2 / 3 * b * n**3 + 2 * b * n * n,
    numpy=lambda a, y: np.linalg.solve(a, y[..., None])[..., 0],
    torch=lambda torch, a, y: torch.linalg.solve(a, y),
)
def solutions_of_small_systems(lib: Any, a: Any, y: Any) -> Any:
    return lib.numpy.linalg.solve(a, y[..., None])[..., 0]


@program(
    "linear algebra",
    sizes=((100, 3), (10000, 3), (500000, 3)),
    arguments=systems,
    bytes=lambda b, n: 4 * b * (2 * n * n + 1),
    flops=lambda b, n: 2 * b * n**3,
    numpy=lambda a, y: (np.linalg.inv(a), np.linalg.det(a)),
    torch=lambda torch, a, y: (torch.linalg.inv(a), torch.linalg.det(a)),
    # Of half a million random matrices, some are close to singular.
    tolerance=1e-3,
)
def inverses_of_3_by_3(lib: Any, a: Any, y: Any) -> Any:
    return lib.numpy.linalg.inv(a), lib.numpy.linalg.det(a)


@program(
    "linear algebra",
    sizes=((100, 6), (5000, 6), (100000, 6)),
    arguments=lambda draw, b, n: (draw.definite(b, n, n),),
    bytes=lambda b, n: 8 * b * n * n,
    flops=lambda b, n: b * n**3 / 3,
    numpy=np.linalg.cholesky,
    torch=lambda torch, a: torch.linalg.cholesky(a),
)
def cholesky_factors_of_small_matrices(lib: Any, a: Any) -> Any:
    return lib.numpy.linalg.cholesky(a)


@program(
    "linear algebra",
    sizes=(64, 500, 2000),
    arguments=lambda draw, n: (draw.definite(n, n), draw.normal(n)),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: n**3 / 3 + 2 * n * n,
    numpy=lambda a, y: scipy.linalg.cho_solve(scipy.linalg.cho_factor(a, lower=True), y),
    torch=lambda torch, a, y: torch.cholesky_solve(y[:, None], torch.linalg.cholesky(a))[:, 0],
)
def cholesky_and_solve(lib: Any, a: Any, y: Any) -> Any:
    linalg = lib.scipy.linalg
    return linalg.cho_solve((linalg.cholesky(a, lower=True), True), y)


@program(
    "linear algebra",
    sizes=((64, 1), (500, 10), (2000, 10)),
    arguments=lambda draw, n, k: (
        draw.normal(n, n) + n**0.5 * np.eye(n, dtype=np.float32),
        draw.normal(n, k),
    ),
    bytes=lambda n, k: 8 * n * n,
    flops=lambda n, k: 2 / 3 * n**3 + 2 * n * n * k,
    numpy=np.linalg.solve,
    torch=lambda torch, a, y: torch.linalg.solve(a, y),
    tolerance=5e-3,
)
def solution_of_one_system(lib: Any, a: Any, y: Any) -> Any:
    return lib.numpy.linalg.solve(a, y)


@program(
    "linear algebra",
    sizes=((64, 8), (500, 100), (2000, 500)),
    arguments=lambda draw, n, k: (
        np.tril(draw.normal(n, n, scale=n**-0.5)) + np.eye(n, dtype=np.float32),
        draw.normal(n, k),
    ),
    bytes=lambda n, k: 2 * n * n + 8 * n * k,
    flops=lambda n, k: n * n * k,
    numpy=lambda a, y: scipy.linalg.solve_triangular(a, y, lower=True),
    torch=lambda torch, a, y: torch.linalg.solve_triangular(a, y, upper=False),
    tolerance=1e-3,
)
def solution_of_a_triangle(lib: Any, a: Any, y: Any) -> Any:
    return lib.scipy.linalg.solve_triangular(a, y, lower=True)


@program(
    "linear algebra",
    sizes=((64, 32), (400, 200), (2000, 500)),
    arguments=lambda draw, n, k: (draw.normal(n, k),),
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: 4 * n * k * k,
    numpy=np.linalg.qr,
    torch=lambda torch, a: torch.linalg.qr(a),
    # The signs of columns may differ.
    compares=lambda arrays: np.abs(arrays[1]),
    tolerance=1e-3,
)
def qr_factors(lib: Any, a: Any) -> Any:
    return lib.numpy.linalg.qr(a)


@program(
    "linear algebra",
    sizes=(32, 200, 800),
    arguments=lambda draw, n: (draw.definite(n, n),),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 9 * n**3,
    numpy=np.linalg.eigh,
    torch=lambda torch, a: torch.linalg.eigh(a),
    compares=lambda arrays: arrays[0],
    tolerance=1e-3,
)
def eigenvectors_of_a_symmetric_matrix(lib: Any, a: Any) -> Any:
    return lib.numpy.linalg.eigh(a)


@program(
    "linear algebra",
    sizes=((32, 16), (200, 100), (1000, 400)),
    arguments=lambda draw, n, k: (draw.normal(n, k),),
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: 6 * n * k * k + 20 * k**3,
    numpy=lambda a: np.linalg.svd(a, full_matrices=False),
    torch=lambda torch, a: torch.linalg.svd(a, full_matrices=False),
    compares=lambda arrays: arrays[1],
    tolerance=1e-3,
)
def singular_values_and_vectors(lib: Any, a: Any) -> Any:
    return lib.numpy.linalg.svd(a, full_matrices=False)


@program(
    "linear algebra",
    sizes=((100, 8), (5000, 32), (100000, 64)),
    arguments=lambda draw, n, k: (draw.normal(n, k), draw.normal(n)),
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: 2 * n * k * k,
    numpy=lambda a, y: np.linalg.lstsq(a, y)[0],
    torch=lambda torch, a, y: torch.linalg.lstsq(a, y[:, None]).solution[:, 0],
    tolerance=1e-3,
)
def least_squares(lib: Any, a: Any, y: Any) -> Any:
    return lib.numpy.linalg.lstsq(a, y)[0]


def log_density_torch(torch: Any, a: Any, y: Any) -> Any:
    return y @ torch.linalg.solve(a, y) + torch.linalg.slogdet(a).logabsdet


@program(
    "linear algebra",
    sizes=(64, 400, 1200),
    arguments=lambda draw, n: (draw.definite(n, n), draw.normal(n)),
    bytes=lambda n: 16 * n * n,
    flops=lambda n: 10 / 3 * n**3,
    torch=torch_gradient(log_density_torch, (0,)),
    tolerance=2e-3,
)
def gradient_of_solve_and_determinant(lib: Any, a: Any, y: Any) -> Any:
    linalg = lib.numpy.linalg
    return (lib.grad(lambda a: y @ linalg.solve(a, y) + linalg.slogdet(a)[1])(a),)


@program(
    "linear algebra",
    sizes=(16, 128, 512),
    arguments=lambda draw, n: (draw.normal(n, n, scale=n**-0.5),),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 30 * n**3,
    numpy=scipy.linalg.expm,
    torch=lambda torch, a: torch.linalg.matrix_exp(a),
    tolerance=1e-3,
)
def matrix_exponential(lib: Any, a: Any) -> Any:
    return lib.scipy.linalg.expm(a)


@program(
    "linear algebra",
    sizes=((8, 8), (1000, 8), (20000, 8)),
    arguments=lambda draw, b, n: (draw.definite(b, n, n),),
    bytes=lambda b, n: 8 * b * n * n,
    flops=lambda b, n: 9 * b * n**3,
    numpy=lambda a: np.linalg.eigh(a)[0],
    torch=lambda torch, a: torch.linalg.eigh(a)[0],
    tolerance=1e-3,
)
def eigenvalues_of_small_symmetric_matrices(lib: Any, a: Any) -> Any:
    return lib.numpy.linalg.eigh(a)[0]
