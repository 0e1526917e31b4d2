"""SciPy's functions on arrays that can be traced, with JAX's names; modules are imported on
first use.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dovetail.scipy import cluster as cluster
    from dovetail.scipy import fft as fft
    from dovetail.scipy import integrate as integrate
    from dovetail.scipy import interpolate as interpolate
    from dovetail.scipy import linalg as linalg
    from dovetail.scipy import ndimage as ndimage
    from dovetail.scipy import optimize as optimize
    from dovetail.scipy import signal as signal
    from dovetail.scipy import sparse as sparse
    from dovetail.scipy import spatial as spatial
    from dovetail.scipy import special as special
    from dovetail.scipy import stats as stats

_MODULES = (
    "cluster",
    "fft",
    "integrate",
    "interpolate",
    "linalg",
    "ndimage",
    "optimize",
    "signal",
    "sparse",
    "spatial",
    "special",
    "stats",
)


def __getattr__(name: str) -> ModuleType:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return sorted((*globals(), *_MODULES))
