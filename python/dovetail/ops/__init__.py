"""The ops of the dialect as functions, on operands of one shape and element type, without promotion
or broadcasting.

`dovetail.lax` is the layer that validates, `dovetail.numpy` the one that promotes and broadcasts.
The functions of segments are not ops, but JAX has them in the package of this name: they are
compositions of functions in later layers, and so are loaded at their first use.
"""

from __future__ import annotations

from dovetail.base.late import segments
from dovetail.ops import functions
from dovetail.ops.functions import *  # noqa: F403

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from dovetail.numpy.segments import segment_max as segment_max
    from dovetail.numpy.segments import segment_min as segment_min
    from dovetail.numpy.segments import segment_prod as segment_prod
    from dovetail.numpy.segments import segment_sum as segment_sum

__all__ = ["segment_max", "segment_min", "segment_prod", "segment_sum"]
__all__ += functions.__all__


def __getattr__(name: str) -> Any:
    if not name.startswith("segment_") or name not in __all__:
        raise AttributeError(f"module 'dovetail.ops' has no attribute {name!r}")
    value = globals()[name] = getattr(segments, name)
    return value
