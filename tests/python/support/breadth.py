"""The breadth of tests: `tools/test --nightly` runs in full what takes minutes to compile."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar
from zlib import crc32

import pytest

T = TypeVar("T")

IS_NIGHTLY = os.environ.get("DOVETAIL_PROFILE") == "nightly"


# For what takes long and is nearly covered by other tests.
at_night = pytest.mark.skipif(not IS_NIGHTLY, reason="tried by tools/test --nightly")


def one_of(ways: Sequence[T], name: str) -> Sequence[T]:
    """One of several ways to do the same, which depends on the name of what is tried; all at night.

    Args:
      ways: at least one.
      name: the name, such that each way is chosen for some of them.
    """
    return ways if IS_NIGHTLY else (ways[crc32(name.encode()) % len(ways)],)
