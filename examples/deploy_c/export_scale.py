"""Exports the function that the C program beside this file calls."""

from __future__ import annotations

import sys

import numpy as np

import dovetail as dt

WEIGHTS = np.arange(1, 33, dtype=np.float32)


def scale(x: dt.Array) -> dt.Array:
    return x * WEIGHTS[: x.size] + 1


if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else "scale.vmfb"
    files = dt.export(scale, dt.ShapeDtypeStruct((4,), "float32"), path=path, name="scale")
    print(*files.values())
