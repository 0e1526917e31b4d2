"""`jax._src.traceback_util`: libraries register their files; Dovetail hides no frames."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


_exclude_paths: list[str] = []


def register_exclusion(path: str) -> None:
    """Note a path of a library; tracebacks are complete nevertheless."""
    _exclude_paths.append(path)


def include_frame(f: FrameType) -> bool:
    """Whether a frame is of none of the paths that libraries have registered."""
    return not any(f.f_code.co_filename.startswith(path) for path in _exclude_paths)


def api_boundary(fun: F) -> F:
    """The function itself."""
    return fun
