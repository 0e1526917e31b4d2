"""Scope of strict promotion settings: the operands of a user's call, not what this package's
functions compute internally.

It is used only if a setting would reject operands, so it may be slow: it inspects the stack.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import os
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FrameType
from typing import Any

from dovetail.base.trace_stack import refuse_recording

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep
# Files whose frames may be between a decorated function and its caller.
_BETWEEN = {contextlib.__file__, functools.__file__}
# Modules that call functions on behalf of others.
_MACHINERY = tuple(
    folder.replace("/", os.sep)
    for folder in (
        *("base/", "compiler/", "diagnostics/", "eager/", "exporting/", "placement/", "programs/"),
        *("reference/", "saving/", "symbolic/", "tracing/", "transforms/", "trees/"),
        "lax/control/",
    )
)
_RECORDING = os.path.join(_PACKAGE, "eager", "recording.py")


def is_of_user(operands: Iterable[Any]) -> bool:
    """True if all operands are unmodified arguments of the function that user code called.
    Otherwise a function of this package computes with them, and the user's strictness does not
    apply.
    """
    function, is_outermost = _called_function()
    known = {id(value) for value in _arguments(function)}
    if all(id(operand) in known for operand in operands):
        return True
    if not is_outermost:
        # A user's call of the function that is recorded here would be rejected.
        refuse_recording()
    return False


def _called_function() -> tuple[FrameType, bool]:
    """The frame of this package's outermost function called by user code, and whether it belongs to
    the eager call being recorded.
    """
    frame: FrameType | None = sys._getframe(1)
    outermost, function, is_recorded = frame, None, False
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(_PACKAGE):
            outermost = frame
            if path == _RECORDING:
                is_recorded = True
            elif not _is_machinery(path.removeprefix(_PACKAGE)):
                function, is_recorded = frame, False
        elif path not in _BETWEEN:
            break
        frame = frame.f_back
    return function or outermost, is_recorded


def _is_machinery(path: str) -> bool:
    """True for modules that call functions passed to them, such as transforms."""
    return os.sep not in path or path.startswith(_MACHINERY)


def _arguments(frame: FrameType) -> Iterator[Any]:
    """The arguments of a running function that it has not rebound, and their leaves."""
    code, values = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)
    replaced = _replacements(code)
    for name in code.co_varnames[:count]:
        if name in values and replaced.get(name, frame.f_lasti) >= frame.f_lasti:
            yield from _parts(values[name])


def _parts(value: Any) -> Iterator[Any]:
    yield value
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, dict):
        yield from _parts(list(value.values()))


@functools.cache
def _replacements(code: CodeType) -> dict[str, int]:
    """The first assignment to each variable in a function."""
    first: dict[str, int] = {}
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_FAST", "STORE_DEREF"):
            first.setdefault(instruction.argval, instruction.offset)
    return first
