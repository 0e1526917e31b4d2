"""The demo: what it learns and draws, and that its exported files compute the same."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.images import png_size


@pytest.mark.slow
def test_demo_learns_and_ships(repository: Path, tmp_path: Path) -> None:
    command = [sys.executable, repository / "examples" / "digits.py", "--output", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "training: 100%" in done.stderr
    summary = json.loads((tmp_path / "summary.json").read_text())

    assert summary["accuracy"] >= 0.97
    assert len(set(summary["hardest"])) == 10

    # The checks in the demo itself compare predictions and losses; these verify that they took
    # place.
    assert summary["predict"]["compared"] == 450
    assert np.load(tmp_path / "predictions.npy").shape == (450,)
    assert summary["train_step"]["compared"] == len(np.load(tmp_path / "epoch_losses.npy")) == 21
    losses = np.load(tmp_path / "epoch_losses.npy")
    assert losses[-1] < losses[0] / 2

    width, height = png_size(tmp_path / "digits.png")
    assert width > 1000
    assert height > 500


def test_readme_example_runs(repository: Path, tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", (repository / "README.md").read_text(), re.S)
    program += "\nassert value < 0.05, value\n"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert "func.func" in done.stdout
    assert (tmp_path / "predict.vmfb").stat().st_size > 1000


def test_replay_has_neither_compiler_nor_tracer(repository: Path) -> None:
    program = """
import importlib, sys
from digits_replay import ABSENT, Absent
sys.meta_path.insert(0, Absent())
for name in ABSENT:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        print(error)
import dovetail.runtime
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        cwd=repository / "examples",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("is not part of the runtime") == 5
