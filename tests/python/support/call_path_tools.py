"""Shared parts of tests of jitted functions' calls."""

from __future__ import annotations

from typing import Any


def longer_calls(jitted: Any) -> list[int]:
    """A list that grows by one with each call that takes the longer path."""
    made, longer = [], jitted._call

    def counted(*args: Any, **kwargs: Any) -> Any:
        made.append(len(made))
        return longer(*args, **kwargs)

    jitted._call = counted
    return made
