"""Reports examples of docstrings at their lines in the source."""

from __future__ import annotations

import linecache

import pytest


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
