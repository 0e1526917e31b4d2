"""Runs a translated kernel on one array, in a process of its own, which a fault ends.

Usage: launch.py FOLDER BLOCKS THREADS

The folder has the library, m.so, of a kernel named `kernel` with two parameters: from where it
reads, from.npy, and to where it writes, to.npy, which begins as -1.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np


def main(folder: Path, blocks: int, threads: int) -> None:
    source = np.load(folder / "from.npy")
    target = np.full_like(source, -1)
    params = (ctypes.c_uint64 * 2)(source.ctypes.data, target.ctypes.data)
    dimensions = (ctypes.c_uint32 * 6)(blocks, 1, 1, threads, 1, 1)
    ctypes.CDLL(str(folder / "m.so")).run_kernel(params, dimensions, 4 * threads)
    np.save(folder / "to.npy", target)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
