"""Ships the digits network and its training step as files, and checks both in other processes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import digits
import iree._runtime_libs
import numpy as np

import dovetail as dt

IREE_RUN_MODULE = Path(iree._runtime_libs.__file__).with_name("iree-run-module")


def export_predict(
    directory: Path, params: Any, test_set: digits.Digits, expected: np.ndarray
) -> dict[str, Any]:
    """Saves the trained classifier, and runs it with IREE's own command-line tool, without Python.

    Args:
      directory: the folder for the files.
      params: the trained parameters, which become part of the module.
      test_set: the held-out digits.
      expected: int32[n], the predictions to compare with.

    Returns:
      The module's path and size, and the number of predictions compared.

    Raises:
      RuntimeError: the tool failed, or predicted other digits.
    """
    module, images = directory / "predict.vmfb", directory / "test_images.npy"
    result = directory / "predictions.npy"

    def classify(images: Any) -> Any:
        return digits.predict(params, images)

    dt.jit(classify).lower(test_set.images).compile().save(module)
    np.save(images, test_set.images)
    result.unlink(missing_ok=True)
    command = [
        IREE_RUN_MODULE,
        f"--module={module}",
        "--device=local-task",
        "--function=main",
        f"--input=@{images}",
        f"--output=@{result}",
    ]
    run_checked(command)
    predictions = np.load(result)
    if not np.array_equal(predictions, expected):
        differing = int(np.sum(predictions != expected))
        raise RuntimeError(f"iree-run-module predicts {differing} digits differently from jit")
    print(
        f"predict: {module} ({module.stat().st_size / 1024:.0f} KiB), run by iree-run-module: "
        f"the same {len(predictions)} predictions"
    )
    return {
        "module": str(module),
        "bytes": module.stat().st_size,
        "compared": len(predictions),
    }


def export_train_step(directory: Path, train_set: digits.Digits, seed: int) -> dict[str, Any]:
    """Saves the training step, and trains an epoch with it without a compiler or tracer.

    Args:
      directory: the folder for the files.
      train_set: the digits to train on.
      seed: the seed of the initial parameters and of the order of the batches.

    Returns:
      The module's path and size, the number of steps, and the largest difference of a loss.

    Raises:
      RuntimeError: the other process failed, or its losses differ from those of `jit`.
    """
    module, epoch = directory / "train_step.vmfb", directory / "epoch.npz"
    result = directory / "epoch_losses.npy"
    params = digits.init_params(seed)
    state = digits.init_optimizer(params)
    batches = list(digits.batches(train_set, np.random.default_rng(seed)))

    step = dt.jit(digits.train_step)
    step.lower(params, state, *batches[0]).compile().save(module)
    arrays = {f"{name}{i}": leaf for i, layer in enumerate(params) for name, leaf in layer.items()}
    np.savez(
        epoch,
        images=np.stack([batch.images for batch in batches]),
        labels=np.stack([batch.labels for batch in batches]),
        **arrays,
    )
    result.unlink(missing_ok=True)
    replay = Path(__file__).with_name("digits_replay.py")
    run_checked([sys.executable, replay, module, epoch, result])

    expected = []
    for batch in batches:
        params, state, value = step(params, state, *batch)
        expected.append(float(value))
    difference = float(np.max(np.abs(np.load(result) - expected)))
    if difference > 1e-5:
        raise RuntimeError(f"replayed losses differ from those of jit by up to {difference:.2g}")
    print(
        f"train step: {module} ({module.stat().st_size / 1024:.0f} KiB), {len(batches)} steps by "
        f"dovetail.runtime alone: the losses of jit, within {difference:.1g}"
    )
    return {
        "module": str(module),
        "bytes": module.stat().st_size,
        "compared": len(expected),
        "difference": difference,
    }


def run_checked(command: list[Any]) -> None:
    """Runs another program, and raises `RuntimeError` with its output if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"{Path(str(command[0])).name} failed with status {done.returncode}:\n"
            f"{done.stdout}{done.stderr}"
        )
