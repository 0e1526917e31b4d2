"""Results without NaN and infinity, for which `debug_nans` and `debug_infs` ask."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import config
from dovetail.dtypes import KINDS
from dovetail.reference import shapes, table

# These hand on what they are given, which is reported where it arises.
_UNCHECKED = frozenset(vars(shapes)) | {
    *("abs", "neg", "real", "imag", "conj", "complex", "max", "min", "clamp", "select", "sort"),
    *("reduce_max", "reduce_min", "cummax", "cummin", "gather", "scatter", "scatter_max"),
    *("scatter_min", "stop_gradient", "bitcast", "nextafter", "copysign", "heaviside"),
    *("trunc", "fraction"),
}

# Names of settings, with the value that each does not want.
Unwanted = tuple[tuple[str, str, Callable[[Any], Any]], ...]
_NAN = "debug_nans", "NaN", np.isnan
_INFINITY = "debug_infs", "infinity", np.isinf


class UnwantedValueError(FloatingPointError):
    """A result has a value that a setting does not want.

    Args:
      what: what is wrong.
      place: where in the user's program, by default where it is now.
    """

    def __init__(self, what: str, place: tuple[str, int, str] | None = None) -> None:
        # Its modules need this one.
        from dovetail import ir

        super().__init__(f"{what}, at {ir.describe_place(place or ir.place())}")
        self.what = what

    def at(self, place: tuple[str, int, str]) -> UnwantedValueError:
        """The same with another place, if that is known."""
        return UnwantedValueError(self.what, place) if place[0] else self


def unwanted() -> Unwanted:
    """What results must not have here; usually nothing."""
    if not config.snapshot().checks:
        return ()
    return (_NAN,) * config.debug_nans.value + (_INFINITY,) * config.debug_infs.value


def check(name: str, result: Any, values: Unwanted) -> None:
    """Refuse an op's result, or results, with one of the values.

    Raises:
      UnwantedValueError: there is one.
    """
    if name in _UNCHECKED:
        return
    for array in result if isinstance(result, (tuple, list)) else (result,):
        found = first_of(array, values)
        if found:
            raise UnwantedValueError(f"{name}: {found}")


def first_of(array: np.ndarray, values: Unwanted) -> str | None:
    """What is wrong with an array, for a message."""
    if KINDS.get(array.dtype, "") not in ("f", "c"):
        return None
    for setting, value, is_value in values:
        where = np.argwhere(is_value(array))
        if len(where):
            place = f", first at {tuple(map(int, where[0]))}" if array.ndim else ""
            return (
                f"results must have no {value} while {setting} is on, got {len(where)} among "
                f"{array.size} elements{place}; keep the operands in the function's domain, or "
                f"turn the setting off with dovetail.{setting}(False)"
            )
    return None


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*operands: np.ndarray, **attributes: Any) -> Any:
        result = function(*operands, **attributes)
        values = unwanted()
        if values:
            check(name, result, values)
        return result

    return call


def _install() -> None:
    """Check what ops give outside of programs; until a setting asks for it, this costs nothing."""
    if not _installed:
        _installed.append(True)
        for name, function in table.FUNCTIONS.items():
            if name not in _UNCHECKED:
                table.FUNCTIONS[name] = _checked(name, function)


_installed: list[bool] = []
config.debug_nans.when_used(_install)
config.debug_infs.when_used(_install)
