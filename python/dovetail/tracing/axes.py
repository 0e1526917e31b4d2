"""The named axes that transforms bind: those of batches, and of meshes of devices."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from dovetail.base.trace_stack import current


class Axis(NamedTuple):
    """A named axis.

    Attributes:
      text: its name in the compiler.
      size: the number of its elements.
      is_manual: whether it is an axis of a mesh over which a function takes parts.
      is_checked: whether values that are the same along it are distinguished from those that vary.
    """

    text: str
    size: int
    is_manual: bool = False
    is_checked: bool = False


def axes_in_scope() -> Mapping[Hashable, Axis]:
    """The named axes that transforms in progress bind."""
    in_progress = current()
    return {} if in_progress is None else in_progress.axes


def new_axis(name: Hashable, size: int) -> Axis:
    """A new axis of a batch, to be bound here; one of the same name is hidden."""
    return Axis(_fresh_text(name, name), size)


def manual_axis(name: Hashable, size: int, is_checked: bool) -> Axis:
    """An axis of a mesh, to be bound here. Functions around it may already have bound it; an axis
    of a batch that has the same name is hidden.
    """
    return Axis(mesh_axis_text(name), size, True, is_checked)


def mesh_axis_text(name: Hashable) -> str:
    """The name in the compiler of an axis of a mesh."""
    outer = axes_in_scope().get(name)
    return outer.text if outer is not None and outer.is_manual else _fresh_text(name, name)


def _fresh_text(name: Hashable, *hidden: Hashable) -> str:
    """A name that no axis in scope has except those that will be hidden."""
    text = name if isinstance(name, str) else repr(name)
    taken = {axis.text for other, axis in axes_in_scope().items() if other not in hidden}
    while text in taken:
        text += "'"
    return text
