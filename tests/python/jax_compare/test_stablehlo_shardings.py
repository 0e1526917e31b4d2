"""Shardings and collectives of JAX's programs are those here, and the reverse."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", minversion="0.10")

PROGRAM = Path(__file__).parent / "program_stablehlo_shardings.py"


def test_both_ways_on_eight_devices() -> None:
    environment = {
        **os.environ,
        "DOVETAIL_NUM_CPU_DEVICES": "8",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
    }
    done = subprocess.run(
        [sys.executable, str(PROGRAM)], capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == "done", done.stderr
