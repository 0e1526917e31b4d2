"""Functions of the program, by the names that modules have for them."""

from __future__ import annotations

import contextvars
import itertools
import weakref
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from dovetail.reference.op import op

Array = np.ndarray[Any, Any]


class Function(Protocol):
    """A function of arrays that is given the types of its results."""

    name: str

    def __call__(
        self, arrays: Sequence[Array], shapes: Sequence[tuple[int, ...]], types: Sequence[Any]
    ) -> tuple[Array, ...]:
        """The results, of these shapes (-1 is any size) and element types."""
        ...


# A function exists as long as the modules that name it.
_known: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count()
# The context that requested an evaluation, in which callbacks run; the evaluator has its own.
caller: contextvars.ContextVar[contextvars.Context] = contextvars.ContextVar("caller")


def register(function: Function) -> str:
    """A name for a function, under which it is called as long as something else refers to it."""
    name = f"{function.name}.{next(_numbers)}"
    _known[name] = function
    return name


def call(
    name: str,
    arrays: Sequence[Array],
    shapes: Sequence[tuple[int, ...]],
    types: Sequence[Any],
) -> tuple[Array, ...]:
    """The results of the function of that name."""
    return registered(name)(arrays, shapes, types)


def registered(name: str) -> Function:
    """The function of that name."""
    function = _known.get(name)
    if function is None:
        raise LookupError(f"there is no callback `{name}` in this program any more")
    return function


@op("callback")
def callback(
    *operands: Array,
    function: str,
    operandSegmentSizes: Sequence[int],
    shapes: Sequence[tuple[int, ...]],
    elements: Sequence[Any],
    **attributes: Any,
) -> tuple[Array, ...]:
    """The results of the function, in the context of the evaluation's caller."""
    count = operandSegmentSizes[0]
    known = known_shapes(shapes, operands[count:])
    return caller.get().run(call, function, operands[:count], known, elements)


def known_shapes(
    shapes: Sequence[tuple[int, ...]], sizes: Sequence[Any]
) -> tuple[tuple[int, ...], ...]:
    """Shapes with sizes in the place of -1, as far as there are any."""
    rest = iter(sizes)
    return tuple(
        tuple(int(np.asarray(next(rest, -1)).reshape(())) if s == -1 else s for s in shape)
        for shape in shapes
    )
