"""Arrays from buffers, other libraries and files, and into files and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.numpy.creation import asarray

savez = np.savez
save = np.save


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Array:
    """The elements that the bytes of a buffer are.

    Args:
      buffer: bytes, or an object with a buffer.
      dtype: the type that the bytes are read as, by default float64; without x64 its elements
        are then converted to 32 bits.
      count: the number of elements; -1 for all.
      offset: the byte at which to start.

    Returns:
      A vector.

    Raises:
      ValueError: the bytes are too few, or no whole number of elements.

    Example:
      >>> frombuffer(b"ab", "int8")
      Array([97, 98], dtype=int8)
    """
    return asarray(np.frombuffer(buffer, np.dtype(dtype), count, offset))


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Array:
    """The elements of an iterable.

    Args:
      iter: an iterable of scalars.
      dtype: the element type.
      count: the number of elements; -1 for all.

    Returns:
      A vector.

    Raises:
      ValueError: there are fewer than `count` elements.

    Example:
      >>> fromiter(range(3), "int32")
      Array([0, 1, 2], dtype=int32)
    """
    return asarray(np.fromiter(iter, dtypes.requested(dtype, "fromiter"), count))


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> Array:
    """The numbers in a text, which `sep` separates.

    Args:
      string: the text.
      dtype: the type that the numbers are read as, by default float64; without x64 its elements
        are then converted to 32 bits.
      count: the number of numbers; -1 for all.
      sep: what is between the numbers; white space in it stands for any white space.

    Returns:
      A vector.

    Raises:
      ValueError: the text is not of such numbers.

    Example:
      >>> fromstring("1 2", "int32", sep=" ")
      Array([1, 2], dtype=int32)
    """
    return asarray(np.fromstring(string, np.dtype(dtype), count, sep=sep))


def fromfile(
    file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0
) -> Array:
    """The elements that the bytes, or the text, of a file are.

    Args:
      file: a path, or a file that is open for reading.
      dtype: the type that the elements are read as, by default float64; without x64 its elements
        are then converted to 32 bits.
      count: the number of elements; -1 for all.
      sep: what is between the numbers of a text; empty for bytes.
      offset: the byte at which to start, from the position of the file; 0 for a text.

    Returns:
      A vector.

    Raises:
      OSError: the file cannot be read.
      TypeError: `offset` is given with `sep`.

    Example:
      >>> import tempfile
      >>> with tempfile.TemporaryFile() as file:
      ...     _ = file.write(b"ab"), file.seek(0)
      ...     fromfile(file, "int8")
      Array([97, 98], dtype=int8)
    """
    return asarray(np.fromfile(file, np.dtype(dtype), count, sep, offset))


def load(file: Any, *args: Any, **kwargs: Any) -> Any:
    """The array of an `.npy` file, or the contents of an `.npz` file by name.

    Args:
      file: a path, or a file that is open for reading.
      args, kwargs: the other arguments of `numpy.load`.

    Returns:
      An array; for an `.npz` file a mapping of names to NumPy's arrays.

    Raises:
      OSError: the file cannot be read.
      ValueError: its contents are not an array of numbers.

    Example:
      >>> import io
      >>> file = io.BytesIO()
      >>> dnp.save(file, np.float32([1, 2]))
      >>> _ = file.seek(0)
      >>> load(file)
      Array([1., 2.], dtype=float32)
    """
    loaded = np.load(file, *args, **kwargs)
    if not isinstance(loaded, np.ndarray):
        return loaded
    if loaded.dtype == "V2":
        # The files have no name for bfloat16.
        loaded = loaded.view(dtypes.bfloat16)
    return asarray(loaded)


def array_repr(
    arr: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of an array as Python shows it.

    Args:
      arr: an array, a scalar or nested lists of them.
      max_line_width: after how many characters a line is broken.
      precision: how many digits floats have after the point.
      suppress_small: whether floats near 0 are shown as 0 rather than with an exponent.

    Returns:
      A string. What is not given is as `set_printoptions` says.

    Example:
      >>> array_repr(np.float32([1, 2]))
      'Array([1., 2.], dtype=float32)'
    """
    with np.printoptions(**_options(max_line_width, precision, suppress_small)):
        return repr(asarray(arr))


def array_str(
    a: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The elements of an array as text.

    Args:
      a: an array, a scalar or nested lists of them.
      max_line_width: after how many characters a line is broken.
      precision: how many digits floats have after the point.
      suppress_small: whether floats near 0 are shown as 0 rather than with an exponent.

    Returns:
      A string. What is not given is as `set_printoptions` says.

    Example:
      >>> array_str(np.float32([1, 2]))
      '[1. 2.]'
    """
    with np.printoptions(**_options(max_line_width, precision, suppress_small)):
        return str(asarray(a) if not isinstance(a, ArrayMethods) else a)


def _options(
    max_line_width: int | None, precision: int | None, suppress_small: bool | None
) -> dict[str, Any]:
    given = {"linewidth": max_line_width, "precision": precision, "suppress": suppress_small}
    return {name: value for name, value in given.items() if value is not None}
