"""Sections that docstrings of elementwise functions and reductions share."""

from __future__ import annotations

UNARY = """
    Args:
      accuracy: accepted; the result is within a few units of the last place.

    Returns:
      An array like the operand.
"""

BINARY = """
    Returns:
      An array of that type and shape.

    Raises:
      TypeError: the element types or the ranks differ.
"""

COMPARISON = """
    Returns:
      An array of bools.

    Raises:
      TypeError: the element types or the ranks differ.
"""

CUMULATIVE = """
    Args:
      operand: an array of numbers.
      axis: the dimension.
      reverse: whether to begin at the end.

    Returns:
      An array like the operand.
"""

REDUCTION = """
    Args:
      operand: an array of numbers.
      axes: the dimensions, each once.

    Returns:
      An array without these dimensions, of the element type of the operand.
"""


def _operands(kind: str) -> str:
    return f"""
    Args:
      x: an array or scalar of {kind}.
      x, y: arrays of {kind}, of one type and shape; scalars fit any.
      x1, x2: arrays of {kind}, of one type and shape; scalars fit any.
    """


BITS = _operands("bools or integers")
INTEGERS = _operands("integers")
FLOATS = _operands("floats")
INEXACT = _operands("floats or complex numbers")
REAL = _operands("real numbers")
NUMBERS = _operands("numbers")
BOOLS_OR_REAL = _operands("bools or real numbers")
BOOLS_OR_NUMBERS = _operands("bools or numbers")
