"""Sizes that are known only when a program runs: names, arithmetic on them, and constraints."""

from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.size import (
    Size,
    as_size,
    has_sizes,
    is_symbolic_dim,
    max_dim,
    min_dim,
)

__all__ = [
    "Size",
    "SymbolicScope",
    "as_size",
    "has_sizes",
    "is_symbolic_dim",
    "max_dim",
    "min_dim",
]
