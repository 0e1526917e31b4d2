"""The names that `dovetail.as_jax` takes for JAX's, against those of JAX."""

from __future__ import annotations

import importlib
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

ROOT = Path(__file__).parents[3]
NAMES = runpy.run_path(str(ROOT / "python" / "dovetail" / "as_jax" / "names.py"))
# They need packages that are not here, or a device.
UNCHECKED = (
    "jax.experimental.jax2tf",
    "jax.experimental.mosaic",
    "jax.experimental.pallas",
    "jax.experimental.roofline",
    "jax.experimental.source_mapper",
)
NEEDING_PACKAGES = (
    "jax.collect_profile",
    "jax.experimental.array_serialization.",
    "jax.experimental.colocated_python.",
    "jax.tools.",
    "jax._src.export",
)


def test_version():
    assert jax.__version__ == NAMES["VERSION"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("module", sorted(NAMES["MODULES"]))
def test_modules(module):
    if not module.startswith((*UNCHECKED, *NEEDING_PACKAGES)):
        importlib.import_module(module)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("module", sorted(NAMES["MISSING"]))
def test_missing_names(module):
    if module.startswith((*UNCHECKED, *NEEDING_PACKAGES)):
        return
    theirs = importlib.import_module(module)
    assert [name for name in NAMES["MISSING"][module] if not hasattr(theirs, name)] == []


def test_the_list_is_that_of_the_tool():
    # All names of JAX that are not here, and none that is.
    command = [sys.executable, str(ROOT / "tools" / "jax_names"), sys.executable, "--check"]
    subprocess.run(command, check=True)
