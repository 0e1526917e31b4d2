"""Sections that docstrings of Fourier transforms share."""

ONE = """
    Args:
      a: an array of numbers.
      n: the length, to which `a` is padded with zeros or cropped; by default its size.
      axis: the dimension.
      norm: where the factor 1/size is applied: in the inverse if "backward", in the transform if
        "forward", and in both as a square root if "ortho"; by default the first.

    Returns:
      A complex array of the shape of `a`, with size n along the dimension.

    Raises:
      ValueError: n is less than 1, or there is no such norm or axis.
"""

ONE_HALF = """
    Args:
      a: an array of real numbers.

    Returns:
      A complex array of the shape of `a`, with size n//2 + 1 along the dimension.

    Raises:
      TypeError: the elements are complex, or floats of less than 32 bits.
      ValueError: n is less than 1, or there is no such norm or axis.
"""

ONE_REAL = """
    Args:
      n: the length of the signal, by default 2 * (size - 1); `a` is padded with zeros or cropped to
        n//2 + 1 elements.

    Returns:
      A real array of the shape of `a`, with size n along the dimension.
"""

SEVERAL = """
    Args:
      a: an array of numbers.
      s: the lengths, to which `a` is padded with zeros or cropped; by default its sizes.
      axes: the dimensions; by default the last ones, as many as `s` has sizes, or all.
      norm: where the factor 1/size is applied, as for `fft`.

    Returns:
      A complex array of the shape of `a`, with the lengths along the dimensions.

    Raises:
      ValueError: sizes and axes differ in number, a size is less than 1, or there is no such norm
        or axis.
"""

SEVERAL_HALF = """
    Args:
      a: an array of real numbers.

    Returns:
      A complex array of the shape of `a`, with the lengths along the dimensions, except n//2 + 1
      for the last.

    Raises:
      TypeError: the elements are complex, or floats of less than 32 bits.
      ValueError: sizes and axes differ in number, a size is less than 1, or there is no such norm
        or axis.
"""

SEVERAL_REAL = """
    Args:
      s: the lengths of the signal, as for `fftn`, except the last, which is as for `irfft`.

    Returns:
      A real array of the shape of `a`, with the lengths along the dimensions.
"""
