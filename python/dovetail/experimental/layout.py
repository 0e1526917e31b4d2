"""Orders of dimensions in memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import dovetail as dt
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.placement.shardings import Sharding
from dovetail.tree_util import tree_flatten, tree_map

__all__ = ["Format", "Layout", "with_layout_constraint"]


class _Automatic:
    """The layout that the compiler chooses."""

    def __repr__(self) -> str:
        return "AUTO"


@dataclasses.dataclass(frozen=True)
class Layout:
    """An order of the dimensions of an array in memory.

    Arrays of this compiler are row-major: the last dimension varies fastest.

    Args:
      major_to_minor: the dimensions, the one that varies fastest last.
      tiling: the sizes of tiles; arrays of this compiler have none.
      sub_byte_element_size_in_bits: the size of elements that share a byte.

    Example:
      >>> from dovetail.experimental.layout import Layout
      >>> Layout((0, 1))
      Layout(major_to_minor=(0, 1), tiling=None, sub_byte_element_size_in_bits=0)
    """

    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] | None = None
    sub_byte_element_size_in_bits: int = 0

    AUTO = _Automatic()

    def __post_init__(self) -> None:
        object.__setattr__(self, "major_to_minor", tuple(self.major_to_minor))
        if self.tiling is not None:
            object.__setattr__(self, "tiling", tuple(map(tuple, self.tiling)))

    def update(self, **changes: Any) -> Layout:
        """The same with other values of some arguments.

        Args:
          **changes: the arguments.

        Example:
          >>> from dovetail.experimental.layout import Layout
          >>> Layout((0, 1)).update(major_to_minor=(1, 0)).major_to_minor
          (1, 0)
        """
        return dataclasses.replace(self, **changes)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Raise a ValueError unless the layout has as many dimensions as a shape.

        Args:
          aval_shape: the shape.

        Example:
          >>> from dovetail.experimental.layout import Layout
          >>> Layout((0, 1)).check_compatible_aval((2, 3))
        """
        if len(self.major_to_minor) != len(aval_shape):
            raise value_error(
                "Layout: Length of major_to_minor and the rank of the value should match; give one "
                "dimension for each of the value's, got: "
                f"{self.major_to_minor} and shape {aval_shape}"
            )


class Format:
    """A layout and a sharding.

    Args:
      layout: a `Layout`, `Layout.AUTO` or None.
      sharding: a sharding or None; a `Layout` needs one.

    Raises:
      TypeError: one of them is something else.
      ValueError: a layout without a sharding.

    Example:
      >>> from dovetail.experimental.layout import Format, Layout
      >>> place = dt.sharding.SingleDeviceSharding(dt.devices("cpu")[0])
      >>> Format(Layout((0,)), place).layout.major_to_minor
      (0,)
    """

    __slots__ = ("layout", "sharding")

    def __init__(self, layout: Any = None, sharding: Sharding | None = None) -> None:
        if isinstance(layout, Layout) and sharding is None:
            raise value_error(
                "Format: Sharding has to be concrete when layout is a Layout; give one, got: None"
            )
        if not isinstance(layout, Layout | _Automatic | None):
            raise type_error(
                "Format: Invalid value received for the layout argument; give a Layout, "
                f"Layout.AUTO or None, got: {layout!r}"
            )
        if not isinstance(sharding, Sharding | None):
            raise type_error(
                "Format: Invalid value received for the sharding argument; give a sharding or "
                f"None, got: {sharding!r}"
            )
        self.layout = layout
        self.sharding = sharding

    def __repr__(self) -> str:
        return f"Format(layout={self.layout}, sharding={self.sharding})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Format):
            return False
        return (self.layout, self.sharding) == (other.layout, other.sharding)

    def __hash__(self) -> int:
        return hash((self.layout, self.sharding))


def with_layout_constraint(x: Any, layouts: Any) -> Any:
    """Arrays in given layouts; they are in the only one that there is, which is row-major.

    Args:
      x: a tree of arrays.
      layouts: a `Layout`, or a tree of them.

    Returns:
      The arrays.

    Raises:
      ValueError: something is no `Layout`, or has another number of dimensions.
      NotImplementedError: a layout is not row-major.

    Example:
      >>> from dovetail.experimental.layout import Layout, with_layout_constraint
      >>> with_layout_constraint(dnp.ones((1, 2)), Layout((0, 1)))
      Array([[1., 1.]], dtype=float32)
    """
    leaves = tree_flatten(x)[0]
    if isinstance(layouts, Layout):
        wanted = [layouts] * len(leaves)
    else:
        wanted = tree_flatten(layouts, is_leaf=lambda leaf: isinstance(leaf, Layout))[0]
    for leaf, layout in zip(leaves, wanted, strict=True):
        if not isinstance(layout, Layout):
            raise value_error(
                "with_layout_constraint: layouts must be of type `Layout`; make one of the order "
                f"of the dimensions, got: {layout!r}"
            )
        layout.check_compatible_aval(dt.numpy.shape(leaf))
        if layout.tiling or layout.major_to_minor != tuple(range(dt.numpy.ndim(leaf))):
            raise NotImplementedError(
                "with_layout_constraint: layouts must be row-major, the only one of this "
                f"compiler's arrays; transpose the array instead, got: {layout}"
            )
    return tree_map(lambda leaf: leaf if isinstance(leaf, Array) else dt.numpy.asarray(leaf), x)
