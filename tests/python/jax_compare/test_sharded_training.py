"""Programs on eight devices have the results of JAX's, divided alike."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("jax", minversion="0.10")

PROGRAM = Path(__file__).parent / "program_sharded_training.py"


@pytest.mark.slow
def test_as_in_jax(tmp_path: Path) -> None:
    """A transformer divided over both axes of a mesh, attention around a ring, a pipeline, products
    of parts: values, gradients and shardings.
    """
    environment = {
        **os.environ,
        "DOVETAIL_NUM_CPU_DEVICES": "8",
        "DOVETAIL_COMPILE": "never",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    found = []
    for library in ("dovetail", "jax"):
        path = tmp_path / f"{library}.npz"
        done = subprocess.run(
            [sys.executable, str(PROGRAM), library, str(path)],
            capture_output=True,
            text=True,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        found.append(dict(np.load(path)))
    ours, theirs = found
    assert [*ours] == [*theirs]
    for name, expected in theirs.items():
        scale = np.abs(expected).max()
        np.testing.assert_allclose(ours[name], expected, 1e-4, 1e-5 * scale, err_msg=name)
