"""The names that `dovetail.as_jax` takes for JAX's, against those of JAX."""

from __future__ import annotations

import importlib
import runpy
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

NAMES = runpy.run_path(
    str(Path(__file__).parents[3] / "python" / "dovetail" / "as_jax" / "names.py")
)
# They need packages that are not here, or a device.
UNCHECKED = (
    "jax.experimental.jax2tf",
    "jax.experimental.mosaic",
    "jax.experimental.pallas",
    "jax.experimental.roofline",
    "jax.experimental.source_mapper",
)


def ours(module: str) -> object:
    """The module that stands for one of JAX, if there is one, without putting it in its place."""
    file = NAMES["__file__"].replace("names.py", module.replace(".", "/"))
    if Path(file).is_dir() or Path(f"{file}.py").exists():
        return None if module != "jax" else importlib.import_module("dovetail")
    try:
        return importlib.import_module(f"dovetail{module.removeprefix('jax')}")
    except ModuleNotFoundError:
        return None


def test_version():
    assert jax.__version__ == NAMES["VERSION"]


@pytest.mark.parametrize("module", sorted(NAMES["MODULES"]))
def test_modules(module):
    if not module.startswith(UNCHECKED):
        importlib.import_module(module)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("module", sorted(NAMES["MISSING"]))
def test_missing_names(module):
    theirs, our = importlib.import_module(module), ours(module)
    for name in NAMES["MISSING"][module]:
        assert hasattr(theirs, name), name
        assert our is None or not hasattr(our, name), f"remove {name}: it is here"
