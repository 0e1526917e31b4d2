"""Times calls of several libraries in one run, in turn."""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

# Below, clocks and the first call after a pause count too much.
SHORTEST_TURN = 1e-3
# Longer calls are not made once more, unmeasured, before they are timed.
QUICK = 10e-3


class Times(NamedTuple):
    """Seconds of a call: the least and the median of its turns, and their number."""

    minimum: float
    median: float
    turns: int


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


def turns(
    calls: Mapping[str, Callable[[], Any]], seconds: float = 1.0, most: int = 50, least: int = 3
) -> dict[str, Times]:
    """Times calls in rounds, of which each gives every call a turn.

    Args:
      calls: one for each library; each has been called before.
      seconds: how long all rounds take together, about.
      most: the largest number of rounds.
      least: the smallest number of rounds; a call that takes longer than `seconds` has one turn.

    Returns:
      The times of each call.
    """
    found: dict[str, list[float]] = {library: [] for library in calls}
    once, number = {}, {}
    for library, call in calls.items():
        taken = timeit.timeit(call, number=1)
        if taken < QUICK:
            # The second call is that of a warm library.
            count = max(1, int(SHORTEST_TURN / taken))
            taken = timeit.timeit(call, number=count) / count
        else:
            found[library].append(taken)
        once[library] = taken
        number[library] = min(1000, max(1, round(SHORTEST_TURN / taken)))
    # One call of the others is all that there is time for, and has been made.
    active = {
        library: call
        for library, call in calls.items()
        if once[library] < seconds or not found[library]
    }
    round_takes = sum(once[library] * (number[library] + 1) for library in active) + 1e-9
    for _ in range(max(least, min(most, int(seconds / round_takes))) if active else 0):
        for library, call in active.items():
            # Threads of the library before may still wait for work, and caches are another's.
            time.sleep(1e-3)
            if once[library] < QUICK:
                call()
            taken = timeit.timeit(call, number=number[library]) / number[library]
            found[library].append(taken)
    return {
        library: Times(min(times), statistics.median(times), len(times))
        for library, times in found.items()
    }
