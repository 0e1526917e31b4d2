"""Calls of the library of collectives as compiled programs make them, on NumPy arrays."""

from __future__ import annotations

import ctypes
import functools
import itertools
import re
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from dovetail.runtime import plugins
from dovetail.runtime.communicator import Communicator, Lines

_HEADER = Path(__file__).resolve().parents[3] / "cpp" / "collectives" / "Call.h"


def _enumerators(name: str) -> list[str]:
    body = re.search(rf"enum class {name} : int64_t {{(.*?)}};", _HEADER.read_text(), re.DOTALL)
    assert body is not None
    return re.findall(r"^\s*(\w+),$", body[1], re.MULTILINE)


KINDS = _enumerators("Kind")


def _dtype(element: str) -> np.dtype:
    name = re.sub(r"(?<=float\d)(?=e)", "_", element.lower())
    name = "bool_" if name == "bool" else name
    return np.dtype(getattr(ml_dtypes, name, None) or getattr(np, name))


# The library's element types, in order.
DTYPES = [_dtype(element) for element in _enumerators("Element")]

_ELEMENTS = {
    "bool": "i1",
    "bfloat16": "bf16",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
}


def element_name(dtype: np.dtype) -> str:
    """An element type as MLIR prints it."""
    name = dtype.name
    if name.startswith("float"):
        width, _, rest = name.removeprefix("float").partition("_")
        return f"f{width}{rest.upper()}"
    return _ELEMENTS.get(name) or name.replace("int", "i")


_pointer, _number = ctypes.c_void_p, ctypes.c_int64


class _Call(ctypes.Structure):
    _fields_ = (
        *itertools.chain.from_iterable(
            ((name, _pointer), (f"{name}_offset", _number))
            for name in ("numbers", "participant", "operand", "result")
        ),
        *((name, _number) for name in ("outer", "middle", "inner")),
    )


@functools.cache
def _library() -> ctypes.CDLL:
    # Releases Python's lock while it waits, as a call of a program does.
    return ctypes.CDLL(plugins.path(plugins.COLLECTIVES))


def call(
    kind: str,
    participants: int,
    participant: int,
    x: np.ndarray,
    result: np.ndarray,
    axes: Sequence[tuple[int, int]],
    *,
    outer: int = 1,
    middle: int = 1,
    inner: int = 1,
    pairs: Sequence[tuple[int, int]] = (),
    site: int = 0,
    text: str = "all_reduce_sum over data",
) -> bool:
    """Take part in a collective over axes of given sizes and strides; True if it succeeds."""
    line = np.frombuffer(text.encode().ljust(len(text) // 8 * 8 + 8, b"\0"), np.int64)
    numbers = np.array(
        [
            *(site, KINDS.index(kind), DTYPES.index(x.dtype), participants, len(axes), len(pairs)),
            *itertools.chain.from_iterable(axes),
            *itertools.chain.from_iterable(pairs),
            *line,
        ],
        np.int64,
    )
    number = np.array(participant, np.int32)
    arrays = itertools.chain.from_iterable(
        (array.ctypes.data, 0) for array in (numbers, number, x, result)
    )
    arguments = _Call(*arrays, outer, middle, inner)
    return _library().dovetail_collective(ctypes.byref(arguments), None, None) == 0


def on_participants(
    count: int, function: Callable[[int], Any], timeout: float = 60, lines: Sequence[str] = ()
) -> tuple[list[Any], str]:
    """Call a function on each participant of a run.

    Returns:
      The results or exceptions, and the reason why the run failed.
    """
    meeting, places = Communicator(count, timeout), Lines(lines)
    assert meeting.start(places)
    results: list[Any] = [None] * count

    def participate(number: int) -> None:
        meeting.enter(number)
        try:
            results[number] = function(number)
        except Exception as error:
            results[number] = error
            meeting.fail(f"participant {number}: {error}")
        meeting.leave()

    threads = [threading.Thread(target=participate, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results, meeting.failure
