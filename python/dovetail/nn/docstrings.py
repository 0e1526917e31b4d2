"""Sections that docstrings of activations share."""

ACTIVATION = """
    Args:
      x: an array or scalar of real numbers.
      alpha: an array that broadcasts to its shape.

    Returns:
      An array of floats like `x`.
"""

NUMBERS = """
    Args:
      x: an array or scalar of numbers.
"""

INEXACT = """
    Args:
      x: an array or scalar of floats or complex numbers.

    Returns:
      An array like `x`.
"""
