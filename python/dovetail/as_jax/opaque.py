"""Classes of JAX that programs name, but of which Dovetail makes no instances."""

from __future__ import annotations

from typing import Any

from dovetail.as_jax import missing


def opaque_class(module: str, name: str) -> type:
    """A class of JAX that Dovetail lacks: it has no instances, and to make one is an error.

    Args:
      module: the class's module in JAX.
      name: its name.

    Example:
      >>> from dovetail.as_jax import opaque
      >>> Jaxpr = opaque.opaque_class("jax.extend.core", "Jaxpr")
      >>> isinstance(1, Jaxpr)
      False
    """
    full = f"{module.removeprefix('dovetail.as_jax.')}.{name}"

    def fail(cls: type, *args: Any, **kwargs: Any) -> Any:
        missing.fail(full)

    body = {"__new__": fail, "__module__": module, "__doc__": f"Stands for `{full}`."}
    return type(name, (), body)
