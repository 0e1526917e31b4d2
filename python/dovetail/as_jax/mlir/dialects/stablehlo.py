"""Builders of StableHLO's ops and attributes, with JAX's names."""

from typing import Any

from dovetail.as_jax.mlir.attributes import CLASSES
from dovetail.as_jax.mlir.builders import members_of
from dovetail.as_jax.mlir.op_table import STABLEHLO

globals().update(members_of("stablehlo", STABLEHLO), **CLASSES)


def register_dialect(context: Any, load: bool = True) -> None:
    """Have a context accept the ops.

    Args:
      context: the context.
      load: ignored.
    """
    context.allow_unregistered_dialects = True


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
