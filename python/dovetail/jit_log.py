"""What `jit` logs: what it traces and compiles, for how long, and why again."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dovetail import config, ir
from dovetail.array import ShapedArray

logger = logging.getLogger("dovetail")


@contextmanager
def timed(what: str, name: str, avals: Sequence[ShapedArray]) -> Iterator[None]:
    """Log that a function is traced or compiled, and how long that takes."""
    level = logging.WARNING if config.log_compiles.value else logging.DEBUG
    if not logger.isEnabledFor(level):
        yield
        return
    logger.log(level, "%s `%s` for (%s)", what, name, ", ".join(map(str, avals)))
    start = time.perf_counter()
    yield
    logger.log(level, "%s `%s` took %.3f s", what, name, time.perf_counter() - start)


def explain(
    name: str, known: Iterable[tuple[Any, ...]], key: tuple[Any, ...], names: Sequence[str]
) -> None:
    """Log why a function is traced that was traced before.

    Args:
      name: the function's.
      known, key: what its programs depend on, and what a new one does.
      names: those of the arguments' leaves.
    """
    if not config.explain_cache_misses.value:
        return
    previous = list(known)
    reason = _difference(previous[-1], key, names) if previous else "it was never called"
    logger.warning("`%s` is traced at %s: %s", name, ir.describe_place(ir.place()), reason)


def explain_compilation(name: str, why: str) -> None:
    """Log why a program is compiled, which is asked only where `explain_cache_misses` is on."""
    what = f"`{name}`" if name else "a module"
    logger.warning("%s is compiled: %s", what, why)


def _difference(before: tuple[Any, ...], now: tuple[Any, ...], names: Sequence[str]) -> str:
    """What differs, for a message, between two keys."""
    spec, types, statics, kinds, settings = now
    if before[0] != spec:
        return f"the structure of the arguments is {spec}, was {before[0]} in the last trace"
    changes = [
        f"{which} is {_described(new)}, was {_described(old)} in the last trace"
        for which, new, old in zip(names, types, before[1], strict=False)
        if new != old
    ]
    if before[2:4] != (statics, kinds):
        changes.append(f"static arguments are {statics}, were {before[2]} in the last trace")
    if before[4] != settings:
        changes.append("settings have changed since the last trace")
    return "; ".join(changes)


def _described(kind: tuple[Any, ...]) -> str:
    aval = ShapedArray(*kind)
    return f"{aval}{' (weak)' if aval.weak_type else ''}"
