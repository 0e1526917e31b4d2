"""The programs of jitted functions: one set for each function, however often `jit` is called."""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dovetail.base.bounded import Bounded
from dovetail.programs.lowered import Compiled
from dovetail.programs.options import Options

if TYPE_CHECKING:
    from dovetail.tracing.key_reuse import Uses


class Programs:
    """What was compiled of a function with some options, however often `jit` is called."""

    def __init__(self) -> None:
        self.compiled: Bounded[tuple[Any, ...], Compiled] = Bounded()
        # With `debug_key_reuse`: what its programs do with keys.
        self.uses: Bounded[tuple[Any, ...], Uses] = Bounded()
        self.lock = threading.RLock()
        _all.add(self)

    def clear(self) -> None:
        """Forget all."""
        self.compiled.clear()
        self.uses.clear()


# Also those of functions whose `jit` is gone.
_all: weakref.WeakSet[Programs] = weakref.WeakSet()


def forget_all() -> None:
    """Forget the programs of all functions."""
    for programs in list(_all):
        programs.clear()


class _Kept:
    """The programs of a function by options: one of its attributes, which it lives as long as.

    Args:
      owner: the function; another one may have got its attributes, by `functools.wraps` or a copy.
    """

    def __init__(self, owner: Callable[..., Any] | None = None) -> None:
        self.owner = owner
        self.programs: dict[Options, Programs] = {}

    def __reduce__(self) -> Any:
        # Nothing of it goes where the function is sent.
        return _Kept, ()


_KEPT = "_dovetail_programs"


def programs_of(function: Callable[..., Any], options: Options) -> Programs:
    """The programs of a function: the same ones for each `jit` of it with these options."""
    if type(function) is not types.FunctionType:
        return Programs()
    kept = function.__dict__.get(_KEPT)
    if kept is None or kept.owner is not function:
        kept = function.__dict__[_KEPT] = _Kept(function)
    try:
        return kept.programs.setdefault(options, Programs())
    except TypeError:
        # As a device of another library: not hashable.
        return Programs()
