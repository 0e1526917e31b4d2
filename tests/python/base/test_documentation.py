"""Docstrings completed by `documented`, with any indentation that Python gives them."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

from dovetail.base.documentation import documented

FAMILY = """
    Args:
      x: an array.
      x, y: arrays that
        broadcast.
      axis: a dimension.

    Returns:
      An array.

    Raises:
      TypeError: the types differ.
"""


def function(docstring: str | None, parameters: str) -> Any:
    made: Any = eval(f"lambda {parameters}: None")
    made.__doc__ = docstring
    return made


def test_arguments_are_those_of_the_function() -> None:
    one = documented(FAMILY)(function("Summary.", "x, *, axis=0"))
    both = documented(FAMILY)(function("Summary.", "x, y"))
    assert "Args:\n  x: an array.\n  axis: a dimension.\n" in str(inspect.getdoc(one))
    assert "Args:\n  x, y: arrays that\n    broadcast.\n\n" in str(inspect.getdoc(both))


def test_local_variables_are_not_arguments() -> None:
    @documented(FAMILY)
    def f(x: int) -> int:
        """Summary."""
        y = x
        return y

    assert "x, y" not in str(f.__doc__)


def test_a_functions_own_sections_replace_shared_ones() -> None:
    own = """Summary.

    Args:
      axis: several
        dimensions.

    Raises:
      ValueError: never.

    Source: nowhere.

    Example:
      >>> 1
      1
    """
    made = documented(FAMILY)(function(own, "x, axis"))
    assert inspect.getdoc(made) == inspect.cleandoc(
        """Summary.

        Args:
          x: an array.
          axis: several
            dimensions.

        Returns:
          An array.

        Raises:
          ValueError: never.

        Source: nowhere.

        Example:
          >>> 1
          1
        """
    )


def test_later_texts_replace_earlier_ones() -> None:
    later = "\n    Args:\n      z: another.\n\n    Returns:\n      Nothing.\n"
    made = documented(FAMILY, later)(function("Summary.", "x, z"))
    text = str(inspect.getdoc(made))
    assert "  x: an array.\n  z: another.\n\nReturns:\n  Nothing.\n\nRaises:" in text


@pytest.mark.parametrize("indent", ["", "    "])
def test_docstrings_with_and_without_indentation(indent: str) -> None:
    text = f"Summary.\n\n{indent}Example:\n{indent}  >>> 1\n{indent}  1\n{indent}"
    made = documented(FAMILY)(function(text, "x"))
    lines = made.__doc__.split("\n")
    assert lines[2:4] == [f"{indent}Args:", f"{indent}  x: an array."]
    assert lines[-1] == indent


def test_python_without_docstrings() -> None:
    result = subprocess.run(
        [sys.executable, "-OO", "-c", "import dovetail.lax as l; print(l.exp.__doc__, l.exp(0.0))"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == ["None", "1.0"]
