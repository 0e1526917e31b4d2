"""Sums, extremes and other reductions, of rows, of columns and of everything."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial.distance
import scipy.special

from .registry import Draw, program

SQUARE = (128, 1024, 4096)


def matrix(draw: Draw, n: int) -> tuple[Any, ...]:
    return (draw.normal(n, n),)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 4 * n * n,
    flops=lambda n: n * n,
    numpy=lambda x: x.sum(0),
    torch=lambda torch, x: x.sum(0),
)
def sum_of_columns(lib: Any, x: Any) -> Any:
    return lib.numpy.sum(x, 0)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 4 * n * n,
    flops=lambda n: n * n,
    numpy=lambda x: x.sum(1),
    torch=lambda torch, x: x.sum(1),
)
def sum_of_rows(lib: Any, x: Any) -> Any:
    return lib.numpy.sum(x, 1)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.uniform(n, n),),
    bytes=lambda n: 4 * n * n,
    flops=lambda n: n * n,
    numpy=lambda x: x.sum(),
    torch=lambda torch, x: x.sum(),
)
def sum_of_all(lib: Any, x: Any) -> Any:
    return lib.numpy.sum(x)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 4 * n * n,
    numpy=lambda x: x.var(0),
    torch=lambda torch, x: x.var(0, correction=0),
)
def variance_of_columns(lib: Any, x: Any) -> Any:
    return lib.numpy.var(x, 0)


@program(
    "reductions",
    sizes=(24, 96, 256),
    arguments=lambda draw, n: (draw.normal(n, n, n),),
    bytes=lambda n: 4 * n**3,
    flops=lambda n: 2 * n**3,
    numpy=lambda x: x.mean((0, 2)),
    torch=lambda torch, x: x.mean((0, 2)),
)
def mean_of_outer_axes(lib: Any, x: Any) -> Any:
    return lib.numpy.mean(x, (0, 2))


@program(
    "reductions",
    sizes=((128, 16), (1000, 32), (4000, 32)),
    arguments=lambda draw, n, k: (draw.normal(n, k), draw.normal(n, k)),
    bytes=lambda n, k: 4 * n * n + 8 * n * k,
    flops=lambda n, k: 2 * n * n * k,
    torch=lambda torch, x, y: torch.cdist(x, y) ** 2,
    numpy=lambda x, y: scipy.spatial.distance.cdist(x, y, "sqeuclidean").astype(np.float32),
    tolerance=1e-3,
)
def pairwise_distances(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.sum((x[:, None] - y[None]) ** 2, -1)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 15 * n * n,
    numpy=lambda x: scipy.special.logsumexp(x, axis=1),
    torch=lambda torch, x: torch.logsumexp(x, 1),
)
def logsumexp_of_rows(lib: Any, x: Any) -> Any:
    return lib.nn.logsumexp(x, axis=1)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 2 * n * n,
    numpy=lambda x: (x.max(0), x.min(0)),
    torch=lambda torch, x: (x.amax(0), x.amin(0)),
)
def extremes_of_columns(lib: Any, x: Any) -> Any:
    return lib.numpy.max(x, 0), lib.numpy.min(x, 0)


@program(
    "reductions",
    sizes=(1 << 15, 1 << 20, 1 << 25),
    arguments=lambda draw, n: (draw.uniform(n), draw.uniform(n)),
    bytes=lambda n: 8 * n,
    flops=lambda n: 2 * n,
    numpy=np.dot,
    torch=lambda torch, x, y: torch.dot(x, y),
)
def dot_of_vectors(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.dot(x, y)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 8 * n * n,
    flops=lambda n: n * n,
    numpy=lambda x: np.cumsum(x, 1),
    torch=lambda torch, x: torch.cumsum(x, 1),
)
def cumulative_sum_of_rows(lib: Any, x: Any) -> Any:
    return lib.numpy.cumsum(x, 1)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 8 * n * n,
    flops=lambda n: n * n,
    numpy=lambda x: np.cumsum(x, 0),
    torch=lambda torch, x: torch.cumsum(x, 0),
)
def cumulative_sum_of_columns(lib: Any, x: Any) -> Any:
    return lib.numpy.cumsum(x, 0)


@program(
    "reductions",
    sizes=SQUARE,
    arguments=matrix,
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 2 * n * n,
    numpy=lambda x: np.count_nonzero(x > 0.5, 1),
    torch=lambda torch, x: (x > 0.5).sum(1),
)
def count_above(lib: Any, x: Any) -> Any:
    return lib.numpy.sum(x > 0.5, 1)


@program(
    "reductions",
    sizes=(1 << 15, 1 << 20, 1 << 24),
    arguments=lambda draw, n: (draw.normal(n),),
    bytes=lambda n: 4 * n,
    flops=lambda n: 7 * n,
    numpy=lambda x: (x.mean(), x.std(), np.abs(x).max(), np.mean(x**4)),
    torch=lambda torch, x: (x.mean(), x.std(correction=0), x.abs().max(), (x**4).mean()),
    tolerance=1e-3,
)
def moments_of_a_vector(lib: Any, x: Any) -> Any:
    xp = lib.numpy
    return xp.mean(x), xp.std(x), xp.max(xp.abs(x)), xp.mean(x**4)
