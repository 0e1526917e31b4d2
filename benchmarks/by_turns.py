"""Times calls of several libraries in one run, in turn."""

from __future__ import annotations

import timeit
from collections.abc import Callable
from typing import Any


def measure(calls: dict[str, Callable[[], Any]], repeat: int) -> dict[str, float]:
    """The best time of each call in several rounds, in seconds: a busy machine slows all of
    them alike.
    """
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for library, call in calls.items():
            number = 1 if best[library] > 1e-3 else 50
            best[library] = min(best[library], timeit.timeit(call, number=number) / number)
    return best
