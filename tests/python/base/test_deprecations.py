"""Deprecations: their list, their versions, and uses that are errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import deprecations
from dovetail.base.deprecations import Deprecation

USES: dict[str, Any] = {
    "jit-device": lambda: dt.jit(lambda x: x, backend="cpu"),
    "mesh-context": lambda: dt.make_mesh((1,), ("x",)).__enter__().__exit__(None, None, None),
    "array-positions": lambda: dnp.array([1], None, True),
    "sizes-of-lists": lambda: dnp.size([1, 2]),
    "complex-to-real": lambda: dnp.astype(dnp.ones(2, "complex64"), "float32"),
}


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    deprecations.as_errors()


def test_each_has_a_use() -> None:
    assert [each.name for each in deprecations.listed()] == [*USES]


@pytest.mark.parametrize("name", USES)
def test_uses_warn_at_their_line(name: str) -> None:
    [known] = [each for each in deprecations.listed() if each.name == name]
    # The first words, since the message may name the function.
    words = "size requires" if name == "sizes-of-lists" else re.escape(known.message)
    with pytest.warns(DeprecationWarning, match=words) as caught:
        USES[name]()
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("name", USES)
def test_uses_are_errors_if_that_is_wanted(name: str) -> None:
    deprecations.as_errors(name)
    with pytest.raises(deprecations.DeprecationError, match=f"since `{name}` is among"):
        USES[name]()
    deprecations.as_errors("*")
    with pytest.raises(deprecations.DeprecationError):
        USES[name]()


def test_unknown_names() -> None:
    with pytest.raises(ValueError, match=r"must fit one of jit-device, .*, got: 'pmap'"):
        deprecations.as_errors("jit-*", "pmap")


def test_the_version_is_told() -> None:
    with pytest.warns(DeprecationWarning, match=r"use g; it will be gone in version 0\.9"):
        Deprecation("f", "0.1.0", "0.9", "use g").warn()


def test_none_is_overdue() -> None:
    def parts(version: str) -> list[int]:
        return [int(part) for part in version.split(".")]

    for each in deprecations.listed():
        assert parts(each.since) <= parts(dt.__version__)
        assert each.until is None or parts(dt.__version__) < parts(each.until)


def test_versions_agree(repository: Path) -> None:
    version = dt.__version__
    assert f'\nversion = "{version}"\n' in (repository / "pyproject.toml").read_text()
    assert f"\nversion: {version}\n" in (repository / "CITATION.cff").read_text()
    assert f"\n## {version} " in (repository / "CHANGELOG.md").read_text()
