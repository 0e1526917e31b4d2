"""Exchange of arrays with other libraries without copying."""

from __future__ import annotations

from dovetail.arrays.dlpack import from_dlpack as from_dlpack
from dovetail.arrays.dlpack import is_supported_dtype as is_supported_dtype
