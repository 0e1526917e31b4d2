"""The module of Dovetail, or the file, that stands in for each module that JAX's tests import."""

from __future__ import annotations

import os
from pathlib import Path

HAND_WRITTEN = Path(__file__).parent / "modules"
CHECKOUT = Path(os.environ["JAX_CHECKOUT"])

# JAX's own test utilities and NumPy references run as they are.
VERBATIM = {
    "jax._src.hypothesis_test_util",
    "jax._src.internal_test_util.deprecation_module",
    "jax._src.internal_test_util.lax_test_util",
    "jax._src.internal_test_util.lazy_loader_module",
    "jax._src.internal_test_util.test_harnesses",
    "jax._src.lax_reference",
    "jax._src.pallas.pallas_test_util",
    "jax._src.public_test_util",
    "jax._src.test_loader",
    "jax._src.test_util",
    "jax._src.test_warning_util",
    "jax.experimental.sparse.test_util",
}

_INTERNAL = (
    "jax._src",
    "jax.api_util",
    "jax.core",
    "jax.extend",
    "jax.interpreters",
    "jax.lib",
    "jax.tools",
)


def is_internal(name: str) -> bool:
    """True if a module, or a name in one, is not part of JAX's public API."""
    return name.startswith(_INTERNAL)


def describe(name: str) -> str:
    """The text of the error of a missing name, which says whether it is JAX's public interface."""
    return f"{'INTERNAL' if is_internal(name) else 'PUBLIC'} {name}"


def names_of_modules() -> set[str]:
    """All modules that JAX's checkout has."""
    names = set()
    for path in (CHECKOUT / "jax").rglob("*.py"):
        parts = path.relative_to(CHECKOUT).with_suffix("").parts
        names.add(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def file_of(name: str) -> Path | None:
    """The file that is executed for a module: one written by hand, or JAX's own."""
    hand_written = HAND_WRITTEN / f"{name}.py"
    if hand_written.exists():
        return hand_written
    if name not in VERBATIM:
        return None
    base = CHECKOUT.joinpath(*name.split("."))
    return base.with_suffix(".py") if base.with_suffix(".py").exists() else base / "__init__.py"
