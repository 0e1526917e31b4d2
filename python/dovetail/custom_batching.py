"""Functions with custom batching rules."""

from __future__ import annotations

from dovetail.lax.control.mapping import sequential_vmap as sequential_vmap
from dovetail.transforms.custom_batching import custom_vmap as custom_vmap
