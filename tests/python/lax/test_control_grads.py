"""Derivatives of loops and branches, of both modes and their combinations, against differences."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import dovetail as dt
from dovetail import config
from dovetail.test_util import check_grads
from support.control_programs import PROGRAMS


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


@pytest.mark.parametrize("name", PROGRAMS)
def test_derivatives(name: str) -> None:
    program = PROGRAMS[name]
    # Pairs of forms, which are numerous, to a lower order.
    order = 2 if name.count(" of ") == 1 else 3
    check_grads(functools.partial(program.smooth, dt), program.points, order)
