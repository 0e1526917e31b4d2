"""Gathers, scatters and updates, by rows and by elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Draw, program, torch_gradient

# Rows of a table, their length, and how many are taken.
ROWS = ((1000, 32, 512), (10000, 128, 4096), (50000, 256, 16384))


def rows(draw: Draw, n: int, k: int, m: int) -> tuple[Any, ...]:
    return draw.normal(n, k), draw.integers(n, m)


@program(
    "indexing",
    sizes=ROWS,
    arguments=rows,
    bytes=lambda n, k, m: 8 * m * k + 4 * m,
    numpy=lambda table, at: table[at],
    torch=lambda torch, table, at: torch.index_select(table, 0, at),
)
def gather_of_rows(lib: Any, table: Any, at: Any) -> Any:
    return table[at]


def add_rows(table: np.ndarray, at: np.ndarray, new: np.ndarray) -> np.ndarray:
    table = table.copy()
    np.add.at(table, at, new)
    return table


@program(
    "indexing",
    sizes=ROWS,
    arguments=lambda draw, n, k, m: (*rows(draw, n, k, m), draw.normal(m, k)),
    bytes=lambda n, k, m: 8 * n * k + 12 * m * k,
    flops=lambda n, k, m: m * k,
    numpy=add_rows,
    torch=lambda torch, table, at, new: torch.index_add(table, 0, at, new),
)
def scatter_add_of_rows(lib: Any, table: Any, at: Any, new: Any) -> Any:
    return table.at[at].add(new)


@program(
    "indexing",
    sizes=ROWS,
    arguments=lambda draw, n, k, m: (*rows(draw, n, k, m), draw.normal(m, k)),
    bytes=lambda n, k, m: 4 * n * k + 12 * m * k,
    flops=lambda n, k, m: 4 * m * k,
    torch=torch_gradient(
        lambda torch, table, at, weight: (
            torch.nn.functional.embedding(at, table) ** 2 * weight
        ).sum(),
        (0,),
    ),
)
def gradient_of_embedding(lib: Any, table: Any, at: Any, weight: Any) -> Any:
    return (lib.grad(lambda table: lib.numpy.sum(table[at] ** 2 * weight))(table),)


@program(
    "indexing",
    sizes=((128, 128), (1024, 1024), (4096, 4096)),
    arguments=lambda draw, n, k: (draw.normal(n, k), draw.integers(k, n, k)),
    bytes=lambda n, k: 12 * n * k,
    numpy=lambda x, at: np.take_along_axis(x, at, 1),
    torch=lambda torch, x, at: torch.gather(x, 1, at.long()),
)
def take_along_rows(lib: Any, x: Any, at: Any) -> Any:
    return lib.numpy.take_along_axis(x, at, 1)


@program(
    "indexing",
    sizes=(1 << 14, 1 << 19, 1 << 23),
    arguments=lambda draw, n: (draw.normal(n), draw.integers(n, n)),
    bytes=lambda n: 12 * n,
    numpy=lambda x, at: x[at],
    torch=lambda torch, x, at: x[at],
)
def gather_of_elements(lib: Any, x: Any, at: Any) -> Any:
    return x[at]


@program(
    "indexing",
    sizes=((1 << 14, 64), (1 << 19, 1024), (1 << 23, 4096)),
    arguments=lambda draw, n, bins: (draw.integers(bins, n), np.zeros(bins, np.float32)),
    bytes=lambda n, bins: 4 * n + 4 * bins,
    flops=lambda n, bins: n,
    numpy=lambda at, zeros: np.bincount(at, minlength=zeros.size),
    torch=lambda torch, at, zeros: torch.bincount(at, minlength=zeros.numel()),
)
def count_in_bins(lib: Any, at: Any, zeros: Any) -> Any:
    return zeros.at[at].add(1.0)


@program(
    "indexing",
    sizes=((2048, 16, 64), (32768, 64, 1024), (262144, 128, 4096)),
    arguments=lambda draw, n, k, m: (
        draw.normal(n, k),
        np.sort(draw.integers(m, n)),
        np.zeros((m, k), np.float32),
    ),
    bytes=lambda n, k, m: 4 * n * k + 4 * m * k,
    flops=lambda n, k, m: n * k,
    numpy=lambda x, at, zeros: add_rows(zeros, at, x),
    torch=lambda torch, x, at, zeros: torch.index_add(zeros, 0, at, x),
    tolerance=1e-3,
)
def sum_of_segments(lib: Any, x: Any, at: Any, zeros: Any) -> Any:
    return zeros.at[at].add(x)


def even_columns(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    x = x.copy()
    x[:, ::2] = y
    return x


def even_columns_torch(torch: Any, x: Any, y: Any) -> Any:
    x = x.clone()
    x[:, ::2] = y
    return x


@program(
    "indexing",
    sizes=(128, 1024, 4096),
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n, n // 2)),
    bytes=lambda n: 8 * n * n,
    numpy=even_columns,
    torch=even_columns_torch,
)
def update_of_every_second_column(lib: Any, x: Any, y: Any) -> Any:
    return x.at[:, ::2].set(y)


def windows_numpy(x: np.ndarray, starts: np.ndarray) -> np.ndarray:
    return np.stack([x[start : start + 64] for start in starts])


@program(
    "indexing",
    sizes=((1 << 13, 128), (1 << 17, 4096), (1 << 22, 65536)),
    arguments=lambda draw, n, m: (draw.normal(n), draw.integers(n - 64, m)),
    bytes=lambda n, m: 8 * 64 * m,
    numpy=windows_numpy,
    torch=lambda torch, x, starts: x.unfold(0, 64, 1)[starts],
)
def windows_at_starts(lib: Any, x: Any, starts: Any) -> Any:
    return lib.vmap(lambda start: lib.lax.dynamic_slice(x, (start,), (64,)))(starts)


@program(
    "indexing",
    sizes=((128, 100), (2048, 1000), (8192, 10000)),
    arguments=lambda draw, n, k: (draw.normal(n, k), draw.integers(k, n)),
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: 25 * n * k,
    torch=torch_gradient(
        lambda torch, logits, labels: torch.nn.functional.cross_entropy(logits, labels.long())
    ),
)
def gradient_of_cross_entropy(lib: Any, logits: Any, labels: Any) -> Any:
    xp = lib.numpy

    def loss(logits: Any) -> Any:
        chosen = xp.take_along_axis(lib.nn.log_softmax(logits), labels[:, None], 1)
        return -xp.mean(chosen)

    return (lib.grad(loss)(logits),)


@program(
    "indexing",
    sizes=(1 << 14, 1 << 19, 1 << 23),
    arguments=lambda draw, n: (draw.normal(n),),
    bytes=lambda n: 12 * n,
    numpy=lambda x: np.pad(at := np.flatnonzero(x > 0), (0, x.size - at.size)),
)
def places_of_positive_elements(lib: Any, x: Any) -> Any:
    return lib.numpy.nonzero(x > 0, size=x.shape[0], fill_value=0)[0]
