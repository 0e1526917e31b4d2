"""Has `dovetail.as_jax` serve, in addition, all that JAX's own tests import."""

import contextlib
import importlib
from collections.abc import Iterator

import jax_names

import dovetail.as_jax  # noqa: F401
from dovetail.as_jax import finder, missing, names

names.MODULES |= jax_names.names_of_modules()
names.FOLDERS += ("jax._src.lib.", "jaxlib.")
finder.file_sources.append(jax_names.file_of)
missing.describe = jax_names.describe
# Until pytest has collected the tests, all placeholders are let through.
missing.is_lenient = True

import jax  # noqa: E402

# Dovetail's modules have imported some of these from each other, by Dovetail's names.
for _path in sorted(jax_names.HAND_WRITTEN.glob("jax._src.*.py")):
    if finder.target_of(_path.stem):
        importlib.import_module(_path.stem)

# JAX's tests set its settings by their objects, too.
jax.config = importlib.import_module("jax._src.config").config


@contextlib.contextmanager
def enable_checks(value: bool = True) -> Iterator[None]:
    """JAX checks its own jaxprs: nothing that a program sees."""
    yield


jax.enable_checks = enable_checks
