"""Modules of later layers that earlier ones call, each imported at its first use.

Python's operators on arrays, for example, are implemented in `dovetail.numpy`, which is built on
arrays. These are the only calls against the layer order.
"""

from __future__ import annotations

import importlib
from typing import Any


class _Late:
    """Stands for a module."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self._name), attribute)
        self.__dict__[attribute] = value
        return value


# Operators and methods of arrays and of symbolic sizes.
numpy: Any = _Late("dovetail.numpy")
# Slices of references that start at computed indices.
lax: Any = _Late("dovetail.lax")
# Writes to large references outside of traced functions.
reference_updates: Any = _Late("dovetail.programs.reference_updates")
# `lax.rng_uniform`, which takes no key.
random: Any = _Late("dovetail.random")
# The functions of `jax.ops`, which live in the same module as the dialect's ops.
segments: Any = _Late("dovetail.numpy.segments")
# `Compiled.save`.
files: Any = _Late("dovetail.exporting.files")
# Programs of functions that are parameters of equations.
composed: Any = _Late("dovetail.tracing.composed")
# Traces that programs define.
user_traces: Any = _Late("dovetail.jaxprs.user_traces")
making: Any = _Late("dovetail.jaxprs.making")
# `lax.add_p`, `sparse.bcoo_todense_p` and the like.
jaxprs: Any = _Late("dovetail.jaxprs.primitives")
# The primitive of `debug.print`.
debug: Any = _Late("dovetail.diagnostics.debug")
# The options `--as-jax` of commands.
as_jax: Any = _Late("dovetail.as_jax")
