"""The arrays that the texts of `jax_table` name."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import dtypes


def sample(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Small multiples of a quarter, or integers."""
    rng = np.random.default_rng(seed)
    kind = dtypes.kind(np.dtype(dtype))
    if kind == "b":
        return rng.random(shape) < 0.5
    values = rng.integers(1, 6, shape) * np.where(rng.random(shape) < 0.3, -1, 1).astype(float)
    if kind in "fc":
        values = values - 0.25
    if kind == "c":
        values = values + 0.5j * rng.integers(-2, 3, shape)
    return np.abs(values).astype(dtype) if kind == "u" else values.astype(dtype)


def arguments(dtype: str, xp: Any) -> dict[str, Any]:
    """The names that the table's text may use."""
    shapes = {"x": (3, 4), "y": (3, 4), "v": (4,), "w": (4,), "q": (3, 3), "t": (2, 3, 4)}
    arrays: dict[str, Any] = {
        n: sample(dtype, s, seed) for seed, (n, s) in enumerate(shapes.items())
    }
    arrays |= {"s": sample(dtype, (), 9), "z": np.zeros((0, 4), dtype)}
    arrays |= {"i": np.array([0, 2, 1], np.int32), "j": np.array([1, 3, 0, 2], np.int32)}
    arrays |= {"b": sample("bool", (3, 4), 10), "m": np.array([True, False, True, True])}
    arrays["n"] = np.array(
        [[1.0, np.nan, 1, -0.0, np.inf, 0.0], [np.nan, 2, np.nan, 2, -np.inf, -1]], np.float32
    )
    arrays["f"] = np.array([-1.5, 0.0, 1.0, 2.5], np.float32)
    return {"np": np, "xp": xp, **{n: xp.asarray(a) for n, a in arrays.items()}}
