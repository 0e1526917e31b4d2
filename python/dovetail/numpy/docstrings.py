"""Sections that docstrings of elementwise functions, reductions and products share."""

INEXACT = """
    Args:
      x: an array or scalar; integers and bools become floats.
      x1, x2: arrays or scalars, which are promoted and broadcast; integers and bools become
        floats.

    Returns:
      An array of floats or complex numbers.
"""

PROMOTED = """
    Args:
      x, y: arrays or scalars, which are promoted and broadcast.
      x1, x2: arrays or scalars, which are promoted and broadcast.
      out, where: must be None.

    Returns:
      An array of the promoted type.
"""

DIVISION = """
    Args:
      x1, x2: arrays or scalars of real numbers, which are promoted and broadcast.

    Returns:
      An array of the promoted type; int32 for bools.

    Raises:
      TypeError: the operands are complex.
"""

PREDICATE = """
    Args:
      x: an array or scalar.
      x, y: arrays or scalars, which are promoted and broadcast.
      out: accepted, and not used.

    Returns:
      An array of bools.
"""

LOGICAL = """
    Args:
      x: an array or scalar.
      x, y: arrays or scalars, which are broadcast.

    Returns:
      An array of bools.
"""

BITS = """
    Args:
      x, y: arrays or scalars of integers or bools, which are promoted and broadcast.

    Returns:
      An array of the promoted type.

    Raises:
      TypeError: an operand is of floats or complex numbers.
"""

SAME = """
    Args:
      x: an array or scalar.

    Returns:
      An array of the operand's type and shape.
"""

REAL = """
    Args:
      x: an array or scalar of real numbers.

    Raises:
      TypeError: the operand is complex.
"""

FLOATS = """
    Args:
      x: an array of real numbers.
      x1, x2: arrays of real numbers, which are promoted to floats and broadcast.
      x, y: arrays of real numbers, which are promoted to floats and broadcast.

    Returns:
      An array of floats.
"""

REDUCTION = """
    Args:
      a: an array or scalar.
      axis: one or more dimensions; None for all.
      dtype: the element type of the computation and the result.
      out: must be None.
      keepdims: whether to keep those dimensions, with size 1.
      where: a mask of the elements to include, which broadcasts to the shape of `a`.
      promote_integers: whether to promote integers narrower than the default integer to it.

    Returns:
      An array without those dimensions.

    Raises:
      NotImplementedError: `out` is given.
"""

ARG_REDUCTION = """
    Args:
      a: an array or scalar of real numbers; NaN is found before any other.
      axis: a dimension; None for the index in the flattened array.
      out: must be None.
      keepdims: whether to keep the dimension (or all of them), with size 1.

    Returns:
      An array of default integers.

    Raises:
      TypeError: the operand is complex.
      ValueError: there are no elements to choose from.
      NotImplementedError: `out` is given.
"""

CUMULATIVE = """
    Args:
      a: an array.
      axis: the dimension; None flattens the array first.
      dtype: the element type of the sums; by default that of the array, and the default integer for
        bools.
      out: must be None.

    Returns:
      An array, of rank 1 if `axis` is None.
"""

CONTRACTION = """
    Args:
      precision: accepted; no target has a lower precision than float32 to choose.
      preferred_element_type: the element type of the sums; by default that of the promoted
        operands.
"""
