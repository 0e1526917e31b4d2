"""Arrays from buffers, other libraries and files, and to files and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ArrayMethods
from dovetail.base import dtypes
from dovetail.numpy.creation import asarray

savez = np.savez
save = np.save


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Array:
    """The bytes of a buffer as elements.

    Args:
      buffer: bytes, or an object with a buffer.
      dtype: the type of the elements in the buffer, by default float64; without x64 they are then
        converted to 32 bits.
      count: the number of elements; -1 for all.
      offset: the byte at which to start.

    Returns:
      A vector.

    Raises:
      ValueError: there are too few bytes, or not a whole number of elements.

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
    """The numbers in a text, separated by `sep`.

    Args:
      string: the text.
      dtype: the type in which to read the numbers, by default float64; without x64 they are then
        converted to 32 bits.
      count: the number of numbers; -1 for all.
      sep: the text between numbers; white space in it matches any white space.

    Returns:
      A vector.

    Raises:
      ValueError: the text does not consist of such numbers.

    Example:
      >>> fromstring("1 2", "int32", sep=" ")
      Array([1, 2], dtype=int32)
    """
    return asarray(np.fromstring(string, np.dtype(dtype), count, sep=sep))


def fromfile(
    file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0
) -> Array:
    """The bytes, or the text, of a file as elements.

    Args:
      file: a path, or a file that is open for reading.
      dtype: the type in which to read the elements, by default float64; without x64 they are then
        converted to 32 bits.
      count: the number of elements; -1 for all.
      sep: the text between numbers; empty for binary files.
      offset: the byte at which to start, counted from the file's position; 0 for a text.

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
      An array; one of NumPy if its elements are no numbers, such as objects; for an `.npz` file, a
      mapping from names to NumPy arrays.

    Raises:
      OSError: the file cannot be read.
      ValueError: it is no such file, or has objects and `allow_pickle` is not set.

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
    try:
        return asarray(loaded)
    except TypeError:
        return loaded


def array_repr(
    arr: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of an array as Python shows it.

    Args:
      arr: an array, a scalar or nested lists of them.
      max_line_width: the number of characters after which a line is broken.
      precision: the number of digits of floats after the point.
      suppress_small: whether to show floats near 0 as 0 rather than with an exponent.

    Returns:
      A string. Anything not given is as set by `set_printoptions`.

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
      max_line_width: the number of characters after which a line is broken.
      precision: the number of digits of floats after the point.
      suppress_small: whether to show floats near 0 as 0 rather than with an exponent.

    Returns:
      A string. Anything not given is as set by `set_printoptions`.

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
