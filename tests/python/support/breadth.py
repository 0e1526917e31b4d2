"""The breadth of tests: `tools/test --nightly` runs in full the cases that take minutes to
compile.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypeVar
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


def compile_or_evaluate() -> Any:
    """The option `compile` of `jit` in tests of functions whose ops other tests compile: a third of
    the tests compile them too, depending on the name of the test; all do at night.
    """
    ways = ("now", "never", "never")
    return "now" if IS_NIGHTLY else one_of(ways, os.environ["PYTEST_CURRENT_TEST"])[0]
