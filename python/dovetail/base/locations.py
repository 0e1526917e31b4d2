"""Source locations: where in the user's program something is traced, called or rejected."""

from __future__ import annotations

import os
import sys
import threading
from types import FrameType

import optree

# A file, a line (0 if unknown) and the name of a function.
Location = tuple[str, int, str]

# This package, and the one that calls the functions that it maps over trees.
_PACKAGES = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep
    for file in (os.path.dirname(__file__), optree.__file__)
)


class _Internal(dict[str, bool]):
    """Caches, per file name, whether a file is internal, not the user's."""

    def __missing__(self, file: str) -> bool:
        answer = self[file] = file.startswith(_PACKAGES)
        return answer


_internal = _Internal()


def exclude(path: str) -> None:
    """Take the code below a path, or in a file, for a library: it is not where the user is."""
    global _PACKAGES
    _PACKAGES = (*_PACKAGES, path)
    _internal.clear()


def is_internal(file: str) -> bool:
    """True if a file belongs to this package or its dependencies, not to the user."""
    return _internal[file]


def user_frame() -> FrameType | None:
    """The innermost frame of the user's program."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _internal[frame.f_code.co_filename]:
        frame = frame.f_back
    return frame


def location() -> Location:
    """The current location in the user's program."""
    frame = user_frame()
    if frame is None:
        return "", 0, ""
    code = frame.f_code
    return code.co_filename, frame.f_lineno, scope.name + code.co_name


class _Scope(threading.local):
    """The names of the blocks that this thread is in, each followed by a slash."""

    name = ""


scope = _Scope()


def describe(where: Location) -> str:
    """The location as `file:line (function)`."""
    file, line, name = where
    return f"{file}:{line} ({name})" if file else "an unknown place"


def here() -> str:
    """The current location in the user's program, as text for messages."""
    return "at " + describe(location())
