"""What the generated functions share."""

from __future__ import annotations

from typing import Any

# An Array or a Tracer.
Operand = Any
Dims = tuple[int, ...]


def given(**attributes: Any) -> dict[str, Any]:
    """The attributes that have values."""
    return {name: value for name, value in attributes.items() if value is not None}
