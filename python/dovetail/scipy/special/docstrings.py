"""Sections that docstrings of special functions share."""

FLOATS = (
    """
    Args:
      x: an array of real numbers; integers and bools become floats.
"""
    + "".join(
        f"      {names}: arrays of real numbers, which are promoted and broadcast.\n"
        for names in ("a, b", "a, b, x", "a, x", "h, a", "p, q", "x, lmbda", "z, m", "a, b, c, x")
    )
    + """
    Returns:
      An array of floats.
"""
)

INEXACT = """
    Args:
      x: an array; integers and bools become floats.
      x, y: arrays, which are promoted and broadcast; integers and bools become floats.
      axis: the dimensions of the sum; None for all.

    Returns:
      An array of that inexact type.
"""
