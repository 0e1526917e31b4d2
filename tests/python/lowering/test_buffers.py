"""Dispatches have no more buffers than the drivers of their devices bind."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dovetail as dt
from dovetail.compiler.forms import Lowering


@pytest.mark.parametrize(("platform", "most"), [("cuda", 16), ("rocm", 16), ("vulkan", 32)])
def test_temporaries_of_a_dispatch(platform: str, most: int) -> None:
    program = dt.jit(dt.numpy.linalg.eigh).lower(np.eye(48, dtype=np.float32)).program
    module = program.after("check", is_partitioned=False)
    text = Lowering(module, "check", platform=platform).lowered.text()
    layouts = re.findall(r"bindings = \[([^\]]*)\]", text)
    assert layouts
    assert max(layout.count("#hal.pipeline.binding<") for layout in layouts) <= most
