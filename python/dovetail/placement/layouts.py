"""Orders of the dimensions of arrays in memory."""

from __future__ import annotations

import dataclasses
from typing import Any

from dovetail.base.errors import type_error, value_error
from dovetail.placement.shardings import Sharding


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

    def check_row_major(self, shape: tuple[int, ...], what: str) -> None:
        """Raise an error unless this is the layout that arrays of a shape have.

        Args:
          shape: the shape.
          what: the name of the function in messages.

        Raises:
          ValueError: it is for another number of dimensions.
          NotImplementedError: it is not row-major.

        Example:
          >>> from dovetail.experimental.layout import Layout
          >>> Layout((0, 1)).check_row_major((2, 3), "put")
        """
        self.check_compatible_aval(shape)
        if self.tiling or self.major_to_minor != tuple(range(len(shape))):
            raise NotImplementedError(
                f"{what}: layouts must be row-major, the only one of this compiler's arrays; "
                f"transpose the array instead, got: {self}"
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

    def for_shape(self, shape: tuple[int, ...], what: str) -> Sharding | None:
        """The sharding, for an array of a shape, whose layout is row-major.

        Args:
          shape: the shape.
          what: the name of the function in messages.

        Raises:
          ValueError: the layout is for another number of dimensions.
          NotImplementedError: it is another one.

        Example:
          >>> from dovetail.experimental.layout import Format
          >>> Format().for_shape((2,), "put")
        """
        if isinstance(self.layout, Layout):
            self.layout.check_row_major(shape, what)
        return self.sharding
