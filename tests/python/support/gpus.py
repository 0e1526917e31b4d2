"""Tests on the GPUs of every platform that has one; Vulkan's and CUDA's may be drivers for CPUs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dovetail as dt
from dovetail import runtime

# Skipped for platforms without a device.
on_gpus = pytest.mark.parametrize("gpu", ["vulkan", "cuda", "rocm"], indirect=True)


def run_on(platform: str, folder: Path, function: Callable[..., Any], *arrays: Any) -> Any:
    """The results of a function that is exported for a platform, and runs on its device."""
    path = folder / "f.vmfb"
    dt.export(function, *arrays, path=path, targets=platform)
    return runtime.load(path, device=platform).main(*arrays)
