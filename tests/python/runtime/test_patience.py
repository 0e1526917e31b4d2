"""Threads that wait for programs keep their scheduling policy, but for the time of the call."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from dovetail.runtime import patience

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's policies")


def test_the_policy_during_a_call() -> None:
    seen: list[Any] = []
    patience.call(lambda *args: seen.extend([os.sched_getscheduler(0), *args]), (1, 2))
    assert seen == [os.SCHED_BATCH, 1, 2]
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_the_policy_after_a_failure() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        patience.call(fail, ())
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_a_chosen_policy_stays() -> None:
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        patience.call(lambda: None, ())
        assert os.sched_getscheduler(0) == os.SCHED_BATCH
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
