"""Reductions of values that fold to one number while the code generator fuses: each element
counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax

# Functions of a matrix of floats, one of integers and one of bytes, with 0 to 2 in the first
# column.
CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "or": lambda x, k, u: dnp.sum(k | -1),
    "and": lambda x, k, u: dnp.sum((k & 12 & 3) + 1),
    "xor": lambda x, k, u: dnp.sum((k ^ k) + 2),
    "xor_constant": lambda x, k, u: dnp.sum((k ^ 5) ^ k),
    "sub": lambda x, k, u: dnp.sum((k - k) + 2, 0),
    "cancelled": lambda x, k, u: dnp.sum((k + 5) - k, 1),
    "complement": lambda x, k, u: dnp.sum((k & ~k) + 3) + dnp.sum(k | ~k),
    "remainder": lambda x, k, u: dnp.sum((k % 1) + 3),
    "least": lambda x, k, u: dnp.sum(dnp.minimum(k | -1, -1), 1),
    "clip": lambda x, k, u: dnp.sum(dnp.clip(k, 2, 2)),
    "extreme": lambda x, k, u: dnp.sum(k >= -(2**31)),
    "byte": lambda x, k, u: (dnp.sum(u >= 0), dnp.sum(u.astype("int32") < 256)),
    "byte_as_float": lambda x, k, u: dnp.sum(u.astype("float32") < 1000),
    "shift": lambda x, k, u: dnp.sum((u >> 8) + 1),
    "product": lambda x, k, u: dnp.prod(dnp.minimum(k[:3] | -1, -2), 1),
    "choice": lambda x, k, u: dnp.sum(dnp.where(k == k, 2.5, x)),
    "same": lambda x, k, u: dnp.sum(dnp.where(x > 0, 2, 2)),
    "out_of_bounds": lambda x, k, u: dnp.sum(
        x.at[np.array([99, 98, 99])].get(mode="fill", fill_value=2.0)
    ),
    "computed_bounds": lambda x, k, u: dnp.sum(
        x.at[(k | -1)[:, 0]].get(mode="fill", fill_value=2.0, wrap_negative_indices=False)
    ),
    "constant_mask": lambda x, k, u: dnp.sum(dnp.where(lax.sort(dnp.zeros(5)) > 0, x, 2.0)),
    "constant_mask_of_zeros": lambda x, k, u: dnp.sum(dnp.where(dnp.arange(5) > 9, x, 0.0)),
    "complex": lambda x, k, u: dnp.sum(lax.complex((k | -1) * 1.0, x)),
    "contracted": lambda x, k, u: dnp.einsum("ij,ik->jk", (k ^ k) + 1, (k | -1) + 3),
    "mean": lambda x, k, u: (dnp.mean((k | -1) + 0.0, 1), dnp.var((k | -1) + 0.5)),
    "running": lambda x, k, u: dnp.cumsum((k | -1) + 2, 0)[-1],
}


@pytest.mark.parametrize("rows", [3, 1000])
def test_every_element_counts(rows: int) -> None:
    k = np.arange(rows * 5, dtype=np.int32).reshape(rows, 5)
    arguments = [dnp.asarray(a) for a in (np.sin(k).astype("float32"), k, k.astype("uint8"))]

    def all_cases(*args: Any) -> Any:
        return {name: case(*args) for name, case in CASES.items()}

    with config.merge_small_ops(False):
        compiled = dt.jit(all_cases)(*arguments)
    evaluated = all_cases(*arguments)
    for name, expected in evaluated.items():
        for a, e in zip(dt.tree.leaves(compiled[name]), dt.tree.leaves(expected), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(e), rtol=1e-5, err_msg=name)
