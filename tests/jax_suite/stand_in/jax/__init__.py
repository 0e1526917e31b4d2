"""Stands for `jax`: Dovetail under JAX's names, for JAX's own tests."""

import contextlib
import importlib
import sys
from collections.abc import Iterator

import jax_import

import dovetail

_module = sys.modules[__name__]
_module.__path__ = []
_module.__class__ = jax_import.StandIn
_module.__dict__["_target"] = dovetail
jax_import.install()

__version__ = "0.10.2"
__version_info__ = (0, 10, 2)
config = importlib.import_module("jax._src.config").config
for _name in (
    *("ad_checkpoint", "custom_batching", "custom_derivatives", "debug", "dlpack", "dtypes"),
    *("errors", "export", "lax", "nn", "numpy", "ops", "profiler", "random", "scipy", "sharding"),
    *("stages", "test_util", "tree", "tree_util", "typing"),
):
    globals()[_name] = importlib.import_module(f"jax.{_name}")


@contextlib.contextmanager
def enable_checks(value: bool = True) -> Iterator[None]:
    """JAX checks its own jaxprs: nothing that a program sees."""
    yield
