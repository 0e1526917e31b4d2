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

# Internal modules of which tests use the names that a public module has too.
ALIASES = {
    "jax._src.ad_checkpoint": "dovetail.transforms.checkpointing",
    "jax._src.api": "dovetail",
    "jax._src.callback": "dovetail.transforms.callbacks",
    "jax._src.checkify": "dovetail.experimental.checkify",
    "jax._src.custom_batching": "dovetail.custom_batching",
    "jax._src.custom_derivatives": "dovetail.custom_derivatives",
    "jax._src.debugger": "dovetail.debug",
    "jax._src.debugging": "dovetail.debug",
    "jax._src.dlpack": "dovetail.dlpack",
    "jax._src.errors": "dovetail.errors",
    "jax._src.export": "dovetail.export",
    "jax._src.image": "dovetail.image",
    "jax._src.lax": "dovetail.lax",
    "jax._src.lax.control_flow": "dovetail.lax",
    "jax._src.lax.lax": "dovetail.lax",
    "jax._src.lax.linalg": "dovetail.lax.linalg",
    "jax._src.lax.parallel": "dovetail.lax",
    "jax._src.lax.slicing": "dovetail.lax",
    "jax._src.lax.windowed_reductions": "dovetail.lax",
    "jax._src.mesh_utils": "dovetail.experimental.mesh_utils",
    "jax._src.monitoring": "dovetail.monitoring",
    "jax._src.nn": "dovetail.nn",
    "jax._src.numpy": "dovetail.numpy",
    "jax._src.numpy.fft": "dovetail.numpy.fft",
    "jax._src.numpy.lax_numpy": "dovetail.numpy",
    "jax._src.named_sharding": "dovetail.placement.named_sharding",
    "jax._src.pallas.pallas_call": "dovetail.experimental.pallas",
    "jax._src.partition_spec": "dovetail.placement.partition_spec",
    "jax._src.profiler": "dovetail.profiler",
    "jax._src.random": "dovetail.random",
    "jax._src.random.core": "dovetail.random",
    "jax._src.scipy": "dovetail.scipy",
    "jax._src.scipy.sparse.linalg": "dovetail.scipy.sparse.linalg",
    "jax._src.scipy.special": "dovetail.scipy.special",
    "jax._src.shard_map": "dovetail",
    "jax._src.stages": "dovetail.stages",
    "jax._src.tree_util": "dovetail.tree_util",
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
