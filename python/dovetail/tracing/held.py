"""What references and their windows have in common: how indices read and write them."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail.base import dtypes
from dovetail.base.late import numpy as dnp
from dovetail.base.locations import here


class Held:
    """What references and their windows have in common: an array that is read and written."""

    __slots__ = ()

    def _read(self) -> Any:
        raise NotImplementedError

    def _write(self, value: Any) -> None:
        raise NotImplementedError

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return self._read().shape

    @property
    def dtype(self) -> np.dtype:
        """Its element type."""
        return self._read().dtype

    @property
    def ndim(self) -> int:
        """Its rank."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of its elements."""
        return self._read().size

    @property
    def at(self) -> _Indexer:
        """`ref.at[index]` is the window of the reference at the index, which is read and written
        as the reference is.
        """
        return _Indexer(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Any:
        whole = self._read()
        return whole if _is_all(index) else whole[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._update("swap", index, value)

    def get(self, index: Any = ...) -> Any:
        """The elements at an index, like `ref[index]`."""
        return self[index]

    def set(self, value: Any, index: Any = ...) -> None:
        """Replace the elements at an index, like `ref[index] = value`."""
        self[index] = value

    def swap(self, value: Any, index: Any = ...) -> Any:
        """Replace the elements at an index; returns those before."""
        before = self[index]
        self[index] = value
        return before

    def addupdate(self, value: Any, index: Any = ...) -> None:
        """Add to the elements at an index; to one that occurs several times, each time."""
        self._update("addupdate", index, value)

    def _update(self, how: str, index: Any, value: Any) -> None:
        whole = self._read()
        value = _of_type(how, value, whole.dtype)
        if not _is_all(index):
            part = whole.at[index]
            self._write(part.set(value) if how == "swap" else part.add(value))
            return
        if value.shape != whole.shape:
            try:
                value = dnp.broadcast_to(value, whole.shape)
            except ValueError:
                raise ValueError(
                    f"Invalid shape for `{how}`. Ref shape: {whole.shape}. Value shape: "
                    f"{value.shape}, got: a value that does not broadcast to the reference {here()}"
                ) from None
        self._write(value if how == "swap" else whole + value)


class RefView(Held):
    """A window of a reference, `ref.at[index]`.

    Args:
      whole: the reference, or a window of it.
      index: the index of the window in that.
    """

    __slots__ = ("_index", "_whole")

    def __init__(self, whole: Any, index: Any) -> None:
        self._whole, self._index = whole, index

    def _read(self) -> Any:
        return self._whole[self._index]

    def _write(self, value: Any) -> None:
        self._whole[self._index] = value


class _Indexer:
    """`ref.at`, which has no meaning without an index."""

    __slots__ = ("_whole",)

    def __init__(self, whole: Held) -> None:
        self._whole = whole

    def __getitem__(self, index: Any) -> RefView:
        return RefView(self._whole, index)


def _is_all(index: Any) -> bool:
    """Whether an index selects everything as it is."""
    if type(index) is tuple and len(index) < 2:
        return not index or index[0] is Ellipsis
    return index is Ellipsis


def _of_type(how: str, value: Any, dtype: np.dtype) -> Any:
    """A value to be written to a reference, of its element type."""
    value = dnp.asarray(value)
    if value.dtype == dtype:
        return value
    is_implied = value.weak_type and dtypes.promote((value.dtype, True), (dtype, False))[0] == dtype
    if not is_implied and not (dtypes.is_integer(value.dtype) and dtypes.is_integer(dtype)):
        raise ValueError(
            f"Invalid dtype for `{how}`. Ref dtype: {dtype}. Value dtype: {value.dtype}, got: a "
            f"value of another element type {here()}; convert it with astype"
        )
    return value.astype(dtype)
