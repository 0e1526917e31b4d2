"""The breadth of tests: `tools/test --nightly` runs in full the cases that take minutes to
compile.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")

IS_NIGHTLY = os.environ.get("DOVETAIL_PROFILE") == "nightly"


# For cases that are slow and nearly covered by other tests.
at_night = pytest.mark.skipif(not IS_NIGHTLY, reason="tried by tools/test --nightly")


def one_of(ways: Sequence[T], name: str) -> Sequence[T]:
    """One of several ways to do the same thing, depending on the name of the case; all of them at
    night.

    Args:
      ways: at least one.
      name: the name; each way is chosen for some names.
    """
    return ways if IS_NIGHTLY else (ways[crc32(name.encode()) % len(ways)],)


def some(ways: Sequence[T], count: int, start: int = 0) -> Sequence[T]:
    """Every `count`-th of several cases that are alike; all of them at night."""
    return ways if IS_NIGHTLY else ways[start::count]


# Folders of tests whose cases are forms of one thing, of which each compiles a program of its own.
_OF_FORMS = {"lowering", "experimental", "placement"}
# Tests with fewer cases run them all.
_FEW_CASES = 4


def chosen(cases: Sequence[str], folder: str, profile: str) -> set[str]:
    """Those of the cases of one test that run; which, depends on their names.

    Args:
      cases: the names of all cases, at least one.
      folder: the test's folder.
      profile: `fast`, where one of each test runs; `dovetail`, where a third of those of a folder
        of forms run; others run all.
    """
    count = len(cases)
    if profile == "fast":
        count = 1
    elif profile == "dovetail" and folder in _OF_FORMS and count >= _FEW_CASES:
        count = (count + 2) // 3
    return set(sorted(cases, key=lambda name: crc32(name.encode()))[:count])


# Folders of functions that consist of ops, whose code the tests of ops and of the lowering compile.
_OF_FUNCTIONS = {
    *("lax", "numpy", "scipy", "random", "nn", "optim", "example_libraries", "transforms"),
}


def compiles(folder: str, name: str) -> bool:
    """Whether jitted functions are compiled in a test. All are where compiled code is the subject:
    in most folders, and in tests that say so by their names. Of the other tests a third compiles
    too, depending on the name; at night all.

    Args:
      folder: the test's folder.
      name: its name, with its parameters.
    """
    if folder not in _OF_FUNCTIONS or "compile" in name:
        return True
    return IS_NIGHTLY or one_of((True, False, False), name)[0]
