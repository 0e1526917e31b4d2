"""The caches of jitted functions: one for each function and options, however often `jit` is called.

A call is looked up in C++ first (`_core.CompiledCalls`, one for each `jit`), then here.
"""

from __future__ import annotations

import threading
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dovetail.base.bounded import Bounded
from dovetail.programs.execution import Execution
from dovetail.programs.options import Options

if TYPE_CHECKING:
    from dovetail.tracing.key_reuse import Uses


class ProgramCache:
    """The programs of a function by what they depend on, with their executions.

    Attributes:
      executions: by the key of a call: structure and types of its arguments, static arguments,
        settings, place.
      uses: with `debug_key_reuse`, the programs' uses of random keys.
      lock: held while a program is traced.
    """

    def __init__(self) -> None:
        self.executions: Bounded[tuple[Any, ...], Execution] = Bounded()
        self.uses: Bounded[tuple[Any, ...], Uses] = Bounded()
        self.lock = threading.RLock()
        _all.add(self)

    def clear(self) -> None:
        """Drop all entries."""
        self.executions.clear()
        self.uses.clear()


# Also those of functions whose `jit` no longer exists.
_all: weakref.WeakSet[ProgramCache] = weakref.WeakSet()


def clear_all() -> None:
    """Drop the programs of all functions."""
    for cache in list(_all):
        cache.clear()


class _Caches:
    """The caches of a function by options: one of its attributes, which live as long as it does.

    Args:
      owner: the function; another one may have received its attributes, by `functools.wraps` or a
        copy.
    """

    def __init__(self, owner: Callable[..., Any] | None = None) -> None:
        self.owner = owner
        self.by_options: dict[Options, ProgramCache] = {}

    def __reduce__(self) -> Any:
        # Pickling the function does not include its caches.
        return _Caches, ()


_ATTRIBUTE = "_dovetail_programs"


def cache_of(function: Callable[..., Any], options: Options) -> ProgramCache:
    """The cache of a function: the same one for each `jit` of it with these options."""
    if type(function) is not types.FunctionType:
        return ProgramCache()
    caches = function.__dict__.get(_ATTRIBUTE)
    if caches is None or caches.owner is not function:
        caches = function.__dict__[_ATTRIBUTE] = _Caches(function)
    try:
        return caches.by_options.setdefault(options, ProgramCache())
    except TypeError:
        # For example a device of another library: not hashable.
        return ProgramCache()
