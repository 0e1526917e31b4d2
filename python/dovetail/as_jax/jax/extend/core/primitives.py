"""`jax.extend.core.primitives`: the primitives of equations."""

from typing import Any


def __getattr__(name: str) -> Any:
    from dovetail.jaxprs.primitives import find  # lazy

    return find(__name__, name)
