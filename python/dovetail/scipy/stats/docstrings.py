"""Sections that docstrings of distributions share."""

CONTINUOUS = """
    Args:
      x: an array of real numbers.
      q: an array of probabilities.
      p: an array of probabilities.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.
"""

DISCRETE = """
    Args:
      k: an array of numbers of events.
      loc: an offset added to the number of events.
      q: an array of probabilities.

    Returns:
      An array of floats, of the shape that the arguments broadcast to.
"""
