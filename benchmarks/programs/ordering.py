"""Sorting, selecting and searching."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from .registry import Draw, program

ROWS = ((64, 256), (512, 2048), (2048, 8192))


def rows(draw: Draw, n: int, k: int) -> tuple[Any, ...]:
    return (draw.normal(n, k),)


@program(
    "ordering",
    sizes=(1 << 13, 1 << 18, 1 << 22),
    arguments=lambda draw, n: (draw.normal(n),),
    bytes=lambda n: 8 * n,
    flops=lambda n: n * log2(n),
    numpy=np.sort,
    torch=lambda torch, x: torch.sort(x).values,
)
def sort_of_a_vector(lib: Any, x: Any) -> Any:
    return lib.numpy.sort(x)


@program(
    "ordering",
    sizes=ROWS,
    arguments=rows,
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: n * k * log2(k),
    numpy=lambda x: np.sort(x, 1),
    torch=lambda torch, x: torch.sort(x, 1).values,
)
def sort_of_rows(lib: Any, x: Any) -> Any:
    return lib.numpy.sort(x, 1)


@program(
    "ordering",
    sizes=ROWS,
    arguments=rows,
    bytes=lambda n, k: 8 * n * k,
    flops=lambda n, k: n * k * log2(k),
    numpy=lambda x: np.take_along_axis(x, np.argsort(x, 1), 1),
    torch=lambda torch, x: torch.gather(x, 1, torch.argsort(x, 1)),
)
def argsort_and_take(lib: Any, x: Any) -> Any:
    return lib.numpy.take_along_axis(x, lib.numpy.argsort(x, 1), 1)


@program(
    "ordering",
    sizes=((16, 1024), (256, 4096), (2048, 16384)),
    arguments=rows,
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: n * k,
    numpy=lambda x: np.sort(np.partition(x, -16, 1)[:, -16:], 1)[:, ::-1],
    torch=lambda torch, x: torch.topk(x, 16, 1).values,
)
def largest_16_of_rows(lib: Any, x: Any) -> Any:
    return lib.lax.top_k(x, 16)[0]


@program(
    "ordering",
    sizes=((1, 4096), (32, 50000), (256, 131072)),
    arguments=rows,
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: n * k,
    numpy=lambda x: np.argsort(-x, 1)[:, :50],
    torch=lambda torch, x: torch.topk(x, 50, 1).indices,
)
def places_of_the_largest_50(lib: Any, x: Any) -> Any:
    return lib.lax.top_k(x, 50)[1]


@program(
    "ordering",
    sizes=((128, 128), (1024, 1024), (4096, 4096)),
    arguments=rows,
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: n * k,
    numpy=lambda x: np.argmax(x, 1),
    torch=lambda torch, x: torch.argmax(x, 1),
)
def argmax_of_rows(lib: Any, x: Any) -> Any:
    return lib.numpy.argmax(x, 1)


@program(
    "ordering",
    sizes=((128, 128), (1024, 1024), (4096, 4096)),
    arguments=rows,
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: n * k,
    numpy=lambda x: np.argmin(x, 0),
    torch=lambda torch, x: torch.argmin(x, 0),
)
def argmin_of_columns(lib: Any, x: Any) -> Any:
    return lib.numpy.argmin(x, 0)


@program(
    "ordering",
    sizes=((64, 255), (512, 2047), (2048, 8191)),
    arguments=rows,
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: 3 * n * k,
    numpy=lambda x: np.median(x, 1),
    torch=lambda torch, x: torch.median(x, 1).values,
)
def median_of_rows(lib: Any, x: Any) -> Any:
    return lib.numpy.median(x, axis=1)


@program(
    "ordering",
    sizes=(1 << 12, 1 << 18, 1 << 22),
    arguments=lambda draw, n: (draw.normal(n), np.linspace(0, 1, 5, dtype=np.float32)),
    bytes=lambda n: 4 * n,
    flops=lambda n: 3 * n,
    numpy=lambda x, q: np.quantile(x, q),
)
def quantiles_of_a_vector(lib: Any, x: Any, q: Any) -> Any:
    return lib.numpy.quantile(x, q)


@program(
    "ordering",
    sizes=((1 << 10, 1 << 12), (1 << 16, 1 << 18), (1 << 20, 1 << 22)),
    arguments=lambda draw, n, m: (np.sort(draw.normal(n)), draw.normal(m)),
    bytes=lambda n, m: 4 * n + 8 * m,
    flops=lambda n, m: m * log2(n),
    numpy=np.searchsorted,
    torch=lambda torch, table, x: torch.searchsorted(table, x),
)
def search_in_a_sorted_table(lib: Any, table: Any, x: Any) -> Any:
    return lib.numpy.searchsorted(table, x)


@program(
    "ordering",
    sizes=(1 << 12, 1 << 17, 1 << 21),
    arguments=lambda draw, n: (draw.integers(1000, n), draw.normal(n)),
    bytes=lambda n: 16 * n,
    flops=lambda n: n * log2(n),
    numpy=lambda keys, x: (keys[order := np.argsort(keys, stable=True)], x[order]),
)
def sort_by_integer_keys(lib: Any, keys: Any, x: Any) -> Any:
    return lib.lax.sort((keys, x), num_keys=1)
