"""Devices and shardings: JAX's results are those that `device_programs` and `sharding_programs`
expect.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", minversion="0.10")

# JAX accepts the number of devices only before its first use.
SCRIPT = """
import jax
jax.config.update("jax_num_cpu_devices", 4)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
from support import device_programs as programs
names = programs.names_of(jax, jnp)
for expression, expected in programs.ROWS:
    got = programs.outcome(expression, names, jax.tree.leaves)
    if got != expected:
        print(f"{expression}: expected {expected}, got: {got}")
"""

SHARDINGS = """
import jax
jax.config.update("jax_num_cpu_devices", 8)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
from support import sharded_array_programs
from support import sharding_programs as programs
names = programs.names_of(jax, jax.sharding, jnp)
for expression, expected in programs.VALUES + sharded_array_programs.ARRAYS:
    got = programs.mismatch(expression, expected, names)
    if got is not None:
        print(f"{expression}: expected {expected}, got: {got}")
"""


@pytest.mark.parametrize("script", [SCRIPT, SHARDINGS], ids=["devices", "shardings"])
def test_jax_agrees(script: str, repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=repository / "tests" / "python",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
