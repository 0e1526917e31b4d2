"""The functions of all ops, by mnemonic.

Importing the modules of the families enters their functions into the registry.
"""
# ruff: noqa: F401

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail.reference import (
    arithmetic,
    callbacks,
    collectives,
    contractions,
    control,
    conversions,
    elementary,
    ffi,
    fourier,
    indexing,
    integers,
    linalg,
    random,
    reductions,
    running,
    shapes,
    sizes,
    sorting,
    special,
    windows,
)
from dovetail.reference.op import OPS, Function

RAW: dict[str, Function] = {name: op.function for name, op in OPS.items()}

# NumPy keeps its floating-point warnings in a context variable. Running in a copy of this context
# costs a tenth of np.errstate.
_quiet = contextvars.Context()
_quiet.run(np.seterr, all="ignore")
# That variable, and its value without warnings.
(quiet_state,) = _quiet.items()


def quietly(function: Callable[..., Any], /, *args: Any, **attributes: Any) -> Any:
    """A call that does not warn of overflow, division by zero or NaN."""
    return _quiet.copy().run(function, *args, **attributes)


def _guarded(function: Function) -> Function:
    """The function without warnings, and with 0-dimensional arrays where NumPy gives scalars."""

    def call(*operands: np.ndarray, **attributes: Any) -> Any:
        result = _quiet.copy().run(function, *operands, **attributes)
        return result if type(result) in (np.ndarray, tuple) else np.asarray(result)

    return call


# Functions that stretch operands of rank 0 over the others, as NumPy does.
STRETCHING = frozenset(op.function for op in OPS.values() if op.stretches)

FUNCTIONS: dict[str, Function] = {
    name: op.function if op.only_moves else _guarded(op.function) for name, op in OPS.items()
}
