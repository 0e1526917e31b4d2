"""`jax`: Dovetail, under the version of the JAX whose behaviour it has."""

from __future__ import annotations

from typing import Any

import dovetail
from dovetail.as_jax import names, settings

__version__ = names.VERSION
__version_info__ = names.VERSION_INFO

config = settings.config
settings.read_environment()


def __getattr__(name: str) -> Any:
    value = getattr(dovetail, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(dovetail)})
