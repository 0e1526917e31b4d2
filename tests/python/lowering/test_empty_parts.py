"""Arrays without elements among the parts of others, wherever they are."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp

SIZES = (0, 1, 3)


def test_parts_of_all_sizes() -> None:
    """All in one program: each combination of two or three parts along each of three dimensions."""
    cases = []
    for dim in range(3):
        for sizes in [
            *itertools.product(SIZES, repeat=2),
            (2, 0, 0),
            (0, 0, 2),
            (2, 3, 0),
            (0, 0, 0),
        ]:
            shapes = [tuple(size if d == dim else 2 for d in range(3)) for size in sizes]
            cases.append((dim, [np.random.default_rng(dim).normal(size=s) for s in shapes]))
    cases += [
        (1, [np.zeros((2, 3, 0)), np.zeros((2, 4, 0))]),
        (1, [np.zeros((0, 1)), np.zeros((0, 0))]),
    ]
    arrays = [[part.astype(np.float32) for part in parts] for _, parts in cases]

    def joined(all_parts: Any) -> list[dt.Array]:
        # Sums are not folded before the parts are joined.
        return [
            dt.lax.concatenate([part + 1 for part in parts], dim)
            for (dim, _), parts in zip(cases, all_parts, strict=True)
        ]

    for found, (dim, _), parts in zip(dt.jit(joined)(arrays), cases, arrays, strict=True):
        np.testing.assert_array_equal(found, np.concatenate(parts, dim) + 1)


def test_an_edge_that_is_padded_on_one_side() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    widths = ((0, 1), (2, 0))
    found = dt.jit(dt.vmap(lambda x: dnp.pad(x, widths, mode="edge")))(x)
    np.testing.assert_array_equal(found, np.pad(x, ((0, 0), *widths), mode="edge"))
