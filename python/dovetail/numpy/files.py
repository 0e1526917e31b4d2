"""Arrays from buffers, other libraries and files, and into files and text."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import dtypes
from dovetail.array import Array, ArrayMethods
from dovetail.numpy.creation import asarray

savez = np.savez
save = np.save


def frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Array:
    """The elements that the bytes of a buffer are.

    >>> frombuffer(b"ab", "int8")
    Array([97, 98], dtype=int8)
    """
    return asarray(np.frombuffer(buffer, np.dtype(dtype), count, offset))


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Array:
    """The elements of an iterable.

    >>> fromiter(range(3), "int32")
    Array([0, 1, 2], dtype=int32)
    """
    return asarray(np.fromiter(iter, dtypes.requested(dtype, "fromiter"), count))


def fromstring(string: str, dtype: Any = float, count: int = -1, *, sep: str) -> Array:
    """The numbers in a text, which `sep` separates.

    >>> fromstring("1 2", "int32", sep=" ")
    Array([1, 2], dtype=int32)
    """
    return asarray(np.fromstring(string, np.dtype(dtype), count, sep=sep))


def fromfile(
    file: Any, dtype: Any = float, count: int = -1, sep: str = "", offset: int = 0
) -> Array:
    """The elements that the bytes, or the text, of a file are."""
    return asarray(np.fromfile(file, np.dtype(dtype), count, sep, offset))


def load(file: Any, *args: Any, **kwargs: Any) -> Any:
    """The array of an `.npy` file, or the contents of an `.npz` file by name; the arguments are
    those of `numpy.load`.
    """
    loaded = np.load(file, *args, **kwargs)
    if not isinstance(loaded, np.ndarray):
        return loaded
    return asarray(loaded)


def array_repr(
    arr: Any,
    max_line_width: int | None = None,
    precision: int | None = None,
    suppress_small: bool | None = None,
) -> str:
    """The text of an array as Python shows it.

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
