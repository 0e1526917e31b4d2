"""Derivatives of loops and branches, of both modes and their combinations, against differences."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from control_programs import FORMS, PROGRAMS

import dovetail as dt
from dovetail import config
from dovetail.test_util import check_grads


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


def check(name: str, order: int, modes: tuple[str, ...] = ("fwd", "rev")) -> None:
    program = PROGRAMS[name]
    check_grads(functools.partial(program.smooth, dt), program.points, order, modes)


@pytest.mark.parametrize("name", PROGRAMS)
def test_first_derivatives(name: str) -> None:
    check(name, 1)


@pytest.mark.parametrize("name", FORMS)
def test_third_derivatives(name: str) -> None:
    check(name, 3)
