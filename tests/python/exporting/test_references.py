"""Exported functions that use references: files hold values only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, runtime


def test_references_within_a_function(tmp_path: Path) -> None:
    def running_sums(x: Any) -> Any:
        ref, total = dt.new_ref(dnp.zeros_like(x)), dt.new_ref(dnp.float32(0))

        def body(i: Any, c: Any) -> Any:
            total[...] += x[i]
            ref[i] = total[...]
            return c

        lax.fori_loop(0, len(x), body, 0)
        return ref[...]

    x = np.arange(1, 7, dtype=np.float32)
    dt.export(running_sums, x, path=tmp_path / "f.vmfb", name="f")
    np.testing.assert_array_equal(runtime.load(tmp_path / "f.vmfb").f(x).numpy(), np.cumsum(x))


def test_references_from_outside(tmp_path: Path) -> None:
    ref = dt.new_ref(np.zeros(3, np.float32))

    def writes(x: Any) -> Any:
        ref[...] = x
        return x

    with pytest.raises((TypeError, ValueError), match="reference"):
        dt.export(writes, np.ones(3, np.float32), path=tmp_path / "f.vmfb")
