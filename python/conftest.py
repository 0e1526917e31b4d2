"""Examples in docstrings: the names they may use without importing them, and their lines."""

import linecache
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


@pytest.fixture(autouse=True)
def _names(doctest_namespace: dict[str, Any]) -> None:
    doctest_namespace |= {"dnp": dnp, "dt": dt, "lax": lax, "np": np}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Corrects the lines of examples below sections that `documented` inserts."""
    for item in items:
        test = item.dtest if isinstance(item, pytest.DoctestItem) else None
        if test is None or (start := test.lineno) is None:
            continue
        first = test.examples[0]
        statement = f">>> {first.source.splitlines()[0]}"
        lines = [line.strip() for line in linecache.getlines(str(test.filename))]
        if statement in lines[start:]:
            test.lineno = lines.index(statement, start) - first.lineno
