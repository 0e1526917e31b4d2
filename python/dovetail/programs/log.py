"""Logs what `jit` traces and compiles, how long it takes, and the reason for each retrace."""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.base import config, locations
from dovetail.trees.treedef import public

logger = logging.getLogger("dovetail")


@contextmanager
def timed(what: str, name: str, avals: Sequence[ShapedArray]) -> Iterator[None]:
    """Log that a function is traced or compiled, and how long it takes."""
    level = logging.WARNING if config.log_compiles.value else logging.DEBUG
    if not logger.isEnabledFor(level):
        yield
        return
    logger.log(level, "%s `%s` for (%s)", what, name, ", ".join(map(str, avals)))
    start = time.perf_counter()
    yield
    logger.log(level, "%s `%s` took %.3f s", what, name, time.perf_counter() - start)


_SHORT = {"bfloat": "bf", "float": "f", "uint": "u", "int": "i", "complex": "c"}

# The code of functions that were traced while `explain_cache_misses` was on.
_traced: weakref.WeakSet[CodeType] = weakref.WeakSet()


def explain(
    name: str,
    known: Iterable[tuple[Any, ...]],
    key: tuple[Any, ...],
    names: Sequence[str],
    function: Callable[..., Any] | None = None,
) -> None:
    """Log why a function is traced again.

    Args:
      name: the function's name.
      known, key: the keys of its programs, and of the new one.
      names: the names of the arguments' leaves.
      function: the function.
    """
    if not config.explain_cache_misses.value:
        return
    differences = [_difference(before, key, names) for before in known]
    code = getattr(function, "__code__", None)
    if differences:
        # Compared with the most similar program; the last one if several are.
        reason = "; ".join(min(reversed(differences), key=len))
    elif code is not None and code in _traced:
        reason = (
            "never seen function, but another function defined on the same line; apply jit once, "
            "outside of what makes the function again"
        )
    else:
        reason = "never seen function"
    if code is not None:
        _traced.add(code)
    place = locations.describe(locations.location())
    logger.warning("TRACING CACHE MISS at %s: `%s` is traced, %s", place, name, reason)


def _difference(before: tuple[Any, ...], now: tuple[Any, ...], names: Sequence[str]) -> list[str]:
    """The differences between two keys, for a message."""
    spec, types, statics, kinds, *rest = now
    if before[0] != spec:
        return [f"different input pytree: now {public(spec)} and before {public(before[0])}"]
    changes = []
    for which, new, old in zip(names, types, before[1], strict=False):
        if new != old:
            weak = new[2] != old[2]
            given, known = _described(new, weak), _described(old, weak)
            changes.append(f"different input types: at {which}, now {given} and before {known}")
    if before[2:4] != (statics, kinds):
        changes.append(f"different static arguments: now {statics} and before {before[2]}")
    if before[4] != rest[0]:
        changes.append("different tracing context: settings have changed")
    if list(before[5:]) != rest[1:]:
        changes.append("different device")
    return changes


def _described(kind: tuple[Any, ...], weak: bool) -> str:
    """A type in JAX's notation, as in `f32[2]`, and, if relevant, whether it is weak."""
    aval = ShapedArray(*kind)
    name, sizes = str(aval).split("[", 1)
    for long, short in _SHORT.items():
        name = name.replace(long, short)
    return f"{name}[{sizes}" + f"{{weak_type={aval.weak_type}}}" * weak
