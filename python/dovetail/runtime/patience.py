"""Calls of programs that run on other threads.

In IREE 3.13, a thread that waits for a program is woken up by the last one that works for it, and
then waits without sleeping until that one has told all others. If it has taken that one's
processor, to which it is bound, both waste their time until the operating system lets the other
one go on: up to milliseconds, on a machine whose processors are all busy. On Linux, a thread of
the policy SCHED_BATCH takes no processor from another when it is woken up.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any


def _call_impatiently(function: Callable[..., Any], args: Sequence[Any]) -> None:
    function(*args)


# Calls a function that waits for other threads.
call: Callable[[Callable[..., Any], Sequence[Any]], None] = _call_impatiently

if sys.platform == "linux":
    _PRIORITY = os.sched_param(0)
    _BATCH, _OTHER = os.SCHED_BATCH, os.SCHED_OTHER
    _policy_of, _set_policy = os.sched_getscheduler, os.sched_setscheduler

    def _call_patiently(function: Callable[..., Any], args: Sequence[Any]) -> None:
        # Other policies are someone's choice.
        if _policy_of(0) != _OTHER:
            function(*args)
            return
        _set_policy(0, _BATCH, _PRIORITY)
        try:
            function(*args)
        finally:
            _set_policy(0, _OTHER, _PRIORITY)

    try:
        _call_patiently(int, ())
        call = _call_patiently
    except OSError:  # A container may not let processes change the policy.
        pass
