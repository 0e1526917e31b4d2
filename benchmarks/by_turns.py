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
      least: the smallest number of rounds, unless one call alone takes longer than `seconds`.

    Returns:
      The times of each call.
    """
    once = {library: timeit.timeit(call, number=1) for library, call in calls.items()}
    number = {library: max(1, int(SHORTEST_TURN / once[library])) for library in calls}
    # The second call of a library's is that of a warm one.
    for library, call in calls.items():
        if once[library] < QUICK:
            once[library] = timeit.timeit(call, number=number[library]) / number[library]
            number[library] = min(1000, max(1, round(SHORTEST_TURN / once[library])))
    round_takes = sum(once[library] * (number[library] + 1) for library in calls) + 1e-9
    least = least if max(once.values()) < seconds else 1
    rounds = max(least, min(most, int(seconds / round_takes)))
    found: dict[str, list[float]] = {library: [] for library in calls}
    for _ in range(rounds):
        for library, call in calls.items():
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
