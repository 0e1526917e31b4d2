"""`debug_key_reuse` through `jit`: what a traced function does with keys is done at each call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from dovetail.pytree import flatten

# Key arrays are numbered, so that a trace knows those that were there before it.
births = itertools.count()

# What was used since the outermost trace began: (keys, what was used of them before, what of them).
_Events = list[tuple[Any, np.ndarray, Any]]
_recorders: ContextVar[tuple[_Events, ...]] = ContextVar("recorders", default=())


def record(keys: Any, before: np.ndarray, mask: Any) -> None:
    """Note that keys are used while functions are traced."""
    for events in _recorders.get():
        events.append((keys, before, mask))


@contextmanager
def _recording() -> Iterator[_Events]:
    events: _Events = []
    token = _recorders.set((*_recorders.get(), events))
    try:
        yield events
    finally:
        _recorders.reset(token)


def _is_key_array(x: Any) -> bool:
    return hasattr(type(x), "is_key_array")


def keys_in(tree: Any) -> list[Any]:
    """The key arrays of a tree."""
    return [leaf for leaf in flatten(tree, _is_key_array)[0] if _is_key_array(leaf)]


class Use:
    """What a traced function does with keys.

    Attributes:
      arguments: what it uses of each key array among its arguments, or None.
      captured: key arrays that it closes over, and what it uses of them.
      results: for each key array among its results the number of the argument that it is, or the
        key array that it closes over, or what of it was used; None for new keys.
    """

    def __init__(self) -> None:
        self.arguments: list[np.ndarray | None] = []
        self.captured: list[tuple[Any, Any]] = []
        self.results: list[Any] = []

    def watch(self, function: Callable[..., Any], done: Callable[[Use], Any]) -> Callable[..., Any]:
        """A function to trace instead of `function`: what it uses is noted, and not used up.

        Args:
          function: takes and returns pytrees.
          done: is called with this object when all is noted.
        """

        def watched(*args: Any, **kwargs: Any) -> Any:
            given, start = keys_in((args, kwargs)), next(births)
            for keys in given:
                keys._born = next(births)
            with _recording() as events:
                try:
                    results = function(*args, **kwargs)
                finally:
                    captured = [event for event in events if event[0]._born < start]
                    for keys, before, _ in reversed(captured):
                        keys._consumed[...] = before
            self.arguments = [_used(keys) for keys in given]
            self.captured = [(keys, mask) for keys, _, mask in captured]
            self.results = [_origin(keys, given, start) for keys in keys_in(results)]
            done(self)
            return results

        return watched

    def apply(self, name: str, given: list[Any], is_done: bool) -> None:
        """See that what a call uses was not used before; if it is done, use it up.

        Raises:
          KeyReuseError: some of it was.
        """
        for keys, mask in [*zip(given, self.arguments, strict=True), *self.captured]:
            if mask is not None and is_done:
                keys.consume(name, mask)
            elif mask is not None:
                keys.check(name, mask)

    def mark(self, given: list[Any], results: Any) -> None:
        """Say of key arrays among the results what was used of them."""
        for keys, origin in zip(keys_in(results), self.results, strict=True):
            if isinstance(origin, np.ndarray):
                keys._consumed = origin.copy()
            elif origin is not None:
                same = given[origin] if isinstance(origin, int) else origin
                if same._consumed is None:
                    same._consumed = np.zeros(same.shape, bool)
                keys._consumed = same._consumed


def _used(keys: Any) -> np.ndarray | None:
    mask = keys._consumed
    return None if mask is None or not mask.any() else mask.copy()


def _origin(keys: Any, given: list[Any], start: int) -> Any:
    for number, argument in enumerate(given):
        if keys._data is argument._data:
            return number
    return keys if keys._born < start else _used(keys)


def checked(jitted: Any, call: Any, args: Any, kwargs: dict[str, Any], settings: Any) -> Any:
    """The result of a call of a jitted function, which uses keys up.

    Args:
      jitted: the function.
      call: the call, taken apart.
      args, kwargs: its arguments.
      settings: those that hold.

    Raises:
      KeyReuseError: a key that it uses was used before.
    """
    given = keys_in((args, kwargs))

    def apply(is_done: bool) -> Use | None:
        use = jitted._uses.get(call.key) or jitted._uses.get(jitted._generalized(call).key)
        if use is not None:
            use.apply(jitted._name, given, is_done)
        return use

    apply(is_done=False)
    result = jitted._run(call, args, kwargs, settings)
    use = apply(is_done=True)
    if use is not None:
        use.mark(given, result)
    return result
