"""Runs the file that `exports` of `rank_programs.py` writes, with `dovetail.runtime` alone:
`python rank_exported.py FILE [FAULT]`.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import numpy as np

from dovetail import runtime


def reference(w: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    y = np.tanh(x @ w)
    return w - 0.1 * y.mean(0), y.mean(), y


def main() -> None:
    file, *fault = sys.argv[1:]
    options: dict[str, Any] = {}
    if "RANK" in os.environ:
        number, count = int(os.environ["RANK"]), int(os.environ["RANKS"])
        options = {"num_processes": count, "process_id": number}
    group = runtime.initialize(**options, collective_timeout=3 if fault else 60)
    step = runtime.load(file).main
    random = np.random.default_rng(0)
    w, x = (random.normal(size=shape).astype(np.float32) for shape in ((3, 4), (15, 3)))
    params = {"w": w}
    # Each process has the data of its own devices only.
    data = runtime.Parts(x.shape, [x[index].copy() for index in step.indices(1)])
    for _ in range(3):
        params, mean, y = step(params, data)
        w, expected, whole = reference(w, x)
        np.testing.assert_allclose(params["w"].numpy(), w, 1e-5, 1e-6)
        np.testing.assert_allclose(mean.numpy(), expected, 1e-5, 1e-6)
        for index, part in zip(y.indices, y.parts, strict=True):
            np.testing.assert_allclose(np.asarray(part), whole[index], 1e-5, 1e-6)
    # Whole arrays are divided.
    step(params, x)
    if fault and group.index == 1:
        time.sleep(6)
    if fault:
        step(params, data)
    loaded = [name for name in sys.modules if name.startswith("dovetail.")]
    assert all(name.startswith("dovetail.runtime") for name in loaded)
    sys.stdout.write(f"done {group.index}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
