"""Arguments and values of functions while eager calls of them are recorded: they have types, but no
values to give, so that what depends on values is found out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from dovetail.arrays.array import Array, ShapedArray

if TYPE_CHECKING:
    from dovetail.eager.recording import Recording


class RecordedArray(Array):
    """An array of a call that is recorded: a value of its trace."""

    __slots__ = ("_trace", "number")

    def __init__(self, trace: Recording, number: int, aval: ShapedArray) -> None:
        super().__init__(aval, aval.weak_type)
        # As of an array on the host.
        self._host = self._data
        self._trace = trace
        self.number = number

    def _value(self) -> np.ndarray:
        self._trace.refuse()

    def __iter__(self) -> Iterator[Array]:
        # By indices, not by values.
        return super(Array, self).__iter__()

    @property
    def buffer(self) -> Any:
        """Not to be asked for."""
        self._trace.refuse()

    def with_weakness(self, weak_type: bool) -> RecordedArray:
        """The same elements, of a weak type or not."""
        return type(self)(self._trace, self.number, self._data.update(weak_type=weak_type))

    def copy(self) -> Array:
        """Not to be asked for: copies are where the elements are, replays on the host."""
        self._trace.refuse()


class DynamicShapeArray(RecordedArray):
    """One whose shape depends on values, and is not to be asked for either."""

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """Not to be asked for."""
        self._trace.refuse()


class ScalarProxy:
    """A scalar or a NumPy array among the arguments of a call that is recorded.

    It says that it is of the class of its value, and nothing else about it but, of what has them,
    shape and element type.
    """

    def __init__(self, trace: Recording, value: Any, leaf: int) -> None:
        self._trace = trace
        self._given = value
        self._leaf = leaf

    def __getattribute__(self, name: str) -> Any:
        get = object.__getattribute__
        if name in ("_trace", "_given", "_leaf", "refuse", "converted"):
            return get(self, name)
        value = get(self, "_given")
        if name == "__class__":
            return type(value)
        # NumPy would make an array of objects without them.
        if not name.startswith("__array_"):
            answer = getattr(value, name)
            if name in ("shape", "dtype", "ndim", "size"):
                return answer
        return self.refuse()

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """End the recording."""
        self._trace.refuse(isinstance(self._given, (bool, int, float, complex)))

    def converted(
        self, convert: Callable[..., np.ndarray], dtype: np.dtype, weak_type: bool
    ) -> RecordedArray:
        """The array of an element type that `convert` makes of it."""
        return self._trace.converted(self._leaf, convert, dtype, weak_type)


# Python looks operators up in the class.
for _name in {name for kind in (int, float, complex, np.ndarray) for name in dir(kind)}:
    if _name.startswith("__") and not hasattr(object, _name):
        setattr(ScalarProxy, _name, ScalarProxy.refuse)
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "hash", "str", "repr", "format", "reduce_ex"):
    setattr(ScalarProxy, f"__{_name}__", ScalarProxy.refuse)
