"""Results without NaN and infinity, for which `debug_nans` and `debug_infs` ask: those of single
ops; see `check_finite` for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail.base import config, locations
from dovetail.base.dtypes import KINDS
from dovetail.reference import table
from dovetail.reference.op import OPS


class Unwanted(NamedTuple):
    """A value that results may be searched for.

    Attributes:
      name: what the compiler calls it.
      setting: the name of the setting that asks for it.
      value: what messages call it.
      is_value: which elements of an array have it.
    """

    name: str
    setting: str
    value: str
    is_value: Callable[[Any], Any]

    def refused(self, where: str, what: str) -> str:
        """The message for the results of an op or function."""
        return (
            f"invalid value ({self.name}) encountered in {where}: results must have no "
            f"{self.value} while {self.setting} is on, got: {what}; keep the operands in the "
            f"function's domain, or turn the setting off with dovetail.{self.setting}(False)"
        )


# By the names that the compiler has for them.
UNWANTED = {
    value.name: value
    for value in (
        Unwanted("nan", "debug_nans", "NaN", np.isnan),
        Unwanted("inf", "debug_infs", "infinity", np.isinf),
    )
}


class UnwantedValueError(FloatingPointError):
    """A result has a value that a setting does not want.

    Args:
      what: what is wrong.
      place: where in the user's program, by default where it is now.
    """

    def __init__(self, what: str, place: tuple[str, int, str] | None = None) -> None:
        if place is None or not place[0]:
            place = locations.location()
        super().__init__(f"{what}, at {locations.describe(place)}")


def unwanted() -> list[Unwanted]:
    """The kinds of values that results must not have here; usually none."""
    return [UNWANTED[name] for name in config.snapshot().checks]


def check(name: str, result: Any, values: Sequence[Unwanted]) -> None:
    """Refuse an op's result, or results, with one of the values.

    Raises:
      UnwantedValueError: there is one.
    """
    if OPS[name].checked == "never":
        return
    for array in result if isinstance(result, (tuple, list)) else (result,):
        found = first_of(array, values)
        if found:
            value, what = found
            raise UnwantedValueError(value.refused(name, what))


def first_of(array: np.ndarray, values: Sequence[Unwanted]) -> tuple[Unwanted, str] | None:
    """The first of the values that an array has, and how many, where, for a message."""
    if KINDS.get(array.dtype, "") not in ("f", "c"):
        return None
    for value in values:
        where = np.argwhere(value.is_value(array))
        if len(where):
            place = f", first at {tuple(map(int, where[0]))}" if array.ndim else ""
            return value, f"{len(where)} among {array.size} elements{place}"
    return None


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*operands: np.ndarray, **attributes: Any) -> Any:
        result = function(*operands, **attributes)
        values = unwanted()
        if values and OPS[name].checked == "unless given":
            values = [v for v in values if not any(first_of(x, (v,)) for x in operands)]
        if values:
            check(name, result, values)
        return result

    return call


def _install() -> None:
    """Install the check of eager ops' results; it costs nothing until a setting enables it."""
    if not _installed:
        _installed.append(True)
        for name, function in table.FUNCTIONS.items():
            if OPS[name].checked != "never":
                table.FUNCTIONS[name] = _checked(name, function)


_installed: list[bool] = []
config.debug_nans.when_used(_install)
config.debug_infs.when_used(_install)
