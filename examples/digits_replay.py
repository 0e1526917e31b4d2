"""Trains one epoch from an exported training step, in a process that has only the runtime.

Usage: digits_replay.py train_step.vmfb epoch.npz losses.npy
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType

import numpy as np

# Modules that a deployed program does not need: the compiler, the C++ extension, the tracer.
ABSENT = ("iree.compiler", "dovetail._core", "dovetail.tracer", "dovetail.numpy", "optree")


class Absent(MetaPathFinder):
    """Makes the modules of `ABSENT` impossible to import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Rejects the modules of `ABSENT` and leaves all others to the next finder."""
        if any(fullname == name or fullname.startswith(name + ".") for name in ABSENT):
            raise ModuleNotFoundError(f"{fullname} is not part of the runtime", name=fullname)


def main(module_path: str, epoch_path: str, losses_path: str) -> None:
    sys.meta_path.insert(0, Absent())
    from dovetail import runtime

    train_step = runtime.load(module_path).main
    epoch = np.load(epoch_path)
    params = [{name: epoch[f"{name}{i}"] for name in ("weights", "bias")} for i in range(3)]
    zeros = [{name: np.zeros_like(leaf) for name, leaf in layer.items()} for layer in params]
    state = {"step": np.float32(0), "mean": zeros, "square": zeros}
    losses = []
    for images, labels in zip(epoch["images"], epoch["labels"], strict=True):
        params, state, loss = train_step(params, state, images, labels)
        losses.append(float(np.asarray(loss)))
    np.save(losses_path, np.asarray(losses))


if __name__ == "__main__":
    main(*sys.argv[1:])
